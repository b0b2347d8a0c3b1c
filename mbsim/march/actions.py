"""What events set, put into a state: of runs, and of the derivatives of studies."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.consistent import StartError, Units, assemble_position, assemble_velocity
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.march.between import places
from mbsim.model.names import owner
from mbsim.system.displacement import Smallest
from mbsim.system.system import Floats, System

CLOSED = 1e-11  # arms of the mechanism or rad: what rows that were locked leave is round-off, which a march can restore
ROUNDED = 1e-14  # of the largest coordinate, likewise
AT_ONCE = 100  # events at one time that make each other happen, beyond which there is no end

Flags = NDArray[np.bool_]
Values = Mapping[tuple[str, str], float]  # by kind, `set` or `switch`, and name


class Placed(NamedTuple):
    """A state with what was set, and which displacements and speeds (n_v,) stay as they are."""

    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    held_q: Flags
    held_v: Flags


def speed_of_each(system: System) -> dict[int, int]:
    """Place of a coordinate in q -> that of its rate in v."""
    speeds, coordinates = places(system)
    return dict(zip(np.arange(system.n_c)[coordinates].tolist(), np.arange(system.n_v)[speeds].tolist(), strict=True))


def assign(system: System, speed_of: Mapping[int, int], names: Collection[str], values: Values, q: Floats, v: Floats) -> Placed:
    """The state (q, v), which is not changed, with the values of the coordinates, speeds and states of these names."""
    made = Placed(q.copy(), v.copy(), np.zeros(system.n_v, bool), np.zeros(system.n_v, bool))
    for name in names:
        if name in system.speeds:
            j = system.speeds.index(name)
            made.v[j], made.held_v[j] = values["set", name], True
            continue
        i = system.coordinates.index(name)
        made.q[i] = values["set", name]
        if i < system.n_c:
            made.held_q[speed_of[i]] = True
    return made


def meet(system: System, t: float, placed: Placed, positions: bool, smallest: Smallest | None = None) -> tuple[Floats, Floats]:
    """The state nearest on the constraints, in the metric of M; positions only where some are held or `positions` says so.

    `smallest` as of `assemble_velocity`. Raises StartError where what is held contradicts the constraints.
    """
    q, v = placed.q, placed.v
    if system.n_holonomic and (positions or placed.held_q.any()):
        q = assemble_position(system, t, q, placed.held_q)
    if system.n_rows:
        v = assemble_velocity(system, t, q, v, placed.held_v, smallest)
    return q, v


def can_meet(system: System, t: float, placed: Placed) -> bool:
    """Whether all rows of positions can hold at once, to round-off, near a state: gaps of redundant contacts may disagree."""
    if not system.n_holonomic:
        return True
    least = ROUNDED * float(np.abs(placed.q).max(initial=0.0))
    if np.abs(system.phi(t, placed.q)).max() <= least:
        return True
    allowed = np.maximum(CLOSED * Units.of(system, t, placed.q).rows[: system.n_holonomic], least)
    try:
        return bool((np.abs(system.phi(t, meet(system, t, placed, True)[0])) <= allowed).all())
    except StartError:
        return False


def impulses(system: System, t: float, q: Floats, jump: Floats, locked: Collection[str]) -> dict[str, float]:
    """The impulses (N s, N m s) of the rows of what is locked, with the sign of multipliers: the shortest ones for a jump of v.

    None of systems so large that dense matrices would be slow.
    """
    rows = [k for k, name in enumerate(system.rows) if owner(name) in locked]
    if not rows or is_large(system):
        return {}
    found = np.linalg.lstsq(system.C(t, q).T, system.M(t, q) @ jump, rcond=RANK_TOLERANCE)[0]
    return {system.rows[k]: float(found[k]) for k in rows}


def balanced_energy(system: System, t: float, q: Floats, v: Floats) -> float:
    """The energy that balances, less the work, J; 0 where the system has none."""
    out = np.zeros(3)
    if system.has_energy:
        system.functions.energy(system.arrays, t, q, v, out)
    return float(out[2])
