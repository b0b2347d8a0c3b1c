"""Reads columns of a CSV file as rows of numbers, or reports every mistake in it with line and column. Plain Python.

Cells are separated by `;`, else `,`, else tabs, else blanks, whichever the first line contains; where numbers have a decimal comma, never
by `,`. `#` begins a comment. The first line holds the names of the columns if none of its cells is a number.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from mbsim.model.file.errors import did_you_mean

LONGEST_NAME = 300  # characters of a path in a message
MAX_BYTES = 20_000_000  # a million points are below it
MAX_MISTAKES = 10  # that are listed; the rest is counted
MAX_COUNTED = 1000  # mistakes, after which nothing more is read
MAX_CELLS = 1000  # of a line
_LINE_BREAK = re.compile("\r\n|[\n\r]")
DECIMAL_COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+\s+[-+]?[0-9]+")  # the second: cut at it
DECIMAL_POINT = re.compile(r"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?")
Decimal = Literal["point", "comma"]
_SEPARATORS: dict[Decimal, tuple[str, ...]] = {"point": (";", ",", "\t"), "comma": (";", "\t")}


class Mistake(NamedTuple):
    """A mistake and its place; line 0: the file as a whole."""

    line: int
    column: int
    message: str


class CsvError(ValueError):
    """The file gives no points; `mistakes` says why."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__("; ".join(mistake.message for mistake in mistakes))
        self.mistakes = list(mistakes)


class ColumnError(ValueError):
    """A requested column is missing; `index` is its place among the requested ones."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class Point(NamedTuple):
    """The two numbers of a row, and the place of the first."""

    line: int
    column: int
    x: float
    y: float


class _Cell(NamedTuple):
    text: str
    column: int  # of its first character, from 1


class Row(NamedTuple):
    """The numbers of a row in the columns that were asked for, and the place of the first."""

    line: int
    column: int
    values: tuple[float, ...]


def read_points(path: Path, columns: Sequence[str] | None, decimal: Decimal = "point") -> list[Point]:
    """The points of a file; `columns` are the names of x and y, the first two columns when None. Raises CsvError, ColumnError."""

    def places(names: Sequence[str]) -> tuple[int, ...]:
        return (0, 1) if columns is None else tuple(_place(k, name, names, path.name) for k, name in enumerate(columns))

    return [Point(row.line, row.column, *row.values) for row in read_rows(path, places, decimal)]


def read_rows(path: Path, places: Callable[[Sequence[str]], tuple[int, ...]], decimal: Decimal = "point") -> list[Row]:
    """The rows of a file. `places` says of the names of its columns, none where it has no names, which of them are read, from 0.

    Raises CsvError, and what `places` raises.
    """
    rows = _rows(_text(path), _SEPARATORS[decimal])
    first = next(rows, None)
    if first is None:
        raise CsvError([Mistake(0, 0, f"{path.name} holds no points")])
    names: list[str] = []
    if all(_number(cell.text, decimal) is None for cell in first[1]):
        names = [cell.text.strip('"') for cell in first[1]]
    wanted = places(names)
    width = len(names) or len(first[1])
    fewest = max(wanted) + 1
    found: list[Row] = []
    mistakes: list[Mistake] = []
    for line, cells in rows if names else itertools.chain([first], rows):
        if len(mistakes) >= MAX_COUNTED:
            break
        if len(cells) != width or width < fewest:
            mistakes.append(Mistake(line, 1, f"expected {max(width, fewest)} cells (got {len(cells)})"))
            continue
        values = [_number(cells[place].text, decimal) for place in wanted]
        for place, value in zip(wanted, values, strict=True):
            if value is None or not math.isfinite(value):
                text = cells[place].text
                hint = _other_decimals(text, decimal)
                mistakes.append(Mistake(line, cells[place].column, f"expected a finite number (got '{text[:60]}'){hint}"))
        if None not in values:
            found.append(Row(line, cells[wanted[0]].column, tuple(value for value in values if value is not None)))
    if mistakes:
        more = len(mistakes) - MAX_MISTAKES
        if more > 0:
            last = mistakes[MAX_MISTAKES - 1]
            many = "at least " * (len(mistakes) >= MAX_COUNTED)
            mistakes[MAX_MISTAKES - 1 :] = [last._replace(message=f"{last.message}; and {many}{more} more mistakes")]
        raise CsvError(mistakes)
    if not found:
        raise CsvError([Mistake(0, 0, f"{path.name} holds no points, only the names of its columns")])
    return found


def _other_decimals(text: str, decimal: Decimal) -> str:
    """A hint where a cell is a number with the other decimal sign."""
    other = DECIMAL_POINT if decimal == "comma" else DECIMAL_COMMA
    if not other.fullmatch(text.strip('"')):
        return ""
    if decimal == "comma":
        return "; with `decimal: comma` decimals have a comma, not a point"
    return "; decimals have a point, not a comma (`decimal: comma` reads such numbers)"


def _short(path: Path) -> str:
    """A path as a message names it: of a very long one both ends."""
    text = str(path)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME // 2]}...{text[-LONGEST_NAME // 2 :]}"


def _text(path: Path) -> str:
    try:
        if not path.is_file():  # a folder, or a pipe that nobody fills
            raise CsvError([Mistake(0, 0, f"there is no file {_short(path)}")])
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        if isinstance(error, CsvError):
            raise
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise CsvError([Mistake(0, 0, f"cannot read {_short(path)}: {reason}")]) from None
    if len(raw) > MAX_BYTES:
        raise CsvError([Mistake(0, 0, f"{path.name} is larger than {MAX_BYTES // 1_000_000} MB")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        place = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise CsvError([Mistake(*place, "the file is not UTF-8 text")]) from None


def _rows(text: str, separators: Sequence[str]) -> Iterator[tuple[int, list[_Cell]]]:
    """Line number and cells of every line that has any. Raises CsvError for a line of too many."""
    separator: str | None = None
    start = 0
    for number in itertools.count(1):
        found = _LINE_BREAK.search(text, start)
        content = text[start : found.start() if found else len(text)].partition("#")[0]
        if content.strip():
            if separator is None:
                separator = next((s for s in separators if s in content.strip()), "")
            cells = _cells(content, separator)
            if len(cells) > MAX_CELLS:
                raise CsvError([Mistake(number, 1, f"the line has more than {MAX_CELLS} cells")])
            yield number, cells
        if found is None:
            return
        start = found.end()


def _cells(content: str, separator: str) -> list[_Cell]:
    """The cells of a line, at most one more than MAX_CELLS."""
    if not separator:
        parts = itertools.islice(re.finditer(r"\S+", content), MAX_CELLS + 1)
        return [_Cell(part[0], part.start() + 1) for part in parts]
    cells, start = [], 0
    for part in content.split(separator, MAX_CELLS):
        blank = len(part) - len(part.lstrip())
        cells.append(_Cell(part.strip(), start + (blank if part.strip() else 0) + 1))
        start += len(part) + 1
    return cells


def _number(text: str, decimal: Decimal) -> float | None:
    plain = text.strip('"')
    if decimal == "comma":
        plain = plain.replace(".", " ").replace(",", ".")  # a point is no decimal sign then, nor one of thousands: with a blank no number
    try:
        return float(plain)
    except ValueError:
        return None


def _place(index: int, name: str, names: Sequence[str], file: str) -> int:
    if not names:
        raise ColumnError(index, f"{file} has no line with the names of its columns")
    if name not in names:
        raise ColumnError(index, f"{file} has no column '{name[:60]}'{did_you_mean(name, names)}")
    if names.count(name) > 1:
        raise ColumnError(index, f"{file} has {names.count(name)} columns '{name[:60]}'")
    return names.index(name)
