"""A cable that is laid along its path, as plain data: what leaves ask of `Geometry.cable`."""

from typing import NamedTuple


class Term(NamedTuple):
    """A relative coordinate that a length is made of."""

    relative: int  # index
    name: str  # in laws
    factor: float  # m of length per unit of it


class Lift(NamedTuple):
    """A circle that a cable leaves where its angle on it would be less than zero."""

    about: tuple[int, int]  # which terms lead to it and away from it
    around: float  # m: radius times angle in the drawing, which is a part of the drawn length
    beside: Term  # in place of both
    drawn: float  # angle in the drawing, rad
    turns: tuple[Term, Term]  # of the directions of both since the drawing, by which the angle grows: rad per rad


class Rub(NamedTuple):
    """A circle on which a cable rubs: the part before it and the one behind it, each with half of what lies on the circle."""

    station: int
    slide: list[Term]  # how far the cable has slid over the rim, m: half the length behind less half the length before
    turns: tuple[Term, Term]  # of the directions of both straight parts since the drawing, by which its angle grows: rad per rad


class Part(NamedTuple):
    """A part of a cable that has one tension: all of it, or what is between two pulleys that grip it."""

    terms: list[Term]
    drawn: float  # its length in the drawing, m
    straight: float  # of this, in straight parts, m
    lifts: list[Lift]
    period: float  # m: whole multiples of which its rows leave open; 0: none
    rubs: list[Rub]
