"""A state that was decided at an event put into a march by one kernel: its arrays, and for which systems it is."""

from collections.abc import Callable

import numpy as np

from mbsim import contracts
from mbsim.diagnosis.blocks import is_large
from mbsim.jit import GIVEN, bound
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import quick_kinds
from mbsim.march.precision import find_asked
from mbsim.march.settings import Settings
from mbsim.system.displacement import Smallest
from mbsim.system.system import Floats


class QuickPlacing:
    """What `Placing` does of a state whose speeds are to be moved onto the constraints, bound once to a formulation."""

    def __init__(self, of: Formulation, settings: Settings) -> None:
        from mbsim.integrators._placing import BREAKS, KNOWN, OF_ARMS, OF_INERTIA, OTHERWISE, Place, place_decided  # compiles

        system, self.work, n = of.system, of.work, of.system.n_v
        quick, kind = of.lengths.quick(), KNOWN
        if quick is not None:
            kind = OF_ARMS
        elif not system.bodies and settings.controls_error and of.lengths.are_plain and len(self.work.C) == system.n_rows:
            kind = OF_INERTIA
        slides, lengths = quick_kinds(system)
        self.measures = kind != KNOWN and settings.controls_error  # else an estimate of the error asks for the lengths before
        self._otherwise, self._breaks = OTHERWISE, BREAKS
        self._place = p = Place(
            q=np.zeros(system.n_q), v=np.zeros(n), z=np.zeros(of.size), row=np.zeros(of.width), phi=np.zeros(system.n_holonomic),
            energies=np.zeros(3), moves=np.zeros((system.n_rows, 2)) if quick is None else quick.moves, slides=slides, lengths=lengths,
            arms=np.zeros(n) if quick is None else quick.arms, sliding=np.zeros(system.n_rows),
            numbers=np.array([find_asked(settings), of.span]), kinds=np.array([system.n_c, system.has_energy, kind], np.int64),
        )  # fmt: skip
        factors = (of.smallest or Smallest(system, 0.0, 0, np.ones(n, bool))).factors
        self._call: Callable[[float, int, float], int] = bound(
            place_decided, of.functions, system.functions, system.arrays, self.work, factors, p, GIVEN, GIVEN, GIVEN
        )

    def __call__(self, at: float, z: Floats, q: Floats, v: Floats, locks: bool, energy: float) -> tuple[Floats, bool] | None:
        """Put (q, v) into z, whose work takes what the energy (J) changes by; its output row, and whether an effort in it does not hold.

        `locks`: whether rows hold that did not. None where the long way is to do it; z is as before then.
        """
        p = self._place
        p.q[:], p.v[:], p.z[:] = q, v, z
        code = int(self._call(at, int(locks), energy))
        if code == self._otherwise:
            return None
        z[:] = p.z
        return p.row.copy(), code == self._breaks


def quick_placing(of: Formulation, settings: Settings) -> QuickPlacing | None:
    """That of a formulation; None of systems that the kernel does not know: large ones, and such as call Python or units."""
    system = of.system
    calls = system.failure is not None or system.units is not None or system.samples is not None
    known = of.work.settings[contracts.SETTING_EVENT] != contracts.EVENT_NONE and bool(system.n_v)
    return QuickPlacing(of, settings) if known and not calls and not is_large(system) else None
