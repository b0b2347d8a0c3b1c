"""What a march with derivatives leaves: rows, how they move with what varies, and the times at which laws change or events happen."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import nan
from typing import NamedTuple

import numpy as np

from mbsim.studies.runner.phases import Ahead
from mbsim.studies.runner.resets import Happening
from mbsim.system.system import Floats


class Row(NamedTuple):
    """A row and its derivatives."""

    time: float
    row: Floats  # (width,) [q; v; a; lam; work]
    moved: Floats  # (width, n_p) by what varies, at a fixed time
    rate: Floats  # (width,) by t
    part: int  # which of the motion's systems it is of (`Found.parts`)


@dataclass
class Found:
    """The rows at the output times; around a time at which a law changes one shortly before and one after it."""

    kept: list[Row] = field(default_factory=list)
    knots: list[tuple[float, Floats]] = field(default_factory=list)  # times at which a law changes, and their derivatives (n_p,)
    jumped: float = nan  # the last of them at which rates jump
    stopped: bool = False  # the last row is where the stop expression is crossed, which is the last knot too
    events: list[Happening] = field(default_factory=list)  # those of the motion, in their order
    parts: list[Ahead] = field(default_factory=list)  # the systems of the motion, in their order

    @cached_property
    def times(self) -> Floats:
        """(k,)"""
        return np.array([one.time for one in self.kept])

    @cached_property
    def rows(self) -> Floats:
        """(k, width)"""
        return np.array([one.row for one in self.kept])

    @cached_property
    def moved(self) -> Floats:
        """(k, width, n_p)"""
        return np.array([one.moved for one in self.kept])

    @cached_property
    def rates(self) -> Floats:
        """(k, width)"""
        return np.array([one.rate for one in self.kept])

    def by_parts(self) -> list[tuple[Ahead, slice]]:
        """The systems of the motion, and the places of their rows."""
        of = np.array([one.part for one in self.kept])
        edges = np.searchsorted(of, np.arange(len(self.parts) + 1))
        return [(part, slice(a, b)) for part, (a, b) in zip(self.parts, pairwise(edges.tolist()), strict=True) if b > a]

    def beside(self) -> list[tuple[float, Floats]]:
        """The times of the rows on both sides of each knot, which move as it does; of a knot that has a row its own."""
        found = []
        for t, moved in self.knots:
            k = int(np.searchsorted(self.times, t))
            around = [k] if self.times[k : k + 1] == t else [max(k - 1, 0), min(k, len(self.times) - 1)]
            found += [(float(self.times[i]), moved) for i in around]
        return found

    def halved(self) -> "Found":
        """With every second row, and with all that stand beside a knot, at the start and at the end."""
        knots, last = np.array([t for t, _ in self.knots]), len(self.kept) - 1
        beside = np.concatenate([np.searchsorted(self.times, knots) + k for k in (-1, 0)]) if len(knots) else np.zeros(0, int)
        some = np.unique(np.clip(np.concatenate([np.arange(0, last + 1, 2), beside, [last]]), 0, last)).astype(int)
        return Found([self.kept[i] for i in some], self.knots, self.jumped, self.stopped, self.events, self.parts)

    def drop(self, t: float) -> None:
        """Forget the rows from t on, but for the first."""
        while len(self.kept) > 1 and self.kept[-1].time >= t:
            self.kept.pop()
