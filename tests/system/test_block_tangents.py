"""The blocks of the tangents that implicit steps of bodies use equal those of the whole system, and their elimination solves what it says.

Everything runs as plain Python in one process: the kernels are the same, and compiling the tangents of every element takes minutes.
"""

import os
import subprocess
import sys
from pathlib import Path

import mbsim

TESTS = Path(__file__).parents[1]
CODE = """
import numpy as np
import mbsim
import mechanisms
from mbsim.kernels import sparse_blocks, sparse_columns as col
from mbsim.methods._sparse_order import fits, sparse_plan
from mbsim.system.block_tangents import block_tangent_of
from mbsim.system.tangents import symmetric, twins
from test_force_library import CASES, source_of


def dense(plan, S, size):
    table, slots, A = plan.table, plan.slots, np.zeros((size, size))
    entry = sparse_blocks.first_entry(table)
    for group in table[1:entry]:
        own = slots[group[col.FIRST] : group[col.FIRST] + group[col.SIZE]]
        A[np.ix_(own, own)] = S[group[col.DIAGONAL] :][: len(own) ** 2].reshape(len(own), -1)
        for line in table[entry : entry + group[col.BELOW]]:
            later = slots[line[col.LATER_FIRST] : line[col.LATER_FIRST] + line[col.LATER_OUTER]]
            A[np.ix_(own, later)] = S[line[col.RIGHT] :][: len(own) * len(later)].reshape(len(own), -1)
            A[np.ix_(later, own)] = S[line[col.LEFT] :][: len(own) * len(later)].reshape(-1, len(own))
        entry += group[col.BELOW]
    return A


def check(name, made, rng):
    system = made.system
    n, m = system.n_v, system.n_rows
    plan, arrays, scratch = sparse_plan(system), system.arrays, np.zeros((4, n + m + 16))
    q = system.move(made.q, 0.1 * rng.standard_normal(n))
    v, lam, c_q, c_v = rng.standard_normal(n), rng.standard_normal(m), 0.3, 0.7
    expected = system.tangents(made.start, q, v, None, lam)
    system.terms(made.start, q, v)
    twin, width = twins(arrays), 6 if system.dimension == 2 else 12
    S = np.zeros(plan.places)
    sparse_blocks.add_masses(arrays, plan.table, 1.0, S)
    block_tangent_of(system)(
        arrays, twin.frames, twin.relative_values, twin.jacobian, q, v, lam, c_q, c_v, plan.table, scratch, np.zeros((width, width)), S
    )
    whole = symmetric(expected.M) + c_v * expected.D + c_q * expected.K
    found = dense(plan, S, n + m)[:n, :n]
    assert np.abs(found - whole).max() < 1e-12 * (1.0 + np.abs(whole).max()), name
    kept = []  # rows of C that do not depend on those before them
    for r in range(m):
        if np.linalg.matrix_rank(expected.C[[*kept, r]], tol=1e-8) > len(kept):
            kept.append(r)
    dropped = np.array([int(r not in kept) for r in range(m)], np.int64)
    C = np.where(dropped[:, None] == 1, 0.0, expected.C)
    A = np.block([[whole, -C.T], [C, np.diag(dropped.astype(float))]])
    sparse_blocks.place_rows(arrays, plan.table, dropped, S)
    assert np.abs(dense(plan, S, n + m) - A).max() < 1e-12 * (1.0 + np.abs(A).max()), name
    y = rng.standard_normal(n + m)
    x, exchanged = y[plan.slots].copy(), np.zeros(n + m, np.int64)
    assert sparse_blocks.factor(plan.table, S, exchanged) == -1, name
    sparse_blocks.solve(plan.table, S, exchanged, x)
    solution = np.zeros(n + m)
    solution[plan.slots] = x
    assert np.abs(A @ solution - y).max() < 1e-9 * (1.0 + np.abs(solution).max() * np.abs(A).max()), name


rng, checked = np.random.default_rng(5), 0
for path in sorted(mechanisms.MODELS.glob("*.yaml")):
    made = mbsim.assemble(mbsim.load_model(path))
    if fits(made.system) and made.system.n_v <= 60:
        check(path.stem, made, rng)
        checked += 1
for dimension, name in CASES:
    made = mbsim.assemble(mechanisms.model(source_of(dimension, name)))
    assert fits(made.system), name  # no element is left out
    check(f"{name} {dimension}", made, rng)
    checked += 1
print(checked)
"""


def test_blocks_equal_the_whole_tangents_and_the_elimination_solves() -> None:
    paths = os.pathsep.join(map(str, (Path(mbsim.__file__).parents[1], TESTS, TESTS / "system")))
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CODE], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) >= 45  # models and forces
