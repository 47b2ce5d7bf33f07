"""The orders of joints that docs/conventions.md tells of other packages, asked of each that is installed."""

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link>'
JOINT = ('<joint name="{}" type="revolute"><origin xyz="0.1 0.2 0.3"/><parent link="{}"/><child link="{}"/><axis xyz="0 1 0"/>'
         '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>')
#: siblings against the alphabet, links and joints in no order of the tree
AWKWARD = "".join(['<robot name="awkward">', *(LINK.format(name) for name in ("root", "A2", "B", "A", "B2")), JOINT.format("n_b", "root", "B"),
                   JOINT.format("z_a2", "A", "A2"), JOINT.format("m_a", "root", "A"), JOINT.format("k_b2", "B", "B2"), "</robot>"])
FILE, NAMES = ("n_b", "k_b2", "m_a", "z_a2"), ("m_a", "z_a2", "n_b", "k_b2")
URDFS = [AWKWARD, *((ROBOTS / f"{name}.urdf").read_text() for name in ("arm", "quadruped", "humanoid"))]


def depth_first(robot, key):
    """Names of joints that move, siblings by `key` of the joint that leads to them."""
    links, found = robot.links, []

    def visit(name):
        for child in sorted(links[name].children, key=lambda each: key(links[each].joint)):
            if links[child].joint in robot.joints:
                found.append(links[child].joint)
            visit(child)

    visit(robot.link_names[0])
    return tuple(found)


def test_ours_is_that_of_the_file():
    assert sd.load_urdf(AWKWARD).joint_names == FILE
    for text in URDFS:
        robot = sd.load_urdf(text)
        order = {robot.links[name].joint: text.index(f'<joint name="{robot.links[name].joint}"') for name in robot.link_names[1:]}
        assert robot.joint_names == depth_first(robot, order.__getitem__)


def test_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="pip install pin")
    if not hasattr(pin, "buildModelFromXML"):
        pytest.skip("another package is called pinocchio")
    assert tuple(pin.buildModelFromXML(AWKWARD).names)[1:] == NAMES
    for text in URDFS:
        assert tuple(pin.buildModelFromXML(text).names)[1:] == depth_first(sd.load_urdf(text), str)


def test_mujoco():
    mujoco = pytest.importorskip("mujoco")
    for text in URDFS:
        model = mujoco.MjModel.from_xml_string(text)
        assert tuple(model.joint(k).name for k in range(model.njnt)) == sd.load_urdf(text).joint_names


def test_drake():
    plants, parsing = pytest.importorskip("pydrake.multibody.plant", reason="pip install drake"), pytest.importorskip("pydrake.multibody.parsing")
    for text in URDFS:
        plant = plants.MultibodyPlant(0.0)
        parsing.Parser(plant).AddModelsFromString(text, "urdf")
        plant.Finalize()
        names = [name.rpartition("_")[::2] for name in plant.GetPositionNames(False, False)]
        assert [part for _, part in names[:7]] == ["qw", "qx", "qy", "qz", "x", "y", "z"]
        assert [name.rpartition("_")[2] for name in plant.GetVelocityNames(False, False)][:6] == ["wx", "wy", "wz", "vx", "vy", "vz"]
        assert tuple(plant.GetVelocityNames(False, False)[6:]) == sd.load_urdf(text).joint_names


def test_idyntree_by_name(tmp_path):
    bindings = pytest.importorskip("idyntree.bindings", reason="pip install idyntree")
    for text in URDFS:
        (tmp_path / "robot.urdf").write_text(text)
        loader, robot = bindings.ModelLoader(), sd.load_urdf(text)
        assert loader.loadModelFromFile(str(tmp_path / "robot.urdf"))
        model = loader.model()
        theirs = [model.getJointName(k) for k in range(model.getNrOfJoints()) if model.getJoint(k).getNrOfDOFs()]
        order = [robot.joint_names.index(name) for name in theirs]
        q = robot.random(rng=3)
        positions = bindings.VectorDynSize(len(theirs))
        for k, value in enumerate(q[order]):
            positions.setVal(k, float(value))
        computations = bindings.KinDynComputations()
        computations.loadRobotModel(model)
        computations.setFloatingBase(robot.link_names[0])
        computations.setJointPos(positions)
        for link in robot.link_names:
            if model.getLinkIndex(link) >= 0 or model.getFrameIndex(link) >= 0:
                found = computations.getWorldTransform(link).asHomogeneousTransform().toNumPy()
                base = sd.pose(robot, q, robot.link_names[0], as_matrix=True)
                assert np.allclose(base @ found, sd.pose(robot, q, link, as_matrix=True), atol=1e-9), link
