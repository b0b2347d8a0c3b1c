"""A place where two bodies are nearest to each other, at every pose, and directions in arrays over poses."""

from typing import NamedTuple

import numpy as np

from mbsim.scene.read import Floats

EVEN = 1e-9  # as of the kernels: of a component, what is less is round-off


class Place(NamedTuple):
    """(k, 3) each, global."""

    at: Floats  # on the second body, m
    normal: Floats  # from the first body to the second
    tangents: list[Floats]


def turned(A: Floats, Y: Floats, n: Floats) -> Floats:
    """(k, 3) the direction Y turned as A is turned onto n by the shortest way."""
    below = np.sum(A * n, axis=1, keepdims=True) + 1.0
    turn = np.sum(Y * n, axis=1, keepdims=True) / np.where(below > EVEN, below, np.inf)
    return np.asarray(Y - turn * (A + n))


def unit(x: Floats) -> Floats:
    """(k, 3) of the length 1, or 0."""
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return np.asarray(x / np.where(length > 0.0, length, 1.0))
