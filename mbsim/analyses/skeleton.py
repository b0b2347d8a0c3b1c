"""Bodies as lines, for pictures of how they move: from the centre of mass to joints and springs, or three axes where there are none."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mbsim.analyses.inverse import forward_kinematics
from mbsim.diagnosis.extent import extent
from mbsim.elements.kinds import BUSHING, SPRING
from mbsim.system.system import Floats, System

HOLDING = (SPRING, BUSHING)  # loads whose data begin with a point of each body
AXIS = 0.2  # of the size of the mechanism: half the length of the axes of a body that nothing holds


class Skeleton(NamedTuple):
    """Lines of the bodies at one configuration, global axes, m."""

    places: Floats  # (n_b, 3) centres of mass
    lines: Floats  # (k, 2, 3) ends
    owners: np.ndarray  # (k,) int: the body of each line


def skeleton(system: System, t: float, q: Floats) -> Skeleton:
    """The bodies of a system at (t, q)."""
    seen = list(forward_kinematics(system, t, q).values())
    places = np.array([body["position"] for body in seen])
    arms: list[list[Floats]] = [[] for _ in seen]
    for b, point in _find_attachments(system):
        arm = rotate(seen[b]["orientation"], point)
        if np.any(point) and not any(np.allclose(arm, known, rtol=0.0, atol=1e-12) for known in arms[b]):
            arms[b].append(arm)
    size = AXIS * extent(system, t, q)
    for b, found in enumerate(arms):
        if not found:
            axes = size * np.eye(3)[: system.dimension]
            found += [rotate(seen[b]["orientation"], sign * axis) for axis in axes for sign in (1.0, -1.0)]
    lines = [(places[b], places[b] + arm) for b, found in enumerate(arms) for arm in found]
    owners = [b for b, found in enumerate(arms) for _ in found]
    return Skeleton(places, np.array(lines).reshape(-1, 2, 3), np.array(owners, int))


def _find_attachments(system: System) -> Iterator[tuple[int, Floats]]:
    """Bodies and their points, in their axes, at which joints, springs and bushings hold them."""
    for joint in system.joints:
        yield from ((b, point) for b, point in ((joint.first, joint.first_point), (joint.second, joint.second_point)) if b >= 0)
    for (kind, first, second, _), data in zip(system.arrays.loads, system.arrays.load_data, strict=True):
        if int(kind) in HOLDING:
            ends = ((int(first), data[:3]), (int(second), data[3:6]))
            yield from ((b, point) for b, point in ends if 0 <= b < len(system.bodies))


def rotate(quaternion: Floats, x: Floats) -> Floats:
    """A vector (3,) of the body in global axes; w first."""
    w, u = quaternion[0], quaternion[1:]
    return np.asarray(x + 2.0 * np.cross(u, np.cross(u, x) + w * x))
