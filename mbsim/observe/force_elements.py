"""What observes the force elements of a system, by its kind; nothing is imported for a system without forces."""

from typing import TYPE_CHECKING

import numpy as np

from mbsim.elements.kinds import BEAM, MODAL
from mbsim.results.schema import ForceLabels
from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.contracts import Work
    from mbsim.observe.applied import AppliedForces
    from mbsim.observe.beams import Beams
    from mbsim.observe.forces import Forces


def forces_of(system: System, work: "Work", before: "Forces | AppliedForces | None" = None) -> "Forces | AppliedForces | None":
    """What observes the forces of a system, `before` it those of one with other rows; None where it has none."""
    if _forces_on_bodies(system):
        from mbsim.observe.forces import Forces

        return Forces(system, work, before if isinstance(before, Forces) else None)
    if system.applied:
        from mbsim.observe.applied import AppliedForces

        return AppliedForces(system, work)
    return None


def force_labels(system: System) -> ForceLabels:
    """What a result calls the forces of a system, with their units."""
    if _forces_on_bodies(system):
        from mbsim.observe.forces import force_labels

        return force_labels(system)
    if system.applied:
        from mbsim.observe.applied import force_labels

        return force_labels(system)
    return ForceLabels()


def beams_of(system: System) -> "Beams | None":
    """What observes the beams of a system; None where it has none."""
    if not _has_beams(system):
        return None
    from mbsim.observe.beams import Beams

    return Beams(system)


def element_labels(system: System) -> list[str]:
    """What a result calls the elements of beams."""
    if not _has_beams(system):
        return []
    from mbsim.observe.beams import element_labels

    return element_labels(system)


def _has_beams(system: System) -> bool:
    return bool(system.loads) and bool((system.arrays.loads[:, 0] == BEAM).any())


def _forces_on_bodies(system: System) -> bool:
    """Whether there are forces besides beams and the modes of elastic parts."""
    return bool(system.loads) and not bool(np.isin(system.arrays.loads[:, 0], (BEAM, MODAL)).all())
