"""Units that a user may ask for beside those of the result: `crank.angle in deg`, `der(crank.angle) in rpm`.

Results are in SI units and radians. A unit here is a number of one of these, so that a factor converts a column.
"""

from math import pi

DEGREE, TURN, INCH, POUND, GRAVITY = pi / 180.0, 2.0 * pi, 0.0254, 4.4482216152605, 9.80665  # exact: ISO 80000, NIST SP 811
# name -> (the units of the result that it is for, in UDUNITS spelling, how many of these one of it is)
UNITS: dict[str, tuple[str, float]] = {
    "rad": ("rad", 1.0), "deg": ("rad", DEGREE), "turn": ("rad", TURN), "mrad": ("rad", 1e-3),
    "rad/s": ("rad s-1", 1.0), "deg/s": ("rad s-1", DEGREE), "rpm": ("rad s-1", TURN / 60.0), "turn/s": ("rad s-1", TURN),
    "rad/s^2": ("rad s-2", 1.0), "deg/s^2": ("rad s-2", DEGREE),
    "m": ("m", 1.0), "cm": ("m", 1e-2), "mm": ("m", 1e-3), "um": ("m", 1e-6), "km": ("m", 1e3), "in": ("m", INCH), "ft": ("m", 12 * INCH),
    "m/s": ("m s-1", 1.0), "mm/s": ("m s-1", 1e-3), "km/h": ("m s-1", 1.0 / 3.6), "in/s": ("m s-1", INCH), "ft/s": ("m s-1", 12 * INCH),
    "mph": ("m s-1", 0.44704),
    "m/s^2": ("m s-2", 1.0), "mm/s^2": ("m s-2", 1e-3), "g": ("m s-2", GRAVITY),
    "N": ("N", 1.0), "mN": ("N", 1e-3), "kN": ("N", 1e3), "MN": ("N", 1e6), "lbf": ("N", POUND),
    "Nm": ("N m", 1.0), "Nmm": ("N m", 1e-3), "kNm": ("N m", 1e3), "lbfin": ("N m", POUND * INCH),
    "J": ("J", 1.0), "mJ": ("J", 1e-3), "kJ": ("J", 1e3), "Wh": ("J", 3600.0),
    "W": ("W", 1.0), "mW": ("W", 1e-3), "kW": ("W", 1e3),
    "s": ("s", 1.0), "ms": ("s", 1e-3), "min": ("s", 60.0),
}  # fmt: skip
PLAIN = "1"  # of what has no unit
PERCENT = "%"
_SAME = {"N.m": "N m", "m.N": "N m", "kg m2 s-2": "J", "J s-1": "W", "s-1 rad": "rad s-1"}


class UnitError(ValueError):
    """A unit that is not known, or that is none of the quantity."""


def factor(units: str, wanted: str) -> float:
    """The number that values in the `units` of a result are multiplied by to be in the unit `wanted`. Raises UnitError."""
    if wanted == PERCENT and units == PLAIN:
        return 100.0
    known = _SAME.get(units, units)
    fitting = [name for name, (of, _) in UNITS.items() if of == known]
    if wanted in fitting:
        return 1.0 / UNITS[wanted][1]
    what = "has no unit" if units == PLAIN else f"is in {units}"
    allowed = f"; it may be in {', '.join(fitting)}" if fitting else ""
    if wanted not in UNITS and wanted != PERCENT:
        from mbsim.model.file.errors import nearest

        close = nearest(wanted, fitting or list(UNITS))
        raise UnitError(f"unknown unit {wanted[:40]!r}{f'; did you mean {close!r}?' if close else allowed}")
    raise UnitError(f"{wanted!r} is no unit of what {what}{allowed}")
