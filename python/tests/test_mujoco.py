"""MuJoCo's models as robots: three of our own, and the MJCF files of packages where those are installed."""

import importlib.util
import json
import pathlib

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from sparsedyn.mujoco import Refused  # noqa: E402
from sparsedyn.mujoco.__main__ import main  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "python/tests/mujoco_models"
QUADRUPED = ROOT / "examples/mujoco/quadruped.xml"
OWN = [*sorted(MODELS.glob("*.xml")), QUADRUPED]


def packaged():
    """MJCF files of packages that are installed."""
    found = []
    for package in ("dm_control", "gymnasium", "mjlab"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            found += [p for p in sorted(pathlib.Path(spec.submodule_search_locations[0]).rglob("*.xml")) if "<mujoco" in p.read_text(errors="replace")]
    return found


def random_state(model, rng, spread=1.0):
    """qpos with unit quaternions, qvel, qacc."""
    qpos = model.qpos0.copy()
    for j in range(model.njnt):
        at, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind == 0:
            qpos[at : at + 3] += 0.1 * spread * rng.standard_normal(3)
            at += 3
        if kind <= 1:
            turn = np.array([1.0, 0, 0, 0]) + spread * rng.standard_normal(4)
            qpos[at : at + 4] = turn / np.linalg.norm(turn)
        else:
            qpos[at] += spread * (0.3 if kind == 2 else 2.0) * rng.standard_normal()
    return qpos, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def relative(x, r):
    return float(np.max(np.abs(np.asarray(x) - r) / np.maximum(1, np.abs(r))))


def full_inertia(model, data):
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, M, data.qM)
    return M


def scaled_condition(M):
    """Of M with ones on its diagonal, as no scaling of its rows and columns makes it much smaller (van der Sluis 1969)."""
    scale = 1 / np.sqrt(np.diag(M))
    return float(np.linalg.cond(M * np.outer(scale, scale)))


def relative_acceleration(x, r, M, to_rounding):
    """Beside the largest; to_rounding: beside what one rounding of M's entries does to them where that is more than 1e-10."""
    error = float(np.abs(x - r).max()) / max(1, np.abs(r).max())
    return error / max(1.0, np.finfo(float).eps * scaled_condition(M) / 1e-10) if to_rounding and error >= 1e-10 else error


def disagreement(model, robot, states, seed=0, potential_too=True, to_rounding=False):
    """The largest of M, bias, inverse and forward dynamics without constraints, energies; beside max(1, |r|)."""
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data, rng, worst, potential = mujoco.MjData(model), np.random.default_rng(seed), 0.0, []
    r = robot.robot
    springs = [(j, model.jnt_qposadr[j]) for j in range(model.njnt) if model.jnt_stiffness[j] and model.jnt_type[j] >= 2]
    for _ in range(states):
        qpos, qvel, qacc = random_state(model, rng)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, 0
        mujoco.mj_forward(model, data)
        M = full_inertia(model, data)
        q, dq, ddq = robot.state(qpos, qvel, qacc)
        q0, dq0, still = robot.state(qpos, qvel, np.zeros(model.nv))
        rates = np.stack([robot.tau(qpos, row) for row in np.eye(model.nv)], axis=1)  # of ours by MuJoCo's
        bias = data.qfrc_bias - data.qfrc_passive
        energy = sd.energy(r, q, dq)
        stored = sum(model.jnt_stiffness[j] * (qpos[a] - model.qpos0[a]) * (model.qpos0[a] - model.qpos_spring[a]) for j, a in springs)
        potential.append((float(energy.potential) + stored - data.energy[0], data.energy[0]))
        errors = [
            relative(rates.T @ sd.crba(r, q) @ rates, M),
            relative(robot.mujoco_force(q, sd.rnea(r, q, dq, still)), bias),
            relative(energy.kinetic, data.energy[1]),
        ]
        data.qacc[:] = qacc
        mujoco.mj_inverse(model, data)
        errors.append(relative(robot.mujoco_force(q, sd.rnea(r, q, dq, ddq)), data.qfrc_inverse))
        data.qfrc_applied[:] = rng.standard_normal(model.nv) * np.diag(M)
        mujoco.mj_forward(model, data)
        qacc = robot.mujoco_state(q, dq, sd.aba(r, q, dq, robot.tau(qpos, data.qfrc_applied))).qacc
        errors.append(relative_acceleration(qacc, data.qacc, M, to_rounding))
        worst = max(worst, *errors)
    shift = potential[0][0]  # the constants differ
    if not potential_too:
        return worst
    return max(worst, *(abs(gap - shift) / max(1, abs(of)) for gap, of in potential))


def forces_disagreement(model, robot, states, seed=0, to_rounding=False):
    """The same of accelerations where actuators act, given their forces: activations are drawn, and the forces are MuJoCo's."""
    flags = mujoco.mjtDisableBit
    model.opt.disableflags = (model.opt.disableflags | int(flags.mjDSBL_CONSTRAINT)) & ~int(flags.mjDSBL_ACTUATION)
    data, rng, worst = mujoco.MjData(model), np.random.default_rng(seed), 0.0
    actuators = robot.actuators
    for _ in range(states if model.nu else 0):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng)
        data.ctrl[:], data.act[:] = rng.uniform(-1, 1, data.ctrl.size), rng.uniform(0, 1, data.act.size)
        mujoco.mj_forward(model, data)
        q, dq, _ = robot.state(data.qpos, data.qvel)
        tau = robot.tau(data.qpos, data.qfrc_actuator)
        qacc = robot.mujoco_state(q, dq, sd.aba(robot.robot, q, dq, tau)).qacc
        worst = max(worst, relative_acceleration(qacc, data.qacc, full_inertia(model, data), to_rounding))
        if len(actuators.names) == model.nu and not model.jnt_actfrclimited.any():
            worst = max(worst, relative(actuators.matrix @ data.actuator_force[list(actuators.ids)], data.qfrc_actuator))
    return worst


ENTERING = [
    '<body><joint name="b" type="ball" damping="0.3" armature="0.2"/><geom size="0.1" pos="0.1 0.2 0.05"/></body>',
    '<body><freejoint name="b"/><geom size="0.1" pos="0.1 0.2 0.05"/></body>',
    '<body><joint name="b" type="free" damping="0.7"/><geom size="0.1" pos="0.1 0.2 0.05"/></body>',
]


@pytest.mark.parametrize("body", ENTERING)
def test_balls_and_free_joints_are_damped_and_geared(body):
    model = mujoco.MjModel.from_xml_string(scene(body=body))
    assert disagreement(model, sd.load_mujoco(model), 50) < 1e-12


def test_damping_of_a_free_joint_that_differs_along_the_axes_is_refused():
    model = mujoco.MjModel.from_xml_string(scene(body=ENTERING[2]))
    model.dof_damping[3:6] = [1, 2, 3]  # about them it may
    assert disagreement(model, sd.load_mujoco(model), 50) < 1e-12
    model.dof_damping[1] = 2
    with pytest.raises(Refused, match="damping of a free joint that differs"):
        sd.load_mujoco(model)


ACTUATORS = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/>
<body pos="0.3 0 0"><joint name="k" axis="0 1 1" damping="0.2"/><geom size="0.1" pos="0.2 0.1 0"/></body></body></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="0.4"/><joint joint="k" coef="-0.7"/></fixed></tendon><actuator>
<intvelocity name="integrator" joint="j" kp="10" actrange="0 1"/><muscle name="muscle" joint="k" lengthrange="0 1" gear="0.1"/>
<general name="filter" tendon="t" dyntype="filterexact" dynprm="0.1" gainprm="3" gear="2"/>
<motor name="geared" joint="k" gear="3" armature="0.2" damping="0.4"/></actuator></mujoco>"""


def test_actuators_with_activations_enter_as_forces_and_rotors_as_armature():
    model = mujoco.MjModel.from_xml_string(ACTUATORS)
    robot = sd.load_mujoco(model)
    assert model.na == 3 and robot.actuators.names == ("integrator", "muscle", "filter", "geared")
    assert forces_disagreement(model, robot, 50) < 1e-12
    assert disagreement(model, robot, 50) < 1e-12
    said = {entry.element: entry.as_what for entry in robot.report}
    assert "(muscle) is no part" in said['actuator "muscle"'] and "(filterexact)" in said['actuator "filter"']
    assert said['actuator "geared"'] == "a column of actuators.matrix"
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
    assert disagreement(model, sd.load_mujoco(model), 10) < 1e-12


TENDONS = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" ref="0.3"/><geom size="0.1" pos="0.2 0 0"/>
<body pos="0.3 0 0"><joint name="k" axis="0 1 1" damping="0.2"/><geom size="0.1" pos="0.2 0.1 0"/>
<body pos="0.3 0 0"><joint name="l" type="slide" axis="0 1 1"/><joint name="m" axis="1 0 0"/><geom size="0.1" pos="0.2 0.1 0"/></body></body></body></worldbody>
<tendon><fixed name="three"><joint joint="k" coef="-0.4"/><joint joint="j" coef="0.7"/><joint joint="l" coef="0.9"/></fixed>
<fixed name="one"><joint joint="m" coef="1.7"/></fixed><fixed name="own"><joint joint="k" coef="1"/></fixed><fixed name="two"><joint joint="m" coef="0.7"/><joint joint="l" coef="-0.2"/></fixed></tendon>
<equality><tendon tendon1="three" {}/></equality></mujoco>"""


@pytest.mark.parametrize("rest", ['polycoef="0.1 0.5 0 0 0"', 'tendon2="one" polycoef="0.1 0.5 -0.3 0.2 0.1"', 'tendon2="two" polycoef="0.1 0.5 0 0 0"'])
def test_equalities_of_tendons_over_several_joints(rest):
    model = mujoco.MjModel.from_xml_string(TENDONS.format(rest))
    solved_exactly(model)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(3)
    again = sd.load_mujoco(sd.to_mujoco(robot.robot, robot.constraints_json).compile())
    for _ in range(20):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng, 0.3)
        mujoco.mj_forward(model, data)
        q, dq, _ = robot.state(data.qpos, data.qvel)
        found = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, np.zeros(4)).ddq
        assert np.abs(found - data.qacc).max() < 1e-9 * max(1, np.abs(data.qacc).max())
        back = sd.contact_dynamics(again.robot, again.constraints, q, dq, np.zeros(4)).ddq
        assert "tendon2" in rest or np.abs(back - found).max() < 1e-9 * np.abs(found).max()  # two weigh otherwise there
    assert robot.constraints_json["constraints"][0].keys() >= {"linear", "inverse_weight"}


def test_equalities_of_tendons_that_nothing_here_holds_are_refused():
    for rest in ('tendon2="two" polycoef="0 1 1 0 0"', 'tendon2="own" polycoef="0 0.5 0 0 0"'):
        with pytest.raises(Refused, match="equality 0"):
            sd.load_mujoco(TENDONS.format(rest))


def test_limits_whose_impedance_has_no_width():
    """MuJoCo takes the mean of the two impedances, and the stiffness of the second."""
    joint = 'limited="true" range="-0.1 0.1" solimplimit="0.5 0.8 0" solreflimit="0.05 0.7"'
    model = mujoco.MjModel.from_xml_string(scene(joint, 'pos="0.2 0 0"'))
    robot, data = sd.load_mujoco(model), mujoco.MjData(model)
    solved_exactly(model)
    data.qpos[0], data.qvel[0] = 0.3, 0.4
    mujoco.mj_forward(model, data)
    q, dq, _ = robot.state(data.qpos, data.qvel)
    assert data.nefc == 1
    assert sd.contact_dynamics(robot.robot, robot.constraints, q, dq, [0.0]).ddq == pytest.approx(data.qacc, rel=1e-9)


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_dynamics_are_mujocos(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    assert disagreement(model, sd.load_mujoco(model), 100) < 1e-10


def solved_exactly(model):
    model.opt.tolerance, model.opt.iterations = 0, 300
    model.opt.ls_tolerance, model.opt.ls_iterations = 1e-14, 200
    model.opt.solver = int(mujoco.mjtSolver.mjSOL_NEWTON)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)


def box_is_deep(model, data):
    """Whether a box has its centre below the plane: MuJoCo then leaves its upper corners out."""
    planes = [g for g in range(model.ngeom) if model.geom_type[g] == int(mujoco.mjtGeom.mjGEOM_PLANE)]
    boxes = [g for g in range(model.ngeom) if model.geom_type[g] == int(mujoco.mjtGeom.mjGEOM_BOX) and model.geom_contype[g]]
    return any((data.geom_xpos[b] - data.geom_xpos[p]) @ data.geom_xmat[p].reshape(3, 3)[:, 2] < 0 for p in planes for b in boxes)


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


BODY = '<body><joint name="j" axis="0 1 0" {joint}/><geom size="0.1" {geom}/><site name="s"/></body>'


def scene(joint="", geom="", rest="", option="", body=BODY):
    return f"<mujoco><option {option}/><worldbody>{body.format(joint=joint, geom=geom)}</worldbody>{rest}</mujoco>"


PULLS = [
    (scene(option='').replace('<option />', '<option><flag override="enable"/></option>'), "flag override"),
    (scene(option='density="1.2"'), "option density"),
    (scene(option='viscosity="0.1"'), "option viscosity"),
    (scene(rest='<tendon><fixed name="t" stiffness="3"><joint joint="j" coef="1"/></fixed></tendon>'), 'tendon "t"'),
    (scene(rest='<tendon><fixed name="t" range="0 1" limited="true"><joint joint="j" coef="1"/></fixed></tendon>'), 'tendon "t"'),
    (scene(rest='<tendon><fixed name="t" frictionloss="1"><joint joint="j" coef="1"/></fixed></tendon>'), 'tendon "t"'),
    (scene(rest='<actuator><motor name="a" tendon="t" armature="1"/></actuator><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'), 'actuator "a"'),
    (scene(rest='<actuator><motor name="a" joint="j" damping="1 2"/></actuator>'), 'actuator "a"'),
    (scene(body='<body><joint name="b" type="ball" stiffness="1"/><geom size="0.1"/></body>'), 'joint "b"'),
    (scene(body='<body><joint name="b" type="free" armature="1"/><geom size="0.1"/></body>'), 'joint "b"'),
    (scene(body='<body><joint name="b" type="ball" limited="true" range="0 1"/><geom size="0.1"/></body>'), 'joint "b"'),
    (scene(body='<body><joint name="b" type="ball" frictionloss="1"/><geom size="0.1"/></body>'), 'joint "b"'),
    (scene(body='<body name="x" gravcomp="1"><joint/><geom size="0.1"/></body><body><joint/><geom size="0.1"/></body>'), 'body "x"'),
]


@pytest.mark.parametrize("text,element", PULLS, ids=lambda x: x if len(x) < 30 else "")
def test_what_pulls_and_cannot_be_held_is_refused_by_name(text, element):
    with pytest.raises(Refused, match=element) as refusal:
        sd.load_mujoco(text)
    assert refusal.value.element == element
    with pytest.warns(sd.SparsedynWarning, match="left out; .report lists them"):
        robot = sd.load_mujoco(text, partial=True)
    assert element in {entry.element for entry in robot.report.left_out}
    assert element in str(robot.report)


def test_gravity_compensation_of_all_bodies_is_a_share_of_gravity():
    model = mujoco.MjModel.from_xml_string(scene(body='<body gravcomp="0.7"><joint axis="1 1 0"/><geom size="0.1" pos="0.2 0.1 0"/></body>'))
    robot = sd.load_mujoco(model)
    assert np.allclose(robot.robot.gravity, (0, 0, -0.3 * 9.81))
    assert disagreement(model, robot, 20, potential_too=False) < 1e-10  # MuJoCo's energy has all of gravity


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


def rate_of(robot, q, dq, sensor):
    """The angular velocity of a sensor's frame, in its axes, from the link's velocity."""
    roll, pitch, yaw = sensor["rpy"]
    x = np.array([[1, 0, 0], [0, np.cos(roll), -np.sin(roll)], [0, np.sin(roll), np.cos(roll)]])
    y = np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]])
    z = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    return (z @ y @ x).T @ sd.velocity(robot, q, dq, sensor["link"])[:3]


def place_of(robot, q, sensor):
    """The origin of a sensor's frame in the world, from the link's pose."""
    pose = np.asarray(sd.pose(robot, q, sensor["link"]))
    imaginary, real = pose[3:6], pose[6]
    r = np.array(sensor["xyz"])
    return pose[:3] + r + 2 * np.cross(imaginary, np.cross(imaginary, r) + real * r)


@pytest.mark.parametrize("path", [MODELS / "arm.xml", QUADRUPED], ids=lambda p: p.stem)
def test_sensors_read_what_sensordata_says(path):
    """Rows of the set beside MuJoCo's readings, on exact motions: what an estimate leaves of each reading."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(5)
    rows = [s for s in robot.sensors_json["sensors"] if s["type"] in ("accelerometer", "force_torque")]
    exact = [{"name": "motion", "type": "joint_acceleration", "joint": "*"}, {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]
    if robot.robot.floating:
        exact.append({"name": "base", "type": "joint_acceleration", "joint": "base"})
    solver = sd.Solver(robot.robot, {"sensors": [*exact, *({**s, "sigma": 1.0} for s in rows)]}, outputs=["ddq"])
    compared = 0
    table = {}
    for _ in range(20):
        qpos, qvel, _ = random_state(model, rng)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, rng.standard_normal(model.nv)
        mujoco.mj_forward(model, data)
        q, dq, ddq = robot.state(qpos, qvel, data.qacc)
        readings = robot.readings(data.sensordata)
        names = robot.robot
        row = {f"q.{n}": x for n, x in zip(names.coordinate_names, q, strict=True)}
        row |= {f"dq.{n}": x for n, x in zip(names.velocity_names, dq, strict=True)}
        row |= {f"ddq.{n}": x for n, x in zip(names.velocity_names, ddq, strict=True)}
        row |= {column: float(x) for column, x in readings.items()}
        for column, x in row.items():
            table.setdefault(column, []).append(float(x))
        for sensor in robot.sensors_json["sensors"]:
            column = f"y.{sensor['name']}"
            if sensor["type"] == "gyroscope":
                assert np.abs(rate_of(names, q, dq, sensor) - [readings[f"{column}.{c}"] for c in "xyz"]).max() < 1e-11
                compared += 1
            elif sensor["type"] == "link_pose" and "x" in sensor["components"]:
                assert np.abs(place_of(names, q, sensor) - [readings[f"{column}.{c}"] for c in "xyz"]).max() < 1e-12
                compared += 1
            elif sensor["type"] == "joint_position":
                assert readings[column] == pytest.approx(row[f"q.{sensor['joint']}"], abs=1e-13)
                compared += 1
            elif sensor["type"] == "joint_velocity":
                assert readings[column] == row[f"dq.{sensor['joint']}"]
                compared += 1
    answers = solver.solve_log({k: np.array(v) for k, v in table.items()}, innovations=True)
    found = {name: np.asarray(values) for name, values in answers.items()}
    innovations = {k: v for k, v in found.items() if k.startswith("innovation.")}
    assert len(innovations) == sum(len(s.get("components", "xyz")) for s in rows)
    for name, values in innovations.items():
        assert np.abs(values).max() < 1e-9 * max(1, np.abs(table[name.removeprefix("innovation.")]).max()), name
    assert compared >= 20


def test_a_robot_goes_to_mujoco_and_back():
    for path in OWN:
        robot = sd.load_mujoco(path)
        model = sd.to_mujoco(robot.robot, robot.constraints_json).compile()
        again = sd.load_mujoco(model)
        assert again.robot.nv == robot.robot.nv and disagreement(model, again, 10) < 1e-10
        q = robot.robot.random(1, 6)
        v = np.random.default_rng(1).standard_normal((6, robot.robot.nv))
        assert np.abs(sd.rnea(again.robot, q, v, v) - sd.rnea(robot.robot, q, v, v)).max() < 1e-10
        points = [sum(len(c.get("points", [0])) for c in of.constraints_json["constraints"]) for of in (robot, again)]
        assert points[0] == points[1] and not again.report.left_out


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_constraints_act_the_same_there(path):
    """Accelerations under all constraints of what went to MuJoCo and came back, contacts too."""
    robot = sd.load_mujoco(path)
    again = sd.load_mujoco(sd.to_mujoco(robot.robot, robot.constraints_json).compile())
    rng, touching = np.random.default_rng(3), 0
    for k in range(30):
        qpos, qvel, _ = random_state(robot.mujoco, rng, 0.1 + 0.2 * (k % 3))
        q, dq, _ = robot.state(qpos, qvel)
        tau = rng.standard_normal(robot.robot.nv)
        one, other = (sd.contact_dynamics(of.robot, of.constraints, q, dq, tau) for of in (robot, again))
        assert np.abs(one.ddq - other.ddq).max() < 1e-9 * max(1, np.abs(one.ddq).max())
        touching += bool(np.any(one.gap < 0))
    assert touching > 5


def test_what_mujoco_lacks_is_refused_on_the_way_there():
    arm = ROOT / "robots/arm.urdf"
    with pytest.raises(ValueError, match="joint joint2: friction"):
        sd.to_mujoco(sd.load_urdf(arm, joints={"joint2": {"friction": 1}}))
    with pytest.raises(ValueError, match="joint joint2: an offset"):
        sd.to_mujoco(sd.load_urdf(arm, joints={"joint2": {"offset": 1}}))
    bare = {"constraints": [{"name": "foot", "type": "contact", "link": "link2", "points": [[0, 0, 0]], "friction": 0.5}]}
    with pytest.raises(ValueError, match="constraint foot: points without a radius"):
        sd.to_mujoco(sd.load_urdf(arm), bare)
    hard = {"constraints": [{"name": "rod", "type": "connect", "links": ["link2", "world"], "hard": True}]}
    with pytest.raises(ValueError, match="constraint rod"):
        sd.to_mujoco(sd.load_urdf(arm), hard)


@pytest.mark.parametrize("name,floating", [("arm", False), ("quadruped", True), ("humanoid", True)])
def test_shipped_robots_are_the_same_in_mujoco(name, floating):
    robot = sd.load_urdf(ROOT / f"robots/{name}.urdf", floating=floating)
    model = sd.to_mujoco(robot).compile()
    there = sd.load_mujoco(model)
    assert there.robot.velocity_names == robot.velocity_names and disagreement(model, there, 10) < 1e-10
    q, v = robot.random(1, 6), np.random.default_rng(1).standard_normal((6, robot.nv))
    assert np.abs(sd.rnea(there.robot, q, v, v) - sd.rnea(robot, q, v, v)).max() < 1e-10


def test_an_estimate_from_noisy_sensordata_lies_within_its_deviations():
    """Along a motion that mj_step makes: true accelerations and torques lie within 2 sd of the estimate in 95 % of all cases."""
    model = mujoco.MjModel.from_xml_path(str(MODELS / "arm.xml"))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(8)
    rows = [s for s in robot.sensors_json["sensors"] if s["type"] in ("accelerometer", "force_torque") and "sigma" in s]
    assert len(rows) == 3
    beside = [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.2},
        {"name": "wrist", "type": "joint_acceleration", "joint": "wrist", "sigma": 5.0},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    ]
    solver = sd.Solver(robot.robot, {"sensors": [*rows, *beside]}, outputs=["ddq", "tau"], sd=True)
    table, truth = {}, []
    names = robot.robot
    for k in range(1500):
        data.qfrc_applied[:] = 0.5 * np.sin(0.01 * k * np.arange(1, model.nv + 1)) * [4, 4, 2, 4, 0.01, 0.01, 0.01]
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        q, dq, ddq = robot.state(data.qpos, data.qvel, data.qacc)
        tau = robot.tau(data.qpos, data.qfrc_applied + data.qfrc_actuator)
        truth.append(np.concatenate([ddq, tau]))
        row = {f"q.{n}": x for n, x in zip(names.coordinate_names, q, strict=True)}
        row |= {f"dq.{n}": x for n, x in zip(names.velocity_names, dq, strict=True)}
        readings = robot.readings(data.sensordata)
        for sensor in rows:
            for c in sensor.get("components", "xyz"):
                row[f"y.{sensor['name']}.{c}"] = readings[f"y.{sensor['name']}.{c}"] + sensor["sigma"] * rng.standard_normal()
        for n, x in zip(names.velocity_names, tau, strict=True):
            joint, _, c = n.partition(".")
            row[f"y.motors.{joint}" + (f".n{c[1:]}" if c else "")] = x + 0.2 * rng.standard_normal()
        for c, x in zip("xyz", ddq[-3:], strict=True):
            row[f"y.wrist.w{c}"] = x + 5.0 * rng.standard_normal()
        for column, x in row.items():
            table.setdefault(column, []).append(float(x))
    answers = solver.solve_log({k: np.array(v) for k, v in table.items()})
    columns = [f"ddq.{n}" for n in names.velocity_names] + [f"tau.{n}" for n in names.force_names]
    found, sigma = (np.stack([np.asarray(answers[prefix + c]) for c in columns], axis=1) for prefix in ("", "sd."))
    within = np.abs(found - np.array(truth)) <= 2 * sigma
    assert 0.94 < within.mean() < 0.97
