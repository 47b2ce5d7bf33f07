"""sd.generate and what is compiled of it."""

import ctypes
import pathlib
import pickle
import re
import shutil
import subprocess

import numpy as np
import pytest

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler"), pytest.mark.usefixtures("compiled_anew")]


CASES = [("rnea", sd.rnea, ("q", "dq", "ddq")), ("aba", sd.aba, ("q", "dq", "tau")), ("crba", sd.crba, ("q",)),
         ("minverse", sd.minverse, ("q",))]


@pytest.mark.parametrize(("name", "function", "arguments"), CASES, ids=[case[0] for case in CASES])
def test_programs_compute_what_the_algorithms_do(arm, states, close, name, function, arguments):
    program = sd.generate(arm, name)
    assert program.inputs == arguments and program.flops["mul"] > 0 and program.manifest["function"] == program.name
    f = program.compile(flags="-O1")
    for shape in ((), (1,), (5,), (264,), (3, 200)):
        s = states(arm, shape)
        given = [getattr(s, argument) for argument in arguments]
        expected = function(arm, *given)
        close(f(*given), expected, 1e-9)
        out = np.zeros(expected.shape[:-1] + (2 * expected.shape[-1],))[..., ::2]
        assert f(*given, out=out) is out
        close(out, expected, 1e-9)


def test_derivatives_are_matrices(arm, states, close):
    f = sd.generate(arm, "rnea-derivatives").compile()
    s = states(arm, (300,))
    found, expected = f(s.q, s.dq, s.ddq), sd.rnea_derivatives(arm, s.q, s.dq, s.ddq)
    assert set(found._fields) == set(expected._fields) - {"tau"}
    for name in found._fields:
        close(getattr(found, name), getattr(expected, name), 1e-9)


def test_any_number_of_threads_and_any_neighbours(arm, states):
    f = sd.generate(arm, "rnea").compile(flags="-O2 -march=native -ffp-contract=fast")
    s = states(arm, (2000,))
    one = f(s.q, s.dq, s.ddq)
    for threads in (2, 3, 5):
        assert np.array_equal(one, f(s.q, s.dq, s.ddq, threads=threads))
    for first, last in ((0, 7), (5, 300), (1990, 2000)):
        assert np.array_equal(one[first:last], f(s.q[first:last], s.dq[first:last], s.ddq[first:last]))
    q = s.q[::-1]
    assert np.array_equal(f(q, s.dq[::-1], s.ddq[::-1]), one[::-1])
    assert np.array_equal(f(s.q[0], s.dq, s.ddq), f(s.q[:1], s.dq, s.ddq))
    broadcast = f(s.q[0], s.dq, s.ddq)
    assert np.array_equal(broadcast, f(np.tile(s.q[0], (2000, 1)), s.dq, s.ddq))


def test_failed_rows(arm, states):
    f = sd.generate(arm, "rnea").compile(flags="-O1")
    s = states(arm, (700,))
    good = f(s.q, s.dq, s.ddq)
    s.dq[[3, 690], 1] = np.nan, np.inf
    with pytest.raises(sd.SolveError) as error:
        f(s.q, s.dq, s.ddq)
    assert error.value.rows == [3, 690] and "dq[1]" in error.value.messages[0]
    value, failed = f(s.q, s.dq, s.ddq, on_error="nan", threads=2)
    assert list(np.flatnonzero(failed)) == [3, 690]
    assert np.isnan(value[failed]).all() and np.array_equal(value[~failed], good[~failed])
    with pytest.raises(sd.SolveError):
        f(s.q[3], s.dq[3], s.ddq[3])


def test_bound(arm, states, close):
    f = sd.generate(arm, "aba").compile(flags="-O1")
    s = states(arm, (3,))
    q, dq, tau, out = s.q[0].copy(), s.dq[0].copy(), s.tau[0].copy(), np.zeros(arm.nv)
    g = f.bind(q, dq, tau, out=out)
    for k in range(3):
        q[:], dq[:], tau[:] = s.q[k], s.dq[k], s.tau[k]
        assert g() is out
        close(out, sd.aba(arm, q, dq, tau), 1e-9)
    assert f.bind(q, dq, tau, out)() is out  # behind the inputs, as Solver.bind takes it
    assert np.array_equal(f.bind(q, dq, tau)(), out)
    many = f.bind(s.q, s.dq, s.tau)
    assert np.array_equal(many(), f(s.q, s.dq, s.tau))
    with pytest.raises(ValueError, match="copied"):
        f.bind(q[::-1], dq, tau, out=out)
    with pytest.raises(TypeError, match="expected 3: q, dq, tau"):
        f(q, dq)


@pytest.mark.parametrize(("name", "made"), [("3dof", "robot_3dof_rnea"), ("Löwe - 2", "L_we_2_rnea"), ("", "rnea")])
def test_any_robot_has_programs_with_names_in_c(name, made):
    text = f"""<robot name="{name}"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
        ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    program = sd.generate(sd.load_urdf(text), "rnea")
    assert program.name == made
    assert program.compile(flags="-O0")([0], [0], [2]) == pytest.approx([2])


def test_a_robot_that_cannot_move_has_programs():
    program = sd.generate(sd.load_urdf('<robot name="rock"><link name="a"/></robot>'), "rnea")
    assert program.compile(flags="-O0")(*np.zeros((3, 5, 0))).shape == (5, 0)


def test_sensor_programs(arm, states, close):
    program = sd.generate(arm, sensors="forward-dynamics", outputs="ddq", name="fd")
    f = program.compile(flags="-O1")
    s = states(arm, (10,))
    close(f(s.q, s.dq, s.tau), sd.aba(arm, s.q, s.dq, s.tau), 1e-9)


def test_saved_files_compile_alone(arm, tmp_path, states, close):
    program = sd.generate(arm, "rnea", name="arm_id")
    paths = program.save(tmp_path / "code")
    assert [p.rsplit("/", 1)[1] for p in paths] == ["arm_id.c", "arm_id.h", "arm_id.json"]
    library = tmp_path / "arm_id.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", paths[0], "-lm", "-o", library], check=True)
    code, s, tau = ctypes.CDLL(str(library)), states(arm), np.zeros(arm.nv)
    pointer = ctypes.POINTER(ctypes.c_double)
    arg = (pointer * 3)(*(x.ctypes.data_as(pointer) for x in (s.q, s.dq, s.ddq)))
    res = (pointer * 1)(tau.ctypes.data_as(pointer))
    assert code.arm_id(arg, res, None, None, 0) == 0
    close(tau, sd.rnea(arm, s.q, s.dq, s.ddq), 1e-9)


def test_requests_that_cannot_be(arm):
    for wrong in ({}, {"algorithm": "rnea", "sensors": "inverse-dynamics"}, {"algorithm": "rnae"}, {"algorithm": "rnea", "name": "1x"},
                  {"algorithm": "rnea", "outputs": "ddq"}, {"algorithm": "rnea", "dtype": "float16"}):
        with pytest.raises(ValueError):
            sd.generate(arm, **wrong)
    with pytest.raises(sd.CompilerFailure):
        sd.generate(arm, "rnea").compile(cc="no-such-compiler")


def test_the_cache_is_used(arm):
    program = sd.generate(arm, "crba", name="cached_once")
    assert not program.compile(flags="-O1").cached
    assert program.compile(flags="-O1").cached


PLAIN = ("rnea", "bias", "crba")  # most of the text are vectors' functions, which -O1 compiles in half of -O0's time
FLOAT_CASES = [*CASES, ("bias", sd.bias, ("q", "dq"))]


@pytest.mark.parametrize(("name", "function", "arguments"), FLOAT_CASES, ids=[case[0] for case in FLOAT_CASES])
def test_in_single_precision(robot, states, name, function, arguments):
    """Errors of a thousandth of a thousandth of the largest result, and M⁻¹'s condition times that where it is divided by."""
    program = sd.generate(robot, name, dtype="float32")
    assert program.manifest["dtype"] == program.dtype == "float32" and not re.search(r"\bdouble\b", program.source)
    vectors = robot.name == "arm"  # fixed and floating; of the quadruped the compiler takes long
    f = program.compile(flags="-O2 -march=native" if vectors else "-O1" if name in PLAIN else "-O0")
    s = states(robot, (300,))
    given = [getattr(s, argument) for argument in arguments]
    expected, found = function(robot, *given), f(*given)
    condition = np.linalg.cond(sd.crba(robot, s.q)) if name in ("aba", "minverse") else np.ones(300)
    for k in range(300):
        assert np.abs(found[k] - expected[k]).max() <= 2e-6 * condition[k] * max(1, np.abs(expected[k]).max())
    assert np.abs(found - expected).max() > 1e-9  # it did compute in floats
    assert np.array_equal(found.astype(np.float32), found)
    assert np.array_equal(f(*(x[7:8] for x in given)), found[7:8]) and np.array_equal(f(*(x[7] for x in given)), found[7])
    assert np.array_equal(f(*given, threads=3), found)
    out = np.zeros_like(found)
    f.bind(*given, out=out)()
    assert np.array_equal(out, found)


def test_derivatives_in_single_precision(arm, states):
    f = sd.generate(arm, "rnea-derivatives", dtype="float32").compile()
    s = states(arm, (50,))
    found, expected = f(s.q, s.dq, s.ddq), sd.rnea_derivatives(arm, s.q, s.dq, s.ddq)
    for name in found._fields:
        assert np.abs(getattr(found, name) - getattr(expected, name)).max() <= 2e-6 * np.abs(getattr(expected, name)).max()


def test_beyond_floats(arm, states):
    f = sd.generate(arm, "rnea", dtype="float32").compile(flags="-O1")
    s = states(arm, (40,))
    dq = s.dq.copy()
    dq[3, 0] = 1e39  # no float
    dq[5, 1] = 1e25  # its square is none
    value, failed = f(s.q, dq, s.ddq, on_error="nan")
    assert np.flatnonzero(failed).tolist() == [3, 5] and np.isnan(value[[3, 5]]).all()
    q = s.q + np.where(np.arange(arm.nq) < 6, 2 * np.pi * 1e4, 0)  # joints without an offset: sines and cosines of the C library
    expected = sd.rnea(arm, q.astype(np.float32).astype(float), s.dq, s.ddq)
    assert np.abs(f(q, s.dq, s.ddq) - expected).max() <= 2e-6 * np.abs(expected).max()
    with pytest.raises(ValueError, match="float64.*float32"):
        sd.generate(arm, "rnea", dtype="float16")


def test_floats_from_c(arm, states, tmp_path):
    """NAME, NAME_batch and NAME_batch_status by ctypes, without a warning of the compiler."""
    program = sd.generate(arm, "rnea", name="f", dtype="float32")
    source, *_ = program.save(tmp_path)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wdouble-promotion", "-Werror", "-O1", "-fPIC", "-shared"]
    subprocess.run(["cc", *flags, source, "-lm", "-o", tmp_path / "f.so"], check=True)
    library = ctypes.CDLL(str(tmp_path / "f.so"))
    s = states(arm, (19,))
    given = [np.ascontiguousarray(x.T, dtype=np.float32) for x in (s.q, s.dq, s.ddq)]
    given[1][0, 4] = np.inf
    out, status = np.empty((arm.nv, 19), np.float32), np.empty(19, np.int32)
    pointer = ctypes.POINTER(ctypes.c_float)
    arg, res = (pointer * 3)(*(x.ctypes.data_as(pointer) for x in given)), (pointer * 1)(out.ctypes.data_as(pointer))
    library.f_batch_status.restype = ctypes.c_long
    assert library.f_batch_status(arg, res, ctypes.c_long(19), status.ctypes.data_as(ctypes.POINTER(ctypes.c_int))) == 1
    assert np.flatnonzero(status).tolist() == [4] and np.isnan(out[:, 4]).all()
    expected = sd.rnea(arm, s.q, np.where(np.arange(19)[:, None] == 4, 0, s.dq), s.ddq)
    fine = np.arange(19) != 4
    assert np.abs(out.T[fine] - expected[fine]).max() <= 2e-6 * np.abs(expected).max()
    one = [np.ascontiguousarray(x[:, 2]) for x in given]
    arg, single = (pointer * 3)(*(x.ctypes.data_as(pointer) for x in one)), np.empty(arm.nv, np.float32)
    assert library.f(arg, (pointer * 1)(single.ctypes.data_as(pointer)), None, None, 0) == 0
    assert np.abs(single - expected[2]).max() <= 2e-6 * np.abs(expected).max()
    assert library.f_work(None, None, None, None) == 1  # CasADi, which hands doubles, is refused


def test_derivatives_of_a_sensor_set_are_the_solvers(arm, states):
    program = sd.generate(arm, sensors="forward-dynamics", outputs="ddq", derivatives=["q", "v", "p"], name="f")
    f = program.compile()
    s = states(arm, 3)
    assert program.inputs[:2] == ("q", "dq") and len(program.inputs) == 3
    found = f(s.q, s.dq, s.tau)
    expected = sd.aba_derivatives(arm, s.q, s.dq, s.tau)
    assert found.dx_dq.shape == (3, arm.nv, arm.nv)
    np.testing.assert_allclose(found.dx_dq, expected.dddq_dq, rtol=1e-9, atol=1e-9 * np.abs(expected.dddq_dq).max())
    np.testing.assert_allclose(found.dx_dv, expected.dddq_dv, rtol=1e-9, atol=1e-9 * np.abs(expected.dddq_dv).max())
    assert found.dx_dp.shape == (3, arm.nv, len(arm.parameter_names))
    for wrong in (dict(algorithm="rnea"), dict(sensors="forward-dynamics")):
        with pytest.raises(ValueError, match="derivatives"):
            sd.generate(arm, **wrong, derivatives="z" if "sensors" in wrong else "q")


def test_samples_may_differ_in_parameters(arm, states, close):
    program = sd.generate(arm, "rnea-derivatives", parameters=["inertial", "joints"])
    nominal = np.array(program.manifest["pi_nominal"])
    assert program.inputs[-1] == "pi" and len(program.manifest["inputs"][-1]["elements"]) == len(nominal)
    s = states(arm, (40,))
    pi = nominal * np.random.default_rng(1).uniform(0.5, 2, (40, len(nominal)))
    found = program.compile()(s.q, s.dq, s.ddq, pi)
    Y = sd.regressor(arm, s.q, s.dq, s.ddq)
    close(found.dtau_dpi, Y, 1e-9)
    tau = sd.generate(arm, "rnea", parameters="inertial,joints").compile()
    close(tau(s.q, s.dq, s.ddq, pi), np.einsum("sik,sk->si", Y, pi), 1e-9)
    close(tau(s.q, s.dq, s.ddq, np.broadcast_to(nominal, pi.shape)), sd.rnea(arm, s.q, s.dq, s.ddq), 1e-9)


def test_parameters_of_sensor_sets_may_differ_too(arm, states, close):
    program = sd.generate(arm, sensors="forward-dynamics", outputs=["ddq", "tau"], derivatives=["p", "q"], parameters=["link3", "joint2.damping"])
    names = [name.removeprefix("pi.") for name in program.manifest["inputs"][-1]["elements"]]
    assert program.inputs[-1] == "pi" and names[-1] == "joint2.damping" and len(names) == 11
    s = states(arm, (20,))
    pi = np.array(program.manifest["pi_nominal"]) * np.random.default_rng(1).uniform(0.5, 2, (20, 11))
    found = program.compile()(s.q, s.dq, s.tau, pi)
    assert found.dx_dpi.shape == (20, 2 * arm.nv, 11) and found.dx_dq.shape == (20, 2 * arm.nv, arm.nv)
    every = np.tile(arm.parameters(), (20, 1))
    every[:, [arm.parameter_names.index(name) for name in names]] = pi
    close(sd.regressor_times(arm, s.q, s.dq, found.ddq, every), s.tau, 1e-9)


@pytest.mark.parametrize(("name", "last", "sum_of"), [("arm", "right_finger", "momentum_rate"), ("quadruped", "rh_shank", "com_acceleration")])
def test_orders_serve_the_robots_own_parameters_and_others(name, last, sum_of):
    """Without noise, the sums make the order for drawn numbers fail at the robot's own."""
    robot = sd.load_urdf(ROOT / f"robots/{name}.urdf", floating=True)
    free = [] if sum_of == "momentum_rate" else [{"name": "point", "type": "external_wrench", "link": last, "components": ["nx", "ny", "nz"], "value": 0}]
    sensors = sd.SensorSet({"sensors": [
        {"name": "free", "type": "joint_torque", "joint": "base", "value": 0}, {"name": "motors", "type": "joint_torque", "joint": "*"},
        {"name": "sum", "type": sum_of}, {"name": "air", "type": "external_wrench", "link": "*", "except": last, "value": 0}, *free]})
    outputs = ["ddq", f"fx.{last}"]
    f = sd.generate(robot, sensors=sensors, outputs=outputs, parameters="inertial")
    nominal, call = np.array(f.manifest["pi_nominal"]), f.compile()
    solver, rng = sd.Solver(robot, sensors, outputs=outputs), np.random.default_rng(4)
    n = 12
    q = robot.integrate(np.tile(robot.neutral(), (n, 1)), rng.normal(size=(n, robot.nv)))
    dq, y = rng.normal(size=(n, robot.nv)), rng.normal(size=(n, len(solver.inputs)))
    q[0], dq[0], y[1] = robot.neutral(), 0, 0
    expected = solver(q, dq, y)
    def near(found, reference, bound):
        both = np.concatenate([np.asarray(each) for each in found], 1)
        assert np.all(np.abs(both - reference).max(1) <= bound * np.maximum(1, np.abs(reference).max(1)))
    near(call(q, dq, y, np.tile(nominal, (n, 1))), expected, 1e-8)
    # of k times the masses: the same accelerations under k times all forces and rates of momentum
    k = rng.uniform(0.5, 2, (n, 1))
    scaled = y * (k if sum_of == "momentum_rate" else np.where([".com" in each or "sum" in each for each in solver.inputs], 1, k))
    ddq = expected[:, : robot.nv]
    near([call(q, dq, scaled, nominal * k).ddq], ddq, 1e-8)


def test_quaternions_of_another_norm_have_no_answer(quadruped):
    f = sd.generate(quadruped, "rnea").compile(flags="-O1")
    single = sd.generate(quadruped, "rnea", dtype="float32").compile(flags="-O1")
    step = sd.generate(quadruped, stage="semi-implicit", outputs=["x_next"]).compile()
    rng = np.random.default_rng(5)
    q = quadruped.integrate(np.tile(quadruped.neutral(), (9, 1)), rng.normal(size=(9, quadruped.nv)))
    v, a = rng.normal(size=(2, 9, quadruped.nv))
    expected = sd.rnea(quadruped, q, v, a)
    assert np.allclose(f(q, v, a), expected, rtol=1e-10) and np.allclose(single(q, v, a), expected, rtol=1e-3, atol=1e-2)
    for factor in (2, 1 + 1.1e-5, 1 - 1.1e-5, 0, -0.5):
        wrong = q.copy()
        wrong[4, 3:7] *= factor
        x = np.concatenate([wrong, v], 1)
        for call in (lambda k, **more: f(wrong[k], v[k], a[k], **more), lambda k, **more: step(x[k], a[k][..., 6:], np.full(np.shape(k) or 1, 0.01)[..., None] if np.shape(k) else [0.01], **more)):
            with pytest.raises(sd.SolveError, match="a quaternion has norm .*; expected 1") as batch:
                call(np.arange(9))
            assert list(batch.value.rows) == [4]
            with pytest.raises(sd.SolveError, match="norm"):
                call(4)
            call(3)
    wrong[4, 3:7] = q[4, 3:7] * 1.01
    with pytest.raises(sd.SolveError, match=r"norm 1\.0"):
        single(wrong, v, a)
    with pytest.raises(sd.SolveError, match=r"norm 1\.0"):
        f.bind(np.ascontiguousarray(wrong[4]), np.ascontiguousarray(v[4]), np.ascontiguousarray(a[4]))()
    value, failed = f(wrong, v, a, on_error="nan")
    assert failed.tolist() == [k == 4 for k in range(9)] and np.isnan(value[4]).all() and np.array_equal(np.delete(value, 4, 0), np.delete(f(q, v, a), 4, 0))
    wrong[4, 3:7] = -q[4, 3:7]  # the same posture
    assert np.allclose(f(wrong, v, a), expected, rtol=1e-10)


def test_quaternions_that_are_rounded_are_scaled_to_norm_1(quadruped):
    """Of float32, of text with six decimals, up to 1e-5: the numbers of the scaled posture, by all ways of calling."""
    n, nv = 61, quadruped.nv
    f = sd.generate(quadruped, "rnea").compile(flags="-O1")
    both = sd.generate(quadruped, "rnea-derivatives").compile()  # several outputs
    step = sd.generate(quadruped, stage="semi-implicit", outputs=["x_next"]).compile()
    single = sd.generate(quadruped, "rnea", dtype="float32").compile(flags="-O1")
    rng = np.random.default_rng(6)
    q = quadruped.integrate(np.tile(quadruped.neutral(), (n, 1)), rng.normal(size=(n, nv)))
    v, a = rng.normal(size=(2, n, nv))
    stretched = q.copy()
    stretched[:, 3:7] *= 1 + rng.uniform(-9.9e-6, 9.9e-6, (n, 1))
    rounded = [q.astype(np.float32).astype(float), np.array([[float(f"{x:.6f}") for x in row] for row in q]), stretched]
    assert all(np.abs(np.linalg.norm(given[:, 3:7], axis=1) - 1).max() > 1e-8 for given in rounded)
    for given in rounded:
        unchanged, unit = given.copy(), given.copy()
        unit[:, 3:7] /= np.linalg.norm(unit[:, 3:7], axis=1, keepdims=True)
        expected = sd.rnea(quadruped, unit, v, a)
        batch = f(given, v, a)
        assert np.abs(batch - expected).max() < 1e-10 * np.abs(expected).max()
        assert np.abs(f(np.asfortranarray(given), v, a) - batch).max() == 0
        assert np.abs(f(given[::2], v[::2], a[::2]) - batch[::2]).max() == 0
        for k in (0, 7, n - 1):
            alone = f(given[k], v[k], a[k])
            bound = f.bind(np.ascontiguousarray(given[k]), np.ascontiguousarray(v[k]), np.ascontiguousarray(a[k]))()
            assert np.abs(alone - expected[k]).max() < 1e-10 * np.abs(expected).max() and np.array_equal(alone, bound)
        for out, reference in zip(both(given[:3], v[:3], a[:3]), both(unit[:3], v[:3], a[:3])):
            assert np.abs(out - reference).max() < 1e-10 * max(1, np.abs(reference).max())
        x_next = step(np.concatenate([given, v], 1), a[:, 6:], np.full((n, 1), 0.01))
        assert np.abs(x_next - step(np.concatenate([unit, v], 1), a[:, 6:], np.full((n, 1), 0.01))).max() < 1e-10 * np.abs(x_next).max()
        assert np.abs(np.linalg.norm(x_next[:, 3:7], axis=1) - 1).max() < 1e-14
        assert np.abs(single(given, v, a) - expected).max() < 1e-5 * np.abs(expected).max()
        assert np.array_equal(given, unchanged)  # the caller's array
    assert np.array_equal(f(q.astype(np.float32), v, a), f(rounded[0], v, a))


def test_second_derivatives_of_a_sensor_set(arm, states, close):
    common = dict(sensors="forward-dynamics", outputs="ddq")
    first = sd.generate(arm, **common, derivatives=["v"]).compile()
    program = sd.generate(arm, **common, derivatives=["v", "second"])
    s, weights = states(arm, (5,)), np.random.default_rng(2).normal(size=(5, arm.nv))
    found = program.compile()(s.q, s.dq, s.tau, weights)
    close(found.g, np.einsum("si,sik->sk", weights, first(s.q, s.dq, s.tau).dx_dv), 1e-9)
    H = np.zeros((5, arm.nv, arm.nv))
    for e, name in enumerate(program.manifest["outputs"][-1]["elements"]):
        i, k = (int(each) for each in name.split(".")[1:])
        H[:, i, k] = H[:, k, i] = found.H[:, e]
    for k in range(arm.nv):
        step = 1e-3 * np.eye(arm.nv)[k]  # exact up to rounding: forces are quadratic in velocities, but for friction
        up, down = (np.einsum("si,sik->sk", weights, first(s.q, s.dq + sign * step, s.tau).dx_dv) for sign in (1, -1))
        close((up - down) / 2e-3, H[:, k], 1e-6)
    with pytest.raises(ValueError, match="second"):
        sd.generate(arm, **common, derivatives=["second"])


def test_base_parameters_are_fewer_and_give_the_same_accelerations(arm, states, close):
    program = sd.generate(arm, "aba", parameters="base")
    nominal = np.array(program.manifest["pi_nominal"])
    assert len(nominal) < 10 * arm.nv
    s = states(arm, (7,))
    close(program.compile()(s.q, s.dq, s.tau, np.broadcast_to(nominal, (7, len(nominal)))), sd.aba(arm, s.q, s.dq, s.tau), 1e-9)
    with pytest.raises(ValueError, match="nobody"):
        sd.generate(arm, "aba", parameters=["nobody"])


def test_pickles_of_a_program(arm):
    program = sd.generate(arm, "rnea", name="f")
    state = program.__getstate__()
    assert state[:2] == (1, sd.__version__)
    again = pickle.loads(pickle.dumps(program))
    assert again.source == program.source and again.inputs == program.inputs and again.__getstate__()[2].keys() == state[2].keys()

    def remade(found):
        sd.Program.__new__(sd.Program).__setstate__(found)

    with pytest.raises(sd.InputError, match=rf"<pickle>: Program: .*as older versions of sparsedyn.*expected format 1 of sparsedyn {sd.__version__}"):
        remade(state[2])  # as it was pickled once, without a format
    with pytest.raises(sd.InputError, match=rf"format 7 of sparsedyn 9.9.1; expected format 1 of sparsedyn {sd.__version__}"):
        remade((7, "9.9.1", state[2]))
    for wrong in ({}, {**state[2], "more": 1}, {**state[2], "_request": None}, [], None):
        with pytest.raises(sd.InputError, match="<pickle>: Program"):
            remade((*state[:2], wrong))
