"""Robots to and from Pinocchio, beside its own numbers; where its package is installed (pip install pin)."""

import json

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install pin): its maps are not compared")
if not hasattr(pin, "buildModelFromUrdf"):
    pytest.skip("another package is called pinocchio: its maps are not compared", allow_module_level=True)


def close(found, expected):
    assert np.max(abs(found - expected) / np.maximum(1, abs(expected)), initial=0.0) < 1e-12


def compare(robot, maps, seed=1):
    """Torques, inertia, velocities of both, at random states."""
    model, data, rng = maps.model, maps.model.createData(), np.random.default_rng(seed)
    for q in robot.random(rng=seed, shape=5):
        v, a = rng.uniform(-2, 2, robot.nv), rng.uniform(-5, 5, robot.nv)
        Q, V, A = maps.q(q), maps.v(v), maps.v(a)
        close(maps.from_v(pin.rnea(model, data, Q, V, A)), sd.rnea(robot, q, v, a))
        M = np.triu(pin.crba(model, data, Q))
        M += np.triu(M, 1).T
        close(maps.from_matrix(M), sd.crba(robot, q))
        close(maps.matrix(sd.crba(robot, q)), M)
        close(maps.v(robot.difference(q, robot.integrate(q, 0.1 * v))), pin.difference(model, Q, pin.integrate(model, Q, 0.1 * V)))
        close(maps.q(maps.from_q(Q)), Q)
    batch = robot.random(rng=seed, shape=(3, 2))
    assert maps.q(batch).shape == (3, 2, model.nq) and np.array_equal(maps.q(batch)[1, 1], maps.q(batch[1, 1]))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ["arm", "quadruped", "humanoid"])
def test_robots_that_ship(name, floating):
    path = ROBOTS / f"{name}.urdf"
    robot = sd.load_urdf(path, floating=floating)
    theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(str(path))
    built = sd.to_pinocchio(robot)
    assert list(built.model.names)[1:] == list(theirs.names)[1:]  # the parser's order
    compare(robot, built)
    compare(robot, sd.to_pinocchio(robot, theirs))
    again, maps = sd.from_pinocchio(theirs)
    compare(again, maps)


def test_vectors_of_the_same_length_mean_other_joints():
    path = ROBOTS / "quadruped.urdf"
    robot, model = sd.load_urdf(path), pin.buildModelFromUrdf(str(path))
    maps = sd.to_pinocchio(robot, model)
    q = robot.random(rng=1)
    assert maps.model.nq == robot.nq and not np.array_equal(maps.q(q), q)
    mistaken = pin.computeGeneralizedGravity(model, model.createData(), q)
    assert abs(mistaken - sd.gravity(robot, q)).max() > 0.5


def turned(k):
    """A rotation that is none about an axis of the frame."""
    c, s = np.cos(0.3 + k), np.sin(0.3 + k)
    first, second = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return [float(x) for x in (first @ second).ravel()]


def body(kind, k, **more):
    return {"type": kind, "placement": {"rotation": turned(k), "xyz": [0.1 * k, -0.2, 0.3]}, **more}


KINDS = {
    "revolute": [body("revolute", 1)], "continuous": [body("revolute", 2)], "prismatic": [body("prismatic", 3)],
    "helical": [body("helical", 4, pitch=0.2)], "spherical": [body("spherical", 5)], "planar": [body("planar", 6)],
    "floating": [body("floating", 7)], "universal": [body("revolute", 8), body("revolute", 9)],
    "composite": [body("prismatic", 10), body("revolute", 11), body("helical", 12, pitch=-0.1)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_joint(kind):
    links = [{"name": "root", "joint": {"name": "world", "kind": "fixed"}}]
    for k, (name, of) in enumerate([("z", kind), ("y", "revolute"), ("x", kind)]):  # siblings against the alphabet
        pose = {"rotation": turned(20 + k)}
        links.append({"name": f"link_{name}", "parent": "root" if k < 2 else "link_y", "pose": pose, "mass": 1.5 + k,
                      "first_moments": [0.1, 0.2, -0.1], "second_moments": [0.5, 0.01, 0.02, 0.4, -0.03, 0.6],
                      "joint": {"name": name, "kind": of, "bodies": KINDS[of]}})
    robot = sd.load_robot({"format": "sparsedyn-robot", "version": 1, "name": kind, "links": links})
    maps = sd.to_pinocchio(robot)
    assert list(maps.model.names)[1:] == ["y", "x", "z"]
    compare(robot, maps)
    if len(KINDS[kind]) == 1:
        compare(*sd.from_pinocchio(maps.model))


def test_what_pinocchio_lacks_is_named():
    sprung = sd.load_urdf(ROBOTS / "arm.urdf", joints={"joint2": {"stiffness": 3.0}})
    with pytest.raises(ValueError, match="joint2: stiffness"):
        sd.to_pinocchio(sprung)
    with pytest.raises(ValueError, match="not the robot's"):
        sd.to_pinocchio(sd.load_urdf(ROBOTS / "arm.urdf"), pin.buildModelFromUrdf(str(ROBOTS / "humanoid.urdf")))
    with pytest.raises(ValueError, match="expected"):
        sd.to_pinocchio(sd.load_urdf(ROBOTS / "arm.urdf")).q(np.zeros(3))


def test_rotors_and_limits_go_both_ways():
    robot = sd.load_urdf(ROBOTS / "arm.urdf", joints={"joint2": {"armature": 0.7}})
    maps = sd.to_pinocchio(robot)
    compare(robot, maps)
    again, _ = sd.from_pinocchio(maps.model)
    assert again.joints["joint2"].armature == 0.7 and again.joints["joint2"].upper == robot.joints["joint2"].upper
    assert set(robot.link_names) <= set(again.link_names)
    json.loads(again._robot_text())


def blocks():
    import re

    return re.findall(r"^```python\n(.*?)^```$", (ROBOTS.parent / "docs/pinocchio.md").read_text(), re.MULTILINE | re.DOTALL)


def test_the_programs_of_the_page_end_alike(monkeypatch):
    monkeypatch.chdir(ROBOTS.parent)
    shown, theirs, ours = ({} for _ in range(3))
    for text, scope in zip(blocks(), (shown, theirs, ours), strict=True):
        exec(compile(text, "docs/pinocchio.md", "exec"), scope)
    close(shown["M"], sd.crba(sd.load_urdf(ROBOTS / "quadruped.urdf"), shown["q"]))
    maps = sd.to_pinocchio(ours["robot"], theirs["model"])
    for found, expected in ((maps.q(ours["q"]), theirs["q"]), (maps.v(ours["v"]), theirs["v"]), (ours["com"], theirs["com"]),
                            (np.roll(ours["momentum"], 3), theirs["momentum"]), (ours["pose"], theirs["pose"])):
        assert np.max(abs(found - np.asarray(expected))) < 1e-10
    assert np.linalg.norm(ours["v"]) > 1e-3  # the push moves it
