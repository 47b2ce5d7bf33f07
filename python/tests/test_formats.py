"""Logs of any format: Parquet, CSV, LeRobot and MCAP files, made by their own libraries."""

import json

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import sparsedyn as sd
from sparsedyn._scale import clock, csv

HEADER = """std_msgs/Header header
{fields}
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
VECTOR = """================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
"""
JOINT_STATE = HEADER.format(fields="string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort")
WRENCH = HEADER.format(fields="geometry_msgs/Wrench wrench") + VECTOR + """\
================================================================================
MSG: geometry_msgs/Wrench
geometry_msgs/Vector3 force
geometry_msgs/Vector3 torque
"""
IMU = HEADER.format(fields="geometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
                           "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
                           "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance") + VECTOR + """\
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
NAMES = ["b", "a", "c"]
START = 1_700_000_000 * 10**9


def of_time(t):
    """What the recorded joints do: (3,) positions and velocities at t seconds after the start."""
    rates = np.array([1.0, 2.0, 3.0])
    return np.sin(rates * t), rates * np.cos(rates * t)


def record(path, seconds=2.0, **options):
    """Joints at 200 Hz, in another order in every other message, without efforts now and then; a foot at 100 Hz, an IMU at 50 Hz."""
    mcap_ros2 = pytest.importorskip("mcap_ros2.writer")
    with open(path, "wb") as file:
        writer = mcap_ros2.Writer(file, **options)
        joints = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        foot = writer.register_msgdef("geometry_msgs/msg/WrenchStamped", WRENCH)
        imu = writer.register_msgdef("sensor_msgs/msg/Imu", IMU)
        zero = [0.0] * 9
        for k in range(round(seconds * 200)):
            at = START + k * 5_000_000
            header = {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": ""}
            q, dq = of_time(k / 200)
            order = [0, 1, 2] if k % 2 == 0 else [2, 0, 1]
            effort = [] if k % 50 == 49 else [np.nan if k % 50 == 7 and i == 1 else 10.0 * i + k / 200 for i in order]
            message = {"header": header, "name": [NAMES[i] for i in order], "position": [q[i] for i in order],
                       "velocity": [dq[i] for i in order], "effort": effort}
            writer.write_message("/joints", joints, message, log_time=at + 2_000_000)
            if k % 2 == 0:
                force = {"x": k / 200, "y": 1.0, "z": 2.0}
                writer.write_message("/foot", foot, {"header": header, "wrench": {"force": force, "torque": force}},
                                     log_time=at + 3_000_000)
            if k % 4 == 0:
                half = k / 400
                turn = {"x": 0.0, "y": 0.0, "z": np.sin(half), "w": np.cos(half)}
                writer.write_message("/imu", imu, {
                    "header": header, "orientation": {key: -x for key, x in turn.items()} if k % 8 else turn,
                    "orientation_covariance": zero, "angular_velocity": {"x": 0.0, "y": 0.0, "z": 1.0},
                    "angular_velocity_covariance": zero, "linear_acceleration": {"x": 0.0, "y": 0.0, "z": 9.81},
                    "linear_acceleration_covariance": zero}, log_time=at + 1_000_000)
        writer.finish()
    return path


def mapping(**changes):
    return {
        "clock": {"topic": "/joints"},
        "topics": {
            "/joints": {"position": "q", "velocity": "dq", "effort": "y.motors", "joints": {"a": "hip", "b": "b", "c": "c"}},
            "/foot": {"force": ["y.foot.fx", "y.foot.fy", "y.foot.fz"], "scale": -1},
            "/imu": {"orientation": "q.base", "angular_velocity": "dq.base", "linear_acceleration": "y.imu"},
        },
        **changes,
    }


@pytest.fixture
def mcap_file(tmp_path):
    return record(tmp_path / "log.mcap")


def columns(table, *names):
    return np.stack([table[name].to_numpy() for name in names], -1)


def test_mcap_on_a_topics_own_clock(mcap_file):
    table = sd.open_log(mcap_file, mapping()).read()
    assert table.num_rows == 400
    t = np.arange(400) / 200
    assert np.allclose(table["time"].to_numpy() - START / 1e9, t, atol=1e-6)
    q, dq = (np.array(part) for part in zip(*(of_time(each) for each in t)))
    assert np.array_equal(columns(table, "q.b", "q.hip", "q.c"), q) and np.array_equal(columns(table, "dq.b", "dq.hip", "dq.c"), dq)
    gap = np.arange(400) % 50
    effort = columns(table, "y.motors.b", "y.motors.hip", "y.motors.c")
    assert np.isnan(effort[gap == 49]).all() and np.isnan(effort[gap == 7, 1]).all()
    assert np.array_equal(effort[(gap != 49), 2], (20 + t)[gap != 49]) and np.isfinite(effort[gap == 7][:, [0, 2]]).all()
    assert np.allclose(table["y.foot.fx"].to_numpy()[:-1], -t[:-1], atol=1e-12)  # in a line between the foot's samples
    assert np.isnan(table["y.foot.fx"].to_numpy()[-1])  # after the last of them
    z, w = table["q.base.qz"].to_numpy()[:-3], table["q.base.qw"].to_numpy()[:-3]
    assert np.allclose(np.hypot(z, w), 1) and np.allclose(np.abs(z), np.abs(np.sin(t[:-3] / 2)), atol=1e-4)
    assert (table["y.imu.z"].to_numpy()[:-3] == 9.81).all() and (table["dq.base.wz"].to_numpy()[:-3] == 1).all()


def test_mcap_is_the_same_wherever_it_is_cut(mcap_file, tmp_path, monkeypatch):
    from sparsedyn._scale import mcap

    many = record(tmp_path / "chunks.mcap", chunk_size=16384)
    for changes in ({}, {"clock": {"rate": 333}}, {"clock": {"rate": 250}, "differentiate": {"window": 0.1}}):
        whole = sd.open_log(mcap_file, mapping(latency=0.1, **changes))
        monkeypatch.setattr(mcap, "BYTES_A_PIECE", 1 << 15)
        cut = sd.open_log(many, mapping(latency=0.1, **changes))
        assert len(cut._pieces) > 2 and len(whole._pieces) == 1
        one, other = whole.read(), cut.read()
        monkeypatch.undo()
        assert one.column_names == other.column_names and one.num_rows == other.num_rows
        for name in one.column_names:
            bound = 1e-6 if changes.get("differentiate") else 0
            assert np.allclose(one[name].to_numpy(), other[name].to_numpy(), rtol=0, atol=bound, equal_nan=True), name


def test_mcap_resampled_and_differentiated(mcap_file):
    log = mapping(clock={"rate": 250}, differentiate={"window": 0.1})
    log["topics"]["/joints"] = {"position": "q", "joints": ["a", "b", "c"]}
    del log["topics"]["/imu"]
    table = sd.open_log(mcap_file, log).read()
    time = table["time"].to_numpy() - START / 1e9
    assert np.allclose(np.diff(time), 1 / 250, atol=1e-6)
    inside = (time > 0.2) & (time < 1.7)
    dq = np.array([of_time(t)[1] for t in time])
    ddq = np.array([-np.array([1, 4, 9]) * of_time(t)[0] for t in time])
    assert np.abs(columns(table, "dq.b", "dq.a", "dq.c") - dq)[inside].max() < 2e-3
    assert np.abs(columns(table, "ddq.b", "ddq.a", "ddq.c") - ddq)[inside].max() < 0.2


def test_rules_of_the_clock():
    stamps, values = np.array([0, 10, 20, 100]), np.array([[0.0], [1.0], [np.nan], [5.0]])
    at = np.array([-1, 0, 4, 5, 6, 10, 15, 20, 30, 80, 100, 101])
    nan = np.nan
    for rule, expected in {
        "linear": [nan, 0, 0.4, 0.5, 0.6, 1, nan, nan, nan, nan, 5, nan],
        "hold": [nan, 0, 0, 0, 0, 1, 1, nan, nan, nan, 5, 5],
        "nearest": [0, 0, 0, 0, 1, 1, 1, nan, nan, 5, 5, 5],
    }.items():
        found = clock.onto(at, stamps, values, rule, 20)[:, 0]
        assert np.array_equal(found, expected, equal_nan=True), rule
    ordered, kept = clock.in_order(np.array([5, 1, 5]), np.array([[1.0], [2.0], [3.0]]))
    assert ordered.tolist() == [1, 5] and kept[:, 0].tolist() == [2, 3]
    for rate in (1000, 333, 0.5, 59.94):
        whole = clock.even(rate, START, START + 10**10)
        assert len(whole) == pytest.approx(10 * rate, abs=1) and np.ptp(np.diff(whole)) <= 1
        parts = [clock.even(rate, START + k * 10**9, START + (k + 1) * 10**9) for k in range(10)]
        assert np.array_equal(whole, np.concatenate(parts))


def test_what_is_wrong_with_mcap_files(mcap_file, tmp_path):
    def refused(path, given, *words):
        with pytest.raises(sd.InputError) as error:
            sd.open_log(path, given).read()
        assert all(word in str(error.value) for word in words), str(error.value)

    refused(mcap_file, None, "/joints (sensor_msgs/msg/JointState)", "mapping")
    wrong = mapping()
    wrong["topics"]["/nothing"] = {"position": "q"}
    refused(mcap_file, wrong, "/nothing", "expected one of /foot")
    refused(mcap_file, mapping(topics={"/joints": {"force": "y.f"}}), "/joints", "force")
    refused(mcap_file, mapping(topics={"/joints": {"position": "q", "joints": {"b": "b"}, "effort": "q"}}), "q.b")
    refused(mcap_file, mapping(latency=1e-4), "latency")
    for key, value in {"clock": {}, "stamp": "mine", "latency": -1, "differentiate": {"window": 0.1}, "other": 1}.items():
        refused(mcap_file, mapping(**{key: value}), key if key != "differentiate" else "clock")
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(mcap_file.read_bytes()[:20000])
    refused(cut, mapping(), "cut.mcap", "whole MCAP")
    bytes_ = bytearray(mcap_file.read_bytes())
    bytes_[3000:3100] = bytes(100)
    (tmp_path / "spoilt.mcap").write_bytes(bytes_)
    refused(tmp_path / "spoilt.mcap", mapping(), "spoilt.mcap", "whole MCAP")


def test_a_bag_is_a_folder(tmp_path):
    bag = tmp_path / "bag"
    bag.mkdir()
    (bag / "metadata.yaml").write_text("rosbag2_bagfile_information:\n  storage_identifier: mcap\n")
    record(bag / "bag_10.mcap", 0.5), record(bag / "bag_9.mcap", 1.0)
    log = sd.open_log(bag, mapping())
    assert [piece.name for piece in log._pieces] == ["bag_9.mcap", "bag_10.mcap"] and log.read().num_rows == 300
    assert log.columns == log.read().column_names


def lerobot(folder, episodes=3, frames=40, version="v3.0"):
    """As LeRobot 0.4 writes it: meta/info.json, and episodes one after the other in a Parquet file, vectors of fixed size."""
    motors = ["shoulder.pos", "elbow.pos"]
    numbers = {"dtype": "float32", "shape": [2], "names": {"motors": motors}}
    scalar = {"shape": [1], "names": None}
    info = {"codebase_version": version, "robot_type": "so100", "fps": 50, "total_episodes": episodes,
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
            "features": {"observation.state": numbers, "action": numbers,
                         "observation.images.top": {"dtype": "video", "shape": [480, 640, 3], "names": None},
                         "timestamp": {"dtype": "float32", **scalar}, "frame_index": {"dtype": "int64", **scalar},
                         "episode_index": {"dtype": "int64", **scalar}, "index": {"dtype": "int64", **scalar},
                         "task_index": {"dtype": "int64", **scalar}}}
    (folder / "meta").mkdir(parents=True), (folder / "data/chunk-000").mkdir(parents=True)
    (folder / "meta/info.json").write_text(json.dumps(info))
    pair = pyarrow.list_(pyarrow.float32(), 2)
    schema = pyarrow.schema([("observation.state", pair), ("action", pair), ("timestamp", pyarrow.float32()),
                             ("frame_index", pyarrow.int64()), ("episode_index", pyarrow.int64()), ("index", pyarrow.int64()),
                             ("task_index", pyarrow.int64())])
    with pyarrow.parquet.ParquetWriter(folder / "data/chunk-000/file-000.parquet", schema, compression="snappy") as writer:
        for episode in range(episodes):
            t = np.arange(frames) / 50
            state = np.stack([90 * np.sin(t + episode), 45 * np.cos(t)], -1).astype(np.float32)
            rows = {"observation.state": state.tolist(), "action": state.tolist(), "timestamp": t, "frame_index": np.arange(frames),
                    "episode_index": np.full(frames, episode), "index": episode * frames + np.arange(frames),
                    "task_index": np.zeros(frames, dtype=int)}
            writer.write_table(pyarrow.table({name: pyarrow.array(rows[name], schema.field(name).type) for name in schema.names}))
    return folder


def test_lerobot_data_sets(tmp_path):
    folder = lerobot(tmp_path / "set")
    log = sd.open_log(folder)
    table = log.read()
    assert table.num_rows == 120 and table.column_names == log.columns
    assert {"observation.state.shoulder.pos", "action.elbow.pos", "episode_index"} <= set(log.columns)
    assert np.array_equal(table["time"].to_numpy(), np.tile(np.arange(40) / 50, 3))
    degrees = {"features": {"observation.state": {"to": "q", "joints": {"elbow.pos": "elbow"}, "unit": "deg"}}}
    table = sd.open_log(folder, degrees, rows=33).read()
    assert np.allclose(table["q.elbow"].to_numpy(), np.tile(np.pi / 4 * np.cos(np.arange(40) / 50), 3), atol=1e-6)
    assert "q.shoulder" not in table.column_names
    derived = sd.open_log(folder, {**degrees, "differentiate": {"window": 0.3}}, rows=33).read()
    dq, time = derived["dq.elbow"].to_numpy(), derived["time"].to_numpy()
    assert np.allclose(dq, -np.pi / 4 * np.sin(time), atol=1e-3)  # at episodes' ends too: none reads its neighbour's
    assert derived.num_rows == 120
    for given, word in (({"features": {"state": {"to": "q"}}}, "state"), ({"features": {"action": {"to": "q", "joints": ["x"]}}}, "x"),
                        ({"features": {"action": {"to": "q", "unit": "turns"}}}, "unit")):
        with pytest.raises(sd.InputError, match=word):
            sd.open_log(folder, given).read()
    with pytest.raises(sd.InputError, match="v2.1"):
        sd.open_log(lerobot(tmp_path / "old", version="v2.1"))


@pytest.fixture(scope="module")
def log(arm):
    return sd.simulate(arm, seconds=20, rate=100)


def test_parquet_and_csv(log, tmp_path, monkeypatch):
    pyarrow.parquet.write_table(log, tmp_path / "a.parquet", row_group_size=300)
    pyarrow.csv.write_csv(log, tmp_path / "a.csv")
    for piece_bytes in (32 << 20, 100_000):
        monkeypatch.setattr(csv, "BYTES_A_PIECE", piece_bytes)
        for name in ("a.parquet", "a.csv"):
            with sd.open_log(tmp_path / name, rows=512) as opened:
                sizes = [batch.num_rows for batch in opened]
                assert sum(sizes) == 2000 and max(sizes) <= 512
                assert opened.read().equals(log) and opened.columns == log.column_names
    # the first rows alone are read; the rest is left
    with sd.open_log(tmp_path / "a.csv", rows=100) as opened:
        assert 0 < next(iter(opened)).num_rows <= 100
    # columns are the file's memory, not copies
    table = sd.open_log(tmp_path / "a.parquet").read()
    assert table["time"].chunk(0).to_numpy(zero_copy_only=True).dtype == np.float64


def test_folders_are_columns(log, tmp_path):
    for robot in ("r2", "r1"):
        (tmp_path / f"robot={robot}/date=2026-11-22").mkdir(parents=True)
        pyarrow.parquet.write_table(log.slice(0, 10), tmp_path / f"robot={robot}/date=2026-11-22/a.parquet")
    (tmp_path / "_notes.csv").write_text("no log")
    table = sd.open_log(tmp_path).read()
    assert table["robot"].to_pylist() == ["r1"] * 10 + ["r2"] * 10 and set(table["date"].to_pylist()) == {"2026-11-22"}


@pytest.mark.parametrize("text, line, words", [
    ("time,q.a\n0,1\n1,2,3\n", 3, "3 cells; expected 2"), ("time,q.a\n0,1\n1,x\n", 3, "q.a: 'x'; expected a number"),
    ("time,,q.a\n0,1\n", 1, "column 2 without a name"), ("time,q.a,time\n0,1,2\n", 1, "time twice"),
])
def test_what_is_wrong_with_csv_files(tmp_path, text, line, words):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(sd.InputError, match="bad.csv") as error:
        sd.open_log(tmp_path / "bad.csv").read()
    assert error.value.line == line and words in str(error.value)


def test_what_is_wrong_with_other_files(log, tmp_path):
    pyarrow.parquet.write_table(log, tmp_path / "a.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:5000])
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "empty").mkdir()
    for name, word in (("cut.parquet", "whole Parquet"), ("a.txt", ".txt"), ("empty", "no logs"), ("none.csv", "no such file")):
        with pytest.raises(sd.InputError, match=word):
            sd.open_log(tmp_path / name).read()


def test_gaps_in_csv_are_nan(tmp_path):
    (tmp_path / "gaps.csv").write_text("time,y.a\n0,\n1,nan\n2,3\n")
    assert sd.open_log(tmp_path / "gaps.csv").read()["y.a"].to_pylist()[2] == 3
    column = sd.open_log(tmp_path / "gaps.csv").read()["y.a"].to_numpy()
    assert np.isnan(column[:2]).all()


def test_convert_goes_on_where_it_stopped(log, tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BYTES_A_PIECE", 200_000)
    pyarrow.csv.write_csv(log, tmp_path / "a.csv")
    made = sd.convert(tmp_path / "a.csv", tmp_path / "out")
    assert made.rows == 2000 and made.made == len(made.parts) > 5
    assert sd.open_log(tmp_path / "out").read().equals(log)
    (tmp_path / "out" / made.parts[3]["file"]).unlink()
    assert sd.convert(tmp_path / "a.csv", tmp_path / "out").made == 1
    assert sd.convert(tmp_path / "a.csv", tmp_path / "out").made == 0
