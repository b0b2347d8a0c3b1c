"""Rotations of arrays of vectors in plain numpy: pictures need no compiler."""

import numpy as np
from numpy.typing import ArrayLike

from mbsim.scene.read import Floats

TINY = 1e-12


def matrices(quaternion: ArrayLike) -> Floats:
    """(..., 3, 3) body to global, of quaternions (..., 4) w, x, y, z that are unit."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def along(directions: ArrayLike) -> Floats:
    """Quaternions (..., 4) of the smallest turns from the z axis to directions (..., 3); of no direction no turn."""
    d = np.asarray(directions, float)
    d = d / np.maximum(np.linalg.norm(d, axis=-1, keepdims=True), TINY)
    q = np.stack([1.0 + d[..., 2], -d[..., 1], d[..., 0], np.zeros(d.shape[:-1])], axis=-1)
    size = np.linalg.norm(q, axis=-1, keepdims=True)
    back = np.array([0.0, 1.0, 0.0, 0.0])  # against z: half a turn about x
    found: Floats = np.where(size > 1e-6, q / np.maximum(size, TINY), back)
    return found


def quaternion_of(matrix: ArrayLike) -> Floats:
    """(4,) w, x, y, z of a rotation matrix (3, 3)."""
    m = np.asarray(matrix, float)
    K = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    q: Floats = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0.0 else -q


def product(p: ArrayLike, r: ArrayLike) -> Floats:
    """The product of quaternions (..., 4): the turn that is first r, then p."""
    p, r = np.broadcast_arrays(np.asarray(p, float), np.asarray(r, float))
    w = p[..., :1] * r[..., :1] - np.sum(p[..., 1:] * r[..., 1:], axis=-1, keepdims=True)
    v = p[..., :1] * r[..., 1:] + r[..., :1] * p[..., 1:] + np.cross(p[..., 1:], r[..., 1:])
    return np.concatenate([w, v], axis=-1)


def frame(axis: ArrayLike) -> Floats:
    """(3, 3) a right-handed frame as columns, its z along an axis (3,) that is not zero."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.zeros(3)
    x[int(np.abs(z).argmin())] = 1.0
    x -= z * float(x @ z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T
