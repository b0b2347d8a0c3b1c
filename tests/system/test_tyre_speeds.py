"""Speeds of tyres as rates of relative coordinates: against the definition of the slips in vectors, and biases against differences."""

from typing import Any

import numpy as np
import pytest
from mechanisms import derivative

from mbsim.elements.relative import tyre_ahead, tyre_along, tyre_aside
from mbsim.kernels import planar_rows, spatial_rows
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

RNG = np.random.default_rng(32)
CASES = [(2, tyre_aside), (2, tyre_ahead), (3, tyre_along), (3, tyre_aside), (3, tyre_ahead)]
CENTRE, ROAD = np.array([0.3, -0.2, 0.1]), np.array([-0.4, 0.5, -1.5])
AXIS, NORMAL = np.array([0.2, 0.96, 0.15]), np.array([0.1, -0.2, 0.95])
AXIS, NORMAL = AXIS / np.linalg.norm(AXIS), NORMAL / np.linalg.norm(NORMAL)


def quaternion(turn: np.ndarray) -> np.ndarray:
    angle = np.linalg.norm(turn)
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * turn / angle]


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def spatial_frames(places: np.ndarray, turns: np.ndarray, v: np.ndarray, after: float) -> np.ndarray:
    """Frames of two bodies with constant v, of turns in body axes, after a time."""
    q = []
    for b in range(2):
        turned = quaternion(turns[b])
        if after:
            turned = product(turned, quaternion(after * v[6 * b + 3 : 6 * b + 6]))
        q += [*(places[b] + after * v[6 * b : 6 * b + 3]), *turned]
    frames = np.zeros((3, 22))
    spatial_rows.pose(frames, 2, np.array(q))
    spatial_rows.speed(frames, 2, v)
    return frames


def speed_of(kind: Any, fi: np.ndarray, fj: np.ndarray) -> float:
    """From the definitions of `mbsim.kernels.tyres`, in vectors."""
    A, B = fi[3:12].reshape(3, 3), fj[3:12].reshape(3, 3)
    e, n, centre, road = A @ AXIS, B @ NORMAL, fi[:3] + A @ CENTRE, fj[:3] + B @ ROAD
    x = np.cross(e, n) / np.linalg.norm(np.cross(e, n))
    up = np.cross(x, e)  # within the wheel, away from the road
    contact = centre - up * (n @ (centre - road)) / (n @ up)
    at = centre if kind is tyre_ahead else contact
    of_wheel, of_road = fi[12:15] + np.cross(A @ fi[15:18], at - fi[:3]), fj[12:15] + np.cross(B @ fj[15:18], contact - fj[:3])
    return float((np.cross(n, x) if kind is tyre_aside else x) @ (of_wheel - of_road))


@pytest.mark.parametrize(("dimension", "kind"), CASES)
def test_rates_and_biases(dimension: int, kind: Any) -> None:
    for _ in range(10):
        n = 3 if dimension == 2 else 6
        v = RNG.standard_normal(2 * n)
        if dimension == 3:
            places, turns = np.array([[0.0, 0.1, 0.6], [0.2, 0.0, 0.0]]), 0.3 * RNG.standard_normal((2, 3))
            g = np.r_[CENTRE, ROAD, AXIS, NORMAL, np.zeros(12)]

            def at(after: float, places: np.ndarray = places, turns: np.ndarray = turns, v: np.ndarray = v) -> np.ndarray:
                return spatial_frames(places, turns, v, after)
        else:
            q = RNG.standard_normal(6)
            g = np.r_[CENTRE[:2], ROAD[:2], AXIS[:2], np.zeros(18)]

            def at(after: float, q: np.ndarray = q, v: np.ndarray = v) -> np.ndarray:
                frames = np.zeros((3, 8))
                planar_rows.pose(frames, 2, q + after * v)
                planar_rows.speed(frames, 2, v)
                return frames

        def measured(after: float, n: int = n, g: np.ndarray = g, at: Any = at, v: np.ndarray = v) -> tuple[float, float, float]:
            frames, values = at(after), np.full((1, GRADIENT + 2 * n), np.nan)
            (kind.planar_measure if dimension == 2 else kind.spatial_measure)(frames[0], frames[1], g, values, 0)
            return float(values[0, GRADIENT:] @ v), values[0, BIAS], values[0, VALUE]

        rate, bias, value = measured(0.0)
        assert value == 0.0
        if dimension == 3:
            assert rate == pytest.approx(speed_of(kind, *at(0.0)[:2]), abs=1e-12)
        else:
            A = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
            y, arm = A @ AXIS[:2], A @ CENTRE[:2]
            d = y if kind is tyre_aside else np.array([y[1], -y[0]])
            assert rate == pytest.approx(d @ (v[:2] + v[2] * np.array([-arm[1], arm[0]])), abs=1e-12)
        assert bias == pytest.approx(derivative(lambda s, measured=measured: measured(s)[0]), abs=1e-7 * max(1.0, abs(bias)))
