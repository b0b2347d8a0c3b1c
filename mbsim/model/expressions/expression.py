"""Expressions as users write them: `m*rho^2/8*(der(theta)^2 + der(psi)^2*sin(theta)^2)`.

Nothing here is Python's parser or evaluator: the text is cut into tokens, an operator-precedence parser (Pratt 1973) builds a tree of
the known operators and functions only, and `evaluate` interprets it. Both `^` and `**` are powers, right-associative and stronger than a
minus before them. Length, node count and depth are bounded, so hostile text costs microseconds.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from mbsim.model.expressions.evaluation import check_constants, evaluate
from mbsim.model.expressions.functions import FUNCTIONS, MEASURING, Function
from mbsim.model.expressions.parsed import (
    COMPARISONS,
    CONDITIONS,
    MAX_DEPTH,
    MAX_EXPONENT,
    MAX_LENGTH,
    MAX_NODES,
    Call,
    Expression,
    Lookup,
    Name,
    Node,
    Number,
    at_offset,
    call,
    extend_chain,
    lookup,
    walk,
)
from mbsim.model.expressions.poses import ABBREVIATIONS, AXES, is_speed, rate_of_state, write_out
from mbsim.model.expressions.rates import differentiate
from mbsim.model.expressions.separations import SEPARATIONS, write_separation
from mbsim.model.expressions.tokens import WORDS, Token, tokens
from mbsim.model.expressions.usual_words import spelled, usual_word
from mbsim.model.file.errors import ExpressionError, Mark, did_you_mean, nearest, shown
from mbsim.model.file.plain import Plain

if TYPE_CHECKING:
    from mbsim.model.expressions.tables import Table

__all__ = ["Expression", "ExpressionError", "check_constants", "evaluate", "parse"]

_BINDING = {"or": 1, "and": 2, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "^": 8}
_NOT_BINDING = 3
_MINUS_BINDING = 7  # weaker than a power: -x^2 is -(x^2)
CONSTANTS = {"pi": math.pi}
_SHORT = 200  # characters
_LONG = 4000  # characters; longer texts are not kept
_TABLE = Function(1, 1)  # a call of one of the user's


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What an expression may call and name besides the functions of all expressions."""

    tables: "Mapping[str, Table]" = field(default_factory=dict)
    states: Collection[str] = ()  # a constant whose name is among them, `pi` of a controller, is that state
    named: Mapping[str, Expression] = field(default_factory=dict)  # what names stand for (`let`)
    constants: Collection[str] = ()  # names whose rates are zero: parameters
    planar: bool = False  # bodies have an angle in place of a quaternion
    measure: bool = False  # it may call the functions of measures
    second_rates: bool = False  # it may name accelerations: der(der(theta))


def parse(
    text: Plain,
    mark: Mark | None = None,
    tables: "Mapping[str, Table] | None" = None,
    measure: bool = False,
    states: Collection[str] = (),
    planar: bool = False,
    words: Vocabulary | None = None,
) -> Expression:
    """Parse one expression (a YAML number is one, too). It may call the `tables` by name, and in a measure functions of bodies.

    `words` in place of `tables`, `measure`, `states` and `planar`, which mean what they mean there.
    Returns the Expression, which keeps `mark`. Raises ExpressionError with the offset of the faulty character.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise ExpressionError(f"expected a number or an expression (got {shown(text)})")
    if not isinstance(text, str):
        return Expression(str(float(text)) if _is_finite(text) else "", _number(text, 0), frozenset(), mark)
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {MAX_LENGTH} characters")
    words = words or Vocabulary(tables or {}, states, planar=planar, measure=measure, second_rates=measure)
    plain = not words.tables and not words.states and not words.named and not (words.constants and "der" in text)
    if mark is None and plain and len(text) <= _LONG:
        once = _parse_once if len(text) <= _SHORT else _parse_long_once
        return once(text, words.planar, words.measure, words.second_rates)
    return _parse(text, mark, words)


def _parse(text: str, mark: Mark | None, words: Vocabulary) -> Expression:
    parser = Parser(tokens(text), words)
    tree = parser.parse()
    for offset, name in reversed(parser.used.items()):  # so that the text means the same where these names are not known
        text = f"{text[:offset]}({words.named[name].text}){text[offset + len(name) :]}"
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {MAX_LENGTH} characters with what its names stand for")
    names = frozenset(node.name for node in walk(tree) if isinstance(node, Name))
    return Expression(text, tree, names, mark, tuple(parser.used.items()))


@lru_cache(4096)
def _parse_once(text: str, planar: bool, measure: bool, second_rates: bool) -> Expression:
    """An expression that depends on its text only. A study reads the same ones for each of its runs."""
    return _parse(text, None, Vocabulary(planar=planar, measure=measure, second_rates=second_rates))


@lru_cache(1024)
def _parse_long_once(text: str, planar: bool, measure: bool, second_rates: bool) -> Expression:
    """The same of a longer text. A run through contacts makes laws of friction anew with each change of what holds."""
    return _parse(text, None, Vocabulary(planar=planar, measure=measure, second_rates=second_rates))


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the largest float
        return False


def _number(value: float | str, offset: int) -> Number:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ExpressionError("the number is not finite", offset)
    return Number(number, offset)


class Parser:
    """One pass over the tokens. Recursion happens at brackets, calls, signs and the right side of operators, and is counted."""

    def __init__(self, tokens: list[Token], words: Vocabulary) -> None:
        self._tokens, self._words = tokens, words
        self._measuring = MEASURING if words.measure else {}
        self._position = self._depth = self._nodes = 0
        self._inside_rate = False  # of der(...), where functions of places are written out, because that has a rate
        self.used: dict[int, str] = {}  # names of `Vocabulary.named` by their places in the text

    def parse(self) -> Node:
        tree = self._expression(0)
        token = self._next()
        if token.kind != "end":
            raise ExpressionError(self._left_over(token), token.offset)
        return self._value(tree)

    def _left_over(self, token: Token) -> str:
        """What is wrong with the token behind an expression."""
        if token.text == ")":
            return "')' without '('"
        before, after = self._tokens[self._position - 2], self._peek()
        if token.text == "," and before.kind == after.kind == "number" and before.text.isdigit():
            return f"a number has a decimal point and no comma: {before.text}.{after.text}"
        return f"expected an operator before {_quote(token)}"

    def _peek(self) -> Token:
        return self._tokens[self._position]

    def _next(self) -> Token:
        token = self._tokens[self._position]
        if token.kind != "end":
            self._position += 1
        return token

    def _expression(self, binding: int) -> Node:
        """Parse everything that binds more strongly than `binding`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"the expression is nested more than {MAX_DEPTH} deep", self._peek().offset)
        left = self._operand()
        while (strength := _BINDING.get(self._peek().text, 0)) > binding:
            operator = self._next()
            # A power is right-associative: its right side may hold another power (and a minus of its own, which is an operand).
            right = self._expression(strength - 1 if operator.text == "^" else strength)
            left = self._joined(operator, left, right)
        self._depth -= 1
        return left

    def _joined(self, operator: Token, left: Node, right: Node) -> Node:
        word = operator.text
        if word in WORDS:
            return self._call(word, (self._condition(left, word), self._condition(right, word)), operator.offset)
        left, right = self._value(left), self._value(right)
        if word in COMPARISONS and self._peek().text in COMPARISONS:
            raise ExpressionError("write 'a < b and b < c' instead of 'a < b < c'", self._peek().offset)
        if word == "-":
            word, right = "+", self._call("neg", (right,), operator.offset)
        if word == "^" and isinstance(right, Number) and not isinstance(left, Number) and abs(right.value) > MAX_EXPONENT:
            raise ExpressionError(f"the exponent is larger than {MAX_EXPONENT:g}", right.offset)
        if word in "+*" and isinstance(left, Call) and left.function == word:
            return self._counted(extend_chain(left, right))
        return self._call(word, (left, right), operator.offset)

    def _operand(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return self._counted(_number(token.text, token.offset))
        if token.text in ("-", "+"):
            operand = self._value(self._expression(_MINUS_BINDING))
            if token.text == "+":
                return operand
            if isinstance(operand, Number):
                return Number(-operand.value, token.offset)
            return self._call("neg", (operand,), token.offset)
        if token.text == "not":
            return self._call("not", (self._condition(self._expression(_NOT_BINDING), "not"),), token.offset)
        if token.text == "(":
            inner = self._expression(0)
            self._close(token)
            return inner
        if token.kind == "name" and token.text not in WORDS:
            return self._function(token) if self._peek().text == "(" else self._name(token)
        raise ExpressionError(
            "the expression is empty" if len(self._tokens) == 1 else f"expected a number, a name or '(' {_where(token)}", token.offset
        )

    def _name(self, token: Token) -> Node:
        if token.text in self._words.named:
            return self._named(token)
        if token.text in CONSTANTS and token.text not in self._words.states:
            return self._counted(Number(CONSTANTS[token.text], token.offset))
        if token.text in FUNCTIONS or token.text in self._words.tables:
            kind = "function" if token.text in FUNCTIONS else "table"
            raise ExpressionError(f"'{token.text}' is a {kind}; write {token.text}(...)", token.offset)
        if any(part.startswith("__") for part in token.text.split(".")):
            raise ExpressionError(f"unknown name {_quote(token)}", token.offset)
        return self._counted(Name(token.text, token.offset))

    def _named(self, token: Token) -> Node:
        """What a name stands for."""
        tree = self._words.named[token.text].tree
        self._nodes += sum(1 for _ in walk(tree)) - 1
        self.used[token.offset] = token.text
        return self._counted(at_offset(tree, token.offset))

    def _written_out(self, text: str, offset: int) -> Node:
        """The tree of a text that an abbreviation stands for."""
        inner = Parser(tokens(text), Vocabulary(planar=self._words.planar))
        tree = inner._expression(0)
        self._nodes += inner._nodes
        return self._counted(at_offset(tree, offset))

    def _abbreviated(self, token: Token) -> Node:
        """What a function of a body's orientation stands for: `axis(wheel, y).z`."""
        said = ABBREVIATIONS[token.text]
        bracket, read = self._next(), list[Token]()
        while self._peek().kind != "end" and self._peek().text != ")":
            read.append(self._next())
        self._close(bracket)
        given = read[::2] or [bracket]
        plain = all(one.kind == "name" and "." not in one.text and one.text not in WORDS for one in given)
        plain = plain and len(read) == 2 * len(given) - 1 and all(comma.text == "," for comma in read[1::2])
        if len(given) != said.count or not plain or (said.count > 1 and given[1].text not in AXES):
            raise ExpressionError(f"{token.text} takes {said.takes}", given[0].offset)
        component = ""
        if said.vector:
            part = self._next()
            component = part.text[1:]
            if part.kind != "attribute" or component not in AXES:
                written = ", ".join(one.text for one in given)
                raise ExpressionError(f"{token.text} is a vector; write {token.text}({written}).x, .y or .z", token.offset)
        try:
            text = write_out(token.text, given[0].text, given[-1].text, component, self._words.planar)
        except ValueError as error:
            raise ExpressionError(str(error), token.offset) from None
        return self._written_out(text, given[0].offset)

    def _function(self, token: Token) -> Node:
        tables, is_separation = self._words.tables, token.text in SEPARATIONS
        if token.text in ABBREVIATIONS and token.text not in tables:
            return self._abbreviated(token)
        if token.text in MEASURING and not self._measuring and not is_separation and token.text not in tables:
            raise ExpressionError(f"{_quote(token)} is a function of measures only", token.offset)
        known = [*FUNCTIONS, *tables, *self._measuring, *ABBREVIATIONS, *SEPARATIONS]
        if token.text not in known:
            near = nearest(token.text, known)
            hint = f"; did you mean '{near}'?" if near else f"; allowed: {' '.join(sorted(set(known)))}"
            raise ExpressionError(f"unknown function {_quote(token)}{hint}", token.offset)
        bracket = self._next()
        arguments: list[Node] = []
        around, self._inside_rate = self._inside_rate, self._inside_rate or token.text == "der"
        if self._peek().text != ")":
            arguments.append(self._expression(0))
            while self._peek().text == ",":
                self._next()
                arguments.append(self._expression(0))
        self._inside_rate = around
        self._close(bracket)
        function = FUNCTIONS.get(token.text) or (_TABLE if token.text in tables else MEASURING[token.text])
        if not function.fits(len(arguments)) or (token.text == "step" and 1 < len(arguments) < 5):
            raise ExpressionError(f"{token.text} takes {function.arguments} (got {len(arguments)})", token.offset)
        if token.text == "der":
            return self._derivative(token, arguments[0])
        if token.text in tables:
            return self._counted(lookup(tables[token.text], self._value(arguments[0]), token.offset))
        if token.text in MEASURING:
            return self._of_bodies(token, function, arguments)
        if token.text == "if_else":
            first = self._condition(arguments[0], "if_else")
            return self._call("if_else", (first, *map(self._value, arguments[1:])), token.offset)
        return self._call(token.text, tuple(map(self._value, arguments)), token.offset)

    def _of_bodies(self, token: Token, function: Function, arguments: list[Node]) -> Node:
        """A function of bodies and points: a call of measures, or written out in the places of the points."""
        given = list[Name]()
        for argument in arguments:
            if not isinstance(argument, Name) or argument.name.startswith("der("):
                raise ExpressionError(f"{token.text} takes the names of {function.names}", argument.offset)
            given.append(argument)
        if token.text in SEPARATIONS and (self._inside_rate or not self._measuring):
            text = write_separation(token.text, [name.name for name in given], self._words.planar)
            return self._written_out(text, given[0].offset)
        if function.vector:
            part = self._next()
            if part.kind != "attribute" or part.text[1:] not in AXES:
                written = ", ".join(name.name for name in given)
                raise ExpressionError(f"{token.text} is a vector; write {token.text}({written}).x, .y or .z", token.offset)
            given.append(Name(part.text[1:], part.offset))
        return self._call(token.text, tuple(given), token.offset)

    def _derivative(self, token: Token, argument: Node) -> Node:
        orders = argument.name.count("der(") if isinstance(argument, Name) else 0
        if orders > self._words.second_rates:  # second derivatives are known only after the run
            raise ExpressionError("der takes the name of one coordinate or body state, for example der(theta)", token.offset)
        if isinstance(argument, Name):
            return Name(f"der({argument.name})", token.offset)
        for node in walk(self._value(argument)):
            if isinstance(node, Call) and node.function in MEASURING and not isinstance(node, Lookup):
                raise ExpressionError(f"the rate of {node.function} is not known", node.offset)
        names = {node.name: node for node in walk(argument) if isinstance(node, Name)}
        found = differentiate(argument, {name: self._rate(node) for name, node in names.items()})
        self._nodes += sum(1 for _ in walk(found))
        return self._counted(at_offset(found, token.offset))

    def _rate(self, node: Name) -> Node:
        """The rate of a name inside of der(...)."""
        name = node.name
        if name == "t" or name in self._words.constants:
            return Number(float(name == "t"))
        if is_speed(name) and (name.startswith("der(der(") or not self._words.second_rates):
            raise ExpressionError(f"the rate of {name} is an acceleration, which is not known here", node.offset)
        text = None if self._words.planar else rate_of_state(name)
        return self._written_out(text, node.offset) if text else Name(f"der({name})", node.offset)

    def _close(self, bracket: Token) -> None:
        token = self._next()
        if token.text != ")":
            message = "'(' is never closed" if token.kind == "end" else f"expected ',' or ')' {_where(token)}"
            raise ExpressionError(message, bracket.offset if token.kind == "end" else token.offset)

    def _value(self, node: Node) -> Node:
        if isinstance(node, Call) and node.function in CONDITIONS:
            raise ExpressionError(f"'{node.function}' is allowed only in the first argument of if_else", node.offset)
        return node

    def _condition(self, node: Node, where: str) -> Node:
        if not isinstance(node, Call) or node.function not in CONDITIONS:
            place = "the first argument of if_else" if where == "if_else" else f"each side of '{where}'"
            raise ExpressionError(f"{place} must be a comparison, for example t < 1", node.offset)
        return node

    def _call(self, function: str, arguments: tuple[Node, ...], offset: int) -> Node:
        return self._counted(call(function, arguments, offset))

    def _counted(self, node: Node) -> Node:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ExpressionError(f"the expression has more than {MAX_NODES} parts", node.offset)
        return node


def _quote(token: Token) -> str:
    return f"'{token.text[:60]}'"


def _where(token: Token) -> str:
    return "at the end" if token.kind == "end" else f"before {_quote(token)}"


def unknown_name(expression: Expression, *allowed: Collection[str], absent: Collection[str] = ()) -> ExpressionError | None:
    """The error for the first name of `expression` that is in none of the `allowed` collections; None if there is none.

    It suggests none of the `absent` ones.
    """
    unknown = {name for name in expression.names if not any(name in names for names in allowed)}
    if not unknown:
        return None
    first = min((node for node in walk(expression.tree) if isinstance(node, Name) and node.name in unknown), key=lambda node: node.offset)
    if via := dict(expression.used).get(first.offset):
        return ExpressionError(f"'{via}' reads {first.name[:60]}, which is not known here", first.offset)
    name, choices = first.name, {name for names in allowed for name in names if name not in absent}
    return ExpressionError(f"unknown name '{spelled(name)[:60]}'{usual_word(name, choices) or did_you_mean(name, choices)}", first.offset)
