"""The functions of the expression language, each once, with all that is known of it.

A function is evaluated for floats (`evaluation`), for columns of recorded rows (`mbsim.observe.measures`) and as a SymPy expression, of
which derivatives and code are made (`symbolic`, `mbsim.system.codegen`). One that SymPy, NumPy and `math` know is named here, and printed
in code by its name. Of the others, `cases` gives columns and expressions in terms of an `Algebra`. SymPy's own Abs, sign, Min and Max are
not used: their derivatives have DiracDelta and Heaviside in them.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


class Algebra(Protocol):
    """What `cases` needs beside Python's operators: of arrays, or of SymPy expressions."""

    def number(self, value: float) -> Any:
        """A constant."""

    def floor(self, x: object) -> Any:
        """The largest whole number that is not greater."""

    def all(self, *conditions: object) -> Any:
        """Whether all of them hold; True for none."""

    def cases(self, *pairs: tuple[Any, Any]) -> Any:
        """The first value whose condition holds; the last one's is True."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of `fewest` to `most` arguments (None: any number)."""

    fewest: int
    most: int | None
    value: Callable[..., float] | None = None  # for floats; None for what has no values of its own
    symbol: str = ""  # its name in SymPy and, for code, in `math`
    array: str = ""  # its name in NumPy
    cases: Callable[..., Any] | None = None  # of an algebra and the arguments, where there is no name
    switches: bool = False  # whether it has branches: nested ones have large derivatives
    jumps: bool = False  # whether it jumps where its argument passes whole numbers, or halves of odd ones
    takes: str = ""  # its arguments in messages, where their number does not say enough
    names: str = ""  # what these are, where they must be names
    vector: bool = False  # whether a component is asked for: momentum(rod).x

    def fits(self, count: int) -> bool:
        """Whether it can have so many arguments."""
        return self.fewest <= count and (self.most is None or count <= self.most)

    @property
    def arguments(self) -> str:
        """`2 arguments (y, x)`."""
        return self.takes or f"{self.fewest} argument" + "s" * (self.fewest > 1)


def smooth_step(x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """Adams' STEP: h0 until x0, h1 from x1, between them the cubic with zero slope at both ends."""
    if x <= x0:
        return h0
    if x >= x1:
        return h1
    s = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s)


def _step(*x: float) -> float:
    return smooth_step(*x) if len(x) == 5 else (0.0 if x[0] < 0.0 else 1.0)


def _step_cases(on: Algebra, x: Any, *shape: Any) -> Any:
    if not shape:
        return on.cases((on.number(0), x < 0), (on.number(1), True))
    x0, h0, x1, h1 = shape
    s = (x - x0) / (x1 - x0)
    return on.cases((h0, x <= x0), (h1, x >= x1), (h0 + (h1 - h0) * s**2 * (3 - 2 * s), True))


def _extreme(better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def cases(on: Algebra, *values: object) -> Any:
        # The k-th value wins when it beats all later ones, the earlier having lost: no cases inside conditions.
        return on.cases(*((value, on.all(*(better(value, other) for other in values[k + 1 :]))) for k, value in enumerate(values)))

    return cases


def _sign_cases(on: Algebra, x: Any) -> Any:
    return on.cases((on.number(-1), x < 0), (on.number(1), x > 0), (on.number(0), True))


def _pulse_cases(on: Algebra, x: Any, width: Any) -> Any:
    return on.cases((on.number(1), on.all(x >= 0, x < width)), (on.number(0), True))


def _require(name: str, array: str = "", arguments: int = 1, takes: str = "") -> dict[str, Function]:
    return {name: Function(arguments, arguments, getattr(math, name), name, array or name, takes=takes)}


FUNCTIONS: dict[str, Function] = {
    **_require("sin"),
    **_require("cos"),
    **_require("tan"),
    **_require("asin", "arcsin"),
    **_require("acos", "arccos"),
    **_require("atan", "arctan"),
    **_require("sinh"),
    **_require("cosh"),
    **_require("tanh"),
    **_require("exp"),
    **_require("log"),
    **_require("sqrt"),
    "abs": Function(1, 1, abs, array="abs", cases=lambda on, x: on.cases((x, x >= 0), (-x, True)), switches=True),
    "sign": Function(1, 1, lambda x: 0.0 if x == 0.0 else math.copysign(1.0, x), cases=_sign_cases, switches=True),
    "ramp": Function(1, 1, lambda x: max(x, 0.0), cases=lambda on, x: on.cases((x, x > 0), (on.number(0), True)), switches=True),
    "floor": Function(1, 1, lambda x: float(math.floor(x)), array="floor", cases=lambda on, x: on.floor(x), jumps=True),
    "ceil": Function(1, 1, lambda x: float(math.ceil(x)), array="ceil", cases=lambda on, x: -on.floor(-x), jumps=True),
    "round": Function(1, 1, lambda x: float(math.floor(x + 0.5)), cases=lambda on, x: on.floor(x + on.number(0.5)), jumps=True),
    "deg": Function(1, 1, math.radians, cases=lambda on, x: x * on.number(math.pi / 180.0)),
    "der": Function(1, 1),
    **_require("atan2", "arctan2", 2, "2 arguments (y, x)"),
    "min": Function(2, None, min, cases=_extreme(operator.le), switches=True, takes="2 or more arguments"),
    "max": Function(2, None, max, cases=_extreme(operator.ge), switches=True, takes="2 or more arguments"),
    "step": Function(1, 5, _step, cases=_step_cases, switches=True, takes="1 argument (x) or 5 (x, x0, h0, x1, h1)"),
    "pulse": Function(
        2, 2, lambda x, width: 1.0 if 0.0 <= x < width else 0.0, cases=_pulse_cases, switches=True, takes="2 arguments (x, width)"
    ),
    "if_else": Function(3, 3, array="where", switches=True, takes="3 arguments (condition, then, else)"),
}
MECHANISM = "mechanism"  # in place of a body: all bodies together
# Of bodies and their points, whose names are the arguments; in measures only, but for those of places (`separations`).
MEASURING: dict[str, Function] = {
    "distance": Function(2, 2, takes="2 arguments (point, point)", names="two points, such as rod.B and ground"),
    "angle": Function(2, 3, takes="2 arguments (body, body) or 3 (point, vertex, point)", names="two bodies, or of three points"),
    "energy": Function(1, 1, names="a body"),
    "kinetic_energy": Function(1, 1, names="a body"),
    "potential_energy": Function(1, 1, names="a body"),
    "momentum": Function(1, 1, names=f"a body, or {MECHANISM}", vector=True),
    "angular_momentum": Function(
        1, 2, takes="1 argument (body) or 2 (body, point)", names=f"a body, or {MECHANISM}, and perhaps of a point", vector=True
    ),
    "centre_of_mass": Function(1, 1, names=f"a body, or {MECHANISM}", vector=True),
}
SWITCHES = frozenset(name for name, function in FUNCTIONS.items() if function.switches)
DECIDING = frozenset({"atan2", *(name for name, function in FUNCTIONS.items() if function.switches or function.jumps)})  # what can jump
