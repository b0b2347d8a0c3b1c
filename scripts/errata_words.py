"""How scripts/errata.py and its parts write numbers."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUND_OFF = 1e-11  # what is smaller is printed as zero: its digits differ from machine to machine


class Row(NamedTuple):
    """A line of the table."""

    equation: str
    quantity: str
    printed: str
    correct: str


def number(value: float, digits: int = 3) -> str:
    """Three decimals, or three digits of a small number."""
    if abs(value) < ROUND_OFF:
        return "0"
    return f"{value:.{digits}f}" if abs(value) >= 0.01 else f"{value:.1e}"


def vector(values: Floats) -> str:
    """(1.000, 2.000)."""
    return f"({', '.join(number(float(x)) for x in values)})"


def series(values: list[float]) -> str:
    """Several numbers, six decimals or two digits."""
    return ", ".join(f"{x:.6f}" if x > 0.01 else f"{x:.1e}" for x in values)


def counts(values: Iterable[float]) -> str:
    """Several numbers of things."""
    return ", ".join(f"{x:.0f}" for x in values)
