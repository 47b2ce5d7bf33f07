#!/usr/bin/env python3
"""Agreement with Pinocchio: every function that both have, on every robot of a folder, fixed and floating.

  bench/python/agreement.py [FOLDER]      ../shared/robots unless given; needs pin==4.1.0 beside sparsedyn; exit 1 above 1e-10

Pinocchio numbers velocities linear part first, and its floating joint's are in the body's axes as ours are. Differences are
|x − r| / max(1, |r|), and for each matrix relative to its largest entry.
"""

import pathlib
import sys
import warnings

import numpy as np
import pinocchio as pin
import sparsedyn as sd

warnings.simplefilter("ignore")
SWAP6 = [3, 4, 5, 0, 1, 2]


class Pair:
    """One robot in both libraries, with how to take coordinates and velocities across."""

    def __init__(self, path: pathlib.Path, floating: bool) -> None:
        self.ours = sd.load_urdf(path, floating=floating, snap=0)
        base = (pin.JointModelFreeFlyer(),) if floating else ()
        self.model = pin.buildModelFromUrdf(str(path), *base)
        self.data = self.model.createData()
        self.floating = floating
        self.v_order: list[int] = []  # theirs[k] = ours[v_order[k]]
        names = list(self.ours.velocity_names)
        for joint in range(1, self.model.njoints):
            if self.model.joints[joint].nv == 6:
                self.v_order += SWAP6
            else:
                self.v_order += [names.index(self.model.names[joint])]
        self.back = np.argsort(self.v_order)

    def q(self, q: np.ndarray) -> np.ndarray:
        names, out = list(self.ours.coordinate_names), []
        for joint in range(1, self.model.njoints):
            kind, name = self.model.joints[joint], self.model.names[joint]
            if kind.nq == 7:
                out += list(q[:7])
                continue
            angle = q[names.index(name)]
            out += [np.cos(angle), np.sin(angle)] if kind.nq == 2 else [angle]
        return np.array(out)

    def v(self, v: np.ndarray) -> np.ndarray:
        return v[self.v_order]

    def from_v(self, x: np.ndarray) -> np.ndarray:
        return x[..., self.back]

    def matrix(self, M: np.ndarray) -> np.ndarray:
        return M[np.ix_(self.back, self.back)]

    def tensor(self, T: np.ndarray) -> np.ndarray:
        return T[np.ix_(self.back, self.back, self.back)]


def six(x: "pin.Motion | pin.Force") -> np.ndarray:
    return np.concatenate([x.angular, x.linear])


def full(M: np.ndarray) -> np.ndarray:
    return np.triu(M) + np.triu(M, 1).T


def compared(pair: Pair, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    robot, model, data = pair.ours, pair.model, pair.data
    nv = robot.nv
    q = robot.random(rng)
    dq, ddq, tau, lam = (rng.standard_normal(nv) for _ in range(4))
    Q, V, A, T = pair.q(q), pair.v(dq), pair.v(ddq), pair.v(tau)
    out: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    out["rnea"] = sd.rnea(robot, q, dq, ddq), pair.from_v(pin.rnea(model, data, Q, V, A))
    out["aba"] = sd.aba(robot, q, dq, tau), pair.from_v(pin.aba(model, data, Q, V, T))
    out["crba"] = sd.crba(robot, q), pair.matrix(full(pin.crba(model, data, Q)))
    out["minverse"] = sd.minverse(robot, q), pair.matrix(full(pin.computeMinverse(model, data, Q)))
    out["bias"] = sd.bias(robot, q, dq), pair.from_v(pin.nonLinearEffects(model, data, Q, V))
    out["gravity"] = sd.gravity(robot, q), pair.from_v(pin.computeGeneralizedGravity(model, data, Q))
    out["coriolis"] = sd.coriolis(robot, q, dq), pair.matrix(pin.computeCoriolisMatrix(model, data, Q, V).copy())
    d = sd.rnea_derivatives(robot, q, dq, ddq)
    pq, pv, pa = (x.copy() for x in pin.computeRNEADerivatives(model, data, Q, V, A))
    out["rnea_derivatives.dtau_dq"] = d.dtau_dq, pair.matrix(pq)
    out["rnea_derivatives.dtau_dv"] = d.dtau_dv, pair.matrix(pv)
    out["rnea_derivatives.M"] = d.M, pair.matrix(full(pa))
    f = sd.aba_derivatives(robot, q, dq, tau)
    fq, fv, ft = (x.copy() for x in pin.computeABADerivatives(model, data, Q, V, T))
    out["aba_derivatives.dddq_dq"] = f.dddq_dq, pair.matrix(fq)
    out["aba_derivatives.dddq_dv"] = f.dddq_dv, pair.matrix(fv)
    out["aba_derivatives.dddq_dtau"] = f.dddq_dtau, pair.matrix(full(ft))
    if not pair.floating and hasattr(pin, "ComputeRNEASecondOrderDerivatives"):  # on one-freedom joints conventions agree
        s = sd.rnea_second_derivatives(robot, q, dq, ddq)
        qq, vv, qv, aq = (np.array(x) for x in pin.ComputeRNEASecondOrderDerivatives(model, data, Q, V, A))
        out["rnea_second_derivatives.d2tau_dqdq"] = s.d2tau_dqdq, pair.tensor(qq)
        out["rnea_second_derivatives.d2tau_dvdv"] = s.d2tau_dvdv, pair.tensor(vv)
        out["rnea_second_derivatives.d2tau_dqdv"] = s.d2tau_dqdv, pair.tensor(qv)
    # external wrenches and kinematics, on links that are no root
    links = [name for name in robot.link_names[1:] if model.existFrame(name)]
    pin.forwardKinematics(model, data, Q, V, A)
    pin.updateFramePlacements(model, data)
    forces = pin.StdVec_Force()
    for _ in range(model.njoints):
        forces.append(pin.Force.Zero())
    fx = {}
    for link in (links[-1], links[len(links) // 2]):
        frame = model.getFrameId(link)
        fx[link] = rng.standard_normal(6)
        joint = model.frames[frame].parentJoint
        forces[joint] += model.frames[frame].placement.act(pin.Force(fx[link][3:], fx[link][:3]))
        placed = data.oMf[frame]
        pose = sd.pose(robot, q, link)
        theirs = pin.SE3ToXYZQUAT(placed)
        out["pose"] = pose, np.concatenate([theirs[:3], theirs[3:] * np.sign(theirs[3:] @ pose[3:])])
        local = pin.ReferenceFrame.LOCAL
        out["velocity"] = sd.velocity(robot, q, dq, link), six(pin.getFrameVelocity(model, data, frame, local))
        acceleration = six(pin.getFrameAcceleration(model, data, frame, local))
        acceleration[3:] -= placed.rotation.T @ model.gravity.linear
        out["acceleration"] = sd.acceleration(robot, q, dq, ddq, link), acceleration
        J = pin.computeFrameJacobian(model, data, Q, frame, local)
        out["jacobian"] = sd.jacobian(robot, q, link), J[SWAP6][:, pair.back]
    out["rnea, fx"] = sd.rnea(robot, q, dq, ddq, fx), pair.from_v(pin.rnea(model, data, Q, V, A, forces))
    out["aba, fx"] = sd.aba(robot, q, dq, tau, fx), pair.from_v(pin.aba(model, data, Q, V, T, forces))
    kinetic, potential = sd.energy(robot, q, dq)
    out["energy.kinetic"] = np.array(kinetic), np.array(pin.computeKineticEnergy(model, data, Q, V))
    out["energy.potential"] = np.array(potential), np.array(pin.computePotentialEnergy(model, data, Q))
    out["centre_of_mass"] = sd.centre_of_mass(robot, q), pin.centerOfMass(model, data, Q).copy()
    pin.computeCentroidalMomentum(model, data, Q, V)
    out["momentum"] = sd.momentum(robot, q, dq), six(data.hg)
    step = 0.3 * rng.standard_normal(nv)
    there = robot.integrate(q, step)
    moved = pin.integrate(model, Q, pair.v(step))
    out["difference"] = robot.difference(q, there), pair.from_v(pin.difference(model, Q, moved))
    out["integrate"] = sd.crba(robot, there), pair.matrix(full(pin.crba(model, data, moved)))
    return out


def error(found: np.ndarray, expected: np.ndarray) -> float:
    scale = np.maximum(1, np.abs(expected)) if expected.ndim < 2 else max(1, np.abs(expected).max())
    return float((np.abs(found - expected) / scale).max())


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root.parent / "shared/robots"
    worst: dict[str, tuple[float, str]] = {}
    for path in sorted(folder.glob("*.urdf")):
        for floating in (False, True):
            pair, rng = Pair(path, floating), np.random.default_rng(1)
            for _ in range(20):
                for name, (found, expected) in compared(pair, rng).items():
                    off = error(found, expected)
                    label = path.stem + (", floating" if floating else "")
                    worst[name] = max(worst.get(name, (0.0, "")), (off, label))
    print("function                              largest difference  on")
    for name, (off, where) in worst.items():
        print(f"{name:36s} {off:19.1e}  {where}{'' if off <= 1e-10 else '   ABOVE 1e-10'}")
    return int(any(off > 1e-10 for off, _ in worst.values()))


if __name__ == "__main__":
    sys.exit(main())
