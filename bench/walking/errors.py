"""`track` of a log beside its truth: errors, and errors in deviations; and what encoders or torques alone would tell."""
import json
import subprocess
import sys

import mujoco
import numpy as np

from readings import NOISE, QUATERNION, force_names, offsets_of, write
from truth import RATE

CHANGES = (0.5, 1, 2, 4, 7, 10, 20, 30, 50, 80, 120, 200)  # rad/s², of which the best for a filter of the encoders is taken


def norm(errors):
    return float(np.sqrt((errors**2).sum(axis=1).mean()))


def later(columns, names):
    """After the first second."""
    return np.array([columns[name] for name in names]).T[RATE:]


def rates_of_encoders(body, columns, zero_phase):
    """Error of the joints' velocities by a steady Kalman filter of each encoder, or forth and back, best on the truth."""
    y, v = np.array([columns["y.encoders." + n] for n in body.names]).T, later(columns, ["dq." + n for n in body.names])
    return min(norm(steady_filter(y, change, zero_phase)[RATE:] - v) for change in CHANGES)


def steady_filter(y, change, zero_phase):
    dt = 1 / RATE
    F, G, H = np.array([[1, dt], [0, 1]]), np.array([dt * dt / 2, dt]), NOISE["encoders"]**2
    P = np.diag([H, 1.0])
    for _ in range(2000):
        predicted = F @ P @ F.T + change**2 * np.outer(G, G)
        K = predicted[:, 0] / (predicted[0, 0] + H)
        P = predicted - np.outer(K, predicted[0])
    x, found, before = np.array([y[0], 0 * y[0]]), [], []
    for row in y:
        x = F @ x
        before.append(x)
        x = x + np.outer(K, row - x[0])
        found.append(x)
    back = P @ F.T @ np.linalg.inv(predicted)
    for k in range(len(found) - 2, -1, -1) if zero_phase else ():
        found[k] = found[k] + back @ (found[k + 1] - before[k + 1])
    return np.array(found)[:, 1]


def turn_errors(truth, out):
    found = []
    for a, b in zip(truth, out):
        turn = np.zeros(4)
        mujoco.mju_mulQuat(turn, np.array([a[3], *a[:3]]), np.array([b[3], *-b[:3]]))
        found.append(2 * turn[1:] * np.sign(turn[0]))
    return np.array(found)


def read(path):
    with open(path) as lines:
        names = lines.readline().strip().split(",")
    return dict(zip(names, np.genfromtxt(path, delimiter=",", skip_header=1).T))


class Tracked:
    """One log, one set: `figures` by name; `normal`, errors in deviations, by kind: of kinds that hardly change the last row's."""

    def __init__(self, program, urdf, body, columns, seed, settings, more, folder):
        (folder / "set.json").write_text(json.dumps(settings))
        self.body, self.truth, self.whole = body, columns, "kinematic" not in more
        write(columns, folder / "log.csv")
        run = subprocess.run([program, "track", urdf, "--floating", "--sensors", folder / "set.json", "--log", folder / "log.csv", "-o",
                              folder / "out.csv", "--sd", "--json", "--outputs", "q,dq,bias,fx" if self.whole else "q,dq,bias", *more],
                             capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        summary, self.out = json.loads(run.stdout), read(folder / "out.csv")
        self.figures, self.normal = {"tilt, °": 57.3 * summary["errors"]["tilt"], "yaw at the end, °": 57.3 * abs(summary["errors"]["yaw_end"]),
                                     "nees": summary["consistency"]["nees"], "over 1 s, m": summary["drift"]["over_1s"], "place at the end, m": summary["drift"]["end"],
                                     "us a step": summary["median_step_us"]}, {}
        self.compare_states()
        self.compare_slow(offsets_of(seed)[0])
        if self.whole:
            self.compare_forces()

    def compare(self, kind, names, last=False):
        truth, out = later(self.truth, names), later(self.out, names)
        normal = (out - truth) / later(self.out, ["sd." + n for n in names])
        if not last:
            self.figures[kind] = norm(out - truth)
        self.normal[kind] = normal[-1:] if last else normal

    def compare_states(self):
        names = self.body.names
        self.compare("q, rad", ["q." + n for n in names])
        self.compare("v, m/s", ["dq.base.v" + c for c in "xyz"])
        self.compare("w, rad/s", ["dq.base.w" + c for c in "xyz"])
        self.compare("dq, rad/s", ["dq." + n for n in names])

    def compare_slow(self, offsets):
        turns = turn_errors(later(self.truth, QUATERNION), later(self.out, QUATERNION))
        turns /= later(self.out, ["sd.q.base.r" + c for c in "xyz"])
        self.normal["tilt"], self.normal["yaw at the end"] = turns[:, :2], turns[-1:, 2:]
        self.compare("place at the end", ["q.base." + c for c in "xyz"], last=True)
        for k, sensor in enumerate(("acc", "gyro")):
            names = [f"bias.{sensor}.{c}" for c in "xyz"]
            self.truth |= {name: np.full(len(self.truth["time"]), offsets[3 * k + i]) for i, name in enumerate(names)}
            self.compare(f"offsets of {sensor} at the end", names, last=True)

    def compare_forces(self):
        walker, pushed = self.body.walker, []
        for foot in walker.feet:
            names = force_names(walker, foot)
            force = later(self.truth, names[-3:])
            stands = np.linalg.norm(force, axis=1) > 0.02 * 9.81 * self.body.mass
            pushed.append((names, stands, later(self.out, names[-3:]) - force, later(self.truth, ["static" + n[2:] for n in names[-3:]]) - force))
        self.figures["force of a foot that stands, N"] = norm(np.concatenate([error[stands] for _, stands, error, _ in pushed]))
        self.figures["the same by −J⁻ᵀτ, N"] = norm(np.concatenate([error[stands] for _, stands, _, error in pushed]))
        self.compare("force", [name for names, _, _, _ in pushed for name in names])
        del self.figures["force"]
        self.normal["force of a foot that stands"] = np.concatenate(
            [((later(self.out, names) - later(self.truth, names)) / later(self.out, ["sd." + n for n in names]))[stands].ravel()
             for names, stands, _, _ in pushed])
