"""The systems of a motion whose derivatives are taken: another one from each event on that locks or unlocks something.

The numbers of a later system depend on what varies in two ways: as those of the model do, and by where the mechanism was when something
was locked, since that holds as it was then. Both are in the arrays, and in `Locks`, which later events read. They are straightened here:
numbers are those of the motion, plus how much what varies has changed times their derivatives, which leaves derivatives of what is computed
from them as they are.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbsim.assembly.assembled import Assembly, Locking
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.assembly.lock_records import Locks, Poses
from mbsim.assembly.phases import changed
from mbsim.assembly.point_masses import with_point_masses
from mbsim.assembly.switching import switches_of
from mbsim.march.settings import Settings
from mbsim.model.schema import Model
from mbsim.observe.observer import Observer
from mbsim.studies.runner.trajectory import Trajectory
from mbsim.system.system import Floats, System
from mbsim.system.tangents import CONSTANTS
from mbsim.system.variations import Variations

Numbers = Mapping[str, Floats]  # of the arrays of a system by the names of CONSTANTS, and the places of its joints
POINTS, AXES = "second_point", "second_axes"  # of the records of joints


class Phase:
    """One system of a motion: what marches it, and what its derivatives are made of. Its arrays may change in place."""

    def __init__(self, made: Assembly, source: Bodies | Generalized, settings: Settings, stop: str | None) -> None:
        """`settings` of the march; `stop`: the stop expression of the run. Raises ValueError for a system that a method does not take."""
        self.made, self.system = made, made.system
        self.march, self.variations = Trajectory(made.system, settings), Variations(made.system)
        self.switches = switches_of(source, made.system, stop, made.events)
        self._work, n_before = self.march.work_beside(), made.system.n_q + 2 * made.system.n_v
        wide = {name: n_before + k for k, name in enumerate(made.whole.rows)}
        # the places of its rows among those of a system in which all holds that comes and goes
        self.columns = np.array([*range(n_before), *(wide[name] for name in made.system.rows), n_before + len(wide)], int)
        self.width = n_before + len(wide) + 1

    def wide(self, rows: Floats) -> Floats:
        """Rows, or derivatives of rows, (width, ...) with places for all that comes and goes: zero where it does not hold."""
        found = np.zeros((self.width, *rows.shape[1:]))
        found[self.columns] = rows
        return found

    def numbers(self) -> Numbers:
        """Those that are in its arrays, as copies."""
        return numbers_of(self.system)

    def put(self, numbers: Numbers) -> None:
        """Put numbers into its arrays. Raises ValueError for those of another structure."""
        for name in CONSTANTS:
            mine = getattr(self.system.arrays, name)
            if mine.shape != numbers[name].shape:
                raise ValueError("what varies changes which rows and loads there are")
            mine[...] = numbers[name]
        points, axes = numbers[POINTS], numbers[AXES]
        joints = [replace(one, second_point=x, second_axes=A) for one, x, A in zip(self.system.joints, points, axes, strict=True)]
        self.system = replace(self.system, joints=joints)

    def show(self, observer: Observer) -> None:
        """Let an observer look at rows of this system."""
        observer.go_on(self.system, self._work)

    def row(self, t: float, z: Floats) -> Floats:
        """The row of a state [q; v; work]. Raises MarchError."""
        n_q = self.system.n_q
        return self.march.state(t, z[:n_q], z[n_q:-1], float(z[-1]))

    def z_dot(self, t: float, row: Floats) -> Floats:
        """(n_s,) of [q; v; work] at a row."""
        n, m, n_q = self.system.n_v, self.system.n_rows, self.system.n_q
        E, _, _ = self.variations.terms(np.array([t]), row[None])
        return np.concatenate([E[0, n + m : n + m + n_q], row[n_q + n : n_q + 2 * n], E[0, -1:]])


class Ahead(NamedTuple):
    """The system behind an event, its numbers and what is locked, and the derivatives of these by what varies."""

    phase: Phase
    numbers: Numbers
    by_numbers: Sequence[Numbers]  # n_p
    locks: Locks
    by_locks: Sequence[Locks]  # n_p


class Phases:
    """Those of the motions of one model, which are marched with these settings."""

    def __init__(self, first: Phase, settings: Settings, stop: str | None) -> None:
        self.first, self._settings, self._stop = first, settings, stop
        self._known: dict[frozenset[str], list[Phase]] = {}  # by what is open; the first one has arrays that others read

    def at_start(self, n_p: int) -> Ahead:
        """Where a motion begins."""
        locks = Locks() if self.first.made.coming is None else self.first.made.coming.locks
        return Ahead(self.first, {}, [{}] * n_p, locks, [Locks()] * n_p)

    def change(
        self, model: Model, phase: Phase, locks: Locks, event: Locking, taken: Collection[Phase], planned: Phase | None
    ) -> tuple[Phase, Locks]:
        """The system behind an event, with its numbers, and what is locked then.

        It is none of those that are `taken`, and the one that is `planned` where another run has found it. Raises ValueError for what
        cannot be locked where it is.
        """
        coming = phase.made.coming
        assert coming is not None
        made, source = changed(
            with_point_masses(model), replace(phase.made, system=phase.system, coming=replace(coming, locks=locks)), event
        )
        assert made.coming is not None
        numbers = numbers_of(made.system)
        if planned is not None:
            planned.put(numbers)
            return planned, made.coming.locks
        known = self._known.setdefault(made.coming.locks.open, [])
        for one in known:
            if one not in taken:
                one.put(numbers)
                return one, made.coming.locks
        known.append(Phase(made, source, self._settings, self._stop))
        return known[-1], made.coming.locks


def numbers_of(system: System) -> Numbers:
    """Those in the arrays of a system, as copies."""
    joints = system.joints
    places = {POINTS: np.array([one.second_point for one in joints]), AXES: np.array([one.second_axes for one in joints])}
    return {name: getattr(system.arrays, name).copy() for name in CONSTANTS} | places


def moved(numbers: Numbers, by: Numbers, step: float) -> Numbers:
    """Numbers that have moved with what varies."""
    return {name: value + step * by[name] for name, value in numbers.items()}


def moved_locks(locks: Locks, by: Locks, step: float) -> Locks:
    """What is locked, moved with what varies. Axes of bodies stay orthonormal."""
    poses = {}
    for name, at in locks.poses.items():
        centres, axes, angles = (a + step * b for a, b in zip(at, by.poses[name], strict=True))
        U, _, V = np.linalg.svd(axes)
        poses[name] = Poses(centres, U @ V, angles)
    return replace(locks, poses=poses, values={row: value + step * by.values[row] for row, value in locks.values.items()})


def slope(found: Sequence[tuple[float, Numbers]]) -> Numbers:
    """The derivative of numbers, from some with the weights of a difference; not finite ones do not move."""
    return {
        name: np.sum([weight * np.where(np.isfinite(one[name]), one[name], 0.0) for weight, one in found], axis=0) for name in found[0][1]
    }


def slope_of_locks(found: Sequence[tuple[float, Locks]]) -> Locks:
    """The derivative of what is locked, likewise."""
    _, first = found[0]
    poses = {
        name: Poses(*(np.sum([w * one.poses[name][k] for w, one in found], axis=0) for k in range(len(Poses._fields))))
        for name in first.poses
    }
    return Locks(first.open, poses, {row: sum(w * one.values[row] for w, one in found) for row in first.values})
