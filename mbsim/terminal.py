"""Text that fits the terminal: lines that are folded, and tables that have as many columns as there is room for."""

import sys
import textwrap
from collections.abc import Collection, Sequence

WIDTH = 80  # columns of what goes to a pipe or a file
NARROWEST = 60  # columns; for a narrower terminal nothing is folded further
GAP = "  "  # between two columns
LEAST = 24  # columns for text beside others; with less room it stands below them
LONGEST_ITEM = 40  # characters of a part between commas that stays in one line
_TIE = "\N{NO-BREAK SPACE}"
HANG = 4  # columns by which the following lines are set in


def room(wide: bool = False) -> int | None:
    """The columns of the terminal on stdout, WIDTH where there is none; None, no limit, with `wide`."""
    if wide:
        return None
    if not sys.stdout.isatty():
        return WIDTH
    import shutil  # and with it three kinds of archives

    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def fold(line: str, limit: int | None, hang: int = HANG, items: bool = False) -> str:
    """A line as several that are no longer than `limit`; those that follow are set in by `hang` more. Words are not broken.

    With `items` the short parts between commas are not broken either, such as a name and its value.
    """
    if limit is None or len(line) <= limit:
        return line
    indent = len(line) - len(line.lstrip())
    return "\n".join(_wrap(line, limit, indent + hang, items))


def _wrap(text: str, limit: int, set_in: int = 0, items: bool = False) -> list[str]:
    if items:
        indent = text[: len(text) - len(text.lstrip())]
        parts = text.lstrip().split(", ")
        text = indent + ", ".join(part.replace(" ", _TIE) if len(part) <= LONGEST_ITEM else part for part in parts)
    lines = textwrap.wrap(text, limit, subsequent_indent=" " * set_in, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_TIE, " ") for line in lines]


def table(
    rows: Sequence[Sequence[str]], limit: int | None, numbers: Collection[int] = (), indent: str = "", items: bool = False
) -> list[str]:
    """The rows as lines: columns as wide as what they hold, those of `numbers` to the right. The last one is text that is folded,
    with `items` as `fold` does it."""
    if not rows:
        return []
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    before = len(indent) + sum(widths[:-1]) + len(GAP) * (len(widths) - 1)
    beside = limit is None or limit - before >= min(LEAST, widths[-1])
    set_in = before if beside else len(indent) + 2 * HANG
    lines = []
    for row in rows:
        padded = [cell.rjust(width) if i in numbers else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        first = (indent + GAP.join(padded[:-1])).rstrip() if len(row) > 1 else indent.rstrip()
        parts = [row[-1]] if limit is None else _wrap(row[-1], limit - set_in, items=items)
        if beside:
            first = (indent + GAP.join([*padded[:-1], parts.pop(0) if parts else ""])).rstrip()
        lines += [first, *(" " * set_in + part for part in parts)]
    return lines


def fitting(widths: Sequence[int], wanted: Sequence[int], limit: int | None, indent: int = 0) -> list[int]:
    """The columns that fit, in their order in the table: those first in `wanted`, which names all of them, before others."""
    kept: list[int] = []
    used = indent - len(GAP)
    for i in wanted:
        if limit is None or used + len(GAP) + widths[i] <= limit or not kept:
            kept.append(i)
            used += len(GAP) + widths[i]
    return sorted(kept)
