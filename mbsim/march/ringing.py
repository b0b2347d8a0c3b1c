"""Whether the steps of a run follow waves along beams, which nothing damps.

A beam that is drawn at rest while a driver moves its end, or at its length while it turns, begins with a jerk. Without damping the waves of
that jerk go to and fro for ever, and steps that keep an error small follow each of them. A wave along a beam passes an element of mass m
and stiffness k in sqrt(m / k).
"""

from math import inf

import numpy as np

from mbsim import contracts
from mbsim.elements.kinds import BEAM
from mbsim.march.ending import join_names
from mbsim.march.formulation import Formulation
from mbsim.march.settings import Settings
from mbsim.system.system import System

FEW = 10_000  # steps: fewer are no burden, whatever they follow


def ringing(formulation: Formulation, settings: Settings, at: float) -> str:
    """What to do about steps up to a time (s) that follow such waves, in the user's names; empty where they do not."""
    steps = int(formulation.work.counts[contracts.COUNT_STEPS])
    if not settings.controls_error or settings.explicit or steps < FEW:
        return ""
    mean = (at - settings.start) / steps
    names = [name for name, passes in times_of_waves(formulation.system).items() if mean < passes]
    if not names:
        return ""
    which = f"the beam{'s' if len(names) > 1 else ''} {join_names(names)}"
    return (
        f"{steps} steps, of {mean:.2g} s on average, follow waves along {which}, which begin with a jerk and which nothing damps: give "
        "damping (`damping: {stiffness: ...}`), speeds at the start that go with those of the ends, or a block `steady` with the "
        "speed of what turns, and `start_from: equilibrium`"
    )


def times_of_waves(system: System) -> dict[str, float]:
    """How long a wave along each beam without damping takes through an element, s."""
    loads = np.flatnonzero(system.arrays.loads[:, 0] == BEAM) if len(system.arrays.loads) else np.zeros(0, np.int64)
    if not len(loads):
        return {}
    from mbsim.elements.loads import beam as columns  # of runs with beams alone

    damping = columns.DAMPING_2 if system.dimension == 2 else columns.DAMPING_3
    arrays, found = system.arrays, dict[str, float]()
    for name in dict.fromkeys(system.loads[e] for e in loads):
        mine = [e for e in loads if system.loads[e] == name]
        if arrays.load_data[mine, damping].any():
            continue
        nodes = np.unique(arrays.loads[mine, 1:3])
        mass = float(arrays.masses[nodes[nodes >= 0], 0].sum()) / len(mine)
        stiffness = float(arrays.load_data[mine, 0].max())
        found[name] = (mass / stiffness) ** 0.5 if 0.0 < stiffness < inf else 0.0
    return found
