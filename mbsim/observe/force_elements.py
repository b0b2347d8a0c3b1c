"""What observes the force elements of a system, by its kind; nothing is imported for a system without forces."""

from typing import TYPE_CHECKING

from mbsim.results.schema import ForceLabels
from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.contracts import Work
    from mbsim.observe.applied import AppliedForces
    from mbsim.observe.forces import Forces


def forces_of(system: System, work: "Work") -> "Forces | AppliedForces | None":
    """What observes the forces of a system; None where it has none."""
    if system.loads:
        from mbsim.observe.forces import Forces

        return Forces(system, work)
    if system.applied:
        from mbsim.observe.applied import AppliedForces

        return AppliedForces(system)
    return None


def force_labels(system: System) -> ForceLabels:
    """What a result calls the forces of a system, with their units."""
    if system.loads:
        from mbsim.observe.forces import force_labels

        return force_labels(system)
    if system.applied:
        from mbsim.observe.applied import force_labels

        return force_labels(system)
    return ForceLabels()
