"""sd.ik: postures beside the poses they were asked for."""

import numpy as np
import pytest

import sparsedyn as sd


def end(robot):
    return robot.link_names[-1]


def test_poses_are_reached_within_the_limits(arm, close):
    rng = np.random.default_rng(5)
    q = 0.5 * arm.random(rng, (4, 8))
    link = end(arm)
    poses = sd.pose(arm, q, link)
    found = sd.ik(arm, {link: poses}, near=q)
    assert found.q.shape == q.shape and found.residual.shape == (4, 8) and found.residual.max() <= 1e-8
    again = sd.pose(arm, found.q, link)
    close(again[..., :3], poses[..., :3], 1e-8)
    assert np.abs(np.abs((again[..., 3:] * poses[..., 3:]).sum(-1)) - 1).max() < 1e-12
    assert np.abs(found.q - q).max() <= np.abs(sd.ik(arm, {link: poses}).q - q).max() + 1e-6  # the nearest is near


def test_any_threads_and_any_length_of_quaternions(quadruped):
    feet = [name for name in quadruped.link_names if name.endswith("foot")][:2]
    q = quadruped.random(np.random.default_rng(6), (6,))
    q[:, 7:] *= 0.1
    targets = {link: sd.pose(quadruped, q, link) for link in feet}
    one = sd.ik(quadruped, targets, near=q, best=True)
    two = sd.ik(quadruped, {link: x * ([1] * 3 + [2] * 4) for link, x in targets.items()}, near=q, threads=2, best=True)
    assert np.abs(one.q - two.q).max() < 1e-9 and one.residual.max() < 1e-8
    assert np.array_equal(one.q, sd.ik(quadruped, targets, near=q, threads=3, best=True).q)
    assert np.allclose(np.linalg.norm(one.q[:, 3:7], axis=1), 1, atol=1e-12)


def test_a_path_of_poses_becomes_one_of_joints(arm):
    t = np.linspace(0, 1, 200)[:, None]
    path = 0.4 * np.sin(t * np.arange(1, arm.nq + 1))
    link = end(arm)
    found = sd.ik(arm, {link: sd.pose(arm, path, link)}, near=path[0], path=True)
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.3
    with pytest.raises(ValueError, match="threads"):
        sd.ik(arm, {link: sd.pose(arm, path, link)}, path=True, threads=2)


def test_what_cannot_be_reached_says_so(arm):
    link = end(arm)
    poses = np.tile(sd.pose(arm, 0.2 * np.ones(arm.nq), link), (2, 1))
    poses[1, 0] += 50
    with pytest.raises(sd.SolveError, match="not reached") as caught:
        sd.ik(arm, {link: poses}, restarts=2)
    assert caught.value.rows == [1]
    found, failed = sd.ik(arm, {link: poses}, restarts=2, on_error="nan")
    assert failed.tolist() == [False, True] and np.isnan(found.q[1]).all()
    best = sd.ik(arm, {link: poses}, restarts=2, best=True)
    assert best.residual[1] > 10 and np.isfinite(best.q).all()
    far = np.linalg.norm(sd.pose(arm, best.q[1], link)[:3] - poses[1, :3])
    assert 10 < far <= best.residual[1] + 1e-9


@pytest.mark.parametrize("bad", ["link", "shape", "quaternion", "nan", "near"])
def test_wrong_arguments_are_named(arm, bad):
    link = end(arm)
    pose, near, error, text = sd.pose(arm, np.zeros(arm.nq), link), None, ValueError, ""
    targets = {link: pose}
    if bad == "link":
        targets, text = {link[:-1]: pose}, link
    elif bad == "shape":
        targets, text = {link: pose[:6]}, rf"targets\[{link}\]: \(6,\); expected \(..., 7\)"
    elif bad == "quaternion":
        targets, error, text = {link: np.r_[pose[:3], 0, 0, 0, 0]}, sd.SolveError, "quaternion is zero"
    elif bad == "nan":
        targets, error, text = {link: np.r_[np.nan, pose[1:]]}, sd.SolveError, "not finite"
    else:
        near, text = np.zeros(arm.nq + 1), "near"
    with pytest.raises(error, match=text):
        sd.ik(arm, targets, near)
    with pytest.raises(ValueError):
        sd.ik(arm, {})


def test_poses_in_any_form(arm):
    link = end(arm)
    q = 0.4 * arm.random(rng=3, shape=5)
    poses, matrices = sd.pose(arm, q, link), sd.pose(arm, q, link, as_matrix=True)
    expected = sd.ik(arm, {link: poses}, near=q)
    for given in (matrices, {"pose": poses}, {"pose": matrices, "weight": 1}, matrices.tolist()):
        assert np.allclose(sd.ik(arm, {link: given}, near=q).q, expected.q, atol=1e-9)
    with pytest.raises(ValueError, match=r"targets\[.*\]: \(5, 6\); expected"):
        sd.ik(arm, {link: poses[:, :6]})
    with pytest.raises(ValueError, match="'poze'; expected pose, position"):
        sd.ik(arm, {link: {"poze": poses}})
    with pytest.raises(ValueError, match="no target; expected one of pose"):
        sd.ik(arm, {link: {"weight": 2}})
    with pytest.raises(ValueError, match="weights"):
        sd.ik(arm, {link: {"pose": poses, "weight": 0}})
    with pytest.raises(sd.SolveError, match="its rotation is none"):
        sd.ik(arm, {link: matrices * 1.1})


def test_a_position_alone_and_an_orientation_alone(arm):
    link = end(arm)
    q = 0.4 * arm.random(rng=3, shape=5)
    poses = sd.pose(arm, q, link)
    near = arm.neutral()
    placed = sd.ik(arm, {link: poses[:, :3]}, near=near)
    assert np.allclose(sd.pose(arm, placed.q, link)[:, :3], poses[:, :3], atol=1e-8) and placed.residual.max() <= 1e-8
    turned = sd.ik(arm, {link: {"orientation": poses[:, 3:]}}, near=near)
    assert np.allclose(abs((sd.pose(arm, turned.q, link)[:, 3:] * poses[:, 3:]).sum(-1)), 1, atol=1e-12)
    whole = sd.ik(arm, {link: poses}, near=near)
    for part in (placed, turned):  # less is asked, so less has to move
        assert np.all(np.linalg.norm(part.q - near, axis=1) <= np.linalg.norm(whole.q - near, axis=1) + 1e-6)
    assert np.abs(sd.pose(arm, turned.q, link)[:, :3] - poses[:, :3]).max() > 1e-3
    same = sd.ik(arm, {link: {"position": poses[:, :3]}}, near=near)
    assert np.array_equal(same.q, placed.q)
    assert np.array_equal(sd.ik(arm, {link: {"pose": poses, "orientation_weight": 0}}, near=near).q, placed.q)


def test_weights_divide_what_cannot_be_had_together(arm):
    """Two links that are asked to be where they cannot both be."""
    hand, elbow = end(arm), "link4"
    q = 0.4 * arm.random(rng=3)
    asked = {hand: sd.pose(arm, q, hand)[:3], elbow: sd.pose(arm, q, elbow)[:3] + (0, 0, 0.1)}
    off = {}
    for weight in (1, 10, 100):
        found = sd.ik(arm, {hand: asked[hand], elbow: {"position": asked[elbow], "weight": weight}}, near=q, best=True, restarts=0)
        parts = [np.linalg.norm(sd.pose(arm, found.q, link)[:3] - asked[link]) for link in (hand, elbow)]
        assert np.isclose(found.residual, np.hypot(parts[0], weight * parts[1]), rtol=1e-9)
        off[weight] = parts
    assert off[1][1] > off[10][1] > off[100][1] and off[1][0] < off[10][0]
