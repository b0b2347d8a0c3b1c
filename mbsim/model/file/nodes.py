"""Events of a YAML parser -> plain data, and the places of its values as three numbers each.

The events are walked without recursion. Places are kept apart from the data, in arrays in the order of the text, so that a large file costs
little more than what it says. The numbers of a value's children are looked for when an error is reported there.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from mbsim.model.file.errors import Mark, ModelError, Problem
from mbsim.model.file.plain import Mapped, Plain, value_at
from mbsim.model.file.scalars import read_scalar

MAX_DEPTH = 100  # far deeper than any block of a model
MAX_REPEATED = 200_000  # values that aliases add to those of the text: a few lines of aliases of aliases could make billions
_MAX_PROBLEMS = 200  # printing more does not help the reader
_KNOWN = 4096  # plain scalars that are read once: words such as `mass`, and round numbers

LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # as the parser counts lines

Path = tuple[str | int, ...]


class Found(NamedTuple):
    """A value of the text, its number and that of its key; an item of a list has that of the item twice."""

    key: int
    number: int
    value: Plain


class Places:
    """The data of a text and where its values stand. A value's number is its place in the order of the text; keys have one, too."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data: Plain = None
        self.start = array("i")  # offset in the text; ~offset of a key that was dropped, with its value
        self.end = array("i")  # offset behind it; of a plain scalar inside [ ] or { }, -offset
        self.after = array("i")  # the number behind the value and all inside it
        self.target: dict[int, int] = {}  # of an alias: the number of what it repeats
        self._children: dict[int, dict[str | int, tuple[int, int]]] = {}
        self._lines: list[int] = []

    def find(self, path: Sequence[str | int]) -> Found | None:
        """What stands at a path, or None."""
        key, number, value = 0, 0, self.data
        for part in path:
            if not isinstance(value, dict if isinstance(part, str) else list):
                return None
            numbers = self._inside(number, value).get(part)
            if numbers is None:
                return None
            key, number = numbers
            number = self.target.get(number, number)
            key = key if isinstance(part, str) else number
            value = value_at(value, (part,))
        return Found(key, number, value)

    def _inside(self, number: int, value: Mapped | list[Plain]) -> dict[str | int, tuple[int, int]]:
        """The numbers of the keys and values of a list or mapping."""
        if number not in self._children:
            found: dict[str | int, tuple[int, int]] = {}
            names, at, end = iter(value if isinstance(value, dict) else ()), number + 1, self.after[number]
            while at < end:
                key, at = at, self.after[at]
                if isinstance(value, list):
                    found[len(found)] = key, key
                    continue
                item, at = at, self.after[at]
                if self.start[key] >= 0:
                    found[next(names)] = key, item
            self._children[number] = found
        return self._children[number]

    def mark(self, number: int) -> Mark:
        """Line and column of a value."""
        return self.mark_at(max(self.start[number], ~self.start[number]))

    def mark_at(self, offset: int) -> Mark:
        """Line and column of a character of the text."""
        if not self._lines:
            self._lines = [0, *(found.end() for found in LINE_BREAK.finditer(self.text))]
        line = bisect_right(self._lines, offset)
        return Mark(line, offset - self._lines[line - 1] + 1)


@dataclass(slots=True, eq=False)
class _Open:
    """A list or mapping whose end has not been read yet."""

    value: Mapped | list[Plain]
    number: int
    anchor: str | None
    flow: bool
    key: str | None = None  # a key without its value yet
    key_number: int = 0


class Builder:
    """Events -> data and places, within the bounds. One instance per read."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.places = Places(text)
        self.problems: list[Problem] = []
        self._documents = 0
        self._open: list[_Open] = []
        self._flow = 0  # of the open ones, those in brackets
        self._anchors: dict[str, tuple[int, Plain] | None] = {}  # None while the anchored collection is still open
        self._repeated = 0
        self._known: Mapped = {}

    def read(self, events: Iterable[Any]) -> None:
        """Take all events. Raises ModelError, and what the parser raises."""
        for event in events:
            kind = type(event)  # the pure and the C parser share these classes
            if kind is ScalarEvent:
                self._scalar(event)
            elif kind is MappingStartEvent:
                self._begin(event, {})
            elif kind is SequenceStartEvent:
                self._begin(event, [])
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                done = self._open.pop()
                self._flow -= done.flow
                self.places.after[done.number] = len(self.places.after)
                if done.anchor:
                    self._anchors[done.anchor] = done.number, done.value
                self._add(done.number, done.value)
            elif kind is AliasEvent:
                number = self._number(event, False)
                self._add(number, self._alias(event.anchor, number))
            elif kind is DocumentStartEvent:
                self._documents += 1
                if self._documents > 1:
                    mark = self.places.mark_at(event.start_mark.index)
                    self._stop(mark, "a second document ('---') is not allowed; one model per file")

    def _number(self, event: yaml.Event, plain_in_flow: bool) -> int:
        """The number of a new value."""
        places = self.places
        number = len(places.start)
        start, end = cast(yaml.Mark, event.start_mark).index, cast(yaml.Mark, event.end_mark).index
        places.start.append(start)
        places.end.append(-end if plain_in_flow else end)
        places.after.append(number + 1)
        return number

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        text = event.value
        plain = event.implicit[0]
        number = self._number(event, plain and self._flow > 0)
        if event.tag is not None:
            self._refuse_tag(event.tag, number)
        value: Plain = text
        if plain:
            known = self._known
            if text in known:
                value = known[text]
            else:
                value = read_scalar(text)
                if len(known) < _KNOWN:
                    known[text] = value
        if event.anchor:
            self._anchors[event.anchor] = number, value
        self._add(number, value)

    def _begin(self, event: yaml.CollectionStartEvent, value: Mapped | list[Plain]) -> None:
        number = self._number(event, False)
        if event.tag is not None:
            self._refuse_tag(event.tag, number)
        if len(self._open) >= MAX_DEPTH:
            self._too_deep(number)
        if event.anchor:
            self._anchors[event.anchor] = None
        flow = bool(event.flow_style)
        self._flow += flow
        self._open.append(_Open(value, number, event.anchor, flow))

    def _alias(self, anchor: str, number: int) -> Plain:
        if anchor not in self._anchors:
            self._stop(self.places.mark(number), f"nothing above is marked &{anchor}")
        known = self._anchors[anchor]
        if known is None:
            self._stop(self.places.mark(number), f"*{anchor} refers to the block it stands in")
        self.places.target[number], value = known
        return self._copied(value, number, len(self._open))

    def _copied(self, value: Plain, number: int, depth: int) -> Plain:
        """What an alias stands for. The recursion is bounded by MAX_DEPTH, the work by MAX_REPEATED."""
        self._repeated += 1
        if self._repeated > MAX_REPEATED:
            self._stop(self.places.mark(number), f"aliases repeat more than {MAX_REPEATED} values")
        if not isinstance(value, dict | list):
            return value
        if depth >= MAX_DEPTH:
            self._too_deep(number)
        if isinstance(value, dict):
            return {key: self._copied(item, number, depth + 1) for key, item in value.items()}
        return [self._copied(item, number, depth + 1) for item in value]

    def _add(self, number: int, value: Plain) -> None:
        """Put a finished value into the open collection, or make it the data."""
        if not self._open:
            self.places.data = value
            return
        top = self._open[-1]
        into = top.value
        if isinstance(into, list):
            into.append(value)
        elif top.key is None:
            top.key, top.key_number = self._key(number, value), number
        else:
            key, top.key = top.key, None
            if key and key not in into:
                into[key] = value
                return
            mark = self.places.mark(top.key_number)
            self.places.start[top.key_number] = ~self.places.start[top.key_number]
            if key:
                first = self.places.mark(self._first(top, key))
                self._note(mark, f"duplicate key '{key[:60]}' (first at {first.line}:{first.column})")

    def _first(self, top: _Open, key: str) -> int:
        """The number of the first of equal keys of an open mapping."""
        at, places = top.number + 1, self.places
        for known in top.value:
            while places.start[at] < 0:
                at = places.after[places.after[at]]
            if known == key:
                break
            at = places.after[places.after[at]]
        return at

    def _key(self, number: int, value: Plain) -> str:
        """The key as text. A key that is not text is reported, and its value is dropped under the empty key."""
        if isinstance(value, str) and value and value != "<<":
            return value
        mark = self.places.mark(self.places.target.get(number, number))
        if value == "<<":
            self._note(mark, "merge keys ('<<') are not supported")
        elif isinstance(value, (dict, list)):
            self._note(mark, "a key must be a word, not a block (a list or mapping before ':')")
        else:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            hint = "; numbers have a decimal point, not a comma" * is_number
            self._note(mark, f"a key must be a word, not a number, true, false or nothing{hint}")
        return ""

    def _refuse_tag(self, tag: str, number: int) -> None:
        self._note(self.places.mark(number), f"tags ('{tag[:60]}') are not allowed")

    def _too_deep(self, number: int) -> NoReturn:
        self._stop(self.places.mark(number), f"blocks are nested more than {MAX_DEPTH} deep")

    def _note(self, mark: Mark, message: str) -> None:
        self.problems.append(Problem(self.file, mark.line, mark.column, "", message))
        if len(self.problems) > _MAX_PROBLEMS:
            raise ModelError(self.problems)

    def _stop(self, mark: Mark, message: str) -> NoReturn:
        raise ModelError([*self.problems, Problem(self.file, mark.line, mark.column, "", message)])
