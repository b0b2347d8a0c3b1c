"""Sine and cosine in arithmetic alone, so that they go with the lanes: good to a unit in the last place for angles up to FARTHEST.

The angle is brought to [-pi/4, pi/4] by pi/2 in three parts (Cody & Waite 1980), the rest carried along; polynomials and parts are those of
fdlibm (Sun Microsystems 1993, e_rem_pio2.c, k_sin.c, k_cos.c).
"""

from typing import Any

from mbsim.jit.straight.graph import Traced, apply, compare, note_slope, require, select

FARTHEST = 1e5  # rad: below it the whole turns times a part of pi/2 are exact
TURNS = 6.36619772367581382433e-01  # 2 / pi
FIRST, SECOND, THIRD = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21  # of pi / 2, 33 bits each
SINE = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
    -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)  # fmt: skip
COSINE = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05, -2.75573143513906633035e-07,
    2.08757232129817482790e-09, -1.13596475577881948265e-11,
)  # fmt: skip


def sine_and_cosine(x: Any) -> tuple[Any, Any]:
    """Of a traced angle, rad; it is left where the angle is beyond FARTHEST."""
    require(compare("<=", abs(x), FARTHEST))
    quarters = apply("rint", x * TURNS)
    rough = x - quarters * FIRST
    near = rough - quarters * SECOND
    rest = quarters * THIRD - ((rough - near) - quarters * SECOND)
    r = near - rest
    tail = (near - r) - rest
    sine, cosine = _sine(r, tail), _cosine(r, tail)
    half = 0.5 * quarters
    odd = compare("!=", half, apply("floor", half))
    turned, turned_on = (_second_half(quarters), _second_half(quarters + 1.0))
    found = select(odd, cosine, sine), select(odd, sine, cosine)
    whole = select(turned, -found[0], found[0]), select(turned_on, -found[1], found[1])
    note_slope(whole[0], x, whole[1])
    note_slope(whole[1], x, -whole[0])
    return whole


def _second_half(quarters: Any) -> Any:
    """Whether a whole number of quarters is in the second half of its turn."""
    turns = 0.25 * quarters
    return compare(">=", turns - apply("floor", turns), 0.5)


def _sine(x: Any, tail: Any) -> Any:
    z = x * x
    v = z * x
    r = SINE[1] + z * (SINE[2] + z * (SINE[3] + z * (SINE[4] + z * SINE[5])))
    return x - ((z * (0.5 * tail - v * r) - tail) - v * SINE[0])


def _cosine(x: Any, tail: Any) -> Any:
    z = x * x
    r = z * (COSINE[0] + z * (COSINE[1] + z * COSINE[2])) + (z * z) * (z * z) * (COSINE[3] + z * (COSINE[4] + z * COSINE[5]))
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * r - x * tail))


def sine(x: Any) -> Any:
    """Of a traced angle, rad."""
    return sine_and_cosine(x)[0]


def cosine(x: object) -> Any:
    """Of a traced angle, rad."""
    return sine_and_cosine(x)[1]


def is_traced(x: object) -> bool:
    """Whether a number records what is done with it."""
    return isinstance(x, Traced)
