"""In which order the inputs of units for model exchange are given and their outputs asked for, so that each follows what it reads.

An input follows the outputs, and the inputs, that its law reads. An output follows the inputs that the unit names (its model structure).
States in between break the chain: what they become is found from their rates. Where a chain closes without one, it is an algebraic loop.
"""

from collections.abc import Mapping, Sequence

from mbsim.assembly.builder import Builder
from mbsim.model.file.errors import ModelError
from mbsim.model.sampling import Flowing
from mbsim.system.exchanged import Asked, Exchanged


def put_in_order(builder: Builder) -> None:
    """Fill `Laws.asked`. Raises ModelError for an algebraic loop, at the law that closes it."""
    laws = builder.laws
    if not laws.units:
        return
    found = order(laws.units, follows(builder.flowing, laws.units))
    if isinstance(found, list):
        laws.asked = found
        return
    cycle = found
    k, unit, name = next((k, unit, name) for name in cycle for k, unit in enumerate(laws.units) if name in unit.inputs)
    of = builder.flowing[k].foreign
    path = ("controllers", of.controller, "inputs", of.inputs[list(unit.inputs).index(name)])
    chain = " <- ".join([*cycle, cycle[0]])
    reason = f"an algebraic loop, {chain}: each follows the next at once; a state in between, as that of a filter, breaks it"
    raise ModelError([builder.model.problem(path, reason)])


def follows(flowing: Sequence[Flowing], units: Sequence[Exchanged]) -> dict[str, tuple[str, ...]]:
    """What each input and output of units follows at once, of inputs and outputs, by the names of their states."""
    told = {name for unit in units for name in unit.told}
    found: dict[str, tuple[str, ...]] = {}
    for of, unit in zip(flowing, units, strict=True):
        found |= {name: tuple(sorted(law.names & told)) for name, law in unit.inputs.items()}
        known = dict(zip(of.foreign.inputs, unit.inputs, strict=True))
        for variable, name in zip(of.foreign.outputs, unit.outputs, strict=True):
            found[name] = tuple(known[x] for x in of.follows.get(variable, of.foreign.inputs) if x in known)
    return found


def order(units: Sequence[Exchanged], follows: Mapping[str, Sequence[str]]) -> list[Asked] | tuple[str, ...]:
    """The order; where there is none, the names along a cycle, each of which follows the next."""
    places = {name: (k, False, i) for k, unit in enumerate(units) for i, name in enumerate(unit.inputs)}
    places |= {name: (k, True, i) for k, unit in enumerate(units) for i, name in enumerate(unit.outputs)}
    left, asked = dict.fromkeys(places), list[Asked]()
    while left:
        ready = [name for name in left if not any(x in left for x in follows[name])]
        if not ready:
            return _cycle({name: [x for x in follows[name] if x in left] for name in left})
        together: list[Asked] = []
        for k, is_output, place in sorted(places[name] for name in ready):
            last = together[-1] if together else None
            if last is not None and last[:2] == (k, is_output) and last.place + last.number == place:
                together[-1] = last._replace(number=last.number + 1)
            else:
                together.append(Asked(k, is_output, place, 1))
        asked += together
        for name in ready:
            del left[name]
    return asked


def _cycle(follows: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A cycle where each follows one at least: it is met by going on from any of them."""
    way = [next(iter(follows))]
    while (following := follows[way[-1]][0]) not in way:
        way.append(following)
    return tuple(way[way.index(following) :])
