"""Variable-order BDF on the implicit equations with error control, by SUNDIALS IDA (scikit-sundae, the extra `ida`).

    index2   q' = N(q)(v + C_phi' mu),  M v' = h + C' lam,  C v + xi = 0,  phi = 0        (Gear, Leimkuhler & Gupta 1985)
    index1   q' = N(q) v,  M v' = h + C' lam,  C v' + eta = 0
    ode      z' = f(t, z) of the method; what `auto` is

W' = power - lam' xi is added to the first two, which go with the method lagrange, whose state is that of the equations. Rows of C that
depend on others at the start are left out; the reported multipliers are the method's. The multipliers are algebraic variables of index 2,
whose errors are not those of the motion. Therefore their tolerance is so large that it has no effect (`FREE`), and that of the others is
smaller by what they add to the mean of IDA's norm.
The Jacobian is computed by differences, or by the tangents (`jacobian: tangents`, `_jacobian.py`). Of many bodies the form `ode` has no
matrix: its linear systems are solved by GMRES, with the blocks of bodies as the preconditioner (`_pencils.py`). These solve them almost
exactly, so that one or two vectors do.
Marching: `_scipy`. IDA's memory cannot be reached: it goes on with what it has, and z is that and a constant `shift`, which takes over what
the projection changes. That shifts all of its history, as in `bdf`.
"""

from typing import Any

import numpy as np

from mbsim.contracts import ARRAYS, SYSTEM, WORK, integrator_settings
from mbsim.integrators import _scipy
from mbsim.integrators._pencils import Unfit
from mbsim.jit import A1, I1, bound, kernel, void
from mbsim.kernels.ranks import RANK_TOLERANCE

try:
    from sksundae.ida import IDA, IDAPrecond
except ImportError as error:
    raise ValueError("the integrator 'ida' needs scikit-sundae: pip install 'mbsim[ida]'") from error

STIFF = True  # implicit: it is for stiff forces
ORDER = 5
LOCATES = True  # ends steps where laws change (`_located`)
OF_STEPS = True  # rows have the accelerations of their steps, not those of their state
SCRATCH = 0  # rows as long as z that a march needs
FORMS = ("auto", "index2", "index1", "ode")
OPTIONS = {
    "rtol": {"help": "relative tolerance of the error of a step", "default": 1e-6, "above": 1e-14},
    "atol": {
        "help": "absolute tolerance of the error of a step: rad, links of the mechanism, and these per s",
        "default": 1e-8,
        "above": 0.0,
    },
    "max_step": {"help": "longest step in s; no limit when not given", "default": None, "above": 0.0},
    "first_step": {"help": "first step in s; chosen from the tolerance when not given", "default": None, "above": 0.0},
    "jacobian": {
        "help": "how the solver finds its Jacobian: by differences, exactly by the tangents of the equations, or, with auto, by blocks of "
        "bodies where there are many and the form is ode, else by differences",
        "default": "auto",
        "choices": ("differences", "tangents", "auto"),
    },
    "form": {"help": "form of the equations", "default": "auto", "choices": ("auto", "index2", "index1", "ode")},
}
(FORM,) = integrator_settings(OPTIONS, "form")
FIRST = 1e-4  # of the span: the first step where none is given and the blocks give up before there was one
SHORT = 2e-12  # of the time, likewise: to shorter spans the first step goes in one, as IDA would begin with a thousandth of it
NEXT = 8.0 * np.finfo(float).eps  # of the time: IDA refuses a shorter span, over which a straight step is right to the last digit
FREE = 1e6  # absolute tolerance of the multipliers
VECTORS, CALM = 6, 0.05  # of GMRES, and the relative residual that does, where only a rough share of an error is asked for
PROBE = 1e-7  # m, rad: length of its differences
COEFFICIENT = 0.5  # of the step: c of a step of BDF of middle order
INDEX, HOLONOMIC = 0, 1  # of the form of the equations: its index, and how many of the rows kept are holonomic


@kernel(void(SYSTEM, ARRAYS, WORK, I1, I1, A1, A1, A1, A1))
def residuals(system, arrays, work, rows, form, time, y, yp, out):
    """out = residual at time[0] of y = [v; q; W; lam of `rows`; mu of the holonomic ones of them].

    form = [index, holonomic rows kept].
    """
    index, holonomic, m, n = form[INDEX], form[HOLONOMIC], rows.shape[0], work.v.shape[0]
    n_q = y.shape[0] - 1 - n - m - holonomic
    at_lam, at_mu = n + n_q + 1, n + n_q + 1 + m
    t, v, q = time[0], y[:n], y[n : n + n_q]
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
    power = work.power[0]
    for i in range(n):
        work.a[i] = v[i]
        s = -work.h[i]
        for j in range(n):
            s += (work.M[i, j] if j <= i else work.M[j, i]) * yp[j]
        for k in range(m):
            s -= work.C[rows[k], i] * y[at_lam + k]
        for k in range(holonomic):
            work.a[i] += work.C[rows[k], i] * y[at_mu + k]
        out[i] = s
    system.rates(arrays, t, q, work.a, out[n : n + n_q])
    for i in range(n_q):
        out[n + i] = yp[n + i] - out[n + i]
    if index == 2:
        system.residual(arrays, t, q, work.phi)
    for k in range(m):
        r = rows[k]
        power -= y[at_lam + k] * work.xi[r]
        s = work.xi[r] if index == 2 else work.eta[r]
        for j in range(n):
            s += work.C[r, j] * (y[j] if index == 2 else yp[j])
        out[at_lam + k] = s
        if k < holonomic:
            out[at_mu + k] = work.phi[r]
    out[n + n_q] = yp[n + n_q] - power


def independent(C):
    """The rows of C that do not depend on those before them."""
    kept: list[int] = []
    basis: list[Any] = []
    for i, row in enumerate(C):
        x = row / max(np.linalg.norm(row), 1e-300)
        for _ in range(2):  # twice, against cancellation
            for b in basis:
                x = x - (x @ b) * b
        if np.linalg.norm(x) > RANK_TOLERANCE:
            basis.append(x / np.linalg.norm(x))
            kept.append(i)
    return np.array(kept, np.int64)


class Solver:
    """IDA from (t, z) on, with the interface of a SciPy solver: `step`, `t`, `y`, `status`, `dense_output`."""

    def __init__(self, march, fun, t, z, end, first_step, rtol, atol, max_step, jac=None, blocks=None):
        method, system, arrays, work = march.held
        self._fun, self._size, self._shift = fun, z.size, np.zeros(z.size)
        form = FORMS[int(work.settings[FORM])]
        plain = method.rhs.__module__ == "mbsim.methods._augmented"  # the module of lagrange's kernels
        if form in ("index1", "index2") and not plain:
            raise ValueError(f"the form '{form}' of ida is that of the method lagrange; other methods take 'ode'")
        self.t, self.y, self.status, self.t_bound = t, z, "running", end
        dz = fun(t, z)
        rows = np.zeros(0, np.int64)
        index = {"index1": 1, "index2": 2}.get(form, 0)
        if index:
            rows = independent(work.C)
        holonomic = int(np.sum(rows < work.phi.size)) if index == 2 else 0
        y = np.concatenate([z, work.lam[rows], np.zeros(holonomic)])
        if index and rows.size < len(work.lam):  # expresses the rest of C' lam in the kept rows
            y[z.size : z.size + rows.size] = np.linalg.lstsq(work.C[rows].T, work.C.T @ work.lam, rcond=None)[0]
        yp = np.concatenate([dz, np.zeros(rows.size + holonomic)])
        self._ask, self._y, self._yp, self._out = np.zeros(1), y.copy(), yp.copy(), np.zeros(y.size)
        kept = np.array([index, holonomic])  # see INDEX
        self._server = bound(residuals, system, arrays, work, rows, kept, self._ask, self._y, self._yp, self._out) if index else None
        algebraic = np.arange(z.size, y.size)
        self._blocks: Any = blocks if index == 0 else None
        self._factors: Any = None
        self._unfit = self._blocks is None and blocks is not None
        if first_step is None and end - t <= SHORT * max(abs(t), abs(end)):
            first_step = end - t
        self.h_abs = first_step or FIRST * (end - t)
        solver = {} if self._blocks is None else {"linsolver": "gmres", "precond": IDAPrecond(self._factor, self._solve)}
        self._tangents: Any = march.tangents if jac is not None else None
        self._flow, self._rows, self._index, self._holonomic = jac, rows, index, holonomic
        mean = np.sqrt(z.size / y.size)
        self._ida = IDA(
            self._residual,
            rtol=mean * rtol,
            atol=np.concatenate([mean * np.broadcast_to(atol, z.size), np.full(y.size - z.size, FREE)]),
            max_step=0.0 if np.isinf(max_step) else max_step,
            first_step=first_step or 0.0,
            max_num_steps=1,
            jacfn=None if jac is None else self._jacobian,
            **({"algebraic_idx": algebraic} if algebraic.size else {}),
            **solver,
        )
        self._ida.init_step(t, y, yp)
        self._straight = None  # the interpolant of a step that is too short for IDA

    def _residual(self, t, y, yp, out):
        if self._server is None:
            out[:] = yp - self._fun(t, y + self._shift)
            return
        self._ask[0], self._y[:], self._yp[:] = t, y, yp
        self._y[: self._size] += self._shift
        self._server()
        out[:] = self._out

    def _jacobian(self, t, y, yp, residual, by_rate, out):
        """d residual / dy + by_rate d residual / dy', for IDA."""
        out[:] = 0.0
        size, rows, k = self._size, self._rows, self._holonomic
        y = np.array(y)
        y[:size] += self._shift
        if self._server is None:
            out[:] = -self._flow(t, y)
            out[np.diag_indices(size)] += by_rate
            return
        n, m, n_q = self._tangents.sizes
        v, q, at_lam = y[:n], y[n : n + n_q], n + n_q + 1
        at_mu, lam = at_lam + rows.size, np.zeros(m)
        lam[rows] = y[at_lam:at_mu]
        parts = self._tangents(t, q, v, np.array(yp[:n]), lam)
        C, moves = parts.C[rows], parts.rates[:, n_q:]
        for columns, part in ((slice(0, n), slice(n_q, None)), (slice(n, n + n_q), slice(0, n_q))):
            out[:n, columns], out[n : n + n_q, columns] = parts.force[:, part], -parts.rates[:, part]
            out[at_lam:at_mu, columns] = (parts.velocity if self._index == 2 else parts.acceleration)[rows, part]
            out[size - 1, columns] = -parts.power[part]
        out[:n, :n] += by_rate * parts.M
        out[:n, at_lam:at_mu] = -C.T
        out[n:size, n:size] += by_rate * np.eye(n_q + 1)
        out[size - 1, at_lam:at_mu] = parts.xi[rows]
        if self._index == 1:
            out[at_lam:at_mu, :n] += by_rate * C
        out[n : n + n_q, at_mu:] = -moves @ C[:k].T
        out[at_mu:, n : n + n_q] = self._tangents.positions(t, q, rows[:k])

    def _factor(self, t, y, yp, residual, by_rate):
        """The factors of by_rate - J at (t, y), for IDA."""
        z = y + self._shift
        try:
            self._blocks.take(t, z, self._fun(t, z))
            self._factors = by_rate, self._blocks.factors(by_rate)
        except Unfit:  # IDA's own code cannot pass it on
            self._unfit = True

    def _solve(self, t, y, yp, residual, r, x, by_rate, delta):
        """x with (by_rate - J) x = r, for IDA, with the factors that `_factor` made last."""
        x[:] = r
        if self._unfit:
            return
        try:
            x[:] = self._blocks.solve(self._factors[1], self._factors[0], np.array(r))
        except Unfit:
            self._unfit = True

    def step(self):
        """One step, not beyond the end. Raises Unfit where the blocks do not solve its linear systems."""
        if self._unfit:
            raise Unfit
        if self.t_bound - self.t <= NEXT * max(abs(self.t), abs(self.t_bound)):
            self._step_straight()
            return
        result = self._ida.step(self.t_bound, method="onestep", tstop=self.t_bound)
        if result.status >= 0 and float(result.t) == self.t:  # after an interpolation IDA returns the end of the step again
            result = self._ida.step(self.t_bound, method="onestep", tstop=self.t_bound)
        if self._unfit:
            raise Unfit
        if result.status < 0:
            self.status = "failed"
            return
        self.h_abs = float(result.t) - self.t
        self.t, self.y = float(result.t), self._shifted(result)
        self.status = "finished" if self.t >= self.t_bound else "running"

    def _step_straight(self):
        """To the end along z_dot."""
        begun, y, dz = self.t, self.y, np.array(self._fun(self.t, self.y))
        self._straight = lambda t: y + (t - begun) * dz
        self.h_abs = self.t_bound - begun
        self.t, self.y, self.status = self.t_bound, self._straight(self.t_bound), "finished"

    def dense_output(self):
        """The interpolant of the last step."""
        return self._straight or (lambda t: self._shifted(self._ida.step(t)))

    def take_over(self, change):
        """Move the motion by `change`."""
        self._shift += change
        self.y = self.y + change

    def settle(self, change):
        """What is left of `change` after a step of the solver, where its linear systems are solved by blocks; else `change`."""
        if self._factors is None or self._unfit:
            return change
        by_rate, factors = self._factors
        return self._blocks.solve(factors, by_rate, by_rate * change)

    def calm(self, t, z, d):
        """What a step leaves of d = f(t, z) - p', d there: (I - c J)^-1 d, with c of the size of the step's.

        Without blocks there are no factors: IDA keeps its own. A few vectors of GMRES then tell what is far faster than the step from what
        is not, and more is not asked for: p' without any of d is right to the order of the step.
        """
        if self._factors is not None and not self._unfit:
            return self.settle(d)
        from scipy.sparse.linalg import LinearOperator, gmres  # a tenth of a second to import

        size, f, d = float(np.linalg.norm(d[:-1])), self._fun(t, z), np.append(d[:-1], 0.0)  # W, the last, which nothing depends on
        if not 0.0 < size < np.inf:
            return 0.0 * d

        def left(x):
            by = PROBE / max(float(np.linalg.norm(x)), 1e-300)
            return x - COEFFICIENT * self.h_abs * (self._fun(t, z + by * x) - f) / by

        found, _ = gmres(LinearOperator((d.size, d.size), matvec=left), d, rtol=CALM, restart=VECTORS, maxiter=1)
        self._fun(t, z)  # what the run goes on with
        return found

    def _shifted(self, result):
        return np.array(result.y).ravel()[: self._size] + self._shift


def marcher():
    """A march from one state on, of the contract MARCH."""
    march: _scipy.March = _scipy.March(
        lambda *start, **options: Solver(march, *start, **options), Solver.take_over, settle=Solver.settle, mean=True, calm=Solver.calm
    )
    march.by_blocks = lambda blocks, fun, t, z, end, **options: Solver(march, fun, t, z, end, blocks=blocks, **options)
    return march
