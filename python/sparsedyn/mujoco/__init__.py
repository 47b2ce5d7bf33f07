"""Robots of MuJoCo: `sd.load_mujoco(source)`. `python -m sparsedyn.mujoco SCENE.xml -o FOLDER` writes them as files."""

from ._actuators import Actuators
from ._report import Entry, Refused, Report
from ._robot import Keyframe, MujocoRobot, load_mujoco
from ._state import MujocoState, State
from ._to_mujoco import to_mujoco

__all__ = ["Actuators", "Entry", "Keyframe", "MujocoRobot", "MujocoState", "Refused", "Report", "State", "load_mujoco", "to_mujoco"]
