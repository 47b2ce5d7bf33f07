"""Columns of samples as what messages hold: the base, joints, wrenches by link, each with its deviations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ._loop import Finding

Array = NDArray[np.float64]
POSE = tuple(f"q.base.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw"))
POSE_ERRORS = tuple(f"q.base.{part}" for part in ("x", "y", "z", "rx", "ry", "rz"))  #: about the world's axes
TWIST = tuple(f"dq.base.{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz"))  #: linear first, as messages have it
WRENCH = ("fx", "fy", "fz", "nx", "ny", "nz")  #: likewise
KINDS = ("q", "dq", "ddq", "tau")


def _places(columns: Sequence[str], names: Sequence[str]) -> list[int] | None:
    """None where one of them is not there."""
    at = {name: k for k, name in enumerate(columns)}
    return [at[name] for name in names] if all(name in at for name in names) else None


@dataclass(frozen=True)
class Deviations:
    """Where the deviations of six errors are, and their covariances: 6 x 6, -1 on the diagonal and where there is none."""

    places: list[int]
    pairs: NDArray[np.intp]

    @staticmethod
    def of(columns: Sequence[str], errors: Sequence[str]) -> Deviations | None:
        """None where a deviation is not there."""
        places = _places(columns, ["sd." + name for name in errors])
        if places is None:
            return None
        at = {name: k for k, name in enumerate(columns)}
        pairs = np.full((6, 6), -1, dtype=np.intp)
        for i, one in enumerate(errors):
            for k, other in enumerate(errors):
                pairs[i, k] = at.get(f"cov.{one}|{other}", at.get(f"cov.{other}|{one}", -1))
        return Deviations(places, pairs)


@dataclass(frozen=True)
class Wrench:
    """On a link, in the link's frame, force first."""

    link: str
    values: list[int]
    deviations: list[int] | None


class Outputs:
    """Where among the columns what is."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)
        self.pose, self.twist = _places(columns, POSE), _places(columns, TWIST)
        self.pose_deviations, self.twist_deviations = Deviations.of(columns, POSE_ERRORS), Deviations.of(columns, TWIST)
        links = dict.fromkeys(c[3:-3] for c in columns if c.startswith("fx.") and c.endswith(".fx"))
        self.wrenches = []
        for link in links:
            names = [f"fx.{link}.{part}" for part in WRENCH]
            if (values := _places(columns, names)) is not None:
                self.wrenches.append(Wrench(link, values, _places(columns, ["sd." + name for name in names])))
        joints: dict[str, dict[str, int]] = {}
        for k, column in enumerate(columns):
            kind, _, joint = column.partition(".")
            if kind in KINDS and joint and not joint.startswith("base."):
                joints.setdefault(joint, {})[kind] = k
        self.joints = joints

    def of_joints(self, kinds: Sequence[str], x: Array) -> list[tuple[tuple[str, ...], list[str], list[list[float]]]]:
        """What is known of joints: of each group of joints of which the same kinds are known, these kinds, the joints' names, and the
        numbers of each kind."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for joint, places in self.joints.items():
            if known := tuple(kind for kind in kinds if kind in places and np.isfinite(x[places[kind]])):
                groups.setdefault(known, []).append(joint)
        return [(known, names, [[float(x[self.joints[name][kind]]) for name in names] for kind in known])
                for known, names in groups.items()]


def topic_names(links: Sequence[str]) -> dict[str, str]:
    """Of each link its name as a part of a topic's, which takes letters, digits and underscores; each another one."""
    names: dict[str, str] = {}
    for link in links:
        name = re.sub(r"\W", "_", link, flags=re.ASCII)
        name = name if name[:1].isalpha() or name[:1] == "_" else "_" + name
        unique, count = name, 1
        while unique in names.values():
            count += 1
            unique = f"{name}_{count}"
        names[link] = unique
    return names


UNKNOWN = 1e9  #: a variance that says so


def covariance(x: Array, of: Deviations | None) -> list[float]:
    """6 x 6, row by row, of what is known of it: 1e9 for a variance that is not, 0 for correlations that are not."""
    matrix = np.zeros((6, 6))
    if of is None:
        np.fill_diagonal(matrix, UNKNOWN)
    else:
        deviations = x[of.places]
        known = np.isfinite(deviations)
        matrix[:] = np.where((of.pairs >= 0) & np.isfinite(x[of.pairs]) & np.outer(known, known), x[of.pairs], 0)
        np.fill_diagonal(matrix, np.where(known, deviations ** 2, UNKNOWN))
    return [float(each) for each in matrix.ravel()]


@dataclass
class Health:
    """What is wrong now, by findings that began and are not over."""

    faults: dict[tuple[str, str], Finding] = field(default_factory=dict)  #: by name and kind
    counts: dict[str, int] = field(default_factory=dict)  #: of each kind, those that began

    LASTING = ("missing", "stuck", "drift", "silent", "clock")

    def add(self, found: Finding) -> None:
        if not found.over or found.kind not in self.LASTING:
            self.counts[found.kind] = self.counts.get(found.kind, 0) + 1
        if found.kind in self.LASTING:
            if found.over:
                self.faults.pop((found.name, found.kind), None)
            else:
                self.faults[(found.name, found.kind)] = found


def in_words(found: Finding) -> str:
    """One line."""
    lasts = found.kind in Health.LASTING
    words = f"{found.name} {'is no longer ' if lasts and found.over else ''}{found.kind} at {found.at:g} s"
    if lasts and not found.over:
        words += f", since {found.since:g} s"
    return words + (f" ({found.amount:g})" if found.amount and np.isfinite(found.amount) else "")
