"""The motion of a mechanism whose drivers leave it no freedom, at any times."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbsim.analyses.prescribed import Motion, multipliers
from mbsim.assembly import Assembly
from mbsim.diagnosis.consistent import StartError, assemble_position
from mbsim.diagnosis.continuation import NoWayError, Passage, Walk
from mbsim.diagnosis.redundancy import column_scales, decompose, redundancy
from mbsim.elements.kinds import BEAM
from mbsim.model.names import owner
from mbsim.system.system import Floats, System

SPREAD = 1e-2  # m, rad, s: of poses around a start; the mechanism has no special position there
TURNS = 5.0  # angles are named rather than places


class Followed(NamedTuple):
    """A motion as far as the mechanism reaches."""

    motion: Motion
    passages: list[Passage]  # singular positions met
    failure: NoWayError | None  # why it is not the whole


def follow(made: Assembly, times: Sequence[float] | Floats) -> Followed:
    """The motion at `times` (k,) on the branch of the start of `made`, from which the mechanism goes to the first of them."""
    system = made.system
    columns: list[list[Floats]] = [[], [], [], []]
    failure: NoWayError | None = None
    passages: list[Passage] = []
    try:
        walk = Walk(system, made.start, made.q)
        passages = walk.passages
        for t in times:
            found = walk.configuration(float(t))
            lam = multipliers(system, *found)
            for column, x in zip(columns, (found.q, found.v, found.a, lam), strict=True):
                column.append(np.asarray(x, float))
    except NoWayError as error:
        failure = error
    reached = len(columns[0])
    sizes = (system.n_q, system.n_v, system.n_v, system.n_rows)
    parts = (np.array(column).reshape(reached, size) for column, size in zip(columns, sizes, strict=True))
    return Followed(Motion(np.array(times[:reached], float), *parts), passages, failure)


def tell_failure(failure: NoWayError, name: str = "t", unit: str = "s") -> str:
    """Why the mechanism does not go on; `name` is the coordinate that the drivers' time is the value of, `unit` its unit."""
    if failure.complete:
        return str(failure)
    if failure.passage is None:
        return f"the mechanism cannot be assembled beyond {name} = {failure.at:.9g} {unit}: {failure}"
    return tell_passage(failure.passage, name, unit)


def tell_passage(passage: Passage, name: str = "t", unit: str = "s") -> str:
    """A sentence on a singular position."""
    what = "the drivers" if name == "t" else name
    at = f"{name} = {passage.t:.9g} {unit}"
    moving = f"{', '.join(passage.moving)} can move while the drivers rest"
    if not passage.dead:
        return f"branches meet at {at}, where {moving}; passed with the velocity that it has"
    sides = ", ".join(f"{label} = {here:.6g} on this one and {other:.6g} on the other" for label, (here, other) in passage.branches.items())
    meet = f"; two branches meet there: at {name} = {passage.beside:.6g} {unit}, {sides}" if sides else ""
    return f"dead point at {at}: {what} cannot go farther, and {moving}{meet}"


def require_prescribed(made: Assembly, what: str, hint: str) -> None:
    """Raise ValueError for a mechanism that keeps freedoms, which it names, or whose rows are at velocity level.

    `what` prescribes the motion, `hint` is what helps.
    """
    made.require_bilateral("a motion that drivers prescribe")
    system = made.system
    names = open_freedoms(system, made.start, made.q)
    if names:
        count = f"{len(names)} degree{'s' * (len(names) > 1)} of freedom"
        if beams := _bending(system, names):
            raise ValueError(
                f"{what} leave {count}, of {', '.join(beams)}, which bend by forces: `mbsim run` and `mbsim equilibrium` know them"
            )
        raise ValueError(f"{what} leave {count}: {', '.join(names)}; {hint}")
    if system.n_rows > system.n_holonomic:
        rows = ", ".join(system.rows[system.n_holonomic :])
        raise ValueError(
            f"speeds are prescribed, from which positions follow by integration only: {rows}; `mbsim run` records the same efforts"
        )


def _bending(system: System, names: Sequence[str]) -> list[str]:
    """The beams that have some of these freedoms."""
    bodies = {owner(name) for name in names}
    elements = [(name, load) for name, load in zip(system.loads, system.arrays.loads, strict=True) if load[0] == BEAM]
    return list(dict.fromkeys(name for name, load in elements if bodies & {system.bodies[k] for k in load[1:3] if k >= 0}))


def open_freedoms(system: System, t: float, q: Floats) -> list[str]:
    """Coordinates with which the configurations near (t, q) can be told apart, as many as the mechanism has freedoms."""
    if redundancy(system, t, q, shown=False).degrees_of_freedom == 0:
        return []
    rng, nothing = np.random.default_rng(0), np.zeros(system.n_v, bool)
    poses = [(t, q)]
    for later in (0.0, SPREAD, -SPREAD):  # at a singular position the rank of C is lower than around it
        try:
            near = system.move(q, SPREAD * rng.standard_normal(system.n_v))
            poses.append((t + later, assemble_position(system, t + later, near, nothing)))
        except StartError:
            continue
    ranks = []
    for pose in poses:
        C = system.C(*pose)
        scales = column_scales(system, C) if len(C) else np.ones(system.n_v)
        found = decompose(C * scales, system.arrays.row_shares) if len(C) else None
        ranks.append((found.rank, found.V) if found is not None else (0, np.eye(system.n_v)))
    rank, V = max(ranks, key=lambda pair: pair[0])
    from scipy.linalg import qr

    free = V[rank:]
    if not len(free):
        return []
    turning = np.array([unit.startswith("rad") for unit in system.speed_units], bool)
    pivots = qr(free * np.where(turning, TURNS, 1.0), mode="r", pivoting=True)[1][: len(free)]
    return [system.speeds[k].removeprefix("der(").removesuffix(")") for k in sorted(pivots)]
