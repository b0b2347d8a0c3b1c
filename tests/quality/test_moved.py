"""What assembly moves by more than 1 % of the mechanism's size is said, and a joint that numbers put beside a point of a body."""

import re

import mechanisms
import numpy as np
import pytest

import mbsim

FOUR_BAR = """dimension: 2
parameters: {off: 0}
COORDINATES
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 0.05], angle: deg(90), points: {O: [-0.05, 0], A: [0.05, 0]}}
  coupler: {mass: 1, inertia: 0.1, position: [0.16, 0.15], angle: deg(20), points: {A: [-0.15, 0], B: [0.15, 0]}}
  rocker: {mass: 1, inertia: 0.1, position: [0.31, 0.11], angle: deg(80), points: {C: [-0.1, 0], B: [0.1, 0]}}
joints:
  O: {type: revolute, points: [ground, crank.O]}
  A: {type: revolute, points: [crank.A, coupler.A]}
  B: {type: revolute, points: [coupler.B, rocker.B]}
  C: {type: revolute, bodies: [ground, rocker], at: [0.3, 0]}
simulation: {end: 1}
"""
NAMED = "ground: {points: {C: [0.3, 0]}}\n" + FOUR_BAR.replace("at: [0.3, 0]", "points: [C, C]")


def assembled(text, coordinates="absolute"):
    return mbsim.assemble(mechanisms.model(text.replace("COORDINATES", f"coordinates: {coordinates}")))


def moves(made):
    """Body -> how far (m), share (%), start, end and angles, from the notes."""
    number = r"(-?[0-9.e+-]+)"
    found = {}
    for note in made.notes:
        pattern = rf"assembly moved (\w+) by up to {number} m, {number} % of the mechanism's size: centre of mass "
        if match := re.match(pattern + rf"\(([^)]*)\) -> \(([^)]*)\)(?:, angle {number} -> {number} rad)?", note):
            start, end = (np.array([float(x) for x in match[k].split(",")]) for k in (4, 5))
            found[match[1]] = (float(match[2]), float(match[3]), start, end, match[6] and float(match[7]))
    return found


def test_bodies_by_name_how_far_and_from_where_to_where():
    made = assembled(NAMED)
    told = moves(made)
    assert list(told) == ["rocker", "crank"] or list(told) == ["rocker", "crank", "coupler"]
    given, found = made.correction.q.reshape(3, 3), made.q.reshape(3, 3)
    ends = {"crank": 0.05, "coupler": 0.15, "rocker": 0.1}

    def points(pose, arm):
        direction = np.array([np.cos(pose[2]), np.sin(pose[2])])
        return np.array([pose[:2], pose[:2] + arm * direction, pose[:2] - arm * direction])

    every = np.concatenate([points(pose, arm) for pose, arm in zip(found, ends.values(), strict=True)] + [[[0.0, 0.0], [0.3, 0.0]]])
    size = np.linalg.norm(np.ptp(every, axis=0))
    for b, (name, arm) in enumerate(ends.items()):
        way = np.linalg.norm(points(found[b], arm) - points(given[b], arm), axis=1).max()
        assert (name in told) == (way > 0.01 * size or abs(found[b, 2] - given[b, 2]) > 0.01)
        if name in told:
            far, percent, start, end, angle = told[name]
            assert far == pytest.approx(way, rel=5e-3) and percent == pytest.approx(100.0 * way / size, rel=5e-2)
            assert start == pytest.approx(given[b, :2]) and end == pytest.approx(found[b, :2], rel=1e-5)
            assert angle == pytest.approx(found[b, 2], rel=1e-5)
    assert not any("crank.x" in note for note in made.notes)  # not twice
    assert made.warnings == ()


def test_the_same_in_joint_coordinates():
    """The joints of the tree hold from the start on; the cut one is closed."""
    made = assembled(NAMED, "joint")
    told = moves(made)
    assert made.system.cuts == ["C"] and "rocker" in told and "crank" in told
    for place in told["crank"][2:4]:
        assert np.hypot(*place) == pytest.approx(0.05, rel=1e-5)
    assert np.hypot(*(told["rocker"][3] - [0.3, 0.0])) == pytest.approx(0.1, rel=1e-4)
    assert np.hypot(*(told["rocker"][2] - [0.3, 0.0])) != pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_joint_beside_the_point_of_a_roughly_drawn_body(coordinates):
    """rocker.C goes around, not far from where it is meant to stay; named, it stays."""
    (warning,) = assembled(FOUR_BAR, coordinates).warnings
    apart = np.hypot(0.31 - 0.1 * np.cos(np.deg2rad(80)) - 0.3, 0.11 - 0.1 * np.sin(np.deg2rad(80)))
    assert warning.startswith(f"joint C (line 12) is {apart:.3g} m, ")
    assert "from the point rocker.C: `at` puts it where the drawing of rocker has [0.3, 0]" in warning
    assert "name it: `bodies: [ground, rocker], points: [C, C]` with `ground: {points: {C: [0.3, 0]}}`" in warning
    for text, off in ((FOUR_BAR, apart), (NAMED, 0.0)):
        q = assembled(text).q[6:]
        C = q[:2] - 0.1 * np.array([np.cos(q[2]), np.sin(q[2])])
        assert np.hypot(*(C - [0.3, 0.0])) == pytest.approx(off, abs=1e-9)


def test_in_space_the_turn_is_said():
    text = """gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], points: {O: [-0.5, 0, 0]}}
joints: {O: {type: revolute, points: [ground, arm.O], axis: [0, 0, 1]}}
drivers: {motor: {joint: O, angle: 0.3 + t}}
simulation: {end: 1}
"""
    (note,) = mbsim.assemble(mechanisms.model(text)).notes
    x, y = 0.5 * np.cos(0.3), 0.5 * np.sin(0.3)
    assert f"centre of mass (0.5, 0, 0) -> ({x:.6g}, {y:.6g}, 0), turned by 0.3 rad" in note


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("C: [-0.1, 0], ", "C: [-0.1101, -0.0093], "),  # as drawn, to 0.1 mm
        ("C: [-0.1, 0], ", "tip: [-0.3, 0], "),  # another point, far away
        ("C: [-0.1, 0], ", ""),  # no point
    ],
)
def test_no_warning(old, new):
    assert assembled(FOUR_BAR.replace(old, new)).warnings == ()


def test_another_point_is_taken_for_the_joint_s_only_where_assembly_moves_the_body():
    text = """dimension: 2
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {MARK: [-0.45, 0]}}, ball: {mass: 1, inertia: 1, position: [1.5, 0]}}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}
  end: {type: revolute, bodies: [rod, ball], at: [1.2, 0]}
simulation: {end: 1}
"""
    assert mbsim.assemble(mechanisms.model(text)).warnings == ()
    (namesake,) = mbsim.assemble(mechanisms.model(text.replace("MARK", "pin"))).warnings
    assert namesake.startswith("joint pin (line 4) is 0.05 m") and "assembly moves" not in namesake
    (moved,) = mbsim.assemble(mechanisms.model(text + "initial: {rod.angle: 0.3}\n")).warnings
    assert "from the point rod.MARK" in moved and "and assembly moves rod" in moved


def test_springs_and_bushings_are_looked_at_too():
    text = NAMED + (
        "forces:\n  s: {type: spring_damper, bodies: [ground, rocker], at: [[0.3, 0.1], [0.305, 0]], stiffness: 1}\n"
        "  m: {type: bushing, bodies: [ground, rocker], at: [0.3, 0.001], stiffness: [1, 1, 1]}\n"
    )
    assert assembled(text).warnings == ()  # rocker.C is that of a joint
    unused = text.replace("points: {C: [-0.1, 0], B", "points: {P: [-0.1, 0], C: [-0.25, 0], B")
    found = [warning.partition(" (")[0] for warning in assembled(unused).warnings]
    assert found == ["force s", "force m"]


def test_nothing_is_said_of_what_is_drawn_well():
    text = FOUR_BAR.replace("at: [0.3, 0]", "at: [0, 0]").replace("  A: {type: revolute, points: [crank.A, coupler.A]}\n", "")
    text = text.replace("  B: {type: revolute, points: [coupler.B, rocker.B]}\n", "")
    made = assembled(text)
    assert not moves(made) and made.warnings == ()
