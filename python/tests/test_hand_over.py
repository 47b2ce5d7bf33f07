"""What identify hands over: one value of each thing, and the same robot again; and readings that other columns stand in for."""

import json
import pickle
import subprocess
import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS, ROOT

PROGRAM = ROOT / "build/tools/sparsedyn"
RUB = {"damping": 0.5, "friction": 0.3, "offset": 0.1}
NOISY = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                     {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
                     {"name": "still", "type": "external_wrench", "link": "*", "value": 0}]}


def worn(robot):
    """A log of the robot whose joints rub."""
    true = robot._read_again((ROBOTS / "arm.urdf").read_text(), json.dumps({"joints": {name: RUB for name in robot.joint_names}}))
    log = sd.simulate(robot, seconds=5)
    states = robot.arrays(log)
    tau = sd.rnea(true, states["q"], states["dq"], states["ddq"]) + 0.01 * np.random.default_rng(1).standard_normal((500, robot.nv))
    return robot.table(**{key: states[key] for key in ("time", "q", "dq", "ddq")}, tau=tau)


def dynamics_of(urdf):
    """By joint: damping and friction of <dynamics>."""
    return {joint.get("name"): {key: float(joint.find("dynamics").get(key)) for key in ("damping", "friction")}
            for joint in ElementTree.fromstring(urdf).findall("joint") if joint.find("dynamics") is not None}


OPTIONS = [{}, {"lock": {"joint2": 0.4, "joint6": -0.2}}, {"cut": ["link6"], "gravity": (0, 1, -9)}, {"urdf_dynamics": True}]


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "locked", "cut", "dynamics"])
def test_the_urdf_holds_what_was_fitted_and_reads_back_as_the_same_robot(options):
    robot = sd.load_urdf(ROBOTS / "arm.urdf", **options)
    found = sd.identify(robot, worn(robot))
    told = dynamics_of(found.urdf)
    assert set(found.joints) == set(robot.joint_names)
    for name, joint in found.joints.items():
        assert told[name] == {key: joint[key] for key in ("damping", "friction")} and abs(joint["damping"] - 0.5) < 0.1
    assert sd.load_urdf(found.urdf, **found.load_options) == found.robot
    assert pickle.loads(pickle.dumps(found)).load_options == found.load_options
    by_urdf = sd.load_urdf(found.urdf, **{**found.load_options, "joints": None, "urdf_dynamics": True})
    for name in robot.joint_names:
        assert by_urdf.joints[name].damping == found.robot.joints[name].damping
        assert by_urdf.joints[name].friction == found.robot.joints[name].friction


def test_dynamics_that_nobody_fitted_stay_as_they_are(arm):
    text = (ROBOTS / "arm.urdf").read_text()
    found = sd.identify(arm, sd.simulate(arm, seconds=3), fit="inertia")
    assert dynamics_of(found.urdf) == dynamics_of(text)
    damped = sd.identify(arm, worn(arm), fit="damping")
    assert all(each == {"damping": damped.joints[name]["damping"], "friction": 0} for name, each in dynamics_of(damped.urdf).items())


def test_a_robot_file_holds_what_was_fitted(arm, tmp_path):
    sd.save_robot(arm, tmp_path / "arm.json")
    robot = sd.load_robot(tmp_path / "arm.json")
    found = sd.identify(robot, worn(arm))
    assert sd.load_urdf(found.urdf, **found.load_options) == found.robot
    assert sd.load_urdf(found.urdf).joints["joint2"].damping == 0  # a file that says nothing of joints goes on to say nothing
    damped = sd.load_urdf(sd.load_urdf(ROBOTS / "arm.urdf", joints={"joint2": {"damping": 0.1}})._robot_text())
    fitted = sd.identify(damped, worn(arm))
    assert sd.load_urdf(fitted.urdf).joints["joint2"].damping == fitted.joints["joint2"]["damping"] != 0.1
    assert sd.load_urdf(fitted.urdf, **fitted.load_options) == fitted.robot
    locked = robot.lock({"joint2": 0.4})
    again = sd.identify(locked, worn(locked))
    assert sd.load_urdf(again.urdf, **again.load_options) == again.robot and "joint2" not in again.robot.joint_names


def test_the_program_writes_the_same_urdf(arm, tmp_path):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} was not built: its file is not compared")
    import pyarrow.csv

    log = worn(arm)
    pyarrow.csv.write_csv(log, tmp_path / "log.csv")
    subprocess.run([PROGRAM, "identify", ROBOTS / "arm.urdf", "--log", tmp_path / "log.csv", "-o", tmp_path / "out.json", "--quiet",
                    "--urdf-out", tmp_path / "out.urdf"], check=True, capture_output=True)
    assert (tmp_path / "out.urdf").read_text() == sd.identify(arm, log).urdf


def test_dynamics_of_a_urdf_are_read_where_asked_for():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1"
    iyz="0" izz="1"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>
    <dynamics damping="0.25" friction="0.5"/></joint></robot>"""
    assert sd.load_urdf(text).joints["j"].damping == 0
    read = sd.load_urdf(text, urdf_dynamics=True)
    assert (read.joints["j"].damping, read.joints["j"].friction) == (0.25, 0.5) and pickle.loads(pickle.dumps(read)) == read
    assert sd.load_urdf(text, urdf_dynamics=True, joints={"j": {"damping": 2}}).joints["j"].damping == 2
    with pytest.raises(ValueError, match="urdf_dynamics: a robot file"):
        sd.load_urdf(read._robot_text(), urdf_dynamics=True)


# readings that a log lacks


def test_columns_that_stand_in_are_named_once_and_can_be_refused(arm):
    log = sd.simulate(arm, seconds=1)  # the truth: tau.*, ddq.*, and no reading
    solver = sd.Solver(arm, NOISY)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        solver.solve_log(log)
    told = [str(each.message) for each in said if "in the place of" in str(each.message)]
    assert len(told) == 1 and "tau.joint1" in told[0] and "y.motors.joint1" in told[0]
    expected = {f"y.motors.{n}": f"tau.{n}" for n in arm.joint_names} | {f"y.encoders.{n}": f"ddq.{n}" for n in arm.joint_names}
    assert solver.report["stand_ins"] == expected
    with pytest.raises(sd.InputError, match=r"in the place of y\.motors\.joint1.*; expected the readings themselves \(stand_in=False\)"):
        solver.solve_log(log, stand_in=False)
    read = sd.simulate(arm, NOISY, seconds=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.solve_log(read, stand_in=False)
    assert solver.report["stand_ins"] == {}
    half = read.drop_columns([f"y.motors.{arm.joint_names[0]}"])
    with pytest.warns(sd.SparsedynWarning, match=f"^log: tau.{arm.joint_names[0]} in the place of"):
        solver.solve_log(half)
    assert list(solver.report["stand_ins"]) == [f"y.motors.{arm.joint_names[0]}"]


def test_what_is_known_exactly_stands_for_itself(arm):
    solver = sd.Solver(arm, "inverse-dynamics")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.solve_log(sd.simulate(arm, seconds=1), stand_in=False)
    assert solver.report["stand_ins"] == {}


def test_identification_and_data_sets_say_it_too(arm, tmp_path):
    import pyarrow.parquet

    log, motors = sd.simulate(arm, seconds=3), {"sensors": NOISY["sensors"][:1] + NOISY["sensors"][2:]}
    with pytest.warns(sd.SparsedynWarning, match="in the place of y.motors"):
        sd.identify(arm, log, sensors=motors, fit="inertia")
    with pytest.raises(sd.InputError, match="stand_in=False"):
        sd.identify(arm, log, sensors=motors, fit="inertia", stand_in=False)
    (tmp_path / "data").mkdir()
    pyarrow.parquet.write_table(log, tmp_path / "data/one.parquet")
    with pytest.warns(sd.SparsedynWarning, match="in the place of y.motors"):
        sd.solve_dataset(tmp_path / "data", arm, NOISY, tmp_path / "out")
    with pytest.raises((sd.DatasetError, sd.InputError), match="stand_in=False"):
        sd.solve_dataset(tmp_path / "data", arm, NOISY, tmp_path / "refused", stand_in=False)


def test_the_program_notes_them_and_refuses_them(arm, tmp_path):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} was not built: it is not asked")
    import pyarrow.csv

    pyarrow.csv.write_csv(sd.simulate(arm, seconds=0.2), tmp_path / "log.csv")
    (tmp_path / "set.json").write_text(json.dumps({"name": "noisy", **NOISY}))
    command = [PROGRAM, "solve", ROBOTS / "arm.urdf", "--sensors", tmp_path / "set.json", "--log", tmp_path / "log.csv", "-o",
               tmp_path / "out.csv", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["stand_ins"]["y.motors.joint1"] == "tau.joint1"
    told = subprocess.run(command[:-1], capture_output=True, text=True, check=True).stdout
    assert told.count("stand in for y.motors.joint1") == told.count("stand in") == 1
    refused = subprocess.run([*command, "--no-stand-in"], capture_output=True, text=True, check=False)
    assert refused.returncode == 3 and "stand in for y.motors.joint1" in refused.stderr
