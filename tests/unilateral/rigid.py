"""Rigid planar bodies for problems of contact: rows of contact points, and D and b of forces."""

import numpy as np

G = 9.81  # m/s2
Point = tuple[float, float]


class Plane:
    """Bodies with speeds (x, y, angle) each, and the contacts that are added: rows of the normal and of the tangent, turned clockwise."""

    def __init__(self, *masses: tuple[float, float]) -> None:
        self.inverse = np.diag([1.0 / x for mass, inertia in masses for x in (mass, mass, inertia)])
        self.masses = np.array([mass for mass, _ in masses])
        self.rows: list[np.ndarray] = []

    def contact(self, body: int, arm: Point, normal: Point, other: int = -1, against: Point = (0.0, 0.0)) -> None:
        """A point of a body, at `arm` from its centre of mass, against the ground or a point of another body.

        The normal points to the body.
        """
        for along in (normal, (normal[1], -normal[0])):
            row = np.zeros(len(self.inverse))
            for which, at, sign in ((body, arm, 1.0), (other, against, -1.0)):
                if which >= 0:
                    row[3 * which : 3 * which + 3] += sign * np.array([*along, at[0] * along[1] - at[1] * along[0]])
            self.rows.append(row)

    @property
    def W(self) -> np.ndarray:
        return np.array(self.rows)

    @property
    def D(self) -> np.ndarray:
        return self.W @ self.inverse @ self.W.T

    def weight(self, slope: float = 0.0) -> np.ndarray:
        """Generalised forces of gravity, which is turned by the slope (rad), so that it pulls to +x."""
        each = G * np.array([np.sin(slope), -np.cos(slope), 0.0])
        return np.concatenate([mass * each for mass in self.masses])

    def accelerations(self, forces: np.ndarray, contact: np.ndarray) -> np.ndarray:
        return self.inverse @ (forces + self.W.T @ contact)
