"""Symbols of a system and the rows that an equation gives: C, xi and eta by exact differentiation. Knows no Numba.

holonomic  phi(t, q) = 0:   C v + xi = (d/dt) phi,  eta = (d/dt)(C v + xi) at constant v, along q_dot = N(q) v
nonholonomic  psi(t, q, v) = C v + xi, linear in v; eta likewise
"""

import math
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from functools import cache, cached_property
from typing import TYPE_CHECKING

from mbsim.model.expressions.expression import Expression, ExpressionError
from mbsim.model.expressions.symbolic import to_sympy

if TYPE_CHECKING:
    import sympy


NOT_REAL = "this has no real, finite value, or its derivative has none"


class DerivationError(ValueError):
    """An energy or equation that does not have the form it must have; `path` is its place in the model file."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


class UnusableError(ValueError):
    """An expression that has no real, finite value wherever it is evaluated, or a derivative that has none."""

    def __init__(self, expression: Expression, message: str = NOT_REAL, offset: int = 0) -> None:
        super().__init__(f"{message}: {expression.text[:60]}")
        self.expression, self.message, self.offset = expression, message, offset


def usable(origin: Expression | None, derived: "Iterable[sympy.Expr]") -> None:
    """Raise UnusableError where something that follows from the expression `origin` cannot be written as a real, finite formula."""
    import sympy

    for e in derived:
        e = sympy.sympify(e)
        finite = all(math.isfinite(float(number)) for number in e.atoms(sympy.Float))
        if origin is not None and (not finite or e.has(*_not_real())):
            raise UnusableError(origin)


@cache
def _not_real() -> "tuple[sympy.Expr, ...]":
    import sympy

    return sympy.I, sympy.zoo, sympy.nan, sympy.oo, sympy.S.NegativeInfinity


class Symbols:
    """Symbols of t, parameters p0.., coordinates q0.., velocities v0.. and the user's names for them.

    SymPy is imported where one is asked for. `codes` has their names as text.
    """

    def __init__(self, parameters: list[str], coordinates: list[str], speeds: list[str]) -> None:
        self._count = len(coordinates), len(speeds)
        self.codes: dict[str, str] = {"t": "t"} | {name: f"p{i}" for i, name in enumerate(parameters)}
        self.codes |= {name: f"q{i}" for i, name in enumerate(coordinates)} | {name: f"v{i}" for i, name in enumerate(speeds)}
        self.told_names: frozenset[str] = frozenset()  # of coordinates that have no rate that is known

    @cached_property
    def t(self) -> "sympy.Expr":
        """Time."""
        return _symbol("t")

    @cached_property
    def q(self) -> "list[sympy.Expr]":
        """The coordinates and states."""
        return [_symbol(f"q{i}") for i in range(self._count[0])]

    @cached_property
    def v(self) -> "list[sympy.Expr]":
        """The speeds."""
        return [_symbol(f"v{i}") for i in range(self._count[1])]

    @cached_property
    def names(self) -> "dict[str, sympy.Expr]":
        """The symbol of each of the user's names."""
        return {name: _symbol(code) for name, code in self.codes.items()}

    @property
    def told(self) -> "frozenset[sympy.Expr]":
        """The symbols of `told_names`."""
        return frozenset(self.names[name] for name in self.told_names)

    def _with(self, codes: dict[str, str]) -> "Symbols":
        out = copy(self)
        vars(out).pop("names", None)
        out.codes = codes
        return out

    def with_told(self, told: Collection[str]) -> "Symbols":
        """These symbols, of which those of the states of these names have no rate that is known: units tell them."""
        out = copy(self)
        out.told_names = frozenset(told)
        return out

    def with_relative(self, relative: Mapping[str, int]) -> "Symbols":
        """These symbols, and g0.. and w0.. for values and rates of the coordinates named in `relative`: what laws of forces may read.

        A name that is known already keeps its meaning: where a body has the name of a joint, `arm.angle` is the body's.
        """
        found = {name: f"g{k}" for name, k in relative.items()} | {f"der({name})": f"w{k}" for name, k in relative.items()}
        return self._with(found | self.codes)

    def with_solved(self, solved: Mapping[str, str]) -> "Symbols":
        """These symbols, and those of what the equations of motion are solved for: a symbol of `codegen`, or `0`, for each name."""
        return self._with({**solved, **self.codes})

    def with_local(self, name: str, k: int) -> "Symbols":
        """These symbols and `name` and `rate`, which a force's law calls the value and the rate of relative coordinate k."""
        return self._with(self.codes | {name: f"g{k}", f"der({name})": f"w{k}", "rate": f"w{k}"})

    def read(self, expression: Expression | None) -> "sympy.Expr":
        import sympy

        if expression is None:
            return sympy.Integer(0)
        try:
            found = to_sympy(expression, self.names)
        except ExpressionError as error:
            raise UnusableError(expression, error.message, error.offset) from None
        usable(expression, [found])
        return found


def _symbol(code: str) -> "sympy.Expr":
    import sympy

    return sympy.Integer(0) if code == "0" else sympy.Symbol(code, real=True)


def total_rate(expression: "sympy.Expr", symbols: Symbols, rates_: "list[sympy.Expr]") -> "sympy.Expr":
    """d/dt along q_dot = rates_, at constant v."""
    import sympy

    terms = [expression.diff(q) * rate for q, rate in zip(symbols.q, rates_, strict=True)]
    return sympy.Add(expression.diff(symbols.t), *terms)


def derivatives(expression: "sympy.Expr", symbols: Symbols, rates_: "list[sympy.Expr]") -> "dict[int, sympy.Expr]":
    """d(expression)/dd of a displacement d, which moves q as speeds do along q_dot = rates_: by the index of d; zeros are left out."""
    import sympy

    coordinates, speeds = ({symbol: k for k, symbol in enumerate(group)} for group in (symbols.q, symbols.v))
    found: dict[int, sympy.Expr] = {}
    for at in sorted(coordinates[symbol] for symbol in expression.free_symbols & coordinates.keys()):
        slope = expression.diff(symbols.q[at])
        for k in sorted(speeds[symbol] for symbol in rates_[at].free_symbols & speeds.keys()):
            found[k] = found.get(k, sympy.Integer(0)) + slope * rates_[at].diff(symbols.v[k])
    return {k: e for k, e in found.items() if e != 0}


def holonomic_row(
    phi: "sympy.Expr", symbols: Symbols, rates_: "list[sympy.Expr]", path: str
) -> "tuple[list[sympy.Expr], sympy.Expr, sympy.Expr]":
    """C, xi, eta of phi(t, q) = 0."""
    if phi.free_symbols & set(symbols.v):
        raise DerivationError(path, "a holonomic equation must not contain der(...); write `type: nonholonomic`")
    if not phi.free_symbols & set(symbols.q):
        raise DerivationError(path, "this equation contains no coordinate")
    rate = total_rate(phi, symbols, rates_)
    row = [rate.diff(v) for v in symbols.v]
    if not any(row):
        raise DerivationError(path, "no coordinate moves this: it jumps from value to value")
    return row, phi.diff(symbols.t), total_rate(rate, symbols, rates_)


def nonholonomic_row(
    psi: "sympy.Expr", symbols: Symbols, rates_: "list[sympy.Expr]", path: str
) -> "tuple[list[sympy.Expr], sympy.Expr, sympy.Expr]":
    """C, xi, eta of psi(t, q, v) = C v + xi = 0."""
    import sympy

    if not psi.free_symbols & set(symbols.v):
        raise DerivationError(path, "a nonholonomic equation must contain der(...); write `type: holonomic`")
    row = [psi.diff(v) for v in symbols.v]
    if any(c.free_symbols & set(symbols.v) for c in row):
        row = [sympy.simplify(sympy.expand(c)) for c in row]
    if any(c.free_symbols & set(symbols.v) for c in row):
        raise DerivationError(path, "only equations linear in the velocities can be honoured; this one is not")
    xi = psi.subs(dict.fromkeys(symbols.v, 0))
    linear = sympy.Add(xi, *(c * v for c, v in zip(row, symbols.v, strict=True)))
    return row, xi, total_rate(linear, symbols, rates_)
