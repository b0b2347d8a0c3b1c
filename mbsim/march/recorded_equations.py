"""The constraint force equations along a run, for its result: what `mbsim run --record equations` asks for."""

from collections.abc import Collection

import numpy as np

from mbsim.assembly import Assembly
from mbsim.model.file.errors import did_you_mean
from mbsim.observe.constraint_forces import ConstraintForceEquations, constraint_force_equations
from mbsim.results.schema import EQUATION_PREFIX, EQUATIONS, EquationLabels, per_second
from mbsim.system.system import Floats, System

RECORDS = ("equations",)  # what a run records on request only
PARTS = [f"{kind}.{axis}" for kind in ("moment", "force") for axis in "xyz"]  # of a body's six rows
PARTS_UNITS = ["N m"] * 3 + ["N"] * 3
PURE = 1e-12  # part of a blocked direction, of unit length, below which it counts as none


class RecordedEquations:
    """Makes the variables of `mbsim.results.schema.EQUATIONS` from output rows."""

    def __init__(self, system: System, t: float, q: Floats, v: Floats) -> None:
        """(t, q, v) is any state. Raises ValueError for a system that has no such equations, saying why."""
        self._system = system
        self.labels = labels_of(system, constraint_force_equations(system, t, q, v))

    def chunk(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """Variables by name (k, ...); times (k,), rows (k, n_q + 2 n_v + m + 1)."""
        n_q, n_v = self._system.n_q, self._system.n_v
        found = [
            constraint_force_equations(self._system, float(t), row[:n_q], row[n_q : n_q + n_v])
            for t, row in zip(times, rows, strict=True)
        ]  # fmt: skip
        return {name: np.array([getattr(e, name.removeprefix(EQUATION_PREFIX)) for e in found]) for name in EQUATIONS}


def recorded_equations(made: Assembly, asked: Collection[str]) -> RecordedEquations:
    """What records them. Raises ValueError for a word that nothing of that kind has, and for a system without such equations."""
    for word in (asked,) if isinstance(asked, str) else asked:
        if word not in RECORDS:
            raise ValueError(f"record: unknown '{str(word)[:60]}'{did_you_mean(str(word), RECORDS)}")
    return RecordedEquations(made.system, made.start, made.q, made.v)


def labels_of(system: System, e: ConstraintForceEquations) -> EquationLabels:
    """Names and units of the rows and columns."""
    of = [system.speeds.index(speed) for speed in e.speeds]
    units = [system.speed_units[k] for k in of]
    wrenches = [f"{body}.{part}" for body in e.bodies for part in PARTS]
    blocked = [f"{body}[{i}]" for body in e.bodies for i in range(e.forces[body].stop - e.forces[body].start)]
    kinds = e.W.reshape(len(e.bodies), 2, 3, -1)
    moments, forces = (np.abs(kinds[:, i]).max(axis=(0, 1), initial=0.0) > PURE for i in range(2))
    return EquationLabels(
        wrenches, PARTS_UNITS * len(e.bodies), (["rad s-2"] * 3 + ["m s-2"] * 3) * len(e.bodies),
        e.speeds, ["N m" if unit.startswith("rad") else "N" for unit in units], [per_second(unit) for unit in units],
        blocked, ["1" if m and f else "N m" if m else "N" for m, f in zip(moments, forces, strict=True)],
    )  # fmt: skip
