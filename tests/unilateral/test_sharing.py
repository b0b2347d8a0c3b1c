"""Which rows carry a load that does not determine its forces, against forces by hand."""

import numpy as np
import pytest

from mbsim.unilateral.problem import contacts
from mbsim.unilateral.sharing import Carries, share


def rigid(wrenches: np.ndarray, load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D and b of rows (N, 3) of a planar body of 1 kg and 1 kg m2 under a load (3,)."""
    return wrenches @ wrenches.T, wrenches @ load


CORNERS = np.array([[0.0, 1.0, -1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])  # normals and tangents at (-1, -1) and (1, -1)


def test_friction_of_two_corners_adds_up():
    """Normal forces are 5 N each; 3 N push. One corner holds 2 N, so both are needed: one at its bound, one with what is left, 1 N."""
    D, b = rigid(CORNERS, np.array([3.0, -10.0, 3.0]))
    found = share(D, b, contacts([1, 1], 1, 0.4), np.zeros(4))
    assert found is not None
    assert sorted(found.carries) == [Carries.ALL, Carries.BOUND]
    assert found.p[[0, 2]] == pytest.approx([5.0, 5.0], rel=1e-12)
    assert sorted(np.abs(found.p[[1, 3]])) == pytest.approx([1.0, 2.0], rel=1e-12)
    assert D @ found.p == pytest.approx(-b, abs=1e-12)


def test_more_than_both_corners_hold_is_carried_by_none():
    D, b = rigid(CORNERS, np.array([4.1, -10.0, 4.1]))
    assert share(D, b, contacts([1, 1], 1, 0.4), np.zeros(4)) is None


def test_independent_rows_need_no_choice():
    D, b = rigid(CORNERS[:3], np.array([1.0, -10.0, 1.0]))
    assert share(D[:2, :2], b[:2], contacts(1, 1, 0.4), np.zeros(2)) is None


def test_three_legs_carry_where_the_least_sum_of_squares_pulls():
    """A table with legs at (1, 1), (-1, 1), (-1, -1), (1, -1) and a load of 10 N at (0.9, 0.9)."""
    legs = np.array([[1.0, y, -x] for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
    D, b = legs @ legs.T, legs @ np.array([-10.0, -9.0, 9.0])
    assert np.linalg.lstsq(D, -b, rcond=None)[0].min() < -1.0
    found = share(D, b, contacts([1, 1, 1, 1]), np.zeros(4))
    assert found is not None
    assert found.p == pytest.approx([9.0, 0.5, 0.0, 0.5], abs=1e-12)
    assert list(found.carries) == [Carries.ALL, Carries.ALL, Carries.NOTHING, Carries.ALL]
