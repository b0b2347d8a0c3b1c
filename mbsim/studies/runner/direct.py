"""Direct differentiation: the derivatives of outputs by what varies, from the linearised equations of motion along one march.

With s = dz/dp of z = [q; v; work] and E of `mbsim.system.variations`, the equations that each row satisfies give

    M a' - C' lam' = -(E_q q' + E_v v' + E_p),  C a' = ...,  q' dot = ...        or        s_dot = A(t) s + b(t)

A is exact. b(t), the derivative by p at a fixed state, and s at the start are central differences of order 4 of the arrays and of the
assembly, which march nothing. s is integrated by the Lobatto IIIA formula of order 4 (Hairer & Wanner, Solving ODE II, IV.5), over two rows
at once of a march with half the output step; it is stable for stiff motions too. Outputs are differentiated along the derivatives of rows.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from mbsim.studies.runner.fast_march import FastMarch, fits
from mbsim.system.system import Floats
from mbsim.system.variations import Variations

if TYPE_CHECKING:
    from mbsim.studies.runner.runner import Runner

STEP, SMALL = 1e-3, 1e-5  # of the size of what varies: differences of the equations, and of outputs, which may have corners
WEIGHTS = ((1, 8.0 / 12.0), (2, -1.0 / 12.0))  # of central differences of order 4
ROWS = 400  # whose equations are held at once


class DirectError(ValueError):
    """A run whose derivatives cannot be found so."""


@dataclass(frozen=True)
class Derivatives:
    """Of the outputs of a run."""

    values: Floats  # (n_outputs,)
    jacobian: Floats  # (n_outputs, n) NaN where an output has no number


class Direct:
    """Derivatives of the outputs of a runner; one for each thread, like the runner."""

    def __init__(self, runner: "Runner") -> None:
        """Raises DirectError for a runner whose runs do not change numbers in place."""
        if not runner.in_place:
            raise DirectError(f"direct differentiation needs runs that change numbers in place: {runner.why_anew or runner.analysis}")
        self._runner, settings = runner, runner.settings
        intervals = (settings.end - settings.start) / settings.interval
        if abs(intervals - round(intervals)) > 1e-6:
            raise DirectError(f"direct differentiation needs an end that is a multiple of the output step ({settings.interval:g} s)")
        parts = 1 if settings.controls_error else max(1, ceil(settings.interval / settings.step - 1e-9))
        self._parts = 2 * parts  # rows of the march in an output step
        fine = settings.interval / self._parts
        self._settings = replace(settings, step=fine if settings.controls_error else min(settings.step, fine), output_step=fine)
        system = runner.made.system
        if not fits(system, self._settings):
            raise DirectError("direct differentiation needs a march with fewer rows")
        self._march, self._variations = FastMarch(system, self._settings), Variations(system)

    def __call__(self, values: Floats, sizes: Floats | None = None) -> Derivatives:
        """The derivatives at `values` (n,). `sizes` (n,) of what varies; default: the values. Raises DirectError for a run that fails."""
        values = np.asarray(values, float)
        size = np.where(values != 0.0, np.abs(values), 1.0) if sizes is None else np.asarray(sizes, float)
        system, march = self._runner.made.system, self._march
        q, v = self._start(values)
        if not march(lambda: system, q, v):
            raise DirectError("the run does not reach its end without a stop, a singular position or a failure")
        rows, times = march.rows.copy(), march.times
        n_s = system.n_q + system.n_v + 1
        start, explicit = np.zeros((n_s, len(values))), np.zeros((len(rows), self._variations.width, len(values)))
        for k in range(len(values)):
            h = STEP * size[k]
            for place, weight in WEIGHTS:
                for sign in (1.0, -1.0):
                    q, v = self._start(values + sign * place * h * np.eye(len(values))[k])
                    start[:, k] += sign * weight / h * np.concatenate([q, v, [0.0]])
                    explicit[:, :, k] += sign * weight / h * self._variations.residuals(times, rows)
        self._start(values)
        moved = self._integrate(times, rows, start, explicit)[:: self._parts]
        rows, times = np.ascontiguousarray(rows[:: self._parts]), np.ascontiguousarray(times[:: self._parts])
        base = self._outputs(values, times, rows)
        jacobian = np.zeros((len(base), len(values)))
        for k in range(len(values)):
            h = SMALL * size[k]
            for place, weight in WEIGHTS:
                for sign in (1.0, -1.0):
                    step = sign * place * h
                    point = values + step * np.eye(len(values))[k]
                    jacobian[:, k] += sign * weight / h * self._outputs(point, times, rows + step * moved[:, :, k])
        self._start(values)
        return Derivatives(base, jacobian)

    def _start(self, values: Floats) -> tuple[Floats, Floats]:
        """The consistent start with these values, which are in the arrays afterwards."""
        try:
            return self._runner.placed(values)
        except ValueError as error:
            raise DirectError(str(error)) from None

    def _outputs(self, values: Floats, times: Floats, rows: Floats) -> Floats:
        self._start(values)
        return self._runner.outcome_of(self._runner.numbers(values), times, rows).values

    def _integrate(self, times: Floats, rows: Floats, start: Floats, explicit: Floats) -> Floats:
        """d(row)/dp (k, width of a row, n) at all rows, of odd rows zeros."""
        system = self._runner.made.system
        n, m, n_q = system.n_v, system.n_rows, system.n_q
        size, n_s = n + m, n_q + n + 1
        out = np.zeros((len(rows), rows.shape[1], start.shape[1]))
        s = start
        out[0, : n_q + n], out[0, -1] = s[: n_q + n], s[-1]
        last = len(rows) - 1
        for first in range(0, last, ROWS):
            end = min(first + ROWS, last) + 1
            by_state, by_p = self._rates(*self._variations.slopes(times[first:end], rows[first:end]), explicit[first:end])
            for i in range(0, end - first - 1, 2):
                h = times[first + i + 2] - times[first + i]
                (A0, A1, A2), (b0, b1, b2) = by_state[i : i + 3, size:], by_p[i : i + 3, size:]
                f0 = A0 @ s + b0
                matrix = np.eye(2 * n_s)
                matrix[:n_s, :n_s] -= h / 3.0 * A1
                matrix[:n_s, n_s:] += h / 24.0 * A2
                matrix[n_s:, :n_s] -= 2.0 * h / 3.0 * A1
                matrix[n_s:, n_s:] -= h / 6.0 * A2
                known = [s + h * (5.0 * f0 + 8.0 * b1 - b2) / 24.0, s + h * (f0 + 4.0 * b1 + b2) / 6.0]
                s = np.linalg.solve(matrix, np.concatenate(known))[n_s:]
                out[first + i + 2, : n_q + n], out[first + i + 2, -1] = s[: n_q + n], s[-1]
            for i in range(0, end - first, 2):
                at = out[first + i]
                state = np.concatenate([at[: n_q + n], at[-1:]])
                at[n_q + n : n_q + n + size] = by_state[i, :size] @ state + by_p[i, :size]
        return out

    def _rates(self, left: Floats, xi: Floats, E: Floats, explicit: Floats) -> tuple[Floats, Floats]:
        """d[a; lam; z_dot] (k, n + m + n_s, n_s) by the state z = [q; v; work], and (k, n + m + n_s, n) by what varies."""
        system = self._runner.made.system
        n, m, n_q = system.n_v, system.n_rows, system.n_q
        both = np.concatenate([E, np.zeros((*E.shape[:2], 1)), explicit], axis=2)
        solved = -np.linalg.solve(left, both[:, : n + m])  # [a'; lam']
        work = both[:, -1:] - np.einsum("kr,krp->kp", xi, solved[:, n:])[:, None] if m else both[:, -1:]
        whole = np.concatenate([solved, both[:, n + m : n + m + n_q], solved[:, :n], work], axis=1)
        return whole[:, :, : n_q + n + 1], whole[:, :, n_q + n + 1 :]
