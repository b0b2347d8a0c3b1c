"""How good a run is, as it knows itself: what is worth a note and what a warning, at the end of a march.

The balance of energy is held against the energy that is there: the largest kinetic energy, or the largest change of an energy if that is
more. The kinetic energy is what a wrong balance distorts, and it is there also where none is exchanged, as in a steady rolling. Numbers
that large leave round-off in the balance, which is no fault of the motion.

At a singular position a smaller imbalance tells. There an error of the velocity is across the motion, in the metric of M, so that it enters
the energy by its square: a jump of the balance by a part x of the energy belongs to velocities that are off by a part sqrt(x).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import isfinite
from typing import NamedTuple

import numpy as np

from mbsim.system.system import Floats

NOTED, WARNED = 1e-3, 1e-2  # of the energy that is there: an imbalance that is worth a note, a warning
ROUND_OFF = 1e-12  # of the largest energy: what sums of many steps leave in the balance
STILL = 10.0  # errors of a step that are allowed: a mechanism that moves by no more rests
OF_THE_MOTION = 1e-2  # an estimated error that is worth a warning
EXACT = 1e-13  # m or rad: an estimated error that is round-off, as of what rests
JUMPED = 5e-5  # of the energy that is there: a jump of the balance at a singular position that is worth a warning
NO_DIGIT = "no digit of the positions is right, as their estimated error is as large as the motion"
KEPT = 16  # jumps, the largest ones
EXCHANGED = ("energy_kinetic", "energy_potential", "energy_work")


@dataclass(frozen=True)
class Graded:
    """What the balance of energy amounts to. `share` is of the energy that is there, `imbalance` and `scale` in J."""

    imbalance: float
    scale: float
    share: float

    @property
    def warning(self) -> str:
        """The line of a warning, empty where there is none to give."""
        return f"{self.text}: the motion is not accurate, try a smaller step or tolerance" if self.share > WARNED else ""

    @property
    def note(self) -> str:
        """The line of a note, empty where there is none or a warning says it."""
        return self.text if NOTED < self.share <= WARNED else ""

    @property
    def text(self) -> str:
        """In words."""
        return f"the energy balance is off by {self.imbalance:.2g} J, {self.share:.2g} of the energy that is there ({self.scale:.3g} J)"


class Jump(NamedTuple):
    """A change of the energy balance between two rows."""

    size: float  # J
    before: float  # s
    after: float  # s

    def is_at(self, t: float) -> bool:
        """Whether a singular position at t (s) may be its reason: between these rows, or next to them."""
        gap = self.after - self.before
        return self.before - gap <= t <= self.after + gap


class Quality:
    """Watches the rows of a run as they are recorded; memory does not grow with them."""

    def __init__(self, allowed: float = 0.0) -> None:
        """`allowed` (m, rad): the error of a step. Where no coordinate moves by more than STILL of them, the balance says nothing else."""
        self._still = STILL * allowed
        self._energy: dict[str, tuple[float, float, float]] = {}  # smallest and largest value, largest amount
        self._imbalance = 0.0
        self._last: tuple[float, float] | None = None  # time and energy balance of the last row
        self._jumps: list[Jump] = []
        self._start: Floats | None = None  # (n_q,)
        self._reach = 0.0  # largest change of a coordinate from the start
        self._error = 0.0  # largest estimated error

    def chunk(self, times: Floats, variables: Mapping[str, Floats]) -> None:
        """Look at rows at times (k,) in s."""
        q = variables["q"]
        if not len(q):
            return
        for name in EXCHANGED:
            low, high, size = self._energy.get(name, (np.inf, -np.inf, 0.0))
            least, most = float(variables[name].min()), float(variables[name].max())
            self._energy[name] = min(low, least), max(high, most), max(size, abs(least), abs(most))
        self._imbalance = float(np.fmax(self._imbalance, np.abs(variables["energy_balance"]).max()))
        self._look_for_jumps(times, variables["energy_balance"])
        self._start = q[0].copy() if self._start is None else self._start
        self._reach = max(self._reach, float(np.abs(q - self._start).max(initial=0.0)))
        if "error_estimate" in variables:
            self._error = max(self._error, float(variables["error_estimate"].max()))

    def _look_for_jumps(self, times: Floats, balance: Floats) -> None:
        if self._last is not None:
            times, balance = np.concatenate([[self._last[0]], times]), np.concatenate([[self._last[1]], balance])
        self._last = float(times[-1]), float(balance[-1])
        sizes = np.abs(np.diff(balance))
        least = self._jumps[-1].size if len(self._jumps) == KEPT else 0.0
        if found := [
            Jump(float(sizes[i]), float(times[i]), float(times[i + 1])) for i in np.argsort(sizes)[-KEPT:] if least <= sizes[i] < np.inf
        ]:
            self._jumps = nlargest(KEPT, [*self._jumps, *found])

    @property
    def balance(self) -> Graded | None:
        """The grade of the energy balance; None where the energy is not known."""
        spans = [high - low for low, high, _ in self._energy.values()]
        sizes = [size for _, _, size in self._energy.values()]
        if not spans or not isfinite(sum(sizes)) or not isfinite(self._imbalance):
            return None
        if self._reach <= self._still:
            return Graded(self._imbalance, max(sizes), 0.0)
        return grade_energy(self._imbalance, max(*spans, self._energy["energy_kinetic"][1]), max(sizes))

    def notes(self) -> list[str]:
        """Lines of what is worth mentioning."""
        balance = self.balance
        return [balance.note] if balance is not None and balance.note else []

    def warnings(self, passages: Sequence[float] = ()) -> list[str]:
        """Lines of what makes the motion doubtful. `passages`: times (s) of singular positions that it went through."""
        found = []
        if no_digit(self._error, self._reach):
            found.append(f"{NO_DIGIT}: try a smaller step, or an integrator with a tolerance")
        elif self._error > OF_THE_MOTION * self._reach and self._error > EXACT:
            share = self._error / self._reach if self._reach > 0.0 else np.inf
            found.append(
                f"the error of the positions is estimated at {self._error:.2g} (m or rad), {share:.2g} of the motion: "
                "try a smaller step, or an integrator with a tolerance"
            )
        balance = self.balance
        if balance is None:
            return found
        if balance.warning:
            return [*found, balance.warning]
        for jump in self._jumps:
            share = jump.size / balance.scale if balance.scale > 0.0 else 0.0
            at = [t for t in passages if jump.is_at(t)]
            if share > JUMPED and at:
                return [
                    *found,
                    f"the energy balance jumps by {jump.size:.2g} J, {share:.2g} of the energy that is there, at the singular position at "
                    f"t = {at[0]:.6g} s: the motion after it may be off by {share**0.5:.1g} of its speed; "
                    "try a fixed step, or another method",
                ]
        return found


def no_digit(error: float, reach: float) -> bool:
    """Whether an estimated error (m, rad) is as large as the motion, the largest change of a coordinate: then its size means nothing."""
    return not error < reach and not error <= EXACT and reach > 0.0


def grade_energy(imbalance: float, there: float, size: float) -> Graded:
    """The grade of an imbalance (J) where the energy `there` moves, among energies as large as `size`."""
    if imbalance <= ROUND_OFF * size:
        return Graded(imbalance, there, 0.0)
    return Graded(imbalance, there, imbalance / there if there > 0.0 else np.inf)
