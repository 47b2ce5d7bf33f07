"""Slide 3 of Todorov's notes: "Numerically, forward kinematics is more accurate using quaternions instead of 3x3 matrices", tried in
float32. python bench/reproduce/quaternions.py prints the table of docs/benchmarks.md."""
import numpy as np

HEADER = ["links", "end point, µm: matrices", "quaternions", "made unit", "orthonormality: matrices", "quaternions", "made unit"]
SIZES = (7, 30, 100, 300)


def applied(A, B):
    """A B of 3 x 3 and 3 x n matrices, term by term: a BLAS would sum in an order of its own."""
    return A[..., 0:1] * B[..., 0:1, :] + A[..., 1:2] * B[..., 1:2, :] + A[..., 2:3] * B[..., 2:3, :]


def product(a, b):
    """Of quaternions w x y z, batches."""
    w, v = a[..., :1] * b[..., :1] - (a[..., 1:] * b[..., 1:]).sum(-1, keepdims=True), a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], -1)


def rotation_of(u):
    w, x, y, z = np.moveaxis(u, -1, 0)
    two = u.dtype.type(2)
    rows = [[1 - two * (y * y + z * z), two * (x * y - z * w), two * (x * z + y * w)], [two * (x * y + z * w), 1 - two * (x * x + z * z), two * (y * z - x * w)],
            [two * (x * z - y * w), two * (y * z + x * w), 1 - two * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def kinematics_row(count):
    """Chains of so many turns and shifts of 0.1 m in float32, 200 of them: the root mean square error of the last point beside float64
    (micrometres), and of the last frame's orthonormality, by products of matrices, of quaternions, and of quaternions made unit after
    each product."""
    rng = np.random.default_rng(4)
    axis, angle = rng.standard_normal((count, 200, 3)), rng.uniform(-np.pi, np.pi, (count, 200, 1))
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    turns = np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * axis], -1)
    shift = 0.1 * rng.standard_normal((count, 200, 3))

    def ends(dtype, how):
        at, R, u = np.zeros((200, 3), dtype), np.broadcast_to(np.eye(3, dtype=dtype), (200, 3, 3)), np.broadcast_to(np.array([1, 0, 0, 0], dtype), (200, 4))
        for turn, by in zip(turns.astype(dtype), shift.astype(dtype), strict=True):
            R = R if how == "matrices" else rotation_of(u)
            at = at + applied(R, by[..., None])[..., 0]
            if how == "matrices":
                R = applied(R, rotation_of(turn))
            else:
                u = product(u, turn)
                u = u / np.linalg.norm(u, axis=-1, keepdims=True) if how == "unit" else u
        R = (R if how == "matrices" else rotation_of(u)).astype(float)
        return at, np.sqrt(((R.swapaxes(-1, -2) @ R - np.eye(3)) ** 2).sum((-1, -2)).mean())

    truth, _ = ends(np.float64, "unit")
    errors = [(1e6 * np.sqrt(((at - truth) ** 2).sum(-1).mean()), skew) for at, skew in (ends(np.float32, how) for how in ("matrices", "quaternions", "unit"))]
    return [count, *(at for at, _ in errors), *(skew for _, skew in errors)]


def table():
    """Rows as in the page: links, errors of the end point, of orthonormality."""
    return [kinematics_row(count) for count in SIZES]


def texts(row):
    return [str(row[0])] + [f"{x:.3f}" for x in row[1:4]] + [f"{x:.1e}".replace("e-0", "e-") for x in row[4:]]


if __name__ == "__main__":
    for row in [HEADER, *(texts(row) for row in table())]:
        print("| " + " | ".join(row) + " |")
