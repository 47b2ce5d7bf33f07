"""Solver.derivatives and .gradient beside differences, and logs solved again by one solver."""

import warnings

import numpy as np
import pytest

import sparsedyn as sd

NOISY = {
    "name": "noisy",
    "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
        {"name": "still", "type": "external_wrench", "link": "*", "value": 0},
    ],
}


def difference(f, n, h=1e-3):
    """Columns of df by each of n directions: central differences of fourth order. f(δ): a result at a change δ."""
    columns = []
    for k in range(n):
        e = np.zeros(n)
        e[k] = h
        columns.append((8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * h))
    return np.stack(columns, -1)


def near(found, expected, bound):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= bound * max(1, np.abs(expected).max())


@pytest.mark.parametrize("sensors", ["inverse-dynamics", "forward-dynamics", NOISY], ids=["inverse", "forward", "noisy"])
def test_derivatives_are_those_of_the_answers(robot, states, sensors):
    if sensors is NOISY and robot.nv > 12:
        pytest.skip("one small robot is enough for the estimator")
    solver = sd.Solver(robot, sensors, outputs=["ddq"] if sensors == "forward-dynamics" else ["tau", "ddq"] if sensors is NOISY else ["tau"])
    s, rng = states(robot), np.random.default_rng(2)
    y = rng.standard_normal(len(solver.inputs))
    d = solver.derivatives(s.q, s.dq, y)
    assert d.parameters is None and d.q.shape == (len(solver.outputs), robot.nv) and d.y.shape[1] == len(solver.inputs)
    near(d.q, difference(lambda x: solver(robot.integrate(s.q, x), s.dq, y), robot.nv), 1e-8)
    near(d.dq, difference(lambda x: solver(s.q, s.dq + x, y), robot.nv), 1e-8)
    near(d.y, difference(lambda x: solver(s.q, s.dq, y + x), len(y)), 1e-8)
    weight = rng.standard_normal(len(solver.outputs))
    g = solver.gradient(s.q, s.dq, y, weight, by=("q", "y"))
    assert g.dq is None
    near(g.q, weight @ d.q, 1e-9)
    near(g.y, weight @ d.y, 1e-9)


def test_batches_and_what_is_asked_for(arm, states):
    solver = sd.Solver(arm, "inverse-dynamics")
    s = states(arm, (3, 5))
    y = np.random.default_rng(3).standard_normal((5, len(solver.inputs)))
    d = solver.derivatives(s.q, s.dq, y, by=("parameters", "q"))
    assert d.y is None and d.q.shape == (3, 5, arm.nv, arm.nv) and d.parameters.shape[-1] == len(arm.parameter_names)
    assert np.array_equal(d.q[1, 2], solver.derivatives(s.q[1, 2], s.dq[1, 2], y[2], by=("parameters", "q")).q)
    near(d.q[1, 2], solver.derivatives(s.q[1, 2], s.dq[1, 2], y[2], by="q").q, 1e-12)  # perhaps the other way round
    # Inverse dynamics is linear in the parameters: the regressor, at the accelerations that y holds.
    order = [solver.inputs.index(f"y.ddq.{name}") for name in arm.velocity_names]
    still = np.zeros_like(y[0])
    still[order] = y[0, order]
    d = solver.derivatives(s.q[0, 0], s.dq[0, 0], still, by=("parameters",))
    near(d.parameters, sd.regressor(arm, s.q[0, 0], s.dq[0, 0], y[0, order]), 1e-9)
    with pytest.raises(ValueError, match="'torque'; expected 'q', 'dq', 'y'"):
        solver.derivatives(s.q, s.dq, y, by=("torque",))
    with pytest.raises(ValueError, match="weight"):
        solver.gradient(s.q, s.dq, y, [1.0])


def test_what_fails_is_named(arm, states):
    solver = sd.Solver(arm, "inverse-dynamics")
    s = states(arm, (4,))
    y = np.zeros((4, len(solver.inputs)))
    y[2, 0] = np.nan
    with pytest.raises(sd.SolveError, match="not finite") as caught:
        solver.derivatives(s.q, s.dq, y)
    assert caught.value.rows == [2]
    found, failed = solver.derivatives(s.q, s.dq, y, on_error="nan")
    assert failed.tolist() == [False, False, True, False]
    assert np.isnan(found.q[2]).all() and np.isfinite(found.q[[0, 1, 3]]).all()


@pytest.mark.parametrize("sensors", ["forward-dynamics", NOISY], ids=["forward", "noisy"])
def test_any_number_of_threads_gives_the_same_bits(arm, states, sensors):
    """With gaps, too, and with deviations that were set before other threads had their solvers."""
    solver = sd.Solver(arm, sensors, outputs=["ddq"])
    s, rng = states(arm, (150,)), np.random.default_rng(5)
    y = rng.standard_normal((150, len(solver.inputs)))
    if sensors is NOISY:
        solver.sigma["motors"] = 0.03
        y[rng.random(y.shape) < 0.02] = np.nan
    weight = rng.standard_normal((150, len(solver.outputs)))
    by = ("q", "dq", "y", "parameters")
    one = (solver.derivatives(s.q, s.dq, y, by=by, on_error="nan"), solver.gradient(s.q, s.dq, y, weight, by=by, on_error="nan"))
    assert np.isfinite(one[0].value.parameters).mean() > 0.9
    for threads in (2, 3, 0):
        more = (solver.derivatives(s.q, s.dq, y, by=by, threads=threads, on_error="nan"),
                solver.gradient(s.q, s.dq, y, weight, by=by, threads=threads, on_error="nan"))
        for found, expected in zip(more, one):
            assert np.array_equal(found.failed, expected.failed)
            assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found.value, expected.value))
    with pytest.raises(ValueError, match="threads: -1"):
        solver.gradient(s.q, s.dq, y, weight, threads=-1)


def test_sigma_counts(arm, states):
    solver = sd.Solver(arm, NOISY, outputs=["tau"])
    s, y = states(arm), np.random.default_rng(4).standard_normal(2 * arm.nv)
    before = solver.derivatives(s.q, s.dq, y, by="y").y
    solver.sigma["motors"] = 0.01
    after = solver.derivatives(s.q, s.dq, y, by="y").y
    near(after, difference(lambda x: solver(s.q, s.dq, y + x), len(y)), 1e-8)
    assert np.abs(after - before).max() > 1e-3


def test_a_log_solved_again_has_the_same_numbers(arm):
    log = sd.simulate(arm, NOISY, seconds=1, rate=50)
    solver = sd.Solver(arm, NOISY, outputs=["tau"])
    first, others = solver.solve_log(log, sd=True), sd.Solver(arm, NOISY, outputs=["tau"]).solve_log(log, sd=True)
    assert first.equals(others) and solver.solve_log(log, sd=True).equals(first)
    report = dict(solver.report)
    solver.solve_log(log, sd=True)
    assert solver.report == report  # what is counted is counted anew
    solver.sigma["motors"] = 0.01
    sharper = sd.Solver(arm, NOISY, outputs=["tau"])
    sharper.sigma["motors"] = 0.01
    assert solver.solve_log(log).equals(sharper.solve_log(log)) and not solver.solve_log(log).equals(first.select(solver.solve_log(log).column_names))


def test_offsets_are_learnt_anew(arm):
    sensors = {**NOISY, "sensors": [{**NOISY["sensors"][0], "bias": True}, *NOISY["sensors"][1:]]}
    solver = sd.Solver(arm, sensors, outputs=["tau"])
    names = arm.joint_names
    for shift in (0.5, -2.0):
        log = sd.simulate(arm, NOISY, seconds=1, rate=50)
        column = f"y.motors.{names[0]}"
        moved = log.set_column(log.column_names.index(column), column, [[x + shift for x in log[column].to_pylist()]])
        solver.solve_log(moved)
        alone = sd.Solver(arm, sensors, outputs=["tau"])
        alone.solve_log(moved)
        assert solver.offsets == alone.offsets and abs(solver.offsets["offsets"][column]["value"] - shift) < 0.5


def test_warnings_are_said_again(arm):
    sensors = {**NOISY, "sensors": [*NOISY["sensors"][:2], {**NOISY["sensors"][2], "bias": True}]}
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solver = sd.Solver(arm, sensors, outputs=["tau"])
        said.append(len([w for w in caught if "passed over" in str(w.message)]))
        log = sd.simulate(arm, NOISY, seconds=0.2, rate=50)
        for _ in range(2):
            solver.solve_log(log)
        said.append(len([w for w in caught if "passed over" in str(w.message)]))
    assert said[0] >= 1 and said[1] >= 3
