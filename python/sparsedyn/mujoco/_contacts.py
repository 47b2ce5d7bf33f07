"""Contacts of spheres, capsules' ends and boxes' corners with planes that stand still; which other geoms can touch.

A pair's parameters follow from its geoms' as MuJoCo takes them: friction and condim by the larger, solref and solimp mixed by
solmix, unless one has a higher priority; those of <pair> as they stand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._bodies import Bodies
from ._compiled import any_of, disabled, mujoco_module
from ._constraints import Constraints
from .._frames import Array, pose, times
from ._report import Report

_FRICTIONS = {1: 0, 3: 1, 4: 2, 6: 3}  # numbers by condim


class ContactSource(NamedTuple):
    """Where a constraint comes from."""

    name: str  #: the constraint's
    body: int
    ground: int  #: the plane's body
    centres: list[Any]  #: in the body's frame
    radius: float
    reach: float  #: from a centre to the farthest contact
    point: Array  #: of the plane, in the world
    normal: Array


class Contacts:
    """Adds contacts to the constraints."""

    def __init__(self, constraints: Constraints, report: Report) -> None:
        self.constraints, self.bodies, self.report = constraints, constraints.bodies, report
        self.model = self.bodies.model
        self.sources: list[ContactSource] = []
        self.untold: dict[int, int] = {}  # by geom: how many others it can touch that no contact here describes
        self.others: set[int] = set()  # bodies that can touch in such a way
        types = mujoco_module().mjtGeom
        self.plane, self.sphere, self.capsule, self.box = (int(getattr(types, f"mjGEOM_{x}")) for x in ("PLANE", "SPHERE", "CAPSULE", "BOX"))
        if disabled(self.model, "constraint") or disabled(self.model, "contact"):
            return
        self._pairs()
        self._geoms()
        for geom, count in self.untold.items():
            others = f"{count} other geoms" if count > 1 else "another geom"
            report.leaves_out(self.bodies.names.of("geom", geom), f"can touch {others} in a way that is no sphere, capsule or box on a still plane")

    def _pairs(self) -> None:
        model = self.model
        self.paired = set()
        for k in range(model.npair):
            geoms = (int(model.pair_geom1[k]), int(model.pair_geom2[k]))
            self.paired.add(frozenset(geoms))
            friction = [float(x) for x in model.pair_friction[k]]
            alike = friction[0] == friction[1] and friction[3] == friction[4]
            numbers = {
                "condim": int(model.pair_dim[k]), "friction": [friction[0], friction[2], friction[3]], "margin": float(model.pair_margin[k]),
                "gap": float(model.pair_gap[k]), "solref": model.pair_solref[k], "solimp": model.pair_solimp[k],
            }
            own = np.any(any_of(model, "pair_solreffriction")[k : k + 1])
            self._take(*geoms, numbers if alike and not own else None)

    def _geoms(self) -> None:
        model = self.model
        excluded = {int(x) for x in model.exclude_signature}
        touching = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
        for i, a in enumerate(touching):
            for b in touching[i + 1 :]:
                meets = (model.geom_contype[a] & model.geom_conaffinity[b]) or (model.geom_contype[b] & model.geom_conaffinity[a])
                if meets and frozenset((a, b)) not in self.paired and not self._kept_apart(a, b, excluded):
                    self._take(a, b, self._mixed(a, b))

    def _kept_apart(self, a: int, b: int, excluded: set[int]) -> bool:
        """Bodies that move as one or are parent and child do not touch, nor do planes each other."""
        model = self.model
        one, two = sorted((int(model.geom_bodyid[a]), int(model.geom_bodyid[b])))
        weld = [int(model.body_weldid[x]) for x in (one, two)]
        if weld[0] == weld[1] or (one << 16) + two in excluded:
            return True
        if disabled(model, "filterparent") or 0 in weld:
            return False
        above = [int(model.body_weldid[model.body_parentid[x]]) for x in weld]  # of the bodies that the welds hang on
        return above[0] == weld[1] or above[1] == weld[0]

    def _mixed(self, a: int, b: int) -> dict[str, Any] | None:
        model = self.model
        priority = int(model.geom_priority[a]) - int(model.geom_priority[b])
        margins = [float(model.geom_margin[g]) for g in (a, b)]
        if all(margins) and int(mujoco_module().__version__.split(".")[0]) < 4:
            return None  # the sum or the larger, by version
        made: dict[str, Any] = {"margin": sum(margins), "gap": sum(float(model.geom_gap[g]) for g in (a, b))}
        if priority:
            g = a if priority > 0 else b
            return {**made, "condim": int(model.geom_condim[g]), "friction": [float(x) for x in model.geom_friction[g]],
                    "solref": model.geom_solref[g], "solimp": model.geom_solimp[g]}
        mix = [float(model.geom_solmix[g]) for g in (a, b)]
        share = mix[0] / (mix[0] + mix[1]) if min(mix) >= 1e-15 else 0.5 if max(mix) < 1e-15 else float(mix[0] >= 1e-15)
        refs = np.array([model.geom_solref[a], model.geom_solref[b]])
        direct = refs[0, 0] <= 0 or refs[1, 0] <= 0
        return {
            **made,
            "condim": max(int(model.geom_condim[a]), int(model.geom_condim[b])),
            "friction": [float(x) for x in np.maximum(model.geom_friction[a], model.geom_friction[b])],
            "solref": np.minimum(*refs) if direct else share * refs[0] + (1 - share) * refs[1],
            "solimp": share * model.geom_solimp[a] + (1 - share) * model.geom_solimp[b],
        }

    def _take(self, a: int, b: int, numbers: dict[str, Any] | None) -> None:
        """One pair: a contact, or counted among those that no contact describes."""
        model = self.model
        types = [int(model.geom_type[g]) for g in (a, b)]
        if types[0] == types[1] == self.plane:
            return
        if self.plane in types and numbers is not None:
            plane, other = (a, b) if types[0] == self.plane else (b, a)
            if self._on_plane(plane, other, numbers):
                return
        self.others.update(int(model.geom_bodyid[g]) for g in (a, b))
        for g in (a, b):
            if self.bodies.moves(int(model.geom_bodyid[g])):
                self.untold[g] = self.untold.get(g, 0) + 1
                return

    def _on_plane(self, plane: int, geom: int, numbers: dict[str, Any]) -> bool:
        model, names = self.model, self.bodies.names
        ground, body = int(model.geom_bodyid[plane]), int(model.geom_bodyid[geom])
        points = self._points(geom)
        elliptic = self.constraints_elliptic or numbers["condim"] == 1
        if self.bodies.moves(ground) or points is None or numbers["gap"] or numbers["margin"] < 0 or (int(model.geom_type[geom]) == self.capsule and not elliptic):
            return False
        link, base = self.bodies.pose_on(body, np.zeros(3), [1, 0, 0, 0])
        R, origin = self._in_world(plane)
        entry: dict[str, Any] = {
            "type": "contact", "link": link, "points": [[float(x) for x in base[0] @ p + base[1]] for p in points[0]], "radius": points[1],
            "friction": [max(mu, 1e-5) for mu in numbers["friction"][: _FRICTIONS[numbers["condim"]]]] or 0,  # mjMINMU
            "plane": {"xyz": [float(x) for x in origin], "normal": [float(x) for x in R[:, 2]]},
        }
        entry["inverse_weight"] = self.constraints.weight((ground, body))
        if numbers["margin"]:
            entry["margin"] = numbers["margin"]
        label = names.raw("geom", geom) or f"geom{geom}"
        on = names.raw("geom", plane) or f"geom{plane}"
        if name := self.constraints.add(names.of("geom", geom), f"{label}.{on}", entry, numbers["solref"], numbers["solimp"]):
            self.sources.append(ContactSource(name, body, ground, *points, points[1] + 0.5 * numbers["margin"], origin, R[:, 2]))
        else:
            self.others.add(body)
        return True

    @property
    def constraints_elliptic(self) -> bool:
        """A capsule's tangents lie along its axis: all the same to a round cone."""
        return int(self.model.opt.cone) == int(mujoco_module().mjtCone.mjCONE_ELLIPTIC)

    def _points(self, geom: int) -> tuple[list[Any], float] | None:
        """Centres in the body's frame, and their radius."""
        model = self.model
        R, centre = pose(model.geom_pos[geom], model.geom_quat[geom])
        size, kind = np.array(model.geom_size[geom]), int(model.geom_type[geom])
        if kind == self.sphere:
            return [centre], float(size[0])
        if kind == self.capsule:
            return [centre + sign * size[1] * R[:, 2] for sign in (1, -1)], float(size[0])
        if kind == self.box:
            corners = [np.array([x, y, z]) * size for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
            return [R @ corner + centre for corner in corners], 0.0
        return None

    def _in_world(self, geom: int) -> Any:
        """Of a geom on a body that stands still."""
        model, body = self.model, int(self.model.geom_bodyid[geom])
        at = pose(model.geom_pos[geom], model.geom_quat[geom])
        while body != 0:
            at = times(pose(model.body_pos[body], model.body_quat[body]), at)
            body = int(model.body_parentid[body])
        return at
