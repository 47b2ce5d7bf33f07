"""MuJoCo's model of a URDF: its masses and joints, small spheres where it may touch the ground, a plane below."""
import re

import mujoco
import numpy as np

STEP, RADIUS = 0.0005, 0.001  # s; m, of a foot's sphere
SOLE = [[x, y, -0.012] for x in (0.13, -0.13) for y in (0.05, -0.05)]


def text_of(urdf):
    """Without meshes, friction and limits, and without the products of inertia of HyQ's feet, which no body could have."""
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", urdf.read_text(), flags=re.S)
    return re.sub(r'ixy="1e-6" ixz="1e-6" iyy="1e-6" iyz="1e-6"', 'ixy="0" ixz="0" iyy="1e-6" iyz="0"', text)


class Body:
    def __init__(self, walker, radius=RADIUS):
        self.radius = radius
        spec = mujoco.MjSpec.from_string(text_of(walker.urdf))
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        spec.compiler.balanceinertia = spec.compiler.fusestatic = False
        for joint in spec.joints:
            joint.limited = joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.frictionloss, joint.damping = 0, [0, 0, 0]
        base = spec.worldbody.first_body()
        base.add_freejoint()
        base.add_site(name="imu")
        for foot in walker.feet:
            for k, place in enumerate(SOLE if walker.points else [[0, 0, 0]]):
                up = radius if walker.points else 0  # the lowest points of the spheres lie in the sole's plane
                spec.body(foot).add_geom(name=f"{foot}.{k}", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], mass=0,
                                         pos=np.add(place, [0, 0, up]), contype=1, conaffinity=0, condim=3, friction=[0.8, 0, 0])
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=1, condim=3,
                                friction=[0.8, 0, 0], solref=[0.005, 1])
        for name, kind in (("acc", mujoco.mjtSensor.mjSENS_ACCELEROMETER), ("gyro", mujoco.mjtSensor.mjSENS_GYRO)):
            spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="imu")
        spec.option.timestep, spec.option.cone = STEP, mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio, spec.option.noslip_iterations = 10, 5
        self.model = m = spec.compile()
        self.walker, self.scratch = walker, mujoco.MjData(m)
        self.names = [m.joint(i).name for i in range(1, m.njnt)]
        self.mass, self.joints, self.legs = float(m.body_subtreemass[0]), m.nv - 6, len(walker.feet)
        self.bodies = [m.body(foot).id for foot in walker.feet]
        self.foot_of = {m.geom(i).id: leg for leg, foot in enumerate(walker.feet) for i in range(m.ngeom)
                        if m.geom(i).name.startswith(foot + ".")}
        self.columns, self.rest = [self.joints_to(body) for body in self.bodies], self.home()
        self.others = [k for k in range(self.joints) if all(k not in own for own in self.columns)]
        self.flat = walker.points is not None

    def joints_to(self, body):
        found = []
        while body > 0:
            found += [int(m) - 1 for m in np.flatnonzero(self.model.jnt_bodyid == body) if self.model.jnt_type[m] != 0]
            body = self.model.body_parentid[body]
        return sorted(found)

    def home(self):
        angles = [next((angle for end, angle in self.walker.home.items() if name.endswith(end)), 0.0) for name in self.names]
        return np.array(angles)

    def inertias(self, q):
        """Of each joint, the rest held."""
        d = self.scratch
        d.qpos[:], d.qvel[:] = [0, 0, 0, 1, 0, 0, 0, *q], 0
        mujoco.mj_forward(self.model, d)
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, M, d.qM) if hasattr(d, "qM") else mujoco.mj_fullM(self.model, d, M)
        return np.diag(M)[6:].copy()

    def feet(self, q):
        """Places (feet × 3), Jacobians of their own joints (place, and of soles the turn below it) and orientations, in the base's
        axes."""
        m, d = self.model, self.scratch
        d.qpos[:] = [0, 0, 0, 1, 0, 0, 0, *q]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        J, found = np.zeros((6, m.nv)), []
        for body, own in zip(self.bodies, self.columns):
            mujoco.mj_jacBody(m, d, J[:3], J[3:], body)
            found.append(J[:6 if self.flat else 3, [6 + k for k in own]].copy())
        return d.xpos[self.bodies].copy(), found, d.xmat[self.bodies].reshape(-1, 3, 3).copy()

    def reach(self, target, goal):
        """Two steps of Newton's method towards feet at `goal` (base axes); soles stay level with the base."""
        for _ in range(2):
            places, J, turned = self.feet(target)
            for leg, own in enumerate(self.columns):
                miss = goal[leg] - places[leg]
                if self.flat:
                    R = turned[leg]
                    miss = np.concatenate([miss, -0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])])
                target[own] += np.linalg.solve(J[leg].T @ J[leg] + 1e-6 * np.eye(len(own)), J[leg].T @ miss)

    def pushes(self, d):
        """Forces of the ground on the feet (feet × 3) and their moments about the feet's frames, world axes."""
        force, moment, found = np.zeros((self.legs, 3)), np.zeros((self.legs, 3)), np.zeros(6)
        for c in range(d.ncon):
            contact = d.contact[c]
            leg = next(self.foot_of[g] for g in contact.geom if g in self.foot_of)
            mujoco.mj_contactForce(self.model, d, c, found)
            push = contact.frame.reshape(3, 3).T @ found[:3]
            push *= np.sign(push[2])
            force[leg] += push
            moment[leg] += np.cross(contact.pos - d.xpos[self.bodies[leg]], push)
        return force, moment
