"""The bodies of MJCF as links and joints.

A link's frame is the frame of its body, with its origin moved to where its last joint turns. A body with several joints becomes a chain of
links, of which only the last has mass, with a joint each in the order of the file. A body without joints is fixed to the body around it.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from mbsim.importers.mjcf_elements import MAIN, Keys, Mjcf, fill_numbers, flag, number, numbers, word
from mbsim.importers.mjcf_geoms import Geoms
from mbsim.importers.robot import Joint, Link, Names, Robot
from mbsim.importers.robot_groups import together
from mbsim.importers.urdf_elements import Faults, Floats, RobotError

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
COORDINATES = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}  # in the lists of a keyframe
SPEEDS = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
BUILDERS = ("replicate", "composite", "flexcomp")  # elements that make bodies which are not in the file
WORLD = "world"


class Placed(NamedTuple):
    """An element of a body, with the frame of the <frame> elements around it in the body's frame, and the class around it."""

    element: Element
    R: Floats
    place: Floats
    around: str


class Met(NamedTuple):
    """A geom that was read."""

    label: str  # its name in the file, or nothing
    where: str  # how messages call it
    link: str
    keys: Keys
    R: Floats  # (3, 3) frame in which its keys place it -> link frame
    place: Floats  # (3,)
    visual: int | None  # which visual of its link it is


@dataclass(frozen=True)
class Found:
    """What other elements of the file may name."""

    link: dict[str, str]  # body of the file -> link
    offset: dict[str, Floats]  # link -> (3,) its origin in the body's frame
    joint: dict[str, str]  # joint of the file -> joint
    kinds: dict[str, str]  # joint -> hinge, slide, ball, free; in the order of a keyframe
    ref: dict[str, float]  # joint -> its number in a keyframe where its coordinate is zero
    effort: dict[str, tuple[float, float]]  # joint -> least and greatest sum of what its actuators exert
    site: dict[str, tuple[str, Floats]]  # site -> link, and its place in that frame
    springs: dict[str, Floats]  # joint -> time constant and damping ratio, which its spring and damper follow from


class Bodies:
    """Reads <worldbody> into a robot."""

    def __init__(self, file: Mjcf, robot: Robot, geoms: Geoms) -> None:
        self.file, self.robot, self.geoms = file, robot, geoms
        self.links, self.joints = Names("body"), Names("joint")
        self.found = Found({}, {}, {}, {}, {}, {}, {}, {})
        self.bounds = {key: number(file.compiler, key, 0.0, "<compiler>") for key in ("boundmass", "boundinertia")}
        self.balanced = flag(file.compiler, "balanceinertia", False, "<compiler>")
        self.from_geoms = word(file.compiler, "inertiafromgeom", "auto", ("auto", "true", "false"), "<compiler>")
        self.faults = Faults()
        self.scenery = 0  # sites, cameras, lights
        self.met: list[Met] = []  # geoms

    def read(self) -> Found:
        """The links and joints of all bodies. Raises RobotError."""
        file, robot, found = self.file, self.robot, self.found
        world = self.links.add(WORLD)
        robot.links[world], robot.visuals[world] = None, []
        found.link[WORLD], found.offset[world] = world, np.zeros(3)
        sections = file.root.findall("worldbody")
        pending = deque((item, world) for section in sections for item in self._items(section, file.inside(section, MAIN), world))
        while pending:
            placed, outer = pending.popleft()
            with self.faults.noted():
                link, around = self._body(placed, outer)
                pending.extendleft((item, link) for item in reversed(list(self._items(placed.element, around, link))))
        self.faults.tell()
        self._rest(world)
        self._scale()
        if self.scenery:
            robot.notes.append(f"{self.scenery} sites, cameras and lights are not taken")
        return found

    def _items(self, body: Element, around: str, link: str) -> Iterator[Placed]:
        """The bodies in a body; its geoms and joints are read by `_body`, of the world here."""
        for item in self._within(body, around):
            if item.element.tag == "body":
                yield item
            elif link == self.found.link[WORLD]:
                with self.faults.noted():
                    self._other(item, link, "the world")

    def _within(self, body: Element, around: str) -> Iterator[Placed]:
        """The elements of a body, those in frames too."""
        pending = deque(Placed(item, np.eye(3), np.zeros(3), around) for item in body)
        while pending:
            item = pending.popleft()
            if item.element.tag != "frame":
                yield item
                continue
            keys, where = item.element.attrib, "<frame>"
            place = item.place + item.R @ numbers(keys, "pos", "0 0 0", 3, where)
            R, inner = item.R @ self.file.orientation(keys, where), self.file.inside(item.element, item.around)
            pending.extendleft(Placed(child, R, place, inner) for child in reversed(item.element))

    def _body(self, placed: Placed, outer: str) -> tuple[str, str]:
        """Add a body; returns its link and the class of what it contains."""
        file, robot, found = self.file, self.robot, self.found
        element = placed.element
        given = element.get("name") or f"body_{len(found.link)}"
        name = self.links.add(given)
        where = f"body '{given[:60]}'"
        around = file.inside(element, placed.around)
        items = list(self._within(element, around))
        R = placed.R @ file.orientation(element.attrib, where)
        place = placed.place + placed.R @ numbers(element.attrib, "pos", "0 0 0", 3, where)
        origin = place - found.offset[outer]
        joints = [item for item in items if item.element.tag in ("joint", "freejoint")]
        offset = np.zeros(3)
        parent, turned = outer, R
        if not joints:
            fixed = self.joints.add(f"{given}_fixed")
            robot.joints[fixed] = Joint(fixed, "fixed", parent, name, R, origin, np.array([0.0, 0.0, 1.0]))
        for k, item in enumerate(joints):
            child = name if k == len(joints) - 1 else self.links.add(f"{given}_{k + 1}_of_{len(joints)}")
            robot.links[child], robot.visuals[child] = None, []
            with self.faults.noted():
                joint, at = self._joint(item, given, len(joints) > 1)
                robot.joints[joint.name] = replace(joint, parent=parent, child=child, R=turned, origin=origin + turned @ (at - offset))
                parent, turned, origin, offset = child, np.eye(3), np.zeros(3), at
        found.link[given], found.offset[name] = name, offset
        robot.links[name], robot.visuals[name] = None, []
        with self.faults.noted():
            robot.links[name] = self._inertial(items, where, offset)
        for item in items:
            with self.faults.noted():
                self._other(item, name, where)
        if flag(element.attrib, "mocap", False, where):
            robot.notes.append(f"{where}: a mocap body stands still")
        if gravcomp := number(element.attrib, "gravcomp", 0.0, where):
            robot.lifted[name] = gravcomp
        return name, around

    def _other(self, item: Placed, link: str, where: str) -> None:
        """Geoms, and what is not taken."""
        kind = item.element.tag
        if kind == "geom":
            self._shape(item, link)
        elif kind in BUILDERS:
            raise RobotError(f"{where}: <{kind}> makes bodies that are not in the file; save the model from MuJoCo, which writes them out")
        elif kind in ("site", "camera", "light"):
            self.scenery += 1
            if kind == "site" and (name := item.element.get("name")):
                at = numbers(self.file.keys(item.element, item.around), "pos", "0 0 0", 3, f"site '{name[:60]}'")
                self.found.site[name] = (link, item.place + item.R @ at - self.found.offset[link])
        elif kind not in ("body", "joint", "freejoint", "inertial"):
            self.robot.notes.append(f"{where}: <{kind[:40]}> is not taken")

    def _shape(self, item: Placed, link: str) -> None:
        keys, where = self.file.keys(item.element, item.around), _name_geom(item.element, link)
        visual, visuals, offset = self.geoms.visual(keys, where), self.robot.visuals[link], self.found.offset[link]
        index = None
        if visual is not None:
            index = len(visuals)
            visuals.append(replace(visual, R=item.R @ visual.R, place=item.place + item.R @ visual.place - offset))
        self.met.append(Met(item.element.get("name", ""), where, link, keys, item.R, item.place - offset, index))

    def _inertial(self, items: list[Placed], where: str, offset: Floats) -> Link | None:
        """The inertia of a body in its link's frame."""
        given = [item for item in items if item.element.tag == "inertial"]
        if given and self.from_geoms != "true":
            keys = given[0].element.attrib
            link = _explicit(keys, self.file.orientation(keys, f"{where}: inertial"), f"{where}: inertial")
            link = link.moved(given[0].R, given[0].place)
        elif self.from_geoms == "false":
            return None
        else:
            parts = []
            for item in items:
                if item.element.tag == "geom":
                    with self.faults.noted():
                        mass = self.geoms.mass(self.file.keys(item.element, item.around), _name_geom(item.element, where))
                        parts += [mass.moved(item.R, item.place)] if mass is not None else []
            if not parts:
                return None
            link = together(parts)
        if link.mass == 0.0 and not link.inertia.any():
            return None
        return self._bounded(link).moved(np.eye(3), -offset)

    def _bounded(self, link: Link) -> Link:
        """With the least mass and moments, and the balance, that the compiler is told."""
        least = self.bounds["boundinertia"]
        moments, axes = np.linalg.eigh(link.matrix)
        if link.mass < self.bounds["boundmass"]:
            link = replace(link, mass=self.bounds["boundmass"])
        unbalanced = self.balanced and moments[0] + moments[1] < moments[2]
        if moments[0] >= least and not unbalanced:
            return link
        moments = np.maximum(moments, least)
        if self.balanced and moments[0] + moments[1] < moments[2]:
            moments = np.full(3, moments.mean())
        tensor = axes @ np.diag(moments) @ axes.T
        return replace(link, inertia=tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])

    def _joint(self, item: Placed, body: str, several: bool) -> tuple[Joint, Floats]:
        """A joint, but for what it connects, and where it is in the body's frame."""
        file, found, robot = self.file, self.found, self.robot
        free = item.element.tag == "freejoint"
        keys: Keys = dict(item.element.attrib) if free else file.keys(item.element, item.around)
        given = keys.get("name") or f"{body}_joint{f'_{len(found.kinds) + 1}' if several else ''}"
        name, where = self.joints.add(given), f"joint '{given[:60]}'"
        kind = "free" if free else word(keys, "type", "hinge", tuple(KINDS), where)
        found.joint[given], found.kinds[name] = name, kind
        single = kind in ("hinge", "slide")
        if kind == "free":
            at, axis = np.zeros(3), np.array([0.0, 0.0, 1.0])
        else:
            at = item.place + item.R @ numbers(keys, "pos", "0 0 0", 3, where)
            axis = item.R @ numbers(keys, "axis", "0 0 1", 3, where)
        if single and not np.linalg.norm(axis) > 0.0:
            raise RobotError(f"{where}: the axis is zero")
        ref = self._angle(kind, number(keys, "ref", 0.0, where)) if single else 0.0
        found.ref[name] = ref
        lower, upper, remarks = self._limits(keys, kind, ref, where)
        damping, stiffness = (self._linear(keys, key, where) for key in ("damping", "stiffness"))
        friction, armature = (number(keys, key, 0.0, where) for key in ("frictionloss", "armature"))
        for what, value in (("damping", damping), ("stiffness", stiffness), ("frictionloss", friction), ("armature", armature)):
            if value < 0.0:
                raise RobotError(f"{where}: a {what} must not be negative (got {value:g})")
        if "springdamper" in keys and (given_by := numbers(keys, "springdamper", "", 2, where)).min() > 0.0:
            if kind == "ball":
                robot.notes.append(f"{where}: springdamper of a ball joint is not taken; give stiffness and damping")
            else:
                found.springs[name] = given_by
        if kind == "free":
            for what, value in (("damping", damping), ("stiffness", stiffness), ("armature", armature), ("friction", friction)):
                robot.notes += [f"{where}: the {what} of a free joint ({value:g}) is not taken"] * (value != 0.0)
            damping = stiffness = friction = armature = 0.0
            found.springs.pop(name, None)
        if (effort := limits(file, keys, "actuatorfrcrange", "actuatorfrclimited", where)) is not None:
            found.effort[name] = effort
        rest = self._angle(kind, number(keys, "springref", 0.0, where)) - ref if single else 0.0
        joint = Joint(
            name, KINDS[kind], "", "", np.eye(3), np.zeros(3), axis, lower, upper, remarks, damping, friction,
            stiffness=stiffness, rest=rest, rotor=armature,
        )  # fmt: skip
        return joint, at

    def _angle(self, kind: str, value: float) -> float:
        return value if kind == "slide" else float(self.file.angle(np.array([value]))[0])

    def _linear(self, keys: Keys, key: str, where: str) -> float:
        """A coefficient; further ones, of powers, are not taken."""
        first, *higher = fill_numbers(keys, key, "0", where)
        if any(higher):
            self.robot.notes.append(f"{where}: of the {key} the nonlinear part is not taken")
        return float(first)

    def _limits(self, keys: Keys, kind: str, ref: float, where: str) -> tuple[float, float, str]:
        """Lower, upper, and both in words."""
        given = limits(self.file, keys, "range", "limited", where)
        if given is None:
            return -np.inf, np.inf, ""
        lower, upper = (self._angle(kind, x) for x in given)
        if kind in ("ball", "free"):
            self.robot.notes.append(f"{where}: the limit of a {kind} joint is not taken")
            return -np.inf, np.inf, ""
        return lower - ref, upper - ref, f"lower {lower - ref:.6g}, upper {upper - ref:.6g}"

    def _rest(self, world: str) -> None:
        """Bodies that do not move need no mass: they are part of the ground."""
        robot = self.robot
        still = {world}
        for joint in robot.joints.values():
            if joint.kind == "fixed" and joint.parent in still:
                still.add(joint.child)
                robot.links[joint.child] = None
        for link in still & robot.lifted.keys():
            del robot.lifted[link]

    def _scale(self) -> None:
        """The compiler's total mass."""
        total = number(self.file.compiler, "settotalmass", -1.0, "<compiler>")
        mass = sum(link.mass for link in self.robot.links.values() if link is not None)
        if total > 0.0 and mass > 0.0:
            for name, link in self.robot.links.items():
                if link is not None:
                    self.robot.links[name] = replace(link, mass=link.mass * total / mass, inertia=link.inertia * (total / mass))


def limits(file: Mjcf, keys: Keys, key: str, switch: str, where: str) -> tuple[float, float] | None:
    """A range that is in force; None where there is none."""
    limited = word(keys, switch, "auto", ("auto", "true", "false"), where)
    automatic = flag(file.compiler, "autolimits", True, "<compiler>")
    if key not in keys or limited == "false" or (limited == "auto" and not automatic):
        return None
    lower, upper = numbers(keys, key, "", 2, where)
    return float(lower), float(upper)


def _name_geom(element: Element, around: str) -> str:
    """How messages call a geom."""
    return f"geom '{element.get('name', '')[:60]}'" if element.get("name") else f"a geom of {around}"


def _explicit(keys: Keys, R: Floats, where: str) -> Link:
    """An <inertial>. Raises RobotError."""
    mass, centre = number(keys, "mass", 0.0, where), numbers(keys, "pos", "0 0 0", 3, where)
    if mass < 0.0:
        raise RobotError(f"{where}: a mass must not be negative (got {mass:g})")
    if "fullinertia" in keys:
        if "diaginertia" in keys:
            raise RobotError(f"{where}: has both diaginertia and fullinertia")
        return Link(mass, R, centre, numbers(keys, "fullinertia", "", 6, where))
    return Link(mass, R, centre, np.concatenate([numbers(keys, "diaginertia", "0 0 0", 3, where), np.zeros(3)]))
