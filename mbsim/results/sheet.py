"""A table, and how it is written: .csv, .xlsx, .md, .tex.

Numbers have all their digits in .csv and .xlsx, and three in .md and .tex, which are for readers; there a table has its `short` columns.
"""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.results import outputs
from mbsim.version import __version__

SUFFIXES = (".csv", ".xlsx", ".md", ".tex")
DIGITS = 3  # of a number that is read
COMMA = {"delimiter": ";", "decimal": ","}
POINT = {"delimiter": ",", "decimal": "."}
_TEX = {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}  # fmt: skip
Cell = float | int | str | None
Column = Sequence[Cell] | np.ndarray


class ExportError(ValueError):
    """What cannot be written in this way: a suffix that is not known, or a package that is missing."""


@dataclass
class Sheet:
    """Columns by name; `units` are those of a column that has some. A cell without a value is None or NaN."""

    title: str
    columns: Mapping[str, Column]
    units: dict[str, str] = field(default_factory=dict)
    short: Sequence[str] | None = None  # the columns of a table that is read; None: all

    def heads(self, with_units: bool, names: Iterable[str] | None = None) -> list[str]:
        """The names of the columns, `crank.angle (rad)` with units."""
        found = list(self.columns if names is None else names)
        return [f"{name} ({self.units[name]})" if with_units and self.units.get(name, "1") != "1" else name for name in found]

    def write(self, path: Path, force: bool = False, with_units: bool = False, comma: bool = False) -> None:
        """Into a file in the format of its suffix. `comma`: a decimal comma, and semicolons between the cells of a .csv.

        Raises ExportError for another suffix or without openpyxl, OutputError, OSError.
        """
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise ExportError(f"cannot write {path}: the suffix says the format, one of {', '.join(SUFFIXES)}")
        if suffix == ".xlsx" and comma:
            raise ExportError("an .xlsx file has numbers, which a spreadsheet shows with the decimal sign of its user")
        if suffix == ".xlsx":
            self._write_workbook(path, force, with_units)
        elif suffix == ".csv":
            with outputs.replacing(path, force) as part, part.open("w", newline="", encoding="utf-8") as file:
                self._write_rows(file, with_units, comma)
        else:
            text = self._markdown(comma) if suffix == ".md" else self._latex(comma)
            outputs.write_text(path, text, force)

    def csv(self) -> str:
        """The text of a .csv file."""
        text = io.StringIO()
        self._write_rows(text, False, False, "\n")
        return text.getvalue()

    def _write_rows(self, file: Any, with_units: bool, comma: bool, end: str = "\r\n") -> None:
        style = COMMA if comma else POINT
        writer = csv.writer(file, delimiter=style["delimiter"], lineterminator=end)
        writer.writerow(self.heads(with_units))
        writer.writerows(zip(*(_all_digits(column, style["decimal"]) for column in self.columns.values()), strict=True))

    def _write_workbook(self, path: Path, force: bool, with_units: bool) -> None:
        try:
            from openpyxl import Workbook
        except ImportError:
            raise ExportError("an .xlsx file needs openpyxl: pip install openpyxl") from None
        with outputs.replacing(path, force) as part, part.open("wb") as file:
            book = Workbook(write_only=True)
            book.properties.creator = f"mbsim {__version__}"
            page = book.create_sheet("mbsim")
            page.freeze_panes = "A2"
            page.append(self.heads(with_units))
            for row in zip(*map(_list, self.columns.values()), strict=True):
                page.append([_type(cell) for cell in row])
            book.save(file)

    def readable(self, comma: bool = False) -> tuple[list[str], list[list[str]], list[bool]]:
        """Heads, cells, and which columns are numbers, for a reader."""
        names = [name for name in (self.short or self.columns) if name in self.columns and any(map(_is_there, self.columns[name]))]
        columns = [[_round(cell, "," if comma else ".") for cell in _list(self.columns[name])] for name in names]
        numeric = [not any(isinstance(cell, str) for cell in self.columns[name]) for name in names]
        return self.heads(True, names), [list(row) for row in zip(*columns, strict=True)], numeric

    def _markdown(self, comma: bool) -> str:
        heads, rows, numeric = self.readable(comma)
        lines = [[head.replace("|", "\\|") for head in heads], ["---:" if number else "---" for number in numeric]]
        lines += [[cell.replace("|", "\\|") for cell in row] for row in rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"

    def _latex(self, comma: bool) -> str:
        """A tabular of the package booktabs."""
        heads, rows, numeric = self.readable(comma)
        lines = [f"\\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}", "\\toprule"]
        lines += [" & ".join(map(_tex, heads)) + r" \\", "\\midrule"]
        lines += [" & ".join(map(_tex, row)) + r" \\" for row in rows]
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"


def _is_there(cell: Cell) -> bool:
    return cell is not None and cell != "" and not (isinstance(cell, float) and math.isnan(cell))


def _type(cell: Cell) -> Cell:
    """A number, a text, or nothing: a workbook has no NaN."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else str(cell)
    return cell


def _list(column: Column) -> Sequence[Cell]:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _all_digits(column: Column, decimal: str) -> list[str]:
    """The cells of a column as text. Numbers of a run that are none are written as such."""
    if isinstance(column, np.ndarray):
        found = list(map(repr, column.tolist()))
    else:
        found = ["" if not _is_there(cell) else repr(cell) if isinstance(cell, float) else str(cell) for cell in column]
    if decimal == ".":
        return found
    return [text.replace(".", decimal) if not isinstance(cell, str) else text for text, cell in zip(found, column, strict=True)]


def _round(cell: Cell, decimal: str) -> str:
    if not _is_there(cell):
        return ""
    return f"{float(cell):.{DIGITS}g}".replace(".", decimal) if isinstance(cell, float) else str(cell)


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)
