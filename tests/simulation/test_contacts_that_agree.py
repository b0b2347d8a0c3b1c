"""Contacts of one body that begin, hold and end together, g = 9.81 m/s2."""

import numpy as np

import mbsim

SHAKEN = {
    3: """
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 10, inertia: [1, 1, 1], position: [0, 0, -0.05]}
  box: {mass: 1, inertia: [0.0033, 0.0033, 0.0016], position: [0, 0, 0.1], shape: {type: box, size: [0.1, 0.1, 0.2]}}
joints: {rail: {type: prismatic, bodies: [ground, table], at: [0, 0, 0], axis: [1, 0, 0]}}
drivers: {shake: {joint: rail, displacement: 0.03*sin(10*t)}}
contacts: {foot: {bodies: [box, table], plane: {normal: [0, 0, 1], through: [0, 0, 0]}, friction: 0.2}}
simulation: {end: 0.7}
""",
    2: """
dimension: 2
gravity: [0, -9.81]
bodies:
  table: {mass: 10, inertia: 1, position: [0, -0.05]}
  box: {mass: 1, inertia: 0.0033, position: [0, 0.1], shape: {type: box, size: [0.1, 0.2]}}
joints: {rail: {type: prismatic, bodies: [ground, table], at: [0, 0], axis: [1, 0]}}
drivers: {shake: {joint: rail, displacement: 0.03*sin(10*t)}}
contacts: {foot: {bodies: [box, table], plane: {normal: [0, 1], through: [0, 0]}, friction: 0.2}}
simulation: {end: 0.7}
""",
}


def test_four_corners_slip_and_stick_together():
    """As two do in the plane: one slipped, and the others 5e-9 s later, each as an event of its own.

    Three carry the box as well as four. One opens by round-off, and closes when another one opens: with a tolerance that is some hundredths
    more or less there are 6 to 9 times and 24 to 30 events.
    """
    space, plane = (mbsim.simulate(SHAKEN[dimension]) for dimension in (3, 2))
    times = [np.unique([line["time"] for line in result.events]) for result in (space, plane)]
    assert len(times[1]) == 6
    apart = np.abs(times[0][:, None] - times[1])
    assert apart.min(axis=1).max() < 1e-7 and apart.min(axis=0).max() < 1e-7
    assert len(times[0]) <= 9 and 24 <= len(space.events) <= 30
    np.testing.assert_allclose(space["body_position"][-1, 1, [0, 2]], plane["body_position"][-1, 1, :2], atol=1e-8)


def test_contacts_hold_gaps_that_cannot_all_close():
    """Two corners of a box on an arm, which has one freedom, are closed at -7e-10 and 7e-10 m: the run was stopped as contradictory."""
    text = """
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.05, position: [0.5, 0.1]}
  box: {mass: 1, inertia: 0.01, position: [1, 0.1], angle: 7.0e-9, shape: {type: box, size: [0.2, 0.2]}}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0.1]}
  grip: {type: fixed, bodies: [arm, box], at: [0.9, 0.1]}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1], through: [0, 0]}, friction: 0.4}}
simulation: {end: 0.2}
"""
    result = mbsim.simulate(text)
    assert result.time[-1] == 0.2
    q = np.asarray(result["q"])
    assert np.abs(q - q[0]).max() < 1e-12
    assert {line["do"] for line in result.events} == {"sticks"}


def test_what_a_march_cannot_restore_does_not_close():
    """Likewise a hundredth as large, and at 1e-12 m: of arms of 0.01 m that is the tolerance of a march, which did not restore it.

    Five dominoes of 0.05 m that came to rest on each other were stopped so.
    """
    text = """
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 5.0e-6, position: [0.005, 0.001]}
  box: {mass: 1, inertia: 1.0e-6, position: [0.01, 0.001], angle: ANGLE, shape: {type: box, size: [0.002, 0.002]}}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0.001]}
  grip: {type: fixed, bodies: [arm, box], at: [0.009, 0.001]}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1], through: [0, 0]}, friction: 0.4}}
simulation: {end: 0.02}
"""
    for angle in (3.0e-9, 8.0e-9):
        result = mbsim.simulate(text.replace("ANGLE", str(angle)))
        assert result.time[-1] == 0.02
        assert np.abs(np.asarray(result["q"]) - result["q"][0]).max() < 1e-12


PRESS = """
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.05, 1]}
  rod: {mass: 1, inertia: 0.01, position: [0.05, 0.85]}
  ram: {mass: 2, inertia: 0.02, position: [0, 0.7]}
joints:
  A: {type: revolute, bodies: [ground, crank], at: [0, 1]}
  B: {type: revolute, bodies: [crank, rod], at: [0.1, HEIGHT]}
  C: {type: revolute, bodies: [rod, ram], at: [0, 0.7], friction: {coefficient: 0.1, radius: 0.01}}
  slide: {type: prismatic, bodies: [ground, ram], at: [0, 0.7], axis: [0, 1], friction: {coefficient: 0.1, length: 0.1}}
forces: {motor: {type: joint_torque, joint: A, value: 3}}
simulation: {end: 0.3}
"""


def test_a_friction_at_its_dead_point_begins_as_beside_it():
    """The pin does not turn where the crank is horizontal, so nothing says what it bears: 'more than one solution' stopped the run."""
    smooth = PRESS.replace("coefficient: 0.1, radius", "coefficient: 0, radius")
    runs = [PRESS.replace("HEIGHT", "1"), PRESS.replace("HEIGHT", "0.99999999"), smooth.replace("HEIGHT", "1")]
    at, beside, without = (np.asarray(mbsim.simulate(text)["q"])[-1] for text in runs)
    np.testing.assert_allclose(at, beside, atol=1e-7)  # it is off by 5.4 times as much as the height
    assert np.abs(at - without).max() > 1e-5
