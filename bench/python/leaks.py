#!/usr/bin/env python3
"""Memory over a million calls of all kinds: bench/python/leaks.py [CALLS]. Exit 1 where it grows by more than 2 MB.

Right calls and wrong ones, single samples and small batches, solvers made anew, logs, programs, postures, derivatives.
"""

import gc
import pathlib
import sys
import warnings

import numpy as np
import sparsedyn as sd

ROBOTS = pathlib.Path(__file__).resolve().parents[2] / "robots"
NOISY = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                     {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
                     {"name": "still", "type": "external_wrench", "link": "*", "value": 0}]}


def resident():
    """kB."""
    gc.collect()
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    sys.exit("no VmRSS in /proc/self/status")


def refused(function, *arguments, **more):
    try:
        function(*arguments, **more)
    except (ValueError, TypeError, ArithmeticError):
        return
    sys.exit(f"{function} took what is wrong")


def calls():
    """Each a function without arguments, and how often it comes in a hundred."""
    arm = sd.load_urdf(ROBOTS / "arm.urdf")
    rng = np.random.default_rng(1)
    q, v, a = arm.random(rng, (4,)), rng.standard_normal((4, arm.nv)), rng.standard_normal((4, arm.nv))
    out, link = np.empty((4, arm.nv)), arm.link_names[-1]
    pose = sd.pose(arm, 0.3 * np.ones(arm.nq), link)
    solver, noisy = sd.Solver(arm, "inverse-dynamics"), sd.Solver(arm, NOISY, sd=True)
    y, z = np.zeros(len(solver.inputs)), rng.standard_normal(len(noisy.inputs))
    log = {name: np.asarray(column) for name, column in sd.simulate(arm, seconds=0.05, rate=100).to_pydict().items()}
    text = (ROBOTS / "arm.urdf").read_text()
    log.update({f"y.{name}": log[name] for name in list(log) if name.startswith("ddq.")})
    some = [(30, lambda: sd.rnea(arm, q[0], v[0], a[0])), (10, lambda: sd.aba(arm, q, v, a, out=out)),
            (10, lambda: sd.crba(arm, q)), (8, lambda: sd.rnea_derivatives(arm, q[0], v[0], a[0])),
            (8, lambda: sd.rnea(arm, q, v, a, fx={link: np.ones(6)})), (10, lambda: refused(sd.rnea, arm, q[:, 1:], v, a)),
            (8, lambda: refused(sd.rnea, arm, q * np.nan, v, a)), (6, lambda: solver(q[0], v[0], y)),
            (3, lambda: noisy(q[0], v[0], z)), (2, lambda: noisy.derivatives(q[0], v[0], z, by=("q", "parameters"))),
            (1, lambda: sd.ik(arm, {link: pose})), (2, lambda: refused(sd.ik, arm, {link: pose[1:]})),
            (1, lambda: refused(sd.Solver, arm, "inverse-dinamics")), (1, lambda: sd.SensorSet(NOISY))]
    rare = [lambda: solver.solve_log(log), lambda: sd.load_urdf(text), lambda: sd.Solver(arm, "inverse-dynamics")]
    try:
        f = sd.generate(arm, "rnea").compile()
        g = sd.generate(arm, "rnea", dtype="float32").compile()
        some += [(5, lambda: f(q, v, a)), (5, lambda: g(q, v, a))]
    except sd.CompilerFailure:
        print("without a C compiler: no programs")
    return [call for often, call in some for _ in range(often)], rare


def main():
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    many, rare = calls()
    before = 0
    for k in range(count):
        many[k % len(many)]()
        if k % 1000 == 0:
            rare[k // 1000 % len(rare)]()
        if k == count // 5:
            before = resident()
        elif before and k % 100_000 == 0:
            print(f"{k} calls: {resident() - before:+d} kB", flush=True)
    grown = resident() - before
    print(f"{count} calls: resident memory {before} kB after a fifth of them, {grown:+d} kB at the end")
    sys.exit(grown > 2000)


if __name__ == "__main__":
    main()
