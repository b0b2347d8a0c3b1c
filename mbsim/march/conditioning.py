"""Whether the method that `auto` took factors a mass matrix that is ill-conditioned, and another one does not: `conditioned`.

`lagrange` and `cfa` factor M. Where M is next to singular in a direction that the constraints do not let pass, they lose as many digits as
its condition has, and N' M N, which `svd` factors, N a basis of the null space of C, loses none.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mbsim import formulations
from mbsim.assembly.assembled import Assembly
from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.redundancy import column_scales, decomposed
from mbsim.march.settings import Settings, resolve
from mbsim.system.system import Floats

LOST = 1e-7  # smallest eigenvalue of a mass matrix with diagonal 1: below it accelerations have less than nine digits
GAIN = 100.0  # by so much the other matrix has to be better


def conditioned(made: Assembly, settings: Settings, given: Mapping[str, Any], allow_wrong: bool = False) -> Settings:
    """The settings that `resolve` gave for `given`, or those with `svd` where that factors a better matrix at the start."""
    system = made.system
    chosen = "method" in settings.choices and settings.method in formulations.FACTOR_MASS
    if not chosen or not system.n_rows or is_large(system) or system.failure is not None:
        return settings
    M = system.M(made.start, made.q)
    least = _smallest(M)
    if not least < LOST:
        return settings
    C = system.C(made.start, made.q)
    scales = column_scales(system, C)
    found = decomposed(C * scales, system.arrays.row_shares)
    N = scales[:, None] * found.V[found.rank :].T
    if not _smallest(N.T @ M @ N) > GAIN * max(least, 0.0):
        return settings
    try:
        other = resolve(made.simulation, system, {**given, "method": formulations.WITHOUT_MASS}, allow_wrong)
    except ValueError:  # options that only the first one has
        return settings
    why = f"{settings.method} would factor a mass matrix that is next to singular at the start ({least:.0e})"
    return replace(other, choices={**settings.choices, **other.choices, "method": f"{formulations.WITHOUT_MASS}: {why}"})


def _smallest(M: Floats) -> float:
    """The smallest eigenvalue of M (n, n) with its diagonal made 1; 1 where n is 0 or M is not finite."""
    size = np.sqrt(np.abs(np.diag(M)))
    size[size == 0.0] = 1.0
    scaled = M / np.outer(size, size)
    return float(np.linalg.eigvalsh(scaled)[0]) if len(M) and np.isfinite(scaled).all() else 1.0
