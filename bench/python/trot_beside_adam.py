"""Two steps of a trot by Fatrop, with exact first and second derivatives: the problem of python/examples/trot.py through the library's
functions and through those of adam-robotics. pip install casadi adam-robotics liecasadi

    python bench/python/trot_beside_adam.py [time steps of a phase] [repetitions]

Of adam-robotics come forward dynamics and the positions of the feet; its steps of time are CasADi's expressions of these, the same
steps of semi-implicit Euler. Prints iterations, processor time and cost of each, what of it is Fatrop's own, and how far the optima
differ."""

import math
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/examples"))
from trot import DT, EXPRESSION, FEET, NQ, NU, NV, PHASES, URDF, Robot, Solution, problem, solved, solver  # noqa: E402
from trot import generated, generated_step, rotation, turned, velocities_of  # noqa: E402

GRAVITY = np.array([0, 0, -9.81, 0, 0, 0])
# Full Jacobians of whole steps take less than many directional derivatives, 0.75 of the time. Of adam's dynamics they take more
# (2.3), so that these keep CasADi's choice.
STEP = {"enable_forward": False, "der_options": {"enable_forward": False, "jac_penalty": 0}}


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
    positions = ca.Function("positions", [q], [places], EXPRESSION)
    velocities = velocities_of(positions)
    dynamics = [step(acceleration, velocities, phase) for phase in (0, 1)]
    return Robot(lambda x, u, phase: dynamics[phase](x, u), positions, velocities)


def turn_of(phi: ca.SX) -> ca.SX:
    """The quaternion of a small rotation vector, smooth at zero."""
    square = ca.sumsqr(phi) / 4
    terms = [(-1) ** k * square**k for k in range(8)]
    sine, cosine = (sum(x / math.factorial(2 * k + more) for k, x in enumerate(terms)) for more in (1, 0))
    return ca.vertcat(phi / 2 * sine, cosine)


def advanced(q: ca.SX, v: ca.SX, a: ca.SX) -> ca.SX:
    """x behind a step of semi-implicit Euler: a free base steps in the axes that it had."""
    w, c = v[:3] + DT * a[:3], v[3:6] + DT * (a[3:6] + ca.cross(v[:3], v[3:6]))
    turn, joints = turn_of(DT * w), v[6:] + DT * a[6:]
    return ca.vertcat(q[:3] + DT * rotation(q[3:7]) @ c, turned(q[3:7], turn), q[7:] + DT * joints, w, rotation(turn).T @ c, joints)


def step(acceleration: ca.Function, velocities: ca.Function, phase: int) -> ca.Function:
    """(x, u) -> x behind a step, the feet of a phase standing."""
    q, v, a, f = ca.SX.sym("q", NQ), ca.SX.sym("v", NV), ca.SX.sym("a", NV), ca.SX.sym("f", 6)
    standing = ca.vertcat(*(velocities(q, v)[3 * foot : 3 * foot + 3] for foot in PHASES[phase]))
    by_feet = ca.Function("by_feet", [q, f], [ca.jtimes(standing, v, f, True)], EXPRESSION)
    advance = ca.Function("advance", [q, v, a], [advanced(q, v, a)], EXPRESSION)
    x, u = ca.MX.sym("x", NQ + NV), ca.MX.sym("u", NU)
    force = ca.vertcat(ca.MX.zeros(6), u[:12]) + by_feet(x[:NQ], u[12:])
    return ca.Function("step", [x, u], [advance(x[:NQ], x[NQ:], acceleration(x[:NQ], x[NQ:], force))], STEP)


def seconds_of_second_derivatives() -> float:
    """Of the generated step with its Jacobian and the Hessian of its product with multipliers: one call of the compiled function."""
    import sparsedyn as sd

    second = generated_step(sd.load_urdf(str(URDF), floating=True)).reverse(1).jacobian()
    buffer, call = second.buffer()
    given = [np.ones(max(1, second.nnz_in(k))) for k in range(second.n_in())]
    out = [np.zeros(max(1, second.nnz_out(k))) for k in range(second.n_out())]
    for hand, arrays in ((buffer.set_arg, given), (buffer.set_res, out)):
        for k, array in enumerate(arrays):
            hand(k, memoryview(array))
    best = math.inf
    for _ in range(20):
        begin = time.process_time()
        for _ in range(100):
            call()
        best = min(best, (time.process_time() - begin) / 100)
    return best


def own_seconds(stats: dict[str, float], whole: float) -> float:
    """What is not the evaluation of functions, of the processor."""
    return whole - sum(stats[f"t_proc_{name}"] for name in ("nlp_f", "nlp_g", "nlp_grad_f", "nlp_jac_g", "nlp_hess_l"))


if __name__ == "__main__":
    steps, repetitions = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((1, 8), (2, 3)))
    robots = {"sparsedyn": generated(URDF), "adam": of_adam(URDF)}
    rng = np.random.default_rng(1)
    x, u = rng.normal(size=NQ + NV), rng.normal(size=NU)
    x[3:7] /= np.linalg.norm(x[3:7])
    one, other = (ca.evalf(ca.MX(each.step(ca.MX(x), ca.MX(u), 0))).full() for each in robots.values())
    assert abs(one - other).max() < 1e-9 * abs(one).max(), "the two robots differ"
    print(f"steps differ by {abs(one - other).max() / abs(one).max():.0e} of the largest")
    print(f"the generated step with its Jacobian and Hessian: {1e6 * seconds_of_second_derivatives():.0f} us")
    problems = {key: problem(robot, steps) for key, robot in robots.items()}
    solvers = {key: solver(p) for key, p in problems.items()}
    best: dict[str, tuple[Solution, float]] = {}
    for _ in range(repetitions):  # in turns, so that both meet the same load
        for key, p in problems.items():
            s = solved(solvers[key], p)
            if key not in best or s.seconds < best[key][0].seconds:
                best[key] = s, own_seconds(solvers[key].stats(), s.seconds)
    for key, (s, own) in best.items():
        spent = f"{s.iterations} iterations, {s.seconds:.3f} s, of which {own:.3f} s Fatrop's own"
        print(f"{key}: {spent}, cost {s.cost:.8f}, gap {s.gap:.0e}", flush=True)
    (a, own), (b, _) = best["sparsedyn"], best["adam"]
    assert abs(a.x - b.x).max() < 1e-6, "the two optima differ"
    print(f"adam takes {b.seconds / a.seconds:.1f} times as long, {b.seconds / own:.0f} times if functions took no time")
    print(f"optima differ by {abs(a.x - b.x).max():.0e}")
