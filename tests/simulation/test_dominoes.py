"""A row of boxes that knock each other over: many contacts, of which few are closed. No crossing is missed, by separating axes."""

from math import cos, sin

import numpy as np
import pytest

import mbsim

WIDE, HIGH, APART, LEAN = 0.008, 0.05, 0.03, 0.3  # m, and rad


def _row(count: int) -> str:
    shape = f"shape: {{type: box, size: [{WIDE}, {HIGH}, 0.02]}}"
    # the first leans on the edge of its foot
    lean = f"[{0.5 * WIDE * (1 - cos(LEAN)) + 0.5 * HIGH * sin(LEAN)!r}, {0.5 * (WIDE * sin(LEAN) + HIGH * cos(LEAN))!r}], angle: {-LEAN}"
    places = [lean, *(f"[{APART * k}, {HIGH / 2}]" for k in range(1, count))]
    bodies = [f"  d{k}: {{mass: 0.1, inertia: 2.1e-5, position: {place}, {shape}}}" for k, place in enumerate(places)]
    names = ", ".join(f"d{k}" for k in range(count))
    return "\n".join(
        [
            "dimension: 2\ngravity: [0, -9.81]\nbodies:",
            *bodies,
            "contacts:",
            f"  floor: {{bodies: [{names}, ground], plane: {{normal: [0, 1]}}, friction: 0.5}}",
            f"  row: {{between: [{names}], friction: 0.2}}",
            "simulation: {end: 0.5, output_step: 0.002}",
        ]
    )


def _corners(q: np.ndarray) -> np.ndarray:
    """(k, n, 4, 2) of boxes at q (k, 3 n)."""
    x, y, a = np.moveaxis(q.reshape(len(q), -1, 3), 2, 0)
    local = 0.5 * np.array([[WIDE, HIGH], [-WIDE, HIGH], [-WIDE, -HIGH], [WIDE, -HIGH]])
    c, s = np.cos(a)[..., None], np.sin(a)[..., None]
    return np.stack([x[..., None] + c * local[:, 0] - s * local[:, 1], y[..., None] + s * local[:, 0] + c * local[:, 1]], axis=-1)


def _depth(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(k,) how deep boxes are inside each other, by the sides of both as separating axes; below zero: how far they are apart."""
    found = []
    for box in (first, second):
        for side in (0, 1):
            axis = box[:, side] - box[:, side + 1]
            axis = axis / np.linalg.norm(axis, axis=1, keepdims=True)
            along = [np.einsum("kcd,kd->kc", each, axis) for each in (first, second)]
            found += [along[0].max(axis=1) - along[1].min(axis=1), along[1].max(axis=1) - along[0].min(axis=1)]
    return np.min(found, axis=0)


def test_dominoes_knock_each_other_over_and_are_never_inside_each_other():
    result = mbsim.simulate(_row(4))
    q = np.asarray(result["q"])
    corners = _corners(q)
    assert (q[-1, 2::3] < -0.5).all()
    assert corners[..., 1].min() > -1e-9
    deepest = [_depth(corners[:, i], corners[:, j]).max() for i in range(4) for j in range(i)]
    assert -1e-9 < max(deepest) < 1e-9  # they touch
    hits = [(x["time"], x["event"]) for x in result.events if x["do"] == "impact"]
    knocks = [min(t for t, name in hits if name.startswith(f"row_d{k}_d{k + 1}")) for k in range(3)]
    assert 0.0 < knocks[0] < knocks[1] < knocks[2] < 0.5


@pytest.mark.parametrize("count", [2, 5])
def test_each_corner_is_a_contact_with_each_side_of_every_other_box_and_with_the_floor(count):
    made = mbsim.assemble(_row(count))
    assert made.unilaterals is not None
    assert len(made.unilaterals.each) == 4 * count + 16 * count * (count - 1)
