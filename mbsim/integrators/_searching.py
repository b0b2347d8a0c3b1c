"""Marching by steps whose multipliers a method searches for (`SEARCHES`), with the formula of an integrator: equal steps or error control.

The march is that of `_fixed` or `_embedded`; only the step is the method's. The coefficients of a formula of s stages are A (s + 1, s),
whose last row is that of the end, and c (s,). The rates that the error is estimated from, and output is interpolated with, are those of
the last trial; the one at the end of the step is that of the constrained motion there.
"""

from mbsim.contracts import CLOCK_ROWS, MARCH_SEARCH, MARCH_SEARCH_CONTROLLED, OK
from mbsim.integrators import _embedded, _fixed
from mbsim.integrators._trials import fill
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy


@helper
def search_equal(search, A, c, method, system, arrays, work, t, dt, z, scratch):
    """A step of a given length; scratch: the end, rates of the stages and one more."""
    end, K = scratch[0], scratch[1:]
    code = search(A, c, method, system, arrays, work, t, dt, z, end, K[:0], K)
    if code == OK:
        copy(end, z, 0)
    return code


@helper
def search_controlled(formula, method, system, arrays, work, t, h, start, end, K):
    """A trial of a step; the formula begins with `search` and A, c without the stages that only the interpolant needs."""
    search, A, c, s = formula[0], formula[1], formula[2], formula[5]
    code = search(A, c, method, system, arrays, work, t, h, start, end, K[:0], K)
    if code == OK:
        code = method.rhs(system, arrays, work, t + h, end, K[s])
    return code


SEARCHING = _embedded.EXPLICIT._replace(advance=search_controlled)


@kernel(MARCH_SEARCH)
def march_equal(A, c, search, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """`_fixed.march` with such steps."""
    kept = flush_subnormals()
    filled = _fixed.fill(search_equal, search, A, c, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled


@kernel(MARCH_SEARCH_CONTROLLED)
def march_controlled(A, c, E, P, exponent, formula, nodes, search, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """`_embedded.march` with such steps."""
    kept = flush_subnormals()
    last = E.shape[1] - 1
    whole = search, formula, nodes, A, c, last, E, P
    filled = fill(SEARCHING, whole, c[: last + 1], last, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
