"""Speeds of a steady motion that the user gives: which they are, which need an effort, and whether they can be constant."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.system import Floats, System

MET = 1e-7  # of the largest speed, of the accelerations likewise: what constraints and given speeds may be off
NO_RATE = 1e-7  # of the sum of the sizes of what it consists of: a smaller rate of a force is none
ROUND_OFF = 1e-12  # of the largest rate, and of the largest that the stiffness along a speed could give: likewise
SPREAD = 1e-14  # of the largest that any stiffness could give: the reactions spread its round-off


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


def require_constant(
    system: System, t: float, q: Floats, v: Floats, kept: NDArray[np.bool_], wanted: Mapping[int, float], why: str
) -> None:
    """Raise ValueError where the speeds `wanted` (place -> value) contradict the rows that are kept, or need accelerations.

    `why` the bodies do not go on circles for ever, or nothing.
    """
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
        needs = f"{names[int(np.argmax(eta))]} needs accelerations, as of bodies that go on circles"
        raise ValueError(f"the speeds cannot all stay: {needs}{_hint(system, why)}")


def require_lasting(system: System, v: Floats, K: Floats, rows: Floats, w: Floats, why: str) -> None:
    """Raise ValueError where the forces that balance now do not balance a moment later: where a spring turns with one of its ends only.

    `K` (n, n) is the stiffness, reactions included, and `rows` (m, n) are those of constraints and given speeds, whose reactions and
    efforts may change with the time. All speeds stay where K v = rows' x has a solution x. `w` (n,) scales the speeds. `why` as above.
    """
    rates, sums = w * (K @ v), w * (np.abs(K) @ np.abs(v))
    stiffness = np.abs(K * np.outer(w, w)).max(axis=1, initial=0.0)
    largest = np.abs(v / w).max(initial=0.0) * stiffness
    noise = ROUND_OFF * (np.abs(rates).max(initial=0.0) + largest) + SPREAD * largest.max(initial=0.0)
    if len(rows):
        rows = rows * w
        rates = rates - rows.T @ np.linalg.lstsq(rows.T, rates, rcond=RANK_TOLERANCE)[0]
    beyond = np.abs(rates) - NO_RATE * sums - noise
    if beyond.max(initial=0.0) > 0.0:
        changing = system.speeds[int(np.argmax(beyond))]
        changes = f"the force along {changing} changes, as where parts that turn are held by forces"
        raise ValueError(f"the speeds cannot all stay: {changes}{_hint(system, why)}")


def _hint(system: System, why: str) -> str:
    return (
        f": {why}"
        if why
        else ""
        if system.in_joint_coordinates
        else "; in joint coordinates (coordinates: joint) these speeds may be constant"
    )
