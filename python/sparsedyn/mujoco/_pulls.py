"""What pulls on a robot in MuJoCo and that neither a robot here nor its constraints can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compiled import Names, any_of, disabled, mujoco_module, without_passive_forces
from ._report import Report


def refuse_what_pulls(model: Any, names: Names, report: Report) -> None:
    """Raises Refused, or lists it."""
    _fluid(model, report)
    _tendons(model, names, report)
    _flexes(model, names, report)
    _plugins(model, names, report)
    _distance_fields(model, names, report)
    for kind in ("geom", "pair"):
        for index in np.flatnonzero(any_of(model, f"{kind}_adhesion")):
            report.refuses(names.of(kind, int(index)), "adhesion")
    if np.any(any_of(model, "flg_surfacevel")):
        for geom in np.flatnonzero(np.any(np.atleast_2d(any_of(model, "geom_surfacevel")), axis=-1)):
            report.refuses(names.of("geom", int(geom)), "a surface that moves")


def _fluid(model: Any, report: Report) -> None:
    if without_passive_forces(model):
        return
    for name in ("density", "viscosity"):
        value = float(getattr(model.opt, name))
        if value > 0:
            report.refuses(f"option {name}", f"a fluid of {name} {value:g}, whose drag depends on the shapes")


def _tendons(model: Any, names: Names, report: Report) -> None:
    passive = not without_passive_forces(model)
    facts = [
        ("tendon_stiffness", "a spring along a tendon", passive and not disabled(model, "spring")),
        ("tendon_stiffnesspoly", "a spring along a tendon", passive and not disabled(model, "spring")),
        ("tendon_damping", "damping along a tendon", passive and not disabled(model, "damper")),
        ("tendon_dampingpoly", "damping along a tendon", passive and not disabled(model, "damper")),
        ("tendon_armature", "armature of a tendon", True),
        ("tendon_frictionloss", "dry friction along a tendon", not disabled(model, "frictionloss")),
        ("tendon_limited", "limits of a tendon", not disabled(model, "limit") and not disabled(model, "constraint")),
    ]
    for tendon in range(model.ntendon):
        why = []
        for field, text, counts in facts:
            value = any_of(model, field)
            if counts and value.size and np.any(value[tendon]) and text not in why:
                why.append(text)
        if why:
            report.refuses(names.of("tendon", tendon), " and ".join(why))
        else:
            report.has_no_meaning(names.of("tendon", tendon), "it pulls on nothing by itself")


def _flexes(model: Any, names: Names, report: Report) -> None:
    for flex in range(getattr(model, "nflex", 0)):
        report.refuses(names.of("flex", flex), "a deformable body")


def _distance_fields(model: Any, names: Names, report: Report) -> None:
    """Shapes given by signed distances, where they can touch."""
    if disabled(model, "contact") or disabled(model, "constraint"):
        return
    kind = getattr(mujoco_module().mjtGeom, "mjGEOM_SDF", None)
    if kind is None:
        return
    for geom in range(model.ngeom):
        if model.geom_type[geom] == int(kind) and (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            report.refuses(names.of("geom", geom), "contacts of a signed distance field")


def _plugins(model: Any, names: Names, report: Report) -> None:
    for kind in ("body", "geom"):
        plugins = any_of(model, f"{kind}_plugin")
        for index in np.flatnonzero(plugins >= 0) if plugins.size else []:
            report.refuses(names.of(kind, int(index)), "a plugin")


def note_flags(model: Any, report: Report) -> None:
    """What the option's flags switch off enters as nothing; what they change is refused."""
    mujoco = mujoco_module()
    for name, member in mujoco.mjtDisableBit.__members__.items():
        if name.startswith("mjDSBL_") and model.opt.disableflags & int(member):
            report.enters(f"flag {name[7:].lower()}", "switched off")
    harmless = ("ENERGY", "FWDINV", "MULTICCD", "ISLAND")
    for name, member in mujoco.mjtEnableBit.__members__.items():
        if not name.startswith("mjENBL_") or name[7:] in harmless or not model.opt.enableflags & int(member):
            continue
        if name == "mjENBL_INVDISCRETE":
            report.has_no_meaning("flag invdiscrete", "accelerations here are derivatives, not differences over a step")
        elif name == "mjENBL_SLEEP":
            report.leaves_out("flag sleep", "trees that sleep stand still there")
        else:
            report.refuses(f"flag {name[7:].lower()}", "constraints that MuJoCo makes in another way")


def note_corrections(model: Any, constraints: list[dict[str, Any]], report: Report) -> None:
    """What MuJoCo does with the forces of friction after its solver."""
    rubs = any(item["type"] == "dry_friction" or np.any(item.get("friction", 0)) for item in constraints)
    if rubs and int(model.opt.noslip_iterations) > 0:
        report.leaves_out("option noslip_iterations", "a correction of friction's forces after MuJoCo's solver; here they are the solver's")
