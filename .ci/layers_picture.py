"""docs/layers.svg: the layers as boxes, each above all that it depends on, coloured by component. Dependencies that follow from
others are left out."""

# Where a box stands from left to right; its height follows from what it depends on.
COLUMN = {
    "urdf": 4, "dense": 0, "io": 1, "json": 1, "identification": 0, "constraints": 1, "kinematics": 3, "scalar": 2, "spatial": 2, "model": 2, "dynamics": 2, "system": 2, "determinacy": 2,
    "runtime": 2, "logs": 1, "tracking": 4, "inspection": 0, "answers": 1, "codegen": 2, "jit": 2, "sparse": 3, "flops": 3, "ordering": 5, "planning": 5, "report": 4, "simulation": 4, "algorithms": 4,
    "requests": 3, "verification": 1, "live": 0, "meshes": 5, "command line": 2, "Python": 4,
}  # fmt: skip
COLOUR = {"core": "#cfe3f3", "codegen": "#fbe3c0", "offline": "#d9edd0", "json": "#eadcf2", "urdf": "#f6d5d5", "identification": "#f7efb2", "simulation": "#d3ece9", "verification": "#e6e0c8", "live": "#f3d9e8", "internal": "#e4e4e4", "program": "#ffffff", "package": "#ffffff"}
BOX, TALL, STEP_X, STEP_Y, MARGIN = 118, 34, 146, 60, 20


def levels(layers):
    level = {}
    for name, (_, below) in layers.items():
        level[name] = 1 + max((level[b] for b in below), default=-1)
    return level


def direct(layers, reach):
    """Pairs (layer, layer below) that do not follow from others."""
    for name, (_, below) in layers.items():
        for b in below:
            if not any(b in reach[other] for other in below if other != b):
                yield name, b


def picture(layers, reach):
    unplaced = [name for name in layers if name not in COLUMN]
    if unplaced:
        raise SystemExit(f".ci/layers_picture.py: {unplaced[0]}: has no place; expected it in COLUMN")
    level = levels(layers)
    top = MARGIN + max(level.values()) * STEP_Y
    width, height = 2 * MARGIN + 5 * STEP_X + BOX, top + TALL + MARGIN
    x = {name: MARGIN + COLUMN[name] * STEP_X for name in layers}
    y = {name: top - level[name] * STEP_Y for name in layers}
    edges = list(direct(layers, reach))

    def attach(name, others):
        """Where the edges of a box meet it, from left to right as their other ends are."""
        others = sorted(others, key=lambda o: x[o])
        return {o: x[name] + BOX * (k + 1) / (len(others) + 1) for k, o in enumerate(others)}

    below = {name: attach(name, [b for a, b in edges if a == name]) for name in layers}
    above = {name: attach(name, [a for a, b in edges if b == name]) for name in layers}
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for a, b in edges:
        x1, y1, x2, y2 = below[a][b], y[a] + TALL, above[b][a], y[b]
        gap = y1 + STEP_Y - TALL  # sideways in the gap below the box, then straight down
        svg.append(
            f'<path d="M{x1:.0f} {y1}C{x1:.0f} {gap} {x2:.0f} {y1} {x2:.0f} {gap}V{y2}" fill="none" stroke="#777777"/>'
        )
    for name, (component, _) in layers.items():
        svg.append(f'<rect x="{x[name]}" y="{y[name]}" width="{BOX}" height="{TALL}" rx="5" fill="{COLOUR[component]}" stroke="#555555"/>')
        svg.append(f'<text x="{x[name] + BOX / 2:.0f}" y="{y[name] + 22}" text-anchor="middle">{name}</text>')
    components = list(dict.fromkeys(component for component, _ in layers.values()))
    for k, component in enumerate(components):
        svg.append(f'<rect x="{MARGIN}" y="{MARGIN + 24 * k}" width="16" height="16" fill="{COLOUR[component]}" stroke="#555555"/>')
        svg.append(f'<text x="{MARGIN + 24}" y="{MARGIN + 24 * k + 13}">{component}</text>')
    svg.append("</svg>")
    return "\n".join(svg) + "\n"
