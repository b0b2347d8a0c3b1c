"""Joints and gears that make no sense, and the exact lines they give; most are found while reading, the rest at assembly."""

import pytest

import mbsim
from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

PLANE = """dimension: 2
bodies:
  a: {mass: 1, inertia: 1}
  b: {mass: 1, inertia: 1, position: [1, 0]}
simulation: {end: 1}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  S: {type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}
  x: %s
"""
SPACE = """bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
simulation: {end: 1}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: spherical, bodies: [ground, b], at: [1, 0, 0]}
  P: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}
  x: %s
"""
AT = "m.yaml:9:"
CASES = [
    # rods
    (PLANE, "{type: distance, points: [a, b], length: -1}", AT + "6: joints.x: length must be greater than 0 (got -1)"),
    (PLANE, "{type: distance, points: [a, b], length: 0*t}", AT + "47: joints.x.length: must be greater than 0 (at the start it is 0)"),
    (PLANE, "{type: distance, points: [a, b], length: 1/t}", AT + "47: joints.x.length: at the start: division by zero"),
    (PLANE, "{type: distance, points: [a, b], length: a.x}", AT + "47: joints.x.length: unknown name 'a.x'"),
    (
        PLANE,
        "{type: distance, points: [a, ground]}",
        AT + "6: joints.x: the two points of a distance joint coincide in the file: draw them apart or give `length`",
    ),
    (PLANE, "{type: distance, bodies: [a, b], at: [[0, 0], 0]}", AT + "52: joints.x.at[1]: expected a list of 2 numbers (got 0)"),
    # axes
    (PLANE, "{type: point_on_line, points: [a, b]}", AT + "6: joints.x: a point_on_line joint needs `axis` (dimension: 2)"),
    (
        PLANE,
        "{type: point_on_plane, points: [a, b], axis: [1, 0]}",
        AT + "6: joints.x: a point_on_plane joint does not exist in 2 dimensions (dimension: 2); there it is point_on_line",
    ),
    (SPACE, "{type: helical, points: [a, b], axis: [1, 0, 0]}", AT + "3: joints.x: missing key 'pitch'"),
    (
        SPACE,
        "{type: perpendicular_axes, bodies: [a, b], axes: [[1, 0, 0], [1, 1, 0]]}",
        AT + "6: joints.x: the two axes must be perpendicular (their cosine is 0.707)",
    ),
    (
        SPACE,
        "{type: constant_velocity, points: [a, b], axes: [[1, 0, 0], [-1, 0.1, 0]]}",
        AT + "6: joints.x: the shafts are drawn bent back (their cosine is below -0.9); give both axes in the sense from first to second",
    ),
    (
        SPACE,
        "{type: pin_in_slot, points: [a, b], axis: [1, 0, 0]}",
        AT + "6: joints.x: a pin_in_slot joint needs `pin`, the direction of the pin (dimension: 3)",
    ),
    (
        PLANE,
        "{type: pin_in_slot, points: [a, b], axis: [1, 0], pin: [0, 1]}",
        AT + "6: joints.x: in the plane a pin has no direction: leave out `pin`",
    ),
    # gears
    (PLANE, "{type: gear, joints: [O, O], ratio: 2}", AT + "6: joints.x: a gear needs two different joints (got 'O' twice)"),
    (PLANE, "{type: gear, joints: [O, S], ratio: 0}", AT + "6: joints.x: ratio must not be 0"),
    (PLANE, "{type: gear, joints: [O, S], ratio: 1e-300}", AT + "6: joints.x: ratio must be between 1/1000000 and 1000000 in size"),
    (PLANE, "{type: gear, joints: [O, S], teeth: [1, 1" + "0" * 400 + "]}", AT),
    (PLANE, "{type: gear, joints: [O, S]}", AT + "6: joints.x: give exactly one of 'ratio' and 'teeth'"),
    (PLANE, "{type: gear, joints: [O, S], ratio: 2, teeth: [1, 2]}", AT + "6: joints.x: give exactly one of 'ratio' and 'teeth'"),
    (
        PLANE,
        "{type: gear, joints: [O, S], teeth: [20, 0]}",
        AT + "6: joints.x: teeth are counted: expected whole numbers from 1 to 1000000 (got [20, 0])",
    ),
    (PLANE, "{type: gear, joints: [O, S], teeth: [20, 2.5]}", AT + "47: joints.x.teeth[1]: expected a whole number (got 2.5)"),
    (
        PLANE,
        "{type: gear, joints: [O, S], ratio: 2, internal: true}",
        AT + "6: joints.x: 'internal' goes with 'teeth'; a ratio has its sign",
    ),
    (PLANE, "{type: gear, joints: [O, Q], ratio: 2}", AT + "31: joints.x.joints[1]: unknown joint 'Q'; allowed: O, S"),
    (
        PLANE,
        "{type: gear, joints: [O, x], ratio: 2}",
        AT + "31: joints.x.joints[1]: 'x' ties the coordinates of two joints and has none of its own; it needs a joint with one",
    ),
    (PLANE, "{type: gear, joints: [O, S], bodies: [a, b], ratio: 2}", AT + "35: joints.x.bodies: unknown key 'bodies'"),
    (PLANE, "{type: gear, joints: [O, S], ratio: 2}", AT + "6: joints.x: joint O turns and joint S slides: use a rack_and_pinion"),
    (PLANE, "{type: gear, joints: [S, O], ratio: 2}", AT + "6: joints.x: joint O turns and joint S slides: use a rack_and_pinion"),
    (
        PLANE,
        "{type: rack_and_pinion, joints: [S, O], radius: 1}",
        AT + "6: joints.x: joint S (prismatic) has no coordinate 'angle'; give `coordinate`: displacement",
    ),
    (PLANE, "{type: rack_and_pinion, joints: [O, S], radius: 0}", AT + "6: joints.x: radius must not be 0"),
    (SPACE, "{type: gear, joints: [O, B], ratio: 2}", AT + "6: joints.x: joint B (spherical) has not one single coordinate"),
    (
        SPACE,
        "{type: gear, joints: [O, P], ratio: pi}",
        AT + "6: joints.x: the ratio 3.14159265359 is no fraction of whole numbers up to 1000, and an angle in space is known up to full "
        "turns only; give `teeth`, or use `coordinates: joint`, where angles count turns",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "block", "line"), CASES)
def test_message(text: str, block: str, line: str) -> None:
    with pytest.raises(ModelError) as raised:
        mbsim.assemble(load(text % block, registry, file="m.yaml"))
    lines = [str(problem) for problem in raised.value.problems]
    assert len(lines) == 1 and lines[0].startswith(line), lines


DRIVERS = [
    ("{type: fixed, bodies: [a, b], at: [0.5, 0]}", "angle", "a fixed joint has no angle to drive"),
    ("{type: gear, joints: [O, S], ratio: 2}", "angle", "'x' ties the coordinates of two joints and has none of its own"),
    ("{type: distance, points: [a, b]}", "displacement", "a distance joint has no displacement to drive"),
]


@pytest.mark.parametrize(("block", "quantity", "message"), DRIVERS)
def test_nothing_to_drive(block: str, quantity: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mbsim.assemble(load(PLANE % block + f"drivers:\n  d: {{joint: x, {quantity}: t}}\n", registry, file="m.yaml"))


def test_gear_with_any_ratio_where_angles_count_turns() -> None:
    block = "{type: gear, joints: [O, P], ratio: pi}"
    made = mbsim.assemble(load("coordinates: joint\n" + SPACE.replace("  B:", "  #") % block, registry, file="m.yaml"))
    assert made.system.rows == ["x"]


@pytest.mark.parametrize(("ratio", "rows"), [("1/3", 1), ("-1000/7", 1), ("0.125", 1), ("1/1500", 1)])
def test_ratios_that_are_fractions(ratio: str, rows: int) -> None:
    made = mbsim.assemble(load(SPACE.replace("  B:", "  #") % f"{{type: gear, joints: [O, P], ratio: {ratio}}}", registry, file="m.yaml"))
    assert made.system.rows.count("x") == rows
