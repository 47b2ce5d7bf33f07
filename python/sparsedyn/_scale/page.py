"""A page about a fleet: which robot's which sensor is off, and when."""

from __future__ import annotations

import math
import os
from html import escape
from typing import TYPE_CHECKING

from .._core import Model, _page, _table

if TYPE_CHECKING:
    from .dataset import Fit

WORST = 40
NOISIER, QUIETER, SHIFTED = 1.5, 1 / 1.5, 0.5  #: rms and mean of innovations beyond which a reading is called off
FEW = 100  #: readings, from which nothing is concluded

def offness(row: dict[str, float]) -> float:
    """How far from mean 0 and rms 1, 1 where it is called off; 0 for too few readings."""
    if row["count"] < FEW:
        return 0.0
    spread = abs(math.log(max(row["rms"], 1e-12))) / math.log(NOISIER)
    return max(spread, abs(row["mean"]) / SHIFTED)


def _why(row: dict[str, float]) -> str:
    said = []
    if abs(row["mean"]) > SHIFTED:
        said.append("shifted")
    if row["rms"] > NOISIER:
        said.append("noisier than stated")
    if row["rms"] < QUIETER:
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


def _causes(off: list[Off]) -> list[tuple[str, str, str, list[str], dict[str, float]]]:
    """Why, robot, reading, days, and the numbers of the worst day; `off` begins with the worst, and so does what comes of it."""
    found: dict[tuple[str, str, str], tuple[list[str], dict[str, float]]] = {}
    for _, name, day, column, row in off:
        days, _ = found.setdefault((_why(row), name, column), ([], row))
        days.append(day)
    return [(why, name, column, sorted(days), row) for (why, name, column), (days, row) in found.items()]


def write_page(path: str | os.PathLike[str], fit: Fit, robot: Model, dataset: str) -> None:
    """One HTML file, in the style of all pages, without anything from elsewhere."""
    robots = sorted({name for name, _ in fit.groups})
    columns = sorted(fit.columns)
    by_robot = {name: {column: _together([rows[column] for (of, _), rows in fit.groups.items() if of == name and column in rows])
                       for column in columns if any(of == name and column in rows for (of, _), rows in fit.groups.items())}
                for name in robots}
    off = sorted(((offness(row), name, day, column, row) for (name, day), rows in fit.groups.items() for column, row in rows.items()
                  if offness(row) >= 1), key=lambda each: (-each[0], each[1:4]))
    causes = _causes(off)
    lead = (f"{len(robots)} robot{'s' if len(robots) != 1 else ''} over {_grouped(fit.rows)} rows: "
            + (f"{len(causes)} reading{'s are' if len(causes) != 1 else ' is'} off, for {len(off)} day{'s' if len(off) != 1 else ''} in all"
               if off else "no reading is off")
            + f". Chi-square is {_grouped(fit.chi_square)} where the stated noise makes {_grouped(fit.expected)} expected"
            + (f"; {_grouped(fit.failed)} rows have no answer" if fit.failed else "") + ".")
    body = (f"<p>Of <code>{escape(dataset)}</code>. An innovation is a reading less what all other sensors predict for it, in standard "
            "deviations of that difference: of mean 0 and rms 1 where the noise is what the sensor set says.</p>"
            "<h2>What is off, by cause, the worst first</h2>")
    if off:
        for why in dict.fromkeys(cause for cause, *_ in causes):
            same = [each for each in causes if each[0] == why]
            body += f"<h3>{escape(why).capitalize()}</h3>" + _table(
                [["robot", "reading", "days", "mean (σ)", "rms (σ)", "worst (σ)", "readings"]] +
                [[escape(name), escape(column), _days(days), _signed(row["mean"]), f"{row['rms']:.2f}", f"{row['worst']:.1f}",
                  _grouped(row["count"])] for _, name, column, days, row in same[:WORST]])
            body += f"<p>and {len(same) - WORST} more</p>" if len(same) > WORST else ""
    else:
        body += ("<p>Nothing: every reading's innovations have a mean within "
                 f"± {SHIFTED:g} and an rms of {QUIETER:.2f} to {NOISIER:g}.</p>")
    body += ("<h2>Rms of innovations, by robot</h2><div class='wide'><table><tr><th>reading</th>" +
             "".join(f"<th>{escape(name)}</th>" for name in robots) + "</tr>\n" +
             "".join(f"<tr><td>{escape(column)}</td>" + "".join(_cell(by_robot[name].get(column)) for name in robots) + "</tr>\n"
                     for column in columns) + "</table></div>\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(_page(f"{robot.name}: the fleet", lead, body))
