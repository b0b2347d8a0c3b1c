"""Numbers as a reader wants them."""

from math import isfinite
from typing import Any


def number(value: Any) -> float | None:
    """A finite float, or None."""
    return float(value) if value is not None and isfinite(value) else None


def short(value: float | None) -> str:
    """Two digits are enough for an error: `1.2e-6`."""
    return "" if value is None else "0" if value == 0.0 else f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e+")


def power(value: float) -> str:
    """A tolerance: `1e-6`, `2.5e-4`."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def count(value: int | None) -> str:
    """Up to six digits, then thousands."""
    return "" if value is None else f"{value}" if value < 1_000_000 else f"{value / 1e3:.0f}k" if value < 1e9 else f"{value:.2e}"


def seconds(value: float | None) -> str:
    """With its unit: `12 ms`."""
    if value is None:
        return ""
    return f"{value:.3g} s" if value >= 1.0 else f"{1e3 * value:.3g} ms" if value >= 1e-3 else f"{1e6 * value:.3g} us"
