"""YAML text -> plain data, with the place of every key and value.

PyYAML's parser *events* are walked iteratively and turned into nodes here. Its composer is not used: it recurses (the C one crashes the
process at 50,000 nested lists), expands aliases without bound, overwrites duplicate keys and reads scalars by YAML 1.1 (`on` is true,
`010` is eight, `1e-3` a string). Scalars follow the YAML 1.2 core schema. Tags, merge keys and several documents are refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NoReturn

import yaml

from mbsim.model.errors import Mark, ModelError, Problem, path_text
from mbsim.model.scalars import offset_in_source, read_scalar

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: slower, same events
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_BYTES = 5_000_000  # a model of a thousand bodies is below 1 MB
MAX_DEPTH = 100  # far deeper than any block of a model
MAX_NODES = 200_000  # nodes read; those visited through aliases count every time
_MAX_PROBLEMS = 200  # printing more does not help the reader

# Characters that YAML 1.2 calls not printable; the parser would report them without a line.
_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # as the parser counts lines

Path = tuple[str | int, ...]


@dataclass(slots=True, eq=False)
class Node:
    """One value of the file. `value` is a scalar, a list of nodes or a dict of nodes by key."""

    value: Any
    mark: Mark
    start: int = 0  # offset of the scalar's source in the text
    end: int = 0
    keys: dict[str, Mark] = field(default_factory=dict)
    size: int = 1  # nodes below and including this one; aliases count every time
    height: int = 0
    flow: bool = False  # inside { } or [ ], where a comma ends a plain scalar


@dataclass(slots=True, eq=False)
class Document:
    """A read file: `data` (dict, list, str, int, float, bool, None) and the place of each of its parts."""

    file: str
    text: str
    root: Node
    data: Any
    problems: list[Problem]

    def node(self, path: Sequence[str | int]) -> Node | None:
        """The node at a path, or None if the file has nothing there."""
        node: Node | None = self.root
        for part in path:
            node = _child(node, part)
        return node

    def mark(self, path: Sequence[str | int]) -> Mark:
        """The place of the value at `path`, or of the nearest block around it."""
        for length in range(len(path), -1, -1):
            node = self.node(path[:length])
            if node is not None:
                return node.mark if length == len(path) else self.block_mark(path[:length])
        return Mark(1, 1)

    def key_mark(self, path: Sequence[str | int]) -> Mark:
        """The place of the key that ends `path`; for an item of a list, of the value."""
        parent = self.node(path[:-1]) if path else None
        if parent is not None and isinstance(path[-1], str) and path[-1] in parent.keys:
            return parent.keys[path[-1]]
        return self.mark(path)

    def block_mark(self, path: Sequence[str | int]) -> Mark:
        """The place for an error about a missing key of the block at `path`: its name, or its first character."""
        return self.key_mark(path)

    def offset_mark(self, path: Sequence[str | int], offset: int) -> Mark:
        """The place of character `offset` of the scalar at `path`, also in folded, quoted and multi-line scalars."""
        node = self.node(path)
        if node is None or not isinstance(node.value, str):
            return self.mark(path)
        index = offset_in_source(self.text[node.start : node.end], node.value, offset)
        return node.mark if index is None else _mark_at(self.text, node.start + index)

    def in_flow(self, path: Sequence[str | int]) -> bool:
        """True when the plain scalar at `path` stands inside { } or [ ]."""
        node = self.node(path)
        return node is not None and node.flow

    def split(self, path: str) -> Path:
        """`joints.A.at[1]` -> `("joints", "A", "at", 1)`, with the keys of the file, which may contain dots."""
        parts: list[str | int] = []
        node: Node | None = self.root
        while path:
            index = re.match(r"\[(\d{1,9})\]", path)
            if index:
                part: str | int = int(index[1])
                path = path[index.end() :].removeprefix(".")
            else:
                known = node.value if node is not None and isinstance(node.value, dict) else {}
                fits = [key for key in known if path == key or path.startswith((key + ".", key + "["))]
                part = max(fits, key=len) if fits else re.split(r"[.\[]", path, maxsplit=1)[0]
                path = path[len(part) :].removeprefix(".") if part else ""
            parts.append(part)
            node = _child(node, part)
        return tuple(parts)

    def problem(self, path: str | Sequence[str | int], message: str, offset: int | None = None) -> Problem:
        """A problem at the value at `path`, or at character `offset` of the expression there."""
        parts = self.split(path) if isinstance(path, str) else tuple(path)
        mark = self.mark(parts) if offset is None else self.offset_mark(parts, offset)
        return Problem(self.file, mark.line, mark.column, path if isinstance(path, str) else path_text(parts), message)


def _child(node: Node | None, part: str | int) -> Node | None:
    if node is None:
        return None
    if isinstance(node.value, dict) and isinstance(part, str):
        return node.value.get(part)
    if isinstance(node.value, list) and isinstance(part, int) and 0 <= part < len(node.value):
        found: Node = node.value[part]
        return found
    return None


def _mark_at(text: str, index: int) -> Mark:
    line_start = text.rfind("\n", 0, index) + 1
    return Mark(text.count("\n", 0, index) + 1, index - line_start + 1)


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
        mark = _mark_at(text, bad.start())
        raise ModelError([Problem(file, mark.line, mark.column, "", f"the character {bad[0]!a} is not allowed in a YAML file")])
    builder = _Builder(file)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            builder.feed(event)
    except yaml.MarkedYAMLError as error:
        mark = _error_mark(text, error)
        message = _plain_words(str(error.problem or error.context))
        if _LINE_BREAK.split(text)[mark.line - 1][mark.column - 1 :].startswith("\t"):
            message = TAB
        if error.context in ("while parsing a flow mapping", "while parsing a flow sequence") and error.context_mark:
            message += f" (opened at {error.context_mark.line + 1}:{error.context_mark.column + 1})"
        raise ModelError([*builder.problems, Problem(file, mark.line, mark.column, "", message)]) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise ModelError([Problem(file, 0, 0, "", f"not a YAML file ({error})")]) from None
    if builder.root is None:
        raise ModelError([Problem(file, 1, 1, "", "the file is empty")])
    return Document(file, text, builder.root, _plain(builder.root), builder.problems)


def _error_mark(text: str, error: yaml.MarkedYAMLError) -> Mark:
    """The place of the parser; at the end of the text it may name a line that does not exist."""
    place = error.problem_mark or error.context_mark
    lines = _LINE_BREAK.split(text)
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


class _Builder:
    """Events -> nodes, within the bounds. One instance per read."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.root: Node | None = None
        self._documents = 0
        self._open: list[_Collection] = []
        self._anchors: dict[str, Node | None] = {}  # None while the anchored collection is still open
        self._count = 0

    def feed(self, event: Any) -> None:
        kind = type(event).__name__  # the pure and the C parser share these classes
        mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1)
        if kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                self._stop(mark, "a second document ('---') is not allowed; one model per file")
        elif kind == "AliasEvent":
            self._add(self._alias(event.anchor, mark), mark)
        elif kind == "ScalarEvent":
            self._refuse_tag(event, mark)
            self._count += 1
            plain = event.implicit[0]
            node = Node(read_scalar(event.value) if plain else event.value, mark, event.start_mark.index, event.end_mark.index)
            node.flow = plain and any(collection.flow for collection in self._open)
            if event.anchor:
                self._anchors[event.anchor] = node
            self._add(node, mark)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._refuse_tag(event, mark)
            if len(self._open) >= MAX_DEPTH:
                self._stop(mark, f"blocks are nested more than {MAX_DEPTH} deep")
            self._count += 1
            if event.anchor:
                self._anchors[event.anchor] = None
            node = Node({} if kind == "MappingStartEvent" else [], mark)
            self._open.append(_Collection(node, event.anchor, bool(event.flow_style)))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            collection = self._open.pop()
            if collection.anchor:
                self._anchors[collection.anchor] = collection.node
            self._add(collection.node, collection.node.mark)

    def _alias(self, anchor: str, mark: Mark) -> Node:
        if anchor not in self._anchors:
            self._stop(mark, f"nothing above is marked &{anchor}")
        node = self._anchors[anchor]
        if node is None:
            self._stop(mark, f"*{anchor} refers to the block it stands in")
        self._count += node.size
        return node

    def _add(self, node: Node, mark: Mark) -> None:
        """Put a finished node into the open collection, or make it the root."""
        if self._count > MAX_NODES:
            self._stop(mark, f"the file has more than {MAX_NODES} values (those repeated through aliases counted every time)")
        if not self._open:
            self.root = node
            return
        collection = self._open[-1]
        parent = collection.node
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if len(self._open) + node.height > MAX_DEPTH:
            self._stop(mark, f"blocks are nested more than {MAX_DEPTH} deep")
        if isinstance(parent.value, list):
            parent.value.append(node)
        elif collection.key is None:
            collection.key, collection.key_mark = self._key(node), mark
        else:
            key, key_mark, collection.key = collection.key, collection.key_mark or mark, None
            if key in parent.value:
                first = parent.keys[key]
                self._note(key_mark, f"duplicate key '{key[:60]}' (first at {first.line}:{first.column})")
            elif key:
                parent.value[key] = node
                parent.keys[key] = key_mark

    def _key(self, node: Node) -> str:
        """The key as text. A key that is not text is reported, and its value is dropped under the empty key."""
        if node.value == "<<":
            self._note(node.mark, "merge keys ('<<') are not supported")
        elif isinstance(node.value, str) and node.value:
            return node.value
        elif isinstance(node.value, (dict, list)):
            self._note(node.mark, "a key must be a word, not a block (a list or mapping before ':')")
        else:
            number = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
            hint = "; numbers have a decimal point, not a comma" * number
            self._note(node.mark, f"a key must be a word, not a number, true, false or nothing{hint}")
        return ""

    def _refuse_tag(self, event: Any, mark: Mark) -> None:
        if event.tag is not None:
            self._note(mark, f"tags ('{event.tag[:60]}') are not allowed")

    def _note(self, mark: Mark, message: str) -> None:
        self.problems.append(Problem(self.file, mark.line, mark.column, "", message))
        if len(self.problems) > _MAX_PROBLEMS:
            raise ModelError(self.problems)

    def _stop(self, mark: Mark, message: str) -> NoReturn:
        raise ModelError([*self.problems, Problem(self.file, mark.line, mark.column, "", message)])


@dataclass(slots=True, eq=False)
class _Collection:
    """A list or mapping whose end has not been read yet."""

    node: Node
    anchor: str | None
    flow: bool
    key: str | None = None  # a key without its value yet
    key_mark: Mark | None = None


def _plain(node: Node) -> Any:
    """The data without places. The recursion is bounded by MAX_DEPTH, the work by MAX_NODES."""
    if isinstance(node.value, dict):
        return {key: _plain(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [_plain(item) for item in node.value]
    return node.value
