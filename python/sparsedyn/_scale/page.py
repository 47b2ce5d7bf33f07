"""A page about a fleet: which robot's which sensor is off, and when."""

from __future__ import annotations

import math
import os
import re
from html import escape
from typing import TYPE_CHECKING

from .._core import Model, _page, _table
from .._words import counted

if TYPE_CHECKING:
    from .dataset import Fit

WORST = 40
NOISIER, QUIETER, SHIFTED = 1.5, 1 / 1.5, 0.5  #: spread and mean of innovations beyond which a reading is called off
FEW = 100  #: readings, from which nothing is concluded


def _spread(row: dict[str, float]) -> float:
    """The innovations' deviation about their own mean, so that a shift alone is no noise."""
    return math.sqrt(max(row["rms"] ** 2 - row["mean"] ** 2, 0.0))


def offness(row: dict[str, float]) -> float:
    """How far from mean 0 and a deviation of 1, 1 where it is called off; 0 for too few readings."""
    if row["count"] < FEW:
        return 0.0
    spread = abs(math.log(max(_spread(row), 1e-12))) / math.log(NOISIER)
    return max(spread, abs(row["mean"]) / SHIFTED)


def _why(row: dict[str, float]) -> str:
    said = []
    if abs(row["mean"]) > SHIFTED:
        said.append("shifted")
    if _spread(row) > NOISIER:
        said.append("noisier than stated")
    if _spread(row) < QUIETER:
        said.append("quieter than stated")
    return ", ".join(said)


def _cell(row: dict[str, float] | None) -> str:
    """The more off, the redder: a veil over the page's own ground, light or dark."""
    if row is None or row["count"] == 0:
        return "<td>·</td>"
    title = f"mean {_signed(row['mean'])}, rms {row['rms']:.2f}, worst {row['worst']:.1f}, {row['count']:.0f} readings"
    veil = 0.6 * min(1.0, offness(row) / 3)
    return f"<td style='background:rgba(224,60,40,{veil:.2f})' title='{title}'>{row['rms']:.2f}</td>"


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _together(rows: list[dict[str, float]]) -> dict[str, float]:
    count = sum(row["count"] for row in rows)
    n = max(count, 1.0)
    mean = sum(row["mean"] * row["count"] for row in rows) / n
    squares = sum(row["rms"] ** 2 * row["count"] for row in rows) / n
    return {"count": count, "mean": mean, "rms": math.sqrt(squares), "worst": max(row["worst"] for row in rows)}


def _grouped(number: float) -> str:
    """12 345, as all pages write it."""
    return f"{number:,.0f}".replace(",", "\u202f")


def _days(days: list[str]) -> str:
    """All of them under the pointer, the first and the last to read."""
    shown = days[0] if len(days) == 1 else f"{len(days)}: {days[0]} … {days[-1]}"
    return f"<span style='white-space:nowrap' title='{escape(', '.join(days), quote=True)}'>{escape(shown)}</span>"


#: a day of a reading: how far off, robot, day, reading, numbers
Off = tuple[float, str, str, str, dict[str, float]]
#: why a reading is off, robot, reading, days, the worst of them, its numbers
Cause = tuple[str, str, str, list[str], str, dict[str, float]]


def _causes(off: list[Off]) -> list[Cause]:
    """Why, robot, reading, days, and the worst day with its numbers; `off` begins with the worst, and so does what comes of it."""
    found: dict[tuple[str, str, str], tuple[list[str], str, dict[str, float]]] = {}
    for _, name, day, column, row in off:
        days, *_ = found.setdefault((_why(row), name, column), ([], day, row))
        days.append(day)
    return [(why, name, column, sorted(days), worst, row) for (why, name, column), (days, worst, row) in found.items()]


def _natural(name: str) -> list[tuple[int, str]]:
    """r9 before r10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]


def _plural(count: int, one: str, more: str) -> str:
    return counted(count, one, more, _grouped)


def _lead(fit: Fit, robots: list[str], causes: list[Cause]) -> str:
    """What was found, the worst reading by its name; then how much was looked at."""
    if causes:
        why, name, column, days, worst, row = causes[0]
        size = f"by {_signed(row['mean'])} σ on average" if "shifted" in why else f"of deviation {_spread(row):.2f} where 1 is as stated"
        when = f"{size}, on {days[0]}" if len(days) == 1 else f"on {len(days)} days from {days[0]} to {days[-1]}, the worst {worst}: {size}"
        readings = len({(robot, reading) for _, robot, reading, *_ in causes})
        found = (f"<b>{escape(column)}</b> of <b>{escape(name)}</b> is {escape(why)}, {escape(when)}; "
                 f"{_plural(readings, 'reading is', 'readings are')} off in all. ")
    else:
        found = "No reading is off. "
    return (found + f"{_plural(len(robots), 'robot', 'robots')} over {_plural(fit.rows, 'row', 'rows')}; chi-square is "
            f"{_grouped(fit.chi_square)} where the stated noise makes {_grouped(fit.expected)} expected"
            + (f"; {_plural(fit.failed, 'row has', 'rows have')} no answer" if fit.failed else "") + ".")


def write_page(path: str | os.PathLike[str], fit: Fit, robot: Model, dataset: str) -> None:
    """One HTML file, in the style of all pages, without anything from elsewhere."""
    robots = sorted({name for name, _ in fit.groups}, key=_natural)
    columns = sorted(fit.columns)
    by_robot = {name: {column: _together([rows[column] for (of, _), rows in fit.groups.items() if of == name and column in rows])
                       for column in columns if any(of == name and column in rows for (of, _), rows in fit.groups.items())}
                for name in robots}
    off = sorted(((offness(row), name, day, column, row) for (name, day), rows in fit.groups.items() for column, row in rows.items()
                  if offness(row) >= 1), key=lambda each: (-each[0], each[1:4]))
    causes = _causes(off)
    body = (f"<p>Of <code>{escape(dataset)}</code>. An innovation is a reading less what all other sensors predict for it, in standard "
            "deviations of that difference: of mean 0 and rms 1 where the noise is what the sensor set says.</p>"
            "<h2>What is off, by cause, the worst first</h2>")
    if off:
        for why in dict.fromkeys(cause for cause, *_ in causes):
            same = [each for each in causes if each[0] == why]
            body += f"<h3>{escape(why).capitalize()}</h3>" + _table(
                [["reading", "robot", "days", "worst day", "mean that day (σ)", "deviation about it (σ)", "worst (σ)", "readings"]] +
                [[escape(column), escape(name), _days(days), _days([worst]), _signed(row["mean"]), f"{_spread(row):.2f}",
                  f"{row['worst']:.1f}", _grouped(row["count"])] for _, name, column, days, worst, row in same[:WORST]])
            body += f"<p>and {len(same) - WORST} more</p>" if len(same) > WORST else ""
    else:
        body += ("<p>Nothing: every reading's innovations have a mean within "
                 f"± {SHIFTED:g} and a deviation of {QUIETER:.2f} to {NOISIER:g}.</p>")
    body += ("<h2>Rms of innovations, by robot</h2><div class='wide'><table><tr><th>reading</th>" +
             "".join(f"<th>{escape(name)}</th>" for name in robots) + "</tr>\n" +
             "".join(f"<tr><td>{escape(column)}</td>" + "".join(_cell(by_robot[name].get(column)) for name in robots) + "</tr>\n"
                     for column in columns) + "</table></div>\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(_page(f"{robot.name}: the fleet", _lead(fit, robots, causes), body))
