"""MJCF files beside MuJoCo, one a line: without constraints, and with them where all contacts are those that enter.

  PYTHONPATH=build/python build/python-environment/bin/python bench/python/mujoco_files.py FOLDER…

prints file, freedoms, what became of it; the largest difference of M, bias, mj_inverse, mj_forward (also with actuators, given their
forces) and energies at 100 random states, beside max(1, |r|); that of accelerations and of sensors' readings under constraints, beside
the largest, and the rows met there; that of sensors' readings at 20 free states, with how many of them are compared, touch among them;
how many elements are left out; the time to load it and, from 100 freedoms on, the memory that loading takes at its peak.
"agrees to M's rounding": accelerations without constraints differ by more than 1e-10 of the largest, but by less than 2⁻⁵² times the
condition of M.
"""

import pathlib
import subprocess
import sys
import time
import warnings

import mujoco
import numpy as np

import sparsedyn as sd
from sparsedyn.mujoco import Refused

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/tests"))
from mujoco_support import constrained_disagreement, disagreement, errors, forces_disagreement, random_state, solved_exactly  # noqa: E402


def under_constraints(model, contacts=True, states=40):
    """The largest difference, rows and states. Where other contacts are always there, all are switched off."""
    if not contacts:
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    solved_exactly(model)
    if not sd.load_mujoco(model).constraints_json["constraints"]:
        return 0.0, 0, 0
    worst, rows, used = constrained_disagreement(model, states, spreads=(0.05, 0.2, 0.35), tries=10)
    return (worst, rows, used) if used or not contacts else under_constraints(model, False)


def sensors(model, states=20):
    """The largest difference of readings where nothing touches, how many sensors are compared, touch too, and how many there are."""
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    robot, data, rng, worst, compared = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(5), 0.0, set()
    for _ in range(states if model.nsensor else 0):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng)
        mujoco.mj_forward(model, data)
        found = errors(model, data, robot.sensordata(*robot.state(data.qpos, data.qvel, data.qacc)))
        worst, compared = max([worst, *found.values()]), compared | set(found)
    touch = int(np.sum(np.array(model.sensor_type) == int(mujoco.mjtSensor.mjSENS_TOUCH)))
    return worst, len(compared) + touch, model.nsensor


PEAK = """import sys, warnings; warnings.simplefilter("ignore")
import mujoco, sparsedyn as sd
def told(key): return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key))
model = mujoco.MjModel.from_xml_path(sys.argv[1])
sd.load_mujoco("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")  # what the first call takes
open("/proc/self/clear_refs", "w").write("5")  # the peak counts from here
before = told("VmRSS"); robot = sd.load_mujoco(model); print(told("VmHWM") - before)"""


def peak(path):
    """MB that loading adds at most to a process that has read the file into MuJoCo."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024


def outside_constraints(model, robot, to_rounding):
    return max(disagree(model, robot, 100, to_rounding=to_rounding) for disagree in (disagreement, forces_disagreement))


def line(path, name):
    """The file's, or None where MuJoCo refuses it or nothing moves."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError):
        return None
    if model.nv == 0:
        return None
    start = time.perf_counter()
    try:
        robot = sd.load_mujoco(model)
    except Refused as error:
        return [name, model.nv, f"refused: {error.element}", "", "", "", "", ""]
    seconds = time.perf_counter() - start
    free = outside_constraints(model, robot, False)
    rounding = free if free < 1e-10 else outside_constraints(model, robot, True)
    held, rows, states = under_constraints(mujoco.MjModel.from_xml_path(str(path)))
    read, compared, all_sensors = sensors(mujoco.MjModel.from_xml_path(str(path)))
    fate = "agrees" if rounding < 1e-10 and held < 1e-8 and read < 1e-9 else "differs"
    if fate == "agrees" and free >= 1e-10:
        fate = "agrees to M's rounding"
    held_text = f"{held:.0e} ({rows} rows)" if rows else "none met" if states else ""
    read_text = f"{read:.0e} ({compared} of {all_sensors})" if all_sensors else ""
    took = f"{seconds:.2f} s" + (f", {peak(path):.0f} MB" if model.nv >= 100 else "")
    return [name, model.nv, fate, f"{free:.0e}", held_text, read_text, len(robot.report.left_out), took]


def main():
    warnings.simplefilter("ignore")
    print("| file | nv | | free | under constraints | sensors | left out | loaded in |\n|---|---|---|---|---|---|---|---|")
    tally = {}
    for folder in map(pathlib.Path, sys.argv[1:]):
        for path in sorted(folder.rglob("*.xml")):
            if "<mujoco" not in path.read_text(errors="replace"):
                continue
            row = line(path, str(path.relative_to(folder)))
            if row:
                print("| " + " | ".join(map(str, row)) + " |", flush=True)
                fate = str(row[2]).split(":")[0]
                tally[fate] = tally.get(fate, 0) + 1
    print(", ".join(f"{count} {fate}" for fate, count in sorted(tally.items())))


if __name__ == "__main__":
    main()
