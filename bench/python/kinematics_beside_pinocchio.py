#!/usr/bin/env python3
"""Kinematics beside Pinocchio: agreement and times on every robot of a folder, fixed and floating, as a table of docs/benchmarks.md.

  bench/python/kinematics_beside_pinocchio.py [FOLDER]     ../shared/robots unless given; needs pin>=4.1 beside sparsedyn

Compared are poses, velocities and accelerations of all links, Jacobians in three frames and their rates, the Jacobian of the centre of
mass, the centroidal momentum matrix and its rate's bias, relative poses. Exit 1 where one differs by more than 1e-12 max(1, |largest|).
Times: poses of all links by sd.poses, a call and a row of a batch of 4096, beside pin.framesForwardKinematics; the least of many
repetitions, both in turn.
"""

import pathlib
import sys
import time
import warnings

import numpy as np
import pinocchio as pin
import sparsedyn as sd

warnings.simplefilter("ignore")
SWAP = [3, 4, 5, 0, 1, 2]
FRAMES = {"link": pin.LOCAL, "aligned": pin.LOCAL_WORLD_ALIGNED, "world": pin.WORLD}
ROWS, STATES = 4096, 5
BODY = pin.FrameType.BODY


class Worst:
    def __init__(self):
        self.value, self.what = 0.0, ""

    def see(self, what, found, expected):
        off = np.max(np.abs(np.asarray(found) - expected), initial=0.0) / max(1.0, np.max(np.abs(expected), initial=0.0))
        if off > self.value:
            self.value, self.what = float(off), what


def columns_of(maps, robot):
    """J of ours from Pinocchio's: rows and freedoms in our order."""
    return lambda J: maps.from_v(np.asarray(J)[SWAP])


def agreement(robot, model, maps):
    worst, data, rng = Worst(), model.createData(), np.random.default_rng(3)
    links = [name for name in robot.link_names if model.existFrame(name, BODY)]
    ids = [model.getFrameId(name, BODY) for name in links]
    ours = [robot.link_names.index(name) for name in links]
    gravity = np.array(robot.gravity)
    turn = columns_of(maps, robot)
    for q in robot.random(rng=2, shape=STATES):
        dq, ddq = rng.uniform(-1, 1, robot.nv), rng.uniform(-1, 1, robot.nv)
        Q, V, A = maps.q(q), maps.v(dq), maps.v(ddq)
        pin.forwardKinematics(model, data, Q, V, A)
        pin.updateFramePlacements(model, data)
        X = sd.poses(robot, q, as_matrix=True)[ours]
        worst.see("poses", X, [data.oMf[k].homogeneous for k in ids])
        worst.see("velocities", sd.velocities(robot, q, dq)[ours], [pin.getFrameVelocity(model, data, k).vector[SWAP] for k in ids])
        proper = sd.accelerations(robot, q, dq, ddq)[ours]
        proper[:, 3:] += np.einsum("kij,i->kj", X[:, :3, :3], gravity)
        worst.see("accelerations", proper, [pin.getFrameAcceleration(model, data, k).vector[SWAP] for k in ids])
        pin.computeJointJacobiansTimeVariation(model, data, Q, V)
        for k, name in list(zip(ids, links))[:: max(1, len(links) // 6)]:
            for frame, theirs in FRAMES.items():
                worst.see(f"jacobian, {frame}", sd.jacobian(robot, q, name, frame), turn(pin.getFrameJacobian(model, data, k, theirs)))
                worst.see(f"jacobian_rate, {frame}", sd.jacobian_rate(robot, q, dq, name, frame),
                          turn(pin.getFrameJacobianTimeVariation(model, data, k, theirs)))
            between = np.linalg.inv(data.oMf[ids[0]].homogeneous) @ data.oMf[k].homogeneous
            worst.see("relative_pose", sd.relative_pose(robot, q, name, links[0], as_matrix=True), between)
        worst.see("centre_of_mass_jacobian", sd.centre_of_mass_jacobian(robot, q), maps.from_v(pin.jacobianCenterOfMass(model, data, Q)))
        worst.see("centroidal_momentum_matrix", sd.centroidal_momentum_matrix(robot, q), turn(pin.computeCentroidalMap(model, data, Q)))
        dA = pin.computeCentroidalMapTimeVariation(model, data, Q, V)
        worst.see("momentum_rate at ddq = 0", sd.momentum_rate(robot, q, dq, 0), (dA @ V)[SWAP])
    return worst


def least(function, calls):
    """Nanoseconds a call."""
    start = time.perf_counter_ns()
    for _ in range(calls):
        function()
    return (time.perf_counter_ns() - start) / calls


def times(robot, model, maps):
    data, q = model.createData(), robot.random(rng=1, shape=ROWS)
    one, Q = np.ascontiguousarray(q[0]), maps.q(q[0])
    out, batch = np.empty((len(robot.link_names), 7)), np.empty((ROWS, len(robot.link_names), 7))
    best = [np.inf] * 4
    for _ in range(60):
        best[0] = min(best[0], least(lambda: sd.poses(robot, one, out=out), 200))
        best[1] = min(best[1], least(lambda: pin.framesForwardKinematics(model, data, Q), 200))
        best[2] = min(best[2], least(lambda: sd.poses(robot, q, out=batch), 1) / ROWS)
        best[3] = min(best[3], least(lambda: sd.poses(robot, q, out=batch, threads=0), 1) / ROWS)
    return best


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "../shared/robots"
    paths = sorted(folder.glob("*.urdf"))
    if not paths:
        sys.exit(f"{folder}: no URDF")
    print("| robot | links | worst difference | of | poses, a call | framesForwardKinematics | ratio | a row of 4096 | ratio | on all cores |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    failed = False
    for path in paths:
        for floating in (False, True):
            robot = sd.load_urdf(path, floating=floating)
            model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(str(path))
            maps = sd.to_pinocchio(robot, model)
            worst = agreement(robot, model, maps)
            call, theirs, row, shared = times(robot, model, maps)
            failed |= not worst.value <= 1e-12
            print(f"| {path.stem}{', floating' if floating else ''} | {len(robot.link_names)} | {worst.value:.1e} | {worst.what} | "
                  f"{call / 1e3:.2f} µs | {theirs / 1e3:.2f} µs | {call / theirs:.2f} | {row / 1e3:.2f} µs | {row / theirs:.2f} | {shared / theirs:.2f} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
