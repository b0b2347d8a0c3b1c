"""The parsed form of an expression: its kinds of node."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mbsim.model.expressions.functions import SWITCHES
from mbsim.model.expressions.tables import Table
from mbsim.model.file.errors import ExpressionError, Mark

MAX_LENGTH = 20_000  # characters of one expression
MAX_NODES = 5_000
MAX_DEPTH = 60  # evaluation, translation and differentiation recurse this deep
MAX_SWITCH_DEPTH = 6  # abs, min, if_else ... inside each other; derivatives of nested cases grow exponentially
MAX_EXPONENT = 100.0  # of a varying base; a larger one overflows for any useful base

# Functions that stand for terms in states, which ones, the model around the text decides; so do rates of expressions.
_WRITTEN_OUT = re.compile(r"\b(yaw|pitch|roll|axis|angular_velocity|distance|angle)\s*\(|\bder\s*\((?!\s*[\w.]+\s*\))")

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
CONDITIONS = COMPARISONS | {"and", "or", "not"}


@dataclass(frozen=True, slots=True)
class Number:
    """A constant; `pi` is one."""

    value: float
    offset: int = 0
    depth: int = 1
    switches: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, `t`, a coordinate (`theta`), a body state (`crank.x`, `disk.omega.z`) or a rate: `der(theta)`, `der(crank.x)`."""

    name: str
    offset: int = 0
    depth: int = 1
    switches: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator with its arguments.

    Operators: `+` and `*` with two or more arguments (a difference is a sum with a `neg`), `/`,
    `^`, `neg`, comparisons, `and`, `or`, `not`.
    """

    function: str
    arguments: "tuple[Node, ...]"
    offset: int
    depth: int
    switches: int  # nesting depth of functions with cases (abs, min, if_else ...)


@dataclass(frozen=True, slots=True)
class Lookup(Call):
    """The value of a table, or a derivative of it, at its one argument; `function` is the table's name."""

    table: Table
    order: int = 0  # of the derivative that is taken


Node = Number | Name | Call


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression. `names` are the canonical names that it depends on; constants have none."""

    text: str
    tree: Node
    names: frozenset[str]
    mark: Mark | None = None  # where its text begins, when known
    used: tuple[tuple[int, str], ...] = ()  # names that the text does not hold any more, because they stand for others, and their places

    def __str__(self) -> str:
        return self.text

    @property
    def lookups(self) -> "list[Lookup]":
        """The calls of tables in it."""
        return [node for node in walk(self.tree) if isinstance(node, Lookup)]

    @property
    def key(self) -> str:
        """The key of code that is derived from it: the text, the tables that it calls, without their data, and what abbreviations mean."""
        tables = {f"{node.function}={node.table.index}" for node in self.lookups}
        written_out = sorted(self.names) if _WRITTEN_OUT.search(self.text) else []
        return " | ".join([self.text, *sorted(tables), *written_out])


def call(function: str, arguments: tuple[Node, ...], offset: int) -> Call:
    """A Call with its depth; raises ExpressionError beyond the bounds."""
    depth = 1 + max(argument.depth for argument in arguments)
    switches = max(argument.switches for argument in arguments) + (function in SWITCHES)
    if depth > MAX_DEPTH:
        raise ExpressionError(f"the expression is nested more than {MAX_DEPTH} deep", offset)
    if switches > MAX_SWITCH_DEPTH:
        raise ExpressionError(f"more than {MAX_SWITCH_DEPTH} functions with cases ({function}, ...) inside each other", offset)
    return Call(function, arguments, offset, depth, switches)


def at_offset(tree: Node, offset: int) -> Node:
    """The same tree, every part of which is said to stand at one place of the text."""
    if isinstance(tree, Call):
        return replace(tree, offset=offset, arguments=tuple(at_offset(argument, offset) for argument in tree.arguments))
    return replace(tree, offset=offset)


def lookup(table: Table, argument: Node, offset: int) -> Lookup:
    """A call of a table with its depth; raises ExpressionError beyond the bounds."""
    made = call(table.name, (argument,), offset)
    return Lookup(made.function, made.arguments, offset, made.depth, made.switches, table)


def extend_chain(chain: Call, last: Node) -> Call:
    """A sum or product with one more argument. So a long sum is one node and not a deep tree."""
    if last.depth >= MAX_DEPTH:
        raise ExpressionError(f"the expression is nested more than {MAX_DEPTH} deep", last.offset)
    depth, switches = max(chain.depth, last.depth + 1), max(chain.switches, last.switches)
    return Call(chain.function, (*chain.arguments, last), chain.offset, depth, switches)


def combine(terms: Sequence[tuple[float, Expression]]) -> Expression:
    """The sum of factor times expression. Raises ExpressionError if it is nested too deeply."""
    products = tuple(call("*", (Number(factor), e.tree), 0) for factor, e in terms)
    tree = call("+", products, 0) if len(products) > 1 else products[0]
    return Expression(" + ".join(f"{factor!r}*({e.text})" for factor, e in terms), tree, frozenset().union(*(e.names for _, e in terms)))


def walk(tree: Node) -> Iterator[Node]:
    """Every node of a tree, in no particular order."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Call):
            waiting.extend(node.arguments)
