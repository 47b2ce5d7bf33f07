#!/usr/bin/env python3
"""Batches of inverse and forward dynamics beside MuJoCo's MJX on the CPU (JAX, float64): bench/python/beside_mjx.py ROBOT.urdf [ROWS]

MJX is compiled once (jit of vmap); its compiling is told by itself and left out, and each call is waited for. It is given the robot
without contacts, limits, friction and couplings. `mjx.inverse` and `mjx.forward` do more than the dynamics all the same (tendons,
transmissions, sensors and energies where a model has them), so the least that gives the same numbers is timed too: kinematics, the
bodies' inertias and velocities, then `rne`; or M, its factors and a solve. XLA divides a call among all cores, so processor time is
compared, and by the clock that is told beside it ours stays on one thread. Numbers must agree to 1e-8.

XLA_FLAGS, unless given, are those with which MJX is fast: XLA's newer way to fuse operations computes each link's pose again for
every number below it, and a row takes 22 ms (XLA_FLAGS= shows it). Needs `pip install mujoco==3.17.0 mujoco-mjx==3.17.0 jax[cpu]==0.10.2`.
"""

import os
import sys
import time
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")
import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
import numpy as np  # noqa: E402
import sparsedyn as sd  # noqa: E402
from beside_mujoco import agree, microseconds, robot_and_rows  # noqa: E402
from mujoco import mjx  # noqa: E402
from mujoco.mjx._src import smooth  # noqa: E402

warnings.simplefilter("ignore")


def functions(model):
    """Of one row, by name."""
    start = mjx.make_data(model)

    def placed(q, v):
        d = start.replace(qpos=q, qvel=v)
        for step in (mjx.kinematics, mjx.com_pos, mjx.com_vel):
            d = step(model, d)
        return d

    def least_forward(q, v, tau):
        d = mjx.rne(model, mjx.factor_m(model, mjx.crb(model, placed(q, v))))
        return smooth.solve_m(model, d, tau - d.qfrc_bias)

    return {
        "inverse: mjx.inverse": lambda q, v, a: mjx.inverse(model, start.replace(qpos=q, qvel=v, qacc=a)).qfrc_inverse,
        "inverse: its rne alone": lambda q, v, a: mjx.rne(model, placed(q, v).replace(qacc=a), flg_acc=True).qfrc_bias,
        "forward: mjx.forward": lambda q, v, tau: mjx.forward(model, start.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc,
        "forward: its M, factors and solve alone": least_forward,
    }


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    robot, plain, q, v, a, tau, ddq = robot_and_rows(sys.argv[1], rows)
    model, out = mjx.put_model(plain), np.empty_like(tau)
    compiled = {name: sd.generate(robot, name).compile() for name in ("rnea", "aba")}
    print(f"{robot.name}, {rows} rows, us of processor time a row, jax {jax.__version__}, load {os.getloadavg()[0]:.1f}")
    for name, function in functions(model).items():
        mine, given, expected = ("rnea", (q, v, a), tau) if name.startswith("inverse") else ("aba", (q, v, tau), ddq)
        begin = time.perf_counter()
        batch = jax.jit(jax.vmap(function)).lower(*map(jax.numpy.asarray, given)).compile()
        compiling = time.perf_counter() - begin
        theirs = [jax.device_put(x) for x in given]
        agree(name, np.asarray(batch(*theirs)), expected, 1e-8)
        clock = min(clocked(lambda: batch(*theirs).block_until_ready()) for _ in range(5))  # noqa: B023
        cost = microseconds(lambda: batch(*theirs).block_until_ready(), rows)  # noqa: B023
        ours = microseconds(lambda: getattr(sd, mine)(robot, *given, out=out), rows)  # noqa: B023
        program = microseconds(lambda: compiled[mine](*given, out=out), rows)  # noqa: B023
        print(f"{name:42s} {cost:8.2f} (by the clock {1e6 * clock / rows:.2f}; compiling took {compiling:.0f} s)   sd.{mine} {ours:.3f}, "
              f"{cost / ours:.0f} x   compiled {program:.4f}, {cost / program:.0f} x", flush=True)


def clocked(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
