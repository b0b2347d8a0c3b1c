"""The poses of the bodies at the rows of a result, and which rows a moving picture shows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsim.scene.elastic import Elastic
from mbsim.scene.read import LONGEST, End, Floats, Scene
from mbsim.scene.turns import matrices

if TYPE_CHECKING:
    from mbsim.results.read import Result

FAR = 10.0  # times the size of a mechanism: nearer, it can be seen in a picture that stands still


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses at some times. The ground stands behind the bodies, so that index -1 is found."""

    times: Floats  # (k,) s
    position: Floats  # (k, n_bodies + 1, 3) m
    quaternion: Floats  # (k, n_bodies + 1, 4) w, x, y, z: body to global
    rows: NDArray[np.int64]  # (k,) of the result

    @property
    def rotation(self) -> Floats:
        """(k, n_bodies + 1, 3, 3)"""
        return matrices(self.quaternion)

    def place(self, end: End) -> Floats:
        """A body's point (k, 3) in the global frame."""
        return self.position[:, end.body] + matrices(self.quaternion[:, end.body]) @ end.point

    def turn(self, body: int, vector: ArrayLike) -> Floats:
        """A body's vector (k, 3) in the global axes."""
        turned: Floats = matrices(self.quaternion[:, body]) @ np.asarray(vector, float)
        return turned

    def nodes(self, part: Elastic) -> Floats:
        """The nodes (k, n, 3) of an elastic part in the global frame."""
        return part.places(self.position, matrices(self.quaternion[:, part.bodies[0]]))

    def at(self, k: int) -> "Motion":
        """One of its poses."""
        one = slice(k, k + 1) if k >= 0 else slice(k, k + 1 or None)
        return Motion(self.times[one], self.position[one], self.quaternion[one], self.rows[one])


def motion(times: Floats, position: Floats, orientation: Floats, rows: NDArray[np.int64] | None = None) -> Motion:
    """The motion through poses of the bodies: position (k, n_bodies, 3) and orientation (k, n_bodies, 4)."""
    k = len(times)
    ground = np.zeros((k, 1, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (k, 1, 1))
    found = np.concatenate([position, ground[0]], axis=1), np.concatenate([orientation, ground[1]], axis=1)
    return Motion(times, *found, np.arange(k) if rows is None else rows)


def find_drawn(scene: Scene) -> Motion:
    """One pose: where the model file draws the bodies, before assembly."""
    position = np.array([[body.position for body in scene.bodies]])
    return motion(np.zeros(1), position, np.array([[body.quaternion for body in scene.bodies]]))


def of_result(result: "Result", rows: NDArray[np.int64] | None = None) -> Motion:
    """The poses of a result, at all rows or at chosen ones. Rows that are not finite, or too far away, are left out. Raises ResultError."""
    times, position, orientation = result.time, result["body_position"], result["body_orientation"]
    chosen = np.arange(len(times)) if rows is None else rows
    position, orientation = position[chosen], orientation[chosen]
    sound = (np.abs(position) <= LONGEST).all(axis=(1, 2)) & np.isfinite(orientation).all(axis=(1, 2))
    return motion(times[chosen][sound], position[sound], orientation[sound], chosen[sound])


def goes_far(poses: Motion, extent: float) -> bool:
    """Whether a mechanism of this size leaves the place where it starts, as a bicycle does: pictures then follow it."""
    middles = poses.position[:, :-1].mean(axis=1)
    return bool(np.linalg.norm(np.ptp(middles, axis=0)) > FAR * extent)


def row_at(times: Floats, t: float) -> int:
    """The row nearest to a time."""
    return int(np.abs(times - t).argmin())


def evenly(times: Floats, count: int) -> NDArray[np.int64]:
    """At most `count` rows, evenly in time, the first and the last among them."""
    if len(times) <= count:
        return np.arange(len(times))
    wanted = np.linspace(times[0], times[-1], max(count, 2))
    after = np.clip(np.searchsorted(times, wanted), 1, len(times) - 1)
    nearer = np.where(wanted - times[after - 1] < times[after] - wanted, after - 1, after)
    return np.unique(nearer)


def beam_curve(pose: Motion, first: int, second: int, count: int = 9) -> Floats:
    """Points (count, 3) of the cubic between two nodes of a beam in the only pose of a motion, along the x axes of both."""
    a, b = pose.position[0, first], pose.position[0, second]
    length = float(np.linalg.norm(b - a))
    u, v = (length * matrices(pose.quaternion[0, k])[:, 0] for k in (first, second))
    s = np.linspace(0.0, 1.0, count)[:, None]
    return np.asarray((1.0 + 2.0 * s) * (1.0 - s) ** 2 * a + s * (1.0 - s) ** 2 * u + s**2 * (3.0 - 2.0 * s) * b + s**2 * (s - 1.0) * v)
