"""Events that set speeds and lock joints where contacts, stops and dry friction hold, g = 9.81 m/s2."""

from math import pi

import numpy as np
import pytest

import mbsim

G = 9.81

KICKED = """
dimension: 2
gravity: [0, -9.81]
bodies: {box: {mass: 2, inertia: 0.02, position: [0, 0.1], shape: {type: box, size: [0.2, 0.2]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.25}}
events: {kick: {when: t - 0.5, do: {set: {der(box.x): 1.2}}}}
simulation: {end: 2}
"""


def test_a_kick_sets_a_box_in_motion_that_rests() -> None:
    """It slides v^2 / (2 mu g) and stays."""
    result = mbsim.simulate(KICKED)
    assert result.select("box.x")[-1] == pytest.approx(1.2**2 / (2.0 * 0.25 * G), abs=1e-9)
    assert {line["do"] for line in result.events if line["time"] == pytest.approx(0.5 + 1.2 / (0.25 * G), abs=1e-9)} == {"sticks"}


HOPS = """
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {mass: 1, inertia: 0.1}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, radius: 0, restitution: 0.5}}
events:
  hop: {when: t - 0.5, do: {set: {der(ball.y): 2}}}
  down: {when: t - 2, do: {set: {der(ball.y): -3}}}
simulation: {end: 2.1}
"""


def test_what_rests_hops_from_a_floor_and_what_is_sent_into_it_rebounds() -> None:
    result = mbsim.simulate(HOPS)
    hits = [line["time"] for line in result.events if line["do"] == "impact"]
    assert hits[0] == pytest.approx(0.5 + 4.0 / G, abs=1e-9)
    assert hits[-1] == 2.0
    assert result.select("ball.y")[-1] == pytest.approx(1.5 * 0.1 - 0.5 * G * 0.1**2, abs=1e-9)


TURNED = """
dimension: 2
{more}bodies: {{arm: {{mass: 1, inertia: 0.1}}}}
joints: {{pin: {{type: revolute, bodies: [ground, arm], at: [0, 0], stops: {{lower: 0}}, friction: {{torque: 0.3}}}}}}
events: {{kick: {{when: t - 0.5, do: {{set: {{{speed}: 2}}}}}}}}
simulation: {{end: 2}}
"""


@pytest.mark.parametrize(("more", "speed"), [("", "der(arm.angle)"), ("coordinates: joint\n", "der(pin.angle)")], ids=["absolute", "joint"])
def test_a_kick_turns_an_arm_that_a_stop_and_friction_hold(more: str, speed: str) -> None:
    """It turns by 1/2 I w^2 / M."""
    result = mbsim.simulate(TURNED.format(more=more, speed=speed))
    angle = result.select("arm.angle" if not more else "pin.angle")
    assert angle[-1] == pytest.approx(0.5 * 0.1 * 2.0**2 / 0.3, abs=1e-9)
    assert np.ptp(np.asarray(angle)[np.asarray(result.time) > 0.5 + 2.0 * 0.1 / 0.3 + 1e-6]) == 0.0


COUPLED = """
dimension: 2
gravity: [0, -9.81]
bodies:
  disk: {mass: 2, inertia: 0.01, position: [0, 0.1], velocity: [1, 0], angular_velocity: -10}
  cart: {mass: 1, inertia: 0.1, position: [0.5, 0.1], points: {slot: [-0.2, 0]}}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0.5, 0.1], axis: [1, 0]}
  hook: {type: distance, bodies: [cart, disk], at: [[0.5, 0.1], [0, 0.1]], locked: false}
contacts: {floor: {bodies: [disk, ground], radius: 0.1, plane: {normal: [0, 1]}, friction: 0.1}}
events: {catch: {when: disk.x - 0.3, do: {lock: hook}}}
simulation: {end: 0.5}
"""


def test_friction_that_nothing_presses_bears_no_part_of_a_locking() -> None:
    """2 kg at 1 m/s take 1 kg along at 2/3 m/s; the spin stays, and the rim slips until it rolls again.

    Then u = r w: 3 (u - 2/3) = J and 0.01 (10 - u/r) = r J with the impulse J of friction, so that u = 3/4 m/s, after J = mu m g t.
    """
    result = mbsim.simulate(COUPLED)
    after = next(line for line in result.events if line["event"] == "catch")
    assert after["changes"]["der(disk.x)"][1] == pytest.approx(2.0 / 3.0, abs=1e-12)
    sticks = [line["time"] for line in result.events if line["event"] == "floor" and line["do"] == "sticks"]
    assert sticks[-1] == pytest.approx(0.3 + 0.25 / (0.1 * 2.0 * G), abs=1e-9)
    assert result.select("der(disk.x)")[-1] == pytest.approx(0.75, abs=1e-9)
    assert result.select("der(disk.angle)")[-1] == pytest.approx(-7.5, abs=1e-7 * pi)


SPARE = """
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 3, inertia: 0.1, position: [1, 0]}}
joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0], locked: false}}
constraints:
  spare: {type: holonomic, equation: a.x - 5, locked: false}
  hold: {type: holonomic, equation: a.y}
  carry: {type: holonomic, equation: b.y}
states: {seen: {rate: 0*t, unit: N}}
events: {look: {when: t - 0.5, do: {set: {seen: multiplier.carry}}}}
simulation: {end: 0.6}
"""


def test_an_event_reads_the_multiplier_of_its_name_beside_rows_that_do_not_hold() -> None:
    assert mbsim.simulate(SPARE)["seen"][-1] == pytest.approx(3 * 9.81, rel=1e-12)


RESTS = """
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.083, position: [0.5, 0]}
  box: {mass: 2, inertia: 0.1, position: [2, 0], shape: {type: box, size: [0.2, 0.2]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0], stops: {lower: 0}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1], through: [0, -0.1]}, friction: 0.3}}
measures: {stop: multiplier.pin_lower, normal: multiplier.floor_1 + multiplier.floor_3, rub: multiplier.floor_1_stick}
simulation: {end: 0.2}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("impacts", ["auto", "steps"])
def test_measures_read_what_contacts_and_stops_carry(coordinates: str, impacts: str) -> None:
    """By hand: the stop carries m g/2 of a rod of 1 m, the floor 2 g."""
    result = mbsim.simulate(f"coordinates: {coordinates}\n{RESTS}", impacts=impacts)
    assert result["stop"][-1] == pytest.approx(0.5 * 9.81, rel=1e-9) and result["normal"][-1] == pytest.approx(2 * 9.81, rel=1e-9)
    assert result["rub"][-1] == pytest.approx(0.0, abs=1e-9)


def test_a_row_that_no_contact_has_is_an_error_at_its_place() -> None:
    with pytest.raises(mbsim.ModelError, match=r":9:\d+: measures.stop: multiplier.pin_upper is not known .* its rows are .*pin_lower"):
        mbsim.simulate(RESTS.replace("multiplier.pin_lower", "multiplier.pin_upper"))
