"""Compares the two eliminations of the linear system without tangents, for docs/decisions.md: time, and the error of v_dot.

    python scripts/eliminations.py            # prints the table
    python scripts/eliminations.py --quick    # small systems, once

[M, -C'; C, 0] [v_dot; lam] = [h; -eta] is solved at the start of a motion, by joints (`saddle/joints`, as `cfa` does) and by bodies
(`saddle/bodies`, as an implicit step does), from the same M, C, h and eta. Rows that depend on others are left out of both. The times are
processor time, taken alternately. The error is that against a solution refined in numbers of 64 bits of mantissa.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import yaml
from benchmark_loops import cells, hexapod
from command_line import parser
from example_models import planar_chain, spatial_tree
from measuring import table
from numpy.typing import NDArray

import mbsim
from mbsim import contracts, registry
from mbsim.assembly import Assembly
from mbsim.contracts import ARRAYS, WORK
from mbsim.jit import A1, A2, I1, I2, i8, kernel
from mbsim.methods import cfa
from mbsim.model.load import load
from mbsim.saddle.bodies import factor
from mbsim.saddle.bodies.form import BODIES
from mbsim.saddle.joints.planar import WEAKER
from mbsim.system.structure import body_table
from mbsim.system.system import System
from mbsim.system.work import work_arrays

Floats = NDArray[np.float64]
TURNS, REPEATS = 25, 400
REFINEMENTS = 6


@kernel(i8(ARRAYS, WORK, A1, i8))
def by_joints(arrays, work, v_dot, repeats):  # type: ignore[no-untyped-def]
    """v_dot as `cfa` finds it, a number of times."""
    for _ in range(repeats):
        if cfa.EQUATIONS.sweep(arrays, work, v_dot) == WEAKER:
            cfa.EQUATIONS.eliminate(arrays, work)
            cfa.EQUATIONS.find_forces(work)
            cfa.EQUATIONS.find_accelerations(arrays, work, v_dot)
    return 0


@kernel(i8(ARRAYS, I2, A2, I1, A1, I1, I1, A1, A1, A1, i8))
def by_bodies(arrays, table, C, dropped, S, order, slots, sides, right, x, repeats):  # type: ignore[no-untyped-def]
    """x = [v_dot; lam; ...] as an implicit step finds it, a number of times."""
    bad = -1
    for _ in range(repeats):
        BODIES.begin(arrays, table, S)
        BODIES.place(arrays, table, C, dropped, S)
        bad = factor.factor(table, S, order)
        for k in range(right.shape[0]):
            right[k] = sides[slots[k]]
        factor.solve(table, S, order, right)
        for k in range(right.shape[0]):
            x[slots[k]] = right[k]
    return bad


def exact(system: System, kept: NDArray[np.bool_], h: Floats, eta: Floats) -> Floats:
    """v_dot from the dense equations of the rows kept."""
    arrays, n, b = system.arrays, system.n_v, 3 if system.dimension == 2 else 6
    C, M = np.zeros((system.n_rows, n), np.longdouble), np.zeros((n, n), np.longdouble)
    for row, bodies in enumerate(arrays.row_bodies):
        for side, body in enumerate(bodies):
            if body < n // b:
                C[row, b * body : b * body + b] += arrays.jacobian[row, b * side : b * side + b]
    for body, (mass, *inertia) in enumerate(arrays.masses):
        first, turn, end = b * body, b * body + (2 if b == 3 else 3), b * (body + 1)
        M[range(first, turn), range(first, turn)] = mass
        M[turn:end, turn:end] = np.reshape(inertia[: (end - turn) ** 2], (end - turn, end - turn))
    K = np.block([[M, -C[kept].T], [C[kept], np.zeros((kept.sum(), kept.sum()))]])
    right = np.concatenate([h, -eta[kept]]).astype(np.longdouble)
    near, found = K.astype(float), np.zeros(len(right), np.longdouble)
    for _ in range(REFINEMENTS):
        found += np.linalg.solve(near, (right - K @ found).astype(float))
    return found[:n].astype(float)


def compared(name: str, made: Assembly, turns: int, repeats: int) -> list[str]:
    """A line of the table."""
    system = made.system
    n, m, arrays = system.n_v, system.n_rows, system.arrays
    work = work_arrays(system, cfa, [0.0] * contracts.SETTINGS, {})
    z, v_dot = np.concatenate([np.zeros(n), made.q, [0.0]]), np.zeros(n + system.n_q + 1)
    cfa.start(system.functions, arrays, work, 0.0, made.q, np.zeros(n), z)
    cfa.rhs(system.functions, arrays, work, 0.0, z, v_dot)
    kept = np.array(cfa.WORKSPACE(work).dropped) == 0
    plan = body_table(system)
    size = len(plan.slots)
    sides, x, order = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    sides[: n + m] = np.concatenate([work.h, -work.eta * kept])
    given = plan.table, work.C, (~kept).astype(np.int64), np.zeros(plan.places), order, plan.slots, sides, np.zeros(size), x
    ways: tuple[Callable[[], Any], ...] = (
        lambda: by_joints(arrays, work, v_dot, repeats),
        lambda: by_bodies(arrays, *given, repeats),
    )
    best = [np.inf, np.inf]
    for _ in range(turns):
        for k, way in enumerate(ways):
            start = time.process_time()
            way()
            best[k] = min(best[k], 1e6 * (time.process_time() - start) / repeats)
    true = exact(system, kept, work.h, work.eta)
    errors = [float(np.abs(found[:n] - true).max() / np.abs(true).max()) for found in (v_dot, x)]
    times = [f"{best[0]:.2f}", f"{best[1]:.2f}", f"{best[1] / best[0]:.1f}"]
    return [name, str(n), f"{m - kept.sum()} of {m}", *times, *(f"{error:.0e}" for error in errors)]


def parallelograms(count: int) -> dict[str, Any]:
    """Planar tables on three equal cranks each, one upon the other: one row in each is redundant in a model of revolute joints."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(count):
        bodies[f"table{k}"] = {"mass": 1.0, "inertia": 1.0 / 6.0, "position": [1.0, k + 1.0]}
        for side in range(3):
            below, crank = f"table{k - 1}" if k else "ground", f"crank{k}_{side}"
            bodies[crank] = {"mass": 1.0, "inertia": 1.0 / 12.0, "position": [float(side), k + 0.5]}
            joints[f"A{k}_{side}"] = {"type": "revolute", "bodies": [below, crank], "at": [float(side), float(k)]}
            joints[f"B{k}_{side}"] = {"type": "revolute", "bodies": [crank, f"table{k}"], "at": [float(side), k + 1.0]}
    return {"dimension": 2, "gravity": [1.0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 1.0}}


def assembled(source: dict[str, Any]) -> Assembly:
    return mbsim.assemble(load(yaml.safe_dump(source), registry, file="model.yaml"))


def main() -> None:
    quick = parser(__doc__).parse_args().quick
    tree = yaml.safe_load(spatial_tree("chain", 4 if quick else 30))
    del tree["coordinates"]
    cases = [
        ("planar chain", assembled(yaml.safe_load(planar_chain(5 if quick else 100)))),
        ("chain in space", assembled(tree)),
        ("four-bars, each on the one before", cells(1 if quick else 8, "absolute")),
        ("hexapod", hexapod(False, "absolute")),
        ("tables on three cranks", assembled(parallelograms(1 if quick else 6))),
    ]
    rows = [compared(name, made, 1 if quick else TURNS, 1 if quick else REPEATS) for name, made in cases]
    heads = ("system", "speeds", "rows left out", "by joints, us", "by bodies, us", "ratio", "error by joints", "by bodies")
    print(table(heads, rows))


if __name__ == "__main__":
    main()
