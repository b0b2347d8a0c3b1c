"""Screws between frames, for arrays of them in plain numpy: what the element of a beam computes, for drawings and records.

A screw (..., 6) is [u (3), theta (3)]; `mbsim/elements/loads/beam.py` has the formulas and their source.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_SERIES = 0.25  # theta^2 below which series take the place of closed forms


def log(first: Floats, first_axes: Floats, second: Floats, second_axes: Floats) -> Floats:
    """The screw (..., 6) that carries the first frame into the second: origins (..., 3), axes (..., 3, 3) in columns, turns below half."""
    A = np.einsum("...ji,...jk->...ik", first_axes, second_axes)
    place = np.einsum("...ji,...j->...i", first_axes, second - first)
    axial = 0.5 * np.stack([A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]], axis=-1)
    sine, cosine = np.linalg.norm(axial, axis=-1), 0.5 * (np.einsum("...ii->...", A) - 1.0)
    angle = np.arctan2(sine, cosine)
    small = sine < 1e-4
    theta = axial * np.where(small, 1.0 + angle**2 / 6.0, angle / np.where(small, 1.0, sine))[..., None]
    across = np.cross(theta, place)
    return np.concatenate([place - 0.5 * across + shared(np.sum(theta**2, axis=-1))[..., None] * np.cross(theta, across), theta], axis=-1)


def planar_log(x: Floats, y: Floats, turn: Floats, angle: Floats) -> Floats:
    """The same in the plane, (..., 3): the second origin (x, y) from the first, global, the angle of the first axes, and that between."""
    px, py = np.cos(angle) * x + np.sin(angle) * y, np.cos(angle) * y - np.sin(angle) * x
    g, h = 1.0 - turn**2 * shared(turn**2), 0.5 * turn
    return np.stack([g * px + h * py, g * py - h * px, turn], axis=-1)


def rate(d: Floats, twist: Floats) -> Floats:
    """d_dot (..., 6) of the screw d for the twist (..., 6) of the second frame seen from the first, at and along the axes of the first."""
    s = np.sum(d[..., 3:] ** 2, axis=-1)[..., None]
    b = fourth(s)
    once = commutator(d, twist)
    twice = commutator(d, once)
    return np.asarray(twist - 0.5 * once + (shared(s) + b * s) * twice + b * commutator(d, commutator(d, twice)))


def commutator(d: Floats, x: Floats) -> Floats:
    """ad_d x (..., 6)."""
    u, theta, v, w = d[..., :3], d[..., 3:], x[..., :3], x[..., 3:]
    return np.concatenate([np.cross(theta, v) + np.cross(u, w), np.cross(theta, w)], axis=-1)


def shared(s: Floats) -> Floats:
    """(1 - (theta/2) cot(theta/2)) / s at s = theta^2."""
    small = s < _SERIES
    half = 0.5 * np.sqrt(np.where(small, 1.0, s))
    series = np.polynomial.polynomial.polyval(
        s, [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]
    )
    return np.asarray(np.where(small, series, (1.0 - half / np.tan(half)) / np.where(small, 1.0, s)))


def fourth(s: Floats) -> Floats:
    """The factor of the fourth power of the commutator in the inverse of the tangent of the exponential map."""
    small = s < _SERIES
    safe = np.where(small, 1.0, s)
    half = 0.5 * np.sqrt(safe)
    cot = 1.0 / np.tan(half)
    slope = 0.125 * (1.0 + cot**2) - 0.125 * cot / half
    series = np.polynomial.polynomial.polyval(s, [1 / 720, 2 / 30240, 3 / 1209600, 4 / 47900160, 3455 / 1307674368000, 6 / 74724249600])
    return np.asarray(np.where(small, -series, ((1.0 - half * cot) / safe - slope) / safe))
