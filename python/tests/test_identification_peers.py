"""sd.identify beside others: the same convex problem by Clarabel's interior point method, the fitted URDF in Pinocchio."""

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS

NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def body_prior(ten, relative):
    """Deviations of docs/identification.md: relative, of each number at least a tenth of the largest of its kind."""
    length = np.sqrt(max(0.5 * (ten[4] + ten[6] + ten[9]), 0) / ten[0])
    sd_of = np.empty(10)
    for part, otherwise in ((slice(0, 1), 0), (slice(1, 4), ten[0] * length), (slice(4, 10), np.sum(ten[1:4] ** 2) / ten[0])):
        largest = np.abs(ten[part]).max() or otherwise
        sd_of[part] = relative * np.maximum(np.abs(ten[part]), 0.1 * largest)
    return sd_of


def pseudo_inertia():
    """∂P/∂p_k, P = [½ tr(I) 1 − I, h; hᵀ, m]."""
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1
    for k in range(3):
        basis[1 + k, 3, k] = basis[1 + k, k, 3] = 1
    for k, (r, c) in enumerate(((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))):
        if r == c:
            basis[4 + k, :3, :3] = 0.5 * np.eye(3)
            basis[4 + k, r, r] = -0.5
        else:
            basis[4 + k, r, c] = basis[4 + k, c, r] = -1
    return basis


@pytest.fixture(scope="module")
def rubbing(arm):
    """Few rows and much noise, so that bodies and joints end at the edge of what can exist."""
    rng = np.random.default_rng(3)
    text = (ROBOTS / "arm.urdf").read_text()
    true = sd.load_urdf(text, joints={name: {"damping": 0.2, "friction": 0.3} for name in arm.joint_names})
    q, dq, ddq = rng.uniform(-3, 3, (150, arm.nq)), rng.standard_normal((150, arm.nv)), rng.standard_normal((150, arm.nv))
    tau = sd.rnea(true, q, dq, ddq) + 2.0 * rng.standard_normal((150, arm.nv))
    table = {}
    for kind, x in (("q", q), ("dq", dq), ("ddq", ddq), ("tau", tau)):
        table |= {f"{kind}.{name}": x[:, k] for k, name in enumerate(arm.joint_names)}
    return q, dq, ddq, tau, table


def test_the_fit_is_that_of_clarabel_under_linear_matrix_inequalities(arm, rubbing):
    clarabel, sparse = pytest.importorskip("clarabel"), pytest.importorskip("scipy.sparse")
    q, dq, ddq, tau, table = rubbing
    found = sd.identify(arm, table, prior=3.0)
    names, start = list(arm.parameter_names), np.asarray(arm.parameters())
    bodies = len([n for n in names if n.endswith(".Izz")])
    scale = np.ones(len(start))
    for b in range(bodies):
        scale[10 * b : 10 * b + 10] = body_prior(start[10 * b : 10 * b + 10], 3.0)
    sigma = np.array([found.report["noise"][n] for n in arm.joint_names])
    Y = np.asarray(sd.regressor(arm, q, dq, ddq))
    rows = (Y / sigma[:, None]).reshape(-1, len(start))
    right = (tau / sigma).ravel() - rows @ start
    rows = rows * scale
    cost = lambda x: 0.5 * (np.sum((rows @ x - right) ** 2) + x @ x)  # noqa: E731

    # minimise cost(x) over x; −A x + s = b, s in the cones
    blocks, rights, cones = [], [], []
    positive = [k for k, n in enumerate(names) if n.endswith((".armature", ".damping", ".friction"))]
    blocks.append(sparse.csc_matrix((-scale[positive], (range(len(positive)), positive)), (len(positive), len(start))))
    rights.append(start[positive])
    cones.append(clarabel.NonnegativeConeT(len(positive)))
    upper = [(r, c) for c in range(4) for r in range(c + 1)]  # columns of the upper triangle, off the diagonal times √2
    for b in range(bodies):
        ten = start[10 * b : 10 * b + 10]
        size = np.sqrt(np.trace(np.tensordot(ten, pseudo_inertia(), 1)[:3, :3]) / ten[0])
        units = np.outer(*[np.array([1 / size] * 3 + [1])] * 2) / ten[0]  # a congruence changes no sign
        matrix = np.array([[(basis * units)[r, c] * (1 if r == c else np.sqrt(2)) for basis in pseudo_inertia()] for r, c in upper])
        block = np.zeros((10, len(start)))
        block[:, 10 * b : 10 * b + 10] = -matrix * scale[10 * b : 10 * b + 10]
        blocks.append(sparse.csc_matrix(block))
        rights.append(matrix @ ten)
        cones.append(clarabel.PSDTriangleConeT(4))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    P = sparse.triu(sparse.csc_matrix(rows.T @ rows + np.eye(len(start))), format="csc")
    solution = clarabel.DefaultSolver(P, -rows.T @ right, sparse.vstack(blocks, format="csc"), np.concatenate(rights), cones,
                                      settings).solve()
    assert "Solved" in str(solution.status)
    theirs, ours = np.asarray(solution.x), (found.value - start) / scale
    assert abs(cost(ours) - cost(theirs)) < 1e-6 * cost(theirs)
    assert np.abs(ours - theirs).max() < 1e-3  # flat directions: deviations of the prior
    edges = [np.linalg.eigvalsh(np.tensordot(found.value[10 * b : 10 * b + 10], pseudo_inertia(), 1))[0] for b in range(bodies)]
    assert min(edges) > 0 and (found.value[positive] < 1e-6).any()  # the constraints bind


def test_the_fitted_urdf_gives_the_same_torques_in_pinocchio(arm, rubbing, tmp_path):
    pin = pytest.importorskip("pinocchio")
    q, dq, ddq, _, table = rubbing
    found = sd.identify(arm, table)
    (tmp_path / "fitted.urdf").write_text(found.urdf)
    model = pin.buildModelFromUrdf(str(tmp_path / "fitted.urdf"))
    data = model.createData()
    fitted = sd.load_urdf(found.urdf)
    ours = sd.rnea(fitted, q, dq, ddq)
    joints = [model.joints[model.getJointId(name)] for name in arm.joint_names]
    at_q, at_v = np.empty(model.nq), np.empty(model.nv)
    rates = [joint.idx_v for joint in joints]
    for k in range(len(q)):
        for joint, angle in zip(joints, q[k]):  # endless joints: cosine and sine
            at_q[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        at_v[rates] = dq[k]
        acceleration = np.empty(model.nv)
        acceleration[rates] = ddq[k]
        assert np.abs(pin.rnea(model, data, at_q, at_v, acceleration)[rates] - ours[k]).max() < 1e-9
