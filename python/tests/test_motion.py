"""Motions beside an independent integrator (scipy's DOP853 at 1e-13) and equations that are none of ours: a four-bar linkage,
energy, power, Hamilton's equations, geodesics of the kinetic metric (Todorov's notes, slides 10 to 16)."""

import html
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]
G = 9.81


def solved(rhs, seconds, x, t_eval=None, rtol=3e-14):
    integrate = pytest.importorskip("scipy.integrate")
    found = integrate.solve_ivp(rhs, (0, seconds), x, method="DOP853", rtol=rtol, atol=rtol, t_eval=t_eval)
    assert found.success
    return found.y


def column(table, name):
    return np.asarray(table[name])


class FourBar:
    """robots/four-bar.urdf by hand: energies as functions of the crank's angle, from the loop's geometry alone."""

    rods = ((0.4, 0.00134, (0.0, 0.1)), (1.2, 0.03606, (0.24, 0.18)), (1.4, 0.05724, (-0.21, 0.28)))

    def posture(self, crank):
        """Angles (about y) of coupler and rocker in the world, on the branch of q = 0, and their rates for a crank at 1 rad/s."""
        b = 0.2 * np.array([np.sin(crank), np.cos(crank)])
        d = np.array([0.9, 0.0])
        span = np.hypot(*(d - b))
        along, off = (0.6**2 - 0.7**2 + span**2) / (2 * span), 0.0
        off = np.sqrt(0.6**2 - along**2)
        u = (d - b) / span
        c = b + along * u + off * np.array([-u[1], u[0]])
        db = 0.2 * np.array([np.cos(crank), -np.sin(crank)])
        coupler, rocker = c - b, c - d
        # b' + w1 turn(coupler) = w2 turn(rocker), turn(x, z) = (z, -x)
        turn = lambda r: np.array([r[1], -r[0]])
        w = np.linalg.solve(np.column_stack([-turn(coupler), turn(rocker)]), db)
        angle = lambda r: np.arctan2(r[0], r[1])
        return angle(coupler) - np.arctan2(0.48, 0.36), angle(rocker) - np.arctan2(-0.42, 0.56), w, b

    def energy(self, crank):
        """The inertia m(θ) that the crank feels, and the potential."""
        a1, a2, w, b = self.posture(crank)
        inertia = potential = 0.0
        rates = (1.0, w[0], w[1])
        for (mass, moment, (x, z)), angle, rate, origin, along in zip(
            self.rods, (crank, a1, a2), rates, ((0, 0), b, (0.9, 0)), ((0, 0), (0.2 * np.cos(crank), -0.2 * np.sin(crank)), (0, 0)), strict=True
        ):
            centre = np.array([np.cos(angle) * x + np.sin(angle) * z, -np.sin(angle) * x + np.cos(angle) * z])
            velocity = np.array(along) + rate * np.array([centre[1], -centre[0]])
            inertia += mass * velocity @ velocity + moment * rate**2
            potential += mass * G * (origin[1] + centre[1])
        return inertia, potential


@pytest.fixture(scope="module")
def linkage():
    return sd.load_urdf(ROOT / "robots/four-bar.urdf"), sd.Constraints(ROOT / "examples/constraints/four-bar.json")


def turned(linkage, rate, seconds, **options):
    robot, loop = linkage
    return sd.simulate(robot, constraints=loop, start=([0, 0, 0], START), seconds=seconds, rate=rate, **options)


WHEEL = FourBar()
_, _, RATES, _ = WHEEL.posture(0.0)
START = 12 * np.array([1, RATES[0] - 1, RATES[1]])  # the coupler's coordinate is relative to the crank


def crank_by_energy(times):
    """θ' = √(2 (E − V(θ))/m(θ)): the crank never turns back."""
    m0, v0 = WHEEL.energy(0.0)
    total = 0.5 * m0 * 144 + v0

    def rate(_, x):
        m, v = WHEEL.energy(x[0])
        return [np.sqrt(2 * (total - v) / m)]

    return solved(rate, times[-1], [0.0], times, 1e-11)[0]


def test_a_four_bar_turns_as_its_energy_says(linkage):
    table = turned(linkage, 1000, 6.001, integrator="runge-kutta", project=True)
    crank, time = column(table, "q.crank"), column(table, "time")
    every = slice(0, None, 500)
    reference = crank_by_energy(time[every])
    assert crank[-1] > 2 * np.pi * 15 and np.abs(crank[every] - reference).max() < 2e-4  # of 99.7 rad
    for k in (0, 777, 6000):
        a1, a2, _, _ = WHEEL.posture(crank[k])
        assert abs(np.sin(0.5 * (crank[k] + column(table, "q.coupler")[k] - a1))) < 1e-12
        assert abs(np.sin(0.5 * (column(table, "q.rocker")[k] - a2))) < 1e-12


def test_the_integrators_have_their_order(linkage):
    """Halving the step halves semi-implicit Euler's error, and divides that of Runge and Kutta by 16."""
    for integrator, order, rates in (("semi-implicit", 1, (1000, 2000)), ("runge-kutta", 4, (250, 500))):
        errors = []
        for rate in rates:
            table = turned(linkage, rate, 1 + 1 / rate, integrator=integrator, project=True)
            errors.append(abs(column(table, "q.crank")[rate] - crank_by_energy(np.array([0.0, 1.0]))[-1]))
        assert order - 0.35 < np.log2(errors[0] / errors[1]) < order + 0.6, errors


SKATER = """<robot name="skater">
  <link name="ground"/>
  <link name="board"><inertial><origin xyz="0.1 0.02 0.05"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.04"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0.2 -0.3"/><mass value="1"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <joint name="slide" type="planar"><parent link="ground"/><child link="board"/><axis xyz="0.6 0 0.8"/></joint>
  <joint name="swing" type="continuous"><parent link="board"/><child link="arm"/><origin xyz="0.1 0 0.2" rpy="0.3 0.2 0.1"/><axis xyz="0 1 0"/></joint>
</robot>"""


def turned_by(u, x):
    """R(u) x of a quaternion x y z w of any length."""
    u = u / np.linalg.norm(u)
    t = 2 * np.cross(u[:3], x)
    return x + u[3] * t + np.cross(u[:3], t)


def coordinate_rates(robot, q, v):
    """q' of a robot whose first joint is free (position, quaternion) or planar (x, y, angle), the others of one freedom."""
    if robot.nq > robot.nv:
        u, w = q[3:7], v[:3]
        du = 0.5 * np.concatenate([u[3] * w + np.cross(u[:3], w), [-u[:3] @ w]])
        return np.concatenate([turned_by(u, v[3:6]), du, v[6:]])
    c, s = np.cos(q[2]), np.sin(q[2])
    return np.concatenate([[c * v[0] - s * v[1], s * v[0] + c * v[1]], v[2:]])


@pytest.mark.parametrize("which", ["quadruped", "skater"])
def test_free_bases_and_planes_are_stepped_in_fourth_order(which, tmp_path):
    """Beside DOP853 on the coordinates themselves: halving the step divides the error by 16."""
    path = ROOT / "robots/quadruped.urdf" if which == "quadruped" else tmp_path / "skater.urdf"
    if which == "skater":
        path.write_text(SKATER)
    robot = sd.load_urdf(path, floating=which == "quadruped")
    rng, free = np.random.default_rng(3), 6 if which == "quadruped" else 0
    q0, v0 = robot.random(rng, limits=False), rng.standard_normal(robot.nv)
    v0[:3] *= 3
    kp, kd = (30.0, 0.3) if which == "quadruped" else (0.0, 0.3)

    def rhs(_, x):
        q, v = x[: robot.nq].copy(), x[robot.nq :]
        if free:
            q[3:7] /= np.linalg.norm(q[3:7])
        tau = -kd * v
        tau[:free] = 0
        if kp:
            tau[free:] += kp * (q0 - q)[robot.nq - robot.nv + free :]
        return np.concatenate([coordinate_rates(robot, x[: robot.nq], v), sd.aba(robot, q, v, tau)])

    reference = solved(rhs, 0.4, np.concatenate([q0, v0]), rtol=1e-12)[:, -1]
    errors = []
    for rate in (200, 400, 800):
        table = sd.simulate(robot, forward=True, start=(q0, v0), hold=(kp, kd), seconds=0.4 + 1 / rate, rate=rate, integrator="runge-kutta")
        names = [f"q.{n}" for n in robot.coordinate_names] + [f"dq.{n}" for n in robot.velocity_names]
        last = np.array([column(table, n)[-1] for n in names])
        if free and last[3:7] @ reference[3:7] < 0:
            last[3:7] *= -1
        errors.append(np.abs(last - reference).max())
    assert errors[-1] < 1e-5 and all(3.6 < np.log2(a / b) < 4.6 for a, b in zip(errors, errors[1:], strict=False)), errors


def test_a_motion_shows_itself_in_notebooks(tmp_path):
    robot = sd.load_urdf(ROOT / "robots/four-bar.urdf")
    motion = sd.watch(robot, ROOT / "examples/constraints/four-bar.json", 0.5, 200)
    same = sd.simulate(robot, constraints=ROOT / "examples/constraints/four-bar.json", seconds=0.5, rate=200, report=tmp_path / "a.html")
    assert motion.table.equals(same) and repr(motion) == "Motion('four-bar', 100 rows, 0.5 s)"
    motion.save(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text() == motion.html
    shown = motion._repr_html_()
    frame = html.unescape(shown[shown.index('srcdoc="') + 8 : shown.index('" sandbox=')])
    assert frame == motion.html and shown.count('"') == 6 and 'sandbox="allow-scripts"' in shown  # one attribute holds all of it
    fast = (robot.neutral(), np.full(robot.nv, 9e8))
    broken = sd.watch(robot, None, 0.5, 200, start=fast)
    assert "ended: the motion grows without bound" in repr(broken) and broken._repr_html_().startswith("<pre>Motion(")
    with pytest.raises(sd.SolveError, match="grows without bound"):
        sd.simulate(robot, forward=True, start=fast)


ARM = """<robot name="notes">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.7"/><mass value="1.3"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.5"/><mass value="0.8"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.7"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def arm2(tmp_path_factory):
    """Slide 10: point masses at the ends of two rods."""
    path = tmp_path_factory.mktemp("arm") / "notes.urdf"
    path.write_text(ARM)
    return {g: sd.load_urdf(path, gravity=(0, 0, -g)) for g in (0.0, G)}


def by_hand(q, v, gravity):
    """M(q) and c(q, v) + gravity's torque of that arm, from x = h(q) as on slide 10."""
    l1, l2, m1, m2 = 0.7, 0.5, 1.3, 0.8
    a, b = q[0], q[0] + q[1]
    J1 = l1 * np.array([[-np.cos(a), 0], [np.sin(a), 0]])
    J2 = J1 + l2 * np.array([[-np.cos(b)] * 2, [np.sin(b)] * 2])
    dJ1 = l1 * v[0] * np.array([[np.sin(a), 0], [np.cos(a), 0]])
    dJ2 = dJ1 + l2 * (v[0] + v[1]) * np.array([[np.sin(b)] * 2, [np.cos(b)] * 2])
    M = m1 * J1.T @ J1 + m2 * J2.T @ J2
    c = m1 * J1.T @ (dJ1 @ v) + m2 * J2.T @ (dJ2 @ v)
    return M, c + gravity * (m1 * J1[1] + m2 * J2[1])


def energies(robot, q, v):
    return sum(sd.energy(robot, q, v))


def test_maximal_coordinates_say_the_same(arm2):
    """Slides 5 to 10: the points' accelerations by the KKT system, by Gauss's principle, by the explicit system in (x'', f, q''),
    beside J q'' + J' q' of the articulated-body algorithm; the constrained inertia's inverse A, its rank and A = lim (D + e JᵀJ)⁻¹."""
    q, v, tau = np.array([0.6, -1.1]), np.array([1.3, -0.7]), np.array([0.9, -0.4])
    l1, l2 = 0.7, 0.5
    a, b = q[0], q[0] + q[1]
    D = np.diag([1.3, 1.3, 0.8, 0.8])
    x = np.array([-l1 * np.sin(a), -l1 * np.cos(a), -l1 * np.sin(a) - l2 * np.sin(b), -l1 * np.cos(a) - l2 * np.cos(b)])
    Jh = np.array([[-l1 * np.cos(a), 0], [l1 * np.sin(a), 0], [-l1 * np.cos(a) - l2 * np.cos(b), -l2 * np.cos(b)], [l1 * np.sin(a) + l2 * np.sin(b), l2 * np.sin(b)]])
    dJh = np.array([[l1 * np.sin(a) * v[0], 0], [l1 * np.cos(a) * v[0], 0], [l1 * np.sin(a) * v[0] + l2 * np.sin(b) * v.sum(), l2 * np.sin(b) * v.sum()],
                    [l1 * np.cos(a) * v[0] + l2 * np.cos(b) * v.sum(), l2 * np.cos(b) * v.sum()]])
    dx = Jh @ v
    d, dd = x[2:] - x[:2], dx[2:] - dx[:2]
    J = 2 * np.array([[x[0], x[1], 0, 0], [*-d, *d]])
    dJ_dx = 2 * np.array([dx[:2] @ dx[:2], dd @ dd])
    force = np.linalg.pinv(Jh.T) @ tau + np.array([0, -1.3 * G, 0, -0.8 * G])  # Jhᵀ f = tau + g: any f that does is as good

    qdd = sd.aba(arm2[G], q, v, tau)
    reference = Jh @ qdd + dJh @ v
    assert np.abs(J @ Jh).max() < 1e-15  # implicit and explicit constraints have the same tangent space
    zero = np.zeros
    kkt = np.linalg.solve(np.block([[D, -J.T], [-J, zero((2, 2))]]), np.concatenate([force, dJ_dx]))
    assert np.abs(kkt[:4] - reference).max() < 1e-12 * np.abs(reference).max() * 10
    free = np.linalg.solve(D, force)  # Gauss: the nearest to it, in the metric of D, that the constraints allow
    root = np.linalg.cholesky(D).T
    start = np.linalg.lstsq(J, -dJ_dx, rcond=None)[0]
    null = np.linalg.svd(J)[2][2:].T
    nearest = start + null @ np.linalg.lstsq(root @ null, root @ (free - start), rcond=None)[0]
    assert np.abs(nearest - reference).max() < 1e-11
    blocks = np.block([[D, -np.eye(4), zero((4, 2))], [np.eye(4), zero((4, 4)), -Jh], [zero((2, 4)), Jh.T, zero((2, 2))]])
    explicit = np.linalg.solve(blocks, np.concatenate([force, dJh @ v, zero(2)]))
    assert np.abs(explicit[:4] - reference).max() < 1e-11 and np.abs(explicit[8:] - qdd).max() < 1e-11
    Di = np.linalg.inv(D)
    A = Di - Di @ J.T @ np.linalg.solve(J @ Di @ J.T, J @ Di)
    assert np.linalg.matrix_rank(A, 1e-10) == 2 and np.abs(J @ A).max() < 1e-14
    off = [np.abs(np.linalg.inv(D + e * J.T @ J) - A).max() for e in (1e3, 1e5)]
    assert 50 < off[0] / off[1] < 200 and off[1] < 1e-4  # as 1/e
    assert np.abs(A - Jh @ np.linalg.solve(sd.crba(arm2[G], q), Jh.T)).max() < 1e-12  # = J M⁻¹ Jᵀ


def test_energy_is_kept_over_ten_seconds(arm2):
    robot, start = arm2[G], np.array([1.1, -0.4, 0.5, 2.0])
    ours = solved(lambda _, x: np.concatenate([x[2:], sd.aba(robot, x[:2], x[2:], np.zeros(2))]), 10, start, np.linspace(0, 10, 201))
    E = energies(robot, ours[:2].T.copy(), ours[2:].T.copy())
    assert np.ptp(E) < 1e-12 * np.abs(E).max()

    def hand(_, x):
        M, c = by_hand(x[:2], x[2:], G)
        return np.concatenate([x[2:], -np.linalg.solve(M, c)])

    assert np.abs(solved(hand, 10, start, np.linspace(0, 10, 201)) - ours).max() < 1e-8


def test_the_rate_of_energy_is_power(arm2):
    """d/dt H = q'ᵀ τ (slide 13): the work is integrated beside the state."""
    robot = arm2[G]
    torque = lambda t: np.array([3 * np.sin(2 * t), np.cos(3 * t)])

    def rhs(t, x):
        tau = torque(t)
        return np.concatenate([x[2:4], sd.aba(robot, x[:2], x[2:4], tau), [x[2:4] @ tau]])

    x = solved(rhs, 10, np.array([0.3, 0.2, 0, 0, 0]), np.linspace(0, 10, 101))
    E = energies(robot, x[:2].T.copy(), x[2:4].T.copy())
    assert np.ptp(x[4]) > 1 and np.abs(E - E[0] - x[4]).max() < 2e-11


def test_hamiltons_equations_move_as_lagranges_do(arm2):
    """q' = M⁻¹ p, p' = −∂H/∂q + τ."""
    robot, start = arm2[G], np.array([0.7, -1.2, 1.0, -0.5])

    def hamilton(_, x):
        v = np.linalg.solve(sd.crba(robot, x[:2]), x[2:])
        found = sd.hamilton(robot, x[:2], v, np.zeros(2))
        return np.concatenate([v, found.dp])

    times = np.linspace(0, 5, 51)
    x = solved(hamilton, 5, np.concatenate([start[:2], sd.crba(robot, start[:2]) @ start[2:]]), times)
    y = solved(lambda _, z: np.concatenate([z[2:], sd.aba(robot, z[:2], z[2:], np.zeros(2))]), 5, start, times)
    assert np.abs(x[:2] - y[:2]).max() < 1e-9


def test_motions_without_forces_are_geodesics_of_the_kinetic_metric(arm2):
    """q'' = −Γ(q', q') with Γ of M alone (slide 16): kinetic energy stays, speed does not change the path, and between near
    ends no path is shorter."""
    robot, start = arm2[0.0], np.array([0.4, 1.0, 1.5, -2.0])

    def geodesic(_, x):
        gamma = sd.christoffel(robot, x[:2])
        return np.concatenate([x[2:], -np.linalg.solve(sd.crba(robot, x[:2]), np.einsum("ijk,j,k->i", gamma, x[2:], x[2:]))])

    times = np.linspace(0, 10, 201)
    x = solved(geodesic, 10, start, times)
    K = np.array([0.5 * v @ sd.crba(robot, q) @ v for q, v in zip(x[:2].T.copy(), x[2:].T.copy(), strict=True)])
    assert np.ptp(K) < 1e-12 * K[0]
    y = solved(lambda _, z: np.concatenate([z[2:], sd.aba(robot, z[:2], z[2:], np.zeros(2))]), 10, start, times)
    assert np.abs(x - y).max() < 1e-8
    twice = solved(geodesic, 5, start * [1, 1, 2, 2], times / 2)
    assert np.abs(twice[:2] - x[:2]).max() < 1e-8

    short = solved(geodesic, 0.3, start, np.linspace(0, 0.3, 301))[:2].T
    length = lambda path: sum(np.sqrt(d @ sd.crba(robot, m) @ d) for d, m in zip(np.diff(path, axis=0), 0.5 * (path[1:] + path[:-1]), strict=True))
    bump = np.sin(np.pi * np.linspace(0, 1, 301))[:, None]
    least = length(short)
    assert abs(least - 0.3 * np.sqrt(2 * K[0])) < 1e-5
    for direction in ((0.05, 0), (0, 0.05), (-0.03, 0.04)):
        assert length(short + bump * direction) > least + 1e-5


def test_the_example_draws_geodesics(tmp_path):
    picture = tmp_path / "geodesics.svg"
    done = subprocess.run([sys.executable, ROOT / "python/examples/geodesics.py", picture], capture_output=True, text=True, check=True)
    assert "their energy changes by" in done.stdout
    drawn, shown = picture.read_text(), (ROOT / "docs/geodesics.svg").read_text()
    assert drawn.count("<polyline") == 72 + 8 + 11
    number = r"-?\d+\.\d+"
    assert re.sub(number, "x", drawn) == re.sub(number, "x", shown)
    assert np.abs(np.subtract([float(x) for x in re.findall(number, drawn)], [float(x) for x in re.findall(number, shown)])).max() < 0.15


def test_set_points_are_followed_and_the_page_is_written(tmp_path):
    """The shipped gait in Python: the same numbers as the command line's columns say, and a page."""
    pyarrow_csv = pytest.importorskip("pyarrow.csv")
    robot = sd.load_urdf(ROOT / "robots/quadruped.urdf", floating=True)
    gait = pyarrow_csv.read_csv(ROOT / "examples/motions/quadruped-trot.csv")
    start = np.array([column(gait, f"q.{name}")[0] for name in robot.coordinate_names])
    table = sd.simulate(robot, constraints=ROOT / "examples/constraints/quadruped.json", start=(start, np.zeros(robot.nv)), hold=(100, 2), targets=gait,
                        repeat=True, integrator="implicit-velocity", seconds=1, rate=500, report=tmp_path / "trot.html")
    assert 0.3 < column(table, "q.base.x")[-1] < 1.2 and abs(column(table, "q.base.y")[-1]) < 0.1
    page = (tmp_path / "trot.html").read_text()
    assert "quadruped, forward simulation" in page and "https://" not in page
    # tau = kp (q* − q) − kd dq at the start of each row, q* linear between the gait's rows
    k, name = 33, "lf_knee"
    wished = np.interp(column(table, "time")[k] % 0.2, column(gait, "time"), column(gait, f"q.{name}"))
    tau = 100 * (wished - column(table, f"q.{name}")[k]) - 2 * column(table, f"dq.{name}")[k]
    assert abs(tau - column(table, f"tau.{name}")[k]) < 1e-9
    for targets, why in (({"q.lf_knee": [0.0]}, "no column time"), ({"time": [0.0], "q.wheel": [0.0]}, "no set point"), ({"time": [0.0, 0.0], "q.lf_knee": [0.0, 1.0]}, "grow"),
                         ({"time": [0.0], "q.lf_knee": [np.nan]}, "not finite")):
        with pytest.raises(ValueError, match=why):
            sd.simulate(robot, forward=True, hold=(1, 0), targets=targets)
    with pytest.raises(ValueError, match="expected hold"):
        sd.simulate(robot, forward=True, targets={"time": [0.0], "q.lf_knee": [0.0]})
