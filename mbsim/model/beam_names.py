"""What the nodes of beams are called, and how a model file names them.

The nodes of `boom` with 16 elements are the bodies boom_start, boom_1 ... boom_15, boom_end. A file may also write boom.start, boom.end,
boom.node[8] or boom.node(8), and boom.at(0.5) for the node there. These are put into words of bodies before anything else is read. A name
is never longer than what stands for it, and spaces fill up expressions, so that places in messages are those of the file. What is recorded
of element 3, beam_moment.boom[3].z, becomes beam_moment.boom.e3.z.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from mbsim.model.beams import count_in
from mbsim.model.fields import Context
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.names import name_fault
from mbsim.model.recorded import BEAM_ENERGY, BEAM_VECTORS
from mbsim.model.rephrase import Fault

WORDS = ("start", "end", "node", "at")
_LITERAL = ("name", "beams", "parameters", "tables", "dimension", "gravity", "coordinates")  # sections that name no body
_ENDS = ("from", "to")  # of the block of a beam, where it names a body
_NEAR = 1e-6  # of a beam's length: a place that is nearer to a node is that node
_CALL = r"\.(?P<word>[A-Za-z_]\w*)(?P<given>\[[^\[\]]*\]|\([^()]*\))?"


def node(beam: str, k: int, elements: int) -> str:
    """The body that node k of a beam is."""
    return f"{beam}_start" if k == 0 else f"{beam}_end" if k == elements else f"{beam}_{k}"


def nodes(beam: str, elements: int, parts: int = 1) -> list[str]:
    """The bodies of a beam, from its start on, with those between which its elements are cut into `parts`."""
    if not elements:  # which is reported where the beam is read
        return [f"{beam}_start", f"{beam}_end"]
    between = [""] + [f"_part{p}" for p in range(1, parts)]
    return [f"{node(beam, k, elements)}{part}" for k in range(elements) for part in between] + [node(beam, elements, elements)]


def counts(beams: Mapped, context: Context) -> dict[str, int]:
    """The elements of each beam whose block says how many; 0 of those that are reported where the block is read."""
    found = {}
    for name, block in beams.items():
        if isinstance(block, dict) and not name_fault(name, in_expressions=False):
            try:
                found[name] = count_in(context, block.get("elements"))
            except ValueError:
                found[name] = 0
    return found


class Naming:
    """The data of a file with bodies in place of what stands for nodes; `faults` says what stands for none."""

    def __init__(self, elements: Mapping[str, int], beams: Mapped, parts: int = 1) -> None:
        """`elements` of each beam, 0 where that is not known: nodes are ends then, so that no more is said of them."""
        self.faults: list[Fault] = []
        self._elements, self._unread, self._parts = elements, beams.keys() - elements.keys(), parts
        names = "|".join(sorted(map(re.escape, beams), key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w.])(?P<beam>{names}){_CALL}") if names else None
        recorded = "|".join((*BEAM_VECTORS, BEAM_ENERGY))
        which = r"[\[(](?P<k>[^\[\]()]*)[\])](?P<axis>(?:\.\w+)*)"
        self._of_element = re.compile(rf"(?<![\w.])(?P<of>(?:{recorded})\.(?P<beam>[A-Za-z]\w*)){which}")

    def data(self, data: Mapped) -> Mapped:
        """All sections."""
        if self._pattern is None:
            return data
        found = {key: value if key in _LITERAL else self._value(value, (key,)) for key, value in data.items()}
        beams = data["beams"]
        assert isinstance(beams, dict)
        return {**found, "beams": {name: self._ends(block, ("beams", name)) for name, block in beams.items()}}

    def _ends(self, block: Plain, path: tuple[str, str]) -> Plain:
        """The block of a beam, which may begin and end at nodes of others."""
        if not isinstance(block, dict):
            return block
        return {key: self._text(value, (*path, key)) if key in _ENDS and isinstance(value, str) else value for key, value in block.items()}

    def _value(self, value: Plain, path: tuple[str | int, ...]) -> Plain:
        if isinstance(value, dict):
            return {self._text(key, (*path, key), key=True): self._value(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, (*path, k)) for k, item in enumerate(value)]
        return self._text(value, path) if isinstance(value, str) else value

    def _text(self, text: str, path: tuple[str | int, ...], key: bool = False) -> str:
        assert self._pattern is not None
        if "beam_" in text:
            text = self._of_element.sub(lambda found: self._element(found, path), text)
        parts, at = list[str](), 0
        for found in self._pattern.finditer(text):
            try:
                name = self._node(found["beam"], found["word"], found["given"])
            except ValueError as error:
                fault = Fault(path, str(error), "key" if key else "value", None if key else found.start())
                self.faults.append(fault)
                name = f"{found['beam']}_start"  # stands in its place, so that nothing more is said of it
            if name is None:
                continue
            stop = found.end()
            rest = re.match(r"(?:\.\w+)*", text[stop:])
            tail = rest[0] if rest is not None else ""
            whole = found.start() == 0 and stop + len(tail) == len(text)
            parts += [text[at : found.start()], name, tail, "" if key or whole else " " * (stop - found.start() - len(name))]
            at = stop + len(tail)
        return "".join([*parts, text[at:]]) if parts else text

    def _element(self, found: "re.Match[str]", path: tuple[str | int, ...]) -> str:
        """What is recorded of an element, in a name of the same length."""
        beam, k = found["beam"], found["k"].strip()
        elements = self._elements.get(beam)
        if elements is None and beam not in self._unread:
            hint = did_you_mean(beam, self._elements) if self._elements else ""
            self.faults.append(Fault(path, f"unknown beam '{beam[:60]}'{hint}", "value", found.start("beam")))
            return "0".ljust(len(found[0]))  # stands in its place, so that nothing more is said of it
        if elements and not (k.isdecimal() and int(k) < elements):
            message = f"the beam {beam} has the elements 0 to {elements - 1} (got {k[:20]})"
            self.faults.append(Fault(path, message, "value", found.start("k")))
            k = "0"  # stands in its place, so that nothing more is said of it
        k = str(int(k) * self._parts) if k.isdecimal() else k
        return f"{found['of']}.e{k.zfill(len(found['k']))}{found['axis']}"

    def _node(self, beam: str, word: str, given: str | None) -> str | None:
        """The body; None of a beam that is not read. Raises ValueError."""
        if beam in self._unread:
            return None
        elements = self._elements[beam]
        if not elements and word in WORDS:
            return f"{beam}_{'end' if word == 'end' else 'start'}"
        if word in ("start", "end") and given is None:
            return f"{beam}_{word}"
        if word == "node" and given is not None:
            number = given[1:-1].strip()
            if not number.isdecimal() or int(number) > elements:
                raise ValueError(f"the beam {beam} has the nodes 0 to {elements} (got {number[:20]})")
            return node(beam, int(number), elements)
        if word == "at" and given is not None and given[0] == "(":
            return self._at(beam, given[1:-1].strip(), elements)
        known = f"{beam}.start, {beam}.end, {beam}.node(0) to {beam}.node({elements}), {beam}.at(0) to {beam}.at(1)"
        hint = did_you_mean(word, WORDS) if word not in WORDS else ""
        raise ValueError(f"'{beam}.{word}' is no part of the beam {beam}{hint.partition('; allowed')[0]}; it has {known}")

    def _at(self, beam: str, text: str, elements: int) -> str:
        try:
            place = float(text)
        except ValueError:
            place = -1.0
        if not 0.0 <= place <= 1.0:
            raise ValueError(f"{beam}.at: expected a number from 0, the start, to 1, the end (got {text[:20]})")
        k = round(place * elements)
        if abs(place * elements - k) > _NEAR * elements:
            below = int(place * elements)
            near = f"{beam}.at({below / elements:g}) and {beam}.at({(below + 1) / elements:g})"
            fitting = next((n for n in range(elements + 1, 10 * elements + 1) if abs(place * n - round(place * n)) < 1e-9 * n), 0)
            hint = f", and with {fitting} elements there is one" if fitting else ""
            raise ValueError(f"the beam {beam} has no node at {place:g}: there are nodes at {near}{hint}")
        return node(beam, k, elements)


def taken(elements: Mapping[str, int], data: Mapped) -> Iterator[Fault]:
    """Beams whose names, or whose nodes' or clamps' names, others have."""
    for key, section in data.items():
        if key in ("beams", "simulation", "initial", "steady", "energy", "reference") or not isinstance(section, dict):
            continue
        for name in elements:
            if name in section:
                yield Fault(("beams", name), f"the name '{name}' is already used in {key}", "key")
    for name, count in elements.items():
        for key, made in (("bodies", nodes(name, count)), ("joints", [clamp(name, "start"), clamp(name, "end")])):
            section = data.get(key)
            if isinstance(section, dict) and (both := [x for x in made if x in section]):
                yield Fault(("beams", name), f"its {'node' if key == 'bodies' else 'clamp'} '{both[0]}' has a name that {key} have", "key")


def clamp(beam: str, which: str) -> str:
    """The joint that a clamped end is."""
    return f"{beam}_clamp_{which}"


def without_bodies(context: Context) -> Context:
    """The context in which numbers of beams are read before there are bodies."""
    return replace(context, bodies=())
