"""The `events` block: what happens where an expression crosses zero.

    events:
      floor: {when: ball.y - 0.1, direction: down, do: {set: {der(ball.y): -0.8*der(ball.y)}}}
      fire:  {when: t - 2, do: {switch: {thrust: 5}}}
      full:  {when: tank - 3, do: stop}
      catch: {when: hook.x - 2, do: {lock: hook_pin}}

`when` may read what laws of forces read, and accelerations, multipliers, reactions and efforts of drivers. The values of `set` and `switch`
may read what measures read, of the state just before.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.model.crossed import CrossedWatched
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import AlreadyReportedError, Context, ItemError, NonNegativeNumber, context_of, state_name
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.model.measures import read_recorded
from mbsim.model.recorded import BEAM_LOADS
from mbsim.model.reference import solved_names
from mbsim.model.report import Report
from mbsim.model.schemas import NAME, NUMBER

WORDS = ("record", "stop")
KINDS = ("set", "switch")  # what gives names new values
LOCKS = ("lock", "unlock")  # what closes and opens joints, drivers and constraints


@dataclass(frozen=True)
class Action:
    """What an event does. Empty dictionaries: it is only recorded."""

    stops: bool = False
    set: Mapping[str, Expression] = field(default_factory=dict)  # coordinate, speed or state -> its value after the event
    switch: Mapping[str, Expression] = field(default_factory=dict)  # parameter of laws -> likewise
    lock: tuple[str, ...] = ()  # joints, drivers and constraints that hold from then on
    unlock: tuple[str, ...] = ()  # likewise, that do not hold any more
    unit: str = ""  # the unit whose event mode it runs; not of the file
    unilateral: str = ""  # the stop or friction of which the event tells that it may change; not of the file

    @property
    def changes(self) -> bool:
        """Whether it changes anything."""
        return bool(self.set or self.switch or self.lock or self.unlock or self.unit)

    @property
    def word(self) -> str:
        """What it does, in a word."""
        if self.stops:
            return "stop"
        if self.unit:
            return "unit"
        kinds = (("set", self.set), ("switch", self.switch), ("lock", self.lock), ("unlock", self.unlock))
        return " and ".join(kind for kind, values in kinds if values) or "record"


@dataclass(frozen=True)
class Event:
    """An event of a model."""

    name: str
    when: Expression
    direction: str  # up, down or any
    do: Action
    once: bool = False
    after: float = 0.0  # s, from the crossing to the action
    size: float = 0.0  # what a gap is measured by, m or rad; 0 of what is none; not of the file
    width: float = 0.0  # how far `when` runs at least from zero through what is solid to zero again; 0: not known; not of the file

    @property
    def acts(self) -> bool:
        """Whether more than a note is made of it."""
        return self.do.changes or self.do.stops or bool(self.do.unilateral) or self.after > 0.0


def _values(value: Plain, kind: str, known: Collection[str], info: ValidationInfo) -> dict[str, Expression]:
    if not isinstance(value, dict) or not value:
        form = "{der(arm.angle): 0}" if kind == "set" else "{gain: 2}"
        raise ItemError((kind,), ValueError(f"expected names with their new values, such as {form} (got {shown(value)})"))
    found: dict[str, Expression] = {}
    context = context_of(info)
    for key, given in value.items():
        try:
            name = state_name(key)
            if name in context.unusable:
                raise AlreadyReportedError
            if name not in known:
                what = "coordinate, speed or state" if kind == "set" else "parameter"
                raise ValueError(f"unknown {what} '{name[:60]}'{did_you_mean(name, [x for x in known if x not in context.absent])}")
            if name in found:
                raise ValueError(f"'{name}' is given twice")
            found[name] = read_recorded(given, context)
        except AlreadyReportedError:
            raise
        except ValueError as error:
            raise ItemError((kind, key), error) from None
    return found


def _names(value: Plain, kind: str, info: ValidationInfo) -> tuple[str, ...]:
    """The joints, drivers and constraints that an event locks or unlocks: a name or a list of names."""
    known = context_of(info).lockable
    given = value if isinstance(value, list) else [value]
    if not given:
        raise ItemError((kind,), ValueError("expected the name of a joint, a driver or a constraint, or a list of names (got [])"))
    for k, name in enumerate(given):
        path = (kind, k) if isinstance(value, list) else (kind,)
        if not isinstance(name, str):
            raise ItemError(path, ValueError(f"expected the name of a joint, a driver or a constraint (got {shown(name)})"))
        if list(known).count(name) > 1:
            raise ItemError(path, ValueError(f"'{name}' is the name of more than one joint, driver or constraint; rename one of them"))
        if name not in known:
            raise ItemError(path, ValueError(f"unknown joint, driver or constraint '{name[:60]}'{did_you_mean(name, known)}"))
        if name in given[:k]:
            raise ItemError(path, ValueError(f"'{name}' is given twice"))
    return tuple(str(name) for name in given)


def _action(value: Plain, info: ValidationInfo) -> Action:
    allowed = f"{', '.join(WORDS)}, or a mapping with {', '.join(KINDS)}, {' and '.join(LOCKS)}"
    if isinstance(value, str):
        if value not in WORDS:
            close = did_you_mean(value, WORDS).removeprefix(f"; allowed: {', '.join(WORDS)}")
            raise ValueError(f"unknown action '{value[:60]}'{close}; allowed: {allowed}")
        return Action(stops=value == "stop")
    if not isinstance(value, dict) or not value:
        raise ValueError(f"expected what the event does: {allowed} (got {shown(value)})")
    for key in value:
        if key not in (*KINDS, *LOCKS):
            suggested = did_you_mean(str(key), (*KINDS, *LOCKS))
            raise ItemError((key,), ValueError(f"unknown action '{str(key)[:60]}'{suggested}"))
    context = context_of(info)
    lock, unlock = (_names(value[kind], kind, info) if kind in value else () for kind in LOCKS)
    if both := [name for name in lock if name in unlock]:
        raise ItemError(("unlock",), ValueError(f"'{both[0]}' cannot be locked and unlocked at once"))
    return Action(
        set=_values(value["set"], "set", context.state_names, info) if "set" in value else {},
        switch=_values(value["switch"], "switch", context.parameters, info) if "switch" in value else {},
        lock=lock,
        unlock=unlock,
    )


_ACTION = {
    "anyOf": [
        {"enum": list(WORDS)},
        {
            "type": "object",
            "properties": {
                **{kind: {"type": "object", "additionalProperties": NUMBER} for kind in KINDS},
                **{kind: {"anyOf": [NAME, {"type": "array", "items": NAME}]} for kind in LOCKS},
            },
        },
    ]
}


class EventBlock(Block):
    """What happens where an expression crosses zero."""

    when: CrossedWatched = Field(
        description="expression of what laws of forces may read, accelerations and reactions; the event happens where it crosses zero"
    )
    direction: Literal["any", "up", "down"] = Field(default="any", description="which crossings count: to positive, to negative, both")
    do: Annotated[Action, PlainValidator(_action), WithJsonSchema(_ACTION)] = Field(
        default="record",
        validate_default=True,
        description="record, stop, or {set: {name: value}, switch: {parameter: value}, lock: name, unlock: name}",
    )
    once: bool = Field(default=False, description="whether it happens at most once")
    after: NonNegativeNumber = Field(default=0.0, description="time from the crossing to what is done, s")


_OF_BEAM = re.compile(rf"\b(?:{'|'.join(BEAM_LOADS)})\.[A-Za-z]\w*\.e\d+\.[xyz]\b")


def read_events(
    raw: Mapped,
    context: Context,
    measurable: Collection[str],
    lockable: Collection[str],
    labels: tuple[Collection[str], Collection[str]],
    report: Report,
) -> dict[str, Event]:
    """The events by name, in the order of the block. Problems go to `report`.

    `measurable`: the names that values may have; `lockable`: those of joints, drivers and constraints; `labels`: those of the efforts of
    drivers, and of the rows of couplings and constraints.
    """
    found: dict[str, Event] = {}
    drivers, constraints = labels
    solved = solved_names(context.state_names, context.joints, drivers, [*constraints, *drivers])
    solved |= set(
        _OF_BEAM.findall(" ".join(str(data.get("when")) for data in raw.values() if isinstance(data, dict)))
    )  # the assembly finds which there are
    context = replace(context, measurable=frozenset(measurable), lockable=lockable, solved=solved)
    for name, data in raw.items():
        block = report.read(EventBlock, ("events", name), data, context)
        if block is not None:
            found[name] = Event(name, block.when, block.direction, block.do, block.once, block.after)
    return found


def switched(events: Mapping[str, Event]) -> frozenset[str]:
    """The parameters that events change: expressions over them are laws, even where they name nothing else."""
    return frozenset(name for event in events.values() for name in event.do.switch)
