"""Every attribute of every kind of element, changed: where MuJoCo takes it, the robot agrees with MuJoCo, or an element is named.

SPARSEDYN_FIELDS=all python -m pytest -s python/tests/test_mujoco_fields.py   # all entries, several values, more elements of a kind
"""

import copy
import os

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import OWN, constrained_disagreement, disagreement, forces_disagreement  # noqa: E402
from sparsedyn.mujoco import Refused  # noqa: E402
from test_mujoco_fuzz import readings_differ, regular  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")
ALL = os.environ.get("SPARSEDYN_FIELDS") == "all"
KINDS = ("bodies", "joints", "geoms", "sites", "equalities", "actuators", "sensors", "tendons", "keys", "pairs", "excludes", "option", "compiler")
# No numbers, or those of another element; a name that becomes a number.
PASSED_OVER = {"alt", "ialt", "bodies", "cameras", "childclass", "classname", "compiler", "frame", "frames", "geoms", "group", "hfieldname", "id", "info",
               "joints", "lights", "material", "meshname", "name", "parent", "plugin", "rgba", "signature", "sites", "userdata"}  # fmt: skip
# What MuJoCo does not check.
ALLOWED = {"cone": range(2), "integrator": range(4), "jacobian": range(3), "solver": range(3), "disableflags": [1 << k for k in range(20)],
           "enableflags": [1 << k for k in range(8)], "disableactuator": [1, 2]}  # fmt: skip
EXTRA = """<contact><pair geom1="floor" geom2="tip" condim="3" margin="0.001"/></contact>
<tendon><fixed name="mean"><joint joint="yaw" coef="0.5"/><joint joint="pitch" coef="0.5"/></fixed></tendon>"""


def specifications():
    """The tests' models; the arm with a pair and a tendon more."""
    found = {path.stem: path.read_text() for path in OWN}
    found["arm"] = found["arm"].replace("</mujoco>", EXTRA + "</mujoco>")
    return found if ALL else {name: found[name] for name in ("arm", "two_trees")}


SPECIFICATIONS = specifications()


def others(name, value):
    """What an attribute may become: numbers of another size and sign, entries of a list alone, members of an enumeration."""
    if name in ALLOWED:
        return [x for x in ALLOWED[name] if x != int(value)]
    if isinstance(value, (bool, np.bool_)):
        return [not value]
    if isinstance(value, (int, np.integer)):
        return [x for x in range(7 if ALL else 3) if x != int(value)]
    if isinstance(value, float):
        known = 0.0 if np.isnan(value) else value
        return [1.7 * known + 0.13, -0.5 * known - 0.21] if ALL else [1.7 * known + 0.13]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fi" and value.size:
        known = np.nan_to_num(value)
        changed = []
        for k in range(min(value.size, 6) if ALL else 0):
            changed.append(known.copy())
            changed[-1].flat[k] = (1.7 * changed[-1].flat[k] + (0.13 if value.dtype.kind == "f" else 1)).astype(value.dtype)
        return [*changed, (0.6 * known + 0.21).astype(value.dtype)]
    return []


def elements(spec, kind):
    """Of a list: the first of each type, or the first three."""
    if kind in ("option", "compiler"):
        return [None]
    chosen, counts = [], {}
    for k, element in enumerate(getattr(spec, kind)):
        of_type = str(getattr(element, "type", ""))
        counts[of_type] = counts.get(of_type, 0) + 1
        if counts[of_type] <= (3 if ALL else 1):
            chosen.append(k)
    return chosen


def changed_models(text, kind):
    """(what was changed, the model) for each change that MuJoCo takes and that changes its model."""
    base = mujoco.MjSpec.from_string(text)
    known = bits(base.compile())
    for index in elements(base, kind):
        own = getattr(base, kind) if index is None else list(getattr(base, kind))[index]
        for name in dir(own):
            if name.startswith("_") or name in PASSED_OVER or callable(getattr(own, name, None)):
                continue
            for value in others(name, getattr(own, name)):
                spec = base.copy()
                of = getattr(spec, kind) if index is None else list(getattr(spec, kind))[index]
                try:
                    if isinstance(value, np.ndarray):
                        getattr(of, name)[:] = value
                    else:
                        setattr(of, name, value)
                    model = spec.compile()
                except (ValueError, TypeError, OverflowError, mujoco.FatalError):
                    continue  # MuJoCo refuses it
                if model.nv and bits(model) != known:
                    yield f"{kind} {index} {name} = {value}", model


def bits(model):
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def difference(model, robot):
    relieved = not np.array_equal(robot.robot.gravity, model.opt.gravity)
    free = disagreement(copy.copy(model), robot, 2, potential_too=not relieved)
    driven = forces_disagreement(copy.copy(model), robot, 2)
    unbound = copy.copy(model)
    unbound.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    read = readings_differ(unbound, sd.load_mujoco(unbound))
    bound = constrained_disagreement(copy.copy(model), 6 if ALL else 3, spreads=(0.1, 0.2))[0] if not corrected(robot) else 0.0
    return {"free": free, "driven": driven, "read": read, "bound": bound}


def corrected(robot):
    """Whether MuJoCo's forces are corrected after its solver."""
    return any(entry.element == "option noslip_iterations" for entry in robot.report.left_out)


CASES = [(name, kind) for name in SPECIFICATIONS for kind in KINDS
         if ALL or name == "arm" or kind in ("bodies", "joints", "equalities")]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_what_is_changed_agrees_or_is_refused_by_name(name, kind):
    tally = {"refused": 0, "compared": 0, "without digits": 0}
    for what, model in changed_models(SPECIFICATIONS[name], kind):
        try:
            robot = sd.load_mujoco(model)
        except Refused as error:
            assert error.element, what
            tally["refused"] += 1
            continue
        if not regular(copy.copy(model)):
            tally["without digits"] += 1
            continue
        worst = difference(model, robot)
        assert max(worst.values()) < 1e-8, (what, worst)
        tally["compared"] += 1
    print(name, kind, tally)
    assert tally["compared"] > 0 or not elements(mujoco.MjSpec.from_string(SPECIFICATIONS[name]), kind) or kind in ("excludes", "keys", "compiler")
