"""What a log says of itself."""

import numpy as np
import pandas
import pytest

import sparsedyn as sd


@pytest.fixture(scope="module")
def log(arm):
    return sd.excite(arm, seconds=10, rate=100).table.to_pandas()


def test_nothing_of_a_clean_log(arm, log):
    found = sd.inspect(arm, log)
    assert found.findings == [] and not found.harm
    assert found.rows == 1000
    assert found.rate == pytest.approx(100)
    assert found.duration == pytest.approx(9.99)


def test_a_fault_by_its_kind_and_column(arm, log, tmp_path):
    faulty = log.copy()
    faulty["dq.joint3"] *= -1
    found = sd.inspect(arm, faulty)
    assert [(f.kind, f.columns, f.severity) for f in found.findings] == [("velocity_sign", ["dq.joint3"], "harm")]
    assert found.harm
    faulty.to_csv(tmp_path / "log.csv", index=False)
    faulty.to_parquet(tmp_path / "log.parquet")
    by_csv, by_parquet = (sd.inspect(arm, tmp_path / f"log.{kind}") for kind in ("csv", "parquet"))
    assert by_csv.findings[0].kind == by_parquet.findings[0].kind == "velocity_sign"
    assert (by_csv.findings[0].from_line, by_csv.findings[0].to_line) == (2, 1001)
    assert sd.inspect(arm, sd.open_log(tmp_path / "log.parquet")).findings == by_parquet.findings


def test_dicts_and_gaps(arm, log):
    columns = {name: np.asarray(log[name], float).copy() for name in log.columns}
    columns["q.joint1"][100:110] = np.nan
    found = sd.inspect(arm, columns)
    assert [(f.kind, f.from_line, f.to_line) for f in found.findings] == [("gap", 101, 110)]


def test_sensors_are_compared_with_the_motion(arm):
    sensors = {
        "name": "worn",
        "sensors": [
            {"name": "gyro", "type": "gyroscope", "link": "link5", "sigma": 0.005},
            {"name": "acc", "type": "accelerometer", "link": "link5", "sigma": 0.05},
            {"name": "motors", "type": "joint_torque", "joint": "*"},
            {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
        ],
    }
    table = sd.simulate(arm, sensors, seconds=10, rate=100, seed=2).to_pandas()
    kinds = {f.kind for f in sd.inspect(arm, table, sensors).findings}
    assert kinds <= {"beyond_limit"}
    for axis in "xyz":
        table[f"y.acc.{axis}"] /= 9.80665
    assert sd.inspect(arm, table, sensors).findings[0].kind == "gravity_unit"


def test_without_times(arm, log):
    found = sd.inspect(arm, log.drop(columns="time"))
    assert found.rate is None and found.duration is None
    assert any("no times" in why for _, why in found.unjudged)
