"""Numbers that record what is done with them: a graph of operations in which equal ones are one and constants are folded.

A traced number has a value, that of one known state. A comparison is decided by the values and recorded: what is recorded holds for
every state at which all comparisons come out as they did (`Graph.guards`).
"""

import math
import operator
from collections.abc import Callable
from typing import Any, ClassVar

MOST = 20_000  # operations of one graph: beyond, a compiler takes longer than the runs that it would save
INPUT, CONSTANT, LIST = "input", "constant", "list"  # operations without operands; a list is of constants, for `pick`


def _quotient(a: float, b: float) -> float:
    """a / b as processors have it."""
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


ROUNDED: dict[str, Callable[..., Any]] = {  # operations of numbers by one rounding, and what they are in Python
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _quotient,
    "neg": operator.neg,
    "abs": abs,
    "sqrt": lambda a: math.sqrt(a) if a >= 0.0 else math.nan,
    "rint": lambda a: float(round(a)) if math.isfinite(a) else a,
    "floor": lambda a: float(math.floor(a)) if math.isfinite(a) else a,
}
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
CALLED = ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "atan2", "pow")  # of the C library, by their names there
COMMUTE = {"add", "mul", "==", "!="}


class TraceError(ValueError):
    """What is traced cannot be straight-line code."""


class Graph:
    """Operations in the order of their making: (name, operands); operands are places in it, of a constant its value."""

    def __init__(self) -> None:
        self.operations: list[tuple[Any, ...]] = []
        self.values: list[Any] = []  # of the operations at the known state
        self.guards: dict[int, bool] = {}  # place of a comparison -> how it came out
        self.decided: set[int] = set()  # those of them that chose by the known state what is done
        self.slopes: dict[int, tuple[int, int]] = {}  # place of a function in arithmetic -> of its argument, and of its derivative by it
        self._places: dict[tuple[Any, ...], int] = {}

    def input(self, slot: int, value: float) -> "Traced":
        """The number in a slot, with its value at the known state."""
        return Traced(self, self._place((INPUT, slot), float(value)))

    def place(self, x: "Traced | float") -> int:
        """Where a number is. Raises TraceError for what is no number of this graph."""
        if isinstance(x, Traced):
            if x.graph is not self:
                raise TraceError("numbers of two graphs meet")
            return x.at
        return self._place((CONSTANT, float(x), math.copysign(1.0, x)), float(x))

    def constant(self, at: int) -> float | None:
        """The number at a place that is a constant."""
        operation = self.operations[at]
        return float(operation[1]) if operation[0] == CONSTANT else None

    def of(self, name: str, *operands: int) -> int:
        """The place of an operation of numbers, simplified where that is exact."""
        known = [self.constant(at) for at in operands]
        plain = name in ROUNDED
        if plain and all(x is not None for x in known):
            return self.place(ROUNDED[name](*known))
        if name in COMPARED and all(x is not None for x in known):
            raise TraceError("a comparison of constants is none")
        found = self._simple(name, operands, known) if plain else None
        if found is not None:
            return found
        if name in COMMUTE and operands[1] < operands[0]:
            operands = operands[1], operands[0]
        return self._place((name, *operands), self._value(name, operands))

    def _simple(self, name: str, operands: tuple[int, ...], known: "list[float | None]") -> int | None:
        """Of x + 0, x - 0, 1 x, -1 x, 0 x, 0 / x and x / 1. A zero in the tables of a model is a structural one."""
        a, b = operands[0], operands[-1]
        x, y = known[0], known[-1]
        if name == "add":
            return b if x == 0.0 else a if y == 0.0 else None
        if name == "sub":
            return self.of("neg", b) if x == 0.0 else a if y == 0.0 else self.place(0.0) if a == b else None
        if name == "mul":
            if x == 0.0 or y == 0.0:
                return self.place(0.0)
            if abs(x or 0.0) == 1.0:
                return b if x == 1.0 else self.of("neg", b)
            return (a if y == 1.0 else self.of("neg", a)) if abs(y or 0.0) == 1.0 else None
        if name == "div":
            return self.place(0.0) if x == 0.0 else a if y == 1.0 else None
        inner = self.operations[a]
        if name == "neg" and inner[0] == "neg":
            return int(inner[1])
        return None

    def _value(self, name: str, operands: tuple[int, ...]) -> Any:
        values = [self.values[at] for at in operands]
        if name in ROUNDED:
            return ROUNDED[name](*values)
        if name in COMPARED:
            return COMPARED[name](*values)
        if name == "select":
            return values[1] if values[0] else values[2]
        if name == "pick":
            return values[0][int(values[1])]
        if name in ("and", "or"):
            return values[0] and values[1] if name == "and" else values[0] or values[1]
        try:
            return getattr(math, name)(*values)
        except (ValueError, OverflowError):
            return math.nan

    def _place(self, key: tuple[Any, ...], value: object) -> int:
        found = self._places.get(key)
        if found is None:
            if len(self.operations) >= MOST:
                raise TraceError(f"it has more than {MOST:,} operations")
            found = self._places[key] = len(self.operations)
            self.operations.append(key[:2] if key[0] == CONSTANT else key)
            self.values.append(value)
        return found

    def pick(self, values: tuple[float, ...], at: int) -> int:
        """The place of that of some constants whose index is at a place, a whole number from 0 to their count - 1."""
        known = self.constant(at)
        if known is not None:
            return self.place(values[int(known)])
        found = self._place((LIST, values), values)
        return self._place(("pick", found, at), self._value("pick", (found, at)))

    def hold(self, at: int) -> bool:
        """Decide a comparison by the values, and let it hold from now on."""
        outcome = bool(self.values[at])
        self.guards[at] = outcome
        self.decided.add(at)
        return outcome

    def live(self, wanted: "list[int]") -> list[int]:
        """The places that these need, in their order."""
        needed, stack = set[int](), list(wanted)
        while stack:
            at = stack.pop()
            if at not in needed:
                needed.add(at)
                operation = self.operations[at]
                if operation[0] not in (INPUT, CONSTANT, LIST):
                    stack += operation[1:]
        return sorted(needed)


def _binary(name: str, turned: bool = False) -> Callable[["Traced", Any], Any]:
    def method(self: "Traced", other: object) -> Any:
        if not isinstance(other, (Traced, float, int)):
            return NotImplemented
        graph = self.graph
        a, b = self.at, graph.place(other)
        return Traced(graph, graph.of(name, *((b, a) if turned else (a, b))))

    return method


def _comparison(name: str) -> Callable[["Traced", Any], Any]:
    def method(self: "Traced", other: object) -> Any:
        if not isinstance(other, (Traced, float, int)):
            return NotImplemented
        found = compare(name, self, other)
        return found if isinstance(found, bool) else self.graph.hold(found.at)

    return method


class Traced:
    """A number of a graph. As a truth value it is decided by the known state, and held."""

    __slots__ = ("at", "graph")
    __array_ufunc__: ClassVar[None] = None  # so that NumPy's numbers leave operators to it
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, graph: Graph, at: int) -> None:
        self.graph, self.at = graph, at

    __add__, __radd__ = _binary("add"), _binary("add", True)
    __sub__, __rsub__ = _binary("sub"), _binary("sub", True)
    __mul__, __rmul__ = _binary("mul"), _binary("mul", True)
    __truediv__, __rtruediv__ = _binary("div"), _binary("div", True)
    __lt__, __le__, __gt__, __ge__ = (_comparison(name) for name in ("<", "<=", ">", ">="))
    __eq__, __ne__ = _comparison("=="), _comparison("!=")

    def __neg__(self) -> "Traced":
        return Traced(self.graph, self.graph.of("neg", self.at))

    def __pos__(self) -> "Traced":
        return self

    def __abs__(self) -> "Traced":
        return Traced(self.graph, self.graph.of("abs", self.at))

    def __pow__(self, power: object) -> Any:
        """By products where the power is a small whole number, as Numba does it."""
        if isinstance(power, (int, float)) and float(power).is_integer() and 0 <= abs(power) <= 16:
            found: Any = 1.0
            for _ in range(int(abs(power))):
                found = found * self
            return found if power >= 0 else 1.0 / found
        return apply("pow", self, power)

    def __rpow__(self, base: object) -> Any:
        return apply("pow", base, self)

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def _no_number(self) -> Any:
        raise TraceError("a whole number follows from the state, such as the place in a table")

    __float__ = __int__ = __index__ = __trunc__ = __floor__ = _no_number

    def __repr__(self) -> str:
        return f"<number {self.at} of a graph>"


def graph_of(*numbers: object) -> Graph | None:
    """The graph of the first that is traced."""
    return next((x.graph for x in numbers if isinstance(x, Traced)), None)


def apply(name: str, *numbers: Any) -> Any:
    """An operation or a function of the C library, of numbers at least one of which is traced."""
    graph = graph_of(*numbers)
    assert graph is not None
    return Traced(graph, graph.of(name, *(graph.place(x) for x in numbers)))


def compare(name: str, a: Any, b: Any) -> Any:
    """A comparison as a number of a graph for `select`, or as it is where both are constants."""
    graph = graph_of(a, b)
    if graph is None:
        return COMPARED[name](a, b)
    places = graph.place(a), graph.place(b)
    known = [graph.constant(at) for at in places]
    if None not in known:
        return bool(COMPARED[name](*known))
    return Traced(graph, graph.of(name, *places))


def select(chosen: Any, a: Any, b: Any) -> Any:
    """`a` where a comparison holds, else `b`; nothing is held."""
    if isinstance(chosen, bool):
        return a if chosen else b
    graph = chosen.graph
    places = graph.place(a), graph.place(b)
    return Traced(graph, places[0] if places[0] == places[1] else graph.of("select", chosen.at, *places))


def pick(values: tuple[float, ...], index: Any) -> Any:
    """That of some constants whose index, a whole number from 0 to their count - 1, is a number of a graph, or constant."""
    if not isinstance(index, Traced):
        return values[int(index)]
    return Traced(index.graph, index.graph.pick(values, index.at))


def larger(a: object, b: object) -> Any:
    """As `max(a, b)`."""
    return select(compare(">", b, a), b, a)


def smaller(a: object, b: object) -> Any:
    """As `min(a, b)`."""
    return select(compare("<", b, a), b, a)


def require(holds: Any) -> None:
    """Let a comparison hold from now on, whatever it is at the known state."""
    if isinstance(holds, bool):
        if not holds:
            raise TraceError("a number is out of its range")
    else:
        holds.graph.guards[holds.at] = True


def note_slope(x: Any, argument: Any, slope: Any) -> None:
    """Say what a function that is made of arithmetic has as its derivative: that of its operations is longer."""
    if isinstance(x, Traced) and isinstance(argument, Traced):
        x.graph.slopes[x.at] = argument.at, x.graph.place(slope)
