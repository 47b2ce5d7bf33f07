"""Pictures by matplotlib: pip install 'sparsedyn[plot]'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _tables
from ._files import write_files
from ._plan import Plan


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'sparsedyn[plot]'") from None
    return pyplot


def estimate(table: Any, columns: Sequence[str] | str | None = None, truth: Any = None) -> Any:
    """Columns of solve_log's table over time, in their ± 2σ where the table has sd.COLUMN, beside those of `truth`.

    columns: names, or a kind ('tau'); all outputs unless given. Returns the matplotlib figure.
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
    figure, axes = _pyplot().subplots(len(outputs), 1, sharex=True, squeeze=False, figsize=(8, 1.2 + 1.1 * len(outputs)))
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
        axis.set_ylabel(name, rotation=0, ha="right", fontsize="small")
    axes[0, 0].legend(loc="upper right", fontsize="small")
    axes[-1, 0].set_xlabel("row" if time is None else "s")
    figure.tight_layout()
    return figure


class Drawing:
    """An SVG with its legend: shown in notebooks, text elsewhere."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str) -> None:
        """Writes a page with the drawing."""
        write_files({path: f"<!doctype html><meta charset='utf-8'>{self.svg}"})


def spy(plan: Plan) -> Drawing:
    """The matrix in the plan's order of elimination, its fill-in marked."""
    return Drawing(plan.spy())


def flops(plan: Plan) -> Any:
    """Operations of every order that optimise compared, the chosen one marked. Returns the matplotlib figure."""
    rows = plan.candidates.to_pylist()
    totals = [row["mul"] + row["add"] + row["div"] for row in rows]
    figure, axis = _pyplot().subplots(figsize=(8, 1 + 0.25 * len(rows)))
    colours = ["tab:red" if row["chosen"] else "tab:blue" if row["healthy"] else "0.7" for row in rows]
    axis.barh(range(len(rows)), totals, color=colours)
    axis.set_yticks(range(len(rows)), [row["strategy"] for row in rows], fontsize="small")
    axis.invert_yaxis()
    axis.set_xlabel("multiplications, additions and divisions; red: chosen, grey: not healthy")
    figure.tight_layout()
    return figure
