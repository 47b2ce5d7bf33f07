"""A robot's algorithms beside each other, and beside MuJoCo and Pinocchio where they are installed."""

import importlib.util

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn import _verify


def installed(module):
    return importlib.util.find_spec(module) is not None


def test_robots_that_ship_agree(robot):
    found = sd.verify(robot, samples=5, programs=False)
    assert found.passed, str(found)
    assert len(found.pairs) >= 30 and found.conditioning >= 1
    ways = {pair.b for pair in found.pairs if pair.agrees}
    assert ("MuJoCo" in ways) == installed("mujoco") and ("Pinocchio" in ways) == installed("pinocchio")
    assert str(found).endswith("all that was compared agrees")


def test_without_peers(arm):
    found = sd.verify(arm, 3, programs=False, peers=False)
    assert not {"MuJoCo", "Pinocchio"} & {pair.b for pair in found.pairs}
    assert all(pair.states == 3 and pair.agrees for pair in found.pairs)


@pytest.mark.skipif(not installed("mujoco"), reason="MuJoCo is not installed")
def test_a_peer_that_differs_is_off(arm, monkeypatch):
    peer = _verify._mujoco(arm)
    wrong = peer._replace(torques=lambda q, dq, ddq: peer.torques(q, dq, ddq) * np.where(np.arange(arm.nv) == 2, 1 + 1e-8, 1))
    monkeypatch.setattr(_verify, "_mujoco", lambda robot: wrong)
    found = sd.verify(arm, 5, programs=False)
    off = [pair for pair in found.pairs if pair.agrees is False]
    assert not found.passed and [(pair.quantity, pair.b, pair.at) for pair in off] == [
        ("joint torques", "MuJoCo", f"tau.{arm.velocity_names[2]}")
    ]
    assert "OFF at tau." in str(found)


@pytest.mark.skipif(not installed("mujoco"), reason="MuJoCo is not installed")
def test_what_a_peer_lacks_is_said():
    robot = sd.load_urdf("""<robot name="r"><link name="a"/>
      <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>""")
    found = sd.verify(robot, 3, programs=False)
    said = [pair for pair in found.pairs if pair.b == "MuJoCo"]
    assert found.passed and said[0].agrees is None and said[0].why
