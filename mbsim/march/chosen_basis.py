"""Whether the independent speeds that the user has named go with the constraints at the start: the option `basis` of `riemann`."""

import numpy as np

from mbsim.diagnosis.redundancy import Redundancy
from mbsim.methods.papers.riemann_general import chosen_speeds
from mbsim.model.file.errors import did_you_mean
from mbsim.system.system import Floats, System

LEAST_SINE = 1e-6  # smallest singular value of V2' of the named speeds: the sine of the angle below which rows of C decide about them
TAKES_PART = 0.1  # entry of the unit vector of that direction from which a speed is named


def require_basis(system: System, named: str, t: float, q: Floats, found: Redundancy) -> None:
    """Raise ValueError where the named speeds are not independent of the rows of C at (t, q), whose redundancy is `found`."""
    places = chosen_speeds(system, named, did_you_mean)
    if len(places) != found.degrees_of_freedom:
        raise ValueError(
            f"basis: {len(places)} speeds are named, and there are {found.degrees_of_freedom} degrees of freedom; "
            "name as many independent speeds"
        )
    C = system.C(t, q)
    lengths = np.linalg.norm(C, axis=1, keepdims=True)
    free = np.linalg.svd(C / np.where(lengths > 0.0, lengths, 1.0))[2][found.rank :]  # V2' (k, n)
    U, sigma, _ = np.linalg.svd(free[:, places].T)
    if len(sigma) and sigma[-1] < LEAST_SINE:
        fixed = ", ".join(system.speeds[k] for k, part in zip(places, U[:, -1], strict=True) if abs(part) > TAKES_PART)
        raise ValueError(f"basis: the named speeds are not independent of the constraints, which already determine {fixed}; name others")
