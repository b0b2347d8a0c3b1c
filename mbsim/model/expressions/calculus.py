"""Expressions made of expressions: names replaced by expressions, and exact derivatives by time and by names.

`mbsim.system` differentiates with SymPy when it makes code. What is done here becomes part of the law itself, so that a run whose code is
kept needs no SymPy.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from mbsim.model.expressions.expression import parse
from mbsim.model.expressions.parsed import Call, Expression, Name, Node, walk
from mbsim.model.expressions.rates import differentiate, with_arguments
from mbsim.model.file.errors import ExpressionError


def substitute(template: Expression, values: Mapping[str, Expression]) -> Expression:
    """The template with these names replaced by expressions. Raises ExpressionError where it is nested too deeply."""
    if not values:
        return template
    tree = _replace(template.tree, {name: value.tree for name, value in values.items()})
    words = "|".join(sorted(map(re.escape, values), key=len, reverse=True))
    text = re.sub(rf"(?<![\w.])({words})(?![\w.])", lambda found: f"({values[found[1]].text})", template.text)
    return Expression(text, tree, _names(tree))


def derivative(expression: Expression, rate: Callable[[str], Expression | None]) -> Expression:
    """The derivative of an expression by time. `rate` gives that of a name, None where it is not known.

    abs, min, if_else and the like have the derivative of the case that holds; where they jump, they have none that counts.
    Raises ExpressionError for a name without a rate, at its character, and where the derivative is nested too deeply.
    """
    rates: dict[str, Node] = {}
    for node in walk(expression.tree):
        if isinstance(node, Name) and node.name not in rates:
            found = rate(node.name)
            if found is None:
                raise ExpressionError(f"the rate of '{node.name}' is not known", node.offset)
            rates[node.name] = found.tree
    tree = differentiate(expression.tree, rates)
    return Expression(f"d/dt({expression.text})", tree, _names(tree))


def partial(expression: Expression, name: str) -> Expression:
    """The derivative of an expression by one of its names, all others held. Raises ExpressionError where it is nested too deeply."""
    found = derivative(expression, lambda other: parse(float(other == name)))
    return replace(found, text=f"d/d{name}({expression.text})")


def _names(tree: Node) -> frozenset[str]:
    return frozenset(node.name for node in walk(tree) if isinstance(node, Name))


def _replace(node: Node, values: Mapping[str, Node]) -> Node:
    if isinstance(node, Name):
        return values.get(node.name, node)
    if not isinstance(node, Call):
        return node
    return with_arguments(node, tuple(_replace(argument, values) for argument in node.arguments))
