"""sd.identify and sd.TorqueInformation."""

import json
import pickle
import subprocess
import warnings

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


@pytest.mark.parametrize("fit", [(), "smoothing"], ids=str)
def test_without_noise_a_robust_fit_is_the_plain_one(arm, fit):
    table = sd.simulate(arm, seconds=10)
    found, plain = sd.identify(arm, table, fit=fit, robust="huber"), sd.identify(arm, table, fit=fit)
    assert found.report["settled"] and not any(found.report["outliers"].values())
    assert np.all(np.abs(found.value - plain.value) <= 1e-6 * plain.sd) and np.allclose(found.sd, plain.sd, rtol=1e-6, atol=0)
    for part in ("parameters", "base_parameters"):
        for each, other in zip(found.report[part], plain.report[part], strict=True):
            assert abs(each["value"] - other["value"]) <= 1e-6 * other["sd"] and each["sd"] == pytest.approx(other["sd"], rel=1e-6)


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


def test_springs_and_what_sliding_takes_are_found(arm, log):
    rub = {name: {"friction": 0.4, "smoothing": 0.02, "stribeck": 0.5, "stribeck_velocity": 0.3, "stiffness": 1.2} for name in arm.joint_names}
    true = sd.load_urdf((ROBOTS / "arm.urdf").read_text(), joints=rub)
    q, dq, ddq = (np.stack([log[f"{k}.{n}"] for n in arm.joint_names], -1) for k in ("q", "dq", "ddq"))
    tau = sd.rnea(true, q, dq, ddq) + 0.005 * np.random.default_rng(2).standard_normal(q.shape)
    table = log | {f"tau.{n}": tau[:, k] for k, n in enumerate(arm.joint_names)}
    kinds = ("inertia", "armature", "damping", "friction", "offset", "stiffness", "stribeck")
    rub_less = sd.load_urdf((ROBOTS / "arm.urdf").read_text(), joints={name: {"smoothing": 0.02} for name in arm.joint_names})
    found = sd.identify(rub_less, table, fit=kinds, holdout=table)
    rows = {row["name"]: row for row in found.report["parameters"]}
    for name in arm.joint_names:
        for kind, value in (("stiffness", 1.2), ("stribeck", 0.5), ("stribeck_velocity", 0.3)):
            row = rows[f"{name}.{kind}"]
            assert abs(row["value"] - value) < 5 * row["sd"] and found.joints[name][kind] == row["value"], row
            assert row["determined"] or "finger" in name, row  # the fingers hardly move
    # the fitted robot gives the fitted torques, and its regressor has the springs
    for fitted in (found.robot, sd.load_urdf(found.urdf, joints=found.joints), pickle.loads(pickle.dumps(found)).robot):
        np.testing.assert_allclose(sd.rnea(fitted, q, dq, ddq), sd.regressor(fitted, q, dq, ddq) @ found.value, atol=1e-9)
    # gathered apart, with springs of the robot's own
    sprung = rub_less.with_springs()
    assert sprung.parameter_names[-1].endswith(".stiffness") and sprung.with_springs().parameter_names == sprung.parameter_names
    assert len(pickle.loads(pickle.dumps(sprung)).parameter_names) == len(arm.parameter_names) + len(arm.joint_names)
    gathered = sd.TorqueInformation(sprung)
    gathered.add_log(table)
    linear = kinds[:-1]
    np.testing.assert_array_equal(sd.identify(sprung, gathered, fit=linear).value, sd.identify(rub_less, table, fit=linear).value)
    bare = sd.TorqueInformation(rub_less)
    bare.add_log(table)
    with pytest.raises(ValueError, match="stiffness: expected a robot with springs"):
        sd.identify(rub_less, bare, fit=linear)


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


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
@pytest.mark.parametrize("options", [{}, {"robust": "huber", "fit": "smoothing"}], ids=str)
def test_each_log_is_left_out_in_its_turn(arm, log, tmp_path, options):
    parts = [{key: x[k::6] for key, x in log.items()} for k in range(3)]
    noisy = np.random.default_rng(5)
    for k, part in enumerate(parts):
        for name in arm.joint_names:
            part[f"tau.{name}"] = part[f"tau.{name}"] + 0.02 * (k + 1) * noisy.standard_normal(len(part["time"]))
    found = sd.identify(arm, parts, cross_validate=True, **options)
    assert found.torque_rms == sd.identify(arm, parts, **options).torque_rms
    for k, each in enumerate(found.cross_validation["logs"]):
        others = sd.identify(arm, [*parts[:k], *parts[k + 1 :]], holdout=parts[k], **options)
        for name, x in others.torque_rms["holdout_after"].items():
            assert abs(each["rms"][name] - x) < 1e-6 * x
            assert abs(x - 0.02 * (k + 1)) < 0.2 * x
    for name, x in found.cross_validation["rms"].items():
        assert abs(x**2 - np.mean([each["rms"][name] ** 2 for each in found.cross_validation["logs"]])) < 2e-3 * x**2
    assert "left out in its turn" in str(found) and pickle.loads(pickle.dumps(found)).cross_validation == found.cross_validation
    # the command line's
    paths = [tmp_path / f"{k}.csv" for k in range(3)]
    for path, part in zip(paths, parts):
        np.savetxt(path, np.stack(list(part.values()), -1), "%.17g", ",", header=",".join(part), comments="")
    fit = [*(("--fit", options["fit"]) if "fit" in options else ()), *(("--robust", options["robust"]) if "robust" in options else ())]
    command = [PROGRAM, "identify", ROBOTS / "arm.urdf", "--cross-validate", *(x for path in paths for x in ("--log", path)), *fit]
    told = subprocess.run([*command, "-o", tmp_path / "out.json"], check=True, capture_output=True, text=True).stdout
    theirs = json.loads((tmp_path / "out.json").read_text())["cross_validation"]
    assert [each["log"] for each in theirs["logs"]] == [str(path) for path in paths] and "each log left out in its turn" in told
    for one, other in zip((theirs, *theirs["logs"]), (found.cross_validation, *found.cross_validation["logs"])):
        assert one["rms"].keys() == other["rms"].keys()
        assert all(abs(x - other["rms"][name]) < 1e-6 * x for name, x in one["rms"].items())
    with pytest.raises(ValueError, match="two logs or more"):
        sd.identify(arm, parts[0], cross_validate=True)
    alone = subprocess.run([*command[:6], "-o", tmp_path / "out.json"], capture_output=True, text=True)
    assert alone.returncode == 2 and "expected two logs or more" in alone.stderr


@pytest.mark.parametrize("options", [{"floating": True}, {"lock": {"joint2": 0.4}, "gravity": (1, 2, -9)}, {"lock": ["joint1"], "cut": ["gripper"]}], ids=str)
def test_the_fitted_robot_is_loaded_as_the_one_before(options):
    robot = sd.load_urdf(ROBOTS / "arm.urdf", **options)
    rng = np.random.default_rng(3)
    q, dq, ddq = np.stack([robot.random(rng) for _ in range(400)]), *rng.standard_normal((2, 400, robot.nv))
    true = robot.parameters() * 1.05
    information = sd.TorqueInformation(robot)
    information.add(q, dq, ddq, sd.regressor(robot, q, dq, ddq) @ true)
    found = sd.identify(robot, information)
    assert found.robot.coordinate_names == robot.coordinate_names
    np.testing.assert_allclose(found.robot.parameters(), found.value, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(sd.rnea(found.robot, q, dq, ddq), sd.regressor(robot, q, dq, ddq) @ found.value, atol=1e-8)


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


def test_excite_asks_whether_the_robot_may_stand_so(arm):
    elbow = arm.coordinate_names.index("joint4")
    asked = []

    def clear(q):
        asked.append(np.array(q))
        return q[elbow] > -0.4

    free = sd.excite(arm, seconds=4, rate=50, budget=40, seed=3).table["q.joint4"].to_numpy()
    kept = sd.excite(arm, seconds=4, rate=50, budget=40, seed=3, allowed=clear)
    assert free.min() < -0.4 < kept.table["q.joint4"].to_numpy().min()  # joint4 without the callback goes where it may not
    assert len(asked) > 360 and {q.shape for q in asked} == {(arm.nq,)}
    with pytest.raises(sd.AnswerIsNo, match="and is allowed"):
        sd.excite(arm, budget=5, allowed=lambda q: False)
    with pytest.raises(ZeroDivisionError):
        sd.excite(arm, budget=5, allowed=lambda q: 1 / 0)
    with pytest.raises(ValueError, match="truth value"):
        sd.excite(arm, budget=5, allowed=lambda q: q > 0)


def test_excite_refuses_by_name(arm, quadruped):
    with pytest.raises(ValueError, match="several freedoms"):
        sd.excite(quadruped)
    for bad in ({"seconds": -1}, {"harmonics": 2}, {"budget": 0}, {"criterion": "best"}, {"fit": "mass"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            sd.excite(arm, **bad)


#: The motors, a wrist between them, a hand that is pushed and measured with noise, and nothing else that is touched.
WRIST = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.05},
                     {"name": "wrist", "type": "force_torque", "joint": "joint5", "sigma": 0.02},
                     {"name": "tool", "type": "external_wrench", "link": "right_finger", "sigma": 0.2},
                     {"name": "air", "type": "external_wrench", "link": "*", "except": ["right_finger"], "value": 0},
                     {"name": "imu", "type": "gyroscope", "link": "link7"}]}


@pytest.fixture(scope="module")
def readings(arm):
    table = sd.simulate(arm, WRIST, seconds=20, rate=75)
    return {name: table[name].to_numpy() for name in table.column_names}


def run_cli(tmp_path, table, *options, robot="arm"):
    np.savetxt(tmp_path / "log.csv", np.stack(list(table.values()), -1), "%.17g", ",", header=",".join(table), comments="")
    done = subprocess.run([PROGRAM, "identify", ROBOTS / f"{robot}.urdf", "--log", tmp_path / "log.csv", "-o", tmp_path / "out.json", "--quiet",
                           *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((tmp_path / "out.json").read_text())


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
@pytest.mark.parametrize("options", [{}, {"robust": "huber"}, {"fit": ["inertia", "friction", "smoothing"], "robust": "huber"}], ids=str)
def test_any_sensors_as_the_command_line(arm, readings, tmp_path, options):
    (tmp_path / "set.json").write_text(json.dumps(WRIST))
    words = [word for name, value in options.items() for word in (f"--{name}", value if isinstance(value, str) else ",".join(value))]
    said = run_cli(tmp_path, readings, "--sensors", tmp_path / "set.json", "--holdout", tmp_path / "log.csv", *words)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = sd.identify(arm, readings, readings, sensors=WRIST, **options)
    unseen = "joint1, joint2, joint3, joint4, joint5, joint6, joint7, right_finger_slide: no torque that is measured by itself"
    assert [unseen in str(each.message) for each in told] == [True] * ("smoothing" in options.get("fit", ()))
    assert found.report == said
    assert 0.95 < found.chi_square < 1.05 and "beside unknown wrenches" in found.torque_rms["after"]
    off = [(row["value"] - row["urdf"]) / row["sd"] for row in found.report["parameters"] if row["determined"] and "smoothing" not in row["name"]]
    assert len(off) > 25 and np.mean(np.abs(off) < 3) > 0.95
    split = [{k: x[part] for k, x in readings.items()} for part in (slice(0, 700), slice(700, None))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.SparsedynWarning)
        parts = sd.identify(arm, split, sensors=sd.SensorSet(WRIST), **options)
    assert np.allclose(parts.value, found.value, rtol=0, atol=1e-6 * np.maximum(found.sd, 1e-9))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
def test_a_floating_robot_on_its_sensors_as_the_command_line(quadruped, tmp_path):
    foot = quadruped.link_names[-1]
    whole = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.05},
                         {"name": "held", "type": "joint_torque", "joint": "base", "sigma": 0.5},
                         {"name": "sole", "type": "external_wrench", "link": foot, "sigma": 0.2},
                         {"name": "air", "type": "external_wrench", "link": "*", "except": [foot], "value": 0}]}
    table = sd.simulate(quadruped, whole, seconds=20, rate=50)
    log = {name: table[name].to_numpy() for name in table.column_names if name not in ("q.base.x", "q.base.y", "q.base.z")}
    (tmp_path / "set.json").write_text(json.dumps(whole))
    said = run_cli(tmp_path, log, "--floating", "--sensors", tmp_path / "set.json", robot="quadruped")
    assert sd.identify(quadruped, log, sensors=whole).report == said
    with pytest.raises(sd.InputError, match="dq.base.vx missing; expected the whole motion"):
        sd.identify(quadruped, {k: x for k, x in log.items() if k != "dq.base.vx"}, sensors=whole)


def test_readings_add_up_from_arrays_and_processes(arm, readings):
    whole, parts = sd.SensorInformation(arm, WRIST), [sd.SensorInformation(arm, WRIST) for _ in range(2)]
    assert whole.silent == ["imu"]
    whole.add_log(readings)
    q, dq, ddq = (np.stack([readings[f"{k}.{n}"] for n in arm.joint_names], -1) for k in ("q", "dq", "ddq"))
    y = np.stack([readings[name] if name in readings else np.zeros(len(q)) for name in whole.inputs], -1)
    parts[0].add(q[:1000], dq[:1000], ddq[:1000], y[:1000])
    parts[1].add(q[1000:], dq[1000:], ddq[1000:], y[1000:])
    parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    assert parts[0].rows == whole.rows and whole.rows["left_finger_slide"] == 1500
    one, two = (sd.identify(arm, x) for x in (whole, parts[0]))
    assert np.all(np.abs(one.value - two.value) <= 1e-6 * np.maximum(one.sd, 1e-9)) and abs(one.chi_square - two.chi_square) < 1e-12
    with pytest.raises(ValueError, match="merge: of other sensors"):
        whole.merge(sd.SensorInformation(arm, {"sensors": WRIST["sensors"][:1] + WRIST["sensors"][2:]}))
    with pytest.raises(ValueError, match="merge: of other sensors"):
        whole.merge(sd.TorqueInformation(arm))
    y[3, 0] = np.nan
    with pytest.raises(sd.SolveError, match=r"y\[0\] is not finite"):
        whole.add(q, dq, ddq, y)
    with pytest.raises(sd.InputError, match="ddq.joint3 missing; expected the whole motion"):
        whole.add_log({k: x for k, x in readings.items() if k != "ddq.joint3"})


def test_sensors_that_cannot_be(arm, readings):
    with pytest.raises(sd.InputError, match="centre_of_pressure|momentum_rate"):
        sd.identify(arm, readings, sensors={"sensors": [{"name": "whole", "type": "momentum_rate", "sigma": 1}]})
    with pytest.raises(ValueError, match="logs: SensorInformation; expected tables beside sensors"):
        sd.identify(arm, sd.SensorInformation(arm, WRIST), sensors=WRIST)
    with pytest.raises(ValueError, match="logs: SensorInformation; expected tables, which"):
        sd.identify(arm, sd.SensorInformation(arm, WRIST), robust="huber")
    with pytest.raises(ValueError, match="holdout: TorqueInformation; expected tables beside sensors"):
        sd.identify(arm, readings, sd.TorqueInformation(arm), sensors=WRIST)
    whole = sd.SensorInformation(arm, WRIST)
    whole.add_log(readings)
    with pytest.raises(ValueError, match="holdout: of other sensors than logs"):
        sd.identify(arm, whole, sd.TorqueInformation(arm))
    with pytest.raises(sd.AnswerIsNo, match="4 rows of left_finger_slide"):
        sd.identify(arm, {k: x[:4] for k, x in readings.items()}, sensors=WRIST)


def test_a_base_wrench_that_was_computed_is_left_out(quadruped):
    table = sd.simulate(quadruped, seconds=10, rate=60)
    log = {name: table[name].to_numpy() for name in table.column_names}
    rng = np.random.default_rng(4)
    for name in quadruped.joint_names:
        if f"tau.{name}" in log:
            log[f"tau.{name}"] = log[f"tau.{name}"] + 0.1 * rng.standard_normal(len(log["time"]))
    with pytest.warns(sd.SparsedynWarning, match="tau.base.nx.* computed, not measured, and left out"):
        found = sd.identify(quadruped, log)
    assert found.report["noise"]["base.fz"] is None
