"""The recording of a Panda, its model, and identify on it; for the programs beside this file."""
import argparse
import json
import pathlib
import resource
import subprocess

import numpy as np
import pinocchio as pin
from scipy.signal import butter, filtfilt

ROOT = pathlib.Path(__file__).resolve().parents[2]
FINGERS = ["panda_finger_joint1", "panda_finger_joint2"]
SMOOTHING = 0.01
WITHOUT_ARMATURE = ("--fit", "inertia,damping,friction,offset")
SPRINGS = "inertia,armature,damping,friction,offset,stiffness"


class Recording:
    """The log's header and rows, and the robot without fingers; of a program's arguments."""

    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("program", nargs="?", default=ROOT / "build/tools/sparsedyn")
        parser.add_argument("--shared", default=ROOT.parent / "shared", type=pathlib.Path)
        arguments = parser.parse_args()
        self.program, self.urdf = arguments.program, arguments.shared / "robots/panda.urdf"
        log = arguments.shared / "logs/panda_exciting.csv"
        self.names = log.open().readline().strip().split(",")
        self.rows = np.loadtxt(log, delimiter=",", skiprows=1)
        whole = pin.buildModelFromUrdf(str(self.urdf))
        self.model = pin.buildReducedModel(whole, [whole.getJointId(name) for name in FINGERS], pin.neutral(whole))
        self.b, self.a = butter(4, 3 / (0.5 / np.median(np.diff(self.rows[:, 0]))))

    def low_pass(self, x, axis):
        """At 3 Hz, forth and back: without a delay."""
        return filtfilt(self.b, self.a, x, axis=axis)

    def low_passed(self):
        """The rows, each column through the low-pass."""
        return np.concatenate([self.rows[:, :1], self.low_pass(self.rows[:, 1:], 0)], 1)

    def halves(self, rows):
        """What is fitted, 70 %, and what is held out: q, dq, ddq, tau of each."""
        middle = int(0.7 * len(rows))
        columns = [[k for k, name in enumerate(self.names) if name.startswith(kind)] for kind in ("q.", "dq.", "ddq.", "tau.")]
        return [[half[:, some] for some in columns] for half in (rows[:middle], rows[middle:])]

    def identify(self, folder, rows, *more):
        """What it writes, and its processor time, both logs read."""
        middle = int(0.7 * len(rows))
        for name, half in (("fit", rows[:middle]), ("held", rows[middle:])):
            np.savetxt(folder / f"{name}.csv", half, "%.17g", ",", header=",".join(self.names), comments="")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([self.program, "identify", self.urdf, *(x for f in FINGERS for x in ("--lock", f)), "--log", folder / "fit.csv",
                        "--holdout", folder / "held.csv", "-o", folder / "out.json", "--quiet", *more], check=True, capture_output=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return json.loads((folder / "out.json").read_text()), seconds

    def terms(self, q, v, a):
        """Y of all rows, joint by joint: ten columns a body, then armature, damping, friction, offset by joint."""
        data, n = self.model.createData(), self.model.nv
        inertial = np.stack([pin.computeJointTorqueRegressor(self.model, data, *state) for state in zip(q, v, a)])
        Y = np.zeros((n, len(q), 10 * n + 4 * n))
        for i in range(n):
            Y[i, :, : 10 * n] = inertial[:, i]
            own = [a[:, i], v[:, i], np.tanh(v[:, i] / SMOOTHING), np.ones(len(q))]
            Y[i, :, 10 * n + 4 * i : 10 * n + 4 * i + 4] = np.stack(own, -1)
        return Y


def held_out(found):
    return np.array(list(found["torque_rms"]["holdout_after"].values()))


def heading(title, n, *more):
    columns = [*(f"joint {i + 1}" for i in range(n)), *more]
    print(f"\n| {title} |" + "".join(f" {each} |" for each in columns) + "\n" + "|---" * (len(columns) + 1) + "|")


def line(title, numbers, digits=3):
    print(f"| {title} |" + "".join(f" {x:.{digits}f} |" for x in numbers))
