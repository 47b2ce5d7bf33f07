"""MuJoCo's models of the tests, states of them, and how far a robot is from MuJoCo's numbers."""

import importlib.util
import pathlib

import mujoco
import numpy as np

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "python/tests/mujoco_models"
QUADRUPED = ROOT / "examples/mujoco/quadruped.xml"
OWN = [*sorted(MODELS.glob("*.xml")), QUADRUPED]
BODY = '<body><joint name="j" axis="0 1 0" {joint}/><geom size="0.1" {geom}/><site name="s"/></body>'


def packaged():
    """MJCF files of packages that are installed."""
    found = []
    for package in ("dm_control", "gymnasium", "mjlab"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            found += [p for p in sorted(pathlib.Path(spec.submodule_search_locations[0]).rglob("*.xml")) if "<mujoco" in p.read_text(errors="replace")]
    return found


def random_state(model, rng, spread=1.0):
    """qpos with unit quaternions, qvel, qacc."""
    qpos = model.qpos0.copy()
    for j in range(model.njnt):
        at, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind == 0:
            qpos[at : at + 3] += 0.1 * spread * rng.standard_normal(3)
            at += 3
        if kind <= 1:
            turn = np.array([1.0, 0, 0, 0]) + spread * rng.standard_normal(4)
            qpos[at : at + 4] = turn / np.linalg.norm(turn)
        else:
            qpos[at] += spread * (0.3 if kind == 2 else 2.0) * rng.standard_normal()
    return qpos, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def relative(x, r):
    return float(np.max(np.abs(np.asarray(x) - r) / np.maximum(1, np.abs(r))))


def full_inertia(model, data):
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, M, data.qM)
    return M


def scaled_condition(M):
    """Of M with ones on its diagonal, as no scaling of its rows and columns makes it much smaller (van der Sluis 1969)."""
    scale = 1 / np.sqrt(np.diag(M))
    return float(np.linalg.cond(M * np.outer(scale, scale)))


def relative_acceleration(x, r, M, to_rounding):
    """Beside the largest; to_rounding: beside what one rounding of M's entries does to them where that is more than 1e-10."""
    error = float(np.abs(x - r).max()) / max(1, np.abs(r).max())
    return error / max(1.0, np.finfo(float).eps * scaled_condition(M) / 1e-10) if to_rounding and error >= 1e-10 else error


def disagreement(model, robot, states, seed=0, potential_too=True, to_rounding=False):
    """The largest of M, bias, inverse and forward dynamics without constraints, energies; beside max(1, |r|)."""
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)  # else mj_inverse takes differences over a step
    data, rng, worst, potential = mujoco.MjData(model), np.random.default_rng(seed), 0.0, []
    r = robot.robot
    acting = not model.opt.disableflags & int(flags.mjDSBL_SPRING)
    springs = [(j, model.jnt_qposadr[j]) for j in range(model.njnt) if acting and model.jnt_stiffness[j] and model.jnt_type[j] >= 2]
    for _ in range(states):
        qpos, qvel, qacc = random_state(model, rng)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, 0
        mujoco.mj_forward(model, data)
        M = full_inertia(model, data)
        q, dq, ddq = robot.state(qpos, qvel, qacc)
        q0, dq0, still = robot.state(qpos, qvel, np.zeros(model.nv))
        rates = np.stack([robot.tau(qpos, row) for row in np.eye(model.nv)], axis=1)  # of ours by MuJoCo's
        bias = data.qfrc_bias - data.qfrc_passive
        energy = sd.energy(r, q, dq)
        stored = sum(model.jnt_stiffness[j] * (qpos[a] - model.qpos0[a]) * (model.qpos0[a] - model.qpos_spring[a]) for j, a in springs)
        potential.append((float(energy.potential) + stored - data.energy[0], data.energy[0]))
        errors = [
            relative(rates.T @ sd.crba(r, q) @ rates, M),
            relative(robot.mujoco_force(q, sd.rnea(r, q, dq, still)), bias),
            relative(energy.kinetic, data.energy[1]),
        ]
        data.qacc[:] = qacc
        mujoco.mj_inverse(model, data)
        errors.append(relative(robot.mujoco_force(q, sd.rnea(r, q, dq, ddq)), data.qfrc_inverse))
        data.qfrc_applied[:] = rng.standard_normal(model.nv) * np.diag(M)
        mujoco.mj_forward(model, data)
        qacc = robot.mujoco_state(q, dq, sd.aba(r, q, dq, robot.tau(qpos, data.qfrc_applied))).qacc
        errors.append(relative_acceleration(qacc, data.qacc, M, to_rounding))
        worst = max(worst, *errors)
    shift = potential[0][0]  # the constants differ
    if not potential_too:
        return worst
    return max(worst, *(abs(gap - shift) / max(1, abs(of)) for gap, of in potential))


def forces_disagreement(model, robot, states, seed=0, to_rounding=False):
    """The same of accelerations where actuators act, given their forces: activations are drawn, and the forces are MuJoCo's."""
    flags = mujoco.mjtDisableBit
    model.opt.disableflags = (model.opt.disableflags | int(flags.mjDSBL_CONSTRAINT)) & ~int(flags.mjDSBL_ACTUATION)
    data, rng, worst = mujoco.MjData(model), np.random.default_rng(seed), 0.0
    actuators = robot.actuators
    for _ in range(states if model.nu else 0):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng)
        data.ctrl[:], data.act[:] = rng.uniform(-1, 1, data.ctrl.size), rng.uniform(0, 1, data.act.size)
        mujoco.mj_forward(model, data)
        q, dq, _ = robot.state(data.qpos, data.qvel)
        tau = robot.tau(data.qpos, data.qfrc_actuator)
        qacc = robot.mujoco_state(q, dq, sd.aba(robot.robot, q, dq, tau)).qacc
        worst = max(worst, relative_acceleration(qacc, data.qacc, full_inertia(model, data), to_rounding))
        if len(actuators.names) == model.nu and not model.jnt_actfrclimited.any():
            worst = max(worst, relative(actuators.matrix @ data.actuator_force[list(actuators.ids)], data.qfrc_actuator))
    return worst


def solved_exactly(model):
    model.opt.tolerance, model.opt.iterations = 0, 300
    model.opt.ls_tolerance, model.opt.ls_iterations = 1e-14, 200
    model.opt.solver = int(mujoco.mjtSolver.mjSOL_NEWTON)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)


def box_is_deep(model, data):
    """Whether a box has its centre below the plane: MuJoCo then leaves its upper corners out."""
    planes = [g for g in range(model.ngeom) if model.geom_type[g] == int(mujoco.mjtGeom.mjGEOM_PLANE)]
    boxes = [g for g in range(model.ngeom) if model.geom_type[g] == int(mujoco.mjtGeom.mjGEOM_BOX) and model.geom_contype[g]]
    return any((data.geom_xpos[b] - data.geom_xpos[p]) @ data.geom_xmat[p].reshape(3, 3)[:, 2] < 0 for p in planes for b in boxes)


def contacts_enter(model, data, robot):
    """Whether each contact is of a sphere, a capsule (elliptic cones) or a box with a plane, none of which .report leaves out, and is
    deeper than rounding, which else decides whether it counts.
    """
    kinds = mujoco.mjtGeom
    touching = [int(kinds.mjGEOM_SPHERE), int(kinds.mjGEOM_CAPSULE), int(kinds.mjGEOM_BOX)]
    left_out = {entry.element for entry in robot.report.left_out}
    for contact in data.contact:
        geoms = sorted((int(model.geom_type[g]), int(g)) for g in contact.geom)
        (one, _), (other, moving) = geoms
        pyramidal_capsule = other == int(kinds.mjGEOM_CAPSULE) and model.opt.cone == 0 and contact.dim > 1
        if abs(contact.dist) < 1e-12 or one != int(kinds.mjGEOM_PLANE) or other not in touching or pyramidal_capsule:
            return False
        if {f'geom "{model.geom(moving).name}"', f"geom {moving}"} & left_out:
            return False
    return not box_is_deep(model, data)


def constrained_disagreement(model, states, seed=3, spreads=(0.1, 0.3, 0.5), tries=3):
    """Of accelerations under constraints, beside the largest, and of the sensors' readings there; the rows met, the states used.

    model is changed: solved to rounding, without actuators.
    """
    solved_exactly(model)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(seed)
    worst, rows, used = 0.0, 0, 0
    for k in range(tries * states):
        if used == states:
            break
        qpos, qvel, _ = random_state(model, rng, spreads[k % len(spreads)])
        data.qpos[:], data.qvel[:], data.qfrc_applied[:], data.qacc_warmstart[:] = qpos, 0.5 * qvel, 0, 0
        mujoco.mj_forward(model, data)
        if not contacts_enter(model, data, robot):
            continue
        data.qfrc_applied[:] = rng.standard_normal(model.nv) * np.diag(full_inertia(model, data))
        mujoco.mj_forward(model, data)
        if np.abs(data.efc_force).max(initial=0) > 1e10:
            continue  # a row that moves nothing: beside its force of 1e17 N all others are rounding
        q, dq, _ = robot.state(qpos, data.qvel)
        found = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, robot.tau(qpos, data.qfrc_applied))
        qacc = robot.mujoco_state(q, dq, found.ddq).qacc
        read = errors(model, data, robot.sensordata(q, dq, found.ddq, found.force))
        worst = max(worst, float(np.abs(qacc - data.qacc).max() / max(1, np.abs(data.qacc).max())), *read.values())
        rows, used = rows + data.nefc, used + 1
    return worst, rows, used


def scene(joint="", geom="", rest="", option="", body=BODY):
    return f"<mujoco><option {option}/><worldbody>{body.format(joint=joint, geom=geom)}</worldbody>{rest}</mujoco>"


def errors(model, data, predicted):
    """By sensor: the largest difference beside the largest number, of quaternions up to their sign."""
    found = {}
    for k in range(model.nsensor):
        name = model.sensor(k).name or f"sensor{k}"
        if name not in predicted:
            continue
        at, dim = model.sensor_adr[k], model.sensor_dim[k]
        there, here = data.sensordata[at : at + dim], predicted[name]
        assert here.shape == (dim,)
        if model.sensor_datatype[k] == int(mujoco.mjtDataType.mjDATATYPE_QUATERNION):
            there = there * np.sign(there @ here)
        found[name] = float(np.abs(there - here).max() / max(1, np.abs(there).max()))
    return found
