"""Momentum, angular momentum and centre of mass of bodies, over the rows of a run; global axes, SI units."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from mbsim.observe.facts import BodyFacts
from mbsim.system.system import Floats


class Pose(Protocol):
    """Of a body over k rows."""

    @property
    def R(self) -> Floats:
        """(k, 3, 3), body to global."""

    @property
    def r(self) -> Floats:
        """(k, 3) of the centre of mass, m."""

    @property
    def v(self) -> Floats:
        """(k, 3) of the centre of mass, m/s."""

    @property
    def omega(self) -> Floats:
        """(k, 3), rad/s."""


def centre_of_mass(bodies: Sequence[BodyFacts], poses: Sequence[Pose], about: Floats | None = None) -> Floats:
    """(k, 3); of one body its own, also where it has no mass. NaN where all of several are without mass."""
    if len(poses) == 1:
        return poses[0].r
    weighed = sum((body.mass * pose.r for body, pose in zip(bodies, poses, strict=True)), np.zeros(3))
    return np.asarray(weighed / np.float64(sum(body.mass for body in bodies)))


def momentum(bodies: Sequence[BodyFacts], poses: Sequence[Pose], about: Floats | None = None) -> Floats:
    """(k, 3), the sum of m v."""
    return np.asarray(sum((body.mass * pose.v for body, pose in zip(bodies, poses, strict=True)), np.zeros(3)))


def angular_momentum(bodies: Sequence[BodyFacts], poses: Sequence[Pose], about: Floats | None = None) -> Floats:
    """(k, 3), the sum of m (r - p) x v + I omega about the place p (k, 3), where that is now; None: about the centre of mass."""
    place = centre_of_mass(bodies, poses) if about is None else about
    found = np.zeros_like(poses[0].r)
    for body, pose in zip(bodies, poses, strict=True):
        found = found + body.mass * np.cross(pose.r - place, pose.v)
        turned = np.einsum("tij,ti->tj", pose.R, pose.omega) @ body.inertia.T
        found = found + np.einsum("tij,tj->ti", pose.R, turned)
    return found


class Kind(NamedTuple):
    """What a function of masses gives: its units, and its values (k, 3) of bodies, their poses, and the place that it is about."""

    units: str
    values: Callable[[Sequence[BodyFacts], Sequence[Pose], Floats | None], Floats]


KINDS = {
    "momentum": Kind("kg m s-1", momentum),
    "angular_momentum": Kind("kg m2 s-1", angular_momentum),
    "centre_of_mass": Kind("m", centre_of_mass),
}
