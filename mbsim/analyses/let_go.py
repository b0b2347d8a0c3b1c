"""Which rows hold in an equilibrium: all but those of drivers that are let go."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from mbsim.system.system import System


def rows_kept(system: System, keep: Collection[str], holding: Collection[str] = ()) -> tuple[NDArray[np.bool_], list[str]]:
    """Which rows (m,) hold where all drivers but those to `keep`, and those `holding` speeds, are let go; and the names of these.

    Raises ValueError for names that are unknown.
    """
    names = [name for name in dict.fromkeys(d.name.partition(".")[0] for d in system.drivers) if name not in holding]
    for name in keep:
        if name not in names and name != "all":
            from mbsim.model.file.errors import did_you_mean

            raise ValueError(f"unknown driver '{name}'{did_you_mean(name, names) if names else '; the model has no drivers'}")
    released = [name for name in names if name not in keep and "all" not in keep]
    kept = np.ones(system.n_rows, bool)
    kept[[driver.row for driver in system.drivers if driver.name.partition(".")[0] in released]] = False
    return kept, released
