"""YAML text -> plain data, with the place of every key and value.

PyYAML's parser *events* are turned into data in `nodes.py`. Its composer is not used: it recurses (the C one crashes the process at
50,000 nested lists), expands aliases without bound, overwrites duplicate keys and reads scalars by YAML 1.1 (`on` is true, `010` is eight,
`1e-3` a string). Scalars follow the YAML 1.2 core schema. Tags, merge keys and several documents are refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import yaml

from mbsim.model.file.errors import Mark, ModelError, Problem, path_text
from mbsim.model.file.nodes import LINE_BREAK, Builder, Path, Places
from mbsim.model.file.scalars import offset_in_source

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: slower, same events
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

HDF5 = b"\x89HDF\r\n\x1a\n"  # with what such files begin
MAX_BYTES = 32_000_000  # a chain of 100,000 bodies is about 15 MB

# Characters that YAML 1.2 calls not printable; the parser would report them without a line.
_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

__all__ = ["MAX_BYTES", "Document", "Path", "decode", "read", "read_file"]


@dataclass(slots=True, eq=False)
class Document:
    """A read file: `data` (dict, list, str, int, float, bool, None) and the place of each of its parts."""

    file: str
    text: str
    places: Places  # of the data as it was read
    data: Any
    problems: list[Problem]
    made: dict[tuple[str, str], Path] = field(default_factory=dict)  # blocks that the file does not have -> what they are made of

    def has(self, path: Sequence[str | int]) -> bool:
        """Whether the file has a value at a path."""
        return self.places.find(path) is not None

    def mark(self, path: Sequence[str | int]) -> Mark:
        """The place of the value at `path`, or of the name of the nearest block around it."""
        found = self.places.find(path)
        if found is not None:
            return self.places.mark(found.number)
        origin = self.made.get((str(path[0]), str(path[1]))) if len(path) > 1 else None
        if origin is not None:
            return self.key_mark(origin)
        return self.key_mark(path[:-1]) if path else Mark(1, 1)

    def key_mark(self, path: Sequence[str | int]) -> Mark:
        """The place of the key that ends `path`; for an item of a list, of the value."""
        found = self.places.find(path)
        return self.places.mark(found.key) if found is not None else self.mark(path)

    def line(self, path: Sequence[str | int]) -> str:
        """` (line 3)` of the value at `path`, or nothing if the file has none there."""
        return f" (line {self.mark(path).line})" if self.has(path) else ""

    def offset_mark(self, path: Sequence[str | int], offset: int) -> Mark:
        """The place of character `offset` of the scalar at `path`, also in folded, quoted and multi-line scalars."""
        found = self.places.find(path)
        if found is None or not isinstance(found.value, str):
            return self.mark(path)
        start, end = self.places.start[found.number], abs(self.places.end[found.number])
        index = offset_in_source(self.text[start:end], found.value, offset)
        return self.places.mark_at(start + (index or 0))

    def in_flow(self, path: Sequence[str | int]) -> bool:
        """True when the plain scalar at `path` stands inside { } or [ ]."""
        found = self.places.find(path)
        return found is not None and self.places.end[found.number] < 0

    def split(self, path: str) -> Path:
        """`joints.A.at[1]` -> `("joints", "A", "at", 1)`, with the keys of the file, which may contain dots."""
        parts: list[str | int] = []
        value = self.places.data
        while path:
            index = re.match(r"\[(\d{1,9})\]", path)
            if index:
                part: str | int = int(index[1])
                path = path[index.end() :].removeprefix(".")
            else:
                fits = [key for key in value if path == key or path.startswith((key + ".", key + "["))] if isinstance(value, dict) else []
                part = max(fits, key=len) if fits else re.split(r"[.\[]", path, maxsplit=1)[0]
                path = path[len(part) :].removeprefix(".") if part else ""
            parts.append(part)
            found = self.places.find(parts)
            value = found.value if found is not None else None
        return tuple(parts)

    def problem(self, path: str | Sequence[str | int], message: str, offset: int | None = None) -> Problem:
        """A problem at the value at `path`, or at character `offset` of the expression there."""
        parts = self.split(path) if isinstance(path, str) else tuple(path)
        mark = self.mark(parts) if offset is None else self.offset_mark(parts, offset)
        return Problem(self.file, mark.line, mark.column, path if isinstance(path, str) else path_text(parts), message)


def read_file(source: str | PathLike[str]) -> str:
    """The text of a model file. Raises ModelError where it cannot be read."""
    file = str(source)
    try:
        with open(source, "rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ModelError([Problem(file, 0, 0, "", f"cannot read the file: {reason}")]) from None
    return decode(raw, file)


def decode(raw: bytes, file: str) -> str:
    """UTF-8 bytes (with or without a byte order mark) -> text; ModelError if they are something else or too many."""
    if len(raw) > MAX_BYTES:
        raise ModelError([Problem(file, 0, 0, "", f"the file is larger than {MAX_BYTES // 1_000_000} MB")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if raw.startswith(HDF5):
            raise ModelError([Problem(file, 0, 0, "", "the file is an HDF5 file, such as a result, and no model")]) from None
        before = raw[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise ModelError([Problem(file, line, column, "", "the file is not UTF-8 text")]) from None


def read(text: str, file: str) -> Document:
    """Parse one YAML document.

    Returns a Document. Its `problems` are those that did not prevent reading the rest of the file (such as duplicate keys).
    Raises ModelError for text that is not YAML, holds no or several documents, or exceeds the bounds above.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES:
        raise ModelError([Problem(file, 0, 0, "", f"the file is larger than {MAX_BYTES // 1_000_000} MB")])
    bad = _NOT_PRINTABLE.search(text)
    if bad:
        mark = Places(text).mark_at(bad.start())
        raise ModelError([Problem(file, mark.line, mark.column, "", f"the character {bad[0]!a} is not allowed in a YAML file")])
    builder = Builder(text, file)
    try:
        builder.read(yaml.parse(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = _error_mark(text, error)
        message = _plain_words(str(error.problem or error.context))
        if LINE_BREAK.split(text)[mark.line - 1][mark.column - 1 :].startswith("\t"):
            message = TAB
        if error.context in ("while parsing a flow mapping", "while parsing a flow sequence") and error.context_mark:
            message += f" (opened at {error.context_mark.line + 1}:{error.context_mark.column + 1})"
        raise ModelError([*builder.problems, Problem(file, mark.line, mark.column, "", message)]) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise ModelError([Problem(file, 0, 0, "", f"not a YAML file ({error})")]) from None
    places = builder.places
    if not places.start:
        raise ModelError([Problem(file, 1, 1, "", "the file is empty")])
    return Document(file, text, places, places.data, builder.problems)


def _error_mark(text: str, error: yaml.MarkedYAMLError) -> Mark:
    """The place of the parser; at the end of the text it may name a line that does not exist."""
    place = error.problem_mark or error.context_mark
    lines = LINE_BREAK.split(text)
    if place is None or place.line >= len(lines):
        return Mark(len(lines), len(lines[-1]) + 1)
    return Mark(place.line + 1, place.column + 1)


def _plain_words(problem: str) -> str:
    """The message of the parser, reworded where a user could not understand it."""
    for part, message in _PLAIN_WORDS.items():
        if part in problem:
            return message
    return f"not valid YAML: {problem}"


TAB = "a tab is not allowed here; indent with spaces"
_PLAIN_WORDS = {
    "found character that cannot start any token": "no value can start with this character (indent with spaces; quote text)",
    "found a tab character": TAB,
    "mapping values are not allowed": "a ':' is not allowed here (is the line above indented differently, or a quote missing?)",
    "could not find expected ':'": "expected ':' after this key",
    "did not find expected ',' or '}'": "expected ',' or '}'; is a closing '}' missing?",
    "did not find expected ',' or ']'": "expected ',' or ']'; is a closing ']' missing?",
    "did not find expected key": "expected a key here; check the indentation",
    "did not find expected '-' indicator": "expected '- ' here; check the indentation",
    "did not find expected <document start>": "expected a key here; check the indentation, and for text outside the model",
    "did not find expected node content": "a value is missing here",
    "found unexpected end of stream": "the file ends inside a quoted text",
}
