"""What every force element does in the rows of a run: its force or torque, its length and rate, its power; on bodies its vectors.

The compiled loads of the run are evaluated at the recorded states (`mbsim.system.observe_forces`). What a number means depends on the kinds
of loads that the leaf makes, and on whether it says that its law acts against growth; its word says nothing (docs/results.md). Laws of
forces on the user's own coordinates are evaluated as measures are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.elements.kinds import (
    ABOUT,
    ATTRACTION,
    BEAM,
    BUSHING,
    CONTACT,
    DRAG,
    FORCE,
    LENGTH,
    LINEAR_TYRE,
    MODAL,
    PACEJKA_TYRE,
    RELATIVE_EFFORT,
    SPRING,
    STORED,
    TORQUE,
    TURNED_FORCE,
    TURNED_TORQUE,
    contact_friction,
)
from mbsim.elements.loads.relative_effort import PART, SIGN
from mbsim.kernels import observed_columns as col
from mbsim.kernels.relative import ALWAYS, BY_LAWS, WHEN
from mbsim.kernels.rotations import matrices
from mbsim.results.schema import ForceLabels, per_second
from mbsim.system.observe_forces import load_table, observer_of
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.contracts import Work

Places = NDArray[np.int64]

MOMENTS = (TORQUE, TURNED_TORQUE)  # kinds of loads that are a torque and no force
# Of these the first body is acted on, of other pairs the second.
ON_FIRST = (*MOMENTS, FORCE, TURNED_FORCE, DRAG, CONTACT, ATTRACTION, LINEAR_TYRE, PACEJKA_TYRE)
COUPLES = (*MOMENTS, BUSHING, DRAG, LINEAR_TYRE, PACEJKA_TYRE)  # whose torque is not only that of a force at a point


@dataclass
class _Load:
    """A row of Arrays.loads, and where its numbers are."""

    name: str
    kind: int  # number of the kind of load
    against: bool  # what is recorded of it along a coordinate is positive against growth, as tension is
    on: int  # col.ON_BODIES ...
    place: int  # of its numbers in the row that the kernel fills
    powers: list[int]  # the same of all loads of the force: what is recorded besides the power is that of the first
    first: int  # bodies; the number of bodies is the ground
    second: int
    data: Floats
    relative: int  # index of its relative coordinate, -1: none
    coordinate: int  # place in q and in v of the coordinate of a tree along which it acts, -1: none
    speed: int
    between_points: bool  # the relative coordinate is the distance of two points
    frictions: list[int]  # of a rigid contact the places of its friction along the tangents
    strands: list[tuple[int, float]]  # of a part of a cable: the place of each load along it, and the factor of that in its length

    @property
    def is_plain(self) -> bool:
        """Whether what is recorded of it are numbers that the kernel gives."""
        return not (self.on == col.ON_BODIES or self.strands or len(self.frictions) > 1 or (self.between_points and not self.frictions))

    @property
    def is_moment(self) -> bool:
        return self.on == col.ON_BODIES and self.kind in MOMENTS

    @property
    def is_couple(self) -> bool:
        return self.on == col.ON_BODIES and self.kind in COUPLES

    @property
    def has_length(self) -> bool:
        return self.on != col.ON_BODIES or self.kind in _BETWEEN

    @property
    def on_bodies(self) -> bool:
        """Whether it has a force vector, too."""
        return (self.on == col.ON_BODIES and not self.is_moment) or (self.between_points and not self.strands and not self.frictions)


class _Motion:
    """Poses and velocities of the bodies, then of the ground, in k rows."""

    def __init__(self, variables: Mapping[str, Floats], k: int) -> None:
        still = np.zeros((k, 1, 3))
        names = ("body_position", "body_velocity", "body_angular_velocity")
        self.r, self.v, self.omega = (np.concatenate([variables[name], still], axis=1) for name in names)
        upright = np.broadcast_to(np.eye(3), (k, 1, 3, 3))
        self.R = np.concatenate([matrices(variables["body_orientation"]), upright], axis=1)

    def point(self, b: int, s: Floats) -> Floats:
        """(k, 3) global place of the body point s (3,)."""
        return np.asarray(self.r[:, b] + self.R[:, b] @ s)

    def velocity(self, b: int, place: Floats) -> Floats:
        """(k, 3) global velocity of the points of a body at the global places (k, 3)."""
        return np.asarray(self.v[:, b] + np.cross(self.omega[:, b], place - self.r[:, b]))


class _Columns(NamedTuple):
    """Where the kernel has the numbers of n loads that need no more than these, as those of contacts, of which there are many."""

    which: Places  # (n,) places among all loads
    others: list[int]  # of those that are none of them
    efforts: Places
    signs: Floats  # of the efforts
    lengths: Places
    moved: Places  # which of them are along a coordinate of a tree
    coordinates: Places  # these
    rates: Places
    powers: Places  # of all loads, those of one behind each other
    works: Places  # likewise
    firsts: Places  # (all,) where those of each begin

    def sums_of(self, numbers: Floats) -> Floats:
        """(k, all) what those of each load come to, of `powers` or `works`."""
        return np.add.reduceat(numbers, self.firsts, axis=1) if self.firsts.size else np.zeros((len(numbers), 0))


def _columns(loads: list[_Load]) -> _Columns:
    plain = [k for k, load in enumerate(loads) if load.is_plain]
    taken = [loads[k] for k in plain]
    moved = [k for k, load in enumerate(taken) if load.on == col.ALONG_SPEED]
    counts = [len(load.powers) for load in loads]
    integers: list[list[int]] = [
        plain,
        [(load.frictions[0] if load.frictions else load.place) + col.LOAD_EFFORT for load in taken],
        [load.place + col.LOAD_VALUE for load in taken],
        moved,
        [taken[k].coordinate for k in moved],
        [load.place + col.LOAD_RATE for load in taken],
        [place + col.LOAD_POWER for load in loads for place in load.powers],
        [place + col.LOAD_WORK for load in loads for place in load.powers],
        [sum(counts[:k]) for k in range(len(counts))],
    ]
    which, efforts, lengths, along, coordinates, rates, powers, works, firsts = (np.array(each, np.int64) for each in integers)
    signs = np.array([-1.0 if load.against and not load.frictions else 1.0 for load in taken])
    others = sorted({*range(len(loads))} - {*plain})
    return _Columns(which, others, efforts, signs, lengths, along, coordinates, rates, powers, works, firsts)


@dataclass
class _Told:
    """What is recorded of a load in k rows."""

    effort: Floats  # (k,)
    length: Floats | None = None  # (k,)
    rate: Floats | None = None  # (k,)
    vector: Floats | None = None  # (k, 3)
    torque: Floats | None = None  # (k, 3)


class Forces:
    """The forces of a system of bodies; `labels` says what `chunk` returns."""

    def __init__(self, system: System, work: "Work", before: "Forces | None" = None) -> None:
        """`before` are those of a system with other rows, which may have the same loads."""
        self._system, self._work, self._kernel = system, work, observer_of(system)
        known = before is not None and before.know(system)
        self._table: NDArray[np.int64] = before._table if known and before is not None else load_table(system)
        self._loads: list[_Load] = before._loads if known and before is not None else _loads(system, self._table)
        self._columns: _Columns = before._columns if known and before is not None else _columns(self._loads)
        self._width = int(self._table[:, col.COUNT].sum())

    def know(self, system: System) -> bool:
        """Whether the loads of a system are these."""
        mine, its = self._system.arrays, system.arrays
        if self._system.loads is not system.loads or mine.relative.shape != its.relative.shape:
            return False
        when = [np.maximum(each.relative[:, WHEN], ALWAYS) for each in (mine, its)]  # which of them are found now says nothing
        same = np.array_equal(mine.relative[:, :WHEN], its.relative[:, :WHEN]) and np.array_equal(*when)
        return same and all(np.array_equal(getattr(mine, name), getattr(its, name)) for name in ("loads", "load_data", "relative_data"))

    @staticmethod
    def finished(variables: dict[str, Floats]) -> dict[str, Floats]:
        """All variables of rows of which `begun` gave those of forces: these."""
        return variables

    def begun(self, times: Floats, rows: Floats, variables: Mapping[str, Floats]) -> dict[str, Floats]:
        """The variables of rows (k, n_q + 2 n_v + m + 1) at times (k,), whose poses and velocities are in `variables`."""
        system, k = self._system, len(rows)
        out, when = np.zeros((k, self._width)), system.arrays.relative[:, WHEN]
        kept = when.copy()
        when[when == BY_LAWS] = ALWAYS  # how near contacts are that do not touch is recorded, what they would slip by is not
        self._kernel(system.functions, system.arrays, self._work, self._table, times, rows, out)
        when[:] = kept
        its, n = self._columns, len(self._loads)
        effort, length, rate, known = np.zeros((k, n)), np.zeros((k, n)), np.zeros((k, n)), np.zeros(n, bool)
        along = out[:, its.lengths]
        along[:, its.moved] = rows[:, its.coordinates]
        effort[:, its.which], length[:, its.which], rate[:, its.which] = out[:, its.efforts] * its.signs, along, out[:, its.rates]
        known[its.which] = True
        vectors, torques = list[Floats](), list[Floats]()
        motion = _Motion(variables, k) if its.others else None
        for i in its.others:
            assert motion is not None
            told = self._told(self._loads[i], out, rows, motion)
            effort[:, i] = told.effort
            if told.length is not None and told.rate is not None:
                length[:, i], rate[:, i], known[i] = told.length, told.rate, True
            vectors += [] if told.vector is None else [told.vector]
            torques += [] if told.torque is None else [told.torque]
        return {
            "force_effort": effort,
            "force_power": its.sums_of(out[:, its.powers]),
            "force_loss": -its.sums_of(out[:, its.works]),
            "force_length": length if known.all() else length[:, known],
            "force_rate": rate if known.all() else rate[:, known],
            "force_vector": np.stack(vectors, axis=1) if vectors else np.zeros((k, 0)),
            "force_torque": np.stack(torques, axis=1) if torques else np.zeros((k, 0)),
        }

    def _told(self, load: _Load, out: Floats, rows: Floats, motion: _Motion) -> _Told:
        if load.on == col.ON_BODIES:
            return self._on_bodies(load, out, motion)
        n = load.place
        effort, length, rate = out[:, n + col.LOAD_EFFORT], out[:, n + col.LOAD_VALUE], out[:, n + col.LOAD_RATE]
        if load.frictions:  # of a rigid contact: along the normal it has no effort of its own
            return _Told(_length(out[:, [place + col.LOAD_EFFORT for place in load.frictions]]), length, rate)
        if load.strands:  # the law tells length and rate; a strand that the cable has left has no effort
            factors = np.array([factor for _, factor in load.strands])
            tension = np.max(-out[:, [place + col.LOAD_EFFORT for place, _ in load.strands]] / factors, axis=1)
            return _Told(tension, length, rate)
        d = self._system.dimension or 3
        ends = self._system.arrays.relative_data[load.relative][: 2 * d]
        direction = _unit(motion.point(load.second, _three(ends[d:])) - motion.point(load.first, _three(ends[:d])))
        return _Told(-effort if load.against else effort, length, rate, effort[:, None] * direction)

    def _on_bodies(self, load: _Load, out: Floats, motion: _Motion) -> _Told:
        n_b = len(self._system.bodies)
        side = int(load.first != load.second and load.kind not in ON_FIRST)
        body, sign = (load.first, load.second)[side], 1.0
        if body == n_b:  # the kernel has no numbers of the ground: the opposite of what acts on the other body
            side, sign = 1 - side, -1.0
            body = (load.first, load.second)[side]
        at = load.place + col.WRENCHES + col.WRENCH * side
        force, about_centre = np.zeros((len(out), 3)), np.zeros((len(out), 3))
        if self._system.dimension == 2:
            force[:, :2], about_centre[:, 2] = out[:, at : at + 2], out[:, at + 2]
        else:
            force[:], about_centre[:] = out[:, at : at + 3], np.einsum("tij,tj->ti", motion.R[:, body], out[:, at + 3 : at + 6])
        told = _Told(_length(force), vector=sign * force if load.on_bodies else None)
        if load.is_couple:
            p = motion.point(load.second, load.data[3:6]) if load.kind == BUSHING else motion.point(load.first, load.data[:3])
            arm = p - motion.r[:, body]
            told.torque = sign * (about_centre if load.is_moment else about_centre - np.cross(arm, force))
        if (between := _BETWEEN.get(load.kind)) is not None:
            between(load, told, motion)
        if load.is_moment and told.torque is not None:
            told.effort = told.torque[:, 2] if self._system.dimension == 2 else _length(told.torque)
        return told


def force_labels(system: System) -> ForceLabels:
    """The forces of a system of bodies, and the units of what is recorded of them."""
    loads = _loads(system, load_table(system))
    lengths = {load.name: _length_unit(system, load) for load in loads if load.has_length}
    return ForceLabels(
        names=[load.name for load in loads],
        units=["N m" if load.is_moment or lengths.get(load.name) == "rad" else "N" for load in loads],
        along=list(lengths),
        length_units=list(lengths.values()),
        rate_units=[per_second(unit) for unit in lengths.values()],
        on_bodies=[load.name for load in loads if load.on_bodies],
        with_torque=[load.name for load in loads if load.is_couple],
    )


def _loads(system: System, table: np.ndarray) -> list[_Load]:
    """The first load of each force, with the places of the others."""
    found: dict[str, _Load] = {}
    parts: dict[str, str] = {}  # of a cable in parts the one whose loads came last: what it stores follows it
    for e, (name, against) in enumerate(zip(system.loads, system.load_against, strict=True)):
        on, index, place, _ = table[e].tolist()
        if system.arrays.loads[e, 0] in (BEAM, MODAL):  # recorded along the beam (`mbsim.observe.beams`); of modes in their coordinates
            continue
        kind, data = int(system.arrays.loads[e, 0]), system.arrays.load_data[e]
        part = int(data[PART]) if on == col.ALONG_RELATIVE and kind == RELATIVE_EFFORT else 0
        if kind == STORED:
            name = parts.get(name, name)
        elif part:
            parts[name] = name if part < 2 else f"{name}.part{part}"
            name = parts[name]
        strands = [(place, -float(data[SIGN]))] if part else []
        if name in found:
            found[name].strands.extend(strands)
            found[name].powers.append(place)
            if on == col.ALONG_RELATIVE and contact_friction(int(system.arrays.relative[index, 0])) != "none":
                found[name].frictions.append(place)
            continue
        first, second = system.arrays.loads[e, 1:3].tolist()
        relative, coordinate, speed = -1, -1, -1
        if on == col.ALONG_RELATIVE:
            relative = index
            _, first, second, coordinate, speed = system.arrays.relative[index].tolist()
        elif on == col.ALONG_SPEED:
            speed = index
            coordinate = system.coordinates.index(system.speeds[speed].removeprefix("der(").removesuffix(")"))
        between = relative >= 0 and bool(system.arrays.relative[relative, 0] == LENGTH)
        turns = relative >= 0 and contact_friction(int(system.arrays.relative[relative, 0])) == "turn"
        found[name] = _Load(
            name, kind, against, on, place, [place], first, second, data, relative, coordinate, speed, between, [place] * turns, strands
        )
    return list(found.values())


def _length_unit(system: System, load: _Load) -> str:
    if load.speed >= 0:
        return "rad" if system.speed_units[load.speed].startswith("rad") else "m"
    if load.relative < 0 or load.strands:
        return "m"
    kind = int(system.arrays.relative[load.relative, 0])
    return "rad" if kind == ABOUT or contact_friction(kind) == "turn" else "m"


def _spring(load: _Load, told: _Told, motion: _Motion) -> None:
    """Tension, length and rate."""
    a, b = motion.point(load.first, load.data[:3]), motion.point(load.second, load.data[3:6])
    direction = _unit(b - a)
    assert told.vector is not None
    told.effort, told.length = -_dot(told.vector, direction), _length(b - a)
    told.rate = _dot(direction, motion.velocity(load.second, b) - motion.velocity(load.first, a))


def _contact(load: _Load, told: _Told, motion: _Motion) -> None:
    """Normal force, gap and its rate."""
    centre, through = motion.point(load.first, load.data[:3]), motion.point(load.second, load.data[3:6])
    normal = motion.R[:, load.second] @ load.data[6:9]
    assert told.vector is not None
    told.effort, told.length = _dot(told.vector, normal), _dot(normal, centre - through) - load.data[9]
    told.rate = _dot(normal, motion.velocity(load.first, centre) - motion.velocity(load.second, centre))


def _attraction(load: _Load, told: _Told, motion: _Motion) -> None:
    """Distance and its rate."""
    a, b = motion.r[:, load.first], motion.point(load.second, load.data[3:6])
    told.length, told.rate = _length(b - a), _dot(_unit(b - a), motion.velocity(load.second, b) - motion.v[:, load.first])


_BETWEEN: dict[int, Callable[[_Load, _Told, _Motion], None]] = {SPRING: _spring, CONTACT: _contact, ATTRACTION: _attraction}


def _three(x: Floats) -> Floats:
    return np.array([*x, 0.0][:3])


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a * b, axis=-1))


def _length(a: Floats) -> Floats:
    return np.asarray(np.linalg.norm(a, axis=-1))


def _unit(a: Floats) -> Floats:
    """Directions (k, 3); zero where there is none, as in the kernels."""
    length = _length(a)[:, None]
    return np.asarray(np.divide(a, length, out=np.zeros_like(a), where=length > 0.0))
