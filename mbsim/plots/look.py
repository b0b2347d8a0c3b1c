"""How a picture of a result looks: its title, its size, and whether it is for a screen or for print."""

import re
from dataclasses import dataclass
from typing import Any

from mbsim.plots.style import COLUMN, PRINT, STYLE

SCREEN, PRINTED = "screen", "print"
STYLES = (SCREEN, PRINTED)
INCH = 2.54  # cm
LEAST, MOST = 2.0, 200.0  # cm
_SIDES = re.compile(r"([0-9.]+)x([0-9.]+) *(cm|mm|in)?")
_CM = {"cm": 1.0, "mm": 0.1, "in": INCH}


@dataclass(frozen=True)
class Look:
    """What is asked for. Without a title it is that of the model, in print none; `size` is the width and height in cm."""

    title: str | None = None
    size: tuple[float, float] | None = None
    style: str = SCREEN

    @property
    def printed(self) -> bool:
        return self.style == PRINTED

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of matplotlib."""
        return {**STYLE, **(PRINT if self.printed else {})}

    def inches(self, columns: int, rows: int) -> tuple[float, float]:
        """Width and height of a picture of so many columns and rows of panels."""
        if self.size is not None:
            return self.size[0] / INCH, self.size[1] / INCH
        if self.printed:
            return columns * COLUMN / INCH, rows * 0.72 * COLUMN / INCH
        return 4.4 * columns + 1.0, 2.5 * rows + 0.8


def read_size(text: str) -> tuple[float, float]:
    """`16x9cm`, `160x90mm`, `6x4in`: width and height in cm, which are meant without a unit. Raises ValueError."""
    found = _SIDES.fullmatch(text.strip())
    try:
        sides = (float(found[1]), float(found[2])) if found else None
    except ValueError:
        sides = None
    if found is None or sides is None:
        raise ValueError(f"a size is WIDTHxHEIGHT with a unit, such as 16x9cm, 160x90mm or 6x4in (got {text[:40]!r})")
    width, height = (side * _CM[found[3] or "cm"] for side in sides)
    if not all(LEAST <= side <= MOST for side in (width, height)):
        raise ValueError(f"a picture is {LEAST:g} to {MOST:g} cm wide and high (got {width:g} x {height:g} cm)")
    return width, height
