"""The errata of Liu, Hu & Zhang 2016, for scripts/errata.py: their serial form on their own matrices, its multiplications counted.

The matrices are those of `mbsim.constraint_force_equations`. `odd_even` is section 3 of the paper, `leaf_to_root` the block LDL' of A in
the paper's own order of the bodies."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from errata_words import Floats, Row, counts, number, vector

import mbsim
from mbsim.observe.constraint_forces import ConstraintForceEquations

ROBOT = Path(__file__).resolve().parents[1] / "models" / "space_robot.yaml"
ROBOT_TIME, ROBOT_LINK = 3.0, "L11"  # s; the body whose constraint forces the paper plots
CHAINS, BINARY = (8, 32, 128), (7, 15, 31, 63)  # bodies
STARS = (4, 16, 64)  # leaves


class Multiplier:
    """Matrix algebra that counts its multiplications."""

    def __init__(self) -> None:
        self.count = 0

    def times(self, a: Floats, b: Floats) -> Floats:
        """a b."""
        self.count += a.shape[0] * a.shape[1] * (b.shape[1] if b.ndim == 2 else 1)
        return a @ b

    def solve(self, a: Floats, b: Floats) -> Floats:
        """a^-1 b of a symmetric positive definite a: a Cholesky factor and two substitutions a column."""
        n = len(a)
        self.count += n * (n + 1) * (n + 2) // 6 + n * (n + 1) * (b.shape[1] if b.ndim == 2 else 1)
        return np.asarray(np.linalg.solve(a, b), float)


def model(inner: list[int]) -> dict[str, Any]:
    """A tree of hinges about z, y and x in turn; body k hangs on body inner[k], on the ground where that is -1."""
    depth: list[int] = []
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k, p in enumerate(inner):
        depth.append(0 if p < 0 else depth[p] + 1)
        x, y = 0.5 * depth[k], 0.3 * (k - (p if p >= 0 else k))
        bodies[f"b{k}"] = {"mass": 1.0 + 0.1 * (k % 3), "inertia": [0.02, 0.03, 0.04], "position": [x + 0.25, y, 0.0]}
        axis = [float(i == 2 - depth[k] % 3) for i in range(3)]
        joints[f"j{k}"] = {"type": "revolute", "bodies": ["ground" if p < 0 else f"b{p}", f"b{k}"], "at": [x, y, 0.0], "axis": axis}
    common = {"name": "tree", "dimension": 3, "gravity": [0, 0, -9.81], "coordinates": "joint", "simulation": {"end": 1}}
    return {**common, "bodies": bodies, "joints": joints}


def chain(n: int) -> list[int]:
    """n bodies in a row."""
    return list(range(-1, n - 1))


def binary(n: int) -> list[int]:
    """n bodies of which each carries two."""
    return [(k - 1) // 2 for k in range(n)]


def star(n: int) -> list[int]:
    """A body with n leaves."""
    return [-1] + [0] * n


TRUNK = [-1, 0, 1, 2, 2]  # two joints from the ground, then a body with two leaves
# A base with a chain of five to a body that branches, too; each with leaves.
BETWEEN = [-1, 0, 0, 2, 3, 4, 5, 6, 7, 7]


def equations(inner: list[int]) -> ConstraintForceEquations:
    """Those of such a tree at a state in which it moves."""
    made = mbsim.assemble(mbsim.load_model(model(inner)))
    n = made.system.n_v
    return mbsim.constraint_force_equations(made.system, 0.0, made.q + 0.1 * np.cos(np.arange(n)), np.sin(np.arange(n)))


def inner_blocks(e: ConstraintForceEquations) -> list[int]:
    """Of each body the place of its inner one, from P; -1: the ground."""
    n = len(e.bodies)
    coupled = [[i for i in range(n) if i != k and e.P[6 * i : 6 * i + 6, 6 * k : 6 * k + 6].any()] for k in range(n)]
    return [found[0] if found else -1 for found in coupled]


def split(columns: Floats, blocks: dict[int, Floats]) -> dict[int, Floats]:
    """The columns of each block, side by side in the order of the blocks."""
    ends = np.cumsum([block.shape[1] for block in blocks.values()], dtype=int)
    return {j: columns[:, end - blocks[j].shape[1] : end] for j, end in zip(blocks, ends, strict=True)}


def odd_even(e: ConstraintForceEquations, printed: bool, algebra: Multiplier) -> Floats:
    """F_S by eqs. (39)-(44): rounds in the chains, a dense matrix of the nodes. `printed`: D has the term with G only, as in (40)."""
    inner, places = inner_blocks(e), [e.forces[name] for name in e.bodies]
    n = len(inner)
    branching = [inner.count(k) > 1 for k in range(n)]
    is_node = [branching[k] or (inner[k] >= 0 and branching[inner[k]]) for k in range(n)]
    nodes = [k for k in range(n) if is_node[k]]
    F, X = np.zeros(len(e.A)), e.X_dot

    def block(i: int, j: int) -> Floats:
        return e.A[places[i], places[j]]

    chains = []
    for k in reversed(range(n)):  # from the base outwards
        if not is_node[k] and (inner[k] < 0 or is_node[inner[k]]):
            found = [k]
            while (outer := [j for j in range(n) if inner[j] == found[-1] and not is_node[j]]) != []:
                found.append(outer[0])
            chains.append(found)
    S, x = np.zeros_like(e.A), X.copy()  # of the nodes
    for i in nodes:
        for j in nodes:
            S[places[i], places[j]] = block(i, j)
    solved: list[tuple[int, Floats, dict[int, Floats]]] = []
    for found in chains:
        m = len(found)
        A, x_c = [block(k, k) for k in found], [X[places[k]] for k in found]
        B = [block(found[i], found[i + 1]) for i in range(m - 1)]
        D = [{j: block(k, j) for j in nodes if block(k, j).any()} for k in found]
        first = [dict(d) for d in D]
        h = 1
        while h < m:
            E = [algebra.solve(A[i + h], B[i].T).T for i in range(m - h)]
            G = [algebra.solve(A[i - h], B[i - h]).T for i in range(h, m)]
            before, D = D, [dict(d) for d in D]
            next_A, next_x = list(A), list(x_c)
            for i in range(m):
                for K, other, of_A in [(E[i], i + h, B[i].T)] if i + h < m else []:
                    next_A[i], next_x[i] = next_A[i] - algebra.times(K, of_A), next_x[i] - algebra.times(K, x_c[other])
                    for j, d in before[other].items() if not printed else ():
                        D[i][j] = D[i].get(j, 0.0) - algebra.times(K, d)
                for K, other, of_A in [(G[i - h], i - h, B[i - h])] if i >= h else []:
                    next_A[i], next_x[i] = next_A[i] - algebra.times(K, of_A), next_x[i] - algebra.times(K, x_c[other])
                    for j, d in before[other].items():
                        D[i][j] = D[i].get(j, 0.0) - algebra.times(K, d)
            B = [-algebra.times(E[i], B[i + h]) for i in range(m - 2 * h)]
            A, x_c, h = next_A, next_x, 2 * h
        for k, a, b, ends, first_ends in zip(found, A, x_c, D, first, strict=True):
            columns = algebra.solve(a, np.column_stack([b, *ends.values()]))
            rest = split(columns[:, 1:], ends)
            solved.append((k, columns[:, 0], rest))
            for i, c in first_ends.items():
                x[places[i]] -= algebra.times(c.T, columns[:, 0])
                for j, r in rest.items():
                    S[places[i], places[j]] -= algebra.times(c.T, r)
    at = [p for k in nodes for p in range(len(F))[places[k]]]
    if at:
        F[at] = algebra.solve(S[np.ix_(at, at)], x[at])
    for k, f, rest in solved:
        F[places[k]] = f - sum((algebra.times(r, F[places[j]]) for j, r in rest.items()), np.zeros(len(f)))
    return F


def leaf_to_root(e: ConstraintForceEquations, algebra: Multiplier) -> tuple[Floats, int]:
    """F_S by the block LDL' of A in the order of the bodies, outermost first, and the number of blocks that L has and A has not."""
    places = [e.forces[name] for name in e.bodies]
    n, x, new = len(places), e.X_dot, 0
    rows = [{j: e.A[places[k], places[j]] for j in range(k, n) if e.A[places[k], places[j]].any()} for k in range(n)]
    factors: list[dict[int, Floats]] = []
    for k in range(n):
        pivot = rows[k].pop(k, e.A[places[k], places[k]])  # empty of a body that floats
        others = sorted(rows[k])
        columns = algebra.solve(pivot, np.column_stack([x[places[k]], *(rows[k][j] for j in others)]))
        x[places[k]] = columns[:, 0]
        L = split(columns[:, 1:], {j: rows[k][j] for j in others})
        factors.append(L)
        for a, i in enumerate(others):
            x[places[i]] -= algebra.times(rows[k][i].T, columns[:, 0])
            for j in others[a:]:
                new += j not in rows[i]
                rows[i][j] = rows[i].get(j, 0.0) - algebra.times(rows[k][i].T, L[j])
    for k in reversed(range(n)):
        for j, block in factors[k].items():
            x[places[k]] -= algebra.times(block, x[places[j]])
    return x, new


def accelerations(e: ConstraintForceEquations, F_S: Floats) -> Floats:
    """Eq. (28)."""
    result: Floats = e.C @ e.F_T + e.B.T @ F_S
    return result


def missing_term(inner: list[int]) -> tuple[float, float]:
    """Largest error of Q_dot of such a tree, of its largest entry, with the term in G of (40) alone and with both."""
    e = equations(inner)
    off = [np.abs(accelerations(e, odd_even(e, printed, Multiplier())) - e.Q_dot).max() for printed in (True, False)]
    return float(off[0] / np.abs(e.Q_dot).max()), float(off[1] / np.abs(e.Q_dot).max())


@cache
def costs(shape: str, n: int) -> tuple[float, float, int]:
    """Multiplications a joint by odd-even elimination and from the leaves to the base, and the new blocks of the latter."""
    inner = {"chain": chain, "binary": binary, "star": star}[shape](n)
    e = equations(inner)
    rounds, leaves = Multiplier(), Multiplier()
    F, (other, new) = odd_even(e, False, rounds), leaf_to_root(e, leaves)
    for found in (F, other):
        assert np.allclose(found, e.F_S, rtol=0, atol=1e-6 * np.abs(e.F_S).max())
    return rounds.count / len(inner), leaves.count / len(inner), new


@cache
def robot_forces() -> tuple[Floats, Floats]:
    """F_S (5,) of the space robot's arm link at ROBOT_TIME, and what the joint transmits in the same directions, N m and N."""
    made = mbsim.assemble(mbsim.load_model(ROBOT))
    tight: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
    result = mbsim.simulate(made, method="aba", end=ROBOT_TIME, output_step=ROBOT_TIME, **tight)
    e = mbsim.constraint_force_equations(made.system, ROBOT_TIME, result["q"][-1], result["v"][-1])
    at = e.forces[ROBOT_LINK]
    return e.F_S[at], (e.W.T @ e.wrench)[at]


def rows() -> list[Row]:
    """The lines of the table."""
    found = {shape: [costs(shape, n) for n in sizes] for shape, sizes in (("chain", CHAINS), ("binary", BINARY), ("star", STARS))}
    F_S, physical = robot_forces()
    chains, trees = (f"{what} of {', '.join(map(str, sizes))}" for what, sizes in (("chains", CHAINS), ("binary trees", BINARY)))
    costing = "multiplications a joint, odd-even; leaves to base"
    link = f"{ROBOT_LINK} at {ROBOT_TIME:g} s"
    chained = [
        Row("Liu (40)", f"error of Q_dot, of the largest; {words}", *map(number, missing_term(inner)))
        for inner, words in ((TRUNK, "two joints from the ground to a body that branches"), (BETWEEN, "a chain between two such bodies"))
    ]
    return [
        *chained,
        Row("Liu 3.2", f"{costing}; {chains}", counts(x[0] for x in found["chain"]), counts(x[1] for x in found["chain"])),
        Row("Liu 3.2", f"{costing}; {trees}", counts(x[0] for x in found["binary"]), counts(x[1] for x in found["binary"])),
        Row(
            "Liu 3.1",
            f"multiplications a joint, leaves to base; stars of {', '.join(map(str, STARS))} leaves",
            "as N^2",
            counts(x[1] for x in found["star"]),
        ),
        Row("Liu 3.1", f"blocks of L in LDL' that A has not; {trees}", "some", counts(x[2] for x in found["binary"])),
        Row("Liu (5)", f"{link}, moments across the hinge, N m: F_S; the joint's", vector(F_S[:2]), vector(physical[:2])),
        Row("Liu (5)", f"{link}, forces, N: F_S; the joint's", vector(F_S[2:]), vector(physical[2:])),
    ]
