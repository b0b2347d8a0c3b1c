"""Functionals: expressions that make one number of a run, such as `max(norm(joint_force:pin))` or `last_time(abs(rod.angle) > 0.01)`.

They are the expressions of model files (`mbsim.model.expressions.expression`) with names of what a run records and with reductions, which
make a number of a history. What has which shape is decided from the text and the names alone, before anything runs. Nothing here is
Python's parser or evaluator.
"""

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mbsim.model.expressions.expression import ExpressionError, Parser, Vocabulary
from mbsim.model.expressions.functions import FUNCTIONS, MEASURING
from mbsim.model.expressions.parsed import COMPARISONS, CONDITIONS, MAX_LENGTH, Call, Expression, Name, Node, Number, walk
from mbsim.model.expressions.poses import ABBREVIATIONS
from mbsim.model.expressions.tokens import Token, tokens
from mbsim.model.file.errors import did_you_mean
from mbsim.results import paths
from mbsim.results.columns import COLUMNS
from mbsim.results.reductions import REDUCTIONS, ReductionError

NUMBER, HISTORY, VECTOR = "a number", "a history", "a vector"
NORM, DISSIPATED = "norm", "dissipated"
WHEN = frozenset({"first_time", "last_time", "duration"})  # of a condition
# name -> fewest and most arguments, and what they are
_ARGUMENTS: dict[str, tuple[int, int, str]] = {
    **dict.fromkeys(("mean", "rms", "integral", "initial", "final", "peak_to_peak", "frequency"), (1, 1, "a history")),
    **dict.fromkeys(("time_of_max", "time_of_min"), (1, 1, "a history")),
    **dict.fromkeys(WHEN, (1, 1, "a condition, such as rod.angle > 0.1")),
    "at": (2, 2, "a history and a time"),
    "overshoot": (1, 2, "a history and perhaps the target"),
    "settling": (1, 3, "a history and perhaps the band, as a share of the step, and the target"),
    DISSIPATED: (0, 1, "nothing or the name of a force"),
    NORM: (1, 3, "a vector or up to 3 components"),
}
TIMES = frozenset({*WHEN, "time_of_max", "time_of_min", "settling"})  # in s
KEEPS_UNITS = frozenset({"max", "min", "mean", "rms", "at", "initial", "final", "peak_to_peak"})
LONGEST = 4 * MAX_LENGTH  # characters: points of paths stand in the text
MODE = "mode"
MODE_PARTS = ("frequency", "damping_ratio", "growth", "angular_frequency")
EVENT_TIME, EVENT_COUNT = "event_time", "event_count"
_PATTERN = re.compile(
    r"""\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
        |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:[.:][A-Za-z_][A-Za-z0-9_]*|\[[0-9]{1,6}\])*)
        |(?P<attribute>\.[A-Za-z_][A-Za-z0-9_]*)
        |(?P<sign>\*\*|<=|>=|==|!=|[-+*/^(),<>])
        |(?P<end>\Z))""",
    re.VERBOSE,
)
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class FunctionalError(ValueError):
    """A functional that a run has no number for."""


@dataclass(frozen=True)
class Quantity:
    """What a name stands for: its kind, its units, and its values, (k,) of a history, (k, 3) of a vector, a float of a number."""

    kind: str
    units: str
    values: Callable[[], Any]


class Names(Protocol):
    """The names that a run knows."""

    def find(self, name: str) -> Quantity:
        """What a name stands for. Raises FunctionalError where it stands for nothing."""

    def function(self, name: str, arguments: list[str]) -> Quantity:
        """A function of bodies or points. Raises FunctionalError."""

    @property
    def time(self) -> Floats:
        """(k,) of the rows, s."""


def parse(text: str | float, folder: Path | None = None, constants: Collection[str] = ()) -> Expression:
    """Parse a functional. Relative names of files begin at `folder`, by default the current one; what they hold becomes part of the text.

    `constants`: names whose rates are zero. Raises ExpressionError with the offset of the faulty character.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise ExpressionError("expected an expression")
    text = str(text)
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression is longer than {LONGEST} characters")
    shown, files = paths.masked(text)
    parser = _Parser(tokens(shown, _PATTERN), Vocabulary(constants=constants, measure=True, second_rates=True))
    parser.files = {offset: (folder or Path()) / name.strip("\"'") for offset, name in files.items()}
    tree = parser.parse()
    text = paths.unmasked(text, files, parser.curves)
    return Expression(text, tree, frozenset(node.name for node in walk(tree) if isinstance(node, Name)))


class _Parser(Parser):
    """The parser of expressions, which also knows the reductions, `mode(1).frequency` and `path_error(coupler.P, points.csv)`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.files: dict[int, Path] = {}  # by the offsets of their names
        self.curves: dict[int, paths.Curve] = {}

    def _name(self, token: Token) -> Node:
        if token.text in REDUCTIONS and token.text not in FUNCTIONS:
            raise ExpressionError(f"'{token.text}' is a function; write {token.text}(...)", token.offset)
        return super()._name(token)

    def _function(self, token: Token) -> Node:
        known = token.text in FUNCTIONS or token.text in MEASURING
        if token.text == MODE:
            return self._mode(token)
        if token.text in ABBREVIATIONS:
            return self._abbreviated(token)
        if token.text in (EVENT_TIME, EVENT_COUNT):
            return self._event(token)
        if token.text == paths.PATH_ERROR:
            return self._path_error(token)
        if token.text not in _ARGUMENTS and token.text not in ("max", "min"):
            if not known:
                words = [*FUNCTIONS, *MEASURING, *ABBREVIATIONS, *_ARGUMENTS, MODE, EVENT_TIME, EVENT_COUNT, paths.PATH_ERROR]
                raise ExpressionError(f"unknown function '{token.text[:60]}'{did_you_mean(token.text, words)}", token.offset)
            return super()._function(token)
        bracket = self._next()
        arguments: list[Node] = []
        if self._peek().text != ")":
            arguments.append(self._expression(0))
            while self._peek().text == ",":
                self._next()
                arguments.append(self._expression(0))
        self._close(bracket)
        fewest, most, what = _ARGUMENTS.get(token.text, (1, len(arguments), "a history, or 2 or more values"))
        if not fewest <= len(arguments) <= most:
            raise ExpressionError(f"{token.text} takes {what} (got {len(arguments)} arguments)", token.offset)
        if token.text in WHEN:
            if not isinstance(arguments[0], Call) or arguments[0].function not in CONDITIONS:
                raise ExpressionError(f"{token.text} takes {what}", arguments[0].offset)
            _refuse_equality(arguments[0])
        else:
            arguments = [self._value(argument) for argument in arguments]
        if token.text == DISSIPATED:
            return self._dissipated(token, arguments)
        return self._call(token.text, tuple(arguments), token.offset)

    def _dissipated(self, token: Token, arguments: list[Node]) -> Node:
        if arguments and not isinstance(arguments[0], Name):
            raise ExpressionError(f"{DISSIPATED} takes the name of a force", arguments[0].offset)
        if not arguments:
            return self._call("lost", (Name("energy_work", token.offset),), token.offset)
        name = arguments[0]
        assert isinstance(name, Name)
        return self._call(DISSIPATED, (Name(f"force_loss:{name.name}", name.offset),), token.offset)

    def _mode(self, token: Token) -> Node:
        bracket = self._next()
        number, part = self._next(), ""
        if number.kind == "number" and number.text.isdigit() and 0 < int(number.text) < 10**6:
            self._close(bracket)
            if self._peek().kind == "attribute":
                part = self._next().text[1:]
        if part not in MODE_PARTS:
            raise ExpressionError(f"write {MODE}(1).{', .'.join(MODE_PARTS)}", token.offset)
        return self._counted(Name(f"{MODE}({int(number.text)}).{part}", token.offset))

    def _event(self, token: Token) -> Node:
        """The time of the event's n-th occurrence, or how often it happens: one number, whose name tells all."""
        timed, bracket, name, which, did = token.text == EVENT_TIME, self._next(), self._next(), 1, self._another()
        if timed and did is not None and did.kind == "number":
            which, did = int(did.text) if did.text.isdigit() and len(did.text) < 7 else 0, self._another()
        if name.kind != "name" or which < 1 or (did is not None and did.kind != "name"):
            form = f"{token.text}(landing)" + f" or {token.text}(landing, 2)" * timed
            raise ExpressionError(f"{token.text} takes the name of an event: write {form}, or {token.text}(floor, impact)", token.offset)
        self._close(bracket)
        inner = ", ".join([name.text, *([str(which)] if timed else []), *([] if did is None else [did.text])])
        return self._counted(Name(f"{token.text}({inner})", token.offset))

    def _another(self) -> Token | None:  # after a comma
        return self._next() and self._next() if self._peek().text == "," else None

    def _path_error(self, token: Token) -> Node:
        """The points of a file, or those that stand in its place."""
        bracket, point, comma = self._next(), self._next(), self._next()
        if point.kind != "name" or ":" in point.text or comma.text != ",":
            raise ExpressionError(f"{paths.PATH_ERROR} takes {paths.TAKES}", token.offset)
        first = self._peek()
        if first.offset in self.files:
            self._next()
            curve = self.curves[first.offset] = paths.read_curve(self.files[first.offset], first.offset)
        else:
            heads, numbers = [], list[float]()
            while self._peek().text != ")":
                given = self._expression(0)
                if isinstance(given, Number):
                    numbers.append(given.value)
                elif isinstance(given, Name) and not numbers:
                    heads.append(given.name)
                else:
                    raise ExpressionError(f"{paths.PATH_ERROR} takes {paths.TAKES}", given.offset)
                if self._peek().text != ",":
                    break
                self._next()
            curve = paths.given_curve(heads, numbers, first.offset)
        self._close(bracket)
        return self._counted(paths.path_call(tuple(Name(f"{point.text}.{axis}", point.offset) for axis in curve.axes), curve, token.offset))


def _refuse_equality(condition: Call) -> None:
    for node in walk(condition):
        if isinstance(node, Call) and node.function in ("==", "!="):
            raise ExpressionError("rows seldom meet a number exactly; compare with < or >", node.offset)


def check(expression: Expression, names: Names) -> str:
    """The units of a functional, "1" where it is composed. Raises ExpressionError for an unknown name, and for what is no number."""
    found = _Checker(names)
    kind = found.kind(expression.tree)
    if kind != NUMBER:
        what = {HISTORY: "max(...), at(..., t), final(...)", VECTOR: "max(norm(...))"}[kind]
        raise ExpressionError(f"this is {kind} and not a number; write for example {what}", expression.tree.offset)
    return _units(expression.tree, found)


class _Checker:
    """The kinds of the parts of an expression."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.found: dict[str, Quantity] = {}

    def kind(self, node: Node) -> str:
        """Raises ExpressionError."""
        if isinstance(node, Number):
            return NUMBER
        try:
            if isinstance(node, Name):
                return self._find(node.name).kind
            if node.function in MEASURING:
                return self.names.function(node.function, _arguments(node)).kind
        except FunctionalError as error:
            raise ExpressionError(str(error), node.offset) from None
        kinds = [self.kind(argument) for argument in node.arguments]
        if isinstance(node, paths.PathError):
            return NUMBER
        if node.function == NORM:
            if VECTOR in kinds and len(kinds) > 1:
                raise ExpressionError(f"norm takes one vector, or components (got {', '.join(kinds)})", node.offset)
            return NUMBER if set(kinds) == {NUMBER} else HISTORY
        if VECTOR in kinds:
            place = node.arguments[kinds.index(VECTOR)]
            hint = f"; write norm({place.name}) or {place.name}:x" if isinstance(place, Name) else ""
            raise ExpressionError(f"a vector is not allowed here{hint}", place.offset)
        if is_reduction(node):
            for k, (kind, argument) in enumerate(zip(kinds, node.arguments, strict=True)):
                if kind != (HISTORY if k == 0 else NUMBER):
                    needed = HISTORY if k == 0 else NUMBER
                    raise ExpressionError(f"{node.function} takes {needed} here (got {kind})", argument.offset)
            return NUMBER
        return HISTORY if HISTORY in kinds else NUMBER

    def _find(self, name: str) -> Quantity:
        if name not in self.found:
            self.found[name] = self.names.find(name)
        return self.found[name]


def is_reduction(node: Call) -> bool:
    """Whether a call makes a number of a history; `max` and `min` of several values do not."""
    return node.function in REDUCTIONS and (node.function not in ("max", "min") or len(node.arguments) == 1)


def _arguments(node: Call) -> list[str]:
    return [argument.name for argument in node.arguments if isinstance(argument, Name)]


def _units(node: Node, found: _Checker) -> str:
    if isinstance(node, Name):
        return found.found[node.name].units
    if not isinstance(node, Call):
        return "1"
    if node.function in MEASURING:
        return found.names.function(node.function, _arguments(node)).units
    if node.function in TIMES:
        return "s"
    if isinstance(node, paths.PathError):
        return "m2"
    if node.function == "frequency":
        return "Hz"
    if node.function in ("dissipated", "lost"):
        return "J"
    if (is_reduction(node) and node.function in KEEPS_UNITS) or node.function in ("abs", "neg", NORM):
        return _units(node.arguments[0], found)
    if node.function == "integral":
        inner = _units(node.arguments[0], found)
        return f"{inner} s" if inner != "1" else "1"
    return "1"


def history(expression: Expression, names: Names) -> tuple[Floats, str]:
    """The values of an expression over the rows, (k,) or (k, 3) of a vector, and their units, "1" where it is composed.

    Raises ExpressionError for an unknown name, and for what is one number of the run.
    """
    found = _Checker(names)
    if found.kind(expression.tree) == NUMBER:
        raise ExpressionError("this is one number of the run and no history; `mbsim info --output` prints it", expression.tree.offset)
    units = _units(expression.tree, found)
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(value_of(expression.tree, names), float)
        except (ReductionError, FunctionalError) as error:
            raise ExpressionError(str(error), expression.tree.offset) from None
    return values, units


def named(expression: Expression, names: Names) -> Quantity:
    """What a name stands for that is an abbreviation of an expression. Raises FunctionalError for an unknown name in it."""
    found = _Checker(names)
    try:
        kind, units = found.kind(expression.tree), _units(expression.tree, found)
    except ExpressionError as error:
        raise FunctionalError(error.message) from None
    return Quantity(kind, units, lambda: value_of(expression.tree, names))


def evaluate(expression: Expression, names: Names) -> float:
    """The number of a functional that `check` accepted. Raises FunctionalError where the run has none."""
    with np.errstate(all="ignore"):
        try:
            return float(value_of(expression.tree, names))
        except ReductionError as error:
            raise FunctionalError(str(error)) from None


def value_of(node: Node, names: Names, each: Callable[..., Any] = operator.call) -> Any:
    """The value of a part of a tree, of no more than tree.MAX_DEPTH. `each(function, time, values, ...)` calls what reduces a history."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return names.find(node.name).values()
    if node.function in MEASURING:
        return names.function(node.function, _arguments(node)).values()
    if isinstance(node, paths.PathError):
        time = names.time
        coordinates = [np.broadcast_to(np.asarray(value_of(argument, names, each), float), time.shape) for argument in node.arguments]
        return each(paths.mean_squared_distance, time, np.stack(coordinates, axis=-1), node.curve)
    if node.function == NORM:
        parts = [np.asarray(value_of(argument, names, each)) for argument in node.arguments]
        if len(parts) == 1:
            is_vector = parts[0].ndim > 1 and parts[0].ndim > names.time.ndim
            return np.sqrt(np.einsum("...i,...i->...", parts[0], parts[0])) if is_vector else np.abs(parts[0])
        return np.sqrt(sum(part * part for part in parts))
    if is_reduction(node):
        time = names.time
        if not len(time):
            raise FunctionalError("the run has no rows")
        first = _margin(node.arguments[0], names, each) if node.function in WHEN else value_of(node.arguments[0], names, each)
        history = np.asarray(first, float)
        if history.shape != time.shape:
            history = np.broadcast_to(history, time.shape)
        return each(REDUCTIONS[node.function], time, history, *(value_of(argument, names, each) for argument in node.arguments[1:]))
    return COLUMNS[node.function](*(value_of(argument, names, each) for argument in node.arguments))


def _margin(node: Node, names: Names, each: Callable[..., Any]) -> Any:
    """A number (k,) that is above zero where a condition holds, so that its crossings are found between rows."""
    assert isinstance(node, Call)
    if node.function == "not":
        return -_margin(node.arguments[0], names, each)
    if node.function in COMPARISONS:
        a, b = (value_of(argument, names, each) for argument in node.arguments)
        return a - b if node.function.startswith(">") else b - a
    margins = [_margin(argument, names, each) for argument in node.arguments]
    return np.minimum(*margins) if node.function == "and" else np.maximum(*margins)


def split_name(given: str) -> tuple[str, str]:
    """`peak = max(x)` -> the name and the functional; a functional without a name is its own."""
    found = re.match(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(?!=)\s*(.+)", given, re.DOTALL)
    return (found[1], found[2]) if found else (given.strip(), given)


def numbers_of(expressions: Mapping[str, Expression], names: Names) -> tuple[dict[str, float], dict[str, str]]:
    """The number of each, NaN where there is none, and for these the reason."""
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for name, expression in expressions.items():
        try:
            values[name] = evaluate(expression, names)
        except FunctionalError as error:
            values[name], reasons[name] = float("nan"), str(error)
        if np.isnan(values[name]):
            reasons.setdefault(name, "this run has no such number")
    return values, reasons
