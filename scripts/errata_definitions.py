"""The errata of definitions, for scripts/errata.py: an angle of Shui & Zhang 1996, the components of a force of Shui, the transfer formulas
of Liu, Hu & Zhang 2016."""

from typing import NamedTuple

import numpy as np
from errata_words import Floats, Row, number, vector

ARM = np.array([0.3, 0.2, 0.1])  # m, p of eq. (1): from O_j to O_o
FORCE, MOMENT = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])  # N and N m at O_j
SPIN, SPEED = np.array([0.5, -1.0, 2.0]), np.array([1.0, 0.0, -1.0])  # rad/s^2 and m/s^2 at O_j


class Angles(NamedTuple):
    """Of the disk's axis e_3 by the frame (5.1), rad."""

    to_i2: float  # from i_2, as the paper defines theta
    to_i3: float  # from i_3
    theta: float


def disk_angles(theta: float, psi: float) -> Angles:
    """Of the third row of (5.1) to two axes of the fixed frame."""
    e3 = np.array([np.sin(theta) * np.sin(psi), -np.sin(theta) * np.cos(psi), np.cos(theta)])
    return Angles(float(np.arccos(e3[1])), float(np.arccos(e3[2])), theta)


def power(M: Floats, h: Floats, v: Floats) -> tuple[float, float]:
    """h . v by Shui's (4), W: with contravariant components of both, a' M b, as printed; with covariant ones of h."""
    return float(h @ M @ v), float(h @ v)


def transfer(p: Floats) -> Floats:
    """Eq. (1): [1 p~; 0 1]."""
    tilde = np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])
    return np.block([[np.eye(3), tilde], [np.zeros((3, 3)), np.eye(3)]])


class Transfer(NamedTuple):
    """What the formulas below (3) make of a wrench and an acceleration, and what is right by the definition of a moment and of a body."""

    moment_printed: Floats  # about O_o, N m
    moment: Floats
    acceleration_printed: Floats  # the linear part at O_j of that at O_o, m/s^2
    acceleration: Floats


def transfers() -> Transfer:
    """F_o = P F_j and V_dot_j = P' V_dot_o as printed; the inverse of both is right, as eq. (7) has it."""
    P = transfer(ARM)
    at_outer = SPEED + np.cross(SPIN, ARM)  # what satisfies the linear recursion
    printed = P.T @ np.concatenate([SPIN, at_outer])
    return Transfer((P @ np.concatenate([MOMENT, FORCE]))[:3], MOMENT - np.cross(ARM, FORCE), printed[3:], SPEED)


def rows(theta: float, psi: float, M: Floats, h: Floats, v: Floats) -> tuple[list[Row], list[Row], list[Row]]:
    """The lines of the table, by paper; of the disk at its start."""
    angles, (printed, right), moved = disk_angles(theta, psi), power(M, h, v), transfers()
    return (
        [Row("(5.1), theta", "angle of e_3 from i_2; from i_3, rad", number(angles.to_i2), f"{number(angles.to_i3)} = theta")],
        [Row("Riemann below (3)", "power of the active forces, by contravariant h; covariant, W", number(printed), number(right))],
        [
            Row("Liu below (3)", "moment about O_o of a wrench at O_j, N m", *map(vector, moved[:2])),
            Row("Liu below (3)", "acceleration of O_j by that of O_o, m/s^2", *map(vector, moved[2:])),
        ],
    )
