"""Contact dynamics of the command line beside MuJoCo, on the robots that ship with the project."""

import csv
import json
import pathlib
import re
import subprocess

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/tools/sparsedyn"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")

SPHERES = [(0.05, 0.02, -0.03), (-0.04, 0.03, -0.02)]  # on each foot, in its frame
RADIUS = 0.02


def leaves(urdf):
    """Links without children."""
    parents = set(re.findall(r'<parent link="([^"]+)"', urdf))
    return [link for link in re.findall(r'<child link="([^"]+)"', urdf) if link not in parents]


class Robot:
    """A shipped robot on a free base as MuJoCo reads its URDF, with spheres on its leaves above a plane."""

    def __init__(self, name, cone, impratio, friction, joints=""):
        self.path = ROOT / f"robots/{name}.urdf"
        urdf = self.path.read_text()
        self.links = leaves(urdf)[:4]
        self.friction = friction
        spec = mujoco.MjSpec.from_string(urdf)
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        spec.compiler.balanceinertia = False
        spec.compiler.fusestatic = True
        for geom in list(spec.geoms):
            spec.delete(geom)
        for joint in spec.joints:
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.frictionloss = 0
            joint.damping = [0, 0, 0]
            joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
            if joints == "limit" and joint.range[0] < joint.range[1]:
                joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            if joints == "dry_friction":
                joint.frictionloss = 0.7
        spec.worldbody.first_body().add_freejoint()
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if cone == "elliptic" else mujoco.mjtCone.mjCONE_PYRAMIDAL
        spec.option.impratio = impratio
        spec.option.tolerance, spec.option.iterations = 0, 200
        spec.option.ls_tolerance, spec.option.ls_iterations = 1e-14, 100
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
        condim = {0: 1, 1: 3, 2: 4, 3: 6}[len(friction)]
        full = (list(friction) + [1.0, 0.005, 0.0001][len(friction):])[:3]
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=2, conaffinity=1, condim=condim, friction=[0, 0, 0])
        for link in self.links:
            for point in SPHERES:
                spec.body(link).add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], pos=point, mass=0, condim=condim,
                                         contype=1, conaffinity=2, friction=full)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.names = [self.model.joint(i).name for i in range(1, self.model.njnt)]
        self.set = {
            "parameters": {"cone": cone, "impratio": impratio},
            "constraints": [
                {"name": link, "type": "contact", "link": link, "points": [list(p) for p in SPHERES], "radius": RADIUS,
                 "friction": list(friction) or 0}
                for link in self.links
            ],
        }
        if joints:
            self.set["constraints"].append({"name": "all", "type": joints, "joint": "*", **({"loss": 0.7} if joints == "dry_friction" else {})})

    def state(self, rng, far=0.2):
        d = self.data
        d.qpos[:] = 0
        d.qpos[3:7] = [1, *(0.05 * rng.standard_normal(3))]
        d.qpos[3:7] /= np.linalg.norm(d.qpos[3:7])
        d.qpos[7:] = far * rng.standard_normal(len(self.names))
        d.qvel[:] = 0.5 * rng.standard_normal(self.model.nv)
        d.qfrc_applied[:] = 3 * rng.standard_normal(self.model.nv)
        d.qfrc_applied[:6] = 0
        mujoco.mj_kinematics(self.model, d)
        spheres = self.model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE
        d.qpos[2] -= np.median(d.geom_xpos[spheres, 2]) - RADIUS + 0.002
        d.qacc_warmstart[:] = 0

    def row(self):
        """The state in the log's columns: a free base's velocity in its own axes."""
        d = self.data
        R = d.body(self.model.body(1).name).xmat.reshape(3, 3)
        row = dict(zip((f"q.base.{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz")), d.qpos[:7], strict=True))
        v = R.T @ d.qvel[:3]
        row |= dict(zip((f"dq.base.{c}" for c in ("wx", "wy", "wz", "vx", "vy", "vz")), [*d.qvel[3:6], *v], strict=True))
        a = R.T @ d.qacc[:3] - np.cross(d.qvel[3:6], v)
        row |= dict(zip((f"ddq.base.{c}" for c in ("wx", "wy", "wz", "vx", "vy", "vz")), [*d.qacc[3:6], *a], strict=True))
        for i, name in enumerate(self.names):
            row |= {f"q.{name}": d.qpos[7 + i], f"dq.{name}": d.qvel[6 + i], f"ddq.{name}": d.qacc[6 + i]}
            row[f"tau.{name}"] = d.qfrc_applied[6 + i]
        return row


def compute(robot, algorithm, rows, folder):
    (folder / "set.json").write_text(json.dumps(robot.set))
    with open(folder / "in.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({k: repr(float(x)) for k, x in row.items()} for row in rows)
    run = subprocess.run(
        [PROGRAM, "compute", algorithm, robot.path, "--floating", "--quiet", "--constraints", folder / "set.json", "--log",
         folder / "in.csv", "-o", folder / "out.csv"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with open(folder / "out.csv", newline="") as file:
        return [{k: float(x) for k, x in row.items()} for row in csv.DictReader(file)]


CASES = [(cone, impratio, friction, joints)
         for cone in ("elliptic", "pyramidal")
         for impratio, friction, joints in ((1, (), ""), (1, (0.8,), ""), (10, (0.8,), ""), (1, (0.8, 0.02), ""), (3, (0.6, 0.02, 0.01), ""),
                                            (1, (0.8,), "dry_friction"), (1, (0.8,), "limit"))]


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
@pytest.mark.parametrize(("cone", "impratio", "friction", "joints"), CASES)
def test_accelerations_and_torques_are_those_of_mujoco(name, cone, impratio, friction, joints, tmp_path):
    rng = np.random.default_rng(3)
    robot = Robot(name, cone, impratio, friction, joints)
    rows, contacts = [], 0
    for _ in range(6):
        robot.state(rng, 0.6 if joints == "limit" else 0.2)
        mujoco.mj_forward(robot.model, robot.data)
        contacts += robot.data.ncon
        rows.append(robot.row())
    assert contacts >= 12
    found = compute(robot, "contact-dynamics", [{k: x for k, x in r.items() if not k.startswith("ddq")} for r in rows], tmp_path)
    for ours, theirs in zip(found, rows, strict=True):
        size = max(abs(x) for k, x in theirs.items() if k.startswith("ddq"))
        for k, x in theirs.items():
            if k.startswith("ddq"):
                assert abs(ours[k] - x) <= 1e-8 * size, k
    back = compute(robot, "contact-inverse-dynamics", [{k: x for k, x in r.items() if not k.startswith("tau")} for r in rows], tmp_path)
    for ours, theirs in zip(back, rows, strict=True):
        size = max(abs(x) for k, x in ours.items() if k.startswith(("tau", "lambda")))
        for k, x in theirs.items():
            if k.startswith("tau"):
                assert abs(ours[k] - x) <= 1e-8 * size, k


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_a_fall_onto_the_feet_is_that_of_mj_step(name, tmp_path):
    robot = Robot(name, "elliptic", 1, (0.8,))
    robot.model.opt.timestep = 0.002
    rng = np.random.default_rng(5)
    robot.state(rng)
    d = robot.data
    d.qpos[2] += 0.05
    d.qvel[:] = 0
    mujoco.mj_forward(robot.model, d)
    start, q0 = robot.row(), d.qpos[7:].copy()
    (tmp_path / "set.json").write_text(json.dumps(robot.set))
    with open(tmp_path / "from.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([k for k in start if k.startswith("q.")])
        writer.writerow([repr(float(x)) for k, x in start.items() if k.startswith("q.")])
    run = subprocess.run(
        [PROGRAM, "simulate", robot.path, "--floating", "--quiet", "--constraints", tmp_path / "set.json", "--from", tmp_path / "from.csv",
         "--hold", "8,0.1", "--seconds", "0.6", "--rate", "500", "-o", tmp_path / "out.csv"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    touched = 0
    with open(tmp_path / "out.csv", newline="") as file:
        for row in csv.DictReader(file):
            theirs = robot.row()
            for k, x in theirs.items():
                if k.startswith("q.") and not k.startswith("q.base.q"):
                    assert abs(float(row[k]) - x) <= 1e-8 * max(1, abs(x)), (row["time"], k)
            touched += d.ncon > 0
            d.qfrc_applied[6:] = 8 * (q0 - d.qpos[7:]) - 0.1 * d.qvel[6:]
            mujoco.mj_step(robot.model, d)
    assert touched > 100
