"""MJCF with changes that MuJoCo lets through: load_mujoco refuses it naming an element, or agrees with MuJoCo.

SPARSEDYN_FUZZ_RUNS=20000 SPARSEDYN_FUZZ_SEED=7 python -m pytest -s python/tests/test_mujoco_fuzz.py   # so many, from that seed on
"""

import os
import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from sparsedyn.mujoco import Refused  # noqa: E402
from mujoco_support import OWN, constrained_disagreement, disagreement, errors, forces_disagreement, full_inertia  # noqa: E402
from mujoco_support import random_state, scaled_condition  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")

# What attributes may become, beside numbers of another size: by element.
ATTRIBUTES = {
    "joint": {"type": ["hinge", "slide", "ball"], "damping": ["0", "0.7"], "armature": ["0", "0.3"], "stiffness": ["0", "4"],
              "frictionloss": ["0", "0.2"], "ref": ["0.3"], "springref": ["-0.2"], "limited": ["true", "false"], "axis": ["0 0 -1", "1 2 3"],
              "pos": ["0 0 0", "0.1 -0.2 0.3"], "solimplimit": ["0.9 0.95 0", "0.5 0.5 0.1"], "actuatorfrcrange": ["-2 3", "-2 2"]},
    "geom": {"type": ["sphere", "capsule", "box", "ellipsoid", "cylinder"], "condim": ["1", "3", "4", "6"], "mass": ["0.5", "3"],
             "friction": ["0.5", "1 0.1 0.01"], "margin": ["0.01"], "gap": ["0.005"], "solmix": ["0.3"], "priority": ["1"],
             "contype": ["0", "1", "2"], "conaffinity": ["0", "1", "2"]},
    "body": {"gravcomp": ["0", "1", "0.5"], "mocap": ["true"], "pos": ["0 0 0", "0.3 0.2 0.1"], "quat": ["1 0 0 0", "0.1 0.9 0.2 -0.3"],
             "euler": ["1 2 3"], "childclass": ["main"]},
    "option": {"gravity": ["0 0 0", "1 2 -3"], "density": ["0", "1.2"], "viscosity": ["0.1"], "cone": ["pyramidal", "elliptic"],
               "impratio": ["1", "10"], "timestep": ["0.01"], "integrator": ["RK4", "implicit"]},
    "compiler": {"balanceinertia": ["true"], "boundmass": ["0.1"], "settotalmass": ["5"], "inertiafromgeom": ["true"], "autolimits": ["false"]},
    "connect": {"active": ["false"], "solref": ["0.1 0.5", "-100 -5"], "anchor": ["0.1 0 0"]},
    "weld": {"active": ["false"], "torquescale": ["1", "2"], "solimp": ["0.5 0.9 0.01 0.3 3"]},
    "motor": {"gear": ["3", "-2"], "armature": ["0.1"], "damping": ["0.2"], "dyntype": ["filter", "integrator"]},
    "position": {"kp": ["3"], "timeconst": ["0.1"], "dampratio": ["1"]},
}
INSERTED = ['<joint type="hinge" axis="0 1 1" pos="0.1 0 0"/>', '<joint type="slide" axis="1 0 0"/>', '<geom size="0.05" pos="0.1 0.1 0.1"/>',
            '<site name="inserted" pos="0.1 0 0"/>', '<body pos="0.1 0.2 0"><joint type="ball"/><geom size="0.04"/></body>',
            '<inertial pos="0.1 0 0" mass="2" fullinertia="0.2 0.3 0.25 0.01 0.02 0.03"/>',
            '<body pos="0.1 0.2 0"><freejoint/><geom size="0.04"/></body>']  # fmt: skip


class Changes:
    """One to three changes of a text of MJCF."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def of(self, text):
        root = ET.fromstring(text)
        for _ in range(self.random.randint(1, 3)):
            self.change(root)
        return ET.tostring(root, encoding="unicode")

    def change(self, root):
        parents = [(parent, child) for parent in root.iter() for child in parent]
        if not parents:
            return
        parent, node = self.random.choice(parents)
        kind = self.random.randrange(8)
        if kind == 0:
            parent.remove(node)
        elif kind == 1 and node.tag in ("body", "geom", "joint", "site"):
            self.random.choice([n for n in root.iter() if n.tag in ("body", "worldbody")]).append(ET.fromstring(self.random.choice(INSERTED)))
        elif kind <= 4 and node.tag in ATTRIBUTES:
            key = self.random.choice(list(ATTRIBUTES[node.tag]))
            node.set(key, self.random.choice(ATTRIBUTES[node.tag][key]))
        elif node.attrib:
            key = self.random.choice(list(node.attrib))
            node.set(key, self.changed(node.attrib[key]))

    def changed(self, value):
        """A number of it, of another size or sign."""
        words = value.split()
        try:
            k = self.random.randrange(len(words))
            x = float(words[k])
        except ValueError:
            return value
        words[k] = repr(self.random.choice([-x, 0.0, x * 10 ** self.random.uniform(-1, 1)]))
        return " ".join(words)


def regular(model):
    """Whether M keeps its digits: else rounding differs."""
    data, rng = mujoco.MjData(model), np.random.default_rng(9)
    for _ in range(3):
        data.qpos[:], _, _ = random_state(model, rng)
        mujoco.mj_forward(model, data)
        M = full_inertia(model, data)
        if not scaled_condition(M) < 1e5 or not 1e-6 < np.diag(M).min() <= np.diag(M).max() < 1e6:
            return False
    return True


def readings_differ(model, robot):
    data, rng = mujoco.MjData(model), np.random.default_rng(2)
    data.qpos[:], data.qvel[:], _ = random_state(model, rng)
    mujoco.mj_forward(model, data)
    found = errors(model, data, robot.sensordata(*robot.state(data.qpos, data.qvel, data.qacc)))
    return max(found.values(), default=0.0)


def test_changed_models_agree_or_are_refused_by_name():
    texts = [path.read_text() for path in OWN]
    runs, first = int(os.environ.get("SPARSEDYN_FUZZ_RUNS", 150)), int(os.environ.get("SPARSEDYN_FUZZ_SEED", 1))
    tally = dict.fromkeys(("not MuJoCo's", "refused", "compared", "without digits", "rows of constraints"), 0)
    reasons = {}
    for seed in range(first, first + runs):
        text = Changes(seed).of(texts[seed % len(texts)])
        try:
            model = mujoco.MjModel.from_xml_string(text)
        except (ValueError, mujoco.FatalError):
            tally["not MuJoCo's"] += 1
            continue
        try:
            robot = sd.load_mujoco(model)
        except Refused as error:
            assert error.element and error.element in str(error), (seed, text)
            tally["refused"] += 1
            reasons[error.element] = reasons.get(error.element, 0) + 1
            partial = sd.load_mujoco(model, partial=True)
            assert error.element in {entry.element for entry in partial.report.left_out}, (seed, text)
            continue
        assert robot.robot.nv == model.nv
        if model.nv == 0 or not regular(model):
            tally["without digits"] += 1
            continue
        relieved = not np.array_equal(robot.robot.gravity, model.opt.gravity)
        worst = max(disagreement(model, robot, 2, potential_too=not relieved), forces_disagreement(model, robot, 2))
        assert worst < 1e-8, (seed, worst, text)
        assert readings_differ(model, robot) < 1e-8, (seed, text)
        bound, rows, _ = constrained_disagreement(mujoco.MjModel.from_xml_string(text), 3, seed, (0.1, 0.2))
        assert bound < 1e-7, (seed, bound, text)
        tally["rows of constraints"] += rows
        tally["compared"] += 1
    print(runs, "changed models:", tally, dict(sorted(reasons.items(), key=lambda item: -item[1])[:12]))
    assert tally["compared"] > 0.3 * runs and tally["rows of constraints"] > runs and (tally["refused"] > 0 or runs < 150)
