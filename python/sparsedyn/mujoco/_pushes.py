"""Forces of contacts as contact_dynamics gives them: on which body, where, in the world's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._frames import IDENTITY, Array, turned
from ._contacts import ContactSource
from ._frames_in_motion import Motion


class Push(NamedTuple):
    """On `body` at `point`; what it does to `ground` is the opposite."""

    body: int
    ground: int
    point: Array  #: (..., 3)
    force: Array  #: (..., 3)
    moment: Array  #: (..., 3)
    normal: Array  #: (3,), of the plane


def pushes_of(sources: list[ContactSource], names: Sequence[str], motion: Motion, force: Array) -> list[Push]:
    """force (..., forces), with `names`. A contact's point lies half-way between the surfaces, as MuJoCo's does."""
    column = {name: k for k, name in enumerate(names)}
    none = np.zeros((*motion.shape, 3))

    def three(name: str, letters: tuple[str, str, str]) -> Array:
        found = [column.get(f"{name}.{letter}") for letter in letters]
        return none if found[0] is None else np.stack([force[..., k] for k in found], axis=-1)

    found = []
    for source in sources:
        for i, centre in enumerate(source.centres):
            name = f"{source.name}.{i}"
            frame = motion.on_body(source.body, IDENTITY)
            at = frame.p + turned(frame.R, np.broadcast_to(centre, frame.p.shape))
            gap = (at - source.point) @ source.normal - source.radius
            point = at - (source.radius + 0.5 * gap)[..., None] * source.normal
            found.append(Push(source.body, source.ground, point, three(name, ("x", "y", "z")), three(name, ("nx", "ny", "nz")), source.normal))
    return found
