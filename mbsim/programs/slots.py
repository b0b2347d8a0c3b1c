"""Rows that come and go in the phases of a unit: a phase has room for so many of each kind, and tables say what each row is.

A corner on a plane is open, slides or sticks, so a box with eight of them has 6561 sets of rows that may hold; seven joints with two stops
each have 2187. But the systems of as many rows of the same kinds differ in a few numbers alone: which bodies a row is of, and its geometry,
which has the bound of a stop. So a unit has a phase for each number of rows, whose places (slots) are filled by those that hold
(`c/slots.c`). What differs is compared when a unit is made. Where it is more than these numbers each set of rows has a phase of its own.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.assembly import Assembly
from mbsim.assembly.assembled import Coming
from mbsim.assembly.lock_records import Locks
from mbsim.assembly.records import CONSTANT
from mbsim.assembly.unilaterals import Unilateral, slip_sizes
from mbsim.elements.kinds import COORDINATE, TURN
from mbsim.elements.rows.coordinate import SPEED
from mbsim.formulations import AS_THEY_ARE
from mbsim.march.asked import find_all
from mbsim.march.formulation import formulate
from mbsim.march.settings import Settings
from mbsim.model.names import owner
from mbsim.programs.outputs import NotExportedError
from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.model.schema import Model

MOST = 300  # sets of rows, each with a phase of its own: a unit of 243 takes 6 s of a processor
MOST_SHARED = 300  # phases of a unit whose contacts share them
SAME = 1e-9  # of numbers of the tables
# of Arrays what an evaluation overwrites
SCRATCH = ("laws", "frames", "jacobian", "row_shares", "tree_work", "wrenches", "relative_values")
FILLED = ("primitives", "geometry", "row_bodies")  # of Arrays what has a line of each row
CONTACT = "contact"  # the type of the constraints of contacts of bodies (`mbsim.assembly.contact_sites`)
BLIND = "lagrange"  # has the states of AS_THEY_ARE, and works out nothing beforehand
COMPARED = 6  # sets of rows that are compared with those of a run
ROW, LAW = 1, 4  # columns of Arrays.primitives

Room = tuple[int, ...]  # how many rows of each kind there are, frictions that they load, and groups and components of these


class Line(NamedTuple):
    """A row of a contact, or of a stop or the friction of a joint."""

    name: str
    kind: int  # rows of one kind may take the place of each other
    of_joint: bool
    at_speeds: bool  # whether it is none of positions
    resists: bool  # rolling or drilling
    keeps: bool  # always what it misses when it is locked; else only where it could not be met
    turns: int  # of a spatial angle: the place of the angle in its geometry; else -1
    primitive: int
    speed: int  # of a joint coordinate: its place in v; else -1
    first: int  # body
    second: int
    bodies: tuple[int, ...]  # its line of Arrays.row_bodies
    geometry: tuple[float, ...]  # all are as long
    shifts: tuple[tuple[int, float], ...]  # of its geometry what grows with what the row would miss when it is locked, and by how much
    lever: float  # `System.levers`, m; else 1


class Slot(NamedTuple):
    """A place for a row in a phase."""

    row: int  # of C
    line: int  # of Arrays.primitives
    kind: int


@dataclass(frozen=True)
class Lines:
    """These rows, in the order of the model, and how much room what holds them takes."""

    each: list[Line]
    takes: Mapping[str, Room]  # by constraint
    none: Room
    method: str = ""  # where some hold; empty: that of the unit

    def settings(self, given: Settings) -> Settings:
        """Those of a phase in which some hold."""
        return replace(given, method=self.method) if self.method else given

    def widened(self, system: System) -> System:
        """A system with room for the geometry of each of these rows."""
        geometry, columns = system.arrays.geometry, max(len(line.geometry) for line in self.each)
        if geometry.shape[1] >= columns:
            return system
        wide = np.zeros((len(geometry), columns))
        wide[:, : geometry.shape[1]] = geometry
        return replace(system, arrays=system.arrays._replace(geometry=wide))

    def wide(self, coming: Coming) -> Coming:
        """What gives such systems alone."""

        def restore(made: Assembly, locks: Locks) -> Assembly:
            found = coming.restore(made, locks)
            return replace(found, system=self.widened(found.system))

        return replace(coming, restore=restore)

    def room(self, held: Iterable[str]) -> Room:
        """What is needed for all that holds."""
        each = [self.takes[name] for name in held if name in self.takes]
        return tuple(map(sum, zip(*each, strict=True))) if each else self.none

    def key(self, open_now: frozenset[str]) -> tuple[frozenset[str], Room]:
        """The same of all sets that share a phase, but for that at the start."""
        return open_now.difference(self.takes), self.room(self.takes.keys() - open_now)

    def slotted(self, open_now: frozenset[str]) -> bool:
        """Whether rows of contacts hold."""
        return not open_now.issuperset(self.takes)

    def slots(self, system: System) -> list[Slot]:
        """The places of a system."""
        kinds = {line.name: line.kind for line in self.each}
        lines = {int(row): k for k, row in enumerate(system.arrays.primitives[:, ROW])}
        return [Slot(row, lines[row], kinds[name]) for row, name in enumerate(system.rows) if name in kinds]


def lines_of(model: "Model", first: Assembly, coming: Coming, inside: Inside, groups: Sequence[Sequence[frozenset[str]]]) -> Lines | None:
    """Those of the contacts and of stops and frictions of joints; `groups` has the sets that hold at once of each place.

    Where sets of rows differ in more, those of contacts alone, or of joints; None where these do, too.
    """
    stops = () if first.unilaterals is None else first.unilaterals.each
    of_bodies = [one for one in stops if getattr(model.constraints.get(one.normal or one.tangent), "type", "") == CONTACT]
    of_joints = [one for one in stops if one.joint]
    for some in ([*of_bodies, *of_joints], of_bodies, of_joints) if of_bodies and of_joints else (of_bodies or of_joints,):
        lines = _of_some(some, stops, model, first, coming, inside, groups)
        if lines is not None:
            return lines
    return None


def _of_some(
    some: Sequence[Unilateral], stops: Sequence[Unilateral], model: "Model", first: Assembly, coming: Coming, inside: Inside,
    groups: Sequence[Sequence[frozenset[str]]],
) -> Lines | None:  # fmt: skip
    """The rows of some of the stops, contacts and frictions; None where sets of them differ in more."""
    rows = frozenset(name for one in stops for name in (one.normal, one.tangent) if name)
    tangents, resisting = {one.tangent for one in stops}, {one.tangent for one in stops if one.of}
    open_now = coming.locks.open | rows
    found, names = dict[str, Line](), [name for one in some for name in (one.normal, one.tangent) if name]
    own = [options for options in groups if any(held.intersection(names) for held in options)]
    for one in (one for one in some if not one.of):
        closed = {name for other in stops if other is one or other.of == one.name for name in (other.normal, other.tangent) if name}
        system = coming.restore(first, Locks(open_now - closed)).system
        for row in system.rows:
            if owner(row) in closed:
                line = _line(system, row, coming, first, open_now - closed, -1.0 if one.joint else 1.0)
                if line is None:
                    return None
                keeps = bool(one.joint) or owner(row) in tangents
                found[row] = line._replace(of_joint=bool(one.joint), resists=owner(row) in resisting, keeps=keeps)
    if not found:
        return None
    each, settings = list(found.values()), inside.settings
    longest = max(len(line.geometry) for line in each)  # of a row by itself: those of solids are longer
    each = [line._replace(geometry=(*line.geometry, *[0.0] * (longest - len(line.geometry)))) for line in each]
    ways: tuple[Callable[[Line], tuple[int, ...]], ...] = (_broad, lambda line: (*_broad(line), line.primitive))
    for kind_of in ways:
        lines = _of_kinds(each, names, stops, kind_of)
        if _are_all(lines, first, coming, settings, open_now, own):
            return lines
    # some methods work out beforehand what follows from which bodies the rows are of
    apart: Lines | None = _of_kinds(each, names, stops, lambda line: (*_broad(line), line.primitive, *line.bodies, line.speed))
    if apart is not None and not _are_all(apart, first, coming, settings, open_now, own):
        apart = None
    if apart is not None and len(fewest(apart, own, MOST_SHARED)) < MOST_SHARED:
        return apart
    for kind_of in ways if settings.method in AS_THEY_ARE else ():
        lines = replace(_of_kinds(each, names, stops, kind_of), method=BLIND)
        if _are_all(lines, first, coming, lines.settings(settings), open_now, own):
            return lines
    return apart


def _broad(line: Line) -> tuple[int, ...]:
    """What is the same of all rows that can be told apart by numbers alone: the primitive, too, is a number of the tables."""
    return line.of_joint, line.primitive if line.of_joint else 0, line.at_speeds, line.resists


def _of_kinds(
    found: Sequence[Line], names: Sequence[str], stops: Sequence[Unilateral], kind_of: Callable[[Line], tuple[int, ...]]
) -> Lines:
    """The rows, of kinds that are told apart by some numbers; `names` of what holds them."""
    kinds, takes = sorted({kind_of(line) for line in found}), dict[str, Room]()
    each = [line._replace(kind=kinds.index(kind_of(line))) for line in found]
    for name in names:
        its = [line.kind for line in each if owner(line.name) == name]
        slips, without = slip_sizes(tuple(stops), {name}), slip_sizes(tuple(stops), ())
        added = [x - y for x, y in zip(slips[:3], without[:3], strict=True)]
        takes[name] = (*(its.count(kind) for kind in range(len(kinds))), *added)
    return Lines(each, takes, (0,) * (len(kinds) + 3))


def _line(system: System, row: str, coming: Coming, first: Assembly, open_now: frozenset[str], sense: float) -> Line | None:
    """A row of a system; None of one that is more than a line of the tables. `sense`: -1 of a driver, whose law is less what it keeps."""
    arrays, k = system.arrays, system.rows.index(row)
    (lines,) = np.nonzero(arrays.primitives[:, ROW] == k)
    if len(lines) != 1 or arrays.primitives[lines[0], LAW] >= 0:
        return None
    line, shifts = int(lines[0]), list[tuple[int, float]]()
    if k < system.n_holonomic:
        moved = coming.restore(first, Locks(open_now, {}, {row: 1.0})).system
        places = differing(system, moved)
        if places is None or places.keys() - {"geometry"}:
            return None
        columns = arrays.geometry.shape[1]
        for place in places.get("geometry", []):
            if place // columns != line:
                return None
            slope = float(np.ravel(moved.arrays.geometry)[place] - np.ravel(arrays.geometry)[place])
            shifts.append((place % columns, sense * slope))
    kind, _, i, j, _ = (int(x) for x in arrays.primitives[line])
    bodies, geometry, lever = arrays.row_bodies[k].tolist(), arrays.geometry[line].tolist(), system.levers.get(row, 1.0)
    speed = int(_speeds(system)[k])
    late, turns = k >= system.n_holonomic, CONSTANT[3] if kind == TURN else -1
    return Line(row, 0, False, late, False, False, turns, kind, speed, i, j, tuple(bodies), tuple(geometry), tuple(shifts), lever)


def _speeds(system: System) -> np.ndarray:
    """(n_rows,) Of each row of a joint coordinate the place in v, else -1."""
    found = np.full(system.n_rows, -1)
    lines = system.arrays.primitives[:, 0] == COORDINATE
    found[system.arrays.primitives[lines, ROW]] = system.arrays.geometry[lines, SPEED]
    return found


def differing(one: System, other: System, beside: Collection[str] = ()) -> dict[str, list[int]] | None:
    """Places of the numbers that two systems do not share, by the name of their array; None where one has more of them."""
    found = {}
    for name, a, b in zip(one.arrays._fields, one.arrays, other.arrays, strict=True):
        if name in SCRATCH or name in beside:
            continue
        if a.shape != b.shape:
            return None
        if places := np.flatnonzero(~np.isclose(a.ravel(), b.ravel(), rtol=SAME, atol=SAME, equal_nan=True)).tolist():
            found[name] = places
    return found


def fewest(lines: Lines, groups: Sequence[Sequence[frozenset[str]]], most: int) -> list[frozenset[str]]:
    """A set of rows for each room that may be needed, those of fewest rows first, and no more than `most`."""
    found: dict[Room, frozenset[str]] = {lines.none: frozenset()}
    for options in groups:
        its = {lines.room(held): held for held in options}
        wider = dict(found)
        for held in found.values():
            for more in its.values():
                wider.setdefault(lines.room(held | more), held | more)
        ordered = sorted(wider.items(), key=lambda pair: (sum(pair[0]), pair[0]))
        found = dict(ordered[:most])
    return list(found.values())


def _are_all(
    lines: Lines, first: Assembly, coming: Coming, settings: Settings, open_now: frozenset[str], groups: Sequence[Sequence[frozenset[str]]]
) -> bool:
    """Whether systems of as many rows of the same kinds differ in nothing else, of some sets that are drawn."""
    random, own = np.random.default_rng(0), [[held for held in options if held] for options in groups]
    likes = {lines.room(held): held for held in fewest(lines, groups, MOST_SHARED)}
    for _ in range(COMPARED):
        which = random.permutation(len(own))[: random.integers(1, 4)]
        held = frozenset[str]().union(*(own[i][random.integers(len(own[i]))] for i in which))
        like = likes.setdefault(lines.room(held), held)
        if like != held:
            first_system, second = (coming.restore(first, Locks(open_now - one)).system for one in (like, held))
            find_all(first_system)
            find_all(second)
            if not _are_alike(lines, first_system, second, settings):
                return False
    return True


def _are_alike(lines: Lines, like: System, system: System, settings: Settings) -> bool:
    """Whether a system with its rows put into the slots of another one is that one."""
    places = differing(like, system, FILLED)
    alike = places == {} and like.functions == system.functions and like.n_holonomic == system.n_holonomic
    if not alike or like.slips != system.slips or not np.array_equal(like.skyline, system.skyline):
        return False
    slots, own = lines.slots(like), {slot.row: slot for slot in lines.slots(system)}
    rows = fill(lines, slots, {owner(name) for name in system.rows})
    order = [system.rows.index(rows[k]) if k in rows else k for k in range(like.n_rows)]
    others = [k for k in range(like.n_rows) if k not in rows]
    if sorted(order) != list(range(like.n_rows)) or any(like.rows[k] != system.rows[k] or k in own for k in others):
        return False
    if not np.array_equal(system.arrays.row_bodies[order][others], like.arrays.row_bodies[others]):
        return False
    by_name = {line.name: line for line in lines.each}
    for slot in slots:
        line, its = by_name[rows[slot.row]], own[order[slot.row]]
        kind, _, i, j, law = system.arrays.primitives[its.line].tolist()
        same = (kind, i, j, law) == (line.primitive, line.first, line.second, -1) and slot.kind == line.kind
        found = lines.widened(system).arrays.geometry[its.line]
        wanted = np.zeros(len(found))
        wanted[: len(line.geometry)] = line.geometry
        if not same or not np.allclose(found, wanted, rtol=SAME, atol=SAME):
            return False
        if tuple(system.arrays.row_bodies[its.row].tolist()) != line.bodies:
            return False
    first, second = (formulate(one, settings) for one in (like, system))
    known = np.array_equal(like.arrays.row_bodies, system.arrays.row_bodies[order])  # all that plans are made of, with the speeds
    known = known and np.array_equal(_speeds(like), _speeds(system)[order])
    same_plan = first.work.plan.shape == second.work.plan.shape and bool((first.work.plan == second.work.plan).all())
    return (known or same_plan) and first.functions == second.functions


def fill(lines: Lines, slots: Sequence[Slot], held: Collection[str]) -> dict[int, str]:
    """Which row stands in each slot, by its place in C: what `c/slots.c` does."""
    left = [line for line in lines.each if owner(line.name) in held]
    found = {}
    for slot in slots:
        line = next((line for line in left if line.kind == slot.kind), None)
        if line is not None:
            left.remove(line)
            found[slot.row] = line.name
    return found


@dataclass(frozen=True)
class Friction:
    """A friction that reactions load, in a unit whose contacts have slots."""

    which: int  # of all stops, contacts and frictions
    loaded_by: str  # the constraint without which it is not loaded; empty: it always is
    groups: list[tuple[float, list[list[tuple[str, float]]]]]  # the factor, and the components: rows with their weights


def frictions_of(each: Sequence[Unilateral]) -> list[Friction]:
    """Those of a unit, in their order. Raises NotExportedError for the friction of a cable on a rim."""
    found = []
    for i, one in enumerate(each):
        if not one.loads:
            continue
        if any(group.wrap is not None for group in one.loads):
            raise NotExportedError(f"{one.name}: a unit knows no friction of cables on rims")
        groups = [(group.holds, [list(part.items()) for part in group.components]) for group in one.loads]
        found.append(Friction(i, one.of or one.normal, groups))
    return found
