"""Contacts between links, found by a Python function, beside MuJoCo's collisions of spheres; what a finder may not do."""

import itertools
import pathlib
import pickle

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from test_contacts import ROOT, Robot, falls_alike, taken_over  # noqa: E402

BALL = 0.11  # on each foot


def between(one, one_radius, other, other_radius):
    """Spheres, centres in the links' frames."""

    def find(q, first, second):
        far = second[:3, :3] @ other + second[:3, 3]
        apart = first[:3, :3] @ one + first[:3, 3] - far
        distance = np.linalg.norm(apart)
        normal, gap = apart / distance, distance - one_radius - other_radius
        return [(far + (other_radius + gap / 2) * normal, normal, gap)]

    return find


def asks_nothing(q, first, second):
    return None


class Colliding(Robot):
    """The quadruped whose feet are balls that touch each other, off the floor."""

    def __init__(self, cone, impratio, friction):
        super().__init__("quadruped", cone, impratio, friction)
        spec = mujoco.MjSpec.from_string(self.path.read_text())
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        spec.compiler.balanceinertia = False
        spec.compiler.fusestatic = True
        for geom in list(spec.geoms):
            spec.delete(geom)
        for joint in spec.joints:
            joint.limited = joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.frictionloss = 0
            joint.damping = [0, 0, 0]
        spec.worldbody.first_body().add_freejoint()
        for key in ("cone", "impratio", "tolerance", "iterations", "ls_tolerance", "ls_iterations", "disableflags"):
            setattr(spec.option, key, getattr(self.model.opt, key))
        condim = {0: 1, 1: 3, 2: 4, 3: 6}[len(friction)]
        full = (list(friction) + [1.0, 0.005, 0.0001][len(friction) :])[:3]
        centres = {link: np.array([0.01 * k, 0.02, -0.01 * k]) for k, link in enumerate(self.links)}
        for link in self.links:
            spec.body(link).add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[BALL, 0, 0], pos=centres[link], mass=0, condim=condim, friction=full)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.set = {
            "parameters": {"cone": cone, "impratio": impratio},
            "constraints": [
                {"name": f"{one}-{other}", "type": "link_contact", "links": [one, other], "friction": list(friction) or 0,
                 "finder": between(centres[one], BALL, centres[other], BALL)}
                for one, other in itertools.combinations(self.links, 2)
            ],
        }
        self.constraints = sd.Constraints(self.set)

    def state(self, rng, far=0.9):
        d = self.data
        while True:
            d.qpos[:7] = [0, 0, 0, *rng.standard_normal(4)]
            d.qpos[3:7] /= np.linalg.norm(d.qpos[3:7])
            d.qpos[7:] = far * rng.standard_normal(len(self.names))
            mujoco.mj_kinematics(self.model, d)
            mujoco.mj_collision(self.model, d)
            if d.ncon and d.contact.dist.min() > -0.03:
                break
        d.qvel[:] = 0.5 * rng.standard_normal(self.model.nv)
        d.qfrc_applied[:] = 3 * rng.standard_normal(self.model.nv)
        d.qfrc_applied[:6] = 0
        d.qacc_warmstart[:] = 0


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize(("impratio", "friction"), [(1, ()), (1, (0.8,)), (10, (0.8,)), (1, (0.8, 0.02)), (3, (0.6, 0.02, 0.01))])
def test_links_that_touch_each_other_move_as_in_mujoco(cone, impratio, friction):
    rng = np.random.default_rng(3)
    robot = Colliding(cone, impratio, friction)
    rows, contacts = [], 0
    for _ in range(8):
        robot.state(rng)
        mujoco.mj_forward(robot.model, robot.data)
        contacts += robot.data.ncon
        rows.append(robot.row())
    assert contacts >= 8
    q, dq, ddq, tau = (taken_over(robot.ours, rows, kind) for kind in ("q", "dq", "ddq", "tau"))
    found = sd.contact_dynamics(robot.ours, robot.constraints, q, dq, tau)
    assert np.all(np.abs(found.ddq - ddq) <= 1e-8 * np.abs(ddq).max(-1, keepdims=True))
    assert (found.gap < 0).sum() == contacts and (found.force != 0).any()
    back = sd.contact_inverse_dynamics(robot.ours, robot.constraints, q, dq, ddq)
    size = np.maximum(np.abs(back.tau).max(-1), np.abs(back.force).max(-1))[:, None]
    assert np.all(np.abs(back.tau - tau)[:, 6:] <= 1e-8 * size) and np.all(np.abs(back.force - found.force) <= 1e-8 * size)
    threaded = sd.contact_dynamics(robot.ours, robot.constraints, q, dq, tau, threads=3)
    assert all(np.array_equal(x, y) for x, y in zip(threaded, found, strict=True))


def test_a_collision_step_by_step_is_that_of_mj_step():
    robot = Colliding("elliptic", 1, (0.8,))
    robot.model.opt.timestep = 0.002
    robot.state(np.random.default_rng(8))
    d = robot.data
    d.qvel[:] = 0
    d.qfrc_applied[:] = 0
    mujoco.mj_forward(robot.model, d)
    assert falls_alike(robot, 0.2) > 3


def held(finder, **more):
    return {"constraints": [{"name": "claws", "type": "link_contact", "links": ["lf_foot", "rf_foot"], "finder": finder, **more}]}


def test_points_come_and_go_and_derivatives_take_what_finders_say(quadruped, close):
    q, dq, tau = quadruped.neutral(), np.zeros(quadruped.nv), np.zeros(quadruped.nv)
    asked = []

    def find(at, first, second):
        asked.append((at.copy(), first.copy(), second.copy()))
        middle = 0.5 * (first[:3, 3] + second[:3, 3])
        return [None, (middle, [0, 1, 0], -0.001, np.zeros((3, 6)), np.zeros((3, 6)))]

    pair = sd.Constraints(held(find, most_points=3, friction=[0.5, 0.01]))
    assert pair.gap_names(quadruped) == ["claws.0", "claws.1", "claws.2"]
    assert pair.force_names(quadruped)[:6] == [f"claws.0.{c}" for c in ("x", "y", "z", "nx", "ny", "nz")]
    one = sd.contact_dynamics(quadruped, pair, q, dq, tau)
    assert list(one.gap) == [np.inf, -0.001, np.inf] and one.force[7] > 0 and not one.force[:6].any()
    assert len(asked) == 1 and np.array_equal(asked[0][0], q)
    for pose, link in zip(asked[0][1:], ("lf_foot", "rf_foot"), strict=True):
        assert np.allclose(pose[:3, 3], sd.pose(quadruped, q, link)[:3], atol=1e-14) and np.allclose(pose[3], [0, 0, 0, 1])
    assert np.array_equal(sd.contact_derivatives(quadruped, pair, q, dq, tau).force, one.force)
    table = sd.simulate(quadruped, constraints=held(asks_nothing), seconds=0.01, rate=500)
    assert np.isinf(table["gap.claws.0"].to_numpy()).all()
    again = pickle.loads(pickle.dumps(sd.Constraints(held(asks_nothing))))
    close(sd.contact_dynamics(quadruped, again, q, dq, tau).ddq, sd.aba(quadruped, q, dq, tau))
    with pytest.raises(ValueError, match="files hold no finders"):
        again.json


def test_what_a_finder_raises_the_call_raises_and_what_it_may_not_give_is_said(quadruped):
    q, dq, tau = np.tile(quadruped.neutral(), (3, 1)), np.zeros((3, quadruped.nv)), np.zeros((3, quadruped.nv))

    class Mine(Exception):
        pass

    def raising(at, first, second):
        raise Mine("of mine")

    for call in (sd.contact_dynamics, sd.contact_inverse_dynamics, sd.contact_derivatives):
        with pytest.raises(Mine, match="of mine"):
            call(quadruped, held(raising), q, dq, tau)
    with pytest.raises(Mine):
        sd.contact_dynamics(quadruped, held(raising), q, dq, tau, threads=2, on_error="nan")
    with pytest.raises(Mine):
        sd.simulate(quadruped, constraints=held(raising), seconds=0.01, rate=500)

    def says(answer):
        return held(lambda at, first, second: answer)

    point = [0.0, 0, 0]
    for answer, why in (([(point, [0, 0, 1])], "expected .point, normal, gap."), ([(point, [0, 0, 1, 0], 0)], "normal"), ("no", "point"),
                        ([(point, [0, 0, 1], "far")], "real number"), ([None, None], "most_points"), (3, "list of points"), ([5], "a point: expected")):
        with pytest.raises((ValueError, TypeError), match=why):
            sd.contact_dynamics(quadruped, says(answer), q, dq, tau)
    for answer in ([(point, [0, 0, 2], -0.1)], [(point, [0, 0, 1], np.nan)], [([np.inf, 0, 0], [0, 0, 1], -0.1)]):
        with pytest.raises(sd.SolveError, match='"claws.0".*unit length'):
            sd.contact_dynamics(quadruped, says(answer), q, dq, tau)
    with pytest.raises(sd.SolveError, match='"claws.0".*derivatives'):
        sd.contact_derivatives(quadruped, says([(point, [0, 0, 1], -0.1)]), q, dq, tau)

    for wrong, why in (({"links": ["lf_foot"]}, "two names"), ({"links": ["lf_foot", "lf_fot"]}, "lf_fot"), ({"links": ["world", "world"]}, "."),
                       ({"links": ["lf_foot", "lf_foot"]}, "move as one"), ({"most_points": 0}, "most_points"), ({"radius": 1}, '"radius"'),
                       ({"type": "contact"}, "link_contact"), ({"finder": 3}, "function"), ({"friction": -1}, "friction|-1")):
        with pytest.raises((ValueError, sd.InputError), match=why):
            sd.contact_dynamics(quadruped, {"constraints": [{**held(asks_nothing)["constraints"][0], **wrong}]}, q, dq, tau)
    with pytest.raises(sd.InputError, match="link_contact"):
        sd.Constraints({"constraints": [{"name": "a", "type": "link_contact", "links": ["lf_foot", "rf_foot"]}]}).gap_names(quadruped)


