"""What single elements of MJCF enter as, and what is refused by name."""

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import disagreement, forces_disagreement, random_state, scene, solved_exactly  # noqa: E402
from sparsedyn.mujoco import Refused  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")


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
<fixed name="one"><joint joint="m" coef="1.7"/></fixed><fixed name="own"><joint joint="k" coef="1"/></fixed>
<fixed name="two"><joint joint="m" coef="0.7"/><joint joint="l" coef="-0.2"/></fixed></tendon>
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


SLIDERS = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body>
<joint name="x" type="slide" axis="1 0 0" armature="0.01" damping="1" limited="true" range="-0.1 0.1" frictionloss="0.3"/>
<joint name="y" type="slide" axis="0 1 0" armature="0.02" limited="true" range="-0.1 0.1"/>
<geom type="box" size="0.1 0.1 0.1" mass="0.05" contype="0" conaffinity="0"/></body>
<body><joint name="h" axis="0 1 0" armature="0.03" limited="true" range="-0.1 0.1"/><geom size="0.1" pos="0.2 0 0" mass="0.3"/></body></worldbody>
<equality><joint joint1="x" joint2="y" polycoef="0.1 0.5 0.2 0 0"/></equality></mujoco>"""


def test_inverse_weights_of_a_body_that_slides_alone():
    """MuJoCo makes them of its mass without the armature."""
    model = mujoco.MjModel.from_xml_string(SLIDERS)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(2)
    weights = {entry["name"]: entry.get("inverse_weight") for entry in robot.constraints_json["constraints"]}
    assert weights.pop("limit.h") is None
    assert weights == {name: pytest.approx(20) for name in ("limit.x", "limit.y", "friction.x")} | {"joint0": pytest.approx(40)}
    solved_exactly(model)
    for _ in range(10):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = 0.2 * rng.standard_normal((3, 3))
        mujoco.mj_forward(model, data)
        q, dq, _ = robot.state(data.qpos, data.qvel)
        found = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, robot.tau(data.qpos, data.qfrc_applied))
        assert robot.mujoco_state(q, dq, found.ddq).qacc == pytest.approx(data.qacc, rel=1e-9, abs=1e-9)


PULLS = [
    (scene(option='').replace('<option />', '<option><flag override="enable"/></option>'), "flag override"),
    (scene(option='density="1.2"'), "option density"),
    (scene(option='viscosity="0.1"'), "option viscosity"),
    (scene(rest='<tendon><fixed name="t" stiffness="3"><joint joint="j" coef="1"/></fixed></tendon>'), 'tendon "t"'),
    (scene(rest='<tendon><fixed name="t" range="0 1" limited="true"><joint joint="j" coef="1"/></fixed></tendon>'), 'tendon "t"'),
    (scene(rest='<tendon><fixed name="t" frictionloss="1"><joint joint="j" coef="1"/></fixed></tendon>'), 'tendon "t"'),
    (scene(rest='<actuator><motor name="a" tendon="t" armature="1"/></actuator>'
                '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'), 'actuator "a"'),
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
