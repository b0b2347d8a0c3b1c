"""The error of a march with a fixed step, estimated while it goes on: double steps over short windows, and what the energy says.

In a window the march is repeated with steps twice as long from a recorded row. The difference over 2^p - 1, p the order, is the error that
the window's own steps made (Richardson). Windows are a small part of the run, and an error grows on from them: a wrong energy E makes the
motion run ahead or fall behind, at the rate E / (2 T) of its time where the kinetic energy is T. The energy balance is recorded along the
whole run, so that

    s(t) = integral of |balance| / (2 T) dt,    estimate(t) = k s(t) max |v|

with k the error found in the windows over that which s gives for them. Mechanisms of one freedom have k near 1, and it is taken to be no
less where there is a freedom; what moves by drivers alone has a k of nearly nothing. Dampers forget a wrong energy as they take energy
out, so the more they took the less that floor is. Where the balance is not known, or is round-off while the windows find an error, that of
a window grows on as it was seen to in the window, linearly to quadratically; k takes the estimate no farther than MOST times that.

All of this is of the time in which the mechanism moves. At rest nothing runs ahead, and a balance that stays off says nothing more; and
windows are where the motion is, not where the rows are.

It is an estimate, not a bound: docs/results.md has how it compares with true errors.
"""

from collections.abc import Mapping
from math import ceil, log2, sqrt

import numpy as np

from mbsim.march.between import MarchBeside
from mbsim.march.formulation import Formulation
from mbsim.march.kernels import Stepper
from mbsim.system.system import Floats

SHARE = 0.03  # of the rows of a chunk that are in windows; a double step costs half
MOST_WINDOWS = 2  # of a chunk; one where there are some already
MOST_POINTS = 3  # of a window at which the two motions are compared
MOST = 10.0  # times what the windows alone come to: where the energy of a window is right by chance, k means nothing
SPARSE = 8  # rows from one that is asked for the largest speed to the next
AT_REST = 1e-4  # of the largest kinetic energy: there is less at rest
FINER = 0.25  # of a double step: what is taken in its place where samples end steps, which may be no longer than the time between them
NOTHING = 1e-15  # of the motion: what the energy says of a window, below which it says nothing


class ErrorEstimate:
    """Of the positions (m or rad), row by row. It leaves the work arrays of the run alone."""

    def __init__(self, formulation: Formulation, stepper: Stepper, step: float, freedoms: int) -> None:
        """`formulation` has work arrays of its own, for steps of twice the run's `step` (s)."""
        self._of, self._step, self._order = formulation, step, stepper.order
        self._finer = formulation.system.samples is not None
        self._least = 1.0 if freedoms else 0.0
        self._from = MarchBeside(formulation, stepper)
        self._first: Floats | None = None  # (n_q,)
        self._last = self._moved = self._late = 0.0  # the last time; for how long it moved until then, and s there
        self._kinetic = [0.0, 0.0]  # sum of T dt, of dt, while it moves
        self._most = self._lost = 0.0  # J: the largest kinetic energy; what was taken out
        self._work: float | None = None  # J: at the last row
        self._speed = self._reach = 0.0
        self._found: list[tuple[float, float, float, float]] = []  # of each window: error, s max |v|, length, growth

    def chunk(self, times: Floats, rows: Floats, variables: Mapping[str, Floats]) -> Floats:
        """The estimate (k,) at output rows (k, width), which follow those of the last call; `variables` hold their energies."""
        n_q, n = self._of.system.n_q, self._of.system.n_v
        if not len(times):
            return np.zeros(0)
        if self._first is None:
            self._last = float(times[0])
            self._first = rows[0, :n_q].copy()
        dt = times.copy()
        dt[1:] -= times[:-1]
        dt[0] -= self._last
        kinetic, work = variables["energy_kinetic"], variables["energy_work"]
        most = np.maximum(np.maximum.accumulate(np.fmax(kinetic, 0.0)), self._most)
        dt *= kinetic > AT_REST * most
        self._most = float(most[-1])
        self._lost += float(np.fmax(-np.diff(work, prepend=work[0] if self._work is None else self._work), 0.0).sum())
        self._work = float(work[-1])
        with np.errstate(invalid="ignore"):  # rows of a run that is about to fail
            self._kinetic[0] += float(kinetic @ dt)
        self._kinetic[1] += float(dt.sum())
        moved = self._moved + np.cumsum(dt)
        v, q = rows[::SPARSE, n_q : n_q + n], rows[-1, :n_q]
        self._speed = max(self._speed, float(v.max(initial=0.0)), -float(v.min(initial=0.0)))
        self._reach = max(self._reach, float(np.abs(q - self._first).max(initial=0.0)))
        with np.errstate(all="ignore"):  # of a motion without bounds
            rate = np.abs(variables["energy_balance"]) / (2.0 * np.maximum(kinetic, self._usual(kinetic)))
            late = self._late + np.cumsum(dt * rate)
            if len(times) > 2 and dt.any():
                self._look(times, rows, kinetic, variables["energy_balance"], np.cumsum(dt * np.sqrt(np.fmax(kinetic, 0.0))))
            self._late, self._moved, self._last = float(late[-1]), float(moved[-1]), float(times[-1])
            return self._estimate(moved, late)

    def _usual(self, kinetic: Floats) -> float:
        """The mean kinetic energy so far, J; where the motion comes to rest for a moment, time is not lost as E / 2T says."""
        return max(self._kinetic[0] / self._kinetic[1] if self._kinetic[1] > 0.0 else float(kinetic[0]), 1e-300)

    def _estimate(self, moved: Floats, late: Floats) -> Floats:
        windows = len(self._found) or 1
        error, by_energy = (sqrt(sum(window[i] ** 2 for window in self._found) / windows) for i in (0, 1))
        length = sum(window[2] for window in self._found) / windows
        power = sorted(window[3] for window in self._found)[windows // 2] if self._found else 1.0
        if np.isfinite(late[-1]) and (by_energy > NOTHING * self._reach or not error > NOTHING * self._reach):
            k, there = error / by_energy if by_energy > 0.0 else 0.0, self._speed * float(late[-1])
            if length > 0.0 and there > 0.0:
                k = min(k, MOST * error * (float(moved[-1]) / length) ** power / there)
            forgotten = self._lost / self._most if self._found and self._most > 0.0 else 0.0
            least = self._least * max(0.0, 1.0 - forgotten)
            carried: Floats = max(k, least) * self._speed * late
            return carried
        return error * (moved / length) ** power if length > 0.0 else np.zeros(len(moved))

    def _look(self, times: Floats, rows: Floats, kinetic: Floats, balance: Floats, way: Floats) -> None:
        """Find the errors of some windows between equally spaced rows, at equal parts of the `way` (k,) that was gone."""
        step, spacing, n = self._step, float(times[1] - times[0]), len(times) - 1
        if spacing <= 0.0 or abs(times[-2] - times[0] - (n - 1) * spacing) > 1e-6 * spacing:  # the last may be shorter
            return
        unit = max(1, int(step / spacing * (1.0 + 1e-9)))  # rows that a step goes over
        steps = max(1, ceil(unit * spacing / step - 1e-9))
        double = 2.0 * unit * spacing / steps
        windows = min(MOST_WINDOWS if len(self._found) <= MOST_WINDOWS else 1, n // (2 * unit))
        pairs = int(SHARE * n / max(windows, 1)) // (2 * unit)  # of units, in a window
        if windows and pairs:
            every = 2 * unit * max(1, pairs // MOST_POINTS)
            for k in range(windows):
                i = min(int(np.searchsorted(way, (k + 0.5) / windows * way[-1])), n - 2 * unit * pairs)
                places = np.arange(i, i + 2 * unit * pairs + 1, every)
                self._window(times[places], rows[places], kinetic[places], balance[places], double)
        else:  # rows are so far apart that a window begins and ends between two: the single steps are taken again, too
            i, taken = min(int(np.searchsorted(way, 0.5 * way[-1])), n - 1), max(1, int(SHARE * n * steps / 6.0))
            at = times[i] + double * np.arange(0, taken + 1, max(1, taken // MOST_POINTS))
            single = self._from(times[i], rows[i], at[1:], 0.5 * double)
            if single is not None:
                single = np.concatenate([rows[i : i + 1], single])
                energies = np.array([self._energy(t, row) for t, row in zip(at, single, strict=True)])
                self._window(at, single, energies[:, 0], energies[:, 1], double)

    def _window(self, times: Floats, rows: Floats, kinetic: Floats, balance: Floats, double: float) -> None:
        """Compare rows of a window with those of double steps from its first row."""
        of, n_q, n_c = self._of, self._of.system.n_q, self._of.system.n_c
        found = self._from(times[0], rows[0], times[1:], FINER * double if self._finer else double)
        if found is None:
            return
        apart = np.abs(found[:, :n_c] - rows[1:, :n_c]).max(axis=1, initial=0.0) / (2.0**self._order - 1.0)
        if self._finer:
            apart *= 2.0**self._order
        error = float(apart.max())
        late = (times[1:] - times[:-1]) @ (np.abs(balance[1:] - balance[0]) / (2.0 * np.maximum(kinetic[1:], self._usual(kinetic))))
        said = float(late) * float(np.abs(rows[:, n_q : n_q + of.system.n_v]).max(initial=0.0))
        half = float(apart[: max(1, len(apart) // 2)].max())
        growth = min(max(log2(error / half), 1.0), 2.0) if len(apart) > 1 and half > 0.0 else 1.0
        self._found.append((error, said if np.isfinite(said) else 0.0, float(times[-1] - times[0]), growth))

    def _energy(self, t: float, row: Floats) -> tuple[float, float]:
        """Kinetic energy and the energy that balances, less the work, J."""
        system, out = self._of.system, np.zeros(3)
        q, v = row[: system.n_q], row[system.n_q : system.n_q + system.n_v]
        system.functions.energy(system.arrays, t, q, v, out)
        return float(out[0]), float(out[2] - row[-1]) if system.has_energy else np.nan
