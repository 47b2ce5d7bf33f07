#!/usr/bin/env python3
"""Program.jax in numbers: bench/python/jax_gradients.py ROBOT.urdf [--floating] [--mjx] [ROWS]

The first call with first derivatives (compilers included, an empty cache), a step of lax.scan beyond an empty scan and the program
alone, batches by the clock and by processor time. With --mjx (a fixed base; as beside_mjx.py says) the same batches by MuJoCo's MJX,
whose numbers must agree to 1e-8; its compiling is told apart. Needs jax; --mjx also mujoco and mujoco-mjx.
"""

import argparse
import ctypes
import os
import tempfile
import time
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")
import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import sparsedyn as sd  # noqa: E402

warnings.simplefilter("ignore")
REPEATS = 15

LOOP = """
#include <time.h>
double @_nanoseconds(const double **arg, double **res, int n) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < n; ++i) @(arg, res, 0, 0, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / n;
}
"""


def best(function, clock=time.perf_counter):
    times = []
    for _ in range(REPEATS):
        begin = clock()
        jax.block_until_ready(function())
        times.append(clock() - begin)
    return min(times)


def processor_seconds():
    """Of this process and of the compilers that it ran."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def first_call(robot, state):
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        begin, busy = time.perf_counter(), processor_seconds()
        f = sd.generate(robot, "aba", name="fd").jax()
        value = jax.jit(jax.value_and_grad(lambda *x: jnp.sum(f(*x) ** 2), argnums=(0, 1, 2)))(*state)
        jax.block_until_ready(value)
        seconds, busy = time.perf_counter() - begin, processor_seconds() - busy
        print(f"first call, value and gradient: {seconds:.1f} s by the clock, {busy:.1f} s of processor time")
        begin = time.perf_counter()
        jax.block_until_ready(jax.jit(jax.jacfwd(f, argnums=(0, 1, 2)))(*state))
        print(f"first Jacobian after it: {time.perf_counter() - begin:.1f} s")
    return f


def alone(robot, state):
    """A function that gives nanoseconds of one evaluation in C."""
    program = sd.generate(robot, "aba", name="fd")
    flags = "-O2 -march=native -ffp-contract=fast -D_POSIX_C_SOURCE=200809L"
    text = program.source + LOOP.replace("@", "fd")
    code = sd._core._compile(text, program.header, "fd", program._inputs, program._outputs, None, "", flags, False, [])
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(code._address("fd_nanoseconds"))
    given, out = [np.asarray(x) for x in state], np.empty(robot.nv)
    arg, res = (ctypes.c_void_p * 3)(*(x.ctypes.data for x in given)), (ctypes.c_void_p * 1)(out.ctypes.data)
    return lambda kept=(code, given, out): call(arg, res, 2000)


def scan(robot, f, state, steps=2000, turns=200):
    """In turns, a millisecond each, so that all three meet the same load; the least of each."""
    q, v, tau = map(jnp.asarray, state)

    def timed(step):
        run = jax.jit(lambda v: jax.lax.scan(step, v, None, length=steps)[0])
        jax.block_until_ready(run(v))

        def nanoseconds():
            begin = time.perf_counter()
            jax.block_until_ready(run(v))
            return 1e9 * (time.perf_counter() - begin) / steps

        return nanoseconds

    ways = [timed(lambda v, _: (v + 1e-9 * v[::-1], None)), timed(lambda v, _: (v + 1e-9 * f(q, v, tau), None)), alone(robot, state)]
    empty, whole, program = np.min([[way() for way in ways] for _ in range(turns)], axis=0)
    beyond = whole - empty - program
    print(f"a step of lax.scan: {whole:.0f} ns; empty {empty:.0f}, the program {program:.0f}; beyond both {beyond:.0f} ns ({robot.nv} freedoms)")


def batches(robot, f, rows, mjx):
    rng = np.random.default_rng(1)
    q = robot.random(rng, (rows,))
    v, tau = rng.standard_normal((2, rows, robot.nv))
    given = [jax.device_put(x) for x in (q, v, tau)]
    calls = {"forward dynamics": jax.jit(f), "gradient of a sum of squares": jax.jit(jax.vmap(jax.grad(lambda *x: jnp.sum(f(*x) ** 2), argnums=(0, 1, 2))))}
    print(f"{rows} rows, us a row by the clock (of processor time), load {os.getloadavg()[0]:.1f}")
    for name, call in calls.items():
        jax.block_until_ready(call(*given))
        print(f"  {name}: {1e6 * best(lambda: call(*given)) / rows:.3f} ({1e6 * best(lambda: call(*given), time.process_time) / rows:.3f})")  # noqa: B023
    if mjx:
        beside_mjx(robot, mjx, f, rows)


def beside_mjx(robot, path, f, rows):
    from beside_mjx import functions
    from beside_mujoco import agree, robot_and_rows
    from mujoco import mjx

    robot, plain, q, v, _, tau, ddq = robot_and_rows(path, rows)
    f = sd.generate(robot, "aba", name="fd").jax()
    given = [jax.device_put(x) for x in (q, v, tau)]
    ours = jax.jit(f)
    agree("sparsedyn", np.asarray(ours(*given)), ddq, 1e-8)
    mine = [best(lambda: ours(*given), clock) for clock in (time.perf_counter, time.process_time)]
    for name, function in functions(mjx.put_model(plain)).items():
        if not name.startswith("forward"):
            continue
        begin = time.perf_counter()
        theirs = jax.jit(jax.vmap(function)).lower(*given).compile()
        compiling = time.perf_counter() - begin
        agree(name, np.asarray(theirs(*given)), ddq, 1e-8)
        their = [best(lambda: theirs(*given), clock) for clock in (time.perf_counter, time.process_time)]  # noqa: B023
        print(f"  {name}: {1e6 * their[0] / rows:.3f} ({1e6 * their[1] / rows:.3f}), compiled in {compiling:.0f} s; "
              f"{their[0] / mine[0]:.0f} x by the clock, {their[1] / mine[1]:.0f} x of processor time")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robot")
    parser.add_argument("rows", nargs="?", type=int, default=4096)
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--mjx", action="store_true")
    options = parser.parse_args()
    robot = sd.load_urdf(options.robot, floating=options.floating)
    rng = np.random.default_rng(1)
    state = robot.random(rng), *rng.standard_normal((2, robot.nv))
    print(f"{robot.name}, jax {jax.__version__}, load {os.getloadavg()[0]:.1f}")
    f = first_call(robot, state)
    scan(robot, f, state)
    batches(robot, f, options.rows, options.robot if options.mjx else None)


if __name__ == "__main__":
    main()
