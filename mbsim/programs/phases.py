"""The phases of a unit in which joints, drivers, constraints and stops come and go: a system for each set of what does not hold.

An event leads from one phase to another. What it locks holds as it is at that moment: a few numbers of the tables of the next system
follow from where the bodies are then (`Seat`), or from what its rows would miss (`Shift`), as `mbsim.assembly.phases` has it in a run. They
stay as long as it holds. Which numbers these are is found from systems that are assembled when the unit is made, and that there are no
others. Which stops are closed is decided where one may open or close (`mbsim.programs.stops`). Sets of rows of contacts that are as many
share a phase (`mbsim.programs.slots`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.assembly import Assembly
from mbsim.assembly.assembled import Coming
from mbsim.assembly.lock_records import APART, Locks, Poses
from mbsim.assembly.moved import poses
from mbsim.assembly.unilateral import with_unilaterals
from mbsim.assembly.unilaterals import Unilateral
from mbsim.contracts import Arrays
from mbsim.diagnosis.extent import extent
from mbsim.elements.kinds import TURN
from mbsim.march.asked import find_all
from mbsim.march.events import Events, with_events
from mbsim.march.formulation import formulate
from mbsim.march.kernels import stepper
from mbsim.march.lengths import Lengths
from mbsim.march.pieces import Interrupts, March
from mbsim.march.placing import Placing
from mbsim.march.settings import Settings
from mbsim.model.names import owner
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.quantities import Behind
from mbsim.programs.slots import MOST, MOST_SHARED, SAME, Friction, Lines, Room, Slot, differing, fewest, frictions_of, lines_of
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model

TURNED = 0.3  # rad or m, about: by so much the mechanism is moved, to see what follows from where it is
CONSTANT = (  # of Arrays what nothing writes in a unit
    "law_reads", "law_numbers", "masses", "gravity", "loads", "load_data", "tree", "tree_data", "relative", "relative_data",
    "event_reads", "event_numbers", "tables",
)  # fmt: skip
LEAST = 10  # rooms for rows of contacts, or all: with so many at least, one can be in units
WAY_OUT = "leave it out, or let it set and switch"


class Seat(NamedTuple):
    """A line of Arrays.geometry of a joint, whose frame on the second body is where that on the first one is."""

    which: int  # of what comes and goes
    line: int
    first: int  # rows of Arrays.frames
    second: int
    moves: bool  # whether the point of the second body does
    measures: bool  # whether the length is that between both points then
    axis: tuple[float, float, float]  # of space: that of the second body, in axes of the first one


class Shift(NamedTuple):
    """A number that grows by `slope` times what a row would miss when it is locked."""

    which: int
    row: int
    of_geometry: bool  # else of Arrays.parameters
    place: int
    slope: float


@dataclass(frozen=True)
class Phase:
    """A system of a unit."""

    inside: Inside
    open: frozenset[str]  # what does not hold
    base: int  # the phase with the same joints, drivers and constraints, and without closed stops
    seats: list[Seat]
    shifts: list[Shift]


@dataclass(frozen=True)
class Slots:
    """The rows of contacts of a unit, and where each phase has them."""

    lines: Lines
    rooms: list[Room]  # of each phase; -1: rows of its own, at the start
    each: list[list[Slot]]  # of each phase
    frictions: list[Friction]
    row_of: np.ndarray  # (lines,) of C, where each stands; -1: it does not hold
    line_of: np.ndarray  # (lines,) likewise of Arrays.primitives
    missed: Floats  # (lines,) m or rad: what each keeps in place of zero


@dataclass(frozen=True)
class Phases:
    """All of them, the first one at the start."""

    names: list[str]  # what comes and goes
    each: list[Phase]
    leads: list[list[int]]  # (phases, events of the model) which phase is after each event
    limit: float  # m or rad: what misses by more cannot be locked
    made: list[Assembly]  # of each
    behind: Behind
    # the output row, of the phase with the longest one, a zero behind it, and multipliers of the rows of contacts by their names
    wide: Floats
    kept: Floats  # what is read of a phase after an event has led to another one
    holds: np.ndarray  # (names,) whether it does
    after: np.ndarray  # (names,) whether it does after an event
    slots: Slots | None  # where contacts share phases

    @property
    def arrays(self) -> list[np.ndarray]:
        """What a snapshot has to hold and no call names."""
        own = [] if self.slots is None else [self.slots.row_of, self.slots.line_of, self.slots.missed]
        return [self.wide, self.kept, self.holds, self.after, *own]


class _Found(NamedTuple):
    """All phases, by what does not hold in each; leads and bases are those of Phases and Phase."""

    each: list[frozenset[str]]
    leads: list[list[int]]
    bases: list[int]


def phases_of(model: "Model", first: Inside) -> Phases | None:
    """Those of a unit that begins with a system; None where nothing comes and goes. Raises NotExportedError."""
    coming, planned = first.made.coming, first.made.events
    if coming is None:
        return None
    model, stops = with_unilaterals(model), () if first.made.unilaterals is None else first.made.unilaterals.each
    events = () if planned is None else planned.events
    do = [(frozenset(event.do.lock), frozenset(event.do.unlock)) for event in events]
    rows, groups = frozenset(name for one in stops for name in (one.normal, one.tangent) if name), _groups(stops)
    lines = lines_of(model, first.made, coming, first, groups)
    roams = frozenset[str]() if lines is None else frozenset(lines.takes)
    others = [options for options in groups if not any(held & roams for held in options)]
    if prod(map(len, others)) > MOST:
        raise _too_many(stops)
    closed = [frozenset[str]().union(*each) for each in product(*others)]
    found = _explore(coming.locks.open | roams, rows, do, closed, lambda open_now: open_now)
    if len(found.each) > MOST:
        raise _too_many(stops)
    if lines is not None:
        own = [options for options in groups if any(held & roams for held in options)]
        budget = MOST_SHARED // len(found.each)
        reached = fewest(lines, own, budget)
        if len(reached) == budget < LEAST:
            raise _too_many(stops)
        alone = lines.slotted(coming.locks.open)  # the first one's arrays have been used: they are those of its rows
        found = _explore(coming.locks.open, rows, do, [a | b for a in closed for b in reached], lines.key, alone)
    if len(found.each) == 1:
        return None
    locked = {name for event in events for name in event.do.lock} | {_row(one) for one in stops if one.joint}
    locked |= {one.tangent for one in stops if one.tangent}
    names = sorted(locked | {name for open_now in found.each for name in open_now} | roams)
    wide_coming = coming if lines is None else lines.wide(coming)  # nothing is filled into the first one where some hold at the start
    made = [first.made if k == 0 else wide_coming.restore(first.made, Locks(open_now)) for k, open_now in enumerate(found.each)]
    for system in (first.formulation.system, *(one.system for one in made)):
        find_all(system)  # also what a run need not know, because it does not touch at the start
    longest = max(one.system.n_q + 2 * one.system.n_v + one.system.n_rows + 1 for one in made)
    behind = Behind(longest, {} if lines is None else {line.name: longest + 1 + k for k, line in enumerate(lines.each)})
    wide = np.zeros(longest + 1 + len(behind.multipliers))
    each = []
    for k, (one, open_now) in enumerate(zip(made, found.each, strict=True)):
        settings = lines.settings(first.settings) if lines is not None and lines.slotted(open_now) else first.settings
        inside = _shown(first, wide) if k == 0 else _inside(first, one, wide, settings)
        again = wide_coming if k else coming
        numbers = [_of(model, one, again, open_now, i, name) for i, name in enumerate(names) if name in locked - open_now - roams]
        moved = [x for seats, _ in numbers for x in seats], [x for _, shifts in numbers for x in shifts]
        each.append(Phase(inside, open_now, found.bases[k], *moved))
    size = extent(first.made.system, first.made.start, first.made.q, 1.0) if first.made.system.bodies else 1.0
    holds = np.array([name not in found.each[0] for name in names], np.int64)
    slots = None if lines is None else _slots(lines, found, made, stops)
    kept = np.zeros(max(_kept(phase.inside) for phase in each))
    return Phases(names, each, found.leads, APART * size, made, behind, wide, kept, holds, holds.copy(), slots)


def _kept(inside: Inside) -> int:
    """How many numbers of a phase are read in the next one: those that `pass_to` of `c/phases.c` keeps."""
    arrays, work = inside.formulation.system.arrays, inside.formulation.work
    return sum(x.size for x in (arrays.frames, arrays.geometry, arrays.parameters, work.settings, work.events))


def _explore(
    first: frozenset[str],
    rows: frozenset[str],
    do: Sequence[tuple[frozenset[str], frozenset[str]]],
    closed: Sequence[frozenset[str]],
    key: Callable[[frozenset[str]], object],
    alone: bool = False,
) -> _Found:
    """All phases from the first one on: those that events lead to, which lock and unlock (`do`), and those of sets of closed stops.

    `rows` are those of stops; sets of the same `key` share a phase, but for the first one where it is `alone`.
    """
    found, known, leads, bases = [first], dict[object, int](), list[list[int]](), list[int]()

    def place(open_then: frozenset[str]) -> int:
        at = known.setdefault(key(open_then), len(found))
        if at == len(found):
            found.append(open_then)
        return at

    if not alone:
        known[key(first)] = 0
    filled = set[frozenset[str]]()
    for open_now in found:  # which grows
        leads.append([place((open_now - lock) | unlock) for lock, unlock in do])
        bases.append(place(open_now | rows))
        if open_now | rows not in filled and len(found) <= MOST_SHARED:
            filled.add(open_now | rows)
            for held in closed:
                place((open_now | rows) - held)
    return _Found(found, leads, bases)


def _slots(lines: Lines, found: _Found, made: Sequence[Assembly], stops: Sequence[Unilateral]) -> Slots:
    """The places of contacts' rows, which at the start are those of the first phase."""
    rooms = [lines.room(lines.takes.keys() - open_now) for open_now in found.each]
    if any(rooms[0]):
        rooms[0] = tuple(-1 for _ in rooms[0])  # nothing comes back to it
    each, names = [lines.slots(one.system) for one in made], [line.name for line in lines.each]
    row_of, line_of = np.full(len(names), -1, np.int64), np.full(len(names), -1, np.int64)
    for slot in each[0]:
        at = names.index(made[0].system.rows[slot.row])
        row_of[at], line_of[at] = slot.row, slot.line
    return Slots(lines, rooms, each, frictions_of(stops), row_of, line_of, np.zeros(len(names)))


def _groups(stops: Sequence[Unilateral]) -> list[list[frozenset[str]]]:
    """The sets of rows that may hold at once of each place, one of a place at most: of the stops and the friction of one coordinate, of one
    pair of flanks, of the sides that a corner touches. The empty set is the first one.

    A disk touches one side of a polygon, one corner, or both where they meet. A resistance to rolling or drilling holds only where its
    contact does.
    """
    along: dict[object, list[frozenset[str]]] = {}
    disks: dict[str, list[list[frozenset[str]]]] = {}
    for one in (one for one in stops if not one.of):
        of: object = one.disk_on or one.pair or one.name
        if one.joint or one.flank:
            of = (one.joint, one.coordinate) if one.joint else one.path
        its = [frozenset({_row(one)})] + [frozenset({one.normal, one.tangent})] * bool(one.normal and one.tangent)
        for resistance in (other.tangent for other in stops if other.of == one.name):
            its += [held | {resistance} for held in its]
        along.setdefault(of, [frozenset()]).extend(its)
        if one.disk_on:
            disks.setdefault(one.disk_on, []).append(its)
    for of, each in disks.items():
        sides, corners = each[: len(each) // 2], each[len(each) // 2 :]
        for side, before, after in zip(sides, corners, [*corners[1:], corners[0]], strict=True):
            along[of] += [one | other for one in side for other in (*before, *after)]
    return list(along.values())


def _row(one: Unilateral) -> str:
    """The row that holds it."""
    return one.normal or one.tangent


def _too_many(stops: Sequence[Unilateral]) -> NotExportedError:
    what = "what stops, contacts and friction hold, and what events lock and unlock," if stops else "what events lock and unlock"
    return NotExportedError(f"{what} can be in more than {MOST} ways, and a unit has a system for each: let fewer come and go")


def _shown(first: Inside, wide: Floats) -> Inside:
    """The first phase, whose output row is the beginning of the common one."""
    width = first.row.shape[1]
    wide[:width] = first.row[0]
    return first._replace(row=wide[:width].reshape(1, width))


def _shared(arrays: Arrays, first: Arrays) -> Arrays:
    """Arrays with those of the first phase in place of such as are never written and the same."""
    same = {name: getattr(first, name) for name in CONSTANT if np.array_equal(getattr(first, name), getattr(arrays, name), equal_nan=True)}
    return arrays._replace(**same)


def _inside(first: Inside, made: Assembly, wide: Floats, settings: Settings) -> Inside:
    """Another phase, which has the state and the march of the first one."""
    system, looking = with_events(made.system, settings, made.parameters, made.events)
    find_all(system)
    system = replace(system, arrays=_shared(system.arrays, first.formulation.system.arrays))
    formulation = formulate(system, settings)
    new_march = partial(March.of_run, formulation, stepper(settings, system), settings, Interrupts())
    march = new_march()
    march.share(first.march)
    Events(formulation, new_march, looking, settings.stop, made.events)  # fills the lines of events
    work, its = formulation.work, first.formulation.work
    Lengths(system, work).measure(settings.start, made.q)
    work.C[...] = 0.0  # only entries of the bodies of a row are written, and rows of contacts of others are filled in
    for name in ("rate", "state_scales", "settings"):
        getattr(work, name)[:] = getattr(its, name)
    row = wide[: formulation.width].reshape(1, formulation.width)
    begun = Placing(formulation).begun
    return first._replace(made=made, settings=settings, formulation=formulation, march=march, row=row, begun=begun)


def _of(model: "Model", made: Assembly, coming: Coming, open_now: frozenset[str], which: int, name: str) -> tuple[list[Seat], list[Shift]]:
    """What follows of the tables of a phase from where something is locked. Raises NotExportedError where more does than units know."""
    system, shifts = made.system, list[Shift]()
    if name in model.joints:
        return _seats(made, coming, open_now, which, name), shifts
    kinds = {int(row): int(kind) for kind, row in system.arrays.primitives[:, :2]}
    for k, row in enumerate(system.rows[: system.n_holonomic]):
        if owner(row) != name:
            continue
        turns = name in model.drivers and kinds.get(k) == TURN and not any(name == one.normal for one in model.unilaterals)
        shifted = coming.restore(made, Locks(open_now, {}, {row: 1.0})).system
        places_of = differing(system, shifted)
        if turns or places_of is None or places_of.keys() - {"geometry", "parameters"}:
            raise _refused(name)
        for field, places in places_of.items():
            before, after = np.ravel(getattr(system.arrays, field)), np.ravel(getattr(shifted.arrays, field))
            sign = -1.0 if name in model.drivers else 1.0
            shifts += [Shift(which, k, field == "geometry", place, sign * float(after[place] - before[place])) for place in places]
    return [], shifts


def _refused(name: str) -> NotExportedError:
    return NotExportedError(
        f"{name!r} is locked by an event where it is then, and no unit finds what holds there: {WAY_OUT} (--kind cs knows joints of "
        "points, axes and lengths, drivers, equations and couplings)"
    )


def _seats(made: Assembly, coming: Coming, open_now: frozenset[str], which: int, name: str) -> list[Seat]:
    """The lines of a joint. They are predicted for a mechanism that has been moved anywhere, and compared with those of a run there."""
    system = made.system
    arrays, n_b, planar = system.arrays, len(system.bodies), system.dimension == 2
    joint = next(one for one in system.joints if one.name == name)
    lines = [k for k, row in enumerate(arrays.primitives[:, 1]) if joint.rows.start <= row < joint.rows.stop]
    random, q = np.random.default_rng(0), made.q
    for _ in range(2):
        q = system.move(q, TURNED * random.uniform(-1.0, 1.0, system.n_v))
    now = poses(system, made.start, q)
    there = coming.restore(made, Locks(open_now, {name: now})).system
    all_poses = Poses(np.vstack([now.centres, np.zeros(3)]), np.concatenate([now.axes, np.eye(3)[None]]), np.append(now.angles, 0.0))
    seats, wanted = [], arrays.geometry.copy()
    for line in lines:
        first, second = (n_b if body < 0 else int(body) for body in arrays.primitives[line, 2:4])
        found = there.arrays.geometry[line]
        changed = ~np.isclose(found, wanted[line], rtol=SAME, atol=SAME)
        moves, measures = bool(changed[2:4].any() if planar else changed[3:6].any()), bool(changed[7 if planar else 15])
        axis = np.zeros(3) if planar else all_poses.axes[first].T @ all_poses.axes[second] @ found[9:12]
        x, y, z = axis.tolist()
        seats.append(Seat(which, line, first, second, moves, measures, (x, y, z)))
        seat(wanted[line], seats[-1], all_poses, planar)
    places_of = differing(system, there)
    matches = np.allclose(wanted, there.arrays.geometry, rtol=SAME, atol=SAME)
    if not matches or places_of is None or places_of.keys() - {"geometry"}:
        raise _refused(name)
    return seats


def seat(line: Floats, it: Seat, now: Poses, planar: bool) -> None:
    """Fill a line of Arrays.geometry for the poses of the bodies, the last of them the ground: what `c/phases.c` does."""
    n = 2 if planar else 3
    i, j, turned = it.first, it.second, now.axes[it.second].T
    first, second = now.axes[i] @ _wide(line[:n]) + now.centres[i], now.axes[j] @ _wide(line[n : 2 * n]) + now.centres[j]
    if it.moves:
        line[n : 2 * n] = (turned @ (first - now.centres[j]))[:n]
    if it.measures:
        line[7 if planar else 15] = float(np.linalg.norm(first - second))
    if planar:
        line[6] = now.angles[j] - now.angles[i]
    else:
        line[9:12] = turned @ now.axes[i] @ np.array(it.axis)


def _wide(point: Sequence[float] | Floats) -> Floats:
    """A point of the plane, or of space, as three numbers."""
    found = np.zeros(3)
    found[: len(point)] = point
    return found
