"""Where the laws of a system change: switching functions, which are zero there, compiled from the laws' expressions and the loads.

A law changes where one of its conditions does (if_else, abs, sign, min, max, step, ramp, pulse), where floor, ceil and round jump, where
an atan2 passes half a turn, and at the corners of a table with straight lines. A load changes where its kind says so (SWITCHES of
`mbsim.elements`).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbsim.contracts import ARRAYS, ENERGY
from mbsim.elements import declaration, dispatch, names
from mbsim.jit import A1, A2, Compiled, i8, kernel, void
from mbsim.jit.signatures import Function
from mbsim.model.expressions.expression import Expression
from mbsim.model.expressions.functions import DECIDING
from mbsim.model.expressions.parsed import Call, Lookup, walk
from mbsim.model.expressions.tables import Table
from mbsim.system.bodies import prefix
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import Symbols
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    import sympy

STOP = "the stop expression"
SHOWN = 60  # characters of a law in messages


@dataclass(frozen=True)
class Switch:
    """One number s(t, q, v), NaN where it is not asked for: the law changes where it passes one of the levels."""

    name: str  # for messages
    levels: tuple[float, ...] = (0.0,)
    period: float = 0.0  # of the levels; 0: they do not repeat


@dataclass(frozen=True)
class LawText:
    """A law and what its names are."""

    expression: Expression
    symbols: Symbols


@kernel(void(Function(ENERGY), ARRAYS, A1, A2, i8, i8, A2))
def evaluate(switching, arrays, times, rows, n_q, n, out):
    """out[i] = the numbers of all switches at rows[i] = [q; v; ...]."""
    for i in range(rows.shape[0]):
        switching(arrays, times[i], rows[i, :n_q], rows[i, n_q : n_q + n], out[i])


class Switches:
    """The switching functions of one system, whose arrays may change in place."""

    def __init__(
        self,
        system: System,
        laws: Sequence[LawText],
        relative: bool,
        extended: bool,
        stop: LawText | None = None,
        events: Sequence[tuple[str, LawText]] = (),
    ) -> None:
        """`relative`: whether a law reads relative coordinates; `extended`: whether the system has elements that are not common.

        `stop`: what ends the run where it crosses zero. `events`: what events watch, by their names in messages.
        """
        self._system = system
        loads = switches_of_loads(system)
        deciding = [law for law in laws if any(isinstance(node, Call) and decides(node) for node in walk(law.expression.tree))]
        self.switches = [Switch(f"{name} ({what})") for name, _, what, _ in loads]
        self.stop = None if stop is None else len(loads)  # which of the switches ends the run
        self._function: Compiled | None = None
        watched = [*([] if stop is None else [(STOP, stop)]), *events]
        first = len(loads) + (stop is not None)
        self.events = range(first, first + len(events))  # which of the switches are those of events
        if not (loads or deciding or watched):
            return
        measured = relative or bool(loads)
        before = prefix(system.in_joint_coordinates, system.dimension, not extended) if measured and system.dimension else ""
        tables = {table.index: table for table in system.tables.values()}
        texts = [*deciding, *(text for _, text in watched)]
        told = [[law.expression.key, sorted(law.symbols.codes.items())] for law in texts]
        # the corners of tables are no part of the code, but which tables have corners is
        corners = [(index, table.smooth) for index, table in tables.items()]
        key = json.dumps(["switches", system.dimension, before, [load[1:] for load in loads], told, corners, [name for name, _ in watched]])
        module = cached_module(key, lambda: _derive(deciding, loads, before, system.dimension or 0, tables, watched))
        self._function = module.switching
        for name, index in module.NAMES:
            table = tables.get(index)
            levels = (0.0,) if table is None else tuple(x for x, _ in table.points)
            self.switches.append(Switch(name, levels, table.high - table.low if table is not None and table.periodic else 0.0))

    def __len__(self) -> int:
        return len(self.switches)

    def values(self, times: Floats, rows: Floats) -> Floats:
        """s (k, n_switches) at rows (k, ...) that begin with q and v."""
        out = np.zeros((len(rows), len(self.switches)))
        if self._function is not None:
            system, rows = self._system, np.ascontiguousarray(rows)
            evaluate(self._function, system.arrays, np.ascontiguousarray(times), rows, system.n_q, system.n_v, out)
        return out

    def of_events(self, times: Floats, rows: Floats) -> Floats:
        """(k, n_events) the numbers that events watch."""
        return self.values(times, rows)[:, self.events.start : self.events.stop]

    def sides(self, values: Floats) -> Floats:
        """Between which levels the numbers are: another whole number after each; NaN where a switch is not asked for."""
        out = np.empty_like(values)
        for k, switch in enumerate(self.switches):
            s, levels = values[:, k], np.array(switch.levels)
            turns = np.floor((s - levels[0]) / switch.period) if switch.period else 0.0
            within = s - turns * switch.period
            side = np.searchsorted(levels, within, "right") + turns * (len(levels) - 1)
            out[:, k] = np.where(np.isnan(s), np.nan, side)
        return out

    def nearest(self, k: int, value: float) -> float:
        """The level of switch k that is nearest to a value."""
        switch = self.switches[k]
        levels = np.array(switch.levels)
        turns = np.floor((value - levels[0]) / switch.period) * switch.period if switch.period else 0.0
        return float(levels[np.argmin(np.abs(levels + turns - value))] + turns)


def decides(node: Call) -> bool:
    """Whether a function has cases, or a table corners."""
    return node.function in DECIDING or (isinstance(node, Lookup) and not node.table.smooth)


def switches_of_loads(system: System) -> list[tuple[str, str, str, tuple[int, int]]]:
    """Of every switch of a load: the load's name, its kind, what switches, its row of `Arrays.loads` and which switch of the kind it is."""
    kinds, found = names("loads"), []
    for row, name in enumerate(system.loads):
        kind = kinds[int(system.arrays.loads[row, 0])]
        found += [(name, kind, what, (row, k)) for k, what in enumerate(declaration("loads", kind, "SWITCHES"))]
    return found


def _derive(
    laws: Sequence[LawText],
    loads: list[tuple[str, str, str, tuple[int, int]]],
    before: str,
    dimension: int,
    tables: dict[int, Table],
    watched: Sequence[tuple[str, LawText]],
) -> str:
    """Source of NAMES, of the switches of laws with the index of the table whose corners they pass (-1: zero), and of `switching`."""
    own = [text.symbols.read(text.expression) for _, text in watched]  # each has its place, whatever else is the same number
    found: dict[sympy.Expr, tuple[str, int]] = {}
    for law in laws:
        e = law.symbols.read(law.expression)
        for number, index in deciding_numbers(e, tables):
            if -number not in found:
                found.setdefault(number, (law.expression.text[:SHOWN], index))
    source = HEADER + f"\nNAMES = {[*((name, -1) for name, _ in watched), *found.values()]!r}\n"
    lines = []
    if before:
        source += f"from mbsim.system.bodies import {before}measure\n"
        lines.append(f"{before}measure(arrays, q, v)")
    for kind in sorted({kind for _, kind, _, _ in loads}):
        helper = dispatch.function("loads", kind, "switch", dimension)
        source += f"from {helper.__module__} import {helper.__name__} as {kind}_switch\n"
    for m, (_, kind, _, (row, k)) in enumerate(loads):
        i, j, first = (f"arrays.loads[{row}, {column}]" for column in (1, 2, 3))
        lines.append(f"out[{m}] = {kind}_switch(arrays, {i}, {j}, {first}, arrays.load_data[{row}], {k})")
    values = [(f"out[{len(loads) + m}]", number) for m, number in enumerate([*own, *found])]
    # a function of its own: what it reads is measured before
    source += function("law_switches", "ENERGY", "t, q, v, out", values)
    return source + function("switching", "ENERGY", "t, q, v, out", [], "\n".join([*lines, "law_switches(arrays, t, q, v, out)"]))


def deciding_numbers(e: "sympy.Expr", tables: dict[int, Table]) -> "Iterable[tuple[sympy.Expr, int]]":
    """The numbers whose signs, or whose place between the corners of a table, decide the case of an expression."""
    from mbsim.model.expressions.symbolic import lookup_function, passing

    for number in passing(e):
        yield number, -1
    for call in sorted(e.atoms(lookup_function()), key=str):
        if not tables[int(call.args[0])].smooth:
            yield call.args[2], int(call.args[0])
