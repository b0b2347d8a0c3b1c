"""Which beam buckles in an unstable equilibrium, and under which part of its loads it begins to (linear buckling).

The stiffness is K0 + s (K - K0), with K0 that of the same position where beams and constraints bear nothing, and s the part of the loads.
It is zero along some displacement where K0 d = s (K0 - K) d.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg import LinAlgError, eigh

from mbsim.diagnosis.equilibrium import Equilibrium
from mbsim.diagnosis.held import tangents_of
from mbsim.diagnosis.linearised import free_directions
from mbsim.observe.beams import elements_of, stress_free
from mbsim.system.system import Floats, System


def buckled(system: System, t: float, found: Equilibrium, kept: np.ndarray, seen: dict[str, Floats]) -> str:
    """The beam that buckles and its normal force when it begins to; empty where pressure in beams is not what makes it unstable.

    `kept` (m,) bool: the rows that hold. `seen`: what was observed of the equilibrium.
    """
    elements = elements_of(system)
    if not elements:
        return ""
    relaxed = replace(system, arrays=system.arrays._replace(load_data=stress_free(system, seen)))
    K0, K = tangents_of(relaxed, t, found.q, found.v).K, tangents_of(system, t, found.q, found.v, None, found.lam)
    Z, _ = free_directions(system, K.C[kept][: int(kept[: system.n_holonomic].sum())])
    material, change = (Z.T @ (X + X.T) @ Z for X in (K0, K0 - K.K))
    scale = 1.0 / np.sqrt(np.maximum(np.diag(material), 1e-300))
    material, change = (X * np.outer(scale, scale) for X in (material, change))
    try:
        inverse, shapes = eigh(change, material, subset_by_index=[len(change) - 1, len(change) - 1])
    except LinAlgError:  # something moves without stiffness
        return ""
    if not inverse[0] > 1.0:
        return ""
    d = np.abs(Z @ (scale * shapes[:, 0])).reshape(len(system.bodies), -1)[:, : system.dimension].max(axis=1)
    first, moved = 0, dict[str, tuple[float, float]]()
    for name, nodes in elements.items():
        forces = seen["beam_force"][0, first : first + len(nodes), 0]
        first += len(nodes)
        if forces.min() < 0.0:
            moved[name] = float(d[nodes].max()), float(forces.min())
    if not moved:
        return ""
    name = max(moved, key=lambda one: moved[one][0])
    normal = moved[name][1] / inverse[0]
    return f"the beam {name} buckles: it is stable up to about {1.0 / inverse[0]:.4g} of these loads, with a normal force of {normal:.6g} N"
