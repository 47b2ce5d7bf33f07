"""MJCF files beside MuJoCo, one a line: without constraints, and with them where all contacts are those that enter.

  PYTHONPATH=build/python build/python-environment/bin/python bench/python/mujoco_files.py FOLDER…

prints file, freedoms, what became of it, the largest difference of M, bias, mj_inverse, mj_forward and energies at 100 random states
(beside max(1, |r|)), that of accelerations under constraints (beside the largest), the rows met there, and how many elements are
left out.
"""

import pathlib
import sys
import time
import warnings

import mujoco
import numpy as np

import sparsedyn as sd
from sparsedyn.mujoco import Refused

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/tests"))
from test_mujoco import box_is_deep, disagreement, full_inertia, random_state, solved_exactly  # noqa: E402

GEOMS = mujoco.mjtGeom
ON_PLANES = [int(getattr(GEOMS, f"mjGEOM_{name}")) for name in ("SPHERE", "CAPSULE", "BOX")]


def contacts_enter(model, data):
    """Whether each is of a sphere, a capsule (elliptic cones) or a box with a plane, and deeper than rounding, which else decides."""
    for contact in data.contact:
        kinds = sorted(int(model.geom_type[g]) for g in contact.geom)
        pyramidal_capsule = kinds[1] == int(GEOMS.mjGEOM_CAPSULE) and model.opt.cone == 0 and contact.dim > 1
        if abs(contact.dist) < 1e-12 or kinds[0] != int(GEOMS.mjGEOM_PLANE) or kinds[1] not in ON_PLANES or pyramidal_capsule:
            return False
    return not box_is_deep(model, data)


def under_constraints(model, contacts=True, states=40):
    """The largest difference of accelerations, rows and states. Where other contacts are always there, all are switched off."""
    solved_exactly(model)
    if not contacts:
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(3)
    if not robot.constraints_json["constraints"]:
        return 0.0, 0, 0
    worst = rows = used = 0
    for k in range(10 * states):
        if used == states:
            break
        qpos, qvel, _ = random_state(model, rng, 0.05 + 0.15 * (k % 3))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:], data.qacc_warmstart[:] = qpos, 0.5 * qvel, 0, 0
        mujoco.mj_forward(model, data)
        if not contacts_enter(model, data):
            continue
        data.qfrc_applied[:] = rng.standard_normal(model.nv) * np.diag(full_inertia(model, data))
        mujoco.mj_forward(model, data)
        q, dq, _ = robot.state(qpos, data.qvel)
        found = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, robot.tau(qpos, data.qfrc_applied))
        qacc = robot.mujoco_state(q, dq, found.ddq).qacc
        worst = max(worst, float(np.abs(qacc - data.qacc).max() / max(1, np.abs(data.qacc).max())))
        rows, used = rows + data.nefc, used + 1
    return (worst, rows, used) if used or not contacts else under_constraints(model, False)


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
        return [name, model.nv, f"refused: {error.element}", "", "", "", ""]
    seconds = time.perf_counter() - start
    free = disagreement(model, robot, 100)
    held, rows, states = under_constraints(mujoco.MjModel.from_xml_path(str(path)))
    fate = "agrees" if free < 1e-10 and held < 1e-8 else "differs"
    held_text = f"{held:.0e} ({rows} rows)" if rows else "none met" if states else ""
    return [name, model.nv, fate, f"{free:.0e}", held_text, len(robot.report.left_out), f"{seconds:.2f}"]


def main():
    warnings.simplefilter("ignore")
    print("| file | nv | | free | under constraints | left out | loaded in s |\n|---|---|---|---|---|---|---|")
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
