"""What an evaluation begins and ends with, and what every method does after a step and for an output row."""

from mbsim.contracts import COUNT_EVALUATIONS, COUNT_STEPS, NOT_FINITE, SINGULAR_MASS, STATUS_INDEX
from mbsim.jit import helper
from mbsim.kernels.gauss import ROW_NOT_FINITE
from mbsim.kernels.linalg import clear, copy


@helper
def evaluate(system, arrays, work, t, q, v):
    """Put C, xi, M, h, eta and the power of the forces at (t, q, v) into the work."""
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1


@helper
def driving_power(work, lam):
    """Return W_dot = power - lam' xi, of the non-conservative and the driving forces."""
    power = work.power[0]
    for i in range(lam.shape[0]):
        power -= lam[i] * work.xi[i]
    return power


@helper
def finish(system, arrays, work, t, v, q, dz):
    """Fill dz = [v_dot; q_dot; W_dot] of a method that integrates v itself, and put v into the work, which has v_dot and lam."""
    n, end = work.v.shape[0], dz.shape[0] - 1
    copy(v, work.v, 0)
    copy(work.a, dz, 0)
    system.rates(arrays, t, q, v, dz[n:end])
    dz[end] = driving_power(work, work.lam)


@helper
def violations(work, v, out):
    """Fill out (m,) = -(C v + xi), the right side that corrects the speeds."""
    for i in range(out.shape[0]):
        s = work.xi[i]
        for j in range(v.shape[0]):
            s += work.C[i, j] * v[j]
        out[i] = -s


@helper
def fail(work, code, index):
    """Return the code of an evaluation that failed, and note the speed or the row to blame in STATUS_INDEX."""
    work.status[STATUS_INDEX] = index
    return code


@helper
def blame(work, rank, bad, first):
    """Return why `gauss_factor` failed at `bad`, and note the speed, or `first` and the row, in STATUS_INDEX."""
    return fail(work, NOT_FINITE, first + bad) if rank == ROW_NOT_FINITE else fail(work, SINGULAR_MASS, bad)


@helper
def unit_quaternions(system, arrays, work, q):
    """Bring the quaternions in q back to unit length."""
    if q.shape[0] != work.displacement.shape[0]:
        clear(work.displacement)
        system.move(arrays, q, work.displacement)


@helper
def taken(system, arrays, work, q):
    """Count an accepted step that ends at q, and make its quaternions unit."""
    work.counts[COUNT_STEPS] += 1
    unit_quaternions(system, arrays, work, q)


@helper
def fill_row(z, work, row):
    """Fill the output row [q; v; v_dot; lam; W]."""
    n = work.v.shape[0]
    n_q = z.shape[0] - 1 - n
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
