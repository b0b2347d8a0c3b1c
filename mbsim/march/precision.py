"""What double precision resolves of a mechanism: how closely its constraints can be met, and how far away it may go.

A number x is known to |x| 2^-53. So constraints far from the origin are not met to better than some such roundings of a position, whatever
a method does; and where a rounding is no longer small beside the mechanism itself, its constraints have no meaning.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts, registry
from mbsim.diagnosis.extent import extent, positions
from mbsim.jit import GIVEN, bound
from mbsim.march.formulation import Formulation
from mbsim.march.renewed import renewed
from mbsim.march.settings import Settings
from mbsim.system.remembered import remembered
from mbsim.system.system import Floats, System

EPS = float(np.finfo(float).eps)
ROUNDINGS = 8.0  # of the largest coordinate, that a residual may be left with
LEAST_DRIFT = 1e-12  # links, rad: an integrator with a smaller atol does not lower the tolerance of the constraints further
SEARCHED = 0.1  # of that, where a step's multipliers are searched for under error control: over a short step, what is left is a large rate
LEAST_SEARCHED = 1e-11  # links, rad: what this lowers it to; where it is 1e-12, roundings are as large a rate over the first steps
DISAGREE = 10.0  # of what was asked: by how much rows that depend on each other may be off each other
RESOLVED = 1e10  # sizes: farther away less than six digits of the lengths in a mechanism are known
FREE = 1e15  # sizes, at least metres: the same for bodies without constraints, and digits of whose own lengths matter less


class Scale(NamedTuple):
    """What a mechanism's residuals and coordinates are compared with."""

    size: float  # m: its extent at the start, the length of a link where it has none; 1 in the user's own coordinates
    limits: Floats  # (n_q,) largest size of each coordinate that is resolved


@remembered
def _kinds(system: System) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which coordinates (n_q,) are lengths, and which are angles."""
    units = np.array(system.coordinate_units)
    return units == "m", units == "rad"


def scale(system: System, length: float, t: float, q: Floats, drawn: System | None = None, size: float | None = None) -> Scale:
    """The size of a mechanism with links of `length` (m) at a start (t, q), and how far its coordinates may go from there.

    `drawn`: the same system with the places of its joints, where `system` has others. `size`: its extent in m where that is known, or 0.
    """
    size = extent(drawn or system, t, q, length) if size is None else size or length
    far = np.full(system.n_q, FREE * max(size, 1.0))
    if system.in_joint_coordinates and system.n_rows:
        far[:] = RESOLVED * size
    elif system.bodies and not system.in_joint_coordinates:
        count = len(system.bodies)
        bodies, held = system.arrays.row_bodies, np.zeros(count, bool)
        held[bodies[(bodies >= 0) & (bodies < count)]] = True
        held |= bool((bodies == -1).any())  # an equation
        far[: system.n_c].reshape(len(system.bodies), -1)[held] = RESOLVED * size
    lengths, angles = _kinds(system)
    limits = np.where(lengths, far, np.where(angles, RESOLVED, np.inf))
    limits[system.n_c :] = np.inf  # a state is no position
    return Scale(size, np.maximum(limits, 0.0))


def find_asked(settings: Settings) -> float:
    """The residual (links, rad) that positions are held to: no more than the atol of an integrator that controls its error."""
    atol = settings.tolerance("atol")
    if atol is not None and registry.declaration("methods", settings.method, "SEARCHES", False):
        atol = min(atol, max(SEARCHED * atol, LEAST_SEARCHED))
    return settings.drift_tolerance if atol is None else min(settings.drift_tolerance, max(atol, LEAST_DRIFT))


class _Coefficients:
    """The rows of C of a system at states that follow each other: from the second time on by a call that is bound."""

    def __init__(self, system: System) -> None:
        self._system, self._asked = system, False
        self._q, self._C, self._xi = np.zeros(system.n_q), np.zeros((system.n_rows, system.n_v)), np.zeros(system.n_rows)
        self._look: Callable[[float], object] | None = None

    def at(self, t: float, q: Floats) -> Floats:
        """(m, n_v) at (t, q)."""
        self._q[:], self._C[:] = q, 0.0
        results = self._q, self._C, self._xi
        if self._look is None and self._asked:
            self._look = bound(self._system.functions.constraints, self._system.arrays, GIVEN, *results)
        if self._look is None:
            self._system.functions.constraints(self._system.arrays, t, *results)
            self._asked = True
        else:
            self._look(t)
        return self._C


def _reads_rows(system: System) -> bool:
    """Whether the terms that rows add up say what round-off leaves of them."""
    return not system.bodies and bool(system.n_rows) and system.failure is None and system.n_c == system.n_v


def floor(system: System, size: float, length: float, t: float, q: Floats, rows: _Coefficients | None = None) -> float:
    """The residual (links of `length`, rad) that round-off leaves at (t, q). `rows` are there where these say so."""
    largest = length
    if system.bodies:
        turned = np.abs(q[: system.n_c][_kinds(system)[1][: system.n_c]]).max(initial=0.0)
        largest = max(largest, float(np.abs(positions(system, t, q)).max(initial=0.0)), size, size * float(turned))
    elif rows is not None:
        C = rows.at(t, q)
        largest = max(largest, float((np.abs(C) @ np.abs(q[: system.n_c])).max(initial=0.0)))  # of the terms that a row adds up
    return ROUNDINGS * EPS * largest / length if largest < np.inf else 0.0


class Precision:
    """The precision of a run: the tolerance of its constraints, in the work, and the limits of its coordinates."""

    def __init__(
        self, formulation: Formulation, settings: Settings, q: Floats, drawn: System | None = None, size: float | None = None
    ) -> None:
        """`q` (n_q,) is the start. `drawn`, `size`: as of `scale`, where the work has been measured at the start."""
        self._formulation, self._system, self._work = formulation, formulation.system, formulation.work
        self._asked, self._step, self._start, self._drawn = find_asked(settings), settings.step, settings.start, drawn
        self._rows = _Coefficients(formulation.system) if _reads_rows(formulation.system) else None
        self._measure(q)
        self._scale: Scale | None = scale(self._system, self._length, self._start, q, drawn, size)
        self._begun = q  # (n_q,)
        self.hold(self._start, q)

    def again(self, q: Floats, later: bool = False) -> "Precision":
        """That of the same run from another state on, with q (n_q,); `later`: `measure` or a kernel measures there what the work needs."""
        new = renewed(self, _begun=q.copy())
        if self._system.bodies:  # without them all states have the same
            new._scale = None
        if not later:
            new.measure()
        return new

    def measure(self) -> None:
        """Measure the mechanism at its start, and hold the constraints to what can be asked there."""
        self._measure(self._begun)
        self.hold(self._start, self._begun)

    @property
    def scale(self) -> Scale:
        """With what residuals and coordinates are compared."""
        if self._scale is None:
            self._scale = scale(self._system, self._length, self._start, self._begun, self._drawn)
        return self._scale

    def _measure(self, q: Floats) -> None:
        if self._drawn is None:
            self._formulation.lengths.measure(self._start, q)
        self._length = float(self._work.length[0])

    def hold(self, at: float, q: Floats) -> None:
        """Hold the constraints to what was asked for, or to what is resolved at q."""
        self._work.settings[contracts.SETTING_TOLERANCE] = self.tolerance(at, q)

    def tolerance(self, at: float, q: Floats) -> float:
        """What `hold` holds them to, links or rad."""
        return max(self._asked, self._floor(at, q))

    def _floor(self, at: float, q: Floats) -> float:
        length = float(self._work.length[0]) or self._length
        return floor(self._system, self.scale.size, length, at, q, self._rows)

    def loosens(self, at: float, z: Floats) -> bool:
        """After constraints could not be met: whether too much was asked a step after z, so far away, and the march goes on with less."""
        work = self._work
        if work.status[contracts.STATUS_CODE] not in (contracts.DRIFT_REMAINS, contracts.NO_CONVERGENCE):
            return False
        after = self._system.move(self._formulation.configuration(z), self._step * work.v)
        least = 2.0 * max(self._floor(at, after), self._disagreement())  # twice: the next time it is twice as far away
        if not least > work.settings[contracts.SETTING_TOLERANCE]:
            return False
        work.settings[contracts.SETTING_TOLERANCE], work.status[contracts.STATUS_CHANGED] = least, 1
        return True

    def _disagreement(self) -> float:
        """What no displacement takes off rows that depend on others, links or rad: a lock keeps places as well as these were met before."""
        work = self._work
        if not work.status[contracts.STATUS_RANK] < work.lam.shape[0] or not len(work.phi):
            return 0.0
        left = float((np.abs(work.phi) / work.row_scales[: len(work.phi)]).max())
        return left if left <= DISAGREE * self._asked else 0.0

    def unresolved(self, q: Floats) -> tuple[int, str]:
        """The first of some rows of coordinates q (k, n_q) that is too far away, and why; k and nothing if there is none."""
        far = np.abs(q) > self.scale.limits
        rows = np.flatnonzero(far.any(axis=1))
        if not rows.size:
            return len(q), ""
        k, i = int(rows[0]), int(np.argmax(far[rows[0]]))
        unit = self._system.coordinate_units[i]
        what = f"is so far away that double precision does not resolve a mechanism of {self.scale.size:.3g} m there"
        if unit == "rad":
            what = "turns it by so much that an angle is known to less than six digits"
        return k, f"{self._system.coordinates[i]} = {q[k, i]:.3g} {unit} {what}"
