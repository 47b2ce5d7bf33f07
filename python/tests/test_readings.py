"""Readings by name, where a Solver takes an array."""

import numpy as np
import pytest

import sparsedyn as sd

NOISY = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                     {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
                     {"name": "still", "type": "external_wrench", "link": "*", "value": 0}]}


@pytest.fixture(scope="module")
def solved(arm):
    solver = sd.Solver(arm, NOISY)
    log = sd.simulate(arm, NOISY, seconds=0.5)
    states = arm.arrays(log)
    y = np.stack([log[name].to_numpy() for name in solver.inputs], -1)
    return solver, log, states["q"], states["dq"], y, solver(states["q"], states["dq"], y)


def test_columns_are_what_a_log_calls_the_inputs(arm, solved):
    solver = solved[0]
    assert solver.inputs == [f"y.motors.{n}" for n in arm.joint_names] + [f"y.encoders.{n}" for n in arm.joint_names]
    assert solver.columns == [f"tau.{n}" for n in arm.joint_names] + [f"ddq.{n}" for n in arm.joint_names]
    assert sd.Solver(arm, "inverse-dynamics").columns == [f"ddq.{n}" for n in arm.joint_names] + [
        f"fx.{link}.{part}" for link in arm.link_names for part in ("nx", "ny", "nz", "fx", "fy", "fz")]


@pytest.mark.parametrize("names", ["inputs", "columns"])
def test_a_dict_is_read_by_either_name(solved, names):
    solver, _, q, dq, y, expected = solved
    readings = dict(zip(getattr(solver, names), y.T))
    assert np.array_equal(solver(q, dq, readings), expected)
    assert np.array_equal(solver(q[3], dq[3], {name: values[3] for name, values in readings.items()}), expected[3])
    shaped = {name: values.reshape(5, 10) for name, values in readings.items()}
    assert np.array_equal(solver(q.reshape(5, 10, -1), dq.reshape(5, 10, -1), shaped), expected.reshape(5, 10, -1))
    for one, two in zip(solver.derivatives(q[:2], dq[:2], {n: x[:2] for n, x in readings.items()}), solver.derivatives(q[:2], dq[:2], y[:2])):
        assert one is two is None or np.array_equal(one, two)


def test_tables_are_read_as_logs_are(solved):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    solver, log, q, dq, y, expected = solved
    for table in (log, log.to_pandas(), polars.from_arrow(log)):
        assert np.array_equal(solver(q, dq, table), expected)
    assert np.array_equal(solver(q, dq, pandas.DataFrame(y)), expected)  # numbers in the order of inputs


def test_what_is_missing_or_misspelt_is_refused(arm, solved):
    solver, _, q, dq, y, _ = solved
    readings = dict(zip(solver.inputs, y.T))
    with pytest.raises(ValueError, match=r"y: y\.motors\.joint1 missing; expected y\.motors\.joint1, "):
        solver(q, dq, {name: x for name, x in readings.items() if name != "y.motors.joint1"})
    with pytest.raises(ValueError, match=r"y: 'y\.motor\.joint1'; expected"):
        solver(q, dq, {**readings, "y.motor.joint1": y[:, 0]})
    with pytest.raises(ValueError, match="y: y.motors.joint1: .*; expected numbers"):
        solver(q, dq, {**readings, "y.motors.joint1": "five"})
    rigid = sd.Solver(arm, "inverse-dynamics")
    assert np.allclose(rigid(q[0], dq[0], {f"ddq.{n}": 1.0 for n in arm.joint_names}), sd.rnea(arm, q[0], dq[0], 1.0), atol=1e-12)
    with pytest.raises(ValueError, match="'fx.hand'"):
        rigid(q[0], dq[0], {**{f"ddq.{n}": 1.0 for n in arm.joint_names}, "fx.hand": 2.0})
