"""Models that contradict themselves, and the exact line that each gives."""

import mechanisms
import pytest

import mbsim

HEAD = "dimension: 2\nsimulation: {end: 1, step: 0.01}\n"
TRIANGLE = """bodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}
joints:
  left: {type: revolute, bodies: [ground, a], at: [0, 0]}
"""
LAID = "the start cannot be assembled: "

# model, and its errors
CASES = {
    "over-constrained by a length that does not fit": (
        HEAD + TRIANGLE + "constraints: {rod: {type: holonomic, equation: a.x^2 + a.y^2 - 4}}\n",
        [
            "model.yaml:5:9: joints.left: "
            + LAID
            + "position residuals of left[0] (0.96), rod (-0.16) remain; they contradict each other, or the start "
            "is too far off"
        ],
    ),
    "negative inertia": (
        HEAD + "bodies: {a: {mass: 1, inertia: -1}}\n",
        ["model.yaml:3:32: bodies.a.inertia: must be greater than 0 (got -1)"],
    ),
    "out of reach": (
        HEAD + TRIANGLE + "  right: {type: revolute, points: [ground, a]}\n",
        [
            "model.yaml:6:10: joints.right: "
            + LAID
            + "position residuals of right[0] (0.5), left[0] (-0.5) remain; they contradict each other, or the "
            "start is too far off"
        ],
    ),
    "driver against a fixed joint": (
        HEAD + TRIANGLE + "  weld: {type: fixed, bodies: [ground, a], at: [1, 0]}\ndrivers: {m: {joint: left, angle: t}}\n",
        [
            "model.yaml:7:14: drivers.m: "
            + LAID
            + "velocity residuals of m (-0.6), weld[2] (0.4), left[1] (-0.2), weld[1] (0.2) remain; they "
            "contradict each other"
        ],
    ),
    "driver of a fixed joint": (
        HEAD + TRIANGLE.replace("revolute", "fixed") + "drivers: {m: {joint: left, angle: t}}\n",
        ["model.yaml:6:35: drivers.m.angle: a fixed joint has no angle to drive"],
    ),
    "negative free length": (
        HEAD
        + TRIANGLE
        + "forces: {s: {type: spring_damper, bodies: [ground, a], at: [[0, 1], [1, 0]], stiffness: 1, free_length: -0.5}}\n",
        ["model.yaml:6:105: forces.s.free_length: must not be negative (got -0.5)"],
    ),
    "two bodies of one name": (
        HEAD + "bodies:\n  a: {mass: 1, inertia: 1}\n  a: {mass: 2, inertia: 1}\n",
        ["model.yaml:5:3: duplicate key 'a' (first at 4:3)"],
    ),
    "missing point": (
        HEAD + TRIANGLE + "  right: {type: revolute, points: [ground, a.tip]}\n",
        ["model.yaml:6:44: joints.right.points[1]: unknown point 'tip' of a; a has no named points"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_says_where_and_what(name: str) -> None:
    text, lines = CASES[name]
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.assemble(mechanisms.model(text))
    assert [str(problem) for problem in caught.value.problems] == lines


EXCAVATOR = """
dimension: 2
gravity: [0, -9.81]
bodies:
  boom: {mass: 80, inertia: 30, position: [1, 0.5], points: {foot: [-1, -0.5], lug: [0, -0.1]}}
  tool: {mass: 1, inertia: 0.01, position: [4, 0], points: {edge: [0, -0.1]}}
  drum: {mass: 3, inertia: 0.02, position: [6, 0]}
joints:
  foot: {type: revolute, points: [ground, boom.foot]}
  axle: {type: revolute, bodies: [ground, drum], at: [6, 0]}
drivers:
  cylinder: {points: [ground, boom.lug], length: sqrt(1.16) + 0.05*t^2}
  circle: {point: tool.edge, x: 4 + 0.1*sin(t), y: -0.2 + 0.1*cos(t)}
  attitude: {coordinate: tool.angle, value: 0.2*t}
simulation: {end: 2}
"""
MOTOR = "  motor: {joint: axle, speed: 10 + sin(t)}\n"


@pytest.mark.parametrize(
    ("text", "more"),
    [(EXCAVATOR, ""), (EXCAVATOR.replace("simulation", f"{MOTOR}simulation"), ": the accelerations that they ask for differ by")],
    ids=["long first step", "short first step"],
)
def test_a_run_says_which_constraints_contradict_each_other_behind_the_start(text: str, more: str) -> None:
    """The cylinder pushes along the pin of the boom. At the start it does not move yet."""
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(text)
    assert f"foot[0], foot[1], cylinder contradict each other{more}" in str(caught.value)
    assert "next to singular" not in str(caught.value.result.attributes)


FOOT = """
dimension: 2
gravity: [0, -9.81]
parameters: {mu: 0.5}
bodies:
  sledge: {mass: 3, inertia: 0.1, position: [0, 0]}
  leg: {mass: 0.4, inertia: 0.01, position: [0.3, 0], points: {foot: [0.3, 0]}}
joints:
  rail: {type: prismatic, bodies: [ground, sledge], at: [0, 0], axis: [1, 0]}
  hip: {type: revolute, bodies: [sledge, leg], at: [0, 0]}
drivers: {motor: {joint: hip, angle: -t}}
contacts: {floor: {bodies: [leg, ground], points: [foot], plane: {normal: [0, 1], through: [0, -0.2]}, friction: mu}}
simulation: {end: 1}
"""


@pytest.mark.parametrize(("mu", "why"), [(0.5, "no impulse or force there changes how it closes"), (0.0, "no friction takes part")])
def test_a_driver_that_leads_a_foot_into_the_floor_is_no_paradox_of_painleve(mu, why):
    with pytest.raises(mbsim.SimulationError, match=f"no solution at 'floor': {why}, so a driver or what else is prescribed leads"):
        mbsim.simulate(FOOT, parameters={"mu": mu})
