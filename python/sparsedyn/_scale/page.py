"""A page about a fleet: which robot's which sensor is off, and when."""

from __future__ import annotations

import math
import os
from html import escape
from typing import TYPE_CHECKING

from .._core import Model

if TYPE_CHECKING:
    from .dataset import Fit

WORST = 40
NOISIER, QUIETER, SHIFTED = 1.5, 1 / 1.5, 0.5  #: rms and mean of innovations beyond which a reading is called off
FEW = 100  #: readings, from which nothing is concluded

STYLE = """body{font:15px system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}.map{overflow-x:auto}.map td{min-width:2.4rem;text-align:center}
.off{font-weight:600}"""


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


def _colour(row: dict[str, float]) -> str:
    share = min(1.0, offness(row) / 3)
    return f"rgb(255,{round(255 - 150 * share)},{round(255 - 190 * share)})"


def _cell(row: dict[str, float] | None) -> str:
    if row is None or row["count"] == 0:
        return "<td>·</td>"
    title = f"mean {row['mean']:.2f}, rms {row['rms']:.2f}, worst {row['worst']:.1f}, {row['count']:.0f} readings"
    return f"<td style='background:{_colour(row)}' title='{title}'>{row['rms']:.2f}</td>"


def _together(rows: list[dict[str, float]]) -> dict[str, float]:
    count = sum(row["count"] for row in rows)
    n = max(count, 1.0)
    mean = sum(row["mean"] * row["count"] for row in rows) / n
    squares = sum(row["rms"] ** 2 * row["count"] for row in rows) / n
    return {"count": count, "mean": mean, "rms": math.sqrt(squares), "worst": max(row["worst"] for row in rows)}


def write_page(path: str | os.PathLike[str], fit: Fit, robot: Model, dataset: str) -> None:
    """One HTML file, without anything from elsewhere."""
    robots = sorted({name for name, _ in fit.groups})
    columns = sorted(fit.columns)
    by_robot = {name: {column: _together([rows[column] for (of, _), rows in fit.groups.items() if of == name and column in rows])
                       for column in columns if any(of == name and column in rows for (of, _), rows in fit.groups.items())}
                for name in robots}
    off = sorted(((offness(row), name, day, column, row) for (name, day), rows in fit.groups.items() for column, row in rows.items()
                  if offness(row) >= 1), key=lambda each: (-each[0], each[1:4]))
    lines = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>", f"<title>{escape(robot.name)}: fleet</title>",
        f"<style>{STYLE}</style><h1>{escape(robot.name)}: {len(robots)} robot{'s' if len(robots) != 1 else ''}</h1>",
        f"<p>{escape(dataset)}: {fit.rows:,} rows" + (f", {fit.failed:,} of them without an answer" if fit.failed else "") + ".",
        f"Chi-square {fit.chi_square:.6g} where the stated noise makes {fit.expected:,} expected.</p>",
        "<p>An innovation is a reading less what all other sensors predict for it, in standard deviations of that difference: of "
        "mean 0 and rms 1 where the noise is what the sensor set says.</p>", "<h2>What is off, the worst first</h2>",
    ]
    if off:
        lines.append("<table><tr><th>robot</th><th>when</th><th>reading</th><th>mean</th><th>rms</th><th>worst</th><th>readings</th>"
                     "<th></th></tr>")
        lines += [f"<tr><td>{escape(name)}</td><td>{escape(day) or '·'}</td><td>{escape(column)}</td><td>{row['mean']:.2f}</td>"
                  f"<td>{row['rms']:.2f}</td><td>{row['worst']:.1f}</td><td>{row['count']:,.0f}</td><td class='off'>{_why(row)}</td>"
                  "</tr>" for _, name, day, column, row in off[:WORST]]
        lines.append("</table>" + (f"<p>and {len(off) - WORST} more</p>" if len(off) > WORST else ""))
    else:
        lines.append("<p>Nothing: every reading's innovations have a mean within "
                     f"± {SHIFTED:g} and an rms of {QUIETER:.2f} to {NOISIER:g}.</p>")
    lines.append("<h2>Rms of innovations</h2><div class='map'><table><tr><th>reading</th>" +
                 "".join(f"<th>{escape(name)}</th>" for name in robots) + "</tr>")
    lines += [f"<tr><td>{escape(column)}</td>" + "".join(_cell(by_robot[name].get(column)) for name in robots) + "</tr>"
              for column in columns]
    lines.append("</table></div></html>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
