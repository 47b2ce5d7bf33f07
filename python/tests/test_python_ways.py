"""Small things that users of Python expect: words, numbers alone, names, pickles, garbage."""

import ast
import gc
import inspect
import pathlib
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS, ROOT


def test_errors_speak_python(arm):
    text = ROBOTS / "arm.urdf"
    with pytest.raises(ValueError, match=r"^lock=joint9: the robot has no joint of that name"):
        sd.load_urdf(text, lock={"joint9": 0})
    with pytest.raises(ValueError, match=r"^cut=nothing: the robot has no link"):
        sd.load_urdf(text, cut="nothing")
    with pytest.raises(ValueError, match=r"^lock=joint9"):
        arm.lock("joint9")
    with pytest.raises(ValueError, match=r"^algorithm=rnea_: unknown"):
        sd.generate(arm, "rnea_")
    with pytest.raises(ValueError, match=r"^outputs=nothing"):
        sd.generate(arm, "rnea", outputs="nothing")
    with pytest.raises(ValueError) as error:
        sd.generate(arm, "rnea", derivatives="q")
    assert "derivatives= goes with sensors=" in str(error.value)
    massless = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>
    </joint></robot>"""
    with pytest.warns(sd.SparsedynWarning, match=r"\(lock='massless' fixes such joints\)"):
        robot = sd.load_urdf(massless)
    assert "lock='massless'" in robot.warnings[0] and "--" not in robot.warnings[0]


def test_a_name_alone_locks(arm):
    for robot in (sd.load_urdf(ROBOTS / "arm.urdf", lock="joint2"), arm.lock("joint2"), sd.load_urdf(ROBOTS / "arm.urdf", lock=["joint2"])):
        assert "joint2" not in robot.joint_names and robot.nv == arm.nv - 1


def test_a_lock_beyond_the_limits_is_a_warning(arm, tmp_path):
    upper = arm.joints["joint2"].upper
    with pytest.warns(sd.SparsedynWarning, match=r'arm.urdf:\d+: joint "joint2": locked at 99, beyond its limits of '):
        sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint2": 99})
    with pytest.warns(sd.SparsedynWarning, match="joint2.*beyond its limits"):
        arm.lock({"joint2": -99})
    with pytest.raises(sd.InputError, match="beyond its limits"):
        sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint2": 99}, strict=True)
    for value in (upper, 0.0):
        assert not any("beyond" in text for text in sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint2": value}).warnings)
    assert not any("beyond" in text for text in sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint7": 99}).warnings)  # continuous


def test_a_number_alone_is_a_vector_of_it(arm, quadruped):
    q = arm.random(rng=1)
    zero = np.zeros(arm.nv)
    assert np.array_equal(sd.rnea(arm, q, 0, 0), sd.rnea(arm, q, zero, zero)) and sd.rnea(arm, q, 0, 0).shape == (arm.nv,)
    assert np.array_equal(sd.rnea(arm, q, 0.1, 2), sd.rnea(arm, q, 0.1 * np.ones(arm.nv), 2 * np.ones(arm.nv)))
    assert np.array_equal(sd.rnea(arm, np.stack([q, q]), 0.5, [[1.0] * arm.nv] * 2)[1], sd.rnea(arm, q, 0.5, 1))
    solver = sd.Solver(arm, "inverse-dynamics")
    y = np.zeros(len(solver.inputs))
    assert np.array_equal(solver(q, 0, y), solver(q, np.zeros(arm.nv), y))
    for robot in (arm, quadruped):  # a posture is none
        with pytest.raises(ValueError, match=r"q: \(\); expected \(\.\.\., "):
            sd.gravity(robot, 0.5)
    with pytest.raises(ValueError, match=r"gravity: \(\); expected"):
        sd.load_urdf(ROBOTS / "arm.urdf", gravity=9.81)


def test_mass_and_centre_agree_on_what_counts(arm, quadruped):
    for robot in (arm, quadruped):
        q = robot.random(rng=1)
        links = robot.links.values()
        assert np.isclose(robot.mass, sum(link.mass for link in links), rtol=1e-14)
        centres = {link.name: (sd.pose(robot, q, link.name, as_matrix=True) @ np.append(link.com, 1))[:3] for link in links}
        whole = sum(link.mass * centres[link.name] for link in links) / robot.mass
        assert np.allclose(sd.centre_of_mass(robot, q, whole=True), whole, atol=1e-14)
        dq = np.random.default_rng(2).standard_normal(robot.nv)
        assert np.allclose(robot.moving_mass * (sd.centre_of_mass_jacobian(robot, q) @ dq), sd.momentum(robot, q, dq)[3:], atol=1e-12)
    assert arm.moving_mass < arm.mass and np.isclose(quadruped.moving_mass, quadruped.mass, rtol=1e-14)


def test_compiled_functions_tell_and_travel(arm):
    try:
        f = sd.generate(arm, "rnea-derivatives").compile()
    except sd.CompilerFailure:
        pytest.skip("no C compiler")
    q, dq, ddq = (np.random.default_rng(k).standard_normal(arm.nv) for k in range(3))
    assert repr(f) == "CompiledFunction(arm_rnea_derivatives(q: 9, dq: 9, ddq: 9) -> (dtau_dq: 9 x 9, dtau_dv: 9 x 9, M: 9 x 9))"
    again = pickle.loads(pickle.dumps(f))
    assert again.cached and repr(again) == repr(f)
    for one, two in zip(f(q, dq, ddq), again(q, dq, ddq)):
        assert np.array_equal(one, two)
    bound = f.bind(q, dq, ddq)
    assert repr(bound).startswith("BoundFunction(arm_rnea_derivatives(q: 9, ") and repr(bound).endswith(", 1 sample)")
    single = sd.generate(arm, "rnea", dtype="float32").compile()
    assert np.array_equal(pickle.loads(pickle.dumps(single))(q, dq, ddq), single(q, dq, ddq)) and "float32" in repr(single)
    state = f.__reduce__()[1]
    with pytest.raises(sd.InputError, match="CompiledFunction: 10 fields"):
        f.__reduce__()[0](*state[:-1])
    with pytest.raises(sd.InputError, match="CompiledFunction.inputs: "):
        f.__reduce__()[0](*state[:5], [("a", [-1])], *state[6:])
    for places in ([6], [-1], ["0"]):
        with pytest.raises(sd.InputError, match="CompiledFunction.*places in q"):
            f.__reduce__()[0](*state[:-1], places)


def test_without_casadi_it_says_what_to_install(arm):
    program = sd.generate(arm, "crba")
    lines = ("import sys; sys.modules['casadi'] = None\nimport sparsedyn as sd\n"
             f"try: sd.generate(sd.load_urdf({str(ROBOTS / 'arm.urdf')!r}), 'crba').casadi()\nexcept ImportError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert "pip install casadi" in done.stdout and program.name == "arm_crba"


def test_other_spellings_are_understood():
    assert sd.optimize is sd.optimise and sd.center_of_mass is sd.centre_of_mass
    assert sd.center_of_mass_jacobian is sd.centre_of_mass_jacobian


def test_signatures_are_told(arm):
    rnea = inspect.signature(sd.rnea)
    assert list(rnea.parameters) == ["robot", "q", "dq", "ddq", "fx", "out", "threads", "on_error"]
    assert rnea.parameters["on_error"].default == "raise" and rnea.parameters["threads"].kind is inspect.Parameter.KEYWORD_ONLY
    assert rnea.return_annotation == "NDArray[numpy.float64]"
    assert list(inspect.signature(arm.integrate).parameters) == ["q", "v", "out"]
    assert list(inspect.signature(sd.Model.integrate).parameters) == ["self", "q", "v", "out"]
    assert list(inspect.signature(sd.SensorSet).parameters) == ["source"]
    functions = [name for name in sd.__all__ if callable(getattr(sd, name)) and not inspect.isclass(getattr(sd, name))]
    assert len(functions) >= 58 and not [name for name in functions if "args" in str(inspect.signature(getattr(sd, name)))]


def test_progress_of_an_identification(arm):
    log, told = sd.simulate(arm, seconds=3), []
    sd.identify(arm, [log, log], progress=lambda fraction, what: told.append((fraction, what)))
    assert [what for _, what in told] == ["log 1 of 2", "log 2 of 2", "fit", "done"] and told == sorted(told, key=lambda each: each[0])


CLAWS = {"name": "claws", "type": "link_contact", "links": ["left_finger", "right_finger"]}


class Marked:
    """Something a finder closes over, that can be watched."""


def cycle(robot, used):
    """Constraints that their finder knows, and a watcher of what it knows, too."""
    marked = Marked()
    held = []

    def find(q, first, second):
        return None if held and marked else None

    held.append(sd.Constraints({"constraints": [{**CLAWS, "finder": find}]}))
    held.append(robot)
    if used:
        n = robot.nv
        sd.contact_dynamics(robot, held[0], np.zeros((3, n)), np.zeros(n), np.zeros(n))
    return weakref.ref(marked)


@pytest.mark.parametrize("used", [False, True])
def test_a_finder_that_knows_its_constraints_is_collected(used):
    robot = sd.load_urdf(ROBOTS / "arm.urdf")
    watchers = [cycle(robot, used), cycle(sd.load_urdf(ROBOTS / "arm.urdf"), used)]
    gc.collect()
    assert [watcher() for watcher in watchers] == [None, None]


def test_a_finder_in_use_is_not_collected(arm):
    calls = []

    def find(q, first, second):
        gc.collect()
        calls.append(q)
        return None

    held = sd.Constraints({"constraints": [{**CLAWS, "finder": find}]})
    copy = sd.Constraints(held)
    del held
    gc.collect()
    n = arm.nv
    for constraints in (copy, {"constraints": [{**CLAWS, "finder": find}]}):
        found = sd.contact_dynamics(arm, constraints, np.zeros((2, n)), np.zeros(n), np.zeros(n))
        assert np.allclose(found.ddq[0], sd.aba(arm, np.zeros(n), np.zeros(n), np.zeros(n)), atol=1e-12)
    assert len(calls) == 4


def test_watching_is_forward(arm):
    motion = sd.watch(arm, seconds=0.1, rate=100, forward=True)
    assert motion.table.num_rows == 10 and "Drag turns the view" in motion.html
    with pytest.raises(ValueError, match="forward: False"):
        sd.watch(arm, forward=False)


def test_nothing_is_left_at_exit(tmp_path):
    """nanobind tells of objects that nobody freed."""
    lines = """
import numpy as np, sparsedyn as sd
robot = sd.load_urdf("robots/arm.urdf")
held = []
def find(q, first, second):
    return None if held else None
held.append(sd.Constraints({"constraints": [{"name": "c", "type": "link_contact", "links": ["left_finger", "right_finger"], "finder": find}]}))
zero = np.zeros(robot.nv)
sd.contact_dynamics(robot, held[0], zero, zero, zero)
solver = sd.Solver(robot, "inverse-dynamics")
solver.solve_log(sd.simulate(robot, seconds=0.1))
bound = solver.bind(zero, zero, np.zeros(len(solver.inputs)))
bound()
sd.identify(robot, sd.simulate(robot, seconds=1), fit="damping")
print(robot.joints, robot.lock("joint1"), sd.check(robot, "inverse-dynamics"))
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "leak" not in done.stderr and "nanobind" not in done.stderr, done.stderr


def test_a_page_more_makes_no_file_again(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    robot = sd.load_urdf(ROBOTS / "arm.urdf")
    sensors = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                           {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
                           {"name": "still", "type": "external_wrench", "link": "*", "value": 0}]}
    (tmp_path / "fleet/robot=r1").mkdir(parents=True)
    for k in range(2):
        pyarrow.write_table(sd.simulate(robot, sensors, seconds=1, seed=k + 1), tmp_path / f"fleet/robot=r1/log{k}.parquet")

    def solved(out, **options):
        return sd.solve_dataset(tmp_path / "fleet", robot, sensors, tmp_path / out, **options)

    first = solved("out")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    paged = solved("out", report=tmp_path / "later.html")
    assert first.made == 2 and paged.made == 0 and before == {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    at_once = solved("other", report=tmp_path / "once.html")
    assert at_once.made == 2 and solved("other").made == 0 and solved("other", report=tmp_path / "again.html").made == 0
    pages = [(tmp_path / name).read_text() for name in ("later.html", "once.html", "again.html")]
    assert pages[0] == pages[1] == pages[2] and "motors" in pages[0]
    names = sd.open_log(tmp_path / "other").read().column_names
    assert names == sd.open_log(tmp_path / "out").read().column_names and not [n for n in names if n.startswith(("chi2", "innovation"))]
    assert "chi2" in sd.open_log(solved("third", innovations=True).folder).read().column_names


def test_the_covariance_of_offsets_is_an_array(arm):
    import json

    sensors = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1, "bias": True},
                           {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
                           {"name": "still", "type": "external_wrench", "link": "*", "value": 0}]}
    solver = sd.Solver(arm, sensors)
    assert solver.offsets.covariance.shape == (0, 0)
    solver.solve_log(sd.simulate(arm, {"sensors": [{**sensors["sensors"][0], "bias": False}, *sensors["sensors"][1:]]}, seconds=3))
    covariance = solver.offsets.covariance
    assert covariance.shape == (arm.nv, arm.nv) and np.array_equal(covariance, json.loads(json.dumps(solver.offsets))["covariance"])
    told = [solver.offsets["offsets"][name]["sd"] for name in solver.offsets["columns"]]
    assert np.allclose(np.sqrt(np.diag(covariance)), told, rtol=1e-6) and np.all(np.linalg.eigvalsh(covariance) > 0)


def test_importing_leaves_out_what_few_ask_for():
    """Urllib with ssl, the readers of MuJoCo's robots, pictures: more than half of the time before anything is computed."""
    code = "import sys, numpy; before = set(sys.modules); import sparsedyn; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "sparsedyn._core" in loaded and "sparsedyn._solver" in loaded
    later = {f"sparsedyn.{module}" for module in sd._LATER}
    assert later >= {"sparsedyn.mujoco", "sparsedyn.plot", "sparsedyn._tracker", "sparsedyn._verify", "sparsedyn._pinocchio"}
    assert later >= {"sparsedyn._identification", "sparsedyn._inspection"}
    assert not {"urllib.request", "ssl", "http.client", *later} & set(loaded)


def test_what_is_imported_later_is_what_type_checkers_read():
    conditions = (node for node in ast.parse(pathlib.Path(sd.__file__).read_text()).body if isinstance(node, ast.If))
    (later,) = (node for node in conditions if isinstance(node.body[0], ast.ImportFrom))
    read = {name.name: node.module or name.name for node in later.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert read == sd._MODULE_OF and len(read) > 20
    code = ("import sparsedyn as sd; assert set(sd.__all__) <= set(dir(sd)); from sparsedyn import *\n"
            "print(load_mujoco is sd.mujoco.load_mujoco, plot.estimate is sd.plot.estimate, verify.__module__)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "sparsedyn._verify"]
    assert all(hasattr(sd, name) for name in sd.__all__)
    with pytest.raises(AttributeError, match="module 'sparsedyn' has no attribute 'verfy'") as refused:
        sd.verfy
    assert refused.value.name == "verfy" and refused.value.obj is sd


def test_a_urdf_holds_names_with_any_character():
    """The characters that XML itself uses are escaped where they stand in a name."""
    text = (ROBOTS / "arm.urdf").read_text()
    name = "a&b<c>\"d'e"
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    robot = sd.load_urdf(text.replace('"joint1"', f'"{escaped}"'))
    again = sd.load_urdf(robot.to_urdf())
    assert name in robot.joints and list(again.joints) == list(robot.joints)
