"""A corner that slides over an edge of a solid touches the face that it leaves, whatever the speeds along both."""

import numpy as np
import pytest

from mbsim.kernels.primitives import SOLID_BOX, SOLID_CYLINDER
from mbsim.kernels.spatial_solids import EVEN, nearest

HALF = np.array([0.15, 0.08, 0.22])
FRAME = 18  # position, rotation, velocity and angular velocity of a body


def frame(at: np.ndarray) -> np.ndarray:
    made = np.zeros(FRAME)
    made[:3], made[3:12] = at, np.eye(3).ravel()
    return made


def touched(p: np.ndarray, other: np.ndarray, form: float, kept: bool) -> tuple[np.ndarray, float]:
    """n (3,) of what a corner at p touches, and its height; `other` is the centre of its body, in axes of the solid."""
    g = np.zeros(25)
    g[3:6], g[8], g[13], g[20], g[21] = p - other, 1.0, 1.0, 1e-6, form
    g[16:19] = HALF if form == SOLID_BOX else (HALF[0], 0.0, HALF[2])
    *n, height = nearest(frame(np.zeros(3)), frame(other), g, kept)
    return np.array(n), float(height)


@pytest.mark.parametrize("part", [0.1, 0.5, 1.97, 30.0])
@pytest.mark.parametrize("form", [SOLID_BOX, SOLID_CYLINDER])
def test_a_corner_that_comes_over_an_edge_touches_the_face_below_the_other_body(form: float, part: float) -> None:
    """The height above the side, counted as lower, is zero first; the one above the end is still below zero by `part` of EVEN."""
    even = EVEN * (HALF.sum() if form == SOLID_BOX else HALF[0] + HALF[2])
    p = np.array([HALF[0] + even + 1e-15, 0.0, HALF[2] - part * even])
    other = np.array([HALF[0] + 0.03, 0.0, HALF[2] + 0.2])
    way = [0.0, 0.0, 1.0]
    for kept in (True, False):
        n, height = touched(p, other, form, kept)
        np.testing.assert_array_equal(n, way)
        assert abs(height) <= (part + 2.0) * even


@pytest.mark.parametrize("kept", [True, False])
def test_a_corner_on_a_side_away_from_edges_touches_it(kept: bool) -> None:
    n, height = touched(np.array([HALF[0], 0.01, HALF[2] - 0.01]), np.array([HALF[0] + 0.03, 0.0, HALF[2] + 0.2]), SOLID_BOX, kept)
    np.testing.assert_array_equal(n, [1.0, 0.0, 0.0])
    assert abs(height) <= 2.0 * EVEN * HALF.sum()
