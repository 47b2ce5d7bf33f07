"""Hard loops beside Pinocchio's constraintDynamics: hands that hold each other, feet that stand, a four-bar with a redundant row."""

import numpy as np
import pytest
from conftest import ROOT

import sparsedyn as sd

try:
    import pinocchio as pin
except ImportError:
    pin = None
pytestmark = pytest.mark.skipif(pin is None, reason="Pinocchio (PyPI: pin) is not installed")

OMEGA = 20.0
ATLAS = ROOT.parent / "shared/robots/atlas.urdf"  # where it is at hand


class Both:
    """One robot in both libraries; loops between points and frames that coincide at a posture."""

    def __init__(self, path, floating):
        self.ours = sd.load_urdf(path, floating=floating, snap=0)
        self.model = pin.buildModelFromUrdf(str(path), *((pin.JointModelFreeFlyer(),) if floating else ()))
        self.data = self.model.createData()
        names = list(self.ours.velocity_names)
        self.order = []  # theirs[k] = ours[order[k]]
        for joint in range(1, self.model.njoints):
            free = self.model.joints[joint].nv == 6
            self.order += [3, 4, 5, 0, 1, 2] if free else [names.index(self.model.names[joint])]
        self.back = np.argsort(self.order)

    def q(self, q):
        names, out = list(self.ours.coordinate_names), []
        for joint in range(1, self.model.njoints):
            kind = self.model.joints[joint]
            if kind.nq == 7:
                out += list(q[:7])
                continue
            angle = q[names.index(self.model.names[joint])]
            out += [np.cos(angle), np.sin(angle)] if kind.nq == 2 else [angle]
        return np.array(out)

    def frame(self, link):
        """Joint, and the link's placement in it."""
        if link == "world":
            return 0, pin.SE3.Identity()
        frame = self.model.frames[self.model.getFrameId(link, pin.FrameType.BODY)]
        return frame.parentJoint, frame.placement

    def loop(self, q, kind, one, other, at, apart=0.0):
        """Our constraint and theirs: `at`, a point of link one or its frame there, is where it is on the other link, or so far apart."""
        self.model_at(q)
        (j1, in1), (j2, in2) = self.frame(one), self.frame(other)
        placed = in1 * at
        opposite = in2.inverse() * self.data.oMi[j2].actInv(self.data.oMi[j1] * placed)
        opposite.translation = opposite.translation + apart * np.array([0.6, 0, -0.8])
        theirs = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_6D if kind == "weld" else pin.ContactType.CONTACT_3D, self.model, j1, placed, j2, in2 * opposite, pin.LOCAL)
        theirs.m_baumgarte_parameters.Kp, theirs.m_baumgarte_parameters.Kd = OMEGA**2, 2 * OMEGA
        ours = {"name": f"{one}-{other}", "type": kind, "links": [one, other], "xyz": [list(x.translation) for x in (at, opposite)], "hard": True,
                "stabilisation": {"omega": OMEGA}}
        if kind == "weld":
            ours["rpy"] = [list(pin.rpy.matrixToRpy(x.rotation)) for x in (at, opposite)]
        return ours, theirs

    def model_at(self, q):
        pin.forwardKinematics(self.model, self.data, self.q(q))

    def dynamics(self, loops, q, v, tau, settings):
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in loops:
            models.append(loop)
            datas.append(loop.createData())
        data = self.model.createData()
        pin.initConstraintDynamics(self.model, data, models, datas)
        a = pin.constraintDynamics(self.model, data, self.q(q), v[self.order], tau[self.order], models, datas, settings)
        pin.forwardKinematics(self.model, self.data, self.q(q))
        forces = []
        for loop, found in zip(loops, datas, strict=True):
            R = (self.data.oMi[loop.joint1_id] * loop.joint1_placement).rotation
            force, moment = R @ found.contact_force.linear, R @ found.contact_force.angular
            forces += [*moment, *force] if loop.type == pin.ContactType.CONTACT_6D else list(force)
        return a[self.back], np.array(forces)

    def still(self, loops, q, rng):
        """Velocities that the loops allow."""
        pin.computeJointJacobians(self.model, self.data, self.q(q))
        J = np.vstack([pin.getConstraintJacobian(self.model, self.data, loop, loop.createData()) for loop in loops])
        v = rng.standard_normal(self.model.nv)
        return (v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v))[self.back]


def apart(both, loops, q, v, tau, proximal=1e-10):
    """Largest difference of accelerations and of forces, beside the largest of each."""
    found = sd.contact_dynamics(both.ours, {"constraints": [ours for ours, _ in loops]}, q, v, tau)
    a, force = both.dynamics([theirs for _, theirs in loops], q, v, tau, pin.ProximalSettings(1e-14, 1e-14, proximal, 100))
    return [np.abs(found.ddq - a).max() / np.abs(a).max(), np.abs(found.force - force).max() / np.abs(force).max()]


def robots():
    found = [pytest.param(ROOT / "robots/humanoid.urdf", ("l_hand", "r_hand"), ("l_foot", "world"), id="humanoid")]
    atlas = pytest.param(ATLAS, ("l_hand", "r_hand"), ("l_foot", "world"), id="atlas",
                         marks=pytest.mark.skipif(not ATLAS.exists(), reason="atlas.urdf is not at hand"))
    return [*found, atlas]


@pytest.mark.parametrize(("path", "hands", "foot"), robots())
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kinds", [("weld",), ("connect",), ("weld", "connect")])
def test_hands_that_hold_each_other_and_a_foot_that_stands(path, hands, foot, floating, kinds):
    both, rng, worst = Both(path, floating), np.random.default_rng(4), np.zeros(2)
    at = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 0.5), np.array([0.02, -0.03, 0.05]))
    for _ in range(8):
        q = both.ours.integrate(both.ours.neutral(), 0.7 * rng.standard_normal(both.ours.nv))
        loops = [both.loop(q, kind, *links, at) for kind, links in zip(kinds, (hands, foot))]
        v, tau = both.still([theirs for _, theirs in loops], q, rng), 10 * rng.standard_normal(both.ours.nv)
        worst = np.maximum(worst, apart(both, loops, q, v, tau))
    assert worst.max() <= 1e-9


@pytest.mark.parametrize(("path", "hands", "foot"), robots())
@pytest.mark.parametrize("floating", [False, True])
def test_points_that_come_apart_are_pulled_back_as_there(path, hands, foot, floating):
    """Velocities that open the loops; a foot that is off its place by 1 cm."""
    both, rng, worst = Both(path, floating), np.random.default_rng(5), np.zeros(2)
    at = pin.SE3(np.eye(3), np.array([0.02, -0.03, 0.05]))
    for _ in range(8):
        q = both.ours.integrate(both.ours.neutral(), 0.7 * rng.standard_normal(both.ours.nv))
        loops = [both.loop(q, "connect", *hands, at), both.loop(q, "connect", *foot, at, 0.01)]
        v, tau = rng.standard_normal(both.ours.nv), 10 * rng.standard_normal(both.ours.nv)
        worst = np.maximum(worst, apart(both, loops, q, v, tau))
    assert worst.max() <= 1e-9


def test_a_four_bar_with_a_redundant_row():
    both, rng, worst = Both(ROOT / "robots/four-bar.urdf", False), np.random.default_rng(4), np.zeros(2)
    for k in range(8):
        turned = 0.0 if k == 0 else rng.uniform(-3, 3)
        q = both.ours.neutral()  # closed; turned as a whole by where the loop is closed
        q[0] = turned
        loop = both.loop(q, "connect", "coupler", "rocker", pin.SE3(np.eye(3), np.array([0.48, 0, 0.36])))
        v, tau = both.still([loop[1]], q, rng), rng.standard_normal(3)
        rank = sd.hard_rows(both.ours, {"constraints": [loop[0]]})
        assert (rank.rows, rank.rank, rank.redundant) == (3, 2, ["coupler-rocker.y"])
        worst = np.maximum(worst, apart(both, [loop], q, v, tau, 1e-6))
    assert worst.max() <= 1e-9
