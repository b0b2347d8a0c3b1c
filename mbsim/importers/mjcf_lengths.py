"""Lengths along which actuators and tendons of MJCF act: sums of factors times coordinates of joints. They count as in the file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mbsim.importers.mjcf_bodies import Found

COORDINATES = {"hinge": "angle", "slide": "displacement"}
Single = Callable[[str, str], str | None]  # name and place in the file -> the joint, if it has one coordinate; a note if it has several


@dataclass(frozen=True)
class Length:
    """A sum of factors times coordinates of joints, and a constant."""

    factors: dict[str, float]
    constant: float  # m or rad, where all coordinates are zero
    moving: str  # its change from there, an expression
    rate: str

    @property
    def text(self) -> str:
        """The whole length, an expression."""
        return self.moving if self.constant == 0.0 else f"({self.moving} + {self.constant!r})"


def length_of(factors: Mapping[str, float], found: Found) -> Length:
    """Of joints with one coordinate; a joint's `ref` is part of the constant."""
    names = [f"{joint}.{COORDINATES[found.kinds[joint]]}" for joint in factors]
    constant = sum(factor * found.ref[joint] for joint, factor in factors.items())
    moving = " + ".join(f"{factor!r}*{name}" for factor, name in zip(factors.values(), names, strict=True))
    rate = " + ".join(f"{factor!r}*der({name})" for factor, name in zip(factors.values(), names, strict=True))
    return Length(dict(factors), constant, f"({moving})", f"({rate})")


def clamp(law: str, bounds: tuple[float, float] | None) -> str:
    """A law held between two numbers."""
    return law if bounds is None else f"max({bounds[0]!r}, min({bounds[1]!r}, {law}))"
