#!/usr/bin/env python3
"""The order of Pinocchio's joints beside ours, on robots: bench/python/orders.py URDF ...; needs pin beside sparsedyn.

For each robot that both read, fixed: whether the vectors have one length, what gravity's torques are off by where the order is taken for
the same (N m or N), and the worst difference by sd.to_pinocchio's maps of torques, inertia and posture, relative, fixed and floating. Exit
1 where that is above 1e-12 (of the largest number), or where a robot is wrong without the maps and the maps change nothing.
"""

import pathlib
import sys
import warnings

import numpy as np
import pinocchio as pin
import sparsedyn as sd

warnings.simplefilter("ignore")


def off(found, expected):
    return float(np.max(np.abs(found - expected), initial=0.0) / max(1.0, np.max(np.abs(expected), initial=0.0)))


def mapped(robot, model):
    """The worst relative difference by the maps, at three states."""
    maps, data, rng, worst = sd.to_pinocchio(robot, model), model.createData(), np.random.default_rng(2), 0.0
    for q in robot.random(rng=1, shape=3):
        dq, ddq = rng.uniform(-1, 1, robot.nv), rng.uniform(-1, 1, robot.nv)
        Q, V, A = maps.q(q), maps.v(dq), maps.v(ddq)
        worst = max(worst, off(maps.from_v(pin.rnea(model, data, Q, V, A)), sd.rnea(robot, q, dq, ddq)), off(maps.from_q(Q), q))
        M = np.triu(pin.crba(model, data, Q))
        worst = max(worst, off(maps.from_matrix(M + np.triu(M, 1).T), sd.crba(robot, q)))
    return worst


def mistaken(robot, model):
    """Torques' error where the vectors are passed on as they are; None where their lengths differ."""
    if robot.nq != model.nq:
        return None
    q = robot.random(rng=1)
    return float(np.max(np.abs(pin.computeGeneralizedGravity(model, model.createData(), q) - sd.gravity(robot, q)), initial=0.0))


def main():
    compared = silent = failed = 0
    print("| robot | joints | taken for the same | by the maps |\n|---|---|---|---|")
    for path in map(pathlib.Path, sys.argv[1:]):
        try:
            model, floats = pin.buildModelFromUrdf(str(path)), pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
            robot, free = sd.load_urdf(path, lenient=True), sd.load_urdf(path, lenient=True, floating=True)
        except (ValueError, RuntimeError) as error:
            print(f"{path.stem}: passed over: {str(error).splitlines()[0][:120]}", file=sys.stderr)
            continue
        wrong, worst = mistaken(robot, model), max(mapped(robot, model), mapped(free, floats))
        compared += 1
        silent += wrong is not None and wrong > 1e-6
        failed += not worst <= 1e-12
        said = "lengths differ" if wrong is None else f"off by {wrong:.3g}" if wrong > 1e-6 else "the same"
        print(f"| {path.stem} | {robot.nv} | {said} | {worst:.1e} |", flush=True)
    print(f"\n{compared} robots, {silent} of them wrong without a message where the order is taken for the same; {failed} above 1e-12 by the maps")
    return int(failed > 0 or compared == 0)


if __name__ == "__main__":
    sys.exit(main())
