#!/usr/bin/env python3
"""Batches of forward dynamics beside MuJoCo's batch call (mujoco.rollout), one thread each: bench/python/beside_mujoco.py ROBOT.urdf [ROWS]

rollout makes one step by Euler's method without damping, so its accelerations are (v' - v) / h. It is not asked for contacts and
limits. Numbers must agree with ours. Processor time; the least of many.
"""

import os
import re
import sys
import time
import warnings

import mujoco
import mujoco.rollout
import numpy as np
import sparsedyn as sd

warnings.simplefilter("ignore")


def microseconds(function, rows, seconds=3.0):
    """Of processor time a row."""
    function()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return 1e6 * best / rows


def model_of(path):
    """The robot in MuJoCo, without what it would add: shapes, limits, friction, couplings."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"<(visual|collision)\b.*?</\1>|<(visual|collision)\s*/>", "", file.read(), flags=re.S)
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.compiler.balanceinertia = False
    for equality in list(spec.equalities):
        spec.delete(equality)
    for joint in spec.joints:
        joint.limited = joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
        joint.frictionloss = 0
        joint.damping = [0, 0, 0] if np.ndim(joint.damping) else 0
    spec.option.timestep = 1e-3
    off = mujoco.mjtDisableBit
    spec.option.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_EULERDAMP | off.mjDSBL_WARMSTART
    return spec.compile()


def agree(what, found, expected, bound):
    error = np.abs(found - expected).max() / max(1, np.abs(expected).max())
    if not error <= bound:
        sys.exit(f"{what}: {error:.1e} away from ours; expected {bound:g}")


def robot_and_rows(urdf, rows):
    """The robot, MuJoCo's model of it, and random rows q, v, a, tau; ddq is what aba makes of them."""
    robot, model = sd.load_urdf(urdf), model_of(urdf)
    names = [model.joint(k).name for k in range(model.njnt)]
    if names != list(robot.joint_names):
        sys.exit(f"joints in another order: {names}")
    rng = np.random.default_rng(1)
    q, (v, a) = robot.random(rng, rows), rng.standard_normal((2, rows, robot.nv))
    tau = sd.rnea(robot, q, v, a)
    return robot, model, q, v, a, tau, sd.aba(robot, q, v, tau)


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    robot, model, q, v, _, tau, ddq = robot_and_rows(sys.argv[1], rows)
    forward = sd.generate(robot, "aba").compile()
    out = np.empty_like(tau)
    print(f"{robot.name}, {rows} rows, us of processor time a row, load {os.getloadavg()[0]:.1f}")

    def say(what, ours, compiled, theirs):
        print(f"{what:44s} {theirs:8.3f}   ours {ours:7.3f}, {theirs / ours:6.1f} x   compiled {compiled:7.3f}, {theirs / compiled:6.1f} x", flush=True)

    our_forward = microseconds(lambda: sd.aba(robot, q, v, tau, out=out), rows), microseconds(lambda: forward(q, v, tau, out=out), rows)

    data, h = mujoco.MjData(model), model.opt.timestep
    kind = mujoco.mjtState
    size = mujoco.mj_stateSize(model, kind.mjSTATE_FULLPHYSICS)
    start = np.zeros((rows, size))
    start[:, 1 : 1 + robot.nq], start[:, 1 + robot.nq : 1 + robot.nq + robot.nv] = q, v  # behind the time
    step = lambda: mujoco.rollout.rollout(model, data, start, tau[:, None, :], control_spec=kind.mjSTATE_QFRC_APPLIED.value, skip_checks=False)[0]  # noqa: E731
    after = step()[:, 0, 1 + robot.nq : 1 + robot.nq + robot.nv]
    agree("mujoco.rollout", (after - v) / h, ddq, 1e-8)
    say("forward: mujoco.rollout, a step", *our_forward, microseconds(step, rows))


if __name__ == "__main__":
    main()
