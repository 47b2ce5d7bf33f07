# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Gradients: masses from a motion in JAX, a swing-up in CasADi
# A generated program is a function of the framework, with exact derivatives. Without JAX the first part is left out.

# %%
import importlib.util
import numpy as np
import sparsedyn as sd

HAS_JAX = importlib.util.find_spec("jax") is not None

# %% [markdown]
# ## Parameters by gradient
# A pendulum of two links; a recording of its torques. The program `regressor-times` gives torques with the parameters as an input,
# and the loss is a sum of squares, so gradient and Hessian by the parameters are one call each. Parameters that the torques do not
# determine stay where they were: a small weight holds them.

# %%
LINK = """<link name="{0}"><inertial><origin xyz="0.02 0 -0.3"/><mass value="{1}"/>
<inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0.05 {3}"/><axis xyz="0 1 0"/></joint>"""


def pendulum(first, second):
    parts = ['<link name="world"/>', LINK.format("upper", first), LINK.format("lower", second),
             JOINT.format("shoulder", "world", "upper", 0), JOINT.format("elbow", "upper", "lower", -0.6)]
    return sd.load_urdf(f'<robot name="pendulum">{"".join(parts)}</robot>')


real, guess = pendulum(2.0, 1.2), pendulum(1.5, 1.5)
rng = np.random.default_rng(1)
q, dq, ddq = (rng.standard_normal((200, 2)) for _ in range(3))
tau = sd.rnea(real, q, dq, ddq) + 1e-3 * rng.standard_normal((200, 2))

# %%
if HAS_JAX:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    program = sd.generate(guess, "regressor-times", name="torques")
    torques = program.jax()
    start = jnp.asarray(guess.parameters())

    def loss(pi):
        wrong = torques(dict(zip(program.inputs, (q, dq, ddq, pi)))) - tau
        return jnp.mean(wrong**2) + 1e-6 * jnp.mean((pi - start) ** 2)

    pi = start - jnp.linalg.solve(jax.hessian(loss)(start), jax.grad(loss)(start))  # Newton: the loss is quadratic
    error = np.asarray(torques(q, dq, ddq, pi)) - sd.rnea(real, q, dq, ddq)
    print("rms error of the torques", float(np.sqrt((error**2).mean())), "N m; loss from", float(loss(start)), "to", float(loss(pi)))
    assert np.abs(error).max() < 2e-3 and float(jnp.abs(jax.grad(loss)(pi)).max()) < 1e-8

# %% [markdown]
# ## A cart-pole swings up
# The pole hangs on a cart that alone is driven. Forward dynamics and its exact second derivatives in Ipopt: from hanging to
# upright in two seconds, with the least squared force.

# %%
import casadi

cart = sd.load_urdf("""<robot name="cartpole"><link name="rail"/>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="50" velocity="20"/></joint>
<link name="cart"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="continuous"><parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint>
<link name="pole"><inertial><origin xyz="0 0 -0.5"/><mass value="0.3"/><inertia ixx="0.006" iyy="0.006" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>""")
forward_dynamics = sd.generate(cart, "aba", name="cartpole").casadi()

# %%
steps, h = 40, 0.05
x, u = casadi.MX.sym("x", 4, steps + 1), casadi.MX.sym("u", 1, steps)


def rate(state, force):
    return casadi.vertcat(state[2:], forward_dynamics(state[:2], state[2:], casadi.vertcat(force, 0)))


gaps = [x[:, 0], x[:, -1] - np.array([0, np.pi, 0, 0])]
for k in range(steps):  # trapezoids
    gaps.append(x[:, k + 1] - x[:, k] - h / 2 * (rate(x[:, k], u[k]) + rate(x[:, k + 1], u[k])))
problem = {"x": casadi.vertcat(casadi.vec(x), casadi.vec(u)), "f": h * casadi.sumsqr(u), "g": casadi.vertcat(*gaps)}
solver = casadi.nlpsol("swing_up", "ipopt", problem, {"ipopt": {"print_level": 0}, "print_time": 0})
line = np.linspace([0, 0, 0, 0], [0, np.pi, 0, 0], steps + 1).ravel()
answer = solver(x0=np.concatenate([line, np.zeros(steps)]), lbg=0, ubg=0, lbx=-60, ubx=60)
print(solver.stats()["iter_count"], "iterations; integral of the squared force", float(answer["f"]), "N²s")
assert solver.stats()["success"]

# %% [markdown]
# The motion keeps the law of energy: what the force puts in is what cart and pole gain.

# %%
z = np.array(answer["x"]).ravel()
states, force = z[: 4 * (steps + 1)].reshape(-1, 4), z[4 * (steps + 1) :]
kinetic, potential = sd.energy(cart, states[:, :2], states[:, 2:])
gained = (kinetic + potential)[-1] - (kinetic + potential)[0]
work = (force * np.diff(states[:, 0])).sum()
print("gained", gained, "J, work", work, "J")
assert abs(work - gained) < 0.05 * abs(gained)
