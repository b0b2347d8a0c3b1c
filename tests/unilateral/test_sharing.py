"""Which rows carry a load that does not determine its forces, against forces by hand."""

import numpy as np
import pytest

from mbsim.unilateral.problem import Load, contacts
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


@pytest.mark.parametrize("unit", [1e-10, 1.0, 1e8])
def test_what_carries_does_not_depend_on_the_unit_of_force(unit: float) -> None:
    """Four rough corners in space and a push that is too much for them: also where accelerations are far below 1 m/s2."""
    corners = np.array([[x, y, -1.0] for x in (-1.0, 1.0) for y in (-1.5, 1.5)])
    wrenches = np.array([[*u, *np.cross(at, u)] for at in corners for u in np.eye(3)[[2, 0, 1]]])
    for load, carried in (([0.3, -0.1, -4.0, 0.5, 0.2, -0.3], True), ([1.7, -0.2, -4.0, 3.6, 0.0, -0.6], False)):
        found = share(wrenches @ wrenches.T, unit * wrenches @ np.array(load), contacts([1] * 4, 2, 0.4), np.zeros(12))
        assert (found is not None) == carried


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


def test_four_corners_in_space_share_by_what_a_run_finds():
    """Four normals depend on each other. What the answer says of forces is what rows that hold find by their shortest multipliers."""
    rng = np.random.default_rng(3)
    corners = np.array([[x, y, -1.0] for x in (-1.0, 1.0) for y in (-1.5, 1.5)])
    wrenches = np.array([[*u, *np.cross(at, u)] for at in corners for u in np.eye(3)[[2, 0, 1]]])
    held = 0
    for _ in range(20):
        load = np.array([*rng.uniform(-0.7, 0.7, 2), -4.0, *rng.uniform(-1.0, 1.0, 3)])
        D, b = wrenches @ wrenches.T, wrenches @ load
        found = share(D, b, contacts([1] * 4, 2, 0.4), np.zeros(12))
        if found is None:
            continue
        held += 1
        p, rows, rubs = found.p.reshape(4, 3), list[int](), np.zeros((4, 3))
        assert D @ found.p == pytest.approx(-b, abs=1e-9)
        for k, way in enumerate(found.carries):
            assert p[k, 0] >= 0.0
            assert np.linalg.norm(p[k, 1:]) <= 0.4 * p[k, 0] * (1.0 + 1e-12)
            rows += [3 * k] * (way != Carries.NOTHING) + [3 * k + 1, 3 * k + 2] * (way == Carries.ALL)
            rubs[k, 1:] = p[k, 1:] * (way == Carries.BOUND)
        shortest = np.linalg.pinv(D[np.ix_(rows, rows)], 1e-9) @ -(b + D @ rubs.ravel())[rows]
        assert found.p[rows] == pytest.approx(shortest, abs=1e-9)
    assert held >= 5


FEET = np.array([each for x in range(-3, 4) for each in ([0.0, 1.0, float(x)], [1.0, 0.0, 1.0])])  # normals and tangents of seven, below


@pytest.mark.parametrize(("x", "push"), [(2.9, 0.0), (-1.3, 3.9), (2.5, -3.5), (0.0, 3.999)])
def test_more_feet_than_all_combinations_are_tried_of(x: float, push: float) -> None:
    """10 N at x and a push beside it: linear programmes find few of seven feet that carry it, obeying the laws."""
    D, b = rigid(FEET, np.array([push, -10.0, -10.0 * x + push]))
    found = share(D, b, contacts([1] * 7, 1, 0.4), np.zeros(14))
    assert found is not None
    assert D @ found.p == pytest.approx(-b, abs=1e-9)
    normal, friction = found.p[::2], found.p[1::2]
    assert normal.min() >= 0.0
    assert (np.abs(friction) <= 0.4 * normal * (1.0 + 1e-12)).all()
    held = sum({Carries.ALL: 2, Carries.NOTHING: 0}.get(way, 1) for way in found.carries)
    assert held == np.linalg.matrix_rank(D)


def test_more_than_seven_feet_hold_is_carried_by_none() -> None:
    D, b = rigid(FEET, np.array([4.001, -10.0, 4.001]))
    assert share(D, b, contacts([1] * 7, 1, 0.4), np.zeros(14)) is None
    D, b = rigid(FEET, np.array([0.0, -10.0, -30.1]))
    assert share(D, b, contacts([1] * 7, 1, 0.4), np.zeros(14)) is None


def test_couples_that_normal_forces_bound_share_with_friction() -> None:
    """Six wheels of one body that neither slip nor roll: each may bear a couple of up to 0.2 m times its normal force."""
    wrenches = np.concatenate([FEET[:12], np.tile([0.0, 0.0, 1.0], (6, 1))])
    of = contacts([1] * 6 + [0] * 6, 1, [0.4] * 6 + [0.0] * 6)
    loads = [Load(6 + k, 0.2, np.zeros(1), np.eye(18)[[2 * k]]) for k in range(6)]
    for x, holds in ((2.19, True), (2.21, False), (-3.19, True), (-3.21, False)):
        D, b = rigid(wrenches, np.array([0.0, -10.0, -10.0 * x]))
        found = share(D, b, of, np.zeros(18), loads)
        assert (found is not None) == holds
        if found is not None:
            assert D @ found.p == pytest.approx(-b, abs=1e-9)
            assert (np.abs(found.p[12:]) <= 0.2 * found.p[:12:2] * (1.0 + 1e-9)).all()


def test_two_legs_do_not_carry_a_load_that_is_above_them() -> None:
    """A table with four rough legs tips from there on: the two carry it, but no longer in the next moment, when it turns about them."""
    corners = np.array([[x, y, -1.0] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    wrenches = np.array([[*u, *np.cross(at, u)] for at in corners for u in np.eye(3)[[2, 0, 1]]])
    for x, carried in ((0.99, True), (1.0, False)):
        D, b = wrenches @ wrenches.T, wrenches @ np.array([0.0, 0.0, -10.0, 0.0, 10.0 * x, 0.0])
        found = share(D, b, contacts([1] * 4, 2, 0.4), np.zeros(12))
        assert (found is not None) == carried
