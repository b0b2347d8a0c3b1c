"""Events that act at one time, as one: what each gives is found from the state before all of them, and what they set is met together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from mbsim.assembly.assembled import value_name
from mbsim.march.actions import Values
from mbsim.march.ending import join_names

if TYPE_CHECKING:
    from mbsim.model.events import Action, Event

EQUAL_VALUES = 1e-12  # of the larger value: by so much what two events give one name differs by round-off


def told(events: "Sequence[Event]") -> str:
    """Their names, for messages."""
    names = [f"'{event.name}'" for event in events]
    if len(names) == 1:
        return f"the event {names[0]}"
    return f"the events {join_names(names[:-1])} and {names[-1]}"


def cause(events: "Sequence[Event]") -> str:
    """What contradicts the constraints where a state is not met."""
    does = "lock" if any(event.do.lock for event in events) else "set"
    return f"what {told(events)} {does}s" if len(events) == 1 else f"what {told(events)} {does}"


def together(events: "Sequence[Event]") -> "Action":
    """What several events do. Raises ValueError where one locks what another unlocks."""
    for one in events:
        for other in events:
            if both := {*one.do.lock} & {*other.do.unlock}:
                raise ValueError(f"the event '{one.name}' locks what '{other.name}' unlocks at the same time: {join_names(sorted(both))}")
    does = [event.do for event in events]
    return replace(
        does[0],
        stops=False,
        set={name: value for do in does for name, value in do.set.items()},
        switch={name: value for do in does for name, value in do.switch.items()},
        lock=tuple(dict.fromkeys(name for do in does for name in do.lock)),
        unlock=tuple(dict.fromkeys(name for do in does for name in do.unlock)),
        unit="",
        unilateral="",
    )


def tell(events: "Sequence[Event]", lines: Mapping[str, dict[str, object]], parameters: Mapping[str, float], values: Values) -> None:
    """Put what events switch, lock and unlock into their lines of the table; `parameters` are as before."""
    for event in events:
        line, do = lines[event.name], event.do
        if do.switch:
            line["switched"] = {name: [parameters[name], values["switch", name]] for name in do.switch}
        line |= {kind: list(names) for kind, names in (("locked", do.lock), ("unlocked", do.unlock)) if names}


def values_of(events: "Sequence[Event]", find: Callable[[str], float]) -> dict[tuple[str, str], float]:
    """What they give, by kind and name; `find` has a value by its `value_name`.

    Raises ValueError for a value that is not finite, and where two events give one name different values.
    """
    values, givers = dict[tuple[str, str], float](), dict[tuple[str, str], str]()
    for event in events:
        for kind, given in (("set", event.do.set), ("switch", event.do.switch)):
            for name in given:
                value, key = find(value_name(event.name, kind, name)), (kind, name)
                if not isfinite(value):
                    raise ValueError(f"what the event '{event.name}' gives {name} is not finite")
                before = values.setdefault(key, value)
                if abs(value - before) > EQUAL_VALUES * max(abs(value), abs(before)):
                    both, each = f"'{givers[key]}' and '{event.name}'", f"{before:.6g} and {value:.6g}"
                    raise ValueError(f"the events {both} give {name} different values at one time, {each}")
                givers.setdefault(key, event.name)
    return values
