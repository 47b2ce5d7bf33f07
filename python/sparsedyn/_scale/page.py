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


def write_page(path: str | os.PathLike[str], fit: Fit, robot: Model, dataset: str) -> None:
    """One HTML file, in the style of all pages, without anything from elsewhere."""
    robots = sorted({name for name, _ in fit.groups})
    columns = sorted(fit.columns)
    by_robot = {name: {column: _together([rows[column] for (of, _), rows in fit.groups.items() if of == name and column in rows])
                       for column in columns if any(of == name and column in rows for (of, _), rows in fit.groups.items())}
                for name in robots}
    off = sorted(((offness(row), name, day, column, row) for (name, day), rows in fit.groups.items() for column, row in rows.items()
                  if offness(row) >= 1), key=lambda each: (-each[0], each[1:4]))
    lead = (f"{len(robots)} robot{'s' if len(robots) != 1 else ''} over {fit.rows:,} rows: "
            + (f"{len(off)} time{'s' if len(off) != 1 else ''} a reading is off for a day" if off else "no reading is off")
            + f". Chi-square is {fit.chi_square:,.0f} where the stated noise makes {fit.expected:,} expected"
            + (f"; {fit.failed:,} rows have no answer" if fit.failed else "") + ".")
    body = (f"<p>Of <code>{escape(dataset)}</code>. An innovation is a reading less what all other sensors predict for it, in standard "
            "deviations of that difference: of mean 0 and rms 1 where the noise is what the sensor set says.</p>"
            "<h2>What is off, the worst first</h2>")
    if off:
        body += _table([["robot", "when", "reading", "mean (σ)", "rms (σ)", "worst (σ)", "readings", "is"]] +
                       [[escape(name), f"<span style='white-space:nowrap'>{escape(day)}</span>", escape(column), _signed(row["mean"]), f"{row['rms']:.2f}",
                         f"{row['worst']:.1f}", f"{row['count']:,.0f}", "<b>" + _why(row).replace(" ", "\u00a0") + "</b>"] for _, name, day, column, row in off[:WORST]])
        body += f"<p>and {len(off) - WORST} more</p>" if len(off) > WORST else ""
    else:
        body += ("<p>Nothing: every reading's innovations have a mean within "
                 f"± {SHIFTED:g} and an rms of {QUIETER:.2f} to {NOISIER:g}.</p>")
    body += ("<h2>Rms of innovations, by robot</h2><div class='wide'><table><tr><th>reading</th>" +
             "".join(f"<th>{escape(name)}</th>" for name in robots) + "</tr>\n" +
             "".join(f"<tr><td>{escape(column)}</td>" + "".join(_cell(by_robot[name].get(column)) for name in robots) + "</tr>\n"
                     for column in columns) + "</table></div>\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(_page(f"{robot.name}: the fleet", lead, body))
