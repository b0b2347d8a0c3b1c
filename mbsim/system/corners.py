"""The corners of a system's laws, compiled for a march: the numbers whose passing of a bound changes a law, with their exact rates.

The numbers are the switching functions of `mbsim.system.switches`. A rate is NaN where it is not known: of what a load reads of its rate,
and of a law that reads the rate of a relative coordinate in joint coordinates.
"""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mbsim.elements import dispatch
from mbsim.jit import Compiled
from mbsim.model.expressions.expression import Expression
from mbsim.model.expressions.parsed import Call, walk
from mbsim.model.expressions.tables import Table
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.event import is_written, rate_along
from mbsim.system.switches import SHOWN, LawText, decides, deciding_numbers, switches_of_loads
from mbsim.system.system import System

if TYPE_CHECKING:
    import sympy


class Corners(NamedTuple):
    """The kernel (contract CORNERS) and what its numbers belong to, for messages."""

    function: Compiled
    names: tuple[str, ...]

    def __call__(self, system: System) -> "Corners":
        """These: so `System.corners` may be what makes them or what was made."""
        return self


def may_change(laws: Sequence[Expression]) -> list[Expression]:
    """Those of the laws that have cases."""
    return [law for law in laws if any(isinstance(node, Call) and decides(node) for node in walk(law.tree))]


def compile_corners(system: System, key: Sequence[object], laws: Callable[[], list[LawText]]) -> Corners | None:
    """The corners of a system's loads and of its laws with cases, of which `key` tells all that the code depends on; None for none.

    Poses and relative coordinates are those that the evaluation before has left in the arrays.
    """
    loads = switches_of_loads(system)
    if not (loads or key):
        return None
    tables = {table.index: table for table in system.tables.values()}
    shapes = [(index, table.smooth) for index, table in tables.items()]
    told = json.dumps(["corners", system.dimension, [load[1:] for load in loads], list(key), shapes])
    module = cached_module(told, lambda: _derive(laws(), loads, system.dimension or 0, tables))
    return Corners(module.corners, (*(f"{name} ({what})" for name, _, what, _ in loads), *module.NAMES))


def _derive(laws: Sequence[LawText], loads: list[tuple[str, str, str, tuple[int, int]]], dimension: int, tables: dict[int, Table]) -> str:
    """Source of NAMES, of the numbers of laws, and of `corners`."""
    found: dict[sympy.Expr, tuple[str, int]] = {}
    rates: list[sympy.Expr] = []
    for law in laws:
        for number, index in deciding_numbers(law.symbols.read(law.expression), tables):
            if number not in found and -number not in found:
                found[number] = law.expression.text[:SHOWN], index
                rates.append(rate_along(number, law.symbols))
    source = f"{HEADER}from math import nan\n\nfrom mbsim.contracts import CORNERS\n"
    source += "from mbsim.kernels.corners import bound_by_piece, bound_by_sign\n"
    source += "from mbsim.system.relative_rates import accelerate, relative_acceleration\n"
    source += f"\nNAMES = {[name for name, _ in found.values()]!r}\n"
    lines: list[str] = []
    for kind in sorted({kind for _, kind, _, _ in loads}):
        for what in ("switch", "switch_rate"):
            helper = dispatch.function("loads", kind, what, dimension)
            if helper is not None:
                source += f"from {helper.__module__} import {helper.__name__} as {kind}_{what}\n"
    for m, (_, kind, _, (row, k)) in enumerate(loads):
        i, j, first = (f"arrays.loads[{row}, {column}]" for column in (1, 2, 3))
        arguments = f"(arrays, {i}, {j}, {first}, arrays.load_data[{row}], {k})"
        known = dispatch.function("loads", kind, "switch_rate", dimension) is not None
        lines.append(f"out[{m}, 0] = {kind}_switch{arguments}")
        lines.append(f"out[{m}, 1] = {kind}_switch_rate{arguments}" if known else f"out[{m}, 1] = nan")
    ends, values = [f"bound_by_sign(out, {m})" for m in range(len(loads))], []
    for m, ((number, (_, index)), rate) in enumerate(zip(found.items(), rates, strict=True), len(loads)):
        values.append((f"out[{m}, 0]", number))
        if is_written(rate):
            values.append((f"out[{m}, 1]", rate))
        else:
            lines.append(f"out[{m}, 1] = nan")
        ends.append(f"bound_by_sign(out, {m})" if index < 0 else f"bound_by_piece(arrays.tables, {index}, out, {m})")
    numbers = function("law_corners", "CORNERS", "t, q, v, q_dot, v_dot, out", values)
    source += numbers
    if "relative_acceleration(" in numbers:
        lines.append("accelerate(arrays, v, v_dot)")
    lines += ["law_corners(arrays, t, q, v, q_dot, v_dot, out)", *ends]
    return source + function("corners", "CORNERS", "t, q, v, q_dot, v_dot, out", [], "\n".join(lines))
