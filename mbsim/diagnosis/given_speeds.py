"""Speeds of a steady motion that the user gives: which they are, which need an effort, and whether they can be constant."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.system import Floats, System

MET = 1e-7  # of the largest speed, of the accelerations likewise: what constraints and given speeds may be off


def place(system: System, name: str) -> int:
    """The place of a speed. Raises ValueError for other names."""
    if name in system.speeds:
        return system.speeds.index(name)
    if f"der({name})" in system.speeds:
        raise ValueError(f"'{name}' is no speed; its speed is der({name})")
    from mbsim.model.file.errors import did_you_mean

    raise ValueError(f"unknown speed '{name}'{did_you_mean(name, system.speeds)}")


def left_open(rows: Floats, given: Iterable[int], w: Floats) -> list[int]:
    """The places of the `given` speeds that no rows (m, n) prescribe already; rows and speeds are scaled by `w` (n,).

    A speed of a driver that is kept needs no effort beside the driver's.
    """
    found: list[int] = []
    for k in given:
        e = w * np.eye(len(w))[k]
        rest = e - rows.T @ np.linalg.lstsq(rows.T, e, rcond=RANK_TOLERANCE)[0] if len(rows) else e
        if np.linalg.norm(rest) > RANK_TOLERANCE * np.linalg.norm(e):
            found.append(k)
            rows = np.vstack([rows, e])
    return found


def require_constant(system: System, t: float, q: Floats, v: Floats, kept: NDArray[np.bool_], wanted: Mapping[int, float]) -> None:
    """Raise ValueError where the speeds `wanted` (place -> value) contradict the rows that are kept, or need accelerations."""
    fastest = max(1.0, float(np.abs(v).max(initial=0.0)))
    names = np.array(system.rows)[kept]
    unmet = np.abs((system.C(t, q) @ v + system.xi(t, q))[kept])
    for k, value in wanted.items():
        if abs(v[k] - value) > MET * fastest or unmet.max(initial=0.0) > MET * fastest:
            rows = ", ".join(names[unmet > MET * fastest])
            reason = f"with {rows} they contradict each other" if rows else f"{system.speeds[k]} is {v[k]:.6g}, not {value:.6g}"
            raise ValueError(f"the speeds given are not those of a motion that the constraints allow: {reason}")
    eta = np.abs(system.eta(t, q, v)[kept])
    if eta.max(initial=0.0) > MET * fastest**2:
        hint = "" if system.in_joint_coordinates else "; in joint coordinates (coordinates: joint) these speeds may be constant"
        raise ValueError(
            f"the speeds cannot all stay: {names[int(np.argmax(eta))]} needs accelerations, as of bodies that go on circles{hint}"
        )
