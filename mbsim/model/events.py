"""The `events` block: what happens where an expression crosses zero.

    events:
      floor: {when: ball.y - 0.1, direction: down, do: {set: {der(ball.y): -0.8*der(ball.y)}}}
      fire:  {when: t - 2, do: {switch: {thrust: 5}}}
      full:  {when: tank - 3, do: stop}

`when` may read what laws of forces read. The values of `set` and `switch` may read what measures read, of the state just before.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import AlreadyReportedError, Context, ItemError, Law, NonNegativeNumber, context_of, state_name
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.model.measures import read_recorded
from mbsim.model.report import Report
from mbsim.model.schemas import NUMBER

WORDS = ("record", "stop")
KINDS = ("set", "switch")


@dataclass(frozen=True)
class Action:
    """What an event does. Empty dictionaries: it is only recorded."""

    stops: bool = False
    set: Mapping[str, Expression] = field(default_factory=dict)  # coordinate, speed or state -> its value after the event
    switch: Mapping[str, Expression] = field(default_factory=dict)  # parameter of laws -> likewise


@dataclass(frozen=True)
class Event:
    """An event of a model."""

    name: str
    when: Expression
    direction: str  # up, down or any
    do: Action
    once: bool = False
    after: float = 0.0  # s, from the crossing to the action


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


def _action(value: Plain, info: ValidationInfo) -> Action:
    allowed = f"{', '.join(WORDS)}, or a mapping with {' and '.join(KINDS)}"
    if isinstance(value, str):
        if value not in WORDS:
            raise ValueError(f"unknown action '{value[:60]}'{did_you_mean(value, WORDS)}; allowed: {allowed}")
        return Action(stops=value == "stop")
    if not isinstance(value, dict) or not value:
        raise ValueError(f"expected what the event does: {allowed} (got {shown(value)})")
    for key in value:
        if key not in KINDS:
            raise ItemError((key,), ValueError(f"unknown action '{str(key)[:60]}'{did_you_mean(str(key), KINDS)}; allowed: {allowed}"))
    context = context_of(info)
    return Action(
        set=_values(value["set"], "set", context.state_names, info) if "set" in value else {},
        switch=_values(value["switch"], "switch", context.parameters, info) if "switch" in value else {},
    )


_ACTION = {
    "anyOf": [
        {"enum": list(WORDS)},
        {"type": "object", "properties": {kind: {"type": "object", "additionalProperties": NUMBER} for kind in KINDS}},
    ]
}


class EventBlock(Block):
    """What happens where an expression crosses zero."""

    when: Law = Field(description="expression of t and state that laws of forces may read; the event happens where it crosses zero")
    direction: Literal["any", "up", "down"] = Field(default="any", description="which crossings count: to positive, to negative, both")
    do: Annotated[Action, PlainValidator(_action), WithJsonSchema(_ACTION)] = Field(
        default="record", validate_default=True, description="record, stop, or {set: {name: value}, switch: {parameter: value}}"
    )
    once: bool = Field(default=False, description="whether it happens at most once")
    after: NonNegativeNumber = Field(default=0.0, description="time from the crossing to what is done, s")


def read_events(raw: Mapped, context: Context, measurable: Collection[str], report: Report) -> dict[str, Event]:
    """The events by name, in the order of the block. Problems go to `report`. `measurable`: the names that values may have."""
    found: dict[str, Event] = {}
    context = replace(context, measurable=frozenset(measurable))
    for name, data in raw.items():
        block = report.read(EventBlock, ("events", name), data, context)
        if block is not None:
            found[name] = Event(name, block.when, block.direction, block.do, block.once, block.after)
    return found


def switched(events: Mapping[str, Event]) -> frozenset[str]:
    """The parameters that events change: expressions over them are laws, even where they name nothing else."""
    return frozenset(name for event in events.values() for name in event.do.switch)
