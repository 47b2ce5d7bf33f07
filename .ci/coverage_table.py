#!/usr/bin/env python3
"""Lines that ran, by layer: coverage_table.py BUILD [--lines] [LAYER …], after the tests of a build with g++ --coverage.

A line counts once, however many files and templates compile it, and has run if any of them ran it. --lines: those that did not
run. Without LAYER all whose sources were counted. Exit 1 where a layer is below its bound, or none was counted.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
READERS = {"io", "json", "urdf"}


def bound(layer: str) -> float:
    return 0.95 if layer in READERS else 0.9


def layer_of(file: str) -> str | None:
    """src/LAYER/… or include/sparsedyn/LAYER/…; None for what is not the library's."""
    try:
        parts = pathlib.Path(file).resolve().relative_to(ROOT).parts
    except ValueError:
        return None
    inside = parts[1:] if parts[0] == "src" else parts[2:] if parts[:2] == ("include", "sparsedyn") else ()
    return inside[0] if len(inside) > 1 else None


def counts(build: pathlib.Path) -> dict[str, dict[int, int]]:
    """Of each file of a layer the executions of its lines."""
    found: dict[str, dict[int, int]] = collections.defaultdict(dict)
    data = [str(path.resolve()) for path in build.rglob("*.gcda")]
    for start in range(0, len(data), 20):
        command = ["gcov", "--json-format", "--stdout", *data[start : start + 20]]
        texts = subprocess.run(command, cwd=build, check=True, capture_output=True, text=True).stdout
        for text in texts.splitlines():
            report = json.loads(text) if text.startswith("{") else {"files": []}
            for entry in report["files"]:
                file = str((pathlib.Path(report["current_working_directory"]) / entry["file"]).resolve())
                if layer_of(file):
                    for line in entry["lines"]:
                        number = line["line_number"]
                        found[file][number] = found[file].get(number, 0) + line["count"]
    return found


def counted_layers(build: pathlib.Path) -> list[str]:
    """Layers whose objects ran, by their folders: of other layers only headers were counted, in part."""
    return sorted({found[1] for path in build.rglob("*.gcda") if (found := re.search(r"/sparsedyn_(\w+)\.dir/", path.as_posix()))})


def main() -> int:
    build, wanted = pathlib.Path(sys.argv[1]), [layer for layer in sys.argv[2:] if layer != "--lines"]
    wanted = wanted or counted_layers(build)
    if not wanted:
        print(f"coverage: {build}: no layer was counted; expected a build with --coverage (.ci/coverage)", file=sys.stderr)
        return 1
    found = counts(build)
    layers: dict[str, list[int]] = {layer: [0, 0] for layer in wanted}
    for file, lines in sorted(found.items()):
        layer = layer_of(file)
        if layer not in layers:  # the headers of one below, which others compile
            continue
        layers[layer][0] += sum(count > 0 for count in lines.values())
        layers[layer][1] += len(lines)
        if "--lines" in sys.argv:
            for number in sorted(n for n, count in lines.items() if count == 0):
                print(f"{pathlib.Path(file).relative_to(ROOT)}:{number}")
    low = 0
    for layer, (ran, all_lines) in sorted(layers.items()):
        if not all_lines:
            print(f"coverage: {layer}: no line was counted; expected the tests of a build with --coverage", file=sys.stderr)
            return 1
        short = ran < bound(layer) * all_lines
        low += short
        if "--lines" not in sys.argv:
            expected = f"   expected {bound(layer):.0%}" if short else ""
            print(f"{layer:16} {ran:6} of {all_lines:6} lines  {100 * ran / all_lines:5.1f} %{expected}")
    return 1 if low and "--lines" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
