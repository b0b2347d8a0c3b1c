"""Which columns of the tangents can be found as one: those of bodies of which no row of the tangents sees two.

A derivative along the sum of such displacements has in each row that of one of them (Curtis, Powell & Reid 1974). In a chain or a beam
every third body is displaced at a time, so that the number of derivatives does not grow with the number of bodies.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mbsim.saddle.structure import Structure
from mbsim.system.remembered import remembered
from mbsim.system.structure import structure_of
from mbsim.system.system import System
from mbsim.system.tangents import NONE, Columns, one_by_one


@remembered
def column_groups(system: System) -> list[Columns]:
    """All columns. Each is a group of its own where it is not known what the rows see, and in joint coordinates, where many see all.

    Functions of Python may read anything.
    """
    n, m, n_x = system.n_v, system.n_rows, system.n_x
    of_bodies = system.dimension is not None and system.bodies and not system.in_joint_coordinates
    structure = structure_of(system) if of_bodies and system.failure is None else None
    if structure is None or structure.extras is None or structure.wide is None:
        return one_by_one(n, m, n_x)
    bodies, b = len(structure.bodies), structure.speeds
    of_row, of_state = _seen(structure, n_x)
    of_body = _neighbours(structure, of_row)
    found = []
    for group in _groups(bodies, [*of_body, *of_row, *of_state]):
        members = np.array(group)
        owners = [_owners(seen, set(group)) for seen in (of_body, of_row, of_state)]
        for k in range(b):
            speeds, rows, states = (np.where(owner == NONE, NONE, b * owner + k) for owner in owners)
            found.append(Columns(b * members + k, np.repeat(speeds, b), rows, states))
    return found


def _seen(structure: Structure, n_x: int) -> tuple[list[set[int]], list[set[int]]]:
    """The bodies that each constraint row sees, and each rate of a state; the ground among them."""
    wide, extras = structure.wide, structure.extras
    assert wide is not None and extras is not None
    rows = [set(wide.ends[row] if row in wide.ends else structure.row_bodies[row].tolist()) for row in range(structure.rows)]
    states: list[set[int]] = [set() for _ in range(n_x)]
    for read in extras.reads:
        if read.of_state:
            states[read.unknown].update(read.bodies)
    return rows, states


def _neighbours(structure: Structure, of_row: Iterable[set[int]]) -> list[set[int]]:
    """The bodies that the equations of motion of each body see, itself among them."""
    assert structure.extras is not None
    read_by = defaultdict(set)
    for read in structure.extras.reads:
        if not read.of_state:
            read_by[read.unknown].update(read.bodies)
    loaded = [{*push.bodies, *read_by[push.unknown]} for push in structure.extras.pushes]
    near = [{body} for body in range(len(structure.bodies))]
    for together in (*of_row, *map(set, structure.couplings.pairs), *loaded):
        inside = [body for body in together if body < len(near)]
        for body in inside:
            near[body].update(inside)
    return near


def _groups(bodies: int, seen: Iterable[set[int]]) -> list[list[int]]:
    """The bodies in groups of which none is `seen` together with another one, each in the first that it fits into."""
    apart: list[set[int]] = [set() for _ in range(bodies)]
    for together in seen:
        inside = [body for body in together if body < bodies]
        for body in inside:
            apart[body].update(inside)
    found: list[list[int]] = []
    group_of = [NONE] * bodies
    for body in range(bodies):
        taken = {group_of[other] for other in apart[body]}
        place = next(k for k in range(len(found) + 1) if k not in taken)
        if place == len(found):
            found.append([])
        found[place].append(body)
        group_of[body] = place
    return found


def _owners(seen: Sequence[set[int]], group: set[int]) -> NDArray[np.int64]:
    """The body of a group that each row sees."""
    return np.array([next(iter(together & group), NONE) for together in seen], np.int64)
