"""Pictures by matplotlib: pip install 'sparsedyn[plot]'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _tables
from ._core import Model
from ._files import write_files
from ._plan import Plan

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # type: ignore[import-not-found, import-untyped, unused-ignore]


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'sparsedyn[plot]'") from None
    return pyplot


#: Of a column's last part where a column has several.
_PARTS = {
    "acc": ("rad/s²", "m/s²"), "vel": ("rad/s", "m/s"), "dq": ("rad/s", "m/s"), "ddq": ("rad/s²", "m/s²"), "f": ("N·m", "N"),
    "fx": ("N·m", "N"), "tau": ("N·m", "N"), "momentum_rate": ("N·m", "N"), "momentum": ("N·m·s", "N·s"),
}


def unit_of(column: str, robot: Model | None = None) -> str:
    """SI units of a log's column, '' where they are not known. Of a joint that slides its robot tells.

    Without a robot a joint is taken to turn: rad, N·m.
    """
    kind, _, rest = column.partition(".")
    part = rest.rpartition(".")[2]
    if kind == "time":
        return "s"
    if kind in _PARTS and len(part) == 2 and part[0] in "wnvf" and part[1] in "xyz" and "." in rest:
        return _PARTS[kind][part[0] in "vf"]
    if kind == "q" and part in ("x", "y", "z") and "." in rest:
        return "m"
    if kind == "q" and part in ("qx", "qy", "qz", "qw") and "." in rest:
        return ""
    turn = {"q": ("rad", "m"), "dq": ("rad/s", "m/s"), "ddq": ("rad/s²", "m/s²"), "tau": ("N·m", "N")}.get(kind)
    if turn is None:
        return ""
    slides = robot is not None and rest in robot.joints and robot.joints[rest].type == "prismatic"
    return turn[slides]


def _labelled(column: str, robot: Model | None) -> str:
    unit = unit_of(column, robot)
    return f"{column}\n{unit}" if unit else column


def estimate(table: Any, columns: Sequence[str] | str | None = None, truth: Any = None, robot: Model | None = None) -> Figure:
    """Columns of solve_log's table over time, in their ± 2σ where the table has sd.COLUMN, beside those of `truth`.

    columns: names, or a kind ('tau'); all outputs unless given. robot: knows which joints slide, for the units. Returns the
    matplotlib figure; the legend stands beside the data.
    """
    names = _tables.column_names(table)
    outputs = [n for n in names if n != "time" and n != "chi2" and not n.startswith(("sd.", "innovation."))]
    if isinstance(columns, str):
        outputs = [n for n in outputs if n == columns or n.startswith(columns + ".")]
    elif columns is not None:
        outputs = list(columns)
    unknown = [n for n in outputs if n not in names]
    if unknown or not outputs:
        raise ValueError(f"columns: {', '.join(unknown) or columns}; expected columns of the table")
    time = _tables.column(table, "time") if "time" in names else None
    figure, axes = _pyplot().subplots(
        len(outputs), 1, sharex=True, squeeze=False, figsize=(8, 1.2 + 1.1 * len(outputs)), layout="constrained"
    )
    known = set(_tables.column_names(truth)) if truth is not None else set()
    for axis, name in zip(axes[:, 0], outputs):
        y = _tables.column(table, name)
        t = np.arange(len(y), dtype=np.float64) if time is None else time
        if f"sd.{name}" in names:
            spread = 2 * _tables.column(table, f"sd.{name}")
            axis.fill_between(t, y - spread, y + spread, alpha=0.3, linewidth=0, label="± 2σ")
        if name in known:
            axis.plot(t, _tables.column(truth, name), color="0.3", linewidth=0.8, label="truth")
        axis.plot(t, y, linewidth=1, label="estimate")
        axis.set_ylabel(_labelled(name, robot), rotation=0, ha="right", va="center", fontsize="small")
    figure.legend(*_entries(axes[:, 0]), loc="outside right upper", fontsize="small")
    axes[-1, 0].set_xlabel("row" if time is None else "time, s")
    return cast("Figure", figure)


def _entries(axes: Any) -> tuple[list[Any], list[str]]:
    """What the legend shows, once each."""
    found: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    return list(found.values()), list(found)


class Drawing:
    """An SVG with its legend: shown in notebooks, text elsewhere."""

    def __init__(self, svg: str, what: str = "") -> None:
        self.svg = svg
        self._what = what

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Drawing({self._what + ', ' if self._what else ''}SVG of {len(self.svg)} bytes; save(path), or the last line of a notebook's cell)"

    def save(self, path: str) -> None:
        """Writes a page with the drawing."""
        write_files({path: f"<!doctype html><meta charset='utf-8'>{self.svg}"})


def spy(plan: Plan) -> Drawing:
    """The matrix in the plan's order of elimination, its fill-in marked."""
    return Drawing(plan.spy(), "the matrix in the planned order")


def flops(plan: Plan) -> Figure:
    """Operations of every order that optimise compared, the chosen one marked. Returns the matplotlib figure."""
    rows = plan.candidates.to_pylist()
    totals = [row["mul"] + row["add"] + row["div"] for row in rows]
    figure, axis = _pyplot().subplots(figsize=(8, 1 + 0.25 * len(rows)), layout="constrained")
    colours = ["tab:red" if row["chosen"] else "tab:blue" if row["healthy"] else "0.7" for row in rows]
    bars = axis.barh(range(len(rows)), totals, color=colours)
    axis.set_yticks(range(len(rows)), [row["strategy"] for row in rows], fontsize="small")
    axis.invert_yaxis()
    axis.set_xlabel("multiplications, additions and divisions")
    meaning = {"tab:red": "chosen", "tab:blue": "healthy", "0.7": "not healthy"}
    shown = {colour: bar for colour, bar in zip(colours, bars)}
    figure.legend([shown[c] for c in meaning if c in shown], [meaning[c] for c in meaning if c in shown], loc="outside right upper",
                  fontsize="small")
    return cast("Figure", figure)
