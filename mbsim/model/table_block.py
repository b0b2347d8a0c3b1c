"""The `tables` block: points in the model file, or columns of a CSV file beside it."""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from mbsim.model.expressions.functions import MEASURING
from mbsim.model.expressions.tables import Table
from mbsim.model.expressions.units import factor_of, known_units
from mbsim.model.fields import Context, ItemError, Number, PositiveNumber, numbers
from mbsim.model.file.csv_points import ColumnError, CsvError, Decimal, Point, read_points
from mbsim.model.file.errors import Problem, did_you_mean, shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.model.names import own_name_fault
from mbsim.model.rephrase import Fault
from mbsim.model.report import TABLE_SOURCE, Report
from mbsim.model.schemas import NUMBER, array
from mbsim.model.smoothing import smoothed

FEWEST, FEWEST_PERIODIC, FEWEST_SMOOTH = 2, 3, 5  # points
ENDS_MEET = 1e-9  # of the largest value: allowed difference between the ends of a periodic table


def _pairs(value: Plain, info: ValidationInfo) -> list[tuple[float, float]]:
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):  # from Python also a tuple, an array
        raise ValueError(f"expected a list of points [x, y] (got {shown(value)})")
    found = []
    for index, pair in enumerate(value):
        if isinstance(pair, (str, Mapping)) or not isinstance(pair, Iterable) or len(both := list(pair)) != 2:
            raise ItemError((index,), ValueError(f"expected a point [x, y] (got {shown(pair)})"))
        x, y = numbers(both, info, index)
        found.append((x, y))
    return found


_PAIRS: Mapped = {"type": "array", "items": array(NUMBER, 2), "minItems": FEWEST}
Pairs = Annotated[list[tuple[float, float]], PlainValidator(_pairs), WithJsonSchema(_PAIRS)]


class TableBlock(Block):
    """A function of one argument, given by points."""

    file: str | None = Field(default=None, description="CSV file with the points, relative to the model file's folder")
    columns: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="names of the file's columns that hold x and y; its first two when not given"
    )
    decimal: Decimal = Field(default="point", description="comma: the numbers of the file have a decimal comma")
    points: Pairs | None = Field(default=None, description="[[x, y], ...] in place of `file`, x increasing")
    interpolation: Literal["cubic", "linear"] = Field(default="cubic", description="cubic: a spline with two continuous derivatives")
    periodic: bool = Field(default=False, description="it repeats; then the last y is the first")
    unit: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="of x and y, such as [ms, deg]; they are converted to SI"
    )
    scale: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="factors of x and y, in place of `unit` or besides it"
    )
    smooth: PositiveNumber | None = Field(
        default=None,
        description="size of the noise of y, in SI units: the points move onto the smoothest spline that is so near to them",
    )

    @property
    def factors(self) -> tuple[float, float]:
        """Of x and y, to SI."""
        (a, b), (x, y) = self.unit or ("1", "1"), self.scale or (1.0, 1.0)
        return x * (factor_of(a) or 1.0), y * (factor_of(b) or 1.0)

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if (self.file is None) == (self.points is None):
            raise ValueError("give exactly one of 'file' and 'points'")
        for key in ("columns", "decimal"):
            if key in self.model_fields_set and self.file is None:
                raise ValueError(f"'{key}' goes with 'file'")
        for word in self.unit or ():
            if factor_of(word) is None:
                raise ItemError(("unit",), ValueError(f"unknown unit '{word[:60]}'; known: {', '.join(known_units())}"))
        if self.scale is not None and not (self.scale[0] > 0.0 and self.scale[1] != 0.0):
            raise ItemError(("scale",), ValueError(f"x needs a factor above 0, y one that is not 0 (got {self.scale})"))
        if self.smooth is not None and (self.periodic or self.interpolation != "cubic"):
            raise ItemError(("smooth",), ValueError("a periodic or linear table is not smoothed"))
        return self


class TablesGiven(NamedTuple):
    """The sources of tables: the block of the file, blocks that replace some of its tables, and the folder for relative file names."""

    block: Mapped
    overrides: Mapping[str, Plain]
    folder: Path


def read_tables(given: TablesGiven, taken: Mapping[str, Collection[str]], context: Context, report: Report) -> dict[str, Table]:
    """The tables by name, in the order of the block. Problems go to `report`; a wrong table has no points.

    `taken`: the names that other sections use, by section.
    """
    raw = dict(given.block)
    misnamed = set()
    for name in raw:
        if fault := own_name_fault(name, {"the functions of measures": MEASURING, **taken}):
            report.add(Fault((name,), fault, "key"), ("tables",))
            misnamed.add(name)
    for name, block in given.overrides.items():
        if name in raw:
            raw[name] = block
        else:
            hint = did_you_mean(name, raw) or "; the model has no tables" * (not raw)
            report.outside(TABLE_SOURCE, "", f"unknown table '{name[:60]}'{hint}")
    found = {name: _Reader(name, index, given.folder, report).read(raw[name], context) for index, name in enumerate(raw)}
    return {name: table for name, table in found.items() if name not in misnamed}  # the name keeps its other meaning


class _Reader:
    """Reads one table and puts each mistake at its place: in the model file or in the CSV file."""

    def __init__(self, name: str, index: int, folder: Path, report: Report) -> None:
        self.name, self.index, self.folder, self.report = name, index, folder, report
        self.path = ("tables", name)
        self.csv = Path()
        self.places: Sequence[Point] = ()  # of the points in the CSV file

    def read(self, data: Plain, context: Context) -> Table:
        broken = Table(self.name, self.index)
        block = self.report.read(TableBlock, self.path, data, context)
        if block is None:
            return broken
        points = block.points if block.file is None else self._from_file(block.file, block.columns, block.decimal)
        if points is None or not self._usable(points, block.periodic):
            return broken
        if block.periodic:
            points[-1] = (points[-1][0], points[0][1])
        a, b = block.factors
        if (a, b) != (1.0, 1.0):
            points = [(a * x, b * y) for x, y in points]
        if block.smooth is not None:
            if len(points) < FEWEST_SMOOTH:
                self.report.add(Fault(("smooth",), f"smoothing needs {FEWEST_SMOOTH} points or more (got {len(points)})"), self.path)
                return broken
            points = smoothed(points, block.smooth)
        return Table(self.name, self.index, tuple(points), block.interpolation, block.periodic)

    def _from_file(self, file: str, columns: Sequence[str] | None, decimal: Decimal) -> list[tuple[float, float]] | None:
        self.csv = self.folder / file
        try:
            self.places = read_points(self.csv, columns, decimal)
        except ColumnError as error:
            self.report.add(Fault(("columns", error.index), str(error)), self.path)
            return None
        except CsvError as error:
            for line, column, message in error.mistakes:
                self._in_csv(line, column, message)
            return None
        return [(point.x, point.y) for point in self.places]

    def _in_csv(self, line: int, column: int, message: str) -> None:
        if line:
            self.report.problems.append(Problem(str(self.csv), line, column, ".".join(self.path), message))
        else:
            self.report.add(Fault(("file",), message), self.path)

    def _usable(self, points: Sequence[tuple[float, float]], periodic: bool) -> bool:
        fewest = FEWEST_PERIODIC if periodic else FEWEST
        whole = ("file",) if self.places else ("points",)
        if len(points) < fewest:
            periodically = "a periodic table" if periodic else "a table"
            self.report.add(Fault(whole, f"{periodically} needs {fewest} points or more (got {len(points)})"), self.path)
            return False
        falls = [k for k, (a, b) in enumerate(itertools.pairwise(points), 1) if not b[0] > a[0]]
        if falls:
            k = falls[0]
            message = f"x must increase from point to point (got {points[k][0]:g} after {points[k - 1][0]:g})"
            if self.places:
                self._in_csv(self.places[k].line, self.places[k].column, message)
            else:
                self.report.add(Fault(("points", k, 0), message), self.path)
            return False
        largest = max(abs(y) for _, y in points)
        if periodic and abs(points[-1][1] - points[0][1]) > ENDS_MEET * largest:
            message = f"a periodic table must end where it begins (got y = {points[0][1]:g} first and {points[-1][1]:g} last)"
            self.report.add(Fault(whole, message), self.path)
            return False
        return True
