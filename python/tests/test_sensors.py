"""Sensor sets, check, optimise, Solver, logs."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import sparsedyn as sd

from conftest import ROBOTS

NOISY = {
    "name": "noisy",
    "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    ],
}


@pytest.fixture(scope="module")
def log(arm):
    return sd.simulate(arm, NOISY, seconds=2, rate=100, seed=3)


def readings(solver, log):
    """y of a log, column by column."""
    return np.stack([log[name].to_numpy() if name in log.column_names else np.zeros(len(log)) for name in solver.inputs], -1)


def states_of(robot, log):
    q = np.stack([log[f"q.{name}"].to_numpy() for name in robot.coordinate_names], -1)
    return q, np.stack([log[f"dq.{name}"].to_numpy() for name in robot.velocity_names], -1)


def test_sensor_sets(tmp_path, arm):
    assert sd.SensorSet("inverse-dynamics").name == "inverse-dynamics"
    path = tmp_path / "noisy.json"
    path.write_text(json.dumps(NOISY))
    for source in (NOISY, path, str(path), sd.SensorSet(NOISY)):
        made = sd.SensorSet(source)
        assert made.sensors == ("motors", "encoders", "air")
        again = pickle.loads(pickle.dumps(made))
        assert again.sensors == made.sensors and again.json == made.json
    with pytest.raises(sd.InputError) as error:
        sd.SensorSet({"name": "x", "sensors": [{"name": "m", "type": "joint_torqe", "joint": "*"}]})
    assert "joint_torque" in str(error.value) and error.value.line
    with pytest.raises(sd.InputError, match="nowhere"):
        sd.check(arm, "nowhere.json")


def test_check(arm):
    found = sd.check(arm, "inverse-dynamics")
    assert found.verdict == "determined" and found and found.rank == found.unknowns and found.undetermined == []
    assert str(found).startswith("determined: ") and "determined" in found._repr_html_()
    open_ = sd.check(arm, {"name": "none", "sensors": []})
    assert open_.verdict == "insufficient" and not open_ and open_.advice and open_.undetermined
    noisy = sd.check(arm, NOISY)
    assert noisy.verdict == "redundant" and noisy


def test_optimise_and_plans(arm, tmp_path):
    heard = []
    plan = sd.optimise(arm, "forward-dynamics", progress=lambda fraction, what: heard.append((fraction, what)))
    table = plan.candidates.to_pydict()
    assert len(table["strategy"]) > 3 and table["chosen"].count(True) == 1
    assert plan.flops["mul"] > 100 and plan.fill >= 0 and plan.health["healthy"]
    assert plan.spy().startswith("<") and "svg" in plan.spy() and "svg" in plan._repr_html_()
    path = tmp_path / "plan.json"
    plan.save(path)
    loaded = sd.Plan.load(path)
    assert loaded == plan and loaded.flops == plan.flops and len(loaded.candidates) == 1
    assert loaded.spy(arm, "forward-dynamics") == plan.spy()
    for again in (pickle.loads(pickle.dumps(plan)), copy.deepcopy(plan)):
        assert again == plan and again.spy() == plan.spy()
    with pytest.raises(ValueError, match="robot and sensors"):
        loaded.spy()
    with pytest.raises(sd.AnswerIsNo):
        sd.Solver(arm, "inverse-dynamics", plan=plan)
    zero = np.zeros(arm.nv)
    from_file = sd.Solver(arm, "forward-dynamics", plan=path, outputs="ddq")
    y = np.zeros(len(from_file.inputs))
    assert np.array_equal(from_file(zero, zero, y), sd.Solver(arm, "forward-dynamics", plan, "ddq")(zero, zero, y))
    path.write_text("{\n \"format\": 3}")
    with pytest.raises(sd.InputError) as error:
        sd.Plan.load(path)
    assert error.value.line in (1, 2) and error.value.file == str(path)
    with pytest.raises(sd.InputError) as error:
        sd.Plan.load(tmp_path / "none.json")
    assert str(error.value) == f"{tmp_path}/none.json: cannot be read (No such file or directory); expected a JSON file"
    assert error.value.line is None and error.value.file == f"{tmp_path}/none.json"
    with pytest.raises(sd.AnswerIsNo) as answer:
        sd.optimise(arm, {"name": "none", "sensors": []})
    assert answer.value.report["verdict"] == "insufficient"


@pytest.mark.parametrize("planned", [False, True])
def test_a_solver_answers_as_the_recursive_algorithms_do(robot, states, close, planned):
    s = states(robot, (40,))
    links = [link for link in robot.link_names]
    for sensors, output, expected in (("inverse-dynamics", "tau", sd.rnea(robot, s.q, s.dq, s.ddq)),
                                      ("forward-dynamics", "ddq", sd.aba(robot, s.q, s.dq, s.tau))):
        plan = sd.optimise(robot, sensors) if planned else None
        solver = sd.Solver(robot, sensors, plan=plan, outputs=[output])
        names = {f"ddq.{n}": k for k, n in enumerate(robot.velocity_names)}
        names |= {f"tau.{n}": k for k, n in enumerate(robot.force_names)}
        y = np.zeros((40, len(solver.inputs)))
        for k, name in enumerate(solver.inputs):
            bare = name if name in names else next((n for n in names if name.endswith(n.split(".", 1)[1])), None)
            for kind, values in (("ddq.", s.ddq), ("tau.", s.tau)):
                column = next((c for c in solver._core.columns[k][0] if c.startswith(kind)), None)
                if column:
                    y[:, k] = values[:, names[column]]
        assert solver.outputs == [f"{output}.{n}" for n in (robot.force_names if output == "tau" else robot.velocity_names)]
        found = solver(s.q, s.dq, y)
        close(found, expected, 1e-9)
        for threads in (2, 3):
            assert np.array_equal(found, solver(s.q, s.dq, y, threads=threads))
        single = solver(s.q[0], s.dq[0], y[0])
        assert np.array_equal(single, found[0]) and 0 <= solver.status.backward_error <= 1e-12 and solver.status.growth > 0
        q, dq, reading, out = s.q[1].copy(), s.dq[1].copy(), y[1].copy(), np.zeros(len(solver.outputs))
        bound = solver.bind(q, dq, reading, out)
        assert bound() is out and np.array_equal(out, found[1])
        q[:], dq[:], reading[:] = s.q[2], s.dq[2], y[2]
        bound()
        assert np.array_equal(out, found[2])
        q[0] = np.nan
        with pytest.raises(sd.SolveError, match=r"q\[0\]"):
            bound()
        assert np.isnan(out).all()
        with pytest.raises(ValueError, match="would have to be copied"):
            solver.bind(s.q[1].astype(np.float32), dq, reading, out)
        with pytest.raises(ValueError, match="shares memory"):
            solver.bind(q, out, reading, out) if len(out) == robot.nv else solver.bind(q, dq, out, out)


def test_estimates_with_standard_deviations_and_hot_sigma(arm, log):
    solver = sd.Solver(arm, NOISY, outputs=["tau"], sd=True)
    n = arm.nv
    assert solver.outputs[n:] == [f"sd.{name}" for name in solver.outputs[:n]]
    q, dq = states_of(arm, log)
    y = readings(solver, log)
    first = solver(q, dq, y)
    truth = np.stack([log[f"tau.{name}"].to_numpy() for name in arm.force_names], -1)
    error = first[:, :n] - truth
    assert 0.7 < np.sqrt(np.mean((error / first[:, n:]) ** 2)) < 1.3  # as large as it says
    assert solver.sigma["motors"] == 0.1 and set(solver.sigma) == {"motors", "encoders"}
    solver.sigma["motors"] = 1e-4
    tight = solver(q, dq, y, threads=2)
    assert np.all(tight[:, n:] < 1.01e-4)
    restated = json.loads(json.dumps(NOISY))
    restated["sensors"][0]["sigma"] = 1e-4
    assert np.allclose(tight, sd.Solver(arm, restated, sd=True)(q, dq, y), rtol=1e-7, atol=1e-9)
    bound_out = np.zeros(2 * n)
    bound = solver.bind(q[0], dq[0], y[0], bound_out)
    solver.sigma["motors"] = 0.1
    bound()
    assert np.allclose(bound_out, first[0], rtol=1e-9)
    for wrong in (0, -1, np.nan, np.inf, [1, 2], "a"):
        with pytest.raises((ValueError, TypeError)):
            solver.sigma["motors"] = wrong
    with pytest.raises(ValueError, match="exact"):
        solver.sigma["air"] = 1
    with pytest.raises(KeyError, match="motors"):
        solver.sigma["motor"] = 1


def test_covariances_of_outputs(arm, log):
    pair = ("tau.joint1", "ddq.joint1")
    solver = sd.Solver(arm, NOISY | {"cov": [pair]}, outputs=("tau",), sd=True)
    (q, dq), y = states_of(arm, log), readings(solver, log)
    with pytest.raises(ValueError, match="alone"):
        solver.covariance([pair])
    found = solver(q[0], dq[0], y[0])
    assert solver.outputs[-1] == "cov.tau.joint1|ddq.joint1" and abs(found[-1]) > 1e-9
    np.testing.assert_allclose(solver.covariance([pair, pair[::-1]]), [found[-1]] * 2, rtol=1e-9)
    names = ["tau.joint1", "tau.joint2", "ddq.joint1"]
    matrix = solver.covariance(names)
    assert matrix.shape == (3, 3) and (matrix == matrix.T).all() and (np.linalg.eigvalsh(matrix) > 0).all()
    assert matrix[0, 2] == pytest.approx(found[-1], rel=1e-9)
    for k in (0, 1):
        assert matrix[k, k] == pytest.approx(found[solver.outputs.index(f"sd.{names[k]}")] ** 2, rel=1e-9)
    with pytest.raises(ValueError, match="elbw"):
        solver.covariance(["tau.elbw"])
    table = solver.solve_log(log, sd="scaled")
    scaled = table["cov.tau.joint1|ddq.joint1"].to_numpy()[0]
    assert scaled == pytest.approx(found[-1] * solver.report["sd_scale"] ** 2, rel=1e-6)
    solver(q[:5], dq[:5], y[:5])
    with pytest.raises(ValueError, match="alone"):
        solver.covariance(names)


def test_a_gap_is_nan(arm, log):
    solver = sd.Solver(arm, NOISY, outputs=["tau"], sd=True)
    q, dq = states_of(arm, log)
    y = readings(solver, log)
    whole = solver(q, dq, y)
    at = next(k for k, name in enumerate(solver.inputs) if name.startswith("y.motors"))
    y[5, at] = np.nan
    gap = solver(q, dq, y)
    n = arm.nv
    assert np.array_equal(np.delete(gap, 5, 0), np.delete(whole, 5, 0))
    assert gap[5, n:].max() > whole[5, n:].max() and np.isfinite(gap).all()


def test_errors_of_solvers(arm):
    with pytest.raises(ValueError, match="taux"):
        sd.Solver(arm, "inverse-dynamics", outputs=["taux"])
    with pytest.raises(sd.AnswerIsNo, match="determine"):
        sd.Solver(arm, {"name": "none", "sensors": []}, outputs=["tau"])
    solver = sd.Solver(arm, "inverse-dynamics")
    with pytest.raises(ValueError, match=r"^y: \(3,\); expected"):
        solver(np.zeros(arm.nq), np.zeros(arm.nv), np.zeros(3))
    assert "inverse-dynamics" in repr(solver) and "outputs" in solver._repr_html_()


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars", "dict"])
def test_logs_are_the_command_lines(arm, log, tmp_path, kind):
    from conftest import ROOT
    program = ROOT / "build/tools/sparsedyn"
    table = {"pyarrow": lambda: log, "pandas": log.to_pandas, "polars": lambda: polars.from_arrow(log),
             "dict": lambda: {name: log[name].to_numpy() for name in log.column_names}}[kind]()
    solver = sd.Solver(arm, NOISY, outputs=None)
    answer = solver.solve_log(table, sd=True, innovations=True)
    assert type(answer) is type(table)
    columns = list(answer.column_names if kind == "pyarrow" else answer if kind == "dict" else answer.columns)
    assert columns[0] == "time" and "chi2" in columns and any(c.startswith("innovation.y.motors") for c in columns)
    assert solver.report["chi_square"]["expected"] > 0
    if not program.exists():
        pytest.skip("no command line beside")
    (tmp_path / "set.json").write_text(json.dumps(NOISY))
    log.to_pandas().to_csv(tmp_path / "log.csv", index=False)
    subprocess.run([program, "solve", ROBOTS / "arm.urdf", "--sensors", tmp_path / "set.json", "--log", tmp_path / "log.csv",
                    "-o", tmp_path / "out.csv", "--sd", "--innovations", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    theirs = pandas.read_csv(tmp_path / "out.csv")
    assert list(theirs.columns) == columns
    for name in columns:
        ours = np.asarray(answer[name], dtype=float)
        assert np.allclose(ours, theirs[name], rtol=1e-9, atol=1e-11), name


def test_what_a_log_may_leave_out(arm, log):
    solver = sd.Solver(arm, "inverse-dynamics")
    frame = log.to_pandas()
    kept = frame[[c for c in frame if c.split(".")[0] in ("time", "q", "dq", "ddq")]]
    expected = sd.rnea(arm, *states_of(arm, log), np.stack([frame[f"ddq.{n}"] for n in arm.velocity_names], -1))
    assert np.allclose(solver.solve_log(kept)[solver.outputs].to_numpy(), expected, atol=1e-10)
    with pytest.raises(sd.InputError, match="q.joint2"):
        solver.solve_log(kept.drop(columns="q.joint2"))
    broken = kept.copy()
    broken.loc[7, "dq.joint1"] = np.nan
    with pytest.raises(sd.SolveError) as error:
        solver.solve_log(broken)
    assert error.value.rows == [7]
    table, failed = solver.solve_log(broken, on_error="nan")
    assert list(np.flatnonzero(failed)) == [7] and table["tau.joint1"].isna().sum() == 1
    with pytest.raises(TypeError):
        solver.solve_log([1, 2])


def test_simulate(arm, tmp_path):
    from conftest import ROOT
    table = sd.simulate(arm, seconds=1, rate=50, seed=4)
    assert isinstance(table, pyarrow.Table) and len(table) == 50
    q, dq = states_of(arm, table)
    ddq = np.stack([table[f"ddq.{n}"].to_numpy() for n in arm.velocity_names], -1)
    tau = np.stack([table[f"tau.{n}"].to_numpy() for n in arm.force_names], -1)
    assert np.allclose(tau, sd.rnea(arm, q, dq, ddq), atol=1e-10)
    program = ROOT / "build/tools/sparsedyn"
    if program.exists():
        subprocess.run([program, "simulate", ROBOTS / "arm.urdf", "--seconds", "1", "--rate", "50", "--seed", "4", "-o",
                        tmp_path / "log.csv", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        theirs = pandas.read_csv(tmp_path / "log.csv")
        assert list(theirs.columns) == table.column_names
        assert all(np.array_equal(theirs[name], table[name].to_numpy()) for name in table.column_names)
    with pytest.raises(ValueError, match="seconds"):
        sd.simulate(arm, seconds=0)


def test_ctrl_c_stops_a_search():
    import signal
    import time
    script = ("import sys, time, sparsedyn as sd\nrobot = sd.load_urdf(sys.argv[1], floating=True)\nprint('ready', flush=True)\n"
              "try:\n    sd.optimise(robot, 'forward-dynamics', budget=60)\nexcept KeyboardInterrupt:\n"
              "    print('stopped', time.time(), flush=True)\n")
    process = subprocess.Popen([sys.executable, "-c", script, str(ROBOTS / "quadruped.urdf")], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "ready"
    time.sleep(1.5)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    line = process.stdout.readline().split()
    process.wait(timeout=30)
    assert line and line[0] == "stopped" and float(line[1]) - sent < 5.0  # of 60


def test_solvers_are_pickled_and_copied(arm, states):
    """With what was assigned to them, and nothing shared with the first."""
    noisy = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
                         {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                         {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
    s, solver = states(arm, (5,)), sd.Solver(arm, noisy, outputs=["tau", "ddq"], sd=True)
    solver.sigma["motors"] = 0.02
    y = np.random.default_rng(1).standard_normal((5, len(solver.inputs)))
    expected = solver(s.q, s.dq, y)
    for again in (pickle.loads(pickle.dumps(solver)), copy.deepcopy(solver), copy.copy(solver)):
        assert again.outputs == solver.outputs and dict(again.sigma) == dict(solver.sigma)
        assert np.array_equal(again(s.q, s.dq, y), expected)
        again.sigma["motors"] = 3
    assert solver.sigma["motors"] == 0.02 and np.array_equal(solver(s.q, s.dq, y), expected)
