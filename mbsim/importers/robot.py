"""A robot as its file describes it: links, joints, what it looks like. Importers make it, `robot_groups` and `robot_model` take it.

Each link has a frame of its own. A joint says where the child's frame is in its parent's at the zero of the joint. Lengths in m, angles in
rad, masses in kg. `value` of a joint is where it stands in the model's reference configuration, from which its coordinate counts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from mbsim.importers.urdf_elements import Floats, RobotError
from mbsim.importers.urdf_visuals import Visual
from mbsim.model.expressions.tokens import WORDS
from mbsim.model.names import GROUND, name_fault
from mbsim.model.rotations import check_inertia, matrix_from_quaternion, principal_moments, quaternion_from_axis

ONE_COORDINATE = ("revolute", "prismatic")
ROUND_OFF = 1e-12  # of the largest moment: a smaller moment is none


@dataclass(frozen=True)
class Link:
    """A rigid part with mass or inertia."""

    mass: float
    R: Floats  # (3, 3) inertial frame -> link frame; for a placed link -> global frame
    centre: Floats  # (3,) of mass, link frame; for a placed link global
    inertia: Floats  # (6,) xx yy zz xy xz yz about the centre of mass, inertial frame

    @property
    def matrix(self) -> Floats:
        """(3, 3), inertial frame."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def is_body(self) -> bool:
        """Whether it can be a body of its own: it has mass, and inertia about any axis."""
        return self.mass > 0.0 and not self.fault(strictly=True)

    def fault(self, strictly: bool = False) -> str:
        """Why no body has this inertia; empty if one has. `strictly`: also of a point mass or a thin rod."""
        try:
            check_inertia(self.matrix.tolist())
        except ValueError as error:
            small, middle, large = principal_moments(self.matrix.tolist())
            thin = small >= -ROUND_OFF * large and large <= (small + middle) * (1.0 + ROUND_OFF)
            return "" if thin and not strictly else str(error)
        return ""

    def moved(self, R: Floats, place: Floats) -> "Link":
        """The link in a frame in which its own frame is rotated by R and located at `place`."""
        return Link(self.mass, R @ self.R, place + R @ self.centre, self.inertia)


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: its coordinate is ratio times that of `joint`, plus `offset`; both count from their zero."""

    joint: str
    ratio: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """What connects two links."""

    name: str
    kind: str  # the joint type of the model file: revolute, prismatic, fixed, free, planar, spherical
    parent: str
    child: str
    R: Floats  # (3, 3) child link frame -> parent link frame at zero
    origin: Floats  # (3,) of the child's frame in its parent's
    axis: Floats  # (3,), child's frame
    lower: float = -np.inf
    upper: float = np.inf
    remarks: str = ""  # the limits in words
    damping: float = 0.0  # N s/m or N m s/rad
    friction: float = 0.0  # N or N m
    mimic: Mimic | None = None
    value: float = 0.0
    stiffness: float = 0.0  # N/m or N m/rad
    rest: float = 0.0  # m or rad: the coordinate at which the spring is free
    rotor: float = 0.0  # kg or kg m^2: inertia of the motor along the coordinate
    effort: float = np.inf  # N or N m: the largest of its motor

    def placed(self) -> tuple[Floats, Floats]:
        """R and origin of the child's frame in its parent's where the joint has its value."""
        if self.value == 0.0 or self.kind not in ONE_COORDINATE:
            return self.R, self.origin
        along = self.axis / np.linalg.norm(self.axis)
        if self.kind == "prismatic":
            return self.R, self.origin + self.R @ along * self.value
        return self.R @ np.array(matrix_from_quaternion(quaternion_from_axis(along.tolist(), self.value))), self.origin


@dataclass(frozen=True)
class Tie:
    """Something that closes a loop between two links."""

    name: str
    kind: str  # spherical, fixed
    links: tuple[str, str]
    at: Floats  # (3,) in the frame of the first link


@dataclass(frozen=True)
class Equation:
    """A law over the coordinates of joints that is kept at zero."""

    name: str
    joints: tuple[str, ...]
    law: str


@dataclass(frozen=True)
class Drive:
    """A force, given by a law, that acts on the coordinates of joints, on each with a factor."""

    name: str
    joints: dict[str, float]
    law: str
    reads: tuple[str, ...] = ()  # states that the law reads


@dataclass(frozen=True)
class Servo:
    """A PD controller of a joint's coordinate, as the model counts it."""

    name: str
    joint: str
    kp: float
    kd: float
    target: str | None  # a law; None: it leads the rate alone
    target_rate: str
    feedforward: float = 0.0  # N or N m
    limit: tuple[float, float] = (-np.inf, np.inf)  # of its effort, N or N m


@dataclass(frozen=True)
class Collider:
    """A shape of a link by which it touches others."""

    name: str  # as messages call it
    label: str  # the name in the file, or nothing
    link: str
    kind: str  # plane, sphere, capsule, box, cylinder, mesh, convex
    keys: str  # of a shape of the model file, but for its place; of a plane and with a fault empty
    R: Floats  # (3, 3) its frame -> link frame; a plane has its normal along z
    place: Floats  # (3,)
    fault: str = ""  # why it cannot touch anything in a model
    edges: int = 0  # of a mesh
    said: str = ""  # what is missing of a mesh


@dataclass(frozen=True)
class Grip:
    """What acts between two colliders beside the normal force."""

    friction: float | str  # a coefficient, or the name of a parameter
    drilling: float = 0.0  # m: the couple about the normal over the normal force
    rolling: float = 0.0  # m


class Names:
    """Names that are valid in a model, one for each name of a kind in the robot's file."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._of: dict[str, str] = {}

    def add(self, name: str) -> str:
        """The name in the model. Raises RobotError where it exists already or cannot be a name."""
        if name in self._of:
            raise RobotError(f"{self.what} '{name[:60]}': exists twice")
        clean = re.sub(r"\W", "_", name, flags=re.ASCII)
        clean = clean if clean[:1].isalpha() else f"n{clean}"
        clean = f"{clean}_" if clean == GROUND or clean in WORDS else clean
        taken, k, first = set(self._of.values()), 2, clean
        while clean in taken:
            clean, k = f"{first}_{k}", k + 1
        if fault := name_fault(clean, in_expressions=False):
            raise RobotError(f"{self.what} '{name[:60]}': {fault}")
        self._of[name] = clean
        return clean

    def get(self, name: str) -> str | None:
        """The name in the model of one that exists."""
        return self._of.get(name)


@dataclass
class Robot:
    """Links and joints by their names in the model, from the root out."""

    name: str
    links: dict[str, Link | None] = field(default_factory=dict)  # None: neither mass nor inertia
    visuals: dict[str, list[Visual]] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # features that are missing or changed
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)  # m/s^2
    ties: list[Tie] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    drives: list[Drive] = field(default_factory=list)
    servos: list[Servo] = field(default_factory=list)
    efforts: dict[str, float] = field(default_factory=dict)  # joint -> the largest of all that drives it, N or N m; infinite: not limited
    inputs: dict[str, float] = field(default_factory=dict)  # parameters that laws read
    states: dict[str, tuple[str, float]] = field(default_factory=dict)  # law of the rate, start
    lifted: dict[str, float] = field(default_factory=dict)  # link -> the part of its weight that something else carries
    start: dict[str, Floats] = field(default_factory=dict)  # joint -> coordinates: one from its zero, w x y z, or place and w x y z
    colliders: list[Collider] = field(default_factory=list)
    grips: dict[tuple[int, int], Grip] = field(default_factory=dict)  # of two colliders that touch, the first one a plane if one is
    speeds: dict[str, Floats] = field(default_factory=dict)  # joint -> rates: one, turning in the child's axes, or velocity and turning

    root: str = ""
    order: list[str] = field(default_factory=list)  # links
    inner: dict[str, Joint] = field(default_factory=dict)  # of each link the joint that moves it
    outer: dict[str, list[Joint]] = field(default_factory=dict)  # of each link the joints that it carries
    pose: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)  # of each link's frame, global, in the reference configuration

    def ordered(self) -> "Robot":
        """The same with the fields from `root` on. Raises RobotError where it is not one tree, or joints follow each other in a circle."""
        if not self.links:
            raise RobotError("robot: has no links")
        self.joints = {name: _with_value(joint, self.joints) for name, joint in self.joints.items()}
        self.outer = {name: [] for name in self.links}
        for joint in self.joints.values():
            if joint.child in self.inner:
                both = f"'{self.inner[joint.child].name}' and '{joint.name}'"
                raise RobotError(f"link '{joint.child}': is the child of two joints, {both}")
            self.inner[joint.child] = joint
            self.outer[joint.parent].append(joint)
        roots = [name for name in self.links if name not in self.inner]
        if len(roots) != 1:
            raise RobotError(f"robot: expected one root link (got {', '.join(roots) or 'none: the joints form a loop'})")
        self.root = roots[0]
        self.order, self.pose = [self.root], {self.root: (np.eye(3), np.zeros(3))}
        for link in self.order:
            R, place = self.pose[link]
            for joint in self.outer[link]:
                turned, origin = joint.placed()
                self.pose[joint.child] = R @ turned, place + R @ origin
                self.order.append(joint.child)
        if len(self.order) != len(self.links):
            raise RobotError("robot: the joints form a loop")
        return self

    def change(self, joint: Joint) -> None:
        """Put a joint in place of that of its name in a robot that is in order; it connects the same links."""
        old = self.joints[joint.name]
        self.joints[joint.name] = self.inner[joint.child] = joint
        carried = self.outer[joint.parent]
        carried[carried.index(old)] = joint

    def children(self, links: Iterable[str]) -> list[Joint]:
        """The joints that these links carry."""
        return [joint for link in links for joint in self.outer[link]]


def _with_value(joint: Joint, joints: dict[str, Joint]) -> Joint:
    """A joint that follows others, with the value that it has where they are at zero; fixed if what it follows cannot move."""
    value, factor, at, seen = 0.0, 1.0, joint, {joint.name}
    while at.mimic is not None:
        value += factor * at.mimic.offset
        factor *= at.mimic.ratio
        if at.mimic.joint in seen:
            raise RobotError(f"joint '{joint.name}': the joints {', '.join(sorted(seen))} follow each other in a circle")
        at = joints[at.mimic.joint]
        seen.add(at.name)
        if at.kind not in (*ONE_COORDINATE, "fixed"):
            raise RobotError(f"joint '{joint.name}': mimics '{at.name}', which has several coordinates")
    if joint.mimic is None:
        return joint
    if joint.kind not in (*ONE_COORDINATE, "fixed"):
        raise RobotError(f"joint '{joint.name}': has several coordinates and cannot mimic a joint")
    moved = replace(joint, value=value)
    if at.kind != "fixed" and factor != 0.0:
        return moved
    R, origin = moved.placed()
    return replace(joint, kind="fixed", R=R, origin=origin, mimic=None)
