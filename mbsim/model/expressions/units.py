"""Units that users write after numbers. mbsim allows none; this gives the number in SI units for the message."""

import re
from math import pi

# Unit -> its factor to SI.
_UNITS = {
    **dict.fromkeys(("kg", "m", "s", "N", "Nm", "J", "W", "Pa", "rad", "Hz", "kgm2", "N/m", "m/s", "rad/s", "m/s2", "kg/m3"), 1.0),
    **{"g": 1e-3, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237},
    **{"um": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "km": 1e3, "inch": 0.0254, "ft": 0.3048},
    **{"us": 1e-6, "ms": 1e-3, "min": 60.0, "h": 3600.0},
    **{"mN": 1e-3, "kN": 1e3, "MN": 1e6, "kNm": 1e3, "Nmm": 1e-3, "kJ": 1e3, "kW": 1e3, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5},
}
# Further units of measured data.
_OF_DATA = {
    "1": 1.0,
    **{"deg": pi / 180.0, "mrad": 1e-3, "rev": 2.0 * pi, "rpm": pi / 30.0, "deg/s": pi / 180.0},
    **{"mm/s": 1e-3, "km/h": 1.0 / 3.6},
}
_DEGREES = frozenset({"deg", "degree", "degrees"})
_WORD = re.compile(r"[A-Za-z]+")


def factor_of(unit: str) -> float | None:
    """The factor of a unit to SI; None of one that is not known. `1` is none."""
    return _OF_DATA.get(unit, _UNITS.get(unit))


def known_units() -> list[str]:
    """The units of `factor_of`."""
    return [*_UNITS, *_OF_DATA]


def unit_hint(number: str, rest: str) -> str:
    """The hint for a number that is followed by `rest`, if `rest` begins with a unit; else nothing."""
    word = _WORD.match(rest)
    unit = word[0] if word else ""
    if unit in _DEGREES:
        return f"numbers have no units, angles are in radians: {number} degrees are written deg({number})"
    if unit not in _UNITS:
        return ""
    if rest.strip() == unit:
        product = f"; {number} times the time is {number}*t" if unit == "t" else ""
        return f"numbers have no units, they are SI: {number} {unit} is written {float(number) * _UNITS[unit]:.12g}{product}"
    return f"an operator is missing between {number} and {unit}; if it is a unit: numbers have none, they are SI (kg, m, s, N, rad)"
