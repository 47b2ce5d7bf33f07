"""Contact dynamics beside MuJoCo and by themselves, on the robots that ship with the project."""

import pathlib
import pickle
import re

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPHERES = [(0.05, 0.02, -0.03), (-0.04, 0.03, -0.02)]  # on each foot, in its frame
RADIUS = 0.02


def leaves(urdf):
    """Links without children."""
    parents = set(re.findall(r'<parent link="([^"]+)"', urdf))
    return [link for link in re.findall(r'<child link="([^"]+)"', urdf) if link not in parents]


class Robot:
    """A shipped robot on a free base as MuJoCo reads its URDF, with spheres on its leaves above a plane."""

    def __init__(self, name, cone, impratio, friction, joints=""):
        self.path = ROOT / f"robots/{name}.urdf"
        urdf = self.path.read_text()
        self.links = leaves(urdf)[:4]
        self.friction = friction
        spec = mujoco.MjSpec.from_string(urdf)
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        spec.compiler.balanceinertia = False
        spec.compiler.fusestatic = True
        for geom in list(spec.geoms):
            spec.delete(geom)
        for joint in spec.joints:
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.frictionloss = 0
            joint.damping = [0, 0, 0]
            joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
            if joints == "limit" and joint.range[0] < joint.range[1]:
                joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            if joints == "dry_friction":
                joint.frictionloss = 0.7
        spec.worldbody.first_body().add_freejoint()
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if cone == "elliptic" else mujoco.mjtCone.mjCONE_PYRAMIDAL
        spec.option.impratio = impratio
        spec.option.tolerance, spec.option.iterations = 0, 200
        spec.option.ls_tolerance, spec.option.ls_iterations = 1e-14, 100
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
        condim = {0: 1, 1: 3, 2: 4, 3: 6}[len(friction)]
        full = (list(friction) + [1.0, 0.005, 0.0001][len(friction):])[:3]
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=2, conaffinity=1, condim=condim, friction=[0, 0, 0])
        for link in self.links:
            for point in SPHERES:
                spec.body(link).add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], pos=point, mass=0, condim=condim,
                                         contype=1, conaffinity=2, friction=full)
        self.model, self.spec = spec.compile(), spec
        self.ours = sd.load_urdf(self.path, floating=True)
        self.data = mujoco.MjData(self.model)
        self.names = [self.model.joint(i).name for i in range(1, self.model.njnt)]
        self.set = {
            "parameters": {"cone": cone, "impratio": impratio},
            "constraints": [
                {"name": link, "type": "contact", "link": link, "points": [list(p) for p in SPHERES], "radius": RADIUS,
                 "friction": list(friction) or 0}
                for link in self.links
            ],
        }
        if joints:
            self.set["constraints"].append({"name": "all", "type": joints, "joint": "*", **({"loss": 0.7} if joints == "dry_friction" else {})})
        self.constraints = sd.Constraints(self.set)

    def state(self, rng, far=0.2):
        d = self.data
        d.qpos[:] = 0
        d.qpos[3:7] = [1, *(0.05 * rng.standard_normal(3))]
        d.qpos[3:7] /= np.linalg.norm(d.qpos[3:7])
        d.qpos[7:] = far * rng.standard_normal(len(self.names))
        d.qvel[:] = 0.5 * rng.standard_normal(self.model.nv)
        d.qfrc_applied[:] = 3 * rng.standard_normal(self.model.nv)
        d.qfrc_applied[:6] = 0
        mujoco.mj_kinematics(self.model, d)
        spheres = self.model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE
        d.qpos[2] -= np.median(d.geom_xpos[spheres, 2]) - RADIUS + 0.002
        d.qacc_warmstart[:] = 0

    def row(self):
        """The state in the log's columns: a free base's velocity in its own axes."""
        d = self.data
        R = d.body(self.model.body(1).name).xmat.reshape(3, 3)
        row = dict(zip((f"q.base.{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz")), d.qpos[:7], strict=True))
        v = R.T @ d.qvel[:3]
        row |= dict(zip((f"dq.base.{c}" for c in ("wx", "wy", "wz", "vx", "vy", "vz")), [*d.qvel[3:6], *v], strict=True))
        a = R.T @ d.qacc[:3] - np.cross(d.qvel[3:6], v)
        row |= dict(zip((f"ddq.base.{c}" for c in ("wx", "wy", "wz", "vx", "vy", "vz")), [*d.qacc[3:6], *a], strict=True))
        for i, name in enumerate(self.names):
            row |= {f"q.{name}": d.qpos[7 + i], f"dq.{name}": d.qvel[6 + i], f"ddq.{name}": d.qacc[6 + i]}
            row[f"tau.{name}"] = d.qfrc_applied[6 + i]
        return row


def taken_over(robot, rows, kind):
    """Columns of that kind, in our order."""
    names = {"q": robot.coordinate_names, "tau": robot.force_names}.get(kind, robot.velocity_names)
    return np.array([[row.get(f"{kind}.{name}", 0.0) for name in names] for row in rows])


CASES = [(cone, impratio, friction, joints)
         for cone in ("elliptic", "pyramidal")
         for impratio, friction, joints in ((1, (), ""), (1, (0.8,), ""), (10, (0.8,), ""), (1, (0.8, 0.02), ""), (3, (0.6, 0.02, 0.01), ""),
                                            (1, (0.8,), "dry_friction"), (1, (0.8,), "limit"))]


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
@pytest.mark.parametrize(("cone", "impratio", "friction", "joints"), CASES)
def test_accelerations_and_torques_are_those_of_mujoco(name, cone, impratio, friction, joints):
    rng = np.random.default_rng(3)
    robot = Robot(name, cone, impratio, friction, joints)
    rows, contacts = [], 0
    for _ in range(6):
        robot.state(rng, 0.6 if joints == "limit" else 0.2)
        mujoco.mj_forward(robot.model, robot.data)
        contacts += robot.data.ncon
        rows.append(robot.row())
    assert contacts >= 12
    q, dq, ddq, tau = (taken_over(robot.ours, rows, kind) for kind in ("q", "dq", "ddq", "tau"))
    found = sd.contact_dynamics(robot.ours, robot.constraints, q, dq, tau)
    assert np.all(np.abs(found.ddq - ddq) <= 1e-8 * np.abs(ddq).max(-1, keepdims=True))
    back = sd.contact_inverse_dynamics(robot.ours, robot.constraints, q, dq, ddq)
    size = np.maximum(np.abs(back.tau).max(-1), np.abs(back.force).max(-1))[:, None]
    assert np.all(np.abs(back.tau - tau)[:, 6:] <= 1e-8 * size)
    assert np.all(np.abs(back.force - found.force) <= 1e-8 * size)
    one = sd.contact_dynamics(robot.ours, robot.set, q[2], dq[2], tau[2])
    assert all(np.array_equal(x, y[2]) for x, y in zip(one, found, strict=True))


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_torques_within_effort_limits_are_those_of_mujoco(name):
    """Motors on joints whose actuatorfrcrange cuts their sum off."""
    rng = np.random.default_rng(6)
    robot = Robot(name, "elliptic", 1, (0.8,))
    spec = robot.spec
    limits = rng.uniform(0.5, 4, len(robot.names))
    for k, joint in enumerate(robot.names):
        spec.joint(joint).actfrclimited = mujoco.mjtLimited.mjLIMITED_TRUE
        spec.joint(joint).actfrcrange = [-limits[k], limits[k]]
        motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_motor()
    robot.model = spec.compile()
    robot.data = mujoco.MjData(robot.model)
    rows = []
    for _ in range(6):
        robot.state(rng)
        robot.data.qfrc_applied[:] = 0
        robot.data.ctrl[:] = 3 * rng.standard_normal(len(robot.names))
        mujoco.mj_forward(robot.model, robot.data)
        rows.append(robot.row() | {f"tau.{joint}": robot.data.ctrl[k] for k, joint in enumerate(robot.names)})
    q, dq, ddq, tau = (taken_over(robot.ours, rows, kind) for kind in ("q", "dq", "ddq", "tau"))
    ours = np.full(robot.ours.nv, np.inf)
    for k, joint in enumerate(robot.names):
        ours[robot.ours.velocity_names.index(joint)] = limits[k]
    assert (np.abs(tau) > ours).sum() > 6
    found = sd.contact_dynamics(robot.ours, robot.constraints, q, dq, tau, effort_limits=ours)
    assert np.all(np.abs(found.ddq - ddq) <= 1e-8 * np.abs(ddq).max(-1, keepdims=True))
    slopes = sd.contact_derivatives(robot.ours, robot.constraints, q, dq, tau, effort_limits=ours)
    assert np.array_equal(slopes.ddq, found.ddq)
    assert np.array_equal((slopes.dddq_dtau == 0).all(-2), np.abs(tau) > ours)
    assert not slopes.dforce_dtau[:, :, :][np.broadcast_to((np.abs(tau) > ours)[:, None], slopes.dforce_dtau.shape)].any()


def test_effort_limits_of_the_urdf(quadruped, standing):
    q, dq, tau = near_the_floor(quadruped, 10)
    tau *= 1000
    limits = np.array(quadruped.limits.effort)
    limits[limits == 0] = np.inf
    found = sd.contact_dynamics(quadruped, standing, q, dq, tau, effort_limits=True)
    by_hand = sd.contact_dynamics(quadruped, standing, q, dq, np.clip(tau, -limits, limits))
    assert np.array_equal(found.ddq, by_hand.ddq) and np.isfinite(limits).any()
    assert np.array_equal(sd.contact_dynamics(quadruped, standing, q, dq, tau, effort_limits=limits).ddq, found.ddq)
    assert not np.array_equal(sd.contact_dynamics(quadruped, standing, q, dq, tau).ddq, found.ddq)
    for wrong in (-limits, limits[:-1], np.tile(limits, (2, 1)), np.nan * limits):
        with pytest.raises(ValueError, match="effort_limits"):
            sd.contact_dynamics(quadruped, standing, q, dq, tau, effort_limits=wrong)
    start = (q[0], dq[0])
    held = sd.simulate(quadruped, constraints=standing, start=start, hold=(5000, 5), seconds=0.05, rate=1000, effort_limits=True)
    torques = taken_over(quadruped, held.to_pylist(), "tau")
    assert np.all(np.abs(torques) <= limits) and (np.abs(torques) == limits).any()
    with pytest.raises(ValueError, match="effort_limits"):
        sd.simulate(quadruped, effort_limits=True)
    with pytest.raises(ValueError, match="effort limits with a KD"):
        sd.simulate(quadruped, forward=True, hold=(1, 1), integrator="implicit-velocity", effort_limits=True)


def falls_alike(robot, seconds):
    """From MuJoCo's state let go and held by its joints in both: q of each step to 1e-8. How many steps touch something."""
    d = robot.data
    start, q0 = robot.row(), d.qpos[7:].copy()
    found = sd.simulate(robot.ours, constraints=robot.constraints, start=[taken_over(robot.ours, [start], k)[0] for k in ("q", "dq")],
                        hold=(8, 0.1), seconds=seconds, rate=500)
    touched = 0
    for row in found.to_pylist():
        theirs = robot.row()
        for k, x in theirs.items():
            if k.startswith("q.") and not k.startswith("q.base.q"):
                assert abs(row[k] - x) <= 1e-8 * max(1, abs(x)), (row["time"], k)
        touched += d.ncon > 0
        d.qfrc_applied[6:] = 8 * (q0 - d.qpos[7:]) - 0.1 * d.qvel[6:]
        mujoco.mj_step(robot.model, d)
    return touched


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_a_fall_onto_the_feet_is_that_of_mj_step(name):
    robot = Robot(name, "elliptic", 1, (0.8,))
    robot.model.opt.timestep = 0.002
    rng = np.random.default_rng(5)
    robot.state(rng)
    d = robot.data
    d.qpos[2] += 0.05
    d.qvel[:] = 0
    mujoco.mj_forward(robot.model, d)
    assert falls_alike(robot, 0.6) > 100


@pytest.fixture(name="standing")
def standing_fixture(quadruped):
    return sd.Constraints(ROOT / "examples/constraints/quadruped.json")


def near_the_floor(robot, rows):
    rng = np.random.default_rng(4)
    q = np.tile(robot.neutral(), (rows, 1))
    q[:, 2] += 0.05 * rng.standard_normal(rows)
    return q, *(rng.standard_normal((2, rows, robot.nv)))


def test_forces_put_back_on_the_links_give_the_same_accelerations(quadruped, standing, close):
    q, dq, tau = near_the_floor(quadruped, 40)
    found = sd.contact_dynamics(quadruped, standing, q, dq, tau)
    names, gaps = standing.force_names(quadruped), standing.gap_names(quadruped)
    assert found.force.shape == (40, len(names)) and found.gap.shape == (40, len(gaps)) and found.iterations.shape == (40,)
    assert (found.gap.min(-1) < 0).any() and np.abs(found.force).max() > 1
    at = {name: k for k, name in enumerate(names)}
    total, fx = tau.copy(), {}
    for k, name in enumerate(quadruped.velocity_names):
        if f"stops.{name}" in at:
            total[:, k] += found.force[:, at[f"stops.{name}"]]
    for foot in ("lf", "rf", "lh", "rh"):
        pose, fx[f"{foot}_foot"] = sd.pose(quadruped, q, f"{foot}_foot"), np.zeros((40, 6))
        for row in range(40):
            x, y, z, w = pose[row, 3:]
            R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                          [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                          [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
            force = R.T @ found.force[row, [at[f"{foot}.0.{c}"] for c in "xyz"]]
            arm = R.T @ [0, 0, -0.5 * (0.02 + pose[row, 2] + 0.5)]  # half-way between the sphere's surface and the plane
            fx[f"{foot}_foot"][row] = [*np.cross(arm, force), *force]
    close(sd.aba(quadruped, q, dq, total, fx), found.ddq, 1e-8)


def test_threads_outputs_and_errors(quadruped, standing):
    q, dq, tau = near_the_floor(quadruped, 300)
    one = sd.contact_dynamics(quadruped, standing, q, dq, tau)
    for threads in (2, 3):
        assert all(np.array_equal(x, y) for x, y in zip(one, sd.contact_dynamics(quadruped, standing, q, dq, tau, threads=threads)))
    out = tuple(np.zeros_like(x) for x in one)
    assert sd.contact_dynamics(quadruped, standing, q, dq, tau, out=out).ddq is out[0] and np.array_equal(out[1], one.force)
    again = pickle.loads(pickle.dumps(standing))
    assert np.array_equal(sd.contact_dynamics(quadruped, again, q[0], dq[0], tau[0]).ddq, one.ddq[0])
    dq[7, 3] = np.nan
    value, failed = sd.contact_dynamics(quadruped, standing, q, dq, tau, on_error="nan")
    assert list(np.flatnonzero(failed)) == [7] and np.isnan(value.force[7]).all() and np.array_equal(value.ddq[8], one.ddq[8])
    with pytest.raises(sd.InputError, match="lf_fot.*near: lf_foot"):
        sd.contact_dynamics(quadruped, {"constraints": [{"name": "a", "type": "contact", "link": "lf_fot", "points": [[0, 0, 0]]}]},
                            q[0], dq[0], tau[0])
    with pytest.raises(sd.InputError):
        sd.Constraints({"constraint": []})
    with pytest.raises(ValueError, match="hold: expected two numbers"):
        sd.simulate(quadruped, constraints=standing, hold=(-1, 0))
    with pytest.raises(ValueError, match="forward or constraints"):
        sd.simulate(quadruped, hold=(1, 0))


def test_derivatives_are_the_differences(quadruped, standing):
    q, dq, tau = near_the_floor(quadruped, 30)
    q[:, 2] = -np.abs(q[:, 2])  # into the floor
    found, one = sd.contact_derivatives(quadruped, standing, q, dq, tau), sd.contact_dynamics(quadruped, standing, q, dq, tau)
    assert all(np.array_equal(x, y) for x, y in zip(found[:3], one))
    n, judged, touched = quadruped.nv, 0, 0
    for k in range(n):
        along = np.zeros(n)
        along[k] = 1
        for kind, (dddq, dforce) in enumerate(zip(found[3:6], found[6:9])):
            def at(h):
                state = [q, dq, tau]
                state[kind] = quadruped.integrate(q, np.tile(h * along, (len(q), 1))) if kind == 0 else state[kind] + h * along
                answer = sd.contact_dynamics(quadruped, standing, *state)
                return np.hstack([answer.ddq, answer.force])
            slopes = [(8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h) for h in (2e-6, 1e-6)]
            ours, size = np.hstack([dddq[..., k], dforce[..., k]]), np.maximum(1, np.abs(slopes[1]).max(-1, keepdims=True))
            steady = (np.abs(slopes[0] - slopes[1]) <= 3e-7 * size).all(-1)  # no contact opens or slips within the step
            assert (np.abs(ours - slopes[1])[steady] <= 1e-6 * size[steady]).all()
            judged, touched = judged + steady.sum(), touched + (steady & (one.force != 0).any(-1)).sum()
    assert judged > 0.7 * 3 * n * len(q) and touched > 300


def test_hard_constraints(arm, states, close):
    pair = {"constraints": [{"name": "pair", "type": "joint", "joint": "joint2", "of": "joint1", "polynomial": [0, 2], "hard": True,
                             "stabilisation": {"omega": 0}},
                            {"name": "twice", "type": "joint", "joint": "joint2", "of": "joint1", "polynomial": [0, 2], "hard": True}]}
    assert sd.hard_rows(arm, pair) == (2, 1, arm.nv - 1, ["twice"])
    s, one = states(arm, (20,)), {"constraints": pair["constraints"][:1]}
    found = sd.contact_dynamics(arm, one, s.q, s.dq, s.tau)
    close(found.ddq[:, 1], 2 * found.ddq[:, 0], 1e-9)
    with pytest.raises(sd.InputError, match="soft constraints"):
        sd.contact_inverse_dynamics(arm, one, s.q, s.dq, s.ddq)
    crossed = {"constraints": [pair["constraints"][0], {**pair["constraints"][1], "polynomial": [1, 2]}]}
    with pytest.raises(sd.SolveError, match="twice|pair"):
        sd.contact_dynamics(arm, crossed, s.q[0], s.dq[0], s.tau[0])
