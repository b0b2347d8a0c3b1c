"""Many formulas that are alike, as those of contacts, as one loop over a table of what they read: Numba compiles a line once, not for each.

Formulas are alike where their code is the same but for the symbols and the numbers in it. Their values are those of a line for each, to the
last bit: the operations and their order are the same.

SymPy takes ten milliseconds for a law of friction and its derivatives. So formulas whose texts differ in their names alone are derived once
(`Likeness`): all others take the code of the first, with its order of terms, and read their own symbols.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mbsim.model.expressions.expression import Expression
from mbsim.model.expressions.parsed import Call, Lookup, Name, Node, Number
from mbsim.system.codegen import SOURCES, write
from mbsim.system.equations import Symbols

if TYPE_CHECKING:
    import sympy

ALIKE = 4  # formulas: a loop over fewer is no shorter than their lines

_SYMBOL = re.compile(rf"\b([{''.join(SOURCES)}])(\d+)\b")
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)")
_FAMILIES = {"d": "q", "a": "v", "w": "g", "r": "g"}  # first letter of the symbol of a rate -> that of what has this number, too


class Likeness(NamedTuple):
    """The text of an expression without its names, and the symbols that these stand for, as (letter, number) of what has a number."""

    kind: str
    places: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, expression: Expression, symbols: Symbols) -> "Likeness":
        """Names of symbols without a number, and of what is no symbol, stay in the text."""
        ranks: dict[tuple[str, int], int] = {}

        def told(node: Node) -> str:
            if isinstance(node, Name):
                symbol = symbols.codes.get(node.name, f"unknown {node.name}")
                if symbol[0] not in SOURCES or not symbol[1:].isdigit():
                    return symbol
                place = _FAMILIES.get(symbol[0], symbol[0]), int(symbol[1:])
                return f"{symbol[0]}#{ranks.setdefault(place, len(ranks))}"
            if isinstance(node, Number):
                return repr(node.value)
            assert isinstance(node, Call)
            name = f"table {node.table.index} {node.order}" if isinstance(node, Lookup) else node.function
            return f"{name}({','.join(map(told, node.arguments))})"

        return cls(told(expression.tree), tuple(ranks))

    def renamed(self, first: "Likeness", letter: str, number: int) -> int:
        """The number of its own symbol where that of the `first` of its kind is this."""
        return self.places[first.places.index((_FAMILIES.get(letter, letter), number))][1]


class Formula(NamedTuple):
    """What is written into line k of an array: an expression, or None for what is not known, for each column.

    With `first`, a formula of the same kind before it, the columns are those of that one, in its symbols.
    """

    k: int
    columns: "tuple[sympy.Expr | None, ...]"
    likeness: Likeness | None = None
    first: "Formula | None" = None

    @property
    def own(self) -> "tuple[sympy.Expr | None, ...]":
        """The columns in its own symbols."""
        import sympy

        if self.first is None:
            return self.columns
        assert self.likeness is not None and self.first.likeness is not None
        names = {}
        for symbol in set().union(*(e.free_symbols for e in self.columns if e is not None)):
            letter, digits = symbol.name[0], symbol.name[1:]
            if digits.isdigit():
                names[symbol] = sympy.Symbol(f"{letter}{self.likeness.renamed(self.first.likeness, letter, int(digits))}", real=True)
        return tuple(None if e is None else e.xreplace(names) for e in self.columns)


class _Code(NamedTuple):
    """The code of a formula with slots in place of what it reads, and what is in the slots."""

    text: str
    reads: tuple[tuple[str, int], ...]  # the letters and numbers of symbols
    values: tuple[str, ...]  # of constants

    def numbers(self, formula: Formula) -> list[int]:
        """Of the symbols of a formula that has this code, or is like one that has."""
        if formula.first is None:
            return [number for _, number in self.reads]
        assert formula.likeness is not None and formula.first.likeness is not None
        return [formula.likeness.renamed(formula.first.likeness, *read) for read in self.reads]


class Loops(NamedTuple):
    """The source of a kernel, and of the tables that it reads; both empty where there is no loop."""

    tables: str
    kernel: str
    left: list[Formula]  # in their own symbols

    @property
    def source(self) -> str:
        """Both."""
        return self.tables + self.kernel


class Group(NamedTuple):
    """Formulas of one code. In it READS[k, 0] stands for the line of a formula, READS[k, n] for the number of its n-th symbol."""

    text: str
    formulas: list[tuple[Formula, _Code]]

    @property
    def width(self) -> int:
        """How many symbols a formula reads."""
        return len(self.formulas[0][1].reads)

    def reads(self) -> list[list[int]]:
        """The line of each formula, and the numbers of its symbols."""
        return [[formula.k, *code.numbers(formula)] for formula, code in self.formulas]


def grouped(formulas: Sequence[Formula], out: str = "out[{}, {}]", least: int = ALIKE) -> tuple[list[Group], list[Formula]]:
    """The groups of `least` or more, and what is left, in its own symbols. `out`: the place of a line and a column."""
    kinds: dict[str, list[tuple[Formula, _Code]]] = {}
    known: dict[int, _Code] = {}
    for formula in formulas:
        first = formula if formula.first is None else formula.first
        if id(first) not in known:
            known[id(first)] = _code(first, out)
        kinds.setdefault(known[id(first)].text, []).append((formula, known[id(first)]))
    left = [Formula(formula.k, formula.own) for found in kinds.values() if len(found) < least for formula, _ in found]
    return [Group(text, found) for text, found in kinds.items() if len(found) >= least], left


def loops(name: str, contract: str, arguments: str, formulas: Sequence[Formula], out: str = "out[{}, {}]", least: int = ALIKE) -> Loops:
    """A kernel that writes all formulas of which there are `least` or more, with tables of its own."""
    groups, left = grouped(formulas, out, least)
    tables, body = "", ""
    for i, group in enumerate(groups):
        reads, values = f"{name}_reads_{i}", f"{name}_values_{i}"
        tables += f"{reads} = array({group.reads()!r})\n"
        if group.formulas[0][1].values:
            tables += f"{values} = array([{', '.join('[' + ', '.join(code.values) + ']' for _, code in group.formulas)}])\n"
        body += f"    for k in range({len(group.formulas)}):\n"
        body += "".join(f"        {line}\n" for line in group.text.replace("READS", reads).replace("VALUES", values).splitlines())
    if not body:
        return Loops("", "", left)
    return Loops(f"from numpy import array\n\n{tables}", f"\n\n@kernel({contract})\ndef {name}(arrays, {arguments}):\n{body}", left)


def _code(formula: Formula, out: str) -> _Code:
    """Code that reads each symbol and each shared part once."""
    import sympy

    known = [(c, e) for c, e in enumerate(formula.columns) if e is not None]
    shared, reduced = sympy.cse([e for _, e in known], symbols=sympy.numbered_symbols("s"))
    lines = [f"{symbol} = {write(e)}" for symbol, e in shared]
    lines += [f"{out.format('READS[k, 0]', c)} = {write(e)}" for (c, _), e in zip(known, reduced, strict=True)]
    lines += [f"{out.format('READS[k, 0]', c)} = nan" for c, e in enumerate(formula.columns) if e is None]
    reads: dict[tuple[str, int], str] = {}
    values: list[str] = []

    def read(found: "re.Match[str]") -> str:
        return reads.setdefault((found[1], int(found[2])), f"i{len(reads)}")

    def value(found: "re.Match[str]") -> str:
        values.append(found[0])
        return f"VALUES[k, {len(values) - 1}]"

    text = _SYMBOL.sub(read, "\n".join(lines))
    if "**" not in text:  # a power of a known number may be compiled otherwise
        text = _NUMBER.sub(value, text)
    before = [f"{slot} = {SOURCES[letter].format(f'READS[k, {n + 1}]')}" for n, ((letter, _), slot) in enumerate(reads.items())]
    return _Code("\n".join([*before, text]), tuple(reads), tuple(values))
