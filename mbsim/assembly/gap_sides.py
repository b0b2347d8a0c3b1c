"""The sides of a gap that turns at once: `y - 0.1*abs(x)` are two sides, `y - 0.1*x` and `y + 0.1*x`, and the gap is the lower of both.

A row holds one side. Where a gap of cases is one row, its rate jumps as the motion comes to another case, and what holds there no one says:
a point that falls into a valley is pressed by both sides, and one that comes over an edge leaves. abs, max and min, summed and with
constant factors, are written as the least of heights, each of which is the greatest of sides:

    gap = min over valleys of (max over edges of side)

Each side is a contact. Those of one height are as the sides of a polygon that a point touches: of them one counts, the greatest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from mbsim.model.expressions.expression import Expression, evaluate
from mbsim.model.expressions.parsed import Call, Name, Node, Number, call, walk
from mbsim.model.file.errors import ExpressionError

MOST = 16  # sides of one gap

Sides = list[list[Node]]  # the least of the greatest


@dataclass(frozen=True)
class Side:
    """One of a gap."""

    height: Expression  # above it: what its row keeps
    gap: Expression  # the height, made greater where the side ends
    edge: Expression | None  # how far it is from its end; None where it has none
    group: int  # of those that one point may touch


def sides(gap: Expression, parameters: Mapping[str, float]) -> list[Side]:
    """Those of a gap; one where it does not turn. Raises ValueError for more than MOST."""
    groups = _sides(gap.tree, parameters, gap.text)
    count = sum(map(len, groups))
    if count == 1:
        return [Side(gap, gap, None, 0)]
    found: list[Side] = []
    for g, group in enumerate(groups):
        for k, node in enumerate(group):
            label, others = f"side {len(found) + 1} of ({gap.text})", [each for j, each in enumerate(group) if j != k]
            if not others:
                found.append(Side(height := _named(label, node), height, None, g))
                continue
            beyond = others[0] if len(others) == 1 else call("max", tuple(others), 0)
            edge = call("+", (node, call("neg", (beyond,), 0)), 0)
            below = call("max", (Number(0.0), call("neg", (edge,), 0)), 0)
            whole = call("+", (node, call("*", (Number(2.0), below), 0)), 0)
            found.append(Side(_named(label, node), _named(f"gap of {label}", whole), _named(f"edge of {label}", edge), g))
    return found


def _named(text: str, tree: Node) -> Expression:
    return Expression(text, tree, frozenset(node.name for node in walk(tree) if isinstance(node, Name)))


def _sides(node: Node, parameters: Mapping[str, float], text: str) -> Sides:
    found = _parts(node, parameters, text)
    if sum(map(len, found)) > MOST:
        raise ValueError(f"the gap '{text}' has more than {MOST} sides; give each as a contact of its own")
    return found


def _parts(node: Node, parameters: Mapping[str, float], text: str) -> Sides:
    if not isinstance(node, Call):
        return [[node]]
    if node.function in ("+", "max", "min"):
        each = [_sides(argument, parameters, text) for argument in node.arguments]
        if node.function == "+":
            return [[_sum(nodes) for nodes in product(*groups)] for groups in product(*each)]
        return _greatest(each) if node.function == "max" else [group for sides_of in each for group in sides_of]
    if node.function == "neg":
        return _times(_sides(node.arguments[0], parameters, text), -1.0, Number(-1.0))
    if node.function in ("*", "/"):
        factors = [(_constant(argument, parameters), argument) for argument in node.arguments]
        varying = [argument for value, argument in factors if value is None]
        if len(varying) != 1 or (varying[0] is not node.arguments[0] and node.function == "/"):
            return [[node]]
        value, others = 1.0, [argument for known, argument in factors if known is not None]
        for known, _ in factors:
            value *= 1.0 if known is None else known
        if value == 0.0:
            return [[node]]
        factor = _product(others) if node.function == "*" else call("/", (Number(1.0), others[0]), 0)
        return _times(_sides(varying[0], parameters, text), value, factor)
    if node.function == "abs":
        inner = _sides(node.arguments[0], parameters, text)
        return _greatest([inner, _times(inner, -1.0, Number(-1.0))])
    return [[node]]


def _greatest(each: list[Sides]) -> Sides:
    """The greatest of some."""
    return [[node for group in groups for node in group] for groups in product(*each)]


def _times(of: Sides, value: float, factor: Node) -> Sides:
    """Times a factor of this value; where it is below zero the least of the greatest becomes the greatest of the least."""
    scaled = [[_product([factor, node]) for node in group] for group in of]
    return scaled if value > 0.0 else [list(choice) for choice in product(*scaled)]


def _sum(nodes: tuple[Node, ...]) -> Node:
    return call("+", nodes, 0) if len(nodes) > 1 else nodes[0]


def _product(nodes: list[Node]) -> Node:
    return call("*", tuple(nodes), 0) if len(nodes) > 1 else nodes[0]


def _constant(node: Node, parameters: Mapping[str, float]) -> float | None:
    """The value of what does not vary; None of what does."""
    names = frozenset(each.name for each in walk(node) if isinstance(each, Name))
    if not names <= parameters.keys():
        return None
    try:
        return evaluate(Expression("", node, names), parameters)
    except ExpressionError:
        return None
