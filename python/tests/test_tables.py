"""robot.table and robot.arrays: arrays as the columns of a log, and back."""

import numpy as np
import pytest

import sparsedyn as sd


def test_there_and_back(quadruped):
    rng = np.random.default_rng(1)
    q = quadruped.random(rng=1, shape=7)
    dq, ddq, tau = (rng.standard_normal((7, quadruped.nv)) for _ in range(3))
    wrench = rng.standard_normal((7, 6))
    table = quadruped.table(time=np.arange(7) * 0.1, q=q, dq=dq, ddq=ddq, tau=tau, fx={"lf_foot": wrench})
    assert table.num_rows == 7 and table.column_names[0] == "time" and "q.base.qw" in table.column_names
    back = quadruped.arrays(table)
    assert list(back) == ["time", "q", "dq", "ddq", "tau", "fx"] and list(back["fx"]) == ["lf_foot"]
    for name, array in {"q": q, "dq": dq, "ddq": ddq, "tau": tau}.items():
        assert np.array_equal(back[name], array)
    assert np.array_equal(back["fx"]["lf_foot"], wrench)


def test_a_table_is_what_solve_log_reads(arm):
    q = arm.random(rng=1, shape=5)
    dq = np.zeros((1, arm.nv))
    solver = sd.Solver(arm, "forward-dynamics", outputs="ddq")
    found = solver.solve_log(arm.table(q=q, dq=dq, tau=sd.gravity(arm, q)))
    assert np.allclose(arm.arrays(found)["ddq"], 0, atol=1e-9)


def test_the_base_may_have_no_torques_in_a_log(quadruped):
    table = quadruped.table(q=quadruped.random(rng=1, shape=3), tau=np.ones((3, quadruped.nv)))
    left = table.drop_columns([name for name in table.column_names if name.startswith("tau.base")])
    assert np.array_equal(quadruped.arrays(left)["tau"], np.hstack([np.zeros((3, 6)), np.ones((3, 12))]))


def test_what_does_not_fit_is_named(arm):
    with pytest.raises(ValueError, match=r"dq: \(3,\); expected \(..., 9\)"):
        arm.table(dq=np.zeros(3))
    with pytest.raises(ValueError, match="dq.joint1: 3 rows; expected 4"):
        arm.table(q=np.zeros((4, 9)), dq=np.zeros((3, 9)))
    with pytest.raises(ValueError, match="'nowhere'; expected a link"):
        arm.table(fx={"nowhere": np.zeros(6)})
    with pytest.raises(sd.InputError, match="q.joint2, .* missing; expected all of q"):
        arm.arrays({"q.joint1": np.zeros(3)})
    assert arm.arrays({}) == {}
