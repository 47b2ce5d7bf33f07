"""sparsedyn.live on ROS 2: publishers that are killed and start again, two of one topic, a subscriber that does not read."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn.live import Finding, Sample
from sparsedyn.live._outputs import POSE, POSE_ERRORS, TWIST, WRENCH, Health

rclpy = pytest.importorskip("rclpy", reason="ROS 2 is not installed: pip install ros-rclpy ros-sensor-msgs …")

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARM = ROOT / "robots/arm.urdf"
MAPPING = {"clock": {"topic": "/joints"}, "topics": {"/joints": {"position": "q", "velocity": "dq", "effort": "y.ddq"}}}

PUBLISHER = """
import sys, time, rclpy
from sensor_msgs.msg import JointState
rclpy.init()
node = rclpy.create_node("robot" + sys.argv[1])
publisher = node.create_publisher(JointState, "/joints", 10)
joints, value, offset = sys.argv[4].split(","), float(sys.argv[2]), float(sys.argv[5])
ends = time.monotonic() + float(sys.argv[3])
while time.monotonic() < ends:
    message = JointState(name=joints, position=[value] * len(joints), velocity=[0.0] * len(joints), effort=[0.5] * len(joints))
    now = time.time() + offset
    message.header.stamp.sec, message.header.stamp.nanosec = int(now), int(now % 1 * 1e9)
    publisher.publish(message)
    time.sleep(0.01)
"""


@pytest.fixture(autouse=True)
def domain(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", str(os.getpid() % 100))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def started(arguments, **more):
    return subprocess.Popen([sys.executable, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})


def until(what, seconds=20):
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "nothing came"
        time.sleep(0.05)


def samples_of(diagnostics):
    return int(next(value.value for value in diagnostics.status[0].values if value.key == "samples"))


def test_publishers_come_go_and_double_and_a_subscriber_that_does_not_read_holds_nothing_up(arm, tmp_path):
    mapping, out, found = tmp_path / "mapping.json", tmp_path / "out.csv", tmp_path / "found.json"
    mapping.write_text(json.dumps(MAPPING))
    live = started(["-m", "sparsedyn.live", ARM, "--sensors", "inverse-dynamics", "--outputs", "tau,ddq", "--mapping", mapping,
                    "--transport", "ros", "-o", "-", "--diagnostics", found, "--json"], stdout=out.open("w"))
    publishers = []

    def publisher(name, value, offset=0.0):
        publishers.append(started(["-c", PUBLISHER, name, str(value), "30", ",".join(arm.joint_names), str(offset)]))
        return publishers[-1]

    def rows():
        return out.read_text().splitlines()[1:] if out.exists() else []

    rclpy.init()
    try:
        node = rclpy.create_node("watcher")
        from diagnostic_msgs.msg import DiagnosticArray
        from sensor_msgs.msg import JointState

        node.create_subscription(JointState, "/sparsedyn_live/joint_states", lambda message: None, 10)  # never read
        heard = []
        listener = rclpy.create_node("listener")
        listener.create_subscription(DiagnosticArray, "/diagnostics", heard.append, 1000)
        first = publisher("a", 0.1)
        until(lambda: len(rows()) > 50)
        first.send_signal(signal.SIGKILL)
        until(lambda: '"silent"' in found.read_text())
        count = len(rows())
        publisher("b", 0.2)
        until(lambda: len(rows()) > count + 50)
        count = len(rows())
        publisher("c", 0.2, 1e-4)  # of the same topic
        until(lambda: len(rows()) > count + 100)
        ends = time.monotonic() + 20
        while time.monotonic() < ends and not (heard and samples_of(heard[-1]) > 200):
            rclpy.spin_once(listener, timeout_sec=0.1)
    finally:
        rclpy.shutdown()
        for each in publishers:
            each.kill()
            each.communicate()
        live.send_signal(signal.SIGINT)
        _, errors = live.communicate(timeout=20)
    assert live.returncode == 0, errors
    assert samples_of(heard[-1]) > 200 and heard[-1].status[0].name == "sparsedyn_live"
    assert any(status.hardware_id == "/joints" and status.message.startswith("/joints silent at") for each in heard for status in each.status)
    summary = json.loads(errors.splitlines()[-1])
    assert summary["samples"] == summary["answered"] > 200 and not any(summary["lost"].values())
    expected = {value: sd.rnea(arm, [value] * arm.nq, np.zeros(arm.nv), np.full(arm.nv, 0.5)) for value in (0.1, 0.2)}
    names = out.read_text().splitlines()[0].split(",")
    at = [names.index(f"tau.{joint}") for joint in arm.joint_names]
    for row in rows()[:20] + rows()[-20:]:
        tau = np.array([float(row.split(",")[k]) for k in at])
        assert min(np.abs(tau - each).max() for each in expected.values()) < 1e-9


def test_a_sample_is_messages_with_their_deviations():
    from sparsedyn.live._ros import Ros

    columns = [*POSE, *TWIST, "q.knee", "dq.knee", "tau.knee", "ddq.knee", *(f"fx.left-foot.{part}" for part in WRENCH)]
    columns += [*("sd." + name for name in (*POSE_ERRORS, *TWIST)), "cov.q.base.x|q.base.ry", "cov.dq.base.wz|dq.base.vy", *(f"sd.fx.left-foot.{part}" for part in WRENCH)]
    values = np.arange(1.0, len(columns) + 1)
    ros = Ros(columns)
    heard = {}
    try:
        from geometry_msgs.msg import WrenchStamped
        from nav_msgs.msg import Odometry
        from rclpy.executors import SingleThreadedExecutor
        from sensor_msgs.msg import JointState
        from trajectory_msgs.msg import JointTrajectory

        node = rclpy.create_node("listener")
        for kind, topic in ((Odometry, "odometry"), (WrenchStamped, "wrench/left_foot"), (WrenchStamped, "wrench/left_foot/deviation"),
                            (JointState, "joint_states"), (JointTrajectory, "accelerations")):
            node.create_subscription(kind, f"/sparsedyn_live/{topic}", lambda message, topic=topic: heard.setdefault(topic, message), 10)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        ends = time.monotonic() + 15
        while len(heard) < 5 and time.monotonic() < ends:
            ros.publish([Sample(12.25, 0, 0, True, "", values)])
            ros.tell([Finding("stuck", False, "y.motor.knee", "motor", 1.0, 2.0, 0.0)], Health(), {"samples": 1})
            executor.spin_once(timeout_sec=0.1)
    finally:
        ros.close()
    assert len(heard) == 5, heard.keys()
    odometry = heard["odometry"]
    assert (odometry.header.stamp.sec, odometry.header.stamp.nanosec, odometry.header.frame_id) == (12, 250_000_000, "world")
    assert (odometry.pose.pose.position.x, odometry.pose.pose.orientation.w) == (1, 7)
    assert (odometry.twist.twist.linear.x, odometry.twist.twist.angular.z) == (8, 13)
    at = columns.index("sd.q.base.x")
    assert list(np.diag(np.reshape(odometry.pose.covariance, (6, 6)))) == [(at + k + 1.0) ** 2 for k in range(6)]
    assert list(np.diag(np.reshape(odometry.twist.covariance, (6, 6)))) == [(at + k + 7.0) ** 2 for k in range(6)]
    assert odometry.pose.covariance[4] == odometry.pose.covariance[4 * 6] == at + 13.0  # x with a turn about y
    assert odometry.twist.covariance[6 + 5] == odometry.twist.covariance[5 * 6 + 1] == at + 14.0
    force = columns.index("fx.left-foot.fx") + 1
    assert heard["wrench/left_foot"].header.frame_id == "left-foot" and heard["wrench/left_foot"].wrench.force.x == force
    assert heard["wrench/left_foot/deviation"].wrench.torque.z == columns.index("sd.fx.left-foot.nz") + 1
    joints = heard["joint_states"]
    assert (joints.name, list(joints.position), list(joints.velocity), list(joints.effort)) == (["knee"], [14], [15], [16])
    assert list(heard["accelerations"].points[0].accelerations) == [17]
