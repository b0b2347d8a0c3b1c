"""Unit quaternions (w, x, y, z), body to global. Helpers for kernels, and for arrays of them in plain numpy (`matrices`)."""

from math import cos, sin, sqrt

import numpy as np

from mbsim.jit import helper


@helper
def rotation(w, x, y, z, A):
    """A[:9] = rotation matrix, row by row."""
    A[0], A[1], A[2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    A[3], A[4], A[5] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    A[6], A[7], A[8] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@helper
def product(w, x, y, z, a, b, c, d):
    """Of two quaternions."""
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )


@helper
def of_matrix(A):
    """The unit quaternion of the rotation matrix A[:9], row by row, w not negative; the largest of four equal forms, for its accuracy."""
    w, x = 1.0 + A[0] + A[4] + A[8], 1.0 + A[0] - A[4] - A[8]
    y, z = 1.0 - A[0] + A[4] - A[8], 1.0 - A[0] - A[4] + A[8]
    a, b, c = A[7] - A[5], A[2] - A[6], A[3] - A[1]
    d, e, f = A[1] + A[3], A[2] + A[6], A[5] + A[7]
    if w >= x and w >= y and w >= z:
        x, y, z = a, b, c
    elif x >= y and x >= z:
        w, y, z = a, d, e
    elif y >= z:
        w, x, z = b, d, f
    else:
        w, x, y = c, e, f
    s = (1.0 if w >= 0.0 else -1.0) / sqrt(w * w + x * x + y * y + z * z)
    return s * w, s * x, s * y, s * z


@helper
def quaternion_rate(p, w, out):
    """out = p (0, w) / 2 for the angular velocity w in body axes."""
    out[0] = -0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2])
    out[1] = 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1])
    out[2] = 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2])
    out[3] = 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0])


@helper
def turn_quaternion(p, d):
    """p <- p exp(d / 2) for the small rotation vector d in body axes, then made unit."""
    angle = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    c = cos(0.5 * angle)
    some = max(angle, 1e-8)  # below it the quotient is one half to the last digit
    s = sin(0.5 * some) / some
    x, y, z = s * d[0], s * d[1], s * d[2]
    w0, x0, y0, z0 = p[0], p[1], p[2], p[3]
    w1 = w0 * c - x0 * x - y0 * y - z0 * z
    x1 = w0 * x + x0 * c + y0 * z - z0 * y
    y1 = w0 * y + y0 * c + z0 * x - x0 * z
    z1 = w0 * z + z0 * c + x0 * y - y0 * x
    f = 1.0 / sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    p[0], p[1], p[2], p[3] = w1 * f, x1 * f, y1 * f, z1 * f


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, float), -1, 0)
    out = np.zeros((*w.shape, 3, 3))
    if not (x.any() or y.any()):  # about z, as in the plane: the same numbers in a third of the time
        out[..., 0, 0] = out[..., 1, 1] = 1 - 2 * (z * z)
        out[..., 1, 0] = 2 * (w * z)
        out[..., 0, 1] = 2 * (0.0 - w * z)
        out[..., 2, 2] = 1.0
        return out
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            out[..., i, j] = value
    return out


def quaternions(A: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), w not negative, of rotation matrices (..., 3, 3): the largest of four equal forms, for its accuracy."""
    t = np.einsum("...ii->...", A)
    a, b, c = A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]
    d, e, f = A[..., 0, 1] + A[..., 1, 0], A[..., 0, 2] + A[..., 2, 0], A[..., 1, 2] + A[..., 2, 1]
    x, y, z = (1.0 - t + 2.0 * A[..., k, k] for k in range(3))
    rows = [[1.0 + t, a, b, c], [a, x, d, e], [b, d, y, f], [c, e, f, z]]
    table = np.stack([np.stack(row, -1) for row in rows], -2)
    best = np.argmax(np.einsum("...ii->...i", table), -1)
    p = np.take_along_axis(table, best[..., None, None], -2)[..., 0, :]
    p = p / np.linalg.norm(p, axis=-1, keepdims=True)
    return np.where(p[..., :1] < 0.0, -p, p)
