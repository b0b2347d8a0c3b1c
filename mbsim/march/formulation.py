"""A system as a method solves it: the compiled functions of both, and the arrays that they overwrite."""

from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType, SimpleNamespace

import numpy as np

from mbsim import contracts
from mbsim.diagnosis.blocks import is_large
from mbsim.elements.kinds import BEAM, MODAL
from mbsim.formulations import choose
from mbsim.jit import GIVEN, Compiled, bound
from mbsim.march.lengths import Lengths, measured, put_measured, set_rate
from mbsim.march.settings import Settings
from mbsim.march.snapshots import in_one_place
from mbsim.singular.projection import PROJECTION, project
from mbsim.system.displacement import Smallest
from mbsim.system.system import Floats, System
from mbsim.system.work import watcher, work_arrays

_NO_METHOD = SimpleNamespace(WORKSPACE=PROJECTION)


class Calls:
    """What is asked of a formulation at states that events make, bound once to arrays of its own: the calls take the time, s."""

    def __init__(self, of: "Formulation") -> None:
        system, functions = of.system, of.functions
        held = system.functions, system.arrays, of.work
        self.q, self.v = np.zeros(system.n_q), np.zeros(system.n_v)
        self.z, self.row, self.energies = np.zeros(of.size), np.zeros(of.width), np.zeros(3)
        self.start = bound(functions.start, *held, GIVEN, self.q, self.v, self.z)  # z <- that of (q, v)
        self.expand = bound(functions.expand, functions.rhs, *held, GIVEN, self.z, self.row)  # row <- that of z
        self._energy = bound(system.functions.energy, system.arrays, GIVEN, self.q, self.v, self.energies) if system.has_energy else None

    def energy(self, t: float) -> float:
        """The energy at (q, v) that balances, less the work, J; 0 where the system has none."""
        if self._energy is None:
            return 0.0
        self.energies[:] = 0.0
        self._energy(t)
        return float(self.energies[2])


@dataclass(frozen=True)
class Formulation:
    """A system and a method. A state is (t, z) with z = [speeds of the method; q; work], an output row [q; v; v_dot; lam; work]."""

    system: System
    functions: contracts.MethodFunctions
    work: contracts.Work
    span: float  # s, over which a march controls its error; 0 where steps are of a given size

    @property
    def size(self) -> int:
        """Of z."""
        return self.system.n_v + self.system.n_q + 1

    @property
    def width(self) -> int:
        """Of an output row."""
        return self.system.n_q + 2 * self.system.n_v + self.system.n_rows + 1

    def beside(self, settings: Settings) -> "Formulation":
        """The same with work arrays of its own."""
        work = allocate(self.system, choose(self.system, settings.method, settings.options).module(), settings)
        put_measured(work, measured(self.work))
        shared = {name: getattr(self.work, name) for name in ("slipping", "groups", "components")}  # what slips there slips here
        return replace(self, work=work._replace(**shared))

    def configuration(self, z: Floats) -> Floats:
        """The part q (n_q,) of z, not copied."""
        return z[self.system.n_v : -1]

    @cached_property
    def lengths(self) -> Lengths:
        """What measures the mechanism."""
        return Lengths(self.system, self.work)

    @cached_property
    def calls(self) -> Calls:
        """What is asked at single states."""
        return Calls(self)

    @cached_property
    def smallest(self) -> Smallest | None:
        """The smallest displacements with all rows, which change all speeds; None of a large system, or of one without rows."""
        if self.system.n_rows == 0 or is_large(self.system):
            return None
        return Smallest(self.system, 0.0, self.system.n_rows, np.ones(self.system.n_v, bool), repeated=True)

    def start(self, t: float, q: Floats, v: Floats, z: Floats) -> int:
        """Set the method's part of z for (t, q, v), whose q is in z already; returns OK or what is wrong."""
        if self.work.length[0] == 0.0:
            self.lengths.measure(t, q)
        return int(self.functions.start(self.system.functions, self.system.arrays, self.work, t, q, v, z))

    def expand(self, t: float, z: Floats, row: Floats) -> int:
        """Fill the output row of a state; returns OK or what is wrong."""
        return int(self.functions.expand(self.functions.rhs, self.system.functions, self.system.arrays, self.work, t, z, row))

    def expand_first(self, t: float, z: Floats, row: Floats) -> int:
        """Fill the first output row of a march, which says how fast the motion is; returns OK or what is wrong."""
        code = self.expand(t, z, row)
        if code == contracts.OK:
            set_rate(self.system, self.work, row, self.span)
        return code

    def expands(self, t: float, z: Floats, row: Floats) -> bool:
        """Fill the output row of a state; whether it could be evaluated and is finite."""
        return self.expand(t, z, row) == contracts.OK and bool(np.isfinite(row).all())


def formulate(system: System, settings: Settings) -> Formulation:
    """A system with the method of the settings. Raises ValueError where they do not fit."""
    method = choose(system, settings.method, settings.options).module()
    if settings.locates_corners and system.corners is not None and not system.n_corners:
        found = system.corners(system)
        if found is not None:
            system = replace(system, functions=system.functions._replace(corners=found.function), n_corners=len(found.names))
    work = allocate(system, method, settings)
    work = in_one_place(work) if system.n_events else work  # without events nobody takes snapshots often
    of_method = getattr(method, "project", project)
    if "TANGENT" in vars(method):
        from mbsim.system.law_reads import slopes

        system = replace(system, functions=system.functions._replace(tangent=tangent_of(system), slopes=slopes(system)))
    rhs = method.rhs
    if system.slips.known:
        from mbsim.march.slipping import with_slipping

        rhs = with_slipping(method.__name__)
    accept = method.accept
    if system.units is not None and system.units.completes:
        from mbsim.march.completing import with_completion

        accept = with_completion(method.__name__, system)
    functions = contracts.MethodFunctions(rhs, accept, method.expand, of_method, method.start, watcher(system))
    return Formulation(system, functions, work, settings.end - settings.start if settings.controls_error else 0.0)


def tangent_of(system: System) -> Compiled:
    """The kernel of contract BLOCK_TANGENT for a system, in absolute or joint coordinates."""
    if system.in_joint_coordinates and not system.n_rows:
        from mbsim.system.tree_tangents import diagonal_tangent_of

        return diagonal_tangent_of(system)
    from mbsim.system.block_tangents import block_tangent_of

    return block_tangent_of(system)


def allocate(system: System, method: ModuleType, settings: Settings) -> contracts.Work:
    """The work arrays of a method for a system."""
    codes = settings.codes(system.rheonomic)
    kinds = system.arrays.loads[:, 0]
    codes[contracts.SETTING_VIBRATES] = float((kinds == BEAM).any() or (kinds == MODAL).any())
    return work_arrays(system, method, codes, settings.options)


def allocate_for_observer(system: System) -> contracts.Work:
    """The work arrays that observing a system takes where no method solves it, with dense M and C."""
    return work_arrays(system, _NO_METHOD, [0.0] * contracts.SETTINGS, {})
