"""sd.identify and sd.TorqueInformation."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS, ROOT

PROGRAM = ROOT / "build/tools/sparsedyn"


@pytest.fixture(scope="module")
def log(arm):
    """What the arm would have measured if its last link were heavier and its joints rubbed."""
    text = (ROBOTS / "arm.urdf").read_text()
    true = sd.load_urdf(text, joints={name: {"damping": 0.5, "offset": 0.1} for name in arm.joint_names})
    table = sd.simulate(arm, seconds=20)
    rng = np.random.default_rng(1)
    columns = {name: table[name].to_numpy() for name in table.column_names}
    q, dq, ddq = (np.stack([columns[f"{k}.{n}"] for n in arm.joint_names], -1) for k in ("q", "dq", "ddq"))
    tau = sd.rnea(true, q, dq, ddq) + 0.01 * rng.standard_normal(q.shape)
    return columns | {f"tau.{n}": tau[:, k] for k, n in enumerate(arm.joint_names)}


def test_the_joints_that_made_the_log_are_found(arm, log):
    rows = {k: x[:1500] for k, x in log.items()}
    found = sd.identify(arm, rows, holdout={k: x[1500:] for k, x in log.items()})
    assert found.rank > 0 and found.rows == 1500 * arm.nv and 0.8 < found.chi_square < 1.2
    for name, joint in found.joints.items():
        k = arm.parameter_names.index(f"{name}.armature")
        assert abs(joint["damping"] - 0.5) < 4 * found.sd[k + 1] and found.sd[k + 1] < 0.05, name
    assert all(found.torque_rms["holdout_after"][n] < 0.02 < found.torque_rms["holdout_before"][n] for n in arm.joint_names)
    again = sd.load_urdf(found.urdf, joints=found.joints)
    assert np.allclose(again.parameters(), found.value, rtol=1e-9, atol=1e-12)
    table = found.parameters.to_pydict()
    assert table["name"] == list(arm.parameter_names) and np.array_equal(table["value"], found.value)
    assert len(found.base_parameters) >= found.rank and str(found).startswith("identify: ")
    assert pickle.loads(pickle.dumps(found)).report == found.report


def test_parts_add_up(arm, log):
    whole, parts = sd.TorqueInformation(arm), [sd.TorqueInformation(arm) for _ in range(2)]
    whole.add_log(log)
    parts[0].add_log({k: x[:700] for k, x in log.items()})
    parts[1].add_log({k: x[700:] for k, x in log.items()})
    parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    assert parts[0].rows == whole.rows == {name: 2000 for name in arm.joint_names}
    one, two = (sd.identify(arm, x, fit="damping") for x in (whole, parts[0]))
    assert np.allclose(one.value, two.value, rtol=1e-9, atol=1e-12)
    fixed = [k for k, name in enumerate(arm.parameter_names) if not name.endswith(".damping")]
    assert np.array_equal(one.value[fixed], arm.parameters()[fixed]) and not one.sd[fixed].any()


def test_wrenches_and_gaps_in_torques(arm, states):
    s = states(arm, (400,))
    fx = {arm.link_names[-1]: np.random.default_rng(2).standard_normal((400, 6))}
    tau = sd.rnea(arm, s.q, s.dq, s.ddq, fx)
    tau[5, 2] = np.nan
    information = sd.TorqueInformation(arm)
    information.add(s.q, s.dq, s.ddq, tau, fx)
    assert list(information.rows.values()) == [400 - (k == 2) for k in range(arm.nv)]
    assert max(sd.identify(arm, information, fit="inertia").torque_rms["before"].values()) < 1e-10
    s.dq[7, 1] = np.inf
    with pytest.raises(sd.SolveError, match=r"dq\[1\] is not finite") as error:
        information.add(s.q, s.dq, s.ddq, tau, fx)
    assert error.value.rows == [7] and information.rows[arm.joint_names[0]] == 400


def test_spikes_do_not_move_a_robust_fit(arm, log):
    spiked = dict(log)
    rng = np.random.default_rng(5)
    for name in arm.joint_names:
        tau = np.array(spiked[f"tau.{name}"])
        tau[rng.choice(len(tau), len(tau) // 50, replace=False)] += 1.0  # 100 deviations
        spiked[f"tau.{name}"] = tau
    found, plain = sd.identify(arm, spiked, robust="huber"), sd.identify(arm, spiked)
    assert found.report["settled"] and found.report["passes"] > 2
    assert all(35 <= n <= 45 for n in found.report["outliers"].values())
    for name in arm.joint_names:
        k = arm.parameter_names.index(f"{name}.damping")
        assert abs(found.value[k] - 0.5) < 4 * found.sd[k]
        assert abs(found.report["noise"][name] - 0.01) < 1.5e-3 and plain.report["noise"][name] > 0.05
    with pytest.raises(ValueError, match="robust: 'tukey'"):
        sd.identify(arm, log, robust="tukey")
    with pytest.raises(ValueError, match="logs: TorqueInformation"):
        sd.identify(arm, sd.TorqueInformation(arm), robust="huber")


def test_smoothing_is_found(arm, log):
    rub = {name: {"friction": 0.4, "smoothing": 0.08} for name in arm.joint_names}
    true = sd.load_urdf((ROBOTS / "arm.urdf").read_text(), joints=rub)
    q, dq, ddq = (np.stack([log[f"{k}.{n}"] for n in arm.joint_names], -1) for k in ("q", "dq", "ddq"))
    tau = sd.rnea(true, q, dq, ddq) + 0.005 * np.random.default_rng(2).standard_normal(q.shape)
    table = log | {f"tau.{n}": tau[:, k] for k, n in enumerate(arm.joint_names)}
    found = sd.identify(arm, table, fit="smoothing", holdout=table)
    for name, joint in found.joints.items():
        row = next(p for p in found.report["parameters"] if p["name"] == f"{name}.smoothing")
        assert abs(joint["smoothing"] - 0.08) < 5 * row["sd"] and row["sd"] < 0.01, row
    assert found.torque_rms["after"] == found.torque_rms["holdout_after"]


def test_requests_that_cannot_be(arm, quadruped, log):
    with pytest.raises(ValueError, match="fit: 'mass'"):
        sd.identify(arm, log, fit="mass")
    with pytest.raises(sd.AnswerIsNo, match="5 rows of tau.joint1"):
        sd.identify(arm, {k: x[:5] for k, x in log.items()})
    with pytest.raises(sd.InputError, match="ddq.joint3 missing"):
        sd.identify(arm, {k: x for k, x in log.items() if k != "ddq.joint3"})
    with pytest.raises(ValueError, match="another robot"):
        sd.identify(quadruped, sd.TorqueInformation(arm))
    with pytest.raises(ValueError, match="prior"):
        sd.identify(arm, log, prior=0)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
def test_the_answer_is_the_command_lines(arm, log, tmp_path):
    np.savetxt(tmp_path / "log.csv", np.stack(list(log.values()), -1), "%.17g", ",", header=",".join(log), comments="")
    subprocess.run([PROGRAM, "identify", ROBOTS / "arm.urdf", "--log", tmp_path / "log.csv", "-o", tmp_path / "out.json", "--quiet"],
                   check=True, capture_output=True)
    assert json.loads((tmp_path / "out.json").read_text()) == sd.identify(arm, log).report


def test_excite_keeps_the_limits_and_tells_parameters(arm):
    seen = []
    found = sd.excite(arm, seconds=4, rate=50, budget=30, seed=3, progress=lambda share, what: seen.append(share))
    table = found.table
    assert table.num_rows == 200 and found.period == 4 and found.motions == 30
    assert found.condition < found.random_condition or found.motions == 1
    q, dq, ddq, tau = (
        np.stack([table[f"{part}.{name}"].to_numpy() for name in names], -1)
        for part, names in (("q", arm.coordinate_names), ("dq", arm.velocity_names), ("ddq", arm.velocity_names), ("tau", arm.force_names))
    )
    assert np.array_equal(tau, sd.rnea(arm, q, dq, ddq))
    assert np.abs(dq[0]).max() < 1e-9 and np.abs(ddq[0]).max() < 1e-9
    slope = (q[2:] - q[:-2]) * 25
    assert np.abs(slope - dq[1:-1]).max() < 0.02 * max(1, np.abs(dq).max())  # they are one motion's
    assert sd.identify(arm, table).rank == found.base_parameters
    assert sd.excite(arm, seconds=4, rate=50, budget=30, seed=3).table.equals(table)


def test_excite_refuses_by_name(arm, quadruped):
    with pytest.raises(ValueError, match="several freedoms"):
        sd.excite(quadruped)
    for bad in ({"seconds": -1}, {"harmonics": 2}, {"budget": 0}, {"criterion": "best"}, {"fit": "mass"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            sd.excite(arm, **bad)
