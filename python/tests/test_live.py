"""sparsedyn.live: rows, messages and lines in, samples out, beside the solver and the tracker on the same numbers."""

import json
import pathlib
import threading
import time

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn._scale.mapping import Mapping_
from sparsedyn.live import _transports as transports
from sparsedyn.live import Live, Message, Topics, WrongMessage
from sparsedyn.live._ros import message_of as message_of_ros
from sparsedyn.live._ros import type_by_fields
from sparsedyn.live._rows import TopicRows
from sparsedyn.live._text import message_of, parsed

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARM = ROOT / "robots/arm.urdf"
MAPPING = {"clock": {"topic": "/joints"},
           "topics": {"/joints": {"position": "q", "velocity": "dq", "effort": "y.ddq"}}}  # an effort that holds accelerations


def taken_all(live, seconds=10):
    samples, findings, more = [], [], True
    while more:
        taken = live.take(0.1)
        samples += taken.samples
        findings += taken.findings
        more = taken.more
    return samples, findings


@pytest.fixture(scope="module")
def log(arm):
    table = sd.simulate(arm, "inverse-dynamics", seconds=1, rate=100, seed=3)
    return {name: np.array(table[name]) for name in table.column_names}


def row_of(live, log, k):
    return [next((log[c][k] for c in reading.columns if c in log), np.nan) for reading in live.readings]


def test_a_loop_gives_the_solvers_numbers(arm, log, tmp_path):
    live = Live(arm, "inverse-dynamics", outputs=["tau"], record=tmp_path / "run.mcap")
    solver = sd.Solver(arm, "inverse-dynamics", outputs=["tau"])
    assert live.columns == solver.outputs and live.start() == []
    count = len(log["time"])
    for k in range(count):
        assert live.put(0, log["time"][k], row_of(live, log, k))
    live.end()
    samples, findings = taken_all(live)
    assert len(samples) == count and not findings
    expected = solver.solve_log({name: log[name] for name in log})
    for k, sample in enumerate(samples):
        assert sample.ok and sample.time == log["time"][k] and sample.done >= sample.ready
        assert list(sample.values) == [expected[name][k] for name in live.columns]
    summary = live.summary()
    assert summary.samples == summary.answered == count and summary.sources["input"]["readings"] == count
    assert not any(summary.lost.values()) and 0 < summary.delays["median"] <= summary.delays["worst"]
    assert (tmp_path / "run.mcap").stat().st_size > count * 8 * len(live.readings)


def test_a_loop_over_time_gives_the_trackers_numbers(arm):
    sensors = {"name": "arm", "prior": {"ddq": 300},
               "sensors": [{"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-4},
                           {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                           {"name": "air", "type": "external_wrench", "link": "*"}]}
    live = Live(arm, sensors, over_time=True, outputs=["q", "dq", "tau"], sd=True)
    tracker = sd.Tracker(arm, sensors, outputs=["q", "dq", "tau"], sd=True)
    assert live.columns == tracker.columns
    rng = np.random.default_rng(1)
    rows = 0.01 * rng.standard_normal((50, len(live.readings)))
    live.start()
    for k, row in enumerate(rows):
        live.put(0, 0.01 * k, row)
    live.change("sigma torques 5")
    with pytest.raises(ValueError, match="no sensor or column nobody"):
        live.change("sigma nobody 1")
    live.put(0, 0.5, rows[0])
    live.end()
    samples, findings = taken_all(live)
    times = [sample.time for sample in samples]
    tracked = [tracker.step(row, 0.01 if k == 0 else times[k] - times[k - 1]) for k, row in enumerate(rows)]
    assert len(samples) == 51
    for sample, expected in zip(samples, tracked):
        assert np.array_equal(sample.values, expected, equal_nan=True)
    at = live.columns.index("sd.tau.joint1")
    assert samples[50].values[at] > 1.5 * samples[49].values[at]
    assert {found.kind for found in findings} == {"changed"}


def test_topics_of_a_floating_robot_are_tracked(quadruped, tmp_path):
    trunk, feet = quadruped.link_names[0], [name for name in quadruped.link_names if "foot" in name]
    sensors = {"sensors": [
        {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-3},
        {"name": "gyro", "type": "gyroscope", "link": trunk, "sigma": 2e-3, "bias": {"sigma": 0.01}},
        {"name": "push", "type": "accelerometer", "link": trunk, "sigma": 0.05, "bias": {"sigma": 0.1}},
        *({"name": foot, "type": "contact", "link": foot} for foot in feet)]}
    topics = Topics(Mapping_.read({"clock": {"topic": "/joints"}, "topics": {
        "/imu": {"angular_velocity": "y.gyro", "linear_acceleration": "y.push", "unit": {"linear_acceleration": "g"}},
        "/feet": {"position": "y", "joints": {foot: f"{foot}.on" for foot in feet}}, "/joints": {"position": "y.encoders"}}}), "m.json")
    assert topics.names[0] == "/joints"
    live = Live(quadruped, sensors, over_time=True, outputs=["q.base", "dq.base"], sd=True, sources=topics.names)
    tracker = sd.Tracker(quadruped, sensors, outputs=["q.base", "dq.base"], sd=True)
    topics.bind(live)
    live.start()
    rng = np.random.default_rng(1)
    joints, rows = [name for name in quadruped.joint_names if name != "base"], []
    for k in range(40):
        q, turn, push = 0.1 * rng.standard_normal(len(joints)), 0.01 * rng.standard_normal(3), np.array([0.0, 0, 1]) + 0.01 * rng.standard_normal(3)
        flags = np.ones(len(feet)) if k < 20 else np.eye(len(feet))[k % len(feet)]
        order = rng.permutation(len(joints))
        for name, message in (("/imu", Message(0.004 * k, (), {"angular_velocity": turn, "linear_acceleration": push})),
                              ("/feet", Message(0.004 * k, tuple(feet), {"position": flags})),
                              ("/joints", Message(0.004 * k, tuple(joints[i] for i in order), {"position": q[order]}))):
            assert topics.put(name, message, lambda: 0.0)
        rows.append({**{f"y.encoders.{joint}": each for joint, each in zip(joints, q)},
                     **{f"y.gyro.{c}": each for c, each in zip("xyz", turn)}, **{f"y.push.{c}": 9.80665 * each for c, each in zip("xyz", push)},
                     **{f"y.{foot}.on": each for foot, each in zip(feet, flags)}})
    live.end()
    samples, _ = taken_all(live)
    assert len(samples) == 40 and topics.lacking() == topics.standing() == []
    for k, (sample, row) in enumerate(zip(samples, rows)):
        expected = tracker.step(row, 0.004 if k == 0 else sample.time - samples[k - 1].time)
        assert np.array_equal(sample.values, expected, equal_nan=True), k


def test_feet_without_flags_are_said_to_stand(quadruped):
    trunk, foot = quadruped.link_names[0], "lf_foot"
    sensors = {"sensors": [{"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-3},
                           {"name": "gyro", "type": "gyroscope", "link": trunk, "sigma": 2e-3},
                           {"name": "push", "type": "accelerometer", "link": trunk, "sigma": 0.05}, {"name": foot, "type": "contact", "link": foot}]}
    topics = Topics(Mapping_.read({"clock": {"topic": "/imu"}, "topics": {
        "/imu": {"angular_velocity": "y.gyro", "linear_acceleration": "y.push"}, "/joints": {"position": "y.encoders"}}}), "m.json")
    topics.bind(Live(quadruped, sensors, over_time=True, sources=topics.names))
    topics.put("/imu", Message(0, (), {"angular_velocity": [0, 0, 0], "linear_acceleration": [0, 0, 9.81]}), lambda: 0.0)
    topics.put("/joints", Message(0, tuple(quadruped.joint_names), {"position": [0.0] * len(quadruped.joint_names)}), lambda: 0.0)
    assert topics.heard and topics.lacking() == [] and topics.standing() == ["y.lf_foot.on"]


def test_what_is_out_of_range_is_refused(arm):
    for wrong in ({"rate": -1}, {"rate": float("nan")}, {"wait": 1}, {"sources": []}, {"missing_after": -1}, {"priority": 100}):
        with pytest.raises(ValueError):
            Live(arm, "inverse-dynamics", **wrong)
    live = Live(arm, "inverse-dynamics")
    with pytest.raises(ValueError, match="values: "):
        live.put(0, 0.0, [1.0, 2.0])
    with pytest.raises(IndexError):
        live.put(1, 0.0, np.zeros(len(live.readings)))
    with pytest.raises(RuntimeError):
        live.summary()
    live.start()
    with pytest.raises(RuntimeError, match="starts once"):
        live.start()


def test_take_lets_other_threads_run_and_one_take_at_a_time(arm):
    live = Live(arm, "inverse-dynamics")
    live.start()
    refused, ended = [], threading.Event()  # whichever of the two it is

    def take():
        while not refused and not ended.is_set():
            try:
                live.take(0.05)
            except RuntimeError as error:
                refused.append(str(error))

    thread = threading.Thread(target=take)
    thread.start()
    ends = time.monotonic() + 30
    while not refused and time.monotonic() < ends:
        try:
            live.take(0.05)
        except RuntimeError as error:
            refused.append(str(error))
    ended.set()
    thread.join()
    live.end()
    assert refused and all("another thread" in each for each in refused)


def test_messages_are_rows_by_name_whatever_their_order(arm):
    mapping = Mapping_.read({"clock": {"rate": 100}, "topics": {
        "/a": {"position": "q", "velocity": "dq", "joints": {"left": "joint1", "right": "joint2"}, "unit": {"position": "deg"}},
        "/b": {"position": "q", "effort": "y.ddq"}, "/rest": {"velocity": "dq"}}})
    topics = Topics(mapping, "m.json")
    live = Live(arm, "inverse-dynamics", sources=topics.names)
    topics.bind(live)
    at = {column: k for k, reading in enumerate(live.readings) for column in reading.columns}
    for names, values in ((("left", "right"), [90.0, 180.0]), (("right", "other", "left"), [180.0, 7.0, 90.0])):
        row = topics.rows["/a"].row(Message(0, names, {"position": values, "velocity": [1.0] * len(names)}))
        assert row[at["q.joint1"]] == pytest.approx(np.pi / 2) and row[at["q.joint2"]] == pytest.approx(np.pi)
        assert row[at["dq.joint2"]] == 1 and np.isfinite(row).sum() == 4
    row = topics.rows["/b"].row(Message(0, ("joint3",), {"position": [0.5], "effort": []}))  # an empty field is a gap
    assert row[at["q.joint3"]] == 0.5 and np.isfinite(row).sum() == 1
    for wrong in (Message(0, ("joint3",), {"position": [0.5, 1]}), Message(0, ("joint3", "joint3"), {"position": [1, 1]}),
                  Message(0, ("joint3",), {"position": [float("inf")]}), Message(0, (), {"effort": [1.0]})):
        with pytest.raises(WrongMessage):
            topics.rows["/b"].row(wrong)
    with pytest.raises(WrongMessage, match="stamp"):
        topics.put("/b", Message(float("nan"), ("joint3",), {"position": [0.5]}), lambda: 0.0)
    for stamp in [0.0] * 11 + [1.0]:
        topics.put("/b", Message(stamp, ("joint3",), {"position": [0.5]}), lambda: 0.0)
    with pytest.raises(WrongMessage, match='"stamp": "log"'):
        for _ in range(12):
            topics.put("/b", Message(1.0, ("joint3",), {"position": [0.5]}), lambda: 0.0)
    two = Mapping_.read({"clock": {"rate": 1}, "topics": {"/a": {"position": "q", "joints": {"left": "joint1", "right": "joint1"}}}})
    with pytest.raises(WrongMessage, match="two joints are q.joint1"):
        TopicRows("/a", two.topics["/a"], live.readings).row(Message(0, ("left", "right"), {"position": [1, 2]}))
    for k in range(1000):  # of one that names other joints each time
        topics.rows["/b"].row(Message(0, (f"j{k}",), {"position": [0.5]}))
    assert len(topics.rows["/b"]._layouts) <= 64
    assert not topics.heard  # /rest has not been heard
    topics.rows["/rest"].row(Message(0, ("joint1",), {"velocity": [0.5]}))
    assert "q.joint4" in topics.lacking()


def test_a_mapping_that_lacks_a_column_is_refused_at_once(arm):
    topics = Topics(Mapping_.read({"clock": {"topic": "/a"}, "topics": {"/a": {"position": "q", "velocity": "dq"}}}), "m.json")
    with pytest.raises(sd.InputError, match=r"m.json: topics: no column .*ddq.joint1.*; expected a column for each input"):
        topics.bind(Live(arm, "inverse-dynamics", sources=topics.names))
    for wrong in ({"clock": {"rate": 1}, "topics": {}}, {"clock": {"rate": 1}, "differentiate": {"window": 1}, "topics": {"/a": {"position": "q"}}}):
        with pytest.raises(sd.InputError):
            Topics(Mapping_.read(wrong), "m.json")


def text_of(data):
    return message_of(parsed(data))


def test_text_is_read_or_refused():
    topic, message = text_of('{"topic": "/imu", "stamp": 2, "angular_velocity": {"x": 1, "y": null, "z": 3}, '
                                '"orientation": [0, 0, 0, 1]}')
    assert topic == "/imu" and message.stamp == 2 and message.names == ()
    assert np.isnan(message.fields["angular_velocity"][1]) and message.fields["orientation"] == [0, 0, 0, 1]
    for wrong in ("", "[1]", "{", '{"topic": 1}', '{"name": "a"}', '{"stamp": "x"}', '{"position": 1}', '{"position": ["a"]}',
                  '{"position": [true]}', '{"stamp": 1e999, "position": [' + "9" * 400 + "]}", "[" * 5000, "x" * 70000,
                  json.dumps({"position": [0] * 5000})):
        with pytest.raises(WrongMessage):
            text_of(wrong)
    rng = np.random.default_rng(5)
    good = b'{"topic": "/a", "stamp": 1, "name": ["a"], "position": [1]}'
    for _ in range(2000):
        data = bytearray(good)
        for place in rng.integers(0, len(data), 3):
            data[place] = rng.integers(0, 256)
        try:
            text_of(bytes(data))
        except WrongMessage:
            pass


class Of:
    """A ROS message's shape."""

    def __init__(self, **parts):
        self.__dict__.update(parts)


def test_ros_messages_are_read_by_field():
    header, vector, turn = Of(stamp=Of(sec=3, nanosec=500_000_000)), Of(x=1, y=2, z=3), Of(x=0, y=0, z=0, w=1)
    imu = message_of_ros(Of(header=header, angular_velocity=vector, orientation=turn), ["angular_velocity", "orientation"], 9)
    assert imu.stamp == 3.5 and imu.fields == {"angular_velocity": [1, 2, 3], "orientation": [0, 0, 0, 1]}
    joints = message_of_ros(Of(header=header, name=["a"], position=[1], velocity=[]), ["position", "velocity"], 9)
    assert joints.names == ("a",) and joints.fields == {"position": [1], "velocity": []}
    wrench = Of(force=vector, torque=vector)
    assert message_of_ros(wrench, ["force"], 9).stamp == 9 and message_of_ros(Of(header=header, wrench=wrench), ["torque"], 9).stamp == 3.5
    odometry = Of(header=header, pose=Of(pose=Of(position=vector, orientation=turn)), twist=Of(twist=Of(linear=vector, angular=vector)))
    said = message_of_ros(odometry, ["position", "orientation", "linear_velocity", "angular_velocity"], 9)
    assert said.fields["position"] == said.fields["linear_velocity"] == [1, 2, 3] and len(said.fields["orientation"]) == 4
    blind = Of(header=header, angular_velocity=vector, orientation=turn, orientation_covariance=[-1] + 8 * [0], angular_velocity_covariance=9 * [0])
    assert message_of_ros(blind, ["angular_velocity", "orientation"], 9).fields == {"angular_velocity": [1, 2, 3], "orientation": ()}
    with pytest.raises(AttributeError):
        message_of_ros(Of(header=header), ["force"], 9)
    kinds = [type_by_fields(topic).split("/")[2] for topic in Mapping_.read({"clock": {"rate": 1}, "topics": {
        "a": {"position": "q"}, "b": {"force": "y.f"}, "c": {"linear_acceleration": "y.i"},
        "d": {"position": "q.base", "orientation": "q.base"}}}).topics.values()]
    assert kinds == ["JointState", "WrenchStamped", "Imu", "Odometry"]


def test_a_stream_waits_for_a_loop_that_is_behind_but_not_for_one_that_has_stalled(arm, monkeypatch):
    monkeypatch.setattr(transports, "PATIENCE", 0.2)
    topics = Topics(Mapping_.read(MAPPING), "m.json")
    live = Live(arm, "inverse-dynamics", sources=topics.names)
    topics.bind(live)
    row = np.zeros(len(live.readings))
    inlet = transports.Inlet(live, topics)
    inlet.wait_for_room()
    count = 0
    while live.has_room():  # nobody takes: the loop has not begun
        live.put(0, 0.01 * count, row)
        count += 1
    assert 2000 < count < 4096
    assert inlet._patience == 0.2
    for _ in range(3):
        inlet.wait_for_room()
        assert inlet._patience == 0  # not again, until there is room
    live.start()
    while not live.has_room():
        live.take(0.01)
    inlet.wait_for_room()
    monkeypatch.setattr(transports, "PATIENCE", 30)
    inlet.wait_for_room()
    assert inlet._patience == 30
    ended = threading.Event()

    def take():
        while not ended.is_set():
            live.take(0.01)

    thread = threading.Thread(target=take)
    thread.start()
    try:
        for k in range(count, count + 6000):
            inlet.wait_for_room()
            assert live.put(0, 0.01 * k, row)
    finally:
        ended.set()
        thread.join()
    live.end()
    assert live.losses()["readings"] == 0
