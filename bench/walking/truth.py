"""What a walk in MuJoCo was: at every row the state, over the interval that ends there the means of what sensors read and forces."""
import mujoco
import numpy as np

from body import STEP
from gaits import Steps, Trot

RATE = 250


class Walk:
    """rows: of q, v as MuJoCo has them. Of the interval before each row: imu (specific force, angular velocity), torques, force on each
    foot and moment about its frame (world axes). now, through: which feet stand at the row, through the interval."""

    def __init__(self, body, seed, seconds):
        self.body, self.steps = body, round(1 / RATE / STEP)
        kind, numbers = body.walker.gait
        home, _, _ = body.feet(body.home())
        self.gait = {"trot": Trot, "steps": Steps}[kind](body, home, seed, **numbers)
        self.stiffness, self.damping = self.gains()
        d, target = mujoco.MjData(body.model), body.home()
        lowest = 0.012 if body.flat else body.radius
        d.qpos[:] = [0, 0, lowest + 0.002 - home[:, 2].mean(), 1, 0, 0, 0, *target]
        mujoco.mj_forward(body.model, d)
        states, loads, rates = [], [], []
        for _ in range(int(seconds * RATE) * self.steps + 1):
            self.advance(d, target, states, loads, rates)
        self.gather(states, np.array(loads), np.array(rates))

    def gains(self):
        """Joints that reach no foot are held at 15 rad/s of their own inertia; damping stays below what a step of time can take."""
        body = self.body
        inertia = body.inertias(body.home())
        stiffness, damping = np.full(body.joints, float(body.walker.stiffness)), np.full(body.joints, float(body.walker.damping))
        stiffness[body.others], damping[body.others] = 225 * inertia[body.others], 30 * inertia[body.others]
        return stiffness, np.minimum(damping, 0.4 * inertia / STEP)

    def advance(self, d, target, states, loads, rates):
        body, m, t = self.body, self.body.model, d.time
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, d.qpos[3:7])
        R = R.reshape(3, 3)
        self.gait.posture(t, target)
        body.reach(target, self.gait.goals(t, R, d))
        _, J, _ = body.feet(d.qpos[7:])
        tau = self.stiffness * (target - d.qpos[7:]) - self.damping * d.qvel[6:] + self.gait.torques(t, R, J, d)
        d.qfrc_applied[6:] = tau
        q, before = d.qpos.copy(), d.qvel.copy()
        mujoco.mj_step(m, d)
        states.append((q, 0.5 * (before + d.qvel)))
        rates.append(d.qvel[3:6].copy())
        force, moment = body.pushes(d)
        loads.append(np.concatenate([d.sensordata[:3], tau, force.ravel(), moment.ravel()]))

    def gather(self, states, loads, rates):
        """MuJoCo's velocities belong to the middle between two places: that at a place is the mean of the two beside it, what turns the
        base from place to place is its velocity between them, and loads over an interval count by halves at its ends."""
        steps, n, feet = self.steps, self.body.joints, self.body.legs
        weights = np.full(steps + 1, 1 / steps)
        weights[[0, -1]] /= 2
        at = range(0, len(states), steps)
        self.q, self.v = np.array([states[k][0] for k in at]), np.array([states[k][1] for k in at])
        mean = np.array([weights @ loads[k - steps:k + 1] if k else loads[0] for k in at])
        turns = np.array([rates[k - steps:k].mean(axis=0) if k else states[0][1][3:6] for k in at])
        self.imu, self.torques = np.hstack([mean[:, :3], turns]), mean[:, 3:3 + n]
        self.forces = mean[:, 3 + n:3 + n + 3 * feet].reshape(-1, feet, 3)
        self.moments = mean[:, 3 + n + 3 * feet:].reshape(-1, feet, 3)
        up, stands = loads[:, 3 + n + 2:3 + n + 3 * feet:3], 0.02 * 9.81 * self.body.mass
        self.now = np.array([up[k] > stands for k in at])
        self.through = np.array([up[max(k - steps, 0):k + 1].min(axis=0) > stands for k in at])

    def summary(self):
        place, turned = self.q[:, :3], np.array([2 * np.hypot(x, y) for _, x, y, _ in self.q[:, 3:7]])
        return f"way {np.abs(np.diff(place[:, :2], axis=0)).sum():.2f} m, height {place[:, 2].min():.3f} to {place[:, 2].max():.3f} m, " \
               f"tilt at most {57.3 * turned.max():.1f}°, feet stand {self.now.mean(axis=0).round(2)}"
