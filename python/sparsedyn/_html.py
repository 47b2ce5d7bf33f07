"""What notebooks show."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Model


def model(robot: Model) -> str:
    """The tree of links as nested lists; joints that move in bold."""
    links = robot._tree()
    children: dict[int, list[int]] = {}
    for index, (_, parent, _, _, _) in enumerate(links):
        children.setdefault(parent, []).append(index)
    parts: list[str] = []
    todo: list[int | str] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        name, _, joint, kind, mass = links[item]
        shown = escape(joint) if kind == "fixed" else f"<b>{escape(joint)}</b>"
        parts.append(f"<li>{shown} <small>{kind}</small> → {escape(name)} <small>{mass:.4g} kg</small>")
        below = children.get(item, [])
        todo.append("</ul></li>" if below else "</li>")
        todo.extend(reversed(below))
        if below:
            parts.append("<ul>")
    head = f"<b>{escape(robot.name)}</b>: nq {robot.nq}, nv {robot.nv}, {robot.mass:.4g} kg"
    return f"<details open><summary>{head}</summary><ul>{''.join(parts)}</ul></details>"
