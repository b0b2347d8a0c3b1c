"""Many formulas that are alike, as those of contacts, as one loop over a table of what they read: Numba compiles a line once, not for each.

Formulas are alike where their code is the same but for the symbols and the numbers in it. Their values are those of a line for each, to the
last bit: the operations and their order are the same.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mbsim.system.codegen import SOURCES, write

if TYPE_CHECKING:
    import sympy

ALIKE = 4  # formulas: a loop over fewer is no shorter than their lines

_SYMBOL = re.compile(rf"\b([{''.join(SOURCES)}])(\d+)\b")
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)")


class Formula(NamedTuple):
    """What is written into line k of an array: an expression, or None for what is not known, for each column."""

    k: int
    columns: "tuple[sympy.Expr | None, ...]"


class _Code(NamedTuple):
    """The code of a formula with slots in place of what it reads, and what is in the slots."""

    text: str
    reads: tuple[int, ...]  # the numbers of symbols
    values: tuple[str, ...]  # of constants


def loops(
    name: str, contract: str, arguments: str, formulas: Sequence[Formula], out: str = "out", least: int = ALIKE
) -> tuple[str, list[Formula]]:
    """Source of a kernel that writes into `out` all formulas of which there are `least` or more; and those that are left."""
    kinds: dict[str, list[tuple[Formula, _Code]]] = {}
    for formula in formulas:
        code = _code(formula, out)
        kinds.setdefault(code.text, []).append((formula, code))
    left = [formula for found in kinds.values() if len(found) < least for formula, _ in found]
    tables, body = "", ""
    for i, (text, found) in enumerate((text, found) for text, found in kinds.items() if len(found) >= least):
        tables += f"READS_{i} = array({[[formula.k, *code.reads] for formula, code in found]!r})\n"
        if found[0][1].values:
            tables += f"VALUES_{i} = array([{', '.join('[' + ', '.join(code.values) + ']' for _, code in found)}])\n"
        body += f"    for k in range({len(found)}):\n"
        body += "".join(f"        {line}\n" for line in text.replace("READS", f"READS_{i}").replace("VALUES", f"VALUES_{i}").splitlines())
    if not body:
        return "", left
    return f"from numpy import array\n\n{tables}\n\n@kernel({contract})\ndef {name}(arrays, {arguments}):\n{body}", left


def _code(formula: Formula, out: str) -> _Code:
    """Code that reads each symbol and each shared part once."""
    import sympy

    known = [(c, e) for c, e in enumerate(formula.columns) if e is not None]
    shared, reduced = sympy.cse([e for _, e in known], symbols=sympy.numbered_symbols("s"))
    lines = [f"{symbol} = {write(e)}" for symbol, e in shared]
    lines += [f"{out}[READS[k, 0], {c}] = {write(e)}" for (c, _), e in zip(known, reduced, strict=True)]
    lines += [f"{out}[READS[k, 0], {c}] = nan" for c, e in enumerate(formula.columns) if e is None]
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
    return _Code("\n".join([*before, text]), tuple(number for _, number in reads), tuple(values))
