"""Robots that go to MuJoCo, and come back."""

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import OWN, ROOT, disagreement, random_state  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")


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


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("root", ["world", "trunk"])
def test_links_called_as_the_ground_is_and_efforts_that_nobody_knew(root, floating):
    link = '<link name="{}"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1.5" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    tip = "world" if root == "trunk" else "tip"
    robot = sd.load_urdf(f"""<robot name="r">{link.format(root)}{link.format(tip)}<joint name="j" type="revolute"><parent link="{root}"/>
        <child link="{tip}"/><origin xyz="0.1 0.2 0.3"/><axis xyz="1 0 0"/><limit lower="0" upper="0" effort="0" velocity="0"/></joint></robot>""",
        floating=floating)
    there = sd.load_mujoco(sd.to_mujoco(robot).compile())
    q, v, a = robot.random(1, 5), *np.random.default_rng(2).standard_normal((2, 5, robot.nv))
    own = sd.rnea(robot, q, v, a)
    assert np.abs(own - sd.rnea(there.robot, q, v, a)).max() < 1e-12 * np.abs(own).max()
    twice = sd.load_urdf(robot.to_urdf().replace('"tip"' if root == "world" else '"trunk"', '"world_"'), floating=True)
    assert sd.to_mujoco(twice).compile().nv == 7


URDFS = [*sorted((ROOT / "robots").glob("*.urdf")), *sorted((ROOT.parent / "shared").glob("robots/*.urdf"))]
WITHOUT_MASS = {("four-bar", True), ("kuka_lwr", True)}  # at the root


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("path", URDFS, ids=lambda p: p.stem)
def test_robots_of_urdfs_are_the_same_in_mujoco(path, floating):
    robot = sd.load_urdf(path, floating=floating)
    if (path.stem, floating) in WITHOUT_MASS:
        with pytest.raises(ValueError, match="joint base: it moves a link without mass"):
            sd.to_mujoco(robot)
        return
    there = sd.load_mujoco(sd.to_mujoco(robot).compile())
    assert there.robot.velocity_names == robot.velocity_names and disagreement(there.mujoco, there, 3, to_rounding=True) < 1e-10
    rng = np.random.default_rng(1)
    q, v, a = robot.random(rng, 6), rng.standard_normal((6, robot.nv)), rng.standard_normal((6, robot.nv))
    assert set(there.robot.link_names) >= {name for name, link in robot.links.items() if link.mass or link.is_fixed}
    assert there.robot.mass == pytest.approx(robot.mass, rel=1e-12)
    for own, other in ((sd.rnea(robot, q, v, a), sd.rnea(there.robot, q, v, a)), (sd.crba(robot, q), sd.crba(there.robot, q))):
        assert np.abs(own - other).max() < 1e-12 * max(1, np.abs(own).max())
