"""Mappings of recordings: units by field and joint, Odometry and bare wrenches, and mistakes told with their place."""

import json

import numpy as np
import pytest
from test_formats import HEADER, JOINT_STATE, START, VECTOR

import sparsedyn as sd

QUATERNION = """================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
ODOMETRY = HEADER.format(fields="string child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
                                "geometry_msgs/TwistWithCovariance twist") + VECTOR + QUATERNION + """\
================================================================================
MSG: geometry_msgs/PoseWithCovariance
geometry_msgs/Pose pose
float64[36] covariance
================================================================================
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
================================================================================
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
================================================================================
MSG: geometry_msgs/TwistWithCovariance
geometry_msgs/Twist twist
float64[36] covariance
================================================================================
MSG: geometry_msgs/Twist
geometry_msgs/Vector3 linear
geometry_msgs/Vector3 angular
"""
BARE_WRENCH = "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n" + VECTOR


def vector(x, y, z):
    return {"x": float(x), "y": float(y), "z": float(z)}


@pytest.fixture
def recording(tmp_path):
    """Joints in degrees and a gripper in centimetres, odometry, and wrenches without a header: 1 s at 100 Hz."""
    mcap_ros2 = pytest.importorskip("mcap_ros2.writer")
    path = tmp_path / "log.mcap"
    with open(path, "wb") as file:
        writer = mcap_ros2.Writer(file)
        joints = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        odometry = writer.register_msgdef("nav_msgs/msg/Odometry", ODOMETRY)
        wrench = writer.register_msgdef("geometry_msgs/msg/Wrench", BARE_WRENCH)
        for k in range(101):
            at, t = START + k * 10_000_000, k / 100
            header = {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": "odom"}
            writer.write_message("/joints", joints, {"header": header, "name": ["a", "b", "gripper"], "position": [90 * t, 45.0, 2 * t],
                                                     "velocity": [90.0, 0.0, 2.0], "effort": [1000 * t, 2.0, 3.0]}, log_time=at)
            turn = {"x": 0.0, "y": 0.0, "z": np.sin(t / 2), "w": np.cos(t / 2)}
            writer.write_message("/odom", odometry, {
                "header": header, "child_frame_id": "base",
                "pose": {"pose": {"position": vector(t, 2, 3), "orientation": turn}, "covariance": [0.0] * 36},
                "twist": {"twist": {"linear": vector(1, 0.1, 0.2), "angular": vector(0, 0, 1)}, "covariance": [0.0] * 36}}, log_time=at)
            writer.write_message("/ft", wrench, {"force": vector(t, 0, -9), "torque": vector(100, 0, 0)}, log_time=at)
        writer.finish()
    return path


def read(path, topics, **changes):
    table = sd.open_log(path, {"clock": {"topic": "/joints"}, "topics": topics, **changes}).read()
    return {name: table[name].to_numpy() for name in table.column_names}


@pytest.mark.parametrize("key", ["unit", "scale"])
def test_units_by_field_and_joint(recording, key):
    by_field = {"position": {"*": "deg", "gripper": 0.01}, "velocity": {"*": "deg/s", "gripper": "cm/s"}, "effort": {"a": "N·mm"}}
    found = read(recording, {"/joints": {"position": "q", "velocity": "dq", "effort": "y.motors", key: by_field}})
    t = found["time"] - START / 1e9
    assert np.allclose(found["q.a"], np.pi / 2 * t, atol=1e-6) and np.allclose(found["q.b"], np.pi / 4)
    assert np.allclose(found["q.gripper"], 0.02 * t, atol=1e-8) and np.allclose(found["dq.gripper"], 0.02)
    assert np.allclose(found["dq.a"], np.pi / 2) and np.allclose(found["y.motors.a"], t, atol=1e-6)
    assert np.array_equal(found["y.motors.b"], np.full(101, 2.0))


def test_units_and_scales_multiply(recording):
    found = read(recording, {"/joints": {"position": "q", "unit": "deg", "scale": {"position": {"b": -2}}}})
    assert np.allclose(found["q.b"], -np.pi / 2) and np.allclose(found["q.a"][-1], np.pi / 2)
    plain = read(recording, {"/joints": {"position": "q", "scale": -2}})
    assert np.allclose(plain["q.b"], -90)


def test_odometry_and_a_bare_wrench(recording):
    found = read(recording, {
        "/joints": {"position": "q"},
        "/odom": {"position": "q.base", "orientation": "q.base", "angular_velocity": "dq.base", "linear_velocity": "dq.base"},
        "/ft": {"force": "y.ft", "torque": "y.ft", "unit": {"torque": "N·mm"}, "scale": {"force": {"fz": -1}}}})
    t = found["time"] - START / 1e9
    assert np.allclose(found["q.base.x"], t, atol=1e-6) and (found["q.base.y"] == 2).all() and (found["q.base.z"] == 3).all()
    assert np.allclose(found["q.base.qz"], np.sin(t / 2), atol=1e-6) and (found["dq.base.vx"] == 1).all()
    assert (found["dq.base.wz"] == 1).all() and (found["dq.base.vz"] == 0.2).all()
    assert np.allclose(found["y.ft.fx"], t, atol=1e-6) and (found["y.ft.fz"] == 9).all() and np.allclose(found["y.ft.nx"], 0.1)


@pytest.mark.parametrize("topic, place, expected", [
    ({"position": "q", "unit": "furlong"}, "/joints.unit", "rad"),
    ({"position": "q", "unit": {"position": {"*": "N"}}}, "/joints.unit.position.*", "deg"),
    ({"position": "q", "unit": {"velocity": "deg"}}, "/joints.unit", "position, which this topic has"),
    ({"position": "q", "unit": {"position": {"gripper": None}}}, "/joints.unit.position.gripper", "a number"),
    ({"position": "q", "scale": {"position": {"gripper": float("inf")}}}, "/joints.scale.position.gripper", "a number"),
    ({"position": "q", "effort": "y.m", "unit": "deg"}, "/joints.unit", "N·m"),
    ({"position": "q", "joints": {"a": "a"}, "unit": {"position": {"b": "deg"}}}, "/joints.unit.position", "one of a, or *"),
    ({"position": {"*": "deg"}}, "/joints.position", "a prefix"),
    ({"position": "q", "unit": {"position": {"elbow": "deg"}}}, "/joints: position", "a, b, gripper"),
    ({"position": ["q.x", "q.y", "q.z"]}, "/joints: position", "a prefix"),
    ({"orientation": "q.base", "unit": {"orientation": "deg"}}, "/joints.unit.orientation", "an orientation has none"),
])
def test_mistakes_are_told_with_their_place(recording, topic, place, expected):
    with pytest.raises(sd.InputError) as error:
        read(recording, {"/joints": topic})
    assert place in str(error.value) and expected in str(error.value)


def test_the_line_of_a_mapping_file(recording, tmp_path):
    path = tmp_path / "map.json"
    path.write_text('{"clock": {"topic": "/joints"},\n "topics": {\n  "/joints": {"position": "q",\n'
                    '   "unit": {\n    "position": {"*": "deg",\n     "gripper": "inch"}}}}}\n')
    with pytest.raises(sd.InputError) as error:
        sd.open_log(recording, path)
    assert error.value.line == 6 and str(error.value).startswith(f"{path}:6: /joints.unit.position.gripper: 'inch'")
    path.write_text(json.dumps({"clock": {"topic": "/joints"}, "topic": {}}, indent=1))
    with pytest.raises(sd.InputError) as error:
        sd.open_log(recording, path)
    assert error.value.line == 5 and str(path) in str(error.value) and "expected one of" in str(error.value)


@pytest.mark.parametrize("mapping", [5, [], 1.5, b"x", ("topics",)])
def test_what_is_no_mapping(recording, mapping):
    with pytest.raises(sd.InputError, match="expected a file's name or a dict"):
        sd.open_log(recording, mapping)


@pytest.mark.parametrize("separator, named", [(";", "';'"), ("\t", "tabs"), ("  ", "blanks")])
def test_other_separators_of_csv_are_named(tmp_path, separator, named):
    path = tmp_path / "log.csv"
    path.write_text(f"time{separator}q.a\n0{separator}1\n")
    with pytest.raises(sd.InputError, match=f"columns parted by {named}; expected ','") as error:
        sd.open_log(path)
    assert error.value.line == 1


def test_decimal_commas_of_csv_are_named(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("time,q.a\n0,01,2,5\n")
    with pytest.raises(sd.InputError, match="decimal commas"):
        sd.open_log(path).read()


def jittering(seed=1, rate=200.0, rows=600):
    rng = np.random.default_rng(seed)
    time = np.arange(rows) / rate + rng.uniform(-0.3, 0.3, rows) / rate
    return {"time": time, "q.a": np.sin(2 * time), "q.wheel": np.angle(np.exp(1j * 5 * time)),
            "q.base.x": time, "q.base.y": time * 0, "q.base.z": time * 0,
            "q.base.qx": time * 0, "q.base.qy": time * 0, "q.base.qz": np.sin(time / 2), "q.base.qw": np.cos(time / 2)}


def test_a_log_that_jitters_is_differentiated_on_an_even_clock():
    log = jittering()
    with pytest.raises(ValueError, match="rate="):
        sd.differentiate(log, window=0.1)
    made = sd.differentiate(log, window=0.1, rate=200).table
    inside = slice(30, -30)
    time = np.asarray(made["time"])
    assert np.allclose(np.diff(time), 1 / 200, atol=1e-9)
    for column, truth in (("dq.a", 2 * np.cos(2 * time)), ("dq.wheel", 5 + 0 * time), ("dq.base.wz", 1 + 0 * time), ("q.a", np.sin(2 * time))):
        assert np.abs(np.asarray(made[column]) - truth)[inside].max() < 2e-3, column


def test_solve_log_scales_deviations_by_what_the_log_shows(arm):
    robot = arm
    sensors = {"name": "two", "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
    table = sd.simulate(robot, sensors, seconds=4, rate=100, seed=2)
    quiet = {"name": "two", "sensors": [{**each, "sigma": each["sigma"] / 2} if "sigma" in each else each for each in sensors["sensors"]]}
    right, wrong = sd.Solver(robot, sensors), sd.Solver(robot, quiet)
    right.solve_log(table, sd=True)
    assert right.report["trusted"] is True and "sd_scale" not in right.report
    plain = wrong.solve_log(table, sd=True)
    assert wrong.report["trusted"] is False
    assert all(each["trusted"] is False for each in wrong.report["sensors"].values())
    scaled = wrong.solve_log(table, sd="scaled")
    factor = np.sqrt(wrong.report["chi_square"]["sum"] / wrong.report["chi_square"]["expected"])
    assert wrong.report["sd_scale"] == pytest.approx(factor) and factor == pytest.approx(2, rel=0.05)
    assert np.allclose(scaled["sd.tau.joint2"].to_numpy(), factor * plain["sd.tau.joint2"].to_numpy())
    assert np.array_equal(scaled["tau.joint2"].to_numpy(), plain["tau.joint2"].to_numpy())
    shared = sd.Solver(robot, quiet, sd="scaled")
    assert np.allclose(shared.solve_log(table, threads=2)["sd.tau.joint2"].to_numpy(), scaled["sd.tau.joint2"].to_numpy())
    assert shared.report["trusted"] is False
    alone = sd.Solver(robot, "inverse-dynamics")
    alone.solve_log(table)
    assert alone.report["trusted"] is None
    with pytest.raises(ValueError, match="sd: 'most'"):
        wrong.solve_log(table, sd="most")
