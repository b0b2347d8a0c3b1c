"""The events of a run, numbers g(t, q, v, v_dot, lam) that are zero where one happens, with their rates along the motion, compiled.

The stop expression is the first where there is one. A rate is NaN where it is not known: of an expression without a derivative, of one that
reads what the equations of motion are solved for.
"""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.jit import Compiled
from mbsim.model.expressions.expression import Expression, parse, unknown_name
from mbsim.system.alike import Formula, Likeness
from mbsim.system.beam_resultants import Resultant
from mbsim.system.codegen import HEADER, cached_module, function, write
from mbsim.system.equations import Symbols
from mbsim.system.event_tables import ARGUMENTS, EventTable, arrays_of
from mbsim.system.reactions import Reaction
from mbsim.system.switches import LawText
from mbsim.system.system import System

if TYPE_CHECKING:
    import sympy

_RATES = {"q": "d", "v": "a", "g": "w", "w": "r"}  # first letter of a symbol -> that of its rate
_SOLVED = "alu"  # of symbols of what the equations of motion are solved for


def stop_expression(system: System, text: str, parameters: Sequence[str]) -> Expression:
    """The expression of a `stop` setting over t, the parameters, and the system's coordinates and speeds. Raises ValueError."""
    try:
        expression = parse(text, tables=system.tables, states=system.states)
    except ValueError as error:
        raise ValueError(f"stop: {error}") from None
    fault = unknown_name(expression, ["t"], parameters, system.coordinates, system.speeds)
    if fault is not None:
        raise ValueError(f"stop: {fault}")
    return expression


def stop_text(system: System, stop: Expression, parameters: Sequence[str]) -> LawText:
    """The stop expression with what its names are."""
    symbols = Symbols(list(parameters), list(system.coordinates), list(system.speeds))
    return LawText(stop, symbols if system.units is None else symbols.with_told(system.units.told))


class EventCode(NamedTuple):
    """The kernel (contract EVENT), whether it reads speeds, and the arrays of `Arrays` that it goes through, by their names."""

    function: Compiled
    reads_speeds: bool
    arrays: dict[str, np.ndarray]


def event_code(
    key: Sequence[object],
    texts: Callable[[], Sequence[LawText]],
    measure: str = "",
    reactions: Sequence[Reaction | Resultant] = (),
    planar: bool = True,
) -> EventCode:
    """The code of expressions, of which `key` tells all that it depends on.

    `measure` names the kernel of `mbsim.system.bodies` that finds relative coordinates, where one is read. `reactions` are those that are
    read, in the order of their symbols; of beams what elements carry. `planar`: of a system in the plane.
    """
    told = [measure, reactions, *[planar] * any(isinstance(one, Resultant) for one in reactions)]
    module = cached_module(json.dumps(["events", *told, *key]), lambda: _derive(texts(), measure, reactions, planar))
    known = vars(module)
    if "CODE" not in known:  # a run through contacts asks for it at each event
        known["CODE"] = EventCode(module.event, bool(module.READS_SPEEDS), arrays_of(module))
    found: EventCode = known["CODE"]
    return found


def _derive(texts: Sequence[LawText], measure: str, reactions: Sequence[Reaction | Resultant], planar: bool) -> str:
    """Source of EVENT_READS, EVENT_NUMBERS, READS_SPEEDS and `event`."""
    table = EventTable()
    others = [(k, text) for k, text in enumerate(texts) if text.symbols.told_names or not table.take(k, text)]
    formulas, firsts = list[Formula](), dict[str, Formula]()
    for k, text in others:
        likeness = None if text.symbols.told_names else Likeness.of(text.expression, text.symbols)
        if likeness is not None and (first := firsts.get(likeness.kind)) is not None:
            formulas.append(Formula(k, first.columns, likeness, first))
            continue
        number = text.symbols.read(text.expression)
        table.reads_speeds |= any(symbol.name[0] in "vw" for symbol in number.free_symbols)
        solved = any(symbol.name[0] in _SOLVED and symbol.name[1:].isdigit() for symbol in number.free_symbols)
        rate = None if solved else rate_along(number, text.symbols)
        formulas.append(Formula(k, (number, rate if rate is not None and is_written(rate) else None), likeness))
        if likeness is not None:
            firsts[likeness.kind] = formulas[-1]
    # functions of their own: what they read is measured before
    alike, calls, left = table.share(formulas)
    values = [(f"out[{one.k}, {c}]", e) for one in left for c, e in enumerate(one.columns) if e is not None]
    unknown = "".join(f"out[{one.k}, 1] = nan\n" for one in left if one.columns[1] is None)
    numbers = function("numbers", "EVENT", ARGUMENTS, values, unknown) if values or unknown else ""
    before = [f"{measure}(arrays, q, v)"] * bool(measure)
    before += [f"read_events(arrays, {ARGUMENTS})"] * (len(others) < len(texts))
    before += ["accelerate(arrays, v, v_dot)"] * ("relative_acceleration(" in alike + numbers)
    before += [*calls.splitlines(), *[f"numbers(arrays, {ARGUMENTS})"] * bool(numbers)]
    source = f"{HEADER}from math import nan\n\nfrom mbsim.contracts import EVENT, EVENTS_ALIKE\n"
    source += "from mbsim.system.event_reads import INDEX, LINE, LOOP, WHAT, read_events\n"
    source += "from mbsim.system.relative_rates import accelerate, relative_acceleration\n"
    source += f"from mbsim.system.bodies import {measure}\n" if measure else ""
    source += f"\nREADS_SPEEDS = {table.reads_speeds}\n{table.source}"
    source += _reactions(reactions, planar) if reactions else ""
    return source + alike + numbers + function("event", "EVENT", ARGUMENTS, [], "\n".join(before))


def _reactions(reactions: Sequence[Reaction | Resultant], planar: bool) -> str:
    """Source of a function that gives the reaction, or what an element of a beam carries, with a number."""
    of_beams = f"{'planar' if planar else 'spatial'}_resultant"
    source = "from mbsim.jit import helper\nfrom mbsim.system.reactions import reaction_now\n"
    source += f"from mbsim.system.beam_resultants import {of_beams}\n" * any(isinstance(one, Resultant) for one in reactions)
    source += "\n\n@helper\ndef reaction(arrays, lam, k):\n"
    for k, one in enumerate(reactions):
        call = f"{of_beams}(arrays" if isinstance(one, Resultant) else "reaction_now(arrays, lam"
        source += f"    if k == {k}:\n        return {call}, {', '.join(map(str, one))})\n"
    return source + "    return nan\n"


def rate_along(number: "sympy.Expr", symbols: Symbols) -> "sympy.Expr":
    """The exact rate of a number along the motion."""
    import sympy

    if number.free_symbols & symbols.told:
        return sympy.Function("unknown_rate")(number.diff(symbols.t))  # no code is written for it
    return _rate(number, symbols)


def _rate(number: "sympy.Expr", symbols: Symbols) -> "sympy.Expr":
    """Of what has cases, the rate of each case. Derived by one symbol after the other, cases whose derivatives are the same come together
    under conditions that grow as powers: of a side of a hexagon, 70 kB of them.
    """
    import sympy

    cases = {case: sympy.Dummy(real=True) for case in _outermost(number)}
    smooth = number.xreplace(cases)
    rate = smooth.diff(symbols.t)
    for symbol in sorted(smooth.free_symbols, key=str):
        if symbol.name[0] in _RATES and symbol.name[1:].isdigit():
            rate += smooth.diff(symbol) * sympy.Symbol(f"{_RATES[symbol.name[0]]}{symbol.name[1:]}", real=True)
    for case, symbol in cases.items():
        rates = [(_rate(value, symbols), condition) for value, condition in case.args]
        rate += smooth.diff(symbol) * sympy.Piecewise(*rates, evaluate=False)
    return rate.xreplace({symbol: case for case, symbol in cases.items()})


def _outermost(e: "sympy.Basic") -> "list[sympy.Piecewise]":
    """The parts with cases that are in no other one, in the order of the expression."""
    import sympy

    if isinstance(e, sympy.Piecewise):
        return [e]
    return list(dict.fromkeys(part for argument in e.args for part in _outermost(argument)))


def is_written(e: "sympy.Expr") -> bool:
    """Whether there is code for an expression."""
    try:
        write(e)
    except ValueError:  # of a derivative that does not exist everywhere
        return False
    return True
