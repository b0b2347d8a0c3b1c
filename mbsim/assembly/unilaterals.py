"""Stops, contacts and dry friction as records: what holds, what pushes, what is watched (`mbsim.assembly.unilateral` makes them)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from functools import cached_property
from math import tanh
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.kernels.relative import VALUE
from mbsim.model.expressions.expression import Expression
from mbsim.system.system import Floats, SlipSizes, System

NEARNESS, SLIPS = ("distance", "beyond", "tilt"), ("slide0", "slide1")  # relative coordinates of a contact of bodies
FLAT = 1e-6  # of the bodies' lengths: a corner that is less behind a side is above it
SMALL = 1e-3  # m: size of bodies below which gaps are measured by less than 1 m


class Look(StrEnum):
    """What an expression tells of a contact."""

    GAP = "gap"  # how far it is from closed
    SPEED = "speed"  # the rate of the gap
    PRESS = "press"  # the normal force, until it opens
    SLIDE = "slide"  # the speed along the first tangent
    ACROSS = "across"  # the speed along the second
    ALONG = "along"  # in space the speed along the direction in which it began to slip
    HOLD = "hold"  # what is left of the friction that holds
    EDGE = "edge"  # how far what touches a side is from where that ends


Weights = dict[str, float]  # of multipliers, by row


class Wrap(NamedTuple):
    """The angle by which a cable lies on a circle with friction: that of the drawing and relative coordinates, by name, with factors."""

    drawn: float  # rad
    turns: tuple[tuple[str, float], ...]

    def angle(self, system: System) -> float:
        """It at the last evaluation of a system, rad."""
        values = system.arrays.relative_values
        return self.drawn + sum(by * float(values[system.relative[name], VALUE]) for name, by in self.turns)


class Group(NamedTuple):
    """Reactions that load a friction: their coefficient, times a radius about an angle, times the length of the components.

    Where a cable lies on a circle it is the mean tension, and in place of a coefficient 2 tanh(coefficient angle/2).
    """

    slips: float
    holds: float
    components: tuple[Weights, ...]
    wrap: Wrap | None = None

    def factor(self, holds: bool, system: System) -> float:
        """Of the components in the bound, at the last evaluation of a system."""
        coefficient = self.holds if holds else self.slips
        return coefficient if self.wrap is None else 2.0 * tanh(0.5 * coefficient * max(self.wrap.angle(system), 0.0))

    def numbers(self, holds: bool, first: int, system: System) -> list[float]:
        """Its row (GROUP,) of `Work.groups`, with components from `first` on; of a wrap the next evaluation tells the factor."""
        coefficient, wrap = self.holds if holds else self.slips, self.wrap
        about = (
            [0.0] * 6 if wrap is None else [coefficient, wrap.drawn, *(x for name, by in wrap.turns for x in (system.relative[name], by))]
        )
        return [float(first), float(len(self.components)), coefficient, *about]


@dataclass(frozen=True)
class Unilateral:
    """A stop, a contact, the friction of a joint, or the resistance of a contact to rolling or drilling."""

    name: str
    path: tuple[str, ...]  # of the model file
    normal: str  # the row of its normal direction; empty: it has none
    tangent: str  # the constraint of its tangential rows, likewise
    tangents: int  # how many these are
    pushes: tuple[str, ...]  # what laws call the efforts, the normal one first
    texts: dict[Look, str | Expression]  # what is watched, in the order of its events; the speeds among them also tell accelerations
    _: KW_ONLY
    sign: float = 1.0  # the gap grows with what the normal row keeps, or -1 against it
    near: float = 1.0  # m or rad: the size of what the gap is measured by
    restitution: float = 0.0
    closing_speed: float = 0.0  # rad/s or m/s
    fixed: float = 0.0  # N or N m: the friction that nothing loads
    fixed_static: float = 0.0
    friction: float = 0.0  # coefficient of a contact's own normal force
    static: float = 0.0
    groups: tuple[Group, ...] = ()  # reactions of the joint that load its friction
    joint: str = ""  # of a stop and of a joint's friction; a contact has none
    coordinate: str = ""
    bound: float = 0.0  # of a stop, rad or m
    cable: bool = False  # whether it is a cable that may go slack
    pair: str = ""  # the same of all sides of one polygon that one point may touch
    disk_on: str = ""  # the same of all contacts of a disk with the sides and then the corners of one polygon: it touches one, or two next
    height: str = ""  # of a side: what laws call the height above it
    beside: tuple[str, ...] = ()  # of a corner of a polygon at a side: the heights above this of the next corners
    surface: Expression | None = None  # of a contact in the user's own coordinates: what its row keeps
    flank: Any = None  # of a coupling with play (`mbsim.joints._coupling.Flank`)
    of: str = ""  # of a resistance: its contact, whose normal force loads it
    drills: bool = False  # whether it resists drilling, and not rolling
    station: int = -1  # of a cable that rubs on a rim: which one of its path
    width: float = 0.0  # m: how far the gap runs at least through what is solid until it is open again; 0: not known

    @property
    def turns(self) -> bool:
        """Whether its directions are angles and its efforts N m: of what acts along an angle of a joint, of resistances."""
        return bool(self.of) or self.coordinate.startswith("angle") or (self.flank is not None and self.flank.tied()[1] != "displacement")

    @property
    def lever(self) -> float:
        """What its efforts are divided by where they share a load: of a resistance its length, m, by which a force bounds it."""
        return self.groups[0].holds if self.of else 1.0

    @property
    def looks(self) -> tuple[Look, ...]:
        """What is watched of it, in the order of its events."""
        return tuple(self.texts)

    def is_loaded(self, rows: Collection[str]) -> bool:
        """Whether the row holds, of a system with these, by which its friction is loaded; that of a joint always is."""
        load = self.of or self.normal
        return not load or load in rows

    @cached_property
    def loads(self) -> tuple[Group, ...]:
        """All groups that load its friction, its own normal force among them."""
        own = (Group(self.friction, self.static, ({self.normal: 1.0},)),) if self.normal and self.tangent else ()
        return (*own, *self.groups)


@dataclass(frozen=True)
class Unilaterals:
    """Those of a model, and where the numbers of their efforts are."""

    each: tuple[Unilateral, ...]
    places: tuple[tuple[int, ...], ...]  # in Arrays.parameters, of the pushes of each
    slip_places: tuple[tuple[int, ...], ...]  # of those that slip in space: the size of friction, the start (2), what is still
    first: int  # the event of the model that their first one is; all of them follow each other

    @cached_property
    def all_places(self) -> NDArray[np.int64]:
        """Those of all numbers that are zero where nothing pushes."""
        return np.array([place for places in (*self.places, *(own[:3] for own in self.slip_places)) for place in places], np.int64)

    @cached_property
    def still_places(self) -> NDArray[np.int64]:
        """Those of what is one where nothing slips."""
        return np.array([own[3] for own in self.slip_places if own], np.int64)

    @cached_property
    def under(self) -> tuple[int, ...]:
        """Of each resistance its contact, of others -1."""
        place = {one.name: i for i, one in enumerate(self.each)}
        return tuple(place[one.of] if one.of else -1 for one in self.each)

    def loaded(self, i: int, closed: Collection[int]) -> bool:
        """Whether i is no resistance, or one of a contact that is `closed`: it is there only then."""
        return self.under[i] < 0 or self.under[i] in closed

    @cached_property
    def rows(self) -> frozenset[str]:
        """What holds them: their drivers and constraints."""
        return frozenset(name for one in self.each for name in (one.normal, one.tangent) if name)

    @cached_property
    def near_of_normals(self) -> dict[str, float]:
        """By what the gaps are measured, m or rad, by the row of the normal."""
        return {one.normal: one.near for one in self.each if one.normal}

    @cached_property
    def next_corners(self) -> tuple[tuple[int, ...], ...]:
        """Of each corner at a side the contacts of the next corners with this side."""
        place = {one.height: i for i, one in enumerate(self.each)}
        return tuple(tuple(place[height] for height in one.beside) for one in self.each)

    def parts(self, i: int, heights: Floats) -> bool:
        """Whether the side i lies between both polygons: no corner next to the one that touches it is behind it.

        `heights` (n,) above the sides, m.
        """
        least = heights[i] - FLAT * self.each[i].near
        return all(heights[j] >= least for j in self.next_corners[i])

    @cached_property
    def sides(self) -> Mapping[str, tuple[int, ...]]:
        """Of each corner that touches sides of a polygon (`Unilateral.pair`) the contacts with these."""
        found: dict[str, list[int]] = {}
        for i, one in enumerate(self.each):
            if one.pair:
                found.setdefault(one.pair, []).append(i)
        return {pair: tuple(which) for pair, which in found.items()}

    def flat_beside(self, i: int, heights: Floats) -> list[int]:
        """Where the side i, which a corner touches, does not part both polygons: the other sides that do, and that it is at but for FLAT.

        A box that stands flush with the edge of another one is on its top, although its corner may be deeper in that than beyond the edge.
        """
        pair = self.each[i].pair
        if not pair or self.parts(i, heights):
            return []
        return [j for j in self.sides[pair] if j != i and abs(heights[j]) <= FLAT * self.each[j].near and self.parts(j, heights)]

    def at_corners(self, touching: Sequence[int], speeds: Mapping[int, float], heights: Floats) -> list[int]:
        """Those of `touching` that count: at a corner of a polygon, where two sides meet, one of those that part both polygons.

        Of several, or where none does, it is the one whose gap grows fastest: a point is outside as long as it is above one of them.
        `speeds` (rad/s or m/s) are those of gaps, `heights` (n,) those above sides, m.
        """
        of_pair: dict[str, list[int]] = {}
        for i in touching:
            of_pair.setdefault(self.each[i].pair or str(i), []).append(i)
        kept = []
        for found in of_pair.values():
            parting = [i for i in found if self.parts(i, heights)] if len(found) > 1 else found
            kept.append(max(parting or found, key=lambda i: speeds[i]))
        return sorted(kept)


def near_of(size: float) -> float:
    """By what the gap of bodies of this size (m) is measured, m: by 1 m for those of a millimetre to a metre, else by their size.

    Of small ones it is 1000 times that: their places are known to the round-off of places that are farther away.
    """
    return 1.0 if size == 0.0 else max(min(1.0, size / SMALL), size)


def slow_of(size: float) -> float:
    """By what slips of bodies of this size (m) are measured, m/s: by 1 m/s, below a millimetre by 1000 times the size in a second."""
    return min(1.0, near_of(size))


def tangent_rows(one: Unilateral) -> list[str]:
    """The rows that keep its tangents."""
    return [one.tangent] if one.tangents == 1 else [f"{one.tangent}.slip{k}" for k in range(one.tangents)]


def levers_of(found: tuple[Unilateral, ...]) -> dict[str, float]:
    """The lever of each row that resists rolling or drilling, m."""
    return {row: one.lever for one in found if one.of for row in tangent_rows(one)}


def slip_sizes(found: tuple[Unilateral, ...], rows: Collection[str]) -> SlipSizes:
    """Of the tables of friction that reactions load, in a system with these rows."""
    loads = [one.loads for one in found if one.is_loaded(rows)]
    groups = [group for each in loads for group in each]
    known = any(one.loads for one in found)
    return SlipSizes(sum(bool(each) for each in loads), len(groups), sum(len(group.components) for group in groups), known)
