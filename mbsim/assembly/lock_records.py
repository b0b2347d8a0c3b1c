"""What of a model is locked, and how it stood when it was: nothing here imports what reads or builds models."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mbsim.model.names import owner
from mbsim.system.system import Floats

APART = 1e-6  # of the size of the mechanism: what is farther from holding than this is not locked


class Poses(NamedTuple):
    """The poses of the bodies at one configuration."""

    centres: Floats  # (n_b, 3) m
    axes: Floats  # (n_b, 3, 3) in columns
    angles: Floats  # (n_b,) rad, of planar bodies; else zero

    def place(self, body: int, point: Floats) -> Floats:
        """Global place of points (..., 3) in axes of a body."""
        return np.asarray(self.centres[body] + point @ self.axes[body].T)


@dataclass(frozen=True)
class Locks:
    """What does not hold of what comes and goes, and how what was locked during a run does."""

    open: frozenset[str] = frozenset()
    poses: Mapping[str, Poses] = field(default_factory=dict)  # of the bodies when a joint was locked
    values: Mapping[str, float] = field(default_factory=dict)  # by rows: what drivers, equations and couplings keep in place of zero

    def without(self, names: Collection[str]) -> "Locks":
        """The same with these open."""
        at = {name: pose for name, pose in self.poses.items() if name not in names}
        return Locks(self.open | frozenset(names), at, {row: value for row, value in self.values.items() if owner(row) not in names})

    def same_as(self, other: "Locks") -> bool:
        """Whether systems with either are the same: of one moment, where joints were locked."""
        return self.open == other.open and self.same_values(other)

    def same_values(self, other: "Locks") -> bool:
        """Whether what was locked during a run, and holds with either, holds as the same."""
        alike = self.values == other.values and self.poses.keys() == other.poses.keys()
        return alike and all(other.poses[name] is pose for name, pose in self.poses.items())
