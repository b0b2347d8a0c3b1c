"""Whether forces are on the cones of their contacts: nothing pulls, and friction is within its bound."""

from collections.abc import Sequence

import numpy as np

from mbsim.unilateral.problem import Contacts, Load


def bound_beside(of: Contacts, i: int, loads: Sequence[Load], p: np.ndarray) -> float:
    """The part of the bound of the friction of contact i that its own normal force does not make."""
    loaded = sum(load.factor * float(np.linalg.norm(load.free + load.response @ p)) for load in loads if load.contact == i)
    return float(of.fixed[i]) + loaded


def bound(of: Contacts, i: int, loads: Sequence[Load], p: np.ndarray) -> float:
    """What the friction of contact i may be."""
    pressed = float(of.friction[i] * p[of.first[i]]) if of.normal[i] else 0.0
    return bound_beside(of, i, loads, p) + pressed


def on_cones(of: Contacts, loads: Sequence[Load], p: np.ndarray, tolerance: float) -> bool:
    """Whether p (N,) are forces of contacts at rest; `tolerance` is of the largest one."""
    small, first = tolerance * float(np.abs(p).max(initial=0.0)), of.first
    for i, normal in enumerate(of.normal):
        if normal and p[first[i]] < -small:
            return False
        if of.tangents[i] and np.linalg.norm(p[first[i] + normal : first[i + 1]]) > bound(of, i, loads, p) + small:
            return False
    return True
