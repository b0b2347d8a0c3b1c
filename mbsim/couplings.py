"""Gears and racks -> rows over the gauges of two joints: c1 x1 + c2 x2 = what it is as drawn.

In space and absolute coordinates an angle is known up to full turns. Then the row is known up to multiples of a period: 2 pi c where one
of the two is such an angle; where both are, the largest number that 2 pi c1 and 2 pi c2 are multiples of, which there is when c1 / c2 is a
fraction. The nearest multiple is taken off (`mbsim.system._couplings`), so the row is smooth, and right for any number of turns, as long
as it is violated by less than half a period.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbsim.elements.kinds import ABOUT, ALONG, COUPLING, STATE
from mbsim.model.leaves import Coupling
from mbsim.system.system import Floats

WHOLE = 1000  # a ratio given as a number has to be a fraction whose denominator, or whose inverse's, is not greater
EXACT = 1e-12  # relative; a ratio this close to a fraction is that fraction


class Side(NamedTuple):
    """The coordinate of one of the two joints."""

    gauge: int
    turns: bool  # it is an angle
    periodic: bool  # known up to full turns
    drawn: float  # its value as the file draws it


def add_couplings(bodies: Any, values: ArrayLike = (), units: Sequence[str] = ()) -> None:
    """The rows of a model's gears, after those of joints and drivers. Raises ModelError.

    `bodies` is the assembly's builder; `values` as drawn and `units` are those of the coordinates, where they are the joints'.
    """
    drawn = np.asarray(values, float)
    for name, block in bodies.model.couplings.items():
        try:
            first, second = (_side(bodies, gauge, drawn, units) for gauge in _gauges(bodies, block))
            a, b, period = _coefficients(block, first, second)
        except ValueError as error:
            bodies.refuse(f"joints.{name}", str(error))
        ground = bodies.ground()
        bodies.table.append([COUPLING, bodies.row_count, ground, ground, -1])
        bodies.row_count += 1
        constant = a * first.drawn + b * second.drawn
        bodies.geometry.append([float(first.gauge), float(second.gauge), a, b, constant, period, *[0.0] * 10])
        bodies.rows.append(name)


def _gauges(bodies: Any, block: Any) -> list[int]:
    if block.type == "rack_and_pinion":
        wanted: Sequence[str | None] = ("angle", "displacement")
    else:
        wanted = block.coordinates or (None, None)
    found = []
    for joint, coordinate in zip(block.joints, wanted, strict=True):
        if coordinate is None and "angle" in bodies.model.joints[joint].driven(bodies.dimension):
            coordinate = "angle"
        found.append(bodies.gauge(joint, coordinate))
    return found


def _side(bodies: Any, gauge: int, values: Floats, units: Sequence[str]) -> Side:
    kind, i, j, at, _ = bodies.gauges[gauge]
    if kind == STATE:
        return Side(gauge, units[at] == "rad", False, float(values[at]))
    if kind == ABOUT:
        return Side(gauge, True, bodies.dimension == 3, 0.0)
    assert kind == ALONG
    data, d = bodies.gauge_data[gauge], bodies.dimension
    s_i, s_j, axis = (np.array([*data[k * d : (k + 1) * d], 0.0][:3]) for k in range(3))
    apart = bodies._global((j, s_j)) - bodies._global((i, s_i))
    return Side(gauge, False, False, float(bodies.rotations[i] @ axis @ apart))


def _coefficients(block: Coupling, first: Side, second: Side) -> tuple[float, float, float]:
    """c1, c2 and the period, 0 where the row has none; the second coordinate has the coefficient 1, so the multiplier is its effort."""
    if block.type == "rack_and_pinion":
        radius: float = block.radius  # type: ignore[attr-defined]
        return -radius, 1.0, 2.0 * pi * abs(radius) if first.periodic else 0.0
    if first.turns != second.turns:
        turning, sliding = block.joints if first.turns else reversed(block.joints)
        raise ValueError(f"joint {turning} turns and joint {sliding} slides: use a rack_and_pinion")
    ratio: Fraction | float = block.value()  # type: ignore[attr-defined]
    if not (first.periodic and second.periodic):
        periods = [2.0 * pi * c for side, c in ((first, abs(1.0 / float(ratio))), (second, 1.0)) if side.periodic]
        return -1.0 / float(ratio), 1.0, periods[0] if periods else 0.0
    whole = ratio if isinstance(ratio, Fraction) else _fraction(ratio)
    return -float(1 / whole), 1.0, 2.0 * pi / abs(whole.numerator)


def _fraction(ratio: float) -> Fraction:
    """The fraction that a ratio is. Raises ValueError."""
    for near in (Fraction(ratio).limit_denominator(WHOLE), 1 / (Fraction(1.0 / ratio).limit_denominator(WHOLE) or Fraction(1))):
        if abs(float(near) - ratio) <= EXACT * abs(ratio):
            return near
    raise ValueError(
        f"the ratio {ratio:.12g} is no fraction of whole numbers up to {WHOLE}, and an angle in space is known up to full turns only; "
        "give `teeth`, or use `coordinates: joint`, where angles count turns"
    )
