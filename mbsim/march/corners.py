"""What a march tells of the corners of laws that it stepped over: the motion slides along them, or they change without end."""

import numpy as np

from mbsim import contracts
from mbsim.march.formulation import Formulation

SHOWN = 3  # laws in a message


def stepped_over(formulation: Formulation) -> str:
    """Which laws change again and again in next to no time, and since when; empty where none do."""
    system, first = formulation.system, formulation.work.kept_corners[:, contracts.KEPT_FIRST]
    crowded = [int(k) for k in np.argsort(first) if np.isfinite(first[k])]
    if not crowded or system.corners is None:
        return ""
    found = system.corners(system)
    assert found is not None
    names = list(dict.fromkeys(f"'{found.names[k]}'" for k in crowded))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    what = ("changes", "its") if len(names) == 1 else ("change", "their")
    since = f"from t = {first[crowded[0]]:.6g} s on"
    return f"{', '.join(names[:SHOWN])}{more} {what[0]} again and again {since}: {what[1]} corners were stepped over there, not located"
