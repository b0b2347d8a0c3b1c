"""The systems of a run in which joints, drivers and constraints come and go (`mbsim.assembly.locks`)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbsim.assembly.assembled import Assembly, Coming, Locking, Planned
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.drivers import angle_of
from mbsim.assembly.events import watched
from mbsim.assembly.flowing import with_units
from mbsim.assembly.generalized import Generalized
from mbsim.assembly.lock_records import APART, Locks
from mbsim.assembly.locks import held_rows
from mbsim.assembly.moved import poses
from mbsim.assembly.own_forces import OwnForces
from mbsim.assembly.rows import KEEPS_GAP
from mbsim.assembly.samples import samples
from mbsim.assembly.switching import CornersOf
from mbsim.diagnosis.extent import extent
from mbsim.elements.kinds import COUPLING, ROLL, ROLL_ROUND, TOTAL, TURN
from mbsim.model.lockable import lockable, open_at_start
from mbsim.model.names import owner
from mbsim.model.schema import Model
from mbsim.system.system import Floats, System

Source = Bodies | Generalized
MOST_KNOWN = 32  # systems that are kept; the oldest go
MOST_KIN = 8  # sources whose loads others may have


def source_of(model: Model, locks: Locks, kin: Iterable[Bodies] = (), forces: OwnForces | None = None) -> Source:
    """What a system of a model is made from, with what it may have of its `kin`, or with the `forces` of another one of this model."""
    return Generalized(model, locks, forces) if model.coordinates else Bodies(model, locks, kin)


def begin(model: Model) -> tuple[Source, Locks]:
    """The source of the first system of a run."""
    locks = Locks(open_at_start(model))
    return source_of(model, locks), locks


def coming(model: Model, locks: Locks, first: Source) -> Coming | None:
    """What comes and goes in runs of a model that begin with `locks`, with a system of the source `first`; None where nothing does."""
    if not lockable(model):
        return None
    systems = Systems(model, first, locks)
    return Coming(source_of(model, Locks(), systems.kin, systems.forces).system(), locks, systems.change, systems.restore)


class _Made(NamedTuple):
    """A system, as it was made."""

    system: System
    source: Source
    locks: Locks
    planned: Planned | None  # the model's events in it


class _Shift(NamedTuple):
    """A number that grows by `slope` times what a row keeps in place of zero."""

    place: int  # in the row's line of Arrays.geometry, or in Arrays.parameters
    slope: float
    of_geometry: bool


class Systems:
    """The systems of one model by what holds in them. In a run they come again, as feet that step: then they are copied, not made anew.

    What rows keep in place of zero stands in few numbers, which are put into the copies.
    """

    def __init__(self, model: Model, first: Source | None = None, locks: Locks | None = None) -> None:
        """`first` is what the first system was made from, with `locks`."""
        self._first, self._locks = first, locks
        self.forces = first.forces if isinstance(first, Generalized) else None
        self._model, self._known = model, dict[frozenset[str], _Made]()  # without what rows keep in place of zero
        self._shifts = dict[str, list[_Shift] | None]()  # by rows; None: it is more than these
        self._shared = dict[int, _Made]()  # the first system that has the loads and the code of a source among the kin, by the id of that
        self.kin: list[Bodies] = [first] if isinstance(first, Bodies) else []  # no two of them have the same loads

    def __reduce__(self) -> tuple[type["Systems"], tuple[Model]]:
        return Systems, (self._model,)  # another process makes its own

    def change(self, made: Assembly, event: Locking) -> Assembly:
        """See Coming."""
        return changed(self._model, made, event, self.made)[0]

    def restore(self, made: Assembly, locks: Locks) -> Assembly:
        """See Coming."""
        return _assembled(made, self.made(self._model, made, locks))

    def made(self, model: Model, made: Assembly, locks: Locks) -> _Made:
        """The system with these locks and the parameters of `made`, with arrays of its own."""
        if made.system.units is not None or made.system.samples is not None:  # they remember where they were
            return self._new(model, made, locks)
        alone, known = replace(locks, values={}), self._known.get(locks.open)
        if known is None or not alone.same_as(known.locks):
            while len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]
            known = self._known[locks.open] = self._new(model, made, alone)
        arrays = type(known.system.arrays)(*(array.copy() for array in known.system.arrays))
        for row, value in locks.values.items():
            shifts = self._shifts_of(model, made, known, row)
            if shifts is None:
                return self._new(model, made, locks)
            for place, slope, of_geometry in shifts:
                numbers = arrays.geometry[_line(known.system, row)] if of_geometry else arrays.parameters
                numbers[place] += slope * value
        count = len(made.parameters)
        arrays.parameters[:count] = made.system.arrays.parameters[:count]
        return known._replace(system=replace(known.system, arrays=arrays), locks=locks)

    def _shifts_of(self, model: Model, made: Assembly, known: _Made, row: str) -> list[_Shift] | None:
        """The numbers in which it stands what a row keeps in place of zero, in all systems; None where it stands elsewhere, too."""
        if row not in known.system.rows:
            return None
        if row not in self._shifts:
            arrays, its = known.system.arrays, self._new(model, made, replace(known.locks, values={row: 1.0})).system.arrays
            alike = all(a.shape == b.shape for a, b in zip(arrays, its, strict=True))
            differ = {name for name, a, b in zip(arrays._fields, arrays, its, strict=True) if a.tobytes() != b.tobytes()}
            found = None
            if alike and differ <= {"geometry", "parameters"}:
                lines, line = np.flatnonzero((arrays.geometry != its.geometry).any(axis=1)).tolist(), _line(known.system, row)
                changes = its.parameters - arrays.parameters
                if lines in ([], [line]):
                    found = [_Shift(int(k), float(changes[k]), False) for k in np.flatnonzero(changes)]
                    moved = its.geometry[line] - arrays.geometry[line] if lines else np.zeros(0)
                    found += [_Shift(int(k), float(moved[k]), True) for k in np.flatnonzero(moved)]
            self._shifts[row] = found
        return self._shifts[row]

    def _new(self, model: Model, made: Assembly, locks: Locks) -> _Made:
        """A system that is not known, with what it may have of its kin."""
        mine = model is self._model
        remembers = made.system.units is not None or made.system.samples is not None
        if mine and not remembers and self._first is not None and self._locks is not None and locks.same_as(self._locks):
            source = self._first
        else:
            source = source_of(model, locks, self.kin, self.forces if mine else None)
        if isinstance(source, Generalized):
            return _made(model, made, locks, source)
        if source.kin is None and len(self.kin) < MOST_KIN and not any(source is one for one in self.kin):
            self.kin.append(source)
        kin = source.kin or source
        alike = source.functions is kin.functions and any(kin is one for one in self.kin)  # of others nothing is kept
        shared = self._shared.get(id(kin)) if alike else None
        new = _made(model, made, locks, source, shared)
        if alike and shared is None:
            self._shared[id(kin)] = new
        return new


def _line(system: System, row: str) -> int:
    """The line of Arrays.geometry of a row; -1 of an equation, which has none."""
    lines = np.flatnonzero(system.arrays.primitives[:, 1] == system.rows.index(row))
    return int(lines[-1]) if len(lines) else -1


def changed(
    model: Model, made: Assembly, event: Locking, make: Callable[[Model, Assembly, Locks], _Made] | None = None
) -> tuple[Assembly, Source]:
    """`made`, of this model or of one with other numbers, as an event locks and unlocks, and what its system is made from.

    `make` does as `_made`. Raises ValueError for what cannot be locked where it is.
    """
    make = make or _made
    assert made.coming is not None
    before = made.coming.locks
    new = frozenset(event.lock) & (before.open | {one.normal for one in model.unilaterals} if event.as_it_is else before.open)
    still = (before.open - new) | frozenset(event.unlock)
    known = poses(made.system, event.time, event.q) if new & model.joints.keys() else None
    at = {name: kept for name, kept in before.poses.items() if name not in still}
    at |= {name: known for name in new & model.joints.keys() if known is not None}
    kept = {row: value for row, value in before.values.items() if owner(row) not in new | still}
    found = make(model, made, Locks(still, at, kept))
    system = found.system
    if rows := [k for k, row in enumerate(system.rows[: system.n_holonomic]) if owner(row) in new]:
        phi = system.phi(event.time, event.q)
        shifts = _shifts(model, found.source, system, rows, phi, event.as_it_is)
        if any(shifts.values()):
            found = make(model, made, replace(found.locks, values={**kept, **shifts}))
            system = found.system
            phi = system.phi(event.time, event.q)
        _require_near(system, event, rows, phi, {one.normal: one.near for one in model.unilaterals})
    return _assembled(made, found), found.source


def _assembled(made: Assembly, found: _Made) -> Assembly:
    """The same assembly with another system."""
    assert made.coming is not None
    return replace(made, system=found.system, events=found.planned, coming=replace(made.coming, locks=found.locks))


def _made(model: Model, made: Assembly, locks: Locks, source: Source | None = None, shared: _Made | None = None) -> _Made:
    """A system with these locks and the parameters of `made`, which events may have switched.

    It is that of a `source`, and has the events and corners of what was `shared`, whose loads and code are the same.
    """
    source = source or source_of(model, locks)
    system = with_units(source, source.system(), made.system.units)
    count = len(made.parameters)
    system.arrays.parameters[:count] = made.system.arrays.parameters[:count]
    corners = CornersOf(source) if shared is None else shared.system.corners
    system = replace(system, corners=corners, samples=samples(source, system))
    planned = None
    if made.events is not None:
        alike = shared is not None and shared.planned is not None and not any(shared.planned.solved)
        planned = shared.planned if alike and shared is not None else watched(model, source, system)
    return _Made(system, source, locks, planned)


def _shifts(model: Model, source: Source, system: System, rows: Collection[int], phi: Floats, gaps: bool) -> dict[str, float]:
    """What the rows of drivers, equations, couplings, of rolling, and where `gaps` says so of contacts keep in place of zero.

    phi (n_holonomic,) are the residuals.
    """
    alone = {one.normal for one in model.unilaterals}  # what becomes taut has its length, a flank its place
    resists = {one.tangent for one in model.unilaterals if one.of}
    held, found = set(source.builder.held if isinstance(source, Bodies) else held_rows(model)), dict[str, float]()
    kinds = {int(row): int(kind) for kind, row in system.arrays.primitives[:, :2]}
    for k in rows:
        name, kind = system.rows[k], kinds.get(k, -1)
        if owner(name) in model.drivers and isinstance(source, Bodies):
            found[name] = _lag(source, system, k) if kind == TURN else -float(phi[k])
            continue
        turns = kind in (ROLL, ROLL_ROUND) or name in resists or (kind in (COUPLING, TOTAL) and name not in alone)
        if name in held or turns or (gaps and name in alone and kind in KEEPS_GAP):
            found[name] = float(phi[k])
    return found


def _lag(source: Bodies, system: System, row: int) -> float:
    """By how much the law of a spatial angle is ahead of the angle, whose residual has just been evaluated."""
    element = next(e for e in source.builder.rows.elements if e.row == row)
    g, frames = element.geometry, system.arrays.frames
    A_i, A_j = (frames[body, 3:12].reshape(3, 3) for body in (element.first, element.second))
    x, y, turned = A_i @ g[6:9], A_i @ g[12:15], A_j @ g[9:12]
    return angle_of(element, system) - float(np.arctan2(turned @ y, turned @ x))


def _require_near(system: System, event: Locking, rows: Collection[int], phi: Floats, near: Mapping[str, float]) -> None:
    """Raise ValueError where what is to be locked is far from holding. `near`: by what gaps of contacts are measured, m or rad."""
    size = extent(system, event.time, event.q, 1.0) if system.bodies else 1.0
    off = {k: abs(float(phi[k])) / max(size, near.get(owner(system.rows[k]), 0.0)) for k in rows}
    worst = max(rows, key=off.__getitem__)
    if not off[worst] <= APART:
        raise ValueError(f"'{owner(system.rows[worst])}' cannot be locked there: it is off by {abs(phi[worst]):.3g}")
