"""How the constraint force algorithm of bodies begins, and what the assembly and the ranks of large systems ask of its factors.

`mbsim.diagnosis.blocks` calls the latter from Python.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.contracts import BESIDE_ACCEPTED, NOT_FINITE, OK, PROJECT, SINGULAR_MASS, START, STATUS_FRESH, STATUS_INDEX
from mbsim.jit import kernel
from mbsim.kernels.linalg import clear, copy
from mbsim.methods import lagrange
from mbsim.methods._elimination import refuse_parts
from mbsim.methods.papers.dissection import in_parts
from mbsim.saddle.columns import EQUATIONS, FACTS, ROOTS, SPEEDS
from mbsim.saddle.joints.choice import WORKSPACE, dependency, nearest
from mbsim.saddle.joints.weighed_rows import add_rates, inverse_roots
from mbsim.saddle.lines import speeds_of_body
from mbsim.saddle.order import leaves_first
from mbsim.system.structure import joint_table, loop_rows
from mbsim.system.system import System
from mbsim.system.work import Space, dense

SPARE = 4_000_000  # numbers at most in the vectors of the rows that are put off; rows come in the order of the elimination beyond


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """Sizes of the work arrays and the table of the elimination. Raises ValueError where one body has too many joints."""
    word, asked = options.get("elimination", "leaf_to_root"), float(options.get("parts", 2))
    if system.in_joint_coordinates:
        raise ValueError(f"cfa: elimination '{word}' is for absolute coordinates; leave out `coordinates: joint`")
    if word not in ("leaf_to_root", "nested_dissection"):
        raise ValueError(f"cfa: elimination '{word}' is for trees in joint coordinates; add `coordinates: joint`")
    refuse_parts(options)
    if asked != int(asked):
        raise ValueError(f"cfa: parts: expected a whole number (got {asked:g})")
    n, m, n_b = system.n_v, system.n_rows, len(system.bodies)
    if system.dimension is None:
        return dense(lagrange.WORKSPACE)
    found = joint_table(system, leaves_first if word == "leaf_to_root" else in_parts(int(asked)))
    b, equations = int(found.table[FACTS, SPEEDS]), int(found.table[FACTS, EQUATIONS])
    planar = b == 3 and equations == 0
    loops = loop_rows(system)
    spare = min(m, loops + 6, SPARE // max(n + b, m, 1))
    sizes = {"b": b, "bodies": n_b, "roots": b if b == 3 else ROOTS, "places": found.places, "equations": equations}
    sizes |= {"planar": n_b + 1 if planar else 0, "spare": spare, "width": max(n + b, m)}
    sizes |= {"loops": min(loops, 1), "held": m if loops else 0}
    return Space(WORKSPACE, sizes, found.table, False, equations > 0)


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Fill z[:n_v] with v, invert the inertias of the bodies and clear the choice of rows. Returns the status code."""
    copy(v, z, 0)
    work.status[STATUS_FRESH], work.beside[BESIDE_ACCEPTED] = 1, np.nan  # nothing is known of pivots
    b = speeds_of_body(work.plan)
    if b == 0:
        return OK
    own = WORKSPACE(work)
    clear(own.choice)  # no rows are chosen yet
    clear(own.choice_phi)
    clear(own.before)
    bad = inverse_roots(arrays.masses, b, own.W)
    work.status[STATUS_INDEX] = bad
    return OK if bad < 0 else SINGULAR_MASS


@kernel(START)
def displacement(system, arrays, work, t, q, b, d):
    """d (n,) <- the smallest displacement in the M norm with C d = b on the first rows, as many as b has; dependent rows left out."""
    own = WORKSPACE(work)
    system.constraints(arrays, t, q, work.C, work.xi)
    clear(own.y)
    copy(b, own.y, 0)
    bad = nearest(arrays, work, b.shape[0], 1, 0.0)
    copy(own.d, d, 0)
    work.status[STATUS_INDEX] = bad
    return OK if bad < 0 else NOT_FINITE


@kernel(START)
def velocity_residual(system, arrays, work, t, q, v, out):
    """out (m,) <- C v + xi."""
    system.constraints(arrays, t, q, work.C, work.xi)
    copy(work.xi, out, 0)
    add_rates(work.plan, arrays.jacobian, work.C, arrays.masses.shape[0], v, out)
    return OK


@kernel(PROJECT)
def combination(system, arrays, work, t, q, x):
    """x (m,), 1 in one of the rows that `displacement` of all rows left out, becomes the combination of rows of C that is zero."""
    own = WORKSPACE(work)
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            dependency(work, i, own.y, own.u)
            copy(own.y, x, 0)
            break
    return OK
