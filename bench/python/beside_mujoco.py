#!/usr/bin/env python3
"""Batches of inverse and forward dynamics beside MuJoCo's batch call (mujoco.rollout) and MJX on the CPU (JAX), one thread each:
bench/python/beside_mujoco.py ROBOT.urdf [ROWS]

rollout makes one step by Euler's method without damping, so its accelerations are (v' - v) / h. MJX is compiled for the batch;
compiling takes a minute and is not counted. Neither is asked for contacts and limits. Numbers must agree with ours. Processor time; the
least of many.
"""

import os
import re
import sys
import time
import warnings

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import mujoco  # noqa: E402
import mujoco.mjx  # noqa: E402
import mujoco.rollout  # noqa: E402
import numpy as np  # noqa: E402
import sparsedyn as sd  # noqa: E402

warnings.simplefilter("ignore")
jax.config.update("jax_enable_x64", True)


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


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    robot, model = sd.load_urdf(sys.argv[1]), model_of(sys.argv[1])
    names = [model.joint(k).name for k in range(model.njnt)]
    if names != list(robot.joint_names):
        sys.exit(f"joints in another order: {names}")
    rng = np.random.default_rng(1)
    q, (v, a) = robot.random(rng, rows), rng.standard_normal((2, rows, robot.nv))
    tau = sd.rnea(robot, q, v, a)
    ddq = sd.aba(robot, q, v, tau)
    forward, inverse = (sd.generate(robot, name).compile() for name in ("aba", "rnea"))
    out = np.empty_like(tau)
    print(f"{robot.name}, {rows} rows, us of processor time a row, load {os.getloadavg()[0]:.1f}")

    def say(what, ours, compiled, theirs):
        print(f"{what:44s} {theirs:8.3f}   ours {ours:7.3f}, {theirs / ours:6.1f} x   compiled {compiled:7.3f}, {theirs / compiled:6.1f} x", flush=True)

    our_forward = microseconds(lambda: sd.aba(robot, q, v, tau, out=out), rows), microseconds(lambda: forward(q, v, tau, out=out), rows)
    our_inverse = microseconds(lambda: sd.rnea(robot, q, v, a, out=out), rows), microseconds(lambda: inverse(q, v, a, out=out), rows)

    data, h = mujoco.MjData(model), model.opt.timestep
    kind = mujoco.mjtState
    size = mujoco.mj_stateSize(model, kind.mjSTATE_FULLPHYSICS)
    start = np.zeros((rows, size))
    start[:, 1 : 1 + robot.nq], start[:, 1 + robot.nq : 1 + robot.nq + robot.nv] = q, v  # behind the time
    step = lambda: mujoco.rollout.rollout(model, data, start, tau[:, None, :], control_spec=kind.mjSTATE_QFRC_APPLIED.value, skip_checks=False)[0]  # noqa: E731
    after = step()[:, 0, 1 + robot.nq : 1 + robot.nq + robot.nv]
    agree("mujoco.rollout", (after - v) / h, ddq, 1e-8)
    say("forward: mujoco.rollout, a step", *our_forward, microseconds(step, rows))

    for kind_of_number in (np.float64, np.float32):
        jax.config.update("jax_enable_x64", kind_of_number is np.float64)
        single = kind_of_number is np.float32
        device, blank = mujoco.mjx.put_model(model), mujoco.mjx.make_data(model)
        given = [jax.numpy.asarray(x, dtype=kind_of_number) for x in (q, v, tau, a)]
        accelerations = jax.jit(jax.vmap(lambda q, v, tau, device=device, blank=blank: mujoco.mjx.forward(
            device, blank.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc))
        torques = jax.jit(jax.vmap(lambda q, v, a, device=device, blank=blank: mujoco.mjx.inverse(
            device, blank.replace(qpos=q, qvel=v, qacc=a)).qfrc_inverse))
        agree("mjx.forward", np.asarray(accelerations(*given[:3])), ddq, 1e-2 if single else 1e-8)
        agree("mjx.inverse", np.asarray(torques(given[0], given[1], given[3])), tau, 1e-3 if single else 1e-8)
        name = kind_of_number.__name__
        say(f"forward: mjx.forward, {name}", *our_forward, microseconds(lambda f=accelerations, x=given: f(*x[:3]).block_until_ready(), rows))
        say(f"inverse: mjx.inverse, {name}", *our_inverse,
            microseconds(lambda f=torques, x=given: f(x[0], x[1], x[3]).block_until_ready(), rows))


if __name__ == "__main__":
    main()
