"""Semismooth Newton's method on the natural map, with a line search, and sweeps of Gauss-Seidel for a start and where it gets nowhere.

Where contacts are redundant the derivative is singular, but consistent: elimination leaves the dependent impulses as they are. The line
search asks |F|^2 to fall; a few steps may rise (watchdog), because F has corners.

Source: Alart and Curnier 1991; Acary, Bremond and Huber, On solving contact problems with Coulomb friction, 2018, which compares.
"""

from math import sqrt

from mbsim.jit import helper, kernel
from mbsim.unilateral.dense import eliminate, substitute_back
from mbsim.unilateral.gauss_seidel import sweep
from mbsim.unilateral.natural_map import find_derivative, measure, solves
from mbsim.unilateral.problem import (
    GAUSS_SEIDEL,
    ITERATE,
    NEWTON,
    NOT_CONVERGED,
    REPORT_CODE,
    REPORT_CONTACT,
    REPORT_FOUND,
    REPORT_ITERATIONS,
    REPORT_METHOD,
    REPORT_SWEEPS,
    REPORT_VELOCITIES,
    SOLVED,
)

ROUNDS = 80  # of sweeps and steps
FIRST_SWEEPS = 10  # each round has twice the sweeps of the one before
MOST_SWEEPS = 2000
SAME_START = 9  # rounds after which others begin elsewhere
SOFTEST, HARDEST = 0.3, 1e-11  # of 1 / r: what is added to the diagonal of D on a path to rigid contacts, at first and at the end
HARDENS, SHORT = 0.2, 0.98  # the ratio of one addition to the one before, and the one that ends the path
SHARES = (1.0, 0.6, 1.0, 0.3)  # what a sweep takes of each change, in turn: where full changes go round, parts may settle
STEPS = 40  # of Newton in a round
SHORTEST = 1e-4  # part of a step
FALL = 1e-4  # of the slope that the line search asks for


@helper
def square(x):
    """x' x."""
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k] * x[k]
    return s


@helper
def find_step(problem, scratch, p, w, step):
    """step (N,) <- -J^-1 F. Impulses of open contacts become zero, so that only the others are eliminated."""
    J, F, active, n = scratch.J, scratch.F, scratch.active, p.shape[0]
    find_derivative(problem, scratch, p, w, J)
    count = 0
    for i in range(problem.normal.shape[0]):
        first, last = problem.first[i], problem.first[i + 1]
        closed = not problem.normal[i] or scratch.bound[i] > 0.0 or p[first] - scratch.scale[first] * w[first] > 0.0
        for k in range(first, last):
            step[k] = 0.0 if closed else -F[k]
            if closed:
                active[count] = k
                count += 1
    for a in range(count):
        s = -F[active[a]]
        for k in range(n):
            s -= J[active[a], k] * step[k]
        F[a] = s  # a is not above active[a], here and below
        for c in range(count):
            J[a, c] = J[active[a], active[c]]
    rank = eliminate(J, count, scratch.columns, F, False)
    substitute_back(J, rank, scratch.columns, F, scratch.trial[:count])
    for a in range(count):
        step[active[a]] = scratch.trial[a]


@helper
def newton_steps(problem, scratch):
    """Newton's steps from p. Returns how many; the residual in `scratch.residual` is that of p."""
    p, w, trial, step = scratch.p, scratch.w, scratch.trial, scratch.step
    n = p.shape[0]
    residual, size, _ = measure(problem, scratch, p, w)
    for count in range(STEPS):
        scratch.residual[0], scratch.residual[1] = residual, size
        if solves(residual, size) or not residual < 1e300:
            return count
        merit = square(scratch.F)
        find_step(problem, scratch, p, w, step)
        part = 1.0
        while True:
            for k in range(n):
                trial[k] = p[k] + part * step[k]
            residual, size, _ = measure(problem, scratch, trial, w)
            if solves(residual, size) or square(scratch.F) <= (1.0 - FALL * part) * merit:
                break
            part *= 0.5
            if part < SHORTEST:
                return count + 1
        for k in range(n):
            p[k] = trial[k]
    scratch.residual[0], scratch.residual[1] = residual, size
    return STEPS


@helper
def begin_elsewhere(problem, scale, seed, p):
    """p <- another start, of the size of what each row needs alone, or ten or a hundred times that, by a sequence that the seed decides."""
    size, x = 10.0 ** (seed % 3), (0.5 + 0.6180339887498949 * seed) % 1.0
    for i in range(problem.normal.shape[0]):
        first, last = problem.first[i], problem.first[i + 1]
        tangent = first + problem.normal[i]
        for k in range(first, last):
            x = 3.9 * x * (1.0 - x) if 0.0 < x < 1.0 else 0.4
            if k < tangent:
                p[k] = 2.0 * x * size * scale[k] * abs(problem.b[k])
            else:
                p[k] = (2.0 * x - 1.0) * (problem.friction[i] * p[first] if tangent > first else problem.fixed[i])


@helper
def harden(problem, scratch):
    """Newton's steps from p for contacts that are soft at first and rigid at the end. Returns how many.

    With D + eps / r the matrices are regular, and each solution is a good start for the next eps (Tikhonov's regularisation as a path:
    Facchinei and Pang, Finite-Dimensional Variational Inequalities, 2003, section 12.2).
    """
    taken, part, p, kept = 0, HARDENS, scratch.p, scratch.kept
    last, scratch.soft[0] = SOFTEST / part, SOFTEST
    while scratch.soft[0] > HARDEST and part < SHORT:
        taken += newton_steps(problem, scratch)
        if solves(scratch.residual[0], scratch.residual[1]):
            last, part = scratch.soft[0], max(HARDENS, part * part)
            for k in range(p.shape[0]):
                kept[k] = p[k]
        elif last > SOFTEST:
            break
        else:  # a shorter way from where it was
            part = sqrt(part)
            for k in range(p.shape[0]):
                p[k] = kept[k]
        scratch.soft[0] = part * last
    scratch.soft[0] = 0.0
    return taken


@kernel(ITERATE)
def iterate(problem, scratch, rounds):
    """Find a solution from the start in `scratch.p`. Returns SOLVED, or NOT_CONVERGED with the best impulses met."""
    p, w, best, report = scratch.p, scratch.w, scratch.best, scratch.report
    n = p.shape[0]
    report[REPORT_METHOD], report[REPORT_ITERATIONS], report[REPORT_SWEEPS] = NEWTON, 0, 0
    report[REPORT_FOUND], report[REPORT_VELOCITIES], report[REPORT_CONTACT] = 0, 0, -1
    least, sweeps = 1e308, FIRST_SWEEPS
    for k in range(n):
        best[k] = p[k]
    for count in range(rounds):
        report[REPORT_ITERATIONS] += newton_steps(problem, scratch)
        if scratch.residual[0] < least:
            least = scratch.residual[0]
            for k in range(n):
                best[k] = p[k]
        if solves(scratch.residual[0], scratch.residual[1]):
            break
        if not scratch.residual[0] < 1e300:
            for k in range(n):
                p[k] = 0.0
        if count >= SAME_START:
            begin_elsewhere(problem, scratch.scale, count, p)
            sweeps = FIRST_SWEEPS * (count % 4)
        sweep(problem, scratch.scale, sweeps, SHARES[count % 4], p, w, scratch.along)
        if count % 8 == 1:
            report[REPORT_ITERATIONS] += harden(problem, scratch)
        report[REPORT_SWEEPS] += sweeps
        residual, size, _ = measure(problem, scratch, p, w)
        if residual < least:
            least = residual
            for k in range(n):
                best[k] = p[k]
        if solves(residual, size):
            report[REPORT_METHOD] = GAUSS_SEIDEL
            break
        sweeps = min(2 * sweeps, MOST_SWEEPS)
    for k in range(n):
        p[k] = best[k]
    residual, size, blamed = measure(problem, scratch, p, w)
    scratch.residual[0], scratch.residual[1] = residual, size
    code = SOLVED if solves(residual, size) else NOT_CONVERGED
    report[REPORT_CODE] = code
    report[REPORT_CONTACT] = -1 if code == SOLVED else blamed
    return code
