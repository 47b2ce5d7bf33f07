"""What a message says that it does not know, in logs."""

import numpy as np
import pytest
from test_formats import IMU, START, columns

import sparsedyn as sd


def test_what_an_imu_says_it_does_not_know_is_a_gap(tmp_path):
    writer = pytest.importorskip("mcap_ros2.writer")
    with open(tmp_path / "imu.mcap", "wb") as file:
        out = writer.Writer(file)
        kind = out.register_msgdef("sensor_msgs/msg/Imu", IMU)
        for k in range(10):
            at = START + k * 10_000_000
            vector, known = {"x": 0.5, "y": 0.0, "z": 1.0}, [0.0] * 9
            out.write_message("/imu", kind, {
                "header": {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": ""},
                "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}, "orientation_covariance": [-1.0] + known[1:],
                "angular_velocity": vector, "angular_velocity_covariance": known, "linear_acceleration": vector,
                "linear_acceleration_covariance": [-1.0] + known[1:] if k % 2 else known}, log_time=at)
        out.finish()
    topics = {"/imu": {"orientation": "q.base", "angular_velocity": "dq.base", "linear_acceleration": "y.imu"}}
    table = sd.open_log(tmp_path / "imu.mcap", {"clock": {"topic": "/imu"}, "topics": topics}).read()
    assert np.isnan(columns(table, "q.base.qx", "q.base.qw")).all()
    assert (columns(table, "dq.base.wx", "dq.base.wz") == [0.5, 1.0]).all()
    assert np.isnan(columns(table, "y.imu.x")[:, 0]).tolist() == [k % 2 == 1 for k in range(10)]
