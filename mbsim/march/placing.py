"""A state that an event has made, put into the march that goes on from it."""

import numpy as np

from mbsim import contracts
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import set_rate
from mbsim.march.quick_placing import QuickPlacing
from mbsim.system.system import Floats

MOVED = 1e-12  # of the largest coordinate or speed of its kind: a smaller change is none


class Placing:
    """Puts states into the march of a formulation, as at the start of a run."""

    def __init__(self, formulation: Formulation) -> None:
        self.go_to(formulation)

    @property
    def begun(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Arrays of the march, and what they hold before it begins; neither copied."""
        return self._begun

    def go_to(self, formulation: Formulation) -> None:
        """Go on with another one, which has not begun yet."""
        self._formulation, work = formulation, formulation.work
        self._begun = [(array, array.copy()) for array in (work.watch, work.kept_corners, work.locating)]

    def place(self, at: float, z: Floats, q: Floats, v: Floats, energy: float, cause: str) -> Floats:
        """Put the state (q, v) into z, whose work takes what the energy (J) changes by; returns its output row.

        Raises Stopped, with the cause, where it cannot be evaluated.
        """
        formulation, work = self._formulation, self._formulation.work
        for array, begun in self._begun:
            array[:] = begun
        paused = work.status[contracts.STATUS_PAUSE]
        work.status[:], work.beside[contracts.BESIDE_TIME] = 0, np.nan
        work.status[contracts.STATUS_PAUSE] = paused
        formulation.configuration(z)[:] = q
        if work.length[0] == 0.0:
            formulation.lengths.measure(at, q)
        calls = formulation.calls
        calls.q[:], calls.v[:], calls.z[:] = q, v, z
        code = int(calls.start(at))
        z[:] = calls.z
        if code != contracts.OK:
            work.status[contracts.STATUS_CODE] = code
            raise Stopped
        z[-1] += calls.energy(at) - energy
        calls.z[-1], calls.row[:] = z[-1], 0.0
        good = calls.expand(at) == contracts.OK and bool(np.isfinite(calls.row).all())
        z[:] = calls.z
        if not good:
            raise Stopped(f"{cause} leads to a state that cannot be evaluated", at)
        set_rate(formulation.system, work, calls.row, formulation.span)
        return calls.row.copy()

    def place_quickly(
        self, by: QuickPlacing, at: float, z: Floats, q: Floats, v: Floats, locks: bool, energy: float
    ) -> tuple[Floats, bool] | None:
        """Move v onto the constraints, and do what `place` does by a kernel; whether an effort in the row does not hold, too.

        `locks`: whether rows hold that did not. None where the long way is to do it.
        """
        for array, begun in self._begun:
            array[:] = begun
        return by(at, z, q, v, locks, energy)

    def energy(self, at: float, row: Floats) -> float:
        """The energy that balances, less the work, J, of an output row."""
        calls = self._formulation.calls
        n_q = len(calls.q)
        calls.q[:], calls.v[:] = row[:n_q], row[n_q : n_q + len(calls.v)]
        return calls.energy(at)

    def changes(self, before: Floats, after: Floats) -> dict[str, list[float]]:
        """The coordinates and speeds that changed between two output rows, before and after."""
        system = self._formulation.system
        found: dict[str, list[float]] = {}
        for names, first in ((system.coordinates, 0), (system.speeds, system.n_q)):
            a, b = before[first : first + len(names)], after[first : first + len(names)]
            least = MOVED * max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
            found |= {name: [float(x), float(y)] for name, x, y in zip(names, a, b, strict=True) if abs(x - y) > least}
        return found
