"""The gaps of contacts, and of flanks with play, in a mechanism whose motion is prescribed.

While they are open nothing of them acts, so the motion is that of the drivers; it ends where one of them closes (`mbsim.analyses.stopped`).
The gaps are what a run watches to tell that a contact closes. They are of a system of their own, as that of the
motion has no rows of contacts.
"""

from dataclasses import replace

import numpy as np

from mbsim import contracts
from mbsim.analyses.prescribed import Motion
from mbsim.assembly import Assembly
from mbsim.assembly.unilaterals import Look
from mbsim.march.asked import clear_numbers, find_all
from mbsim.march.events import with_events
from mbsim.march.settings import resolve
from mbsim.system.system import Floats

TOUCHES = 1e-9  # m or rad, or of what a gap is measured by: what is nearer touches


class Gaps:
    """The gaps of an assembled model, in the order of `names`."""

    def __init__(self, made: Assembly) -> None:
        """`made` has contacts or play; what has no gap, frictions and resistances, is left out."""
        found, planned = made.unilaterals, made.events
        assert found is not None and planned is not None
        system, _ = with_events(made.system, resolve(None, made.system, {"end": made.start + 1.0}), made.parameters, planned)
        self._system = replace(system, arrays=system.arrays._replace(relative=system.arrays.relative.copy()))
        clear_numbers(found, self._system.arrays.parameters)
        find_all(self._system)
        self._no_loads = np.zeros(system.n_rows)  # which no gap depends on
        first = system.n_events - len(planned.events) + found.first
        looks = [(i, look) for i, one in enumerate(found.each) for look in one.looks]
        line = {key: k for k, key in enumerate(looks, first)}
        closing = [(i, one) for i, one in enumerate(found.each) if one.normal]
        self.names = [one.name for _, one in closing]
        self.near = np.array([TOUCHES * one.near for _, one in closing])
        self.units = ["rad" if one.turns else "m" for _, one in closing]
        self._gaps, self._rates = ([line[i, look] for i, _ in closing] for look in (Look.GAP, Look.SPEED))

    def along(self, motion: Motion) -> tuple[Floats, Floats]:
        """How far (n, k) each is from closed, rad or m, and the rate of that."""
        system, lines = self._system, np.zeros((self._system.n_events, contracts.EVENTS))
        found = np.zeros((2, len(self.names), len(motion.times)))
        for k, t in enumerate(motion.times):
            q, v = motion.q[k], motion.v[k]
            rates = system.rates(float(t), q, v)
            system.functions.event(system.arrays, float(t), q, v, rates, motion.a[k], self._no_loads, lines)
            found[:, :, k] = lines[self._gaps, contracts.EVENT_VALUE], lines[self._rates, contracts.EVENT_VALUE]
        return found[0], found[1]
