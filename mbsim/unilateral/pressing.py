"""Contacts of few rows, each a gap or a friction with a given bound: `press` finds p by every combination of what they do.

    gap:       w = D p + b,   w >= 0,  p >= 0,  w p = 0
    friction:  |p| <= s, and where w is not zero p = -s w / |w|;  one that slips already along d = +-1 has p = -s d

It is `enumeration` for problems that are made anew at each event, in arrays of one size, by kernels: of k rows the first k entries count.
w is unique, because D is symmetric and positive semidefinite. Where rows depend on each other, p may not be: solutions are the corners of a
polytope, of which the mean is taken.
"""

from typing import NamedTuple

import numpy as np

from mbsim.jit import helper
from mbsim.jit.signatures import Block, Indices, Matrix, Packed, Vector
from mbsim.unilateral.dense import eliminate, substitute_back
from mbsim.unilateral.enumeration import keep
from mbsim.unilateral.natural_map import TOUCHES, WEAKEST, solves
from mbsim.unilateral.problem import KEPT, NO_SOLUTION, SOLVED

MOST = 1024  # combinations
SINGULAR = 1e-9  # of the diagonal: a pivot that is smaller is zero
CARRIED = 1e-8  # of the largest |b|: how exactly a load is carried
INSIDE = 1e-9  # of the largest force: how far from zero those must be that carry


class _Pressing(NamedTuple):
    D: Matrix  # (N, N)
    b: Vector  # (N,)
    p: Vector  # (N,) the solution
    w: Vector  # (N,) D p + b
    rubs: Indices  # (N,) 1: it is a friction
    bound: Vector  # (N,) of a friction
    along: Vector  # (N,) of what slips already, 1 or -1; else 0
    opens: Indices  # (N,) 1: a gap whose w is above zero
    slips: Vector  # (N,) of a friction that slips, 1 or -1; else 0
    carries: Indices  # (N,) of `carry`: 1 where a row carries
    scale: Vector  # (N,) r of each row, as in `natural_map`; scratch, as all that follow
    A: Matrix  # (N, N)
    x: Vector
    step: Vector
    trial: Vector
    active: Indices
    columns: Indices
    found: Matrix  # (KEPT, N)
    blamed: Indices  # (2,) the row with the largest miss where there is no solution; how many solutions there are


class Pressing(Packed, _Pressing):
    """A problem of up to N rows, its solution, and scratch."""


PRESSING = Pressing.block = Block(Pressing)


def pressing(rows: int) -> Pressing:
    """Zeros for problems of so many rows."""
    n = max(rows, 1)
    integers = {name: np.zeros(n, np.int64) for name in ("rubs", "opens", "carries", "active", "columns")}
    vectors = {name: np.zeros(n) for name in ("b", "p", "w", "bound", "along", "slips", "scale", "x", "step", "trial")}
    return Pressing(D=np.zeros((n, n)), A=np.zeros((n, n)), found=np.zeros((KEPT, n)), blamed=np.zeros(2, np.int64), **integers, **vectors)


@helper
def list_masked(r, mask, k):
    """active <- the rows of a set; returns how many they are."""
    count = 0
    for i in range(k):
        if (mask >> i) & 1:
            r.active[count] = i
            count += 1
    return count


@helper
def choices_of(r, i):
    """How many things a row may do: a gap is open or closed, a friction sticks, slips forward or backward."""
    return 2 if r.rubs[i] == 0 else 3 if r.along[i] == 0.0 else 1


@helper
def has_few(r, k):
    """Whether all combinations of the first k rows can be tried: there are MOST at most."""
    combinations = 1
    for i in range(k):
        combinations *= choices_of(r, i)
        if combinations > MOST:
            return False
    return True


@helper
def list_active(r, combination, k):
    """active <- the rows whose w is zero in a combination; trial <- p of those that slip, else 0; returns how many are active."""
    count = 0
    for i in range(k):
        choices = choices_of(r, i)
        choice = combination % choices
        combination //= choices
        r.trial[i] = 0.0
        if choices == 1:
            r.trial[i] = -r.bound[i] * r.along[i]
        elif choice == choices - 1:  # closed, or it sticks
            r.active[count] = i
            count += 1
        elif choices == 3:
            r.trial[i] = r.bound[i] if choice == 0 else -r.bound[i]
    return count


@helper
def solve_active(r, count, k, scaled):
    """step (count,) <- p of the active rows, beside what is in trial; False where they depend on each other. `scaled`: rows times r."""
    for a in range(count):
        i = r.active[a]
        by, s = r.scale[i] if scaled else 1.0, r.b[i]
        for j in range(k):
            s += r.D[i, j] * r.trial[j]
        r.x[a] = -by * s
        for c in range(count):
            r.A[a, c] = by * r.D[i, r.active[c]]
    if eliminate(r.A, count, r.columns, r.x, True) < count:
        return False
    substitute_back(r.A, count, r.columns, r.x, r.step[:count])
    return True


@helper
def miss_of(r, k, p):
    """w <- D p + b; returns the residual of the natural map, what it is compared with, and the row with the largest one."""
    worst, size, at = 0.0, 0.0, 0
    for i in range(k):
        s = r.b[i]
        for j in range(k):
            s += r.D[i, j] * p[j]
        r.w[i] = s
        y, bound = p[i] - r.scale[i] * s, r.bound[i]
        if r.rubs[i] == 0:
            miss = abs(p[i] - max(0.0, y))
        elif r.along[i] != 0.0:
            miss = abs(p[i] + bound * r.along[i])
        else:
            miss = abs(p[i] - min(max(y, -bound), bound))
        if not miss <= worst:
            worst, at = miss, i
        size = max(size, abs(p[i]), r.scale[i] * abs(r.b[i]))
    return worst, size, at


@helper
def press(r, k):
    """p, w, opens and slips <- the solution of the first k rows; returns SOLVED or NO_SOLUTION."""
    largest, n, combinations = 0.0, r.p.shape[0], 1
    for i in range(k):
        largest = max(largest, r.D[i, i])
        combinations *= choices_of(r, i)
    largest = largest if largest > 0.0 else 1.0
    for i in range(k):
        r.scale[i] = 1.0 / (r.D[i, i] if r.D[i, i] > WEAKEST * largest else largest)
    for i in range(k, n):
        r.trial[i] = 0.0
    count, least, blamed = 0, 1e308, -1
    for combination in range(combinations):
        active = list_active(r, combination, k)
        if not solve_active(r, active, k, True):
            continue
        for a in range(active):
            r.trial[r.active[a]] = r.step[a]
        miss, size, at = miss_of(r, k, r.trial)
        if solves(miss, size):
            count = keep(r.trial, r.found, count, size)
        if miss < least:
            least, blamed = miss, at
            for i in range(n):
                r.p[i] = r.trial[i]
    r.blamed[0], r.blamed[1] = blamed, count
    if count > 0:
        for i in range(n):
            s = 0.0
            for f in range(count):
                s += r.found[f, i]
            r.p[i] = s / count
        miss, size, at = miss_of(r, k, r.p)
        if not solves(miss, size):
            for i in range(n):
                r.p[i] = r.found[0, i]
    miss, size, at = miss_of(r, k, r.p)
    for i in range(k):
        moves = r.scale[i] * r.w[i] / max(size, 1e-300)
        r.opens[i] = 1 if r.rubs[i] == 0 and moves > TOUCHES else 0
        r.slips[i] = r.along[i] if r.rubs[i] != 0 else 0.0
        if r.rubs[i] != 0 and r.along[i] == 0.0 and abs(moves) > TOUCHES:
            r.slips[i] = 1.0 if moves > 0.0 else -1.0
    return SOLVED if count > 0 else NO_SOLUTION


@helper
def rank_of(r, count):
    """The rank of D on the active rows, by its pivots, of a diagonal of ones."""
    for a in range(count):
        r.columns[a] = 0
        for c in range(count):
            i, j = r.active[a], r.active[c]
            size = np.sqrt(abs(r.D[i, i] * r.D[j, j]))
            r.A[a, c] = r.D[i, j] / size if size > 0.0 else 0.0
    for rank in range(count):
        at, most = -1, SINGULAR
        for a in range(count):
            if r.columns[a] == 0 and r.A[a, a] > most:
                at, most = a, r.A[a, a]
        if at < 0:
            return rank
        r.columns[at] = 1
        for a in range(count):
            if r.columns[a] == 0:
                f = r.A[a, at] / most
                for c in range(count):
                    if r.columns[c] == 0:
                        r.A[a, c] -= f * r.A[at, c]
    return count


@helper
def carry(r, k, size):
    """carries <- which of k gaps at rest carry the load b, where they depend on each other: as many as it determines; returns 1.

    0: they do not depend on each other, or nothing that is pressed carries it. Of several choices it is the one that is farthest from zero,
    of the largest force or of `size` (`sharing`).
    """
    rank = rank_of(r, list_masked(r, (1 << k) - 1, k))
    for i in range(k):
        r.trial[i] = 0.0
    if rank == k:
        return 0
    largest, most, chosen = 0.0, INSIDE, -1
    for i in range(k):
        largest = max(largest, abs(r.b[i]))
    for mask in range(1 << k):
        count = list_masked(r, mask, k)
        if count != rank or rank_of(r, count) < rank or not solve_active(r, count, k, False):
            continue
        off, least, force = 0.0, 1e308, max(size, 1e-300)
        for i in range(k):
            s = r.b[i]
            for a in range(count):
                s += r.D[i, r.active[a]] * r.step[a]
            off = max(off, abs(s))
        for a in range(count):
            least, force = min(least, r.step[a]), max(force, abs(r.step[a]))
        if off <= CARRIED * largest and least > most * force:
            most, chosen = least / force, mask
    if chosen < 0:
        return 0
    for i in range(k):
        r.carries[i] = (chosen >> i) & 1
    return 1
