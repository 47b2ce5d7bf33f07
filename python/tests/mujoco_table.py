"""Models of MJCF for the rows of the table of docs/mujoco.md, and what is asked of them."""

import mujoco
import numpy as np
import pytest

import sparsedyn as sd
from mujoco_support import constrained_disagreement, disagreement
from sparsedyn.mujoco import Refused

ARM = """<mujoco><option {option}/><worldbody>{world}<body name="a"><joint name="j" axis="0 1 0" {joint}/><geom name="g" size="0.1" pos="0.2 0 0" {geom}/>
<site name="s" pos="0.1 0 0.1"/><body name="b" pos="0.4 0 0"><joint name="k" axis="0 1 0" {second}/><geom name="h" size="0.1" pos="0.2 0 0"/></body></body>
</worldbody><actuator><motor name="m" joint="j"/></actuator>{rest}</mujoco>"""
PLANE = '<geom name="floor" type="plane" size="1 1 1"/>'
FIXED = '<tendon><fixed name="t" {}><joint joint="j" coef="1"/><joint joint="k" coef="0.5"/></fixed></tendon>'


def arm(**parts):
    return ARM.format(**{**dict.fromkeys(("option", "world", "joint", "geom", "second", "rest"), ""), **parts})


def enters(text, *, bound=False, **expected):
    """The robot; it agrees with MuJoCo, and its joints hold what is expected."""
    robot = sd.load_mujoco(text)
    relieved = not np.array_equal(robot.robot.gravity, robot.mujoco.opt.gravity)
    assert disagreement(mujoco.MjModel.from_xml_string(text), robot, 10, potential_too=not relieved) < 1e-10
    if bound:
        worst, rows, used = constrained_disagreement(mujoco.MjModel.from_xml_string(text), 20, spreads=(0.5, 1.0), tries=10)
        assert worst < 1e-8 and rows > 5 and used > 5
    return robot


def taken(text):
    """Whether this MuJoCo takes it."""
    try:
        return bool(mujoco.MjModel.from_xml_string(text))
    except ValueError:
        return False


def refused(text, element):
    with pytest.raises(Refused) as error:
        sd.load_mujoco(text)
    assert error.value.element == element
    assert element in {e.element for e in sd.load_mujoco(text, partial=True).report.left_out}


def fates(robot):
    return {entry.element: (entry.fate, entry.as_what) for entry in robot.report}


def kinds_of(robot):
    return {joint.name: joint.type for joint in robot.robot.joints.values()}


def constraint(robot, name):
    return next(c for c in robot.constraints_json["constraints"] if c["name"] == name)


def sensor(text, key="sensor"):
    """The type in the set, or None, of the only sensor, and what the report says."""
    robot = sd.load_mujoco(arm(rest=f"<sensor>{text}</sensor>"))
    (made,) = robot.sensors_json["sensors"] or [None]
    name = next(e for e in fates(robot) if e.startswith(key))
    predicted = robot.sensordata(*robot.state(robot.mujoco.qpos0, [0.3, -0.2], [0.1, 0.4]))
    return (made and made["type"]), fates(robot)[name], bool(predicted)
