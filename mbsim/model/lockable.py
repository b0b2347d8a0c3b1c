"""What of a model comes and goes during a run."""

from collections.abc import Mapping
from typing import Any

from mbsim.model.schema import Model


def open_at_start(model: Model) -> frozenset[str]:
    """The joints, drivers and constraints that do not hold at the start."""
    sections: tuple[Mapping[str, Any], ...] = (model.joints, model.couplings, model.drivers, model.constraints)
    return frozenset(name for section in sections for name, block in section.items() if not block.locked)


def lockable(model: Model) -> frozenset[str]:
    """Those that do not hold all the time: locked or unlocked by events, or open at the start."""
    named = [name for event in model.events.values() for name in (*event.do.lock, *event.do.unlock)]
    return frozenset(named) | open_at_start(model)
