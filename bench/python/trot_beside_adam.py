"""Two steps of a trot by Fatrop, with exact first and second derivatives: the same problem through the library's functions and
through those of adam-robotics. pip install casadi adam-robotics liecasadi

    python bench/python/trot_beside_adam.py [time steps of a phase] [repetitions]

A quadruped on a free base; contact phases are given, the forces of the standing feet are inputs beside the torques. Of each
library come forward dynamics and the positions of the feet; steps of time, forces and velocities of the feet are CasADi's
expressions of these, the same for both. Prints iterations, processor time and cost of each, and how far the optima differ."""

import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import casadi as ca
import numpy as np

FEET = ("lf_foot", "rf_foot", "lh_foot", "rh_foot")
PHASES = ((0, 3), (1, 2))  # feet that stand: one diagonal, then the other
DT, FRICTION, TORQUE, CLEARANCE, AHEAD = 0.02, 0.6, 60.0, 0.04, 0.1
HALF_WEIGHT = 45.0  # N
STANCE = np.array([0.0, 0.6, -1.2] * 4)  # joints
URDF = Path(__file__).resolve().parents[2] / "robots/quadruped.urdf"
GRAVITY = np.array([0, 0, -9.81, 0, 0, 0])
# Full Jacobians of the expressions, and of whole steps, take less than many directional derivatives: a solve takes 0.55 of the
# time with sparsedyn and 0.75 with adam. Of adam's dynamics they take more (2.3), so that these keep CasADi's choice.
SHORT = {"jac_penalty": 0, "cse": True}
EXPRESSION = {**SHORT, "der_options": SHORT}
STEP = {"enable_forward": False, "der_options": {"enable_forward": False, "jac_penalty": 0}}
NQ, NV, NU = 19, 18, 18  # u: 12 torques, forces of two feet in the world


class Robot(NamedTuple):
    """q: base position, quaternion (x, y, z, w), 12 joints; v: base angular, base linear, in its axes, joints."""

    acceleration: ca.Function  # (q, v, tau) -> dv/dt; tau: generalised forces, as v
    positions: ca.Function  # q -> positions of the feet in the world, foot below foot


class Problem(NamedTuple):
    nlp: dict[str, ca.MX]
    limits: dict[str, list[float]]
    equality: list[bool]
    guess: list[float]


def of_sparsedyn(urdf: Path) -> Robot:
    import sparsedyn as sd

    robot = sd.load_urdf(str(urdf), floating=True)
    places = [f"pose.{foot}.{axis}" for foot in FEET for axis in "xyz"]
    kinematics, q = sd.generate(robot, "kinematics", outputs=places).casadi(), ca.SX.sym("q", NQ)
    return Robot(sd.generate(robot, "aba").casadi(), ca.Function("positions", [q], [kinematics(q, 0, 0)], EXPRESSION))


def linear_first(x: ca.SX) -> ca.SX:
    """Of a base's motion, and back."""
    return ca.vertcat(x[3:6], x[:3])


def of_adam(urdf: Path) -> Robot:
    from adam import Representations
    from adam.casadi import KinDynComputations

    joints = [each.get("name") for each in ET.parse(urdf).getroot().findall("joint") if each.get("type") != "fixed"]
    robot = KinDynComputations(str(urdf), joints, gravity=GRAVITY)
    robot.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    q, v, tau = ca.SX.sym("q", NQ), ca.SX.sym("v", NV), ca.SX.sym("tau", NV)
    unit = q[3:7] / ca.norm_2(q[3:7])
    H = ca.vertcat(ca.horzcat(rotation(unit), q[:3]), ca.horzcat(ca.SX.zeros(1, 3), 1))
    a = robot.aba(H, q[7:], linear_first(v), v[6:], tau[6:], {"trunk": linear_first(tau)})
    acceleration = ca.Function("acceleration", [q, v, tau], [ca.vertcat(linear_first(a), a[6:])], {"cse": True})
    places = ca.vertcat(*(robot.forward_kinematics(foot, H, q[7:])[:3, 3] for foot in FEET))
    return Robot(acceleration, ca.Function("positions", [q], [places], EXPRESSION))


def turned(u: ca.SX, by: ca.SX) -> ca.SX:
    """The product of two quaternions (x, y, z, w)."""
    return ca.vertcat(u[3] * by[:3] + by[3] * u[:3] + ca.cross(u[:3], by[:3]), u[3] * by[3] - ca.dot(u[:3], by[:3]))


def rotation(u: ca.SX) -> ca.SX:
    cross = ca.skew(u[:3])
    return ca.SX.eye(3) + 2 * u[3] * cross + 2 * cross @ cross


def advanced(q: ca.SX, v: ca.SX) -> ca.SX:
    """q behind a step at this velocity."""
    turn = DT * v[:3]
    by = ca.vertcat(turn / 2, 1) / ca.sqrt(1 + ca.sumsqr(turn) / 4)
    return ca.vertcat(q[:3] + DT * rotation(q[3:7]) @ v[3:6], turned(q[3:7], by), q[7:] + DT * v[6:])


def step(robot: Robot, phase: int, velocities: ca.Function) -> ca.Function:
    """(x, u) -> x behind a step, the feet of a phase standing."""
    q, v, f = ca.SX.sym("q", NQ), ca.SX.sym("v", NV), ca.SX.sym("f", 6)
    standing = ca.vertcat(*(velocities(q, v)[3 * foot : 3 * foot + 3] for foot in PHASES[phase]))
    by_feet = ca.Function("by_feet", [q, f], [ca.jtimes(standing, v, f, True)], EXPRESSION)
    advance = ca.Function("advance", [q, v], [advanced(q, v)], EXPRESSION)
    x, u = ca.MX.sym("x", NQ + NV), ca.MX.sym("u", NU)
    force = ca.vertcat(ca.MX.zeros(6), u[:12]) + by_feet(x[:NQ], u[12:])
    after = x[NQ:] + DT * robot.acceleration(x[:NQ], x[NQ:], force)
    return ca.Function("step", [x, u], [ca.vertcat(advance(x[:NQ], after), after)], STEP)


def foot_velocities(robot: Robot) -> ca.Function:
    q, v = ca.SX.sym("q", NQ), ca.SX.sym("v", NV)
    rate = ca.vertcat(rotation(q[3:7]) @ v[3:6], turned(q[3:7], ca.vertcat(v[:3] / 2, 0)), v[6:])
    return ca.Function("velocities", [q, v], [ca.jtimes(robot.positions(q), q, rate)], EXPRESSION)


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
    velocities, count = foot_velocities(robot), 2 * steps
    dynamics = [step(robot, phase, velocities) for phase in (0, 1)]
    start = np.concatenate([standing_posture(robot), np.zeros(NV)])
    goal = start.copy()
    goal[0] += AHEAD
    variables, rows, guess, lbx, ubx, cost = [], [], [], [], [], ca.MX(0)
    x = [ca.MX.sym(f"x{k}", NQ + NV) for k in range(count + 1)]
    for k in range(count + 1):
        q, v = x[k][:NQ], x[k][NQ:]
        variables.append(x[k])
        guess.extend(start + k / count * (goal - start))
        lbx.extend([-np.inf] * (NQ + NV)), ubx.extend([np.inf] * (NQ + NV))
        cost += DT * (50 * ca.sumsqr(q[2:6] - start[2:6]) + 2 * ca.sumsqr(q[7:] - STANCE) + 0.1 * ca.sumsqr(v))
        if k < count:
            u = ca.MX.sym(f"u{k}", NU)
            variables.append(u)
            guess.extend([0.0] * 12 + [0.0, 0.0, HALF_WEIGHT] * 2)
            lbx.extend([-TORQUE] * 12 + [-np.inf, -np.inf, 0.0] * 2), ubx.extend([TORQUE] * 12 + [np.inf] * 6)
            cost += DT * (1e-3 * ca.sumsqr(u[:12]) + 1e-4 * ca.sumsqr(u[12:]))
            rows += [(x[k + 1] - dynamics[min(k // steps, 1)](x[k], u), 0.0), *in_cones(u)]
        rows += rows_of_feet(k, steps, velocities(q, v), robot.positions(q)) if k > 0 else [(x[0] - start, 0.0)]
    cost += 1000 * ca.sumsqr(x[count][:3] - goal[:3])
    most = [bound for row, bound in rows for _ in range(row.shape[0])]
    limits = {"lbx": lbx, "ubx": ubx, "lbg": [0.0] * len(most), "ubg": most}
    nlp = {"x": ca.vertcat(*variables), "f": cost, "g": ca.vertcat(*(row for row, _ in rows))}
    return Problem(nlp, limits, [bound == 0 for bound in most], guess)


def solver(p: Problem) -> ca.Function:
    options = {"structure_detection": "auto", "equality": p.equality, "print_time": False, "fatrop.print_level": 0, "fatrop.tol": 1e-6}
    return ca.nlpsol("solver", "fatrop", p.nlp, options)


class Solution(NamedTuple):
    x: np.ndarray
    cost: float
    iterations: int
    seconds: float  # of the processor
    gap: float  # largest violation of an equality


def solved(solve: ca.Function, p: Problem) -> Solution:
    begin = time.process_time()
    found = solve(x0=p.guess, **p.limits)
    seconds = time.process_time() - begin
    stats = solve.stats()
    if not stats["success"]:
        raise RuntimeError(f"fatrop: {stats['return_status']}")
    gap = float(abs(found["g"].full().ravel()[p.equality]).max())
    return Solution(found["x"].full().ravel(), float(found["f"]), stats["iter_count"], seconds, gap)


if __name__ == "__main__":
    steps, repetitions = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((1, 8), (2, 3)))
    robots = {"sparsedyn": of_sparsedyn(URDF), "adam": of_adam(URDF)}
    rng = np.random.default_rng(1)
    q, v, tau = rng.normal(size=NQ), rng.normal(size=NV), rng.normal(size=NV)
    one, other = (each.acceleration(q, v, tau).full() for each in robots.values())
    assert abs(one - other).max() < 1e-9 * abs(one).max(), "the two robots differ"
    print(f"accelerations differ by {abs(one - other).max() / abs(one).max():.0e} of the largest")
    problems = {key: problem(robot, steps) for key, robot in robots.items()}
    solvers = {key: solver(p) for key, p in problems.items()}
    best: dict[str, Solution] = {}
    for _ in range(repetitions):  # in turns, so that both meet the same load
        for key, p in problems.items():
            s = solved(solvers[key], p)
            if key not in best or s.seconds < best[key].seconds:
                best[key] = s
    for key, s in best.items():
        print(f"{key}: {s.iterations} iterations, {s.seconds:.3f} s, cost {s.cost:.8f}, largest gap {s.gap:.0e}", flush=True)
    a, b = best["sparsedyn"], best["adam"]
    assert abs(a.x - b.x).max() < 1e-6, "the two optima differ"
    print(f"adam takes {b.seconds / a.seconds:.1f} times as long; optima differ by {abs(a.x - b.x).max():.0e}")
