"""URDF -> a model file in joint coordinates. Standard library only; entities and document types are refused before the text is parsed.

Links become bodies with the inertial frame as body axes, so `position` is the centre of mass; joints keep their names and their zero. The
root link is the ground, or floats. Links without inertia: where nothing with mass hangs on them they are left out, behind a fixed joint
they are part of what they are fixed to, elsewhere they are refused, because a body must have mass.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from mbsim.model.names import name_fault

Floats = NDArray[np.float64]
MAX_BYTES = 20_000_000  # of the file; meshes are files of their own, robots of a thousand links stay below one million
_TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_FORBIDDEN = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


class UrdfError(ValueError):
    """A URDF file that cannot be read as a model; the message names the element."""


@dataclass(frozen=True)
class _Link:
    mass: float
    R: Floats  # inertial frame -> link frame
    centre: Floats
    inertia: Floats  # (6,) xx yy zz xy xz yz, inertial frame


@dataclass(frozen=True)
class _Joint:
    name: str
    kind: str
    parent: str
    child: str
    R: Floats  # child link frame -> parent link frame at zero
    origin: Floats
    axis: Floats
    limits: str


def convert(path: str | Path, floating: bool = False) -> str:
    """The YAML text of the model. Raises UrdfError, OSError."""
    with Path(path).open("rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise UrdfError(f"{path}: longer than {MAX_BYTES // 1_000_000} MB")
    if _FORBIDDEN.search(raw) or b"\0" in raw:  # a null byte: UTF-16, in which the words would not be found
        raise UrdfError(f"{path}: document types and entities are not allowed, nor is UTF-16")
    try:
        robot = ElementTree.fromstring(raw)
    except ElementTree.ParseError as error:
        raise UrdfError(f"{path}: not XML: {error}") from None
    if robot.tag != "robot":
        raise UrdfError(f"{path}: expected <robot> (got <{robot.tag}>)")
    return _Writer(robot, floating).text(Path(path).name)


def _numbers(element: ElementTree.Element | None, key: str, default: str, count: int, where: str) -> Floats:
    text = element.get(key, default) if element is not None else default
    try:
        values = np.array([float(x) for x in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.size != count or not np.isfinite(values).all():
        raise UrdfError(f"{where}: {key}: expected {count} finite numbers (got {text[:60]!r})")
    return values


def _frame(element: ElementTree.Element | None, where: str) -> tuple[Floats, Floats]:
    """R and the place of an <origin>: fixed-axis roll, pitch, yaw."""
    place = _numbers(element, "xyz", "0 0 0", 3, where)
    r, p, y = _numbers(element, "rpy", "0 0 0", 3, where)
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    R = np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip
    return R, place


class _Writer:
    """Reads the elements, places the links at the zero of every joint, and writes."""

    def __init__(self, robot: ElementTree.Element, floating: bool) -> None:
        self.floating = floating
        self.name = robot.get("name", "robot")
        self.links: dict[str, _Link | None] = {}
        for element in robot.findall("link"):
            name = self._name(element, "link")
            if name in self.links:
                self._refuse(f"link '{name}'", "exists twice")
            self.links[name] = self._inertial(element, f"link '{name}'")
        self.joints = [self._joint(element) for element in robot.findall("joint")]
        self.outer: dict[str, list[_Joint]] = {name: [] for name in self.links}
        inner: dict[str, str] = {}
        names: set[str] = set()
        for joint in self.joints:
            if joint.name in names:
                self._refuse(f"joint '{joint.name}'", "exists twice")
            names.add(joint.name)
            for link in (joint.parent, joint.child):
                if link not in self.links:
                    self._refuse(f"joint '{joint.name}'", f"unknown link '{link}'")
            if joint.child in inner:
                self._refuse(f"link '{joint.child}'", f"is the child of two joints, '{inner[joint.child]}' and '{joint.name}'")
            inner[joint.child] = joint.name
            self.outer[joint.parent].append(joint)
        roots = [name for name in self.links if name not in inner]
        if len(roots) != 1:
            self._refuse("robot", f"expected one root link (got {', '.join(roots) or 'a loop'})")
        self.root = roots[0]
        self.dropped: list[str] = []

    def _refuse(self, where: str, message: str) -> NoReturn:
        raise UrdfError(f"{where}: {message}")

    def _name(self, element: ElementTree.Element, what: str) -> str:
        name = element.get("name", "")
        clean = re.sub(r"\W", "_", name, flags=re.ASCII)
        clean = clean if clean[:1].isalpha() else f"n{clean}"
        if fault := name_fault(clean, in_expressions=False):
            self._refuse(f"{what} '{name[:60]}'", fault)
        return clean

    def _inertial(self, element: ElementTree.Element, where: str) -> _Link | None:
        inertial = element.find("inertial")
        if inertial is None:
            return None
        mass = float(_numbers(inertial.find("mass"), "value", "0", 1, where)[0])
        tensor = inertial.find("inertia")
        entries = [_numbers(tensor, key, "0", 1, where)[0] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        if mass == 0.0:
            return None
        R, centre = _frame(inertial.find("origin"), where)
        return _Link(mass, R, centre, np.array(entries))

    def _joint(self, element: ElementTree.Element) -> _Joint:
        name, kind = self._name(element, "joint"), element.get("type", "")
        where = f"joint '{name}'"
        if element.find("mimic") is not None:
            self._refuse(where, "mimic joints cannot be converted; add a holonomic constraint to the model by hand")
        if kind not in _TYPES:
            self._refuse(where, f"unknown type '{kind[:60]}'; known are {', '.join(_TYPES)}")
        parent, child = element.find("parent"), element.find("child")
        if parent is None or child is None:
            self._refuse(where, "expected <parent> and <child>")
        ends = [re.sub(r"\W", "_", x.get("link", ""), flags=re.ASCII) for x in (parent, child)]
        ends = [x if x[:1].isalpha() else f"n{x}" for x in ends]
        R, origin = _frame(element.find("origin"), where)
        axis = _numbers(element.find("axis"), "xyz", "1 0 0", 3, where)
        if kind in ("revolute", "continuous", "prismatic", "planar") and not np.linalg.norm(axis) > 0.0:
            self._refuse(where, "the axis is zero")
        limit = element.find("limit")
        limits = ", ".join(f"{key} {value}" for key, value in sorted(limit.items())) if limit is not None else ""
        return _Joint(name, kind, ends[0], ends[1], R, origin, axis, re.sub(r"[^\w .,+-]", "", limits, flags=re.ASCII))

    def _massive(self) -> set[str]:
        """Links that have mass or carry some."""
        order, found = [self.root], set()
        for link in order:
            order += [joint.child for joint in self.outer[link]]
        if len(order) != len(self.links):
            self._refuse("robot", "the joints form a loop")
        for link in reversed(order):
            if self.links[link] is not None or any(joint.child in found for joint in self.outer[link]):
                found.add(link)
        return found

    def text(self, source: str) -> str:
        """The model file."""
        massive = self._massive()
        bodies, joints = [], []
        if self.floating and self.links[self.root] is None:
            self._refuse(f"link '{self.root}'", "the root has no inertia and cannot float")
        holder = {self.root: self.root if self.floating else "ground"}  # link -> body that carries it
        pose: dict[str, tuple[Floats, Floats]] = {self.root: (np.eye(3), np.zeros(3))}
        if self.floating:
            bodies.append(self._body(self.root, *pose[self.root]))
        order = [self.root]
        for link in order:
            R, place = pose[link]
            for joint in self.outer[link]:
                if joint.child not in massive:
                    self.dropped.append(joint.child)
                    continue
                at, turned = place + R @ joint.origin, R @ joint.R
                pose[joint.child] = (turned, at)
                order.append(joint.child)
                if self.links[joint.child] is None:
                    if joint.kind != "fixed":
                        self._refuse(
                            f"link '{joint.child}'", f"has no mass between moving joints ('{joint.name}' moves it); give it an inertia"
                        )
                    holder[joint.child] = holder[link]
                    continue
                holder[joint.child] = joint.child
                bodies.append(self._body(joint.child, turned, at))
                keys = f"type: {_TYPES[joint.kind]}, bodies: [{holder[link]}, {joint.child}]"
                if joint.kind != "floating":
                    keys += f", at: {_list(at)}"
                if _TYPES[joint.kind] in ("revolute", "prismatic", "planar"):
                    keys += f", axis: {_list(turned @ joint.axis)}"
                joints.append(f"  {joint.name}: {{{keys}}}" + f"  # {joint.limits}" * bool(joint.limits))
        if not bodies:
            self._refuse("robot", "no link that moves has an inertia")
        name = re.sub(r"[^\w .-]", "", self.name, flags=re.ASCII).strip() or "robot"
        lines = [f"# {name}, converted from {re.sub(r'[^ -~]', '', source)}; limits in comments are not enforced"]
        lines += [f"# left out, without mass: {', '.join(self.dropped)}"] * bool(self.dropped)
        lines += [f'name: "{name}"', "dimension: 3", "gravity: [0, 0, -9.81]", "coordinates: joint", "bodies:", *bodies]
        lines += ["joints:", *joints] * bool(joints)
        return "\n".join([*lines, "simulation: {end: 1, step: 1e-3, method: aba}"]) + "\n"

    def _body(self, name: str, R: Floats, place: Floats) -> str:
        link = self.links[name]
        assert link is not None
        from mbsim.model.rotations import quaternion_from_matrix

        quaternion = quaternion_from_matrix((R @ link.R).tolist())
        return (
            f"  {name}: {{mass: {link.mass!r}, inertia: {_list(link.inertia)}, position: {_list(place + R @ link.centre)}, "
            f"orientation: {{quaternion: {_list(quaternion)}}}}}"
        )


def _list(values: "Floats | list[float]") -> str:
    """Numbers with all their digits."""
    return "[" + ", ".join(repr(float(x) + 0.0) for x in values) + "]"
