"""What rows keep in place of zero is put into the numbers of a system that is known: the same numbers as of a system that is made anew."""

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.assembly import phases
from mbsim.assembly.lock_records import Locks
from mbsim.assembly.unilateral import with_unilaterals

BODIES = """
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 2, position: [0, 1], shape: {type: cylinder, radius: 0.2, length: 0.1}}
  b: {mass: 1, inertia: 3, position: [1, 1], shape: {type: cylinder, radius: 0.2, length: 0.1}}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 1], stops: {lower: -1, upper: 1}}
  q: {type: revolute, bodies: [ground, b], at: [1, 1], friction: {torque: 0.1}}
  mesh: {type: gear, joints: [p, q], teeth: [20, 40], backlash: {play: 0.02}}
drivers: {turn: {joint: p, value: 3*t, locked: false}}
events: {hold: {when: t - 1, do: {lock: turn}}}
contacts:
  floor: {bodies: [a, ground], plane: {normal: [0.6, 0.8], through: [0, -1]}, friction: 0.3}
  pair: {between: [a, b], friction: 0.2}
simulation: {end: 1}
"""
SPACE = """
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [1, 2, 3], position: [0, 0, 1], shape: {type: sphere, radius: 0.2}}
  b: {mass: 1, inertia: [1, 2, 3], position: [1, 0, 1], shape: {type: sphere, radius: 0.2}}
joints: {p: {type: revolute, bodies: [ground, b], at: [1, 0, 1], axis: [0, 0.6, 0.8], stops: {lower: -1}}}
contacts:
  floor: {bodies: [a, ground], plane: {normal: [0, 0.6, 0.8], through: [0, 0, -1]}, friction: 0.3}
  pair: {between: [a, b]}
simulation: {end: 1}
"""
OWN = """
coordinates: [x, y]
energy: {kinetic: der(x)^2 + der(y)^2, potential: 9.81*y}
constraints: {rod: {type: holonomic, equation: x^2 + y^2 - 1, locked: false}}
events: {catch: {when: t - 1, do: {lock: rod}}}
contacts: {floor: {gap: y + 2, slide: der(x), friction: 0.3}}
initial: {x: 1}
simulation: {end: 1}
"""


@pytest.mark.parametrize("text", [BODIES, SPACE, OWN], ids=["plane", "space", "own coordinates"])
def test_numbers_are_those_of_a_new_system(text: str) -> None:
    model = mechanisms.model(text)
    made = mbsim.assemble(model)
    assert made.coming is not None and made.unilaterals is not None
    closed = Locks(made.coming.locks.open - {one.normal for one in made.unilaterals.each} - {"turn", "rod"})
    system = made.coming.restore(made, closed).system
    rows = list(system.rows[: system.n_holonomic])
    moved = 0
    for row in rows:
        values = {row: 0.37} | dict.fromkeys(rows[:1], -0.21)
        known = made.coming.restore(made, Locks(closed.open, {}, values)).system
        wanted = phases._made(with_unilaterals(model), made, Locks(closed.open, {}, values)).system
        assert known.rows == wanted.rows
        for name, array, its in zip(known.arrays._fields, known.arrays, wanted.arrays, strict=True):
            np.testing.assert_allclose(array, its, rtol=1e-15, atol=1e-16, err_msg=f"{name} of {row}")
        moved += any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(known.arrays, system.arrays, strict=True))
    assert moved >= 2
