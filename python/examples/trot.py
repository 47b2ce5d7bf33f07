"""Two steps of a quadruped's trot by Fatrop, with exact Hessians.

    python python/examples/trot.py [time steps of a phase]

Contact phases are given: first one diagonal pair of feet stands, then the other. x_k holds q and dq of a robot on a free base,
u_k twelve torques and the forces on the two feet that stand, in the world's axes. x_k+1 = f(x_k, u_k, dt) is one step of
semi-implicit Euler as generated code with its Jacobian and the Hessian of its product with multipliers, by coordinates. Feet
that stand do not move, forces are within their cones, and the other feet swing over the ground.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

import casadi as ca
import numpy as np

FEET = ("lf_foot", "rf_foot", "lh_foot", "rh_foot")
PHASES = ((0, 3), (1, 2))  # feet that stand: one diagonal, then the other
DT, FRICTION, TORQUE, CLEARANCE, AHEAD = 0.02, 0.6, 60.0, 0.04, 0.1
HALF_WEIGHT = 45.0  # N
STANCE = np.array([0.0, 0.6, -1.2] * 4)  # joints
URDF = Path(__file__).resolve().parents[2] / "robots/quadruped.urdf"
NQ, NV, NU = 19, 18, 18
# Full Jacobians of expressions take less than many directional derivatives.
SHORT: dict[str, Any] = {"jac_penalty": 0, "cse": True}
EXPRESSION: dict[str, Any] = {**SHORT, "der_options": SHORT}


class Robot(NamedTuple):
    """q: base position, quaternion (x, y, z, w), 12 joints; v: base angular, base linear, in its axes, joints."""

    step: Callable[[ca.MX, ca.MX, int], ca.MX]  # x, u and the phase -> x behind DT
    positions: ca.Function  # q -> positions of the feet in the world, foot below foot
    velocities: ca.Function  # (q, v) -> their velocities


class Problem(NamedTuple):
    nlp: dict[str, ca.MX]
    limits: dict[str, list[float]]
    equality: list[bool]
    guess: list[float]


class Solution(NamedTuple):
    x: np.ndarray
    cost: float
    iterations: int
    seconds: float  # of the processor
    gap: float  # largest violation of an equality


def turned(u: ca.SX, by: ca.SX) -> ca.SX:
    """The product of two quaternions (x, y, z, w)."""
    return ca.vertcat(u[3] * by[:3] + by[3] * u[:3] + ca.cross(u[:3], by[:3]), u[3] * by[3] - ca.dot(u[:3], by[:3]))


def rotation(u: ca.SX) -> ca.SX:
    cross = ca.skew(u[:3])
    return ca.SX.eye(3) + 2 * u[3] * cross + 2 * cross @ cross


def velocities_of(positions: ca.Function) -> ca.Function:
    q, v = ca.SX.sym("q", NQ), ca.SX.sym("v", NV)
    rate = ca.vertcat(rotation(q[3:7]) @ v[3:6], turned(q[3:7], ca.vertcat(v[:3] / 2, 0)), v[6:])
    return ca.Function("velocities", [q, v], [ca.jtimes(positions(q), q, rate)], EXPRESSION)


def on_feet(u: ca.MX, phase: int) -> ca.MX:
    """Torques, and the forces of the feet that stand among those of all feet."""
    forces = [ca.MX.zeros(3)] * 4
    for place, foot in enumerate(PHASES[phase]):
        forces[foot] = u[12 + 3 * place : 15 + 3 * place]
    return ca.vertcat(u[:12], *forces)


def generated_step(robot: Any) -> ca.Function:
    """(x, u, dt) -> x_next, u with the forces of all feet."""
    import sparsedyn as sd

    step: ca.Function = sd.generate(robot, stage="semi-implicit", outputs="x_next", forces=FEET, name="trot_step").casadi()
    return step


def generated(urdf: Path = URDF) -> Robot:
    import sparsedyn as sd

    robot = sd.load_urdf(str(urdf), floating=True)
    f = generated_step(robot)
    places = [f"pose.{foot}.{axis}" for foot in FEET for axis in "xyz"]
    kinematics, q = sd.generate(robot, "kinematics", outputs=places).casadi(), ca.SX.sym("q", NQ)
    positions = ca.Function("positions", [q], [kinematics(q, 0, 0)], EXPRESSION)
    return Robot(lambda x, u, phase: f(x, on_feet(u, phase), DT), positions, velocities_of(positions))


def standing_posture(robot: Robot) -> np.ndarray:
    q = np.concatenate([[0, 0, 0, 0, 0, 0, 1], STANCE])
    q[2] = -float(robot.positions(q)[2])
    return q


def rows_of_feet(k: int, steps: int, speeds: ca.MX, places: ca.MX) -> list[tuple[ca.MX, float]]:
    """At the end of time step k, by standing and landing feet: expressions, and the most that they may be; the least is zero."""
    rows, before, landing = [], min((k - 1) // steps, 1), k % steps == 0
    for foot in range(4):
        stands, height = foot in PHASES[before], places[3 * foot + 2]
        if stands or landing:
            rows.append((speeds[3 * foot : 3 * foot + 3], 0.0))
        if not stands and landing:
            rows.append((height, 0.0))
        if not stands and k % steps < steps - 1 and not landing:  # the last shift of a foot that lands at rest is zero
            rows.append((height - CLEARANCE * np.sin(np.pi * (k % steps) / (steps - 1)) ** 2, np.inf))
    return rows


def in_cones(u: ca.MX) -> list[tuple[ca.MX, float]]:
    feet = (u[12:15], u[15:18])
    return [(FRICTION * f[2] - side, np.inf) for f in feet for side in (f[0], -f[0], f[1], -f[1])]


def problem(robot: Robot, steps: int) -> Problem:
    """Variables by stages, u_k behind x_k; constraints likewise, dynamics first: as Fatrop finds them."""
    count = 2 * steps
    start = np.concatenate([standing_posture(robot), np.zeros(NV)])
    goal = start.copy()
    goal[0] += AHEAD
    variables, rows, guess, lbx, ubx, cost = [], [], [], [], [], ca.MX(0)
    x = [ca.MX.sym(f"x{k}", NQ + NV) for k in range(count + 1)]
    for k in range(count + 1):
        q, v = x[k][:NQ], x[k][NQ:]
        variables.append(x[k])
        guess.extend(start + k / count * (goal - start))
        lbx += [-np.inf] * (NQ + NV)
        ubx += [np.inf] * (NQ + NV)
        cost += DT * (50 * ca.sumsqr(q[2:6] - start[2:6]) + 2 * ca.sumsqr(q[7:] - STANCE) + 0.1 * ca.sumsqr(v))
        if k < count:
            u = ca.MX.sym(f"u{k}", NU)
            variables.append(u)
            guess.extend([0.0] * 12 + [0.0, 0.0, HALF_WEIGHT] * 2)
            lbx += [-TORQUE] * 12 + [-np.inf, -np.inf, 0.0] * 2
            ubx += [TORQUE] * 12 + [np.inf] * 6
            cost += DT * (1e-3 * ca.sumsqr(u[:12]) + 1e-4 * ca.sumsqr(u[12:]))
            rows += [(x[k + 1] - robot.step(x[k], u, min(k // steps, 1)), 0.0), *in_cones(u)]
        rows += rows_of_feet(k, steps, robot.velocities(q, v), robot.positions(q)) if k > 0 else [(x[0] - start, 0.0)]
    cost += 1000 * ca.sumsqr(x[count][:3] - goal[:3])
    most = [bound for row, bound in rows for _ in range(row.shape[0])]
    limits = {"lbx": lbx, "ubx": ubx, "lbg": [0.0] * len(most), "ubg": most}
    nlp = {"x": ca.vertcat(*variables), "f": cost, "g": ca.vertcat(*(row for row, _ in rows))}
    return Problem(nlp, limits, [bound == 0 for bound in most], guess)


def solver(p: Problem) -> ca.Function:
    options: dict[str, Any] = {"structure_detection": "auto", "equality": p.equality, "print_time": False}
    options |= {"fatrop.print_level": 0, "fatrop.tol": 1e-6}
    return ca.nlpsol("solver", "fatrop", p.nlp, options)


def solved(solve: ca.Function, p: Problem) -> Solution:
    begin = time.process_time()
    found = solve(x0=p.guess, **p.limits)
    seconds = time.process_time() - begin
    stats = solve.stats()
    if not stats["success"]:
        raise RuntimeError(f"fatrop: {stats['return_status']}")
    gap = float(abs(found["g"].full().ravel()[p.equality]).max())
    return Solution(found["x"].full().ravel(), float(found["f"]), stats["iter_count"], seconds, gap)


def stages(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States and controls, by rows."""
    rows = np.append(x, np.zeros(NU)).reshape(-1, NQ + NV + NU)
    return rows[:, : NQ + NV], rows[:-1, NQ + NV :]


if __name__ == "__main__":
    p = problem(generated(), int(sys.argv[1]) if len(sys.argv) > 1 else 8)
    s = solved(solver(p), p)
    print(f"fatrop: {s.iterations} iterations, {s.seconds:.3f} s, cost {s.cost:.8f}, largest gap {s.gap:.0e}")
