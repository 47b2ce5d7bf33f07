"""ROS 2 by rclpy: pip install 'sparsedyn[ros]', or a sourced installation.

Subscribes to JointState, Imu, WrenchStamped, Wrench and Odometry; publishes, under the node's name (`~`):

    ~/odometry            nav_msgs/Odometry with covariance (1e9: unknown), where q.base and dq.base are tracked
    ~/joint_states        sensor_msgs/JointState: q, dq, tau; joints of which other numbers are known have a message of their own
    ~/accelerations       trajectory_msgs/JointTrajectory of one point: ddq
    ~/wrench/LINK         geometry_msgs/WrenchStamped in the link's frame; ~/wrench/LINK/deviation its standard deviations
    ~/change              std_msgs/String, taken: `tare NAME`, `sigma NAME VALUE`, … as `sparsedyn live --control`
    /diagnostics          diagnostic_msgs/DiagnosticArray, each second and at each finding
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._scale.mapping import Topic, is_unknown
from ._loop import Finding, Sample
from ._outputs import Health, Outputs, covariance, in_words, topic_names
from ._rows import Message, Topics
from ._transports import Inlet

DEPTH = 200  #: messages that wait for Python, of each topic
LOOK_EVERY = 0.5  #: s, for topics of another type than their fields suggest
TYPES = ("sensor_msgs/msg/JointState", "sensor_msgs/msg/Imu", "geometry_msgs/msg/WrenchStamped", "geometry_msgs/msg/Wrench",
         "nav_msgs/msg/Odometry")


def _module(name: str) -> Any:
    """Of ROS 2. Raises ImportError in words."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"ROS 2: no {name}: source an installation, or pip install 'sparsedyn[ros]'") from None


def _kind(name: str) -> Any:
    """Of messages, as `nav_msgs/msg/Odometry`."""
    package, _, kind = name.split("/")
    return getattr(_module(f"{package}.msg"), kind)


def type_by_fields(topic: Topic) -> str:
    """Which of TYPES a topic of a mapping has, as long as no publisher says it."""
    fields = set(topic.fields)
    if fields & {"force", "torque"}:
        return "geometry_msgs/msg/WrenchStamped"
    if "linear_velocity" in fields or ("position" in fields and fields & {"orientation", "angular_velocity"}):
        return "nav_msgs/msg/Odometry"
    return "sensor_msgs/msg/Imu" if fields & {"orientation", "angular_velocity", "linear_acceleration"} else TYPES[0]


def message_of(message: Any, fields: Sequence[str], now: float) -> Message:
    """now: of messages without a header."""
    stamp = now
    if hasattr(message, "header"):
        stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
    if hasattr(message, "name"):
        return Message(stamp, tuple(message.name), {field: getattr(message, field, ()) for field in fields})
    found: dict[str, Sequence[float]] = {}
    for field in fields:
        if is_unknown(message, field):
            found[field] = ()
            continue
        part: Any = message
        if hasattr(message, "wrench"):
            part = message.wrench
        if hasattr(message, "pose") and field in ("position", "orientation"):
            part = message.pose.pose
        elif hasattr(message, "twist"):
            part, field_there = message.twist.twist, field.removesuffix("_velocity")
            found[field] = _vector(getattr(part, field_there))
            continue
        found[field] = _vector(getattr(part, field))
    return Message(stamp, (), found)


def _vector(part: Any) -> list[float]:
    return [part.x, part.y, part.z, part.w] if hasattr(part, "w") else [part.x, part.y, part.z]


class Ros:
    """A node. frame: of the world, in which the base's pose is; base: the root link's."""

    def __init__(self, columns: Sequence[str], name: str = "sparsedyn_live", frame: str = "world", base: str = "base") -> None:
        self._rclpy = _module("rclpy")
        self._rclpy.init(signal_handler_options=_module("rclpy.signals").SignalHandlerOptions.NO)
        self._node = self._rclpy.create_node(name)
        self._outputs, self._frame, self._base = Outputs(columns), frame, base
        self._topic_of = topic_names([wrench.link for wrench in self._outputs.wrenches])
        self._notes = [f"~/wrench/{name} is that of {link}: another link's topic would have the same name"
                       for link, name in self._topic_of.items() if name != topic_names([link])[link]]
        self._subscriptions: dict[str, tuple[str, Any]] = {}
        self._publishers: dict[str, Any] = {}
        self._diagnostics = self._publisher_of("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")

    def notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes

    def start(self, topics: Topics | None, inlet: Inlet) -> None:
        assert topics is not None
        self._topics, self._inlet = topics, inlet
        for name in topics.names:
            self._subscribe(name, type_by_fields(topics.mapping.topics[name]))
        self._node.create_subscription(_kind("std_msgs/msg/String"), "~/change", lambda message: inlet.change(message.data), 10)
        self._node.create_timer(LOOK_EVERY, self._look)
        self._executor = _module("rclpy.executors").SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except Exception as error:  # noqa: BLE001: of a callback, or a context that was shut down; the run ends and says so
            if not self._inlet.closed:
                self._inlet.error = f"{type(error).__name__}: {error}"
        finally:
            self._inlet.ended.set()

    def _subscribe(self, topic: str, kind: str) -> None:
        of = _module("rclpy.qos")
        # best effort takes from every publisher, and waits for none
        qos = of.QoSProfile(depth=DEPTH, history=of.HistoryPolicy.KEEP_LAST, reliability=of.ReliabilityPolicy.BEST_EFFORT)
        if topic in self._subscriptions:
            self._node.destroy_subscription(self._subscriptions[topic][1])
        fields = tuple(self._topics.mapping.topics[topic].fields)

        def deliver(message: Any) -> None:
            try:
                said = message_of(message, fields, self._inlet.now())
            except AttributeError as lacking:
                return self._inlet.wrong(topic, f"{kind}: no {lacking.name}; expected a message that has it")
            self._inlet.deliver(topic, said)

        self._subscriptions[topic] = kind, self._node.create_subscription(_kind(kind), topic, deliver, qos)

    def _look(self) -> None:
        """Publishers say of which type a topic is."""
        there = dict(self._node.get_topic_names_and_types())
        for topic, (kind, _) in list(self._subscriptions.items()):
            kinds = [each for each in there.get(topic if topic.startswith("/") else "/" + topic, []) if each != kind]
            known = [each for each in kinds if each in TYPES]
            if known and not self._inlet.counts[topic]["messages"]:
                self._subscribe(topic, known[0])

    def _publisher_of(self, name: str, kind: str) -> Any:
        """The type of its messages, and the publisher."""
        if name not in self._publishers:
            message = _kind(kind)
            self._publishers[name] = message, self._node.create_publisher(message, name, 10)
        return self._publishers[name]

    def _stamp(self, time: float) -> Any:
        seconds = int(np.floor(time))
        nanoseconds = round(1e9 * (time - seconds))
        if nanoseconds == 10**9:
            seconds, nanoseconds = seconds + 1, 0
        return _kind("builtin_interfaces/msg/Time")(sec=max(-2**31, min(seconds, 2**31 - 1)), nanosec=nanoseconds)

    def publish(self, samples: Sequence[Sample]) -> None:
        for sample in samples:
            if sample.ok:
                self._publish(sample)

    def _publish(self, sample: Sample) -> None:
        x, out, stamp = sample.values, self._outputs, self._stamp(sample.time)
        if out.pose is not None and out.twist is not None and np.isfinite(x[out.pose + out.twist]).all():
            kind, publisher = self._publisher_of("~/odometry", "nav_msgs/msg/Odometry")
            message = kind()
            message.header.stamp, message.header.frame_id, message.child_frame_id = stamp, self._frame, self._base
            place, turn = message.pose.pose.position, message.pose.pose.orientation
            place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w = (float(x[k]) for k in out.pose)
            for part, at in ((message.twist.twist.linear, out.twist[:3]), (message.twist.twist.angular, out.twist[3:])):
                part.x, part.y, part.z = (float(x[k]) for k in at)
            message.pose.covariance, message.twist.covariance = covariance(x, out.pose_deviations), covariance(x, out.twist_deviations)
            publisher.publish(message)
        for wrench in out.wrenches:
            topic = f"~/wrench/{self._topic_of[wrench.link]}"
            self._wrench(topic, wrench.link, stamp, x, wrench.values)
            if wrench.deviations is not None:
                self._wrench(f"{topic}/deviation", wrench.link, stamp, x, wrench.deviations)
        self._joints(stamp, x)

    def _wrench(self, topic: str, link: str, stamp: Any, x: Any, places: list[int]) -> None:
        if not np.isfinite(x[places]).all():
            return
        kind, publisher = self._publisher_of(topic, "geometry_msgs/msg/WrenchStamped")
        message = kind()
        message.header.stamp, message.header.frame_id = stamp, link
        for part, at in ((message.wrench.force, places[:3]), (message.wrench.torque, places[3:])):
            part.x, part.y, part.z = (float(x[k]) for k in at)
        publisher.publish(message)

    def _joints(self, stamp: Any, x: Any) -> None:
        fields = {"q": "position", "dq": "velocity", "tau": "effort"}
        for kinds, names, numbers in self._outputs.of_joints(tuple(fields), x):
            kind, publisher = self._publisher_of("~/joint_states", "sensor_msgs/msg/JointState")
            message = kind()
            message.header.stamp, message.name = stamp, names
            for each, values in zip(kinds, numbers):
                setattr(message, fields[each], values)
            publisher.publish(message)
        for _, names, (accelerations,) in self._outputs.of_joints(("ddq",), x):
            kind, publisher = self._publisher_of("~/accelerations", "trajectory_msgs/msg/JointTrajectory")
            message = kind()
            message.header.stamp, message.joint_names = stamp, names
            message.points = [_kind("trajectory_msgs/msg/JointTrajectoryPoint")(accelerations=accelerations)]
            publisher.publish(message)

    def tell(self, findings: Sequence[Finding], health: Health, counts: dict[str, Any]) -> None:
        DiagnosticStatus, KeyValue = _kind("diagnostic_msgs/msg/DiagnosticStatus"), _kind("diagnostic_msgs/msg/KeyValue")
        kind, publisher = self._diagnostics
        message = kind()
        message.header.stamp = self._node.get_clock().now().to_msg()
        values = [KeyValue(key=str(key), value=str(value)) for key, value in counts.items()]
        worst = DiagnosticStatus.ERROR if health.faults else DiagnosticStatus.OK
        message.status = [DiagnosticStatus(level=worst, name="sparsedyn_live", message=f"{len(health.faults)} faults", values=values)]
        for (name, fault), found in health.faults.items():
            level = DiagnosticStatus.STALE if fault in ("missing", "silent") else DiagnosticStatus.ERROR
            message.status.append(DiagnosticStatus(level=level, name=f"sparsedyn_live: {found.sensor or name}", hardware_id=name,
                                                   message=in_words(found), values=[KeyValue(key="since", value=repr(found.since))]))
        for found in findings:
            if (found.name, found.kind) not in health.faults:
                message.status.append(DiagnosticStatus(level=DiagnosticStatus.OK if found.over else DiagnosticStatus.WARN,
                                                       name=f"sparsedyn_live: {found.sensor or found.name}", hardware_id=found.name,
                                                       message=in_words(found)))
        publisher.publish(message)

    def close(self) -> None:
        if hasattr(self, "_executor"):
            self._executor.shutdown()
            self._thread.join(2)
        self._node.destroy_node()
        self._rclpy.try_shutdown()
