"""Links that move as one, of which MuJoCo would refuse one alone: their masses on another of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._frames import Array, Pose, inertial, inverse, pose_of, times

_LEAST = 1e-15  # mjMINVAL


def lumped(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The links of a robot file. Second moments move as Σ' = R Σ Rᵀ + R h dᵀ + d (R h)ᵀ + m d dᵀ."""
    leads: dict[str, str] = {}
    for link in links:
        stays = link["joint"]["kind"] == "fixed" and "parent" in link
        leads[link["name"]] = leads[link["parent"]] if stays else link["name"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for link in links:
        groups.setdefault(leads[link["name"]], []).append(link)
    changed: dict[str, dict[str, Any]] = {}
    for group in groups.values():
        given, taker = _exchange(group)
        changed |= {link["name"]: _of_none(link) for link in given}
        if given:
            changed[taker["name"]] = _of_all(taker, [taker, *(link for link in given if link is not taker)])
    return [changed.get(link["name"], link) for link in links]


def _exchange(group: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Whose masses go to which: those of links with mass that are no rigid body alone to the first that is one. Where the leader itself
    moves and is none, or is on a free joint and has no mass, all go there.
    """
    leader, heavy = group[0], [link for link in group if link.get("mass", 0) != 0 or np.any(link.get("second_moments", 0))]
    moves, floats = leader["joint"]["kind"] != "fixed", leader["joint"]["kind"] == "floating"
    sound = [link for link in heavy if _is_body(link, moves and link is leader)]
    if not heavy or (len(sound) == len(heavy) and not (floats and heavy[0] is not leader)):
        return [], leader
    if not sound or (moves and leader not in sound and (floats or leader in heavy)):
        return [link for link in heavy if link is not leader] if moves else [], leader
    return [link for link in heavy if link not in sound], sound[0]


def _is_body(link: dict[str, Any], moves: bool) -> bool:
    mass, _, inertia = inertial(link)
    small, middle, large = np.linalg.eigvalsh(inertia)
    least = _LEAST if moves else 0.0
    return bool(mass > least and small > least and small + middle >= large)


def _of_all(taker: dict[str, Any], group: list[dict[str, Any]]) -> dict[str, Any]:
    """The taker, with the masses of all."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    frame = inverse(pose_of(taker.get("pose")))
    for link in group:
        m, h, s = _moments(link, times(frame, pose_of(link.get("pose"))))
        mass, first, second = mass + m, first + h, second + s
    upper = [float(second[i, k]) for i in range(3) for k in range(i, 3)]
    return {**taker, "mass": mass, "first_moments": [float(x) for x in first], "second_moments": upper}


def _moments(link: dict[str, Any], at: Pose) -> tuple[float, Array, Array]:
    R, d = at
    m, h = float(link.get("mass", 0.0)), R @ np.array(link.get("first_moments", np.zeros(3)), dtype=np.float64)
    xx, xy, xz, yy, yz, zz = link.get("second_moments", [0.0] * 6)
    s = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=np.float64) @ R.T
    return m, h + m * d, s + np.outer(h, d) + np.outer(d, h) + m * np.outer(d, d)


def _of_none(link: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in link.items() if key not in ("mass", "first_moments", "second_moments")}
