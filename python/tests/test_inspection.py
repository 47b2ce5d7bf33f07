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


def test_what_the_log_lacks_is_told_apart(arm, log):
    found = sd.inspect(arm, log.drop(columns=[name for name in log.columns if "joint7" in name]))
    assert found.findings == [] and found.lacking == ["q.joint7", "dq.joint7", "tau.joint7"]
    assert not {"q.joint7", "dq.joint7", "tau.joint7"} & {name for names, _ in found.unjudged for name in names}


@pytest.mark.parametrize("kind", ["dict", "pandas", "csv"])
def test_a_log_without_a_column_of_the_robot_has_its_rows(arm, tmp_path, kind):
    log = {"t": [0.0, 0.1, 0.2], "pos_1": [1.0, 2.0, 3.0]}
    if kind == "pandas":
        log = pandas.DataFrame(log)
    elif kind == "csv":
        pandas.DataFrame(log).to_csv(tmp_path / "log.csv", index=False)
        log = tmp_path / "log.csv"
    found = sd.inspect(arm, log)
    assert found.rows == 3
    assert [(f.kind, f.columns, f.severity) for f in found.findings] == [("other_robot", ["t", "pos_1"], "harm")]
    assert "no joint, link or sensor of the robot: t, pos_1" in found.findings[0].evidence
