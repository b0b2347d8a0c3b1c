"""Elements of the XML files of robots: reading them safely, numbers, the frames of URDF, and how numbers are written."""

import io
import math
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MAX_FAULTS = 100  # that are told of one file
LONGEST = 60  # characters of a name in a message
MAX_BYTES = 20_000_000  # of the file; meshes are separate files, and robots of a thousand links stay below one million
PATIENCE = 2.0  # s: so long a pipe may have no writer
_NAMED = re.compile(r"<?(?P<tag>\w+)>?(?: '(?P<name>[^']*)')?(?=:| )")  # with what a message about an element begins
_FORBIDDEN = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


class RobotError(ValueError):
    """A robot's file cannot be converted to a model. The message names the element."""


class Faults:
    """What is wrong with the elements of a file, so that all of it is told at once."""

    def __init__(self) -> None:
        self._found: list[str] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Takes down what is wrong with an element, so that the others are read, too."""
        try:
            yield
        except RobotError as error:
            if str(error) not in self._found:  # a geom is read for its mass and for its shape
                self._found.append(str(error))

    @property
    def any(self) -> bool:
        """Whether anything was wrong so far."""
        return bool(self._found)

    def tell(self) -> None:
        """Raises RobotError where anything was wrong."""
        more = len(self._found) - MAX_FAULTS
        if self._found:
            raise RobotError("\n".join([*self._found[:MAX_FAULTS], *[f"and {more} more mistakes"] * (more > 0)]))


def parse(path: Path) -> ElementTree.Element:
    """The root element of a file. Raises RobotError, OSError."""
    raw = _content(path)
    if len(raw) > MAX_BYTES:
        raise RobotError(f"{path}: longer than {MAX_BYTES // 1_000_000} MB")
    if _FORBIDDEN.search(raw) or b"\0" in raw:  # a null byte: UTF-16, in which the search would not find the words
        raise RobotError(f"{path}: document types and entities are not allowed, nor is UTF-16")
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()  # without namespaces: files use prefixes such as xacro: that they do not declare
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = builder.start, builder.end, builder.data
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        place = f"{path}:{error.lineno}:{error.offset + 1}"
        raise RobotError(f"{place}: not XML: {expat.errors.messages.get(error.code, error)}") from None
    return builder.close()


def located(path: Path, message: str) -> str:
    """A message of a RobotError, each line with the file, and the line and column of the element that it names where these are known."""
    elements: list[tuple[str, str, str]] = []  # tag, name, place
    parser = expat.ParserCreate()

    def note(tag: str, keys: dict[str, str]) -> None:
        elements.append((tag, keys.get("name", ""), f"{path}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"))

    parser.StartElementHandler = note
    with suppress(expat.ExpatError, OSError):  # what cannot be read has no elements: it is told by the message
        if path.is_file():  # and no pipe, which is empty by now
            parser.Parse(path.read_bytes()[: MAX_BYTES + 1], True)
    return "\n".join(line if line.startswith(str(path)) else f"{_place(elements, line) or path}: {line}" for line in message.split("\n"))


def _place(elements: list[tuple[str, str, str]], line: str) -> str:
    found = _NAMED.match(line)
    if found is None:
        return ""
    tag, name = found["tag"], found["name"]
    if name is None:
        same = [place for other, _, place in elements if other == tag]
        return same[0] if len(same) == 1 else ""
    same = [place for other, own, place in elements if (other, own[: len(name)] if len(name) == LONGEST else own) == (tag, name)]
    if not same:  # such as an actuator, whose element says its kind
        same = [place for _, own, place in elements if name and own == name]
        return same[0] if len(same) == 1 else ""
    return same[-1] if line.endswith("exists twice") else same[0]


def _content(path: Path) -> bytes:
    """The bytes of a file, or of a pipe that something is written into. Raises RobotError, OSError."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        first, number = b"", file.fileno()
        if stat.S_ISFIFO(os.fstat(number).st_mode):
            begun = time.monotonic()
            while not first:
                try:
                    first = os.read(number, MAX_BYTES)
                except BlockingIOError:  # somebody writes, and has not yet
                    break
                if not first and time.monotonic() - begun > PATIENCE:
                    raise RobotError(f"{path}: nobody writes into this pipe")
                time.sleep(PATIENCE / 100.0)
            os.set_blocking(number, True)
        with io.BufferedReader(file) as whole:
            return first + whole.read(MAX_BYTES + 1 - len(first))


def numbers(element: ElementTree.Element | None, key: str, default: str, count: int, where: str) -> Floats:
    """The numbers (count,) of an attribute. Raises RobotError, which names `where`."""
    text = element.get(key, default) if element is not None else default
    try:
        values = np.array([float(x) for x in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.size != count or not np.isfinite(values).all():
        raise RobotError(f"{where}: {key}: expected {count} finite numbers (got {text[:60]!r})")
    return values


def frame(element: ElementTree.Element | None, where: str) -> tuple[Floats, Floats]:
    """R and the place of an <origin>: fixed-axis roll, pitch, yaw."""
    place = numbers(element, "xyz", "0 0 0", 3, where)
    r, p, y = numbers(element, "rpy", "0 0 0", 3, where)
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    R = np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip
    return R, place


def list_numbers(values: "Floats | list[float]") -> str:
    """Numbers with all their digits."""
    return "[" + ", ".join(repr(float(x) + 0.0) for x in values) + "]"
