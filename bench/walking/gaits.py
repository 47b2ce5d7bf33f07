"""Where feet should be, and which of them carry: a trot, and slow steps on flat soles. Base axes; seeds differ in speed, turn and sway."""
import numpy as np

from body import STEP

GRAVITY = 9.81


class Trot:
    """Diagonal pairs take turns. On the ground the feet go back with it, in the air on to where half a stance ahead of home lies."""

    duty = 0.55

    def __init__(self, body, home, seed, period, clearance, speed, reach):
        rng = np.random.default_rng(7000 + seed)
        self.body, self.home, self.period, self.clearance, self.reach = body, home, period, clearance, reach
        self.speed, self.turn = speed * (0.75 + 0.5 * rng.random()), 0.3 * (rng.random() - 0.5)
        self.place, self.left = home.copy(), home.copy()

    def phase(self, leg, t):
        return (t / self.period + (0.5 if leg in (1, 2) else 0)) % 1 if t > 1 else 0

    def stands(self, leg, t):
        return self.phase(leg, t) < self.duty

    def goals(self, t, R, d):
        """Of the feet, to be called every STEP. R: of the base."""
        velocity, roll, pitch = R.T @ d.qvel[:3], np.arctan2(R[2, 1], R[2, 2]), np.arcsin(-R[2, 0])
        ramp = np.clip(t - 2, 0, 1)
        want, goal = ramp * np.array([self.speed, 0.05 * np.sin(0.5 * t), 0]), np.zeros((4, 3))
        for leg in range(4):
            home = self.home[leg]
            flow = want + np.cross([0, 0, ramp * self.turn], home)
            lift = 0
            if self.stands(leg, t):
                if t > 1:
                    self.place[leg] -= flow * STEP
                self.left[leg] = self.place[leg]
            else:
                u = (self.phase(leg, t) - self.duty) / (1 - self.duty)
                ahead = self.reach * np.array([0.12, 0.18]) * (velocity - want)[:2]
                land = home + flow * self.period * self.duty / 2 + [*ahead, 0]
                self.place[leg] = self.left[leg] + (land - self.left[leg]) * (u**3 * (10 - 15 * u + 6 * u * u))
                lift = self.clearance * 64 * (u * (1 - u))**3
            goal[leg] = self.place[leg] + [0, 0, lift + 0.6 * (roll * home[1] - pitch * home[0])]
        return goal

    def torques(self, t, R, J, d):
        """That carry the weight, shared by the feet that stand."""
        tau = np.zeros(self.body.joints)
        stance = [leg for leg in range(4) if self.stands(leg, t)]
        for leg in stance:
            tau[self.body.columns[leg]] -= J[leg].T @ (R.T @ [0, 0, GRAVITY * self.body.mass / len(stance)])
        return tau

    def posture(self, t, q):
        """Of the joints that reach no foot: a quadruped has none."""


def smooth(u):
    u = np.clip(u, 0, 1)
    return u**3 * (10 - 15 * u + 6 * u * u)


class Steps:
    """The weight goes to one flat sole, the other foot is lifted and set down a little ahead of it; then the other way about. The centre of
    pressure follows from where the centre of mass should go: ẍ = ω² (c − p), with ω² = g over its height."""

    stiffness, damping = 4.0, 6.0  # 1/s², 1/s of the centre of mass towards its plan
    over, sole = 0.95, np.array([0.1, 0.035])  # how far it goes over to a foot; half of what a centre of pressure may take of a sole

    def __init__(self, body, home, seed, period, clearance):
        rng = np.random.default_rng(7000 + seed)
        self.body, self.home, self.clearance = body, home.copy(), clearance
        self.period, self.stride = period * (0.9 + 0.2 * rng.random()), 0.08 * rng.random()
        self.swings = [(k, 0.02 + 0.08 * rng.random(), 2 * np.pi * (0.2 + 0.6 * rng.random()), 2 * np.pi * rng.random()) for k in body.others]
        self.mass_at = body.scratch.subtree_com[0].copy()  # in the base, of the home posture, at which `home` was found

    def beside(self, t):
        """−1 over the right sole, 1 over the left one, 0 between them."""
        cycle, u = divmod(max(t - 1, 0) / self.period, 1)
        start = 0 if cycle == 0 else -1
        return start + (1 - start) * smooth(4 * u) - 2 * smooth(4 * u - 2)

    def feet(self, t):
        """How far ahead the feet are, and how high."""
        cycle, u = divmod(max(t - 1, 0) / self.period, 1)
        if t < 1:
            return np.zeros((2, 2))
        lift = lambda w: self.clearance * 64 * (np.clip(w, 0, 1) * (1 - np.clip(w, 0, 1)))**3
        right, left = (u - 0.27) / 0.2, (u - 0.77) / 0.2
        ahead = self.stride * np.array([2 * cycle + 2 * smooth(left), max(2 * cycle - 1, 0) + (2 if cycle else 1) * smooth(right)])
        return np.array([ahead, [lift(left), lift(right)]]).T

    def mass(self, t):
        """Where the centre of mass should be beside where it is at home, if the base was between the feet."""
        shares = 0.5 * (1 + self.over * self.beside(t) * np.array([1, -1]))
        return shares @ (self.home[:, :2] + [[x, 0] for x, _ in self.feet(t)])

    def goals(self, t, R, d):
        goal, shift = self.home.copy(), self.mass(t) - self.mass_at[:2]
        for leg, (ahead, lift) in enumerate(self.feet(t)):
            goal[leg] += [ahead - shift[0], -shift[1], lift]
        return goal

    def torques(self, t, R, J, d):
        """What carries the robot: its own weight and Coriolis forces, less the forces on the feet that stand."""
        body, h = self.body, 0.01
        speed, change = (self.mass(t + h) - self.mass(t - h)) / (2 * h), (self.mass(t + h) - 2 * self.mass(t) + self.mass(t - h)) / h**2
        at, places = d.subtree_com[0], d.xpos[body.bodies]
        shares = 0.5 * (1 + self.over * self.beside(t) * np.array([1, -1]))
        miss = at[:2] - shares @ places[:, :2]
        wanted = change - self.stiffness * miss - self.damping * (d.qvel[:2] - speed)
        press = at[:2] - wanted * (at[2] - places[:, 2].min()) / GRAVITY
        loads = self.shares(t, press, places)
        tau = d.qfrc_bias[6:].copy()
        for leg, load in enumerate(loads):
            if load > 0:
                force = load * body.mass * np.array([*wanted, GRAVITY])
                arm = np.array([*np.clip(press - places[leg, :2], -self.sole, self.sole), 0])
                tau[body.columns[leg]] -= J[leg].T @ np.concatenate([R.T @ force, R.T @ np.cross(arm, force)])
        return tau

    def shares(self, t, press, places):
        """Of the left and the right foot in the load."""
        up = self.feet(t)[:, 1] > 0
        if up.any():
            return (~up).astype(float)
        across = places[0, :2] - places[1, :2]
        left = np.clip((press - places[1, :2]) @ across / (across @ across), 0, 1)
        return np.array([left, 1 - left])

    def posture(self, t, target):
        for k, size, rate, phase in self.swings:
            target[k] = self.body.rest[k] + np.clip(t, 0, 1) * size * np.sin(rate * t + phase)
