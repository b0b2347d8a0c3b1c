"""Between which rows more goes on than they tell: the kernel of `march/between.py`, against the same rule in NumPy and known motions."""

import numpy as np
import pytest

from mbsim.contracts import KEPT
from mbsim.kernels import following

SHARE, ATOL = 0.03, 1e-8


def marked(t, q, v, a, *, share=SHARE, corners=True, kept=np.nan, rates=True):
    """Between which rows of motions (k, n) something is missed, how often of each, and the largest speeds."""
    n = v.shape[1]
    rows = np.concatenate([q, v, a, np.zeros((len(t), 1))], axis=1)
    coordinates = np.arange(n) if rates else np.full(n, following.NO_COORDINATE)
    fastest, off, often = np.zeros(n), np.zeros(len(t) - 1, np.int64), np.zeros(n, np.int64)
    held = np.full((2, KEPT), kept)
    units = np.zeros(n, np.int64)
    count = following.spans(t, rows, n, coordinates, units, np.zeros(n), fastest, np.zeros(n), share, held, corners, ATOL, off, often)
    assert count == off.sum()
    return off != 0, often, fastest


def sine(t, omega):
    """q, v, a (k, 1) of a harmonic motion."""
    t = t[:, None]
    return np.sin(omega * t), omega * np.cos(omega * t), -(omega**2) * np.sin(omega * t)


@pytest.mark.parametrize(("rows", "missed"), [(30, False), (12, False), (7, True), (4, True)])
def test_a_sine_is_told_by_nine_rows_a_period(rows, missed):
    t = np.linspace(0.0, 5.0, 5 * rows + 1)
    assert marked(t, *sine(t, 2 * np.pi))[0].any() == missed


def test_the_rule_is_that_of_numpy():
    rng = np.random.default_rng(7)
    t = np.cumsum(rng.uniform(0.01, 0.2, 60))
    q, v, a = (rng.normal(size=(60, 3)) * scale for scale in (0.1, [1.0, 1.0, 1e-9], 1.0))
    dt = np.diff(t)[:, None]
    scale = np.maximum(np.abs(v).max(axis=0), max(following.SLOW * np.abs(v).max(), following.AT_REST * ATOL))
    off = np.abs(np.diff(v, axis=0) - 0.5 * dt * (a[1:] + a[:-1])) > SHARE * scale
    off |= np.abs(np.diff(q, axis=0) - 0.5 * dt * (v[1:] + v[:-1])) > SHARE * dt * scale + ATOL
    found, often, fastest = marked(t, q, v, a, corners=False)
    assert found.tolist() == off.any(axis=1).tolist() and often.tolist() == off.sum(axis=0).tolist()
    assert fastest.tolist() == np.abs(v).max(axis=0).tolist()
    alone = marked(t, q, v, a, corners=False, rates=False)[0]
    assert alone.tolist() == (np.abs(np.diff(v, axis=0) - 0.5 * dt * (a[1:] + a[:-1])) > SHARE * scale).any(axis=1).tolist()


def uneven():
    """Rows 0.01 s apart, with finer ones among them."""
    t = np.linspace(0.0, 1.0, 101)
    return np.sort(np.concatenate([t, np.linspace(0.3, 0.35, 21)[1:-1:2]]))


def test_a_smooth_motion_has_no_jump_where_finer_rows_end():
    t = np.unique(np.round(uneven(), 12))
    assert not marked(t, *sine(t, 8.0))[0].any()


@pytest.mark.parametrize("at", [0.1234, 0.2987, 0.3012, 0.3481, 0.3513, 0.8])
def test_a_jump_of_an_acceleration_is_found_among_uneven_rows(at):
    t = np.unique(np.round(uneven(), 12))
    q, v, a = sine(t, 2.0)
    since = np.maximum(t - at, 0.0)[:, None]
    q, v, a = q + 0.5 * since**2, v + since, a + (since > 0.0)
    found = marked(t, q, v, a)[0]
    inside = np.flatnonzero((t[:-1] < at - 1e-9) & (t[1:] > at + 1e-9))
    assert set(inside) <= set(np.flatnonzero(found)) and found.sum() <= 2
    assert not marked(t, q, v, a, corners=False)[0].any()
    assert not marked(t, q, v, a, kept=0.5)[0].any()  # a run that stepped over corners has too many


@pytest.mark.parametrize(("period", "told"), [(0.5, True), (0.05, False)])
def test_a_motion_that_chatters_is_left_as_it_is(period, told):
    """A triangle of speed: its acceleration jumps twice a period, inside of an interval of rows."""
    t = np.linspace(0.0, 10.0, 2001)
    phase = np.mod(t + 0.0013, period)[:, None]
    rising = phase < 0.5 * period
    a = np.where(rising, 0.1, -0.1)
    v = 1.0 + 0.1 * np.where(rising, phase, period - phase)
    q = np.concatenate([[[0.0]], np.cumsum(0.5 * np.diff(t)[:, None] * (v[1:] + v[:-1]), axis=0)])
    dt = np.diff(t)[:, None]
    jumps = int((np.abs(np.diff(v, axis=0) - 0.5 * dt * (a[1:] + a[:-1])) > following.JUMPS * v.max()).sum())
    found = marked(t, q, v, a)[0].sum()
    assert found == (jumps if told else 0) and told == (0 < jumps <= following.MOST_JUMPS)
