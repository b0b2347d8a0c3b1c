"""A start that Python gives: coordinates or speeds, all numbers in order or some of them by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.system.system import Floats

SHOWN = 6  # names in a message


def given_start(what: str, given: ArrayLike | Mapping[str, float] | None, names: list[str], own: Floats) -> Floats:
    """The start of coordinates or speeds: `own`, all numbers in the order of the names, or some of them by name. Raises ValueError."""
    if given is None:
        return own
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                from mbsim.model.file.errors import did_you_mean

                raise ValueError(f"{what}: unknown name {name!r}{did_you_mean(str(name), names)}")
        chosen: Any = [given.get(name, x) for name, x in zip(names, own.tolist(), strict=True)]
    else:
        chosen = given
    try:
        values = np.array(chosen, float)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.shape != (len(names),) or not np.isfinite(values).all():
        shown = ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
        raise ValueError(f"{what}: expected {len(names)} finite numbers, of {shown}; or some of them by name (got {str(given)[:60]})")
    return values
