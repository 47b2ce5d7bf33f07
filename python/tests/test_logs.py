"""Whole logs: offsets, outliers, gaps, what a log lacks. Beside the command line where it is there."""

import json
import subprocess

import numpy as np
import pandas
import pytest

import sparsedyn as sd

from conftest import ROBOTS, ROOT

PROGRAM = ROOT / "build/tools/sparsedyn"
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="no command line beside")


def gauged(bias=False, exact=False):
    """Torques read twice, and accelerations."""
    return {
        "name": "gauged",
        "sensors": [
            {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3, "bias": bias},
            {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
            {"name": "encoders", "type": "joint_acceleration", "joint": "*", **({} if exact else {"sigma": 0.5})},
            {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
        ],
    }


@pytest.fixture(scope="module")
def log(arm):
    return sd.simulate(arm, gauged(), seconds=5, rate=100, seed=3).to_pandas()


def by_program(tmp_path, robot, sensors, log, *options):
    """The command line's table and summary."""
    (tmp_path / "set.json").write_text(json.dumps(sensors))
    log.to_csv(tmp_path / "log.csv", index=False)
    done = subprocess.run([PROGRAM, "solve", *robot, "--sensors", tmp_path / "set.json", "--log", tmp_path / "log.csv", "-o",
                           tmp_path / "out.csv", "--json", "--quiet", *options], stdout=subprocess.PIPE, text=True)
    assert done.returncode in (0, 4)
    return pandas.read_csv(tmp_path / "out.csv"), json.loads(done.stdout)


def same(ours, theirs, columns):
    for name in columns:
        assert np.allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-11, equal_nan=True), name


@needs_program
def test_offsets_are_taken_off(arm, log, tmp_path):
    off = log.assign(**{"y.motors.joint2": log["y.motors.joint2"] + 2})
    solver = sd.Solver(arm, gauged(bias=True), outputs=["tau"], sd=True)
    table = solver.solve_log(off)
    found = solver.offsets["offsets"]["y.motors.joint2"]
    assert abs(found["value"] - 2) < 4 * found["sd"] and 0 < found["sd"] < 0.1
    assert solver.report["biases"]["y.motors.joint2"]["value"] == found["value"]
    error = (table["tau.joint2"] - log["tau.joint2"]) / table["sd.tau.joint2"]
    assert 0.8 < np.sqrt(np.mean(error**2)) < 1.2
    theirs, told = by_program(tmp_path, [ROBOTS / "arm.urdf"], gauged(bias=True), off, "--outputs", "tau", "--sd", "--offsets",
                              tmp_path / "offsets.json")
    same(table, theirs, solver.outputs)
    assert json.loads((tmp_path / "offsets.json").read_text()) == solver.offsets
    assert told["chi_square"] == pytest.approx(solver.report["chi_square"])
    # a set that reads the file needs no second log to learn from
    (tmp_path / "known.json").write_text(json.dumps({**gauged(), "offsets": "offsets.json"}))
    known = sd.Solver(arm, tmp_path / "known.json", outputs=["tau"])
    assert np.allclose(known.solve_log(off)["tau.joint2"], table["tau.joint2"], atol=0.02)
    # samples alone have nothing to learn from
    with pytest.raises(ValueError, match="threads"):
        solver.solve_log(off, threads=2)


@needs_program
def test_robust_estimates_name_what_is_wrong(arm, log, tmp_path):
    spoilt = log.copy()
    spoilt.loc[150, "y.gauges.joint1"] += 50
    spoilt.loc[250:, "y.motors.joint2"] = spoilt.loc[250, "y.motors.joint2"]
    solver = sd.Solver(arm, gauged(), outputs=["tau"], sd=True)
    plain = solver.solve_log(spoilt)
    assert solver.report["outliers"]["worst"][0]["line"] == 150
    table = solver.solve_log(spoilt, robust="huber")
    outliers = solver.report["outliers"]
    assert outliers["worst"][0]["line"] == 150 and outliers["worst"][0]["sensor"] == "y.gauges.joint1"
    assert ("y.motors.joint2", "stuck") in [(each["sensor"], each["fault"]) for each in outliers["sensors"]]
    assert abs(table["tau.joint1"][150] - log["tau.joint1"][150]) < 0.1 * abs(plain["tau.joint1"][150] - log["tau.joint1"][150])
    theirs, told = by_program(tmp_path, [ROBOTS / "arm.urdf"], gauged(), spoilt, "--outputs", "tau", "--sd", "--robust", "huber")
    same(table, theirs, solver.outputs)
    assert [each["line"] - 2 for each in told["outliers"]["worst"]] == [each["line"] for each in outliers["worst"]]
    for wrong in ({"robust": "hubert"}, {"robust": "huber", "robust_threshold": 0}, {"robust": "huber", "threads": 2}):
        with pytest.raises(ValueError):
            solver.solve_log(spoilt, **wrong)


def test_reports_do_not_depend_on_threads(arm, log):
    solver = sd.Solver(arm, gauged(), outputs=["tau"])
    one = solver.solve_log(log)
    told = solver.report
    several = solver.solve_log(log, threads=3)
    assert one.equals(several)
    assert solver.report["strategy"] == told["strategy"]
    assert solver.report.get("chi_square", told["chi_square"]) == told["chi_square"]


@needs_program
def test_gaps_of_all_kinds_are_closed(arm, log, tmp_path):
    rng = np.random.default_rng(1)
    gaps = log.copy()
    for name in gaps:
        if name.startswith("y."):
            gaps.loc[rng.random(len(gaps)) < 0.1, name] = np.nan
    gaps.loc[:40, [name for name in gaps if name.startswith("y.") and not name.startswith("y.encoders")]] = np.nan
    solver = sd.Solver(arm, gauged(), outputs=["tau", "ddq"], sd=True)
    table, failed = solver.solve_log(gaps, on_error="nan")
    theirs, told = by_program(tmp_path, [ROBOTS / "arm.urdf"], gauged(), gaps, "--outputs", "tau,ddq", "--sd")
    same(table, theirs, solver.outputs)
    assert failed.sum() == told["rows_failed"] and solver.report["rows_with_gaps"] == told["rows_with_gaps"]


def test_columns_stand_once(arm):
    pandas = pytest.importorskip("pandas")
    table = sd.simulate(arm, seconds=0.1).to_pandas()
    twice = pandas.concat([table, table[[f"q.{arm.joint_names[0]}"]]], axis=1)
    with pytest.raises(sd.InputError, match=f"^log: columns: q.{arm.joint_names[0]} more than once; expected names given once$"):
        sd.Solver(arm, "inverse-dynamics").solve_log(twice)


def test_plans_for_gaps(arm, log):
    gaps = log.copy()
    gaps.loc[20:, "y.encoders.joint3"] = np.nan
    plan = sd.optimise(arm, gauged(exact=True), gaps=gaps)
    assert [len(each["missing"]) for each in json.loads(plan.json)["gaps"]] == [1]
    solver = sd.Solver(arm, gauged(exact=True), plan, outputs=["tau", "ddq"])
    planned = solver.solve_log(gaps)
    assert solver.report["remedies"]["searched"] == 0 and solver.report["rows_at_singular_states"] == 0
    again = sd.Solver(arm, gauged(exact=True), outputs=["tau", "ddq"])
    same(planned, again.solve_log(gaps), solver.outputs)
    with pytest.raises(sd.AnswerIsNo, match="gaps"):
        sd.optimise(arm, "inverse-dynamics", gaps=gaps.assign(**{"ddq.joint1": np.nan}))


def test_where_the_robot_is_may_be_missing(quadruped):
    sensors = {
        "name": "carried",
        "sensors": [
            {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
            {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 1.0},
            {"name": "imu", "type": "accelerometer", "link": "trunk", "sigma": 0.05},
            {"name": "gyro", "type": "angular_accelerometer", "link": "trunk", "sigma": 0.5},
            {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
        ],
    }
    log = sd.simulate(quadruped, sensors, seconds=0.5, rate=100, seed=1)
    solver = sd.Solver(quadruped, sensors, outputs=["tau.lf_knee"])
    whole = solver.solve_log(log)
    lacking = log.drop_columns(["q.base.x", "q.base.y", "q.base.z", "dq.base.vx", "dq.base.vy", "dq.base.vz"])
    found = solver.solve_log(lacking)
    assert np.allclose(found["tau.lf_knee"].to_numpy(), whole["tau.lf_knee"].to_numpy(), rtol=1e-8, atol=1e-8)
    with pytest.raises(sd.InputError, match="q.base.qx"):
        solver.solve_log(lacking.drop_columns(["q.base.qx"]))


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars", "dict"])
def test_differentiate(arm, kind, tmp_path):
    import polars

    table = sd.simulate(arm, seconds=8, rate=250, seed=2)
    rng = np.random.default_rng(1)
    names = ["time"] + [f"q.{name}" for name in arm.coordinate_names]
    positions = pandas.DataFrame({n: table[n].to_numpy() + (rng.normal(0, 1e-4, len(table)) if n != "time" else 0) for n in names})
    source = {"pandas": lambda: positions, "pyarrow": lambda: __import__("pyarrow").Table.from_pandas(positions),
              "polars": lambda: polars.from_pandas(positions), "dict": lambda: {n: positions[n].to_numpy() for n in names}}[kind]()
    made = sd.differentiate(source)
    assert type(made.table) is type(source)
    for order, kinds in (("dq.", arm.velocity_names), ("ddq.", arm.velocity_names)):
        for name in kinds:
            column = order + name
            edge = int(made.window[column] * 250) // 2 + 1
            error = (np.asarray(made.table[column]) - table[column].to_numpy())[edge:-edge]
            assert 0.75 < np.sqrt(np.mean(error**2)) / made.deviation[column] < 1.25
    if PROGRAM.exists():
        positions.to_csv(tmp_path / "q.csv", index=False)
        done = subprocess.run([PROGRAM, "differentiate", tmp_path / "q.csv", "--json", "-o", tmp_path / "moving.csv"],
                              stdout=subprocess.PIPE, text=True, check=True)
        assert json.loads(done.stdout)["windows"] == pytest.approx(made.window)
        theirs = pandas.read_csv(tmp_path / "moving.csv")
        for column in made.deviation:
            assert np.allclose(np.asarray(made.table[column]), theirs[column], rtol=1e-9, atol=1e-9)


def test_differentiate_names_what_stays_empty():
    time = np.arange(6) * 0.01
    with pytest.warns(sd.SparsedynWarning, match="dq.a, ddq.a"):
        few = sd.differentiate({"time": time, "q.a": time})
    assert np.isnan(few.table["dq.a"]).all() and np.isnan(few.deviation["ddq.a"])


def test_differentiate_of_a_spin():
    time, zero = np.arange(400) * 0.01, np.zeros(400)
    pose = {"q.base.x": zero, "q.base.y": zero, "q.base.z": zero, "q.base.qx": zero, "q.base.qy": zero}
    log = {"time": time, **pose, "q.base.qz": np.sin(5 * time), "q.base.qw": np.cos(5 * time)}
    made = sd.differentiate(log)
    assert np.allclose(made.table["dq.base.wz"], 10, rtol=0, atol=1e-10) and made.deviation["dq.base.wz"] > 0
    with pytest.warns(sd.SparsedynWarning, match="shorter there: base"):
        assert sd.differentiate(log, window=2.0).window["dq.base.wz"] < 0.5


def test_what_differentiate_refuses():
    time = np.arange(100) * 0.01
    q = np.sin(time)
    with pytest.raises(ValueError, match="one of the two"):
        sd.differentiate({"time": time, "q.a": q}, cutoff=5, window=0.1)
    with pytest.raises(ValueError, match="cutoff"):
        sd.differentiate({"time": time, "q.a": q}, cutoff=-1)
    with pytest.raises(ValueError, match="time"):
        sd.differentiate({"q.a": q})
    with pytest.raises(ValueError, match="before row 50"):
        sd.differentiate({"time": np.where(np.arange(100) < 50, time, time + 0.005), "q.a": q})
    with pytest.raises(ValueError, match="q"):
        sd.differentiate({"time": time, "y": q})
    own = sd.differentiate({"time": time, "q.a": q, "dq.a": 7 * q, "ddq.a": q}, cutoff=10).table
    assert np.array_equal(own["dq.a"], 7 * q) and np.allclose(own["ddq.a"][30:-30], -q[30:-30], atol=1e-3)
