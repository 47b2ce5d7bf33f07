"""A pole swings up on a cart, by Ipopt or Fatrop with exact Hessians.

    python python/examples/cart_pole.py [ipopt|fatrop]

Multiple shooting: states x_0 … x_N, forces u_0 … u_N-1 on the cart, x_k+1 = f(x_k, (u_k, 0), dt): nothing drives the pole itself.
f is one step of semi-implicit Euler as generated code, with its Jacobian and the Hessian of its product with multipliers, which
CasADi calls.
"""

import sys

import casadi as ca
import numpy as np
import sparsedyn as sd

CART_POLE = """<robot name="cart_pole"><link name="rail"/>
  <link name="cart"><inertial><mass value="1.0"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="pole"><inertial><origin xyz="0 0 -0.5"/><mass value="0.3"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="20" velocity="9"/></joint>
  <joint name="swing" type="continuous"><parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint>
</robot>"""
STEPS, DT, FORCE = 60, 0.03, 20.0

robot = sd.load_urdf(CART_POLE)
f = sd.generate(robot, stage="semi-implicit", outputs="x_next").casadi()  # (x, u, dt) -> x_next
up = np.array([0.0, np.pi, 0.0, 0.0])  # slide, swing and their rates; the pole hangs at 0


def problem() -> tuple[dict[str, ca.MX], dict[str, list[float]], list[bool]]:
    """Variables in the order of the stages, u_k behind x_k; constraints likewise, dynamics first: as Fatrop finds them."""
    x = [ca.MX.sym(f"x{k}", 4) for k in range(STEPS + 1)]
    u = [ca.MX.sym(f"u{k}", 1) for k in range(STEPS)]
    variables, constraints, equality = [], [], []
    for k in range(STEPS):
        variables += [x[k], u[k]]
        constraints.append(x[k + 1] - f(x[k], ca.vertcat(u[k], 0), DT))
        equality += [True] * 4
        if k == 0:
            constraints.append(x[0])
            equality += [True] * 4
    variables.append(x[STEPS])
    constraints.append(x[STEPS] - up)
    equality += [True] * 4
    cost = sum(DT * (0.01 * ca.sumsqr(each)) for each in u) + sum(DT * ca.sumsqr(each[2:]) * 0.1 for each in x)
    bounds = ([-2.0, -np.inf, -9.0, -np.inf, -FORCE] * STEPS) + [-2.0, -np.inf, -9.0, -np.inf]
    zeros = [0.0] * len(equality)
    limits = {"lbx": bounds, "ubx": [-each for each in bounds], "lbg": zeros, "ubg": zeros}
    return {"x": ca.vertcat(*variables), "f": cost, "g": ca.vertcat(*constraints)}, limits, equality


def solver(name: str, nlp: dict[str, ca.MX], equality: list[bool]) -> ca.Function:
    if name == "fatrop":
        return ca.nlpsol("solver", "fatrop", nlp, {"structure_detection": "auto", "equality": equality, "print_time": False, "fatrop.print_level": 0})
    return ca.nlpsol("solver", "ipopt", nlp, {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})


name = sys.argv[1] if len(sys.argv) > 1 else "ipopt"
nlp, limits, equality = problem()
guess = np.concatenate([np.append(k / STEPS * up, 0.0) for k in range(STEPS + 1)])[:-1]
solve = solver(name, nlp, equality)
found = solve(x0=guess, **limits)
stats = solve.stats()
if not stats["success"]:
    raise RuntimeError(f"{name}: {stats['return_status']}")
path = np.append(found["x"].full().ravel(), 0.0).reshape(-1, 5)
gap = max(float(abs(path[k + 1, :4] - f(path[k, :4], [path[k, 4], 0], DT).full().ravel()).max()) for k in range(STEPS))
force = abs(path[:, 4]).max()
print(f"{name}: {stats['iter_count']} iterations, cost {float(found['f']):.4f}, largest force {force:.1f} N, largest gap {gap:.0e}")
