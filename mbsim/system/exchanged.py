"""Units for model exchange among the laws: where their numbers stand, and the code that asks them at each evaluation (`kernels/exchange`).

Inputs, outputs and continuous states of a unit stand in q one behind the other, with the states of the model. Those of inputs and outputs
are no unknowns: they are found anew at each evaluation, and their places in z_dot are zero.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mbsim.model.expressions.expression import Expression
from mbsim.system.codegen import function
from mbsim.system.equations import Symbols
from mbsim.system.terms import Floats


def time_event(controller: str) -> str:
    """What the events of a unit at times of its own are called."""
    return f"{controller}.time"


class Asked(NamedTuple):
    """Inputs that are given, or outputs that are asked for, one behind the other."""

    unit: int  # index
    is_output: bool
    place: int  # of the first, among the inputs or the outputs
    number: int


class At(NamedTuple):
    """A state of a run."""

    t: float  # s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    v_dot: Floats  # (n_v,)


class Exchanged(NamedTuple):
    """A unit whose continuous states are states of the system."""

    version: int  # 2 or 3
    place: int  # of its block in Arrays.parameters: `kernels/exchange`
    inputs: Mapping[str, Expression]  # what each is given, by the name of its state
    outputs: tuple[str, ...]
    states: tuple[str, ...]
    completes: bool  # whether it is told of completed steps
    indicators: tuple[str, ...] = ()  # what expressions call its event indicators, which stand in Arrays.parameters
    indicated: int = 0  # place of the first one there
    counted: tuple[str, ...] = ()  # outputs that change at events only

    @property
    def told(self) -> tuple[str, ...]:
        """Names of states that are no unknowns."""
        return (*self.inputs, *self.outputs, *self.counted)

    @property
    def names(self) -> tuple[str, ...]:
        """Of its states, in their order."""
        return (*self.told, *self.states)

    @property
    def key(self) -> list[object]:
        """All that the code depends on."""
        laws = [(name, law.key) for name, law in self.inputs.items()]
        kept = [self.outputs, self.counted, self.states]
        return [self.version, self.place, laws, *kept, self.completes, len(self.indicators), self.indicated]


def source(units: Sequence[Exchanged], order: Sequence[Asked], names: Sequence[str], symbols: Symbols, measure: str) -> str:
    """Source of `ask_units`, `find_rates` and `complete_units`; `names` are those of q, `measure` the kernel of relative coordinates."""
    text = "\n\nASKS_UNITS = True\nfrom mbsim.contracts import COMPLETE\nfrom mbsim.kernels.exchange import complete, get, move, put\n"
    text += "from mbsim.kernels.exchange import indicate\nfrom mbsim.kernels.exchange import rates as rates_of_unit\n"
    first = [names.index(unit.names[0]) for unit in units]
    asks = []
    for k, unit in enumerate(units):
        asks.append(f"move(arrays.parameters, {unit.place}, t, q, {first[k] + len(unit.told)}, {len(unit.states)})")
    for n, (k, is_output, place, count) in enumerate(order):
        unit = units[k]
        if is_output:
            at = first[k] + len(unit.inputs) + place
            asks.append(f"get(arrays.parameters, {unit.place}, {unit.version}, q, {at}, {place}, {count})")
            continue
        given = list(unit.inputs.values())[place : place + count]
        values = [(f"q[{first[k] + place + i}]", symbols.read(e)) for i, e in enumerate(given)]
        text += function(f"inputs_{n}", "ENERGY", "t, q, v, out", values)
        asks.append(f"inputs_{n}(arrays, t, q, v, out)")
        asks.append(f"put(arrays.parameters, {unit.place}, {unit.version}, q, {first[k] + place}, {place}, {count})")
    text += function("ask_units", "ENERGY", "t, q, v, out", [], "\n".join(asks))
    found = [
        f"rates_of_unit(arrays.parameters, {unit.place}, q_dot, {first[k] + len(unit.told)}, {len(unit.states)})"
        for k, unit in enumerate(units)
        if unit.states
    ]
    found += [f"indicate(arrays.parameters, {unit.place}, {unit.indicated}, {len(unit.indicators)})" for unit in units if unit.indicators]
    text += function("find_rates", "RATES", "t, q, v, q_dot", [], "\n".join(found))
    if not any(unit.completes for unit in units):
        return text + "\ncomplete_units = None\n"
    text += "\n\n@kernel(COMPLETE)\ndef complete_units(arrays, t, q, v, out):\n"
    text += f"    {measure}(arrays, q, v)\n" if measure else ""
    text += "    ask_units(arrays, t, q, v, out)\n    changed = 0\n"
    for k, unit in enumerate(units):
        if unit.completes:
            block = f"{unit.place}, {unit.version}, q, {first[k] + len(unit.told)}, {len(unit.states)}, {len(unit.counted)}"
            text += f"    if complete(arrays.parameters, {block}):\n        changed = 1\n"
    return text + "    return changed\n"
