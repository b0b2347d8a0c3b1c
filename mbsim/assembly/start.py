"""From a start as it is given to a consistent one, of every kind of system, and what that changed."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsim.assembly.assembled import Assembly, Change
from mbsim.assembly.following import following, follows
from mbsim.diagnosis.consistent import ACCEPTED, StartError, assemble_position, assemble_velocity, nearest_named
from mbsim.model.file.errors import ModelError
from mbsim.system.system import Floats, System

MOVED = 1e-4  # of the spread of the coordinates; model files are rounded to as many digits
CHANGED, TINY = 1e-6, 1e-12  # of the largest given speed, which is more than nothing (m/s, rad/s)
SHOWN = 4  # names in a sentence


def _accept(q: Floats) -> None:
    """No objection."""


@dataclass(frozen=True, eq=False)
class Given:
    """A start as it is given."""

    t: float  # s
    q: Floats  # (n_q,) near the constraints
    speeds: Callable[[Floats], Floats]  # q (n_q,) on the constraints -> v (n_v,) as given: there global components become those of bodies
    fixed_q: NDArray[np.bool_]  # (n_v,) displacements that must stay
    fixed_v: NDArray[np.bool_]  # (n_v,) speeds that must stay
    held_q: NDArray[np.bool_]  # (n_v,) these, and displacements of coordinates that are given by name: they stay where that can be
    held_v: NDArray[np.bool_]  # (n_v,) likewise
    check: Callable[[Floats], None] = _accept  # raises ModelError where q (n_q,) on the constraints is not what is meant


class Source(Protocol):
    """What a system is made from."""

    def system(self) -> System:
        """The system. Raises ModelError, DerivationError, TableError or UnusableError."""

    def given(self, system: System) -> Given:
        """The start that is given for it. Raises ModelError."""


Position = Callable[[Floats, NDArray[np.bool_]], Floats]  # (q, held displacements) -> q on the constraints. Raises StartError
Velocity = Callable[[Floats, Floats, NDArray[np.bool_]], Floats]  # (q, speeds, held speeds) -> v on the constraints. Raises StartError


def start(system: System, given: Given) -> Assembly:
    """The consistent start next to the given one. Raises StartError where there is none, and what `given.check` raises."""
    q, speeds, v = find_start(
        system, given, lambda q, held: assemble_position(system, given.t, q, held),
        lambda q, speeds, held: assemble_velocity(system, given.t, q, speeds, held),
    )  # fmt: skip
    return Assembly(system, given.t, q, v, _change(given.q, q, speeds, v))


def find_start(system: System, given: Given, position: Position, velocity: Velocity) -> tuple[Floats, Floats, Floats]:
    """q on the constraints, the speeds as they are given there, and v on the constraints. Raises as `start`.

    What is given by name stays if the rest can follow. Where speeds that are given contradict the constraints, these change least, and the
    rest follows; where positions do, all change as little as possible. Beams and elastic parts without speeds of their own follow what
    drivers or given speeds of others lead (`following.py`).
    """
    q = _positions(system, given, position)
    speeds = given.speeds(q)
    if not system.n_rows:
        return q, speeds, speeds
    if follows(system):
        v = following(system, given.t, q, speeds, given.held_v | given.fixed_v)
        if v is not None:
            return q, speeds, v
    return q, speeds, _speeds(system, given, velocity, q, speeds)


def _positions(system: System, given: Given, position: Position) -> Floats:
    if system.n_holonomic and held_apart(given.held_q, given.fixed_q):
        with suppress(StartError, ModelError):
            q = position(given.q, given.held_q)
            given.check(q)
            return q
    q = position(given.q, given.fixed_q) if system.n_holonomic else given.q
    given.check(q)
    return q


def _speeds(system: System, given: Given, velocity: Velocity, q: Floats, speeds: Floats) -> Floats:
    if held_apart(given.held_v, given.fixed_v):
        with suppress(StartError):
            return velocity(q, speeds, given.held_v)
        nearest = nearest_named(system, given.t, q, speeds, given.fixed_v, given.held_v & ~given.fixed_v)
        if nearest is not None:
            with suppress(StartError):
                return velocity(q, nearest, given.held_v)
    return velocity(q, speeds, given.fixed_v)


def held_apart(held: NDArray[np.bool_], fixed: NDArray[np.bool_]) -> bool:
    """Whether some are held beside those that are fixed, and some are not held: else nothing follows."""
    count = int(held.sum())
    return int(fixed.sum()) < count < len(held)


def assemble_system(system: System, t: float, q: ArrayLike, v: ArrayLike) -> Assembly:
    """A System made in Python with its start corrected to satisfy the constraints. Raises StartError.

    `t` in s, q (n_q,) and v (n_v,) near the constraints.
    """
    given_q, given_v = np.array(q, float), np.array(v, float)
    free = np.zeros(system.n_v, bool)
    return start(system, Given(t, given_q, lambda _: given_v, free, free, free, free))


def _change(q: Floats, found_q: Floats, v: Floats, found_v: Floats) -> Change:
    """The change from the given (q, v) to the found one."""
    return Change(float(np.abs(found_q - q).max(initial=0.0)), float(np.abs(found_v - v).max(initial=0.0)), q, v)


def what_moved(
    system: System, made: Change, q: Floats, v: Floats, given: Collection[str] | None = None, speeds_only: bool = False
) -> tuple[str, ...]:
    """Sentences on the positions and on the speeds that assembling a start (q, v) changed; none where it changed nothing to speak of.

    `given` are the names of coordinates and speeds that the user gave; None: all coordinates are, and the speeds that are not zero.
    `speeds_only`: the positions are said elsewhere.
    """
    q, before_q, coordinates = q[: system.n_c], made.q[: system.n_c], system.coordinates[: system.n_c]
    apart = np.abs(q - before_q)
    size = max(float(np.ptp(before_q)), float(np.abs(before_q).max())) if len(q) else 0.0
    mine = np.array([given is None or name in given for name in coordinates], bool)
    positions = np.flatnonzero(mine & (apart > MOVED * size)) if size > 0.0 and not speeds_only else np.array([], int)
    speeds = np.array([made.v[j] != 0.0 if given is None else name in given for j, name in enumerate(system.speeds)], bool)
    lost = np.flatnonzero(speeds & (np.abs(v - made.v) > CHANGED * max(np.abs(made.v).max(initial=0.0), TINY)))
    found = []
    for places, before, after, names, what in (
        (positions, before_q, q, coordinates, "moved"),
        (lost, made.v, v, system.speeds, "the constraints forbid speeds that were given; assembly changed"),
    ):
        shown = sorted(places, key=lambda j: -abs(after[j] - before[j]))
        small = ACCEPTED * max(np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0))
        told = [f"{names[j]} {before[j]:.6g} -> {after[j] if abs(after[j]) > small else 0.0:.6g}" for j in shown[:SHOWN]]
        if told:
            more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
            found.append(f"{'assembly ' * (what == 'moved')}{what} {', '.join(told)}{more}")
    return tuple(found)
