"""MuJoCo's models as robots: three of our own, and the MJCF files of packages where those are installed."""

import csv
import json
import subprocess

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import MODELS, OWN, QUADRUPED, ROOT, box_is_deep, disagreement, forces_disagreement, full_inertia, packaged  # noqa: E402
from mujoco_support import random_state, scene, solved_exactly  # noqa: E402
from sparsedyn.mujoco import Refused  # noqa: E402
from sparsedyn.mujoco.__main__ import main  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")
PROGRAM = ROOT / "build/tools/sparsedyn"


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_dynamics_are_mujocos(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    assert disagreement(model, sd.load_mujoco(model), 100) < 1e-10


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_accelerations_under_constraints_are_mujocos(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    solved_exactly(model)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(3)
    rows = contacts = 0
    for k in range(60):
        qpos, qvel, _ = random_state(model, rng, 0.1 + 0.2 * (k % 3))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:], data.qacc_warmstart[:] = qpos, 0.5 * qvel, 0, 0
        mujoco.mj_forward(model, data)
        if box_is_deep(model, data):
            continue
        data.qfrc_applied[:] = rng.standard_normal(model.nv) * np.diag(full_inertia(model, data))
        mujoco.mj_forward(model, data)
        q, dq, _ = robot.state(qpos, data.qvel)
        found = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, robot.tau(qpos, data.qfrc_applied))
        qacc = robot.mujoco_state(q, dq, found.ddq).qacc
        assert np.abs(qacc - data.qacc).max() < 1e-8 * max(1, np.abs(data.qacc).max())
        rows, contacts = rows + data.nefc, contacts + data.ncon
    assert rows > 60 and contacts > 10


def test_states_go_there_and_back_in_batches_of_any_shape():
    model = mujoco.MjModel.from_xml_path(str(MODELS / "two_trees.xml"))
    robot, rng = sd.load_mujoco(model), np.random.default_rng(1)
    states = [random_state(model, rng) for _ in range(12)]
    qpos, qvel, qacc = (np.reshape([s[k] for s in states], (3, 4, -1)) for k in range(3))
    state = robot.state(qpos, qvel, qacc)
    assert state.q.shape == (3, 4, model.nq) and state.dq.shape == state.ddq.shape == (3, 4, model.nv)
    for got, expected in zip(robot.mujoco_state(*state), (qpos, qvel, qacc), strict=True):
        assert np.abs(got - expected).max() < 1e-13
    one = robot.state(qpos[1, 2], qvel[1, 2], qacc[1, 2])
    assert all(np.array_equal(a, b[1, 2]) for a, b in zip(one, state, strict=True))
    power = np.sum(qvel * qacc, axis=-1)
    assert np.abs(np.sum(robot.tau(qpos, qacc) * state.dq, axis=-1) - power).max() < 1e-12
    assert robot.state(qpos).dq is None and robot.state(np.zeros((0, model.nq)) + qpos[0, 0]).q.shape == (0, model.nq)
    with pytest.raises(ValueError, match=r"qpos: shape \(3,\); expected"):
        robot.state(np.zeros(3))
    with pytest.raises(ValueError, match="qacc without qvel"):
        robot.state(qpos, None, qacc)


def test_velocities_are_rates_of_positions():
    """mj_integratePos along qvel and our integrate along dq meet."""
    model = mujoco.MjModel.from_xml_path(str(MODELS / "two_trees.xml"))
    robot, rng = sd.load_mujoco(model), np.random.default_rng(2)
    qpos, qvel, _ = random_state(model, rng)
    moved, step = qpos.copy(), 1e-6
    mujoco.mj_integratePos(model, moved, qvel, step)
    q, dq, _ = robot.state(qpos, qvel)
    assert np.abs(robot.robot.integrate(q, step * dq) - robot.state(moved).q).max() < 1e-10


def test_sources(tmp_path):
    text = scene()
    path = tmp_path / "scene.xml"
    path.write_text(text)
    spec = mujoco.MjSpec.from_string(text)
    made = [sd.load_mujoco(source).robot_json for source in (text, path, str(path), spec, mujoco.MjModel.from_xml_string(text))]
    assert all(each == made[0] for each in made)
    for wrong in (tmp_path / "none.xml", "<mujoco><nothing/></mujoco>"):
        with pytest.raises(ValueError, match="none.xml: no such file|nothing"):
            sd.load_mujoco(wrong)


def test_actuators_and_keyframes():
    robot = sd.load_mujoco(MODELS / "arm.xml")
    assert robot.actuators.names == ("yaw_motor", "stroke_motor", "servo")
    model, data = robot.mujoco, mujoco.MjData(robot.mujoco)
    data.ctrl[:] = [0.03, 2.0, 0.7]
    mujoco.mj_forward(model, data)
    q = robot.state(data.qpos).q
    assert np.abs(robot.actuators.matrix @ data.actuator_force - data.qfrc_actuator).max() < 1e-14
    assert list(robot.actuators.lower) == [-2, -np.inf, -np.inf] and q.shape == (8,)
    (key,) = robot.keyframes
    assert key.name == "bent" and np.allclose(robot.mujoco_state(key.q).qpos, model.key_qpos[0], atol=1e-15)


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_files_are_read_again(path, tmp_path, capsys):
    assert main([str(path), "-o", str(tmp_path / "out")]) == 0
    assert "robot.json" in capsys.readouterr().out
    robot, written = sd.load_mujoco(path), sd.load_robot(tmp_path / "out/robot.json")
    assert written._robot_text() == robot.robot._robot_text()
    assert json.loads((tmp_path / "out/constraints.json").read_text()) == robot.constraints_json
    assert json.loads((tmp_path / "out/sensors.json").read_text()) == robot.sensors_json
    q = written.random(0, 3)
    v = np.ones((3, written.nv))
    assert np.array_equal(sd.rnea(written, q, v, v), sd.rnea(robot.robot, q, v, v))
    sd.contact_dynamics(written, tmp_path / "out/constraints.json", q, v, v)


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0]}


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_the_program_takes_the_files(tmp_path):
    """check, simulate, solve, compute; and the quadruped falls on its feet as under mj_step."""
    model = mujoco.MjModel.from_xml_path(str(QUADRUPED))
    solved_exactly(model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
    assert main([str(QUADRUPED), "-o", str(tmp_path), "--quiet"]) == 0

    def run(*arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    assert "insufficient" in run("check", "robot.json", "--sensors", "sensors.json", code=1)
    run("simulate", "robot.json", "--sensors", "sensors.json", "--seconds", "0.2", "--rate", "100", "-o", "log.csv")
    run("solve", "robot.json", "--sensors", "forward-dynamics", "--log", "log.csv", "-o", "out.csv")
    log, out = columns(tmp_path / "log.csv"), columns(tmp_path / "out.csv")
    assert all(np.abs(out[name] - log[name]).max() < 1e-9 for name in out if name.startswith("ddq."))
    free = [name for name in log if not name.startswith("fx.")]
    np.savetxt(tmp_path / "free.csv", np.stack([log[name] for name in free], axis=1), "%.17g", ",", header=",".join(free), comments="")
    run("compute", "contact-dynamics", "robot.json", "--constraints", "constraints.json", "--log", "free.csv", "-o", "touched.csv")
    robot = sd.load_mujoco(model)
    q, dq, tau = (np.stack([log[f"{kind}.{name}"] for name in names], axis=1) for kind, names in
                  (("q", robot.robot.coordinate_names), ("dq", robot.robot.velocity_names), ("tau", robot.robot.force_names)))  # fmt: skip
    found, told = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, tau).ddq, columns(tmp_path / "touched.csv")
    assert np.abs(found - np.stack([told[f"ddq.{name}"] for name in robot.robot.velocity_names], axis=1)).max() < 1e-9 * np.abs(found).max()
    run("simulate", "robot.json", "--constraints", "constraints.json", "--from", "keyframes.csv", "--seconds", "0.2", "--rate", "500", "-o", "fall.csv")
    fall, data, touched = columns(tmp_path / "fall.csv"), mujoco.MjData(model), 0
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for k in range(len(fall["time"])):
        state = robot.mujoco_state(np.array([fall[f"q.{name}"][k] for name in robot.robot.coordinate_names]))
        assert np.abs(state.qpos - data.qpos).max() < 1e-10
        touched += data.ncon == 4
        mujoco.mj_step(model, data)
    assert touched > 20


def test_the_module_refuses_with_exit_code_3(tmp_path, capsys):
    path = tmp_path / "wet.xml"
    path.write_text(scene(option='density="1"'))
    assert main([str(path), "-o", str(tmp_path / "out")]) == 3
    assert "option density" in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert main([str(path), "-o", str(tmp_path / "out"), "--partial", "--quiet"]) == 0


def test_files_of_packages():
    """Where dm-control, gymnasium or mjlab are installed: each file agrees or is refused by name."""
    paths = packaged()
    if not paths:
        pytest.skip("none of dm-control, gymnasium, mjlab is installed: their MJCF files are not compared")
    agree = refused = 0
    for path in paths:
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except (ValueError, mujoco.FatalError):
            continue  # MuJoCo itself refuses it
        if model.nv == 0:
            continue
        try:
            robot = sd.load_mujoco(model)
        except Refused as error:
            assert error.element
            refused += 1
            continue
        assert robot.robot.nv == model.nv
        assert max(of(model, robot, 5, to_rounding=True) for of in (disagreement, forces_disagreement)) < 1e-10, path
        agree += 1
    assert agree > 0 and agree >= 6 * refused
