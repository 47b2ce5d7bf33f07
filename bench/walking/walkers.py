"""The robots that walk in MuJoCo: their feet, home posture, gait and gains, and what their sensors' noise is."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "robots"


class Walker:
    """feet: links, left front, right front, left hind, right hind, or left, right. points: of a sole, in the foot's frame; without them
    a foot is a point. home: angles by the end of a joint's name; others are 0.
    gait: of gaits.py, with its numbers. stiffness (N·m/rad) and damping of the legs' joints; other joints are held by their inertia.
    torque: deviation of a torque sensor, N·m, about 0.4 % of weight times a segment of a leg. wrench: of what the model gets wrong, N and N·m:
    40 for 87 kg, in proportion. tuned: what honest sets state of this ground and gait, of kinematic rows and of the whole body."""

    def __init__(self, urdf, root, feet, home, gait, stiffness, damping, torque, wrench, tuned, points=None):
        self.urdf, self.root, self.feet, self.home, self.gait = urdf, root, feet, home, gait
        self.stiffness, self.damping, self.torque, self.wrench = stiffness, damping, torque, wrench
        self.tuned_kinematic, self.tuned_whole = tuned
        self.points = points


def feet(ending, legs):
    return [leg + ending for leg in legs]


WALKERS = {
    "HyQ": Walker(SHARED / "hyq.urdf", "trunk", feet("_foot", ("lf", "rf", "lh", "rh")),
                  {"f_hfe_joint": 0.75, "f_kfe_joint": -1.5, "h_hfe_joint": -0.75, "h_kfe_joint": 1.5},
                  ("trot", {"period": 0.32, "clearance": 0.1, "speed": 0.4, "reach": 1}), 500, 12, torque=1, wrench=40,
                  tuned=({"walk": 0.006, "ddq": 200}, {"walk": 0.001, "acceleration": 7, "ddq": 200})),
    "Solo12": Walker(SHARED / "solo12.urdf", "base_link", feet("_FOOT", ("FL", "FR", "HL", "HR")), {"HFE": 0.8, "KFE": -1.6},
                     ("trot", {"period": 0.2, "clearance": 0.05, "speed": 0.3, "reach": 0.7}), 8, 0.25, torque=0.013, wrench=1,
                     tuned=({"walk": 0.012, "ddq": 300}, {"walk": 0.001, "acceleration": 7, "ddq": 200})),
    "quadruped": Walker(ROOT / "robots" / "quadruped.urdf", "trunk", feet("_foot", ("lf", "rf", "lh", "rh")), {"pitch": 0.7, "knee": -1.4},
                        ("trot", {"period": 0.24, "clearance": 0.06, "speed": 0.4, "reach": 0.8}), 40, 1, torque=0.1, wrench=4,
                        tuned=({"walk": 0.01, "ddq": 200}, {"walk": 0.001, "acceleration": 7, "ddq": 200})),
    "humanoid": Walker(ROOT / "robots" / "humanoid.urdf", "pelvis", ["l_sole", "r_sole"],
                       {"hip_pitch": -0.4, "_knee": 0.8, "ankle_pitch": -0.4, "l_shoulder_roll": 0.2, "r_shoulder_roll": -0.2, "elbow": -0.5},
                       ("steps", {"period": 7.0, "clearance": 0.04}), 2000, 40, torque=1, wrench=40,
                       tuned=({"walk": 0.003, "ddq": 5}, {"walk": 0.001, "acceleration": 7, "ddq": 2}),
                       points=[[0.13, 0.05, -0.012], [0.13, -0.05, -0.012], [-0.13, 0, -0.012]]),
}
