"""URDF -> a model file in joint coordinates. Entities and document types are refused before the text is parsed.

Links become bodies with the inertial frame as body axes, so `position` is the centre of mass. Joints keep their names and their zero. The
root link is the ground, or floats. Links that fixed joints connect form a group, which moves as one. Every link of a group that can be a
body of its own becomes one. The mass and the inertia of the other links (a link without mass may have inertia, a point mass has none) are
added to the body that they are fixed to. If no link can be a body, the whole group is one body; it may have inertia and no mass. A group
without mass and inertia is left out if nothing with mass hangs on it, and refused otherwise.

The written model is read and assembled, and its mass matrix is checked: a model that `check` refuses is refused with the link's name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

import numpy as np

from mbsim.importers.urdf_elements import Floats, UrdfError, frame, listed, numbers
from mbsim.importers.urdf_visuals import Visual, shape_lines, visuals
from mbsim.model.expressions import WORDS
from mbsim.model.names import GROUND, name_fault
from mbsim.model.rotations import check_inertia, quaternion_from_matrix

__all__ = ["Conversion", "UrdfError", "conversion", "convert"]

MAX_BYTES = 20_000_000  # of the file; meshes are separate files, and robots of a thousand links stay below one million
_TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_FORBIDDEN = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True)
class Conversion:
    """A robot as a model file."""

    text: str  # YAML
    notes: tuple[str, ...]  # features of the robot that are missing or changed in the model: one line each


@dataclass(frozen=True)
class _Link:
    mass: float
    R: Floats  # inertial frame -> link frame; for a placed link -> global frame
    centre: Floats
    inertia: Floats  # (6,) xx yy zz xy xz yz, inertial frame

    @property
    def matrix(self) -> Floats:
        """(3, 3), inertial frame."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def is_body(self) -> bool:
        """Whether it can be a body of its own: it has mass, and inertia about any axis."""
        return self.mass > 0.0 and _is_inertia(self.matrix)

    def moved(self, R: Floats, place: Floats) -> "_Link":
        """The link in a frame in which its own frame is rotated by R and located at `place`."""
        return _Link(self.mass, R @ self.R, place + R @ self.centre, self.inertia)


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
    damping: float  # N s/m or N m s/rad
    friction: float


def convert(path: str | Path, floating: bool = False, folder: str | Path = ".") -> str:
    """The YAML text of the model. Raises UrdfError, OSError."""
    return conversion(path, floating, folder).text


def conversion(path: str | Path, floating: bool = False, folder: str | Path = ".") -> Conversion:
    """The model with its notes. `folder` is where the model file will be: names of meshes begin there.

    Raises UrdfError, also for a model that cannot be assembled, and OSError.
    """
    with Path(path).open("rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise UrdfError(f"{path}: longer than {MAX_BYTES // 1_000_000} MB")
    if _FORBIDDEN.search(raw) or b"\0" in raw:  # a null byte: UTF-16, in which the search would not find the words
        raise UrdfError(f"{path}: document types and entities are not allowed, nor is UTF-16")
    try:
        robot = ElementTree.fromstring(raw)
    except ElementTree.ParseError as error:
        raise UrdfError(f"{path}: not XML: {error}") from None
    if robot.tag != "robot":
        raise UrdfError(f"{path}: expected <robot> (got <{robot.tag}>)")
    made = _Writer(robot, floating, Path(path), Path(folder).absolute()).model(Path(path).name)
    _check(made.text, Path(folder))
    return made


def _check(text: str, folder: Path) -> None:
    """Raise UrdfError if the model is refused, or if something without inertia moves."""
    from mbsim import registry
    from mbsim.analyses.failures import without_inertia
    from mbsim.assembly import assemble
    from mbsim.model.errors import ModelError
    from mbsim.model.load import load

    try:
        made = assemble(load(text, registry, file=str(folder / "the model")))
    except ModelError as error:
        raise UrdfError("\n".join(_in_words_of_robots(problem.path, problem.message) for problem in error.problems)) from None
    except ValueError as error:
        raise UrdfError(f"robot: {error}") from None
    if names := without_inertia(made.system, made.start, made.q):
        raise UrdfError(f"robot: nothing with mass or inertia moves with {', '.join(names)}: give the links behind it an inertia")


def _in_words_of_robots(path: str, message: str) -> str:
    """`bodies.hand.inertia` -> `link 'hand': inertia`."""
    section, _, rest = path.partition(".")
    name, _, key = rest.partition(".")
    what = {"bodies": "link", "joints": "joint", "forces": "joint"}.get(section)
    return f"{what} '{name}': {key}{': ' * bool(key)}{message}" if what else f"robot: {path}: {message}"


def _is_inertia(matrix: Floats) -> bool:
    try:
        check_inertia(matrix.tolist())
    except ValueError:
        return False
    return True


def _together(links: Sequence[_Link]) -> _Link:
    """Links in one frame combined into one; its axes are those of the first."""
    mass, R = sum(link.mass for link in links), links[0].R
    centre = sum((link.mass * link.centre for link in links), np.zeros(3)) / mass if mass > 0.0 else links[0].centre
    total = np.zeros((3, 3))
    for link in links:
        turned, arm = R.T @ link.R, R.T @ (link.centre - centre)
        total += turned @ link.matrix @ turned.T + link.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return _Link(mass, R, centre, total[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])


def _clean(name: str) -> str:
    """A name that is valid in a model."""
    clean = re.sub(r"\W", "_", name, flags=re.ASCII)
    clean = clean if clean[:1].isalpha() else f"n{clean}"
    return f"{clean}_" if clean == GROUND or clean in WORDS else clean


@dataclass
class _Group:
    """Links that fixed joints connect: they move as one."""

    root: str
    joint: _Joint | None  # the joint that moves it; None: the robot's root
    members: list[str] = field(default_factory=list)
    has_mass: bool = False  # mass or inertia, of the group or of what hangs on it


class _Writer:
    """Reads the elements, places the links at the zero of every joint, and writes the model."""

    def __init__(self, robot: ElementTree.Element, floating: bool, path: Path, folder: Path) -> None:
        self.floating = floating
        self.notes: list[str] = []
        self.visuals: dict[str, list[Visual]] = {}
        self.name = robot.get("name", "robot")
        self.links: dict[str, _Link | None] = {}
        for element in robot.findall("link"):
            name = self._name(element, "link")
            if name in self.links:
                self._refuse(f"link '{name}'", "exists twice")
            self.links[name] = self._inertial(element, f"link '{name}'")
            self.visuals[name] = visuals(element, name, path, folder, self.notes)
        self.joints = [self._joint(element) for element in robot.findall("joint")]
        self.outer: dict[str, list[_Joint]] = {name: [] for name in self.links}
        self.inner: dict[str, _Joint] = {}
        names: set[str] = set()
        for joint in self.joints:
            if joint.name in names:
                self._refuse(f"joint '{joint.name}'", "exists twice")
            names.add(joint.name)
            for link in (joint.parent, joint.child):
                if link not in self.links:
                    self._refuse(f"joint '{joint.name}'", f"unknown link '{link}'")
            if joint.child in self.inner:
                self._refuse(f"link '{joint.child}'", f"is the child of two joints, '{self.inner[joint.child].name}' and '{joint.name}'")
            self.inner[joint.child] = joint
            self.outer[joint.parent].append(joint)
        if not self.links:
            self._refuse("robot", "has no links")
        roots = [name for name in self.links if name not in self.inner]
        if len(roots) != 1:
            self._refuse("robot", f"expected one root link (got {', '.join(roots) or 'none: the joints form a loop'})")
        self.root = roots[0]
        self.order, self.pose = self._placed()

    def _refuse(self, where: str, message: str) -> NoReturn:
        raise UrdfError(f"{where}: {message}")

    def _name(self, element: ElementTree.Element, what: str) -> str:
        name = element.get("name", "")
        clean = _clean(name)
        if fault := name_fault(clean, in_expressions=False):
            self._refuse(f"{what} '{name[:60]}'", fault)
        return clean

    def _inertial(self, element: ElementTree.Element, where: str) -> _Link | None:
        inertial = element.find("inertial")
        if inertial is None:
            return None
        mass = float(numbers(inertial.find("mass"), "value", "0", 1, where)[0])
        tensor = inertial.find("inertia")
        entries = [numbers(tensor, key, "0", 1, where)[0] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        if mass < 0.0:
            self._refuse(where, f"a mass must not be negative (got {mass:g})")
        if mass == 0.0 and not any(entries):
            return None
        R, centre = frame(inertial.find("origin"), where)
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
        ends = [_clean(x.get("link", "")) for x in (parent, child)]
        R, origin = frame(element.find("origin"), where)
        axis = numbers(element.find("axis"), "xyz", "1 0 0", 3, where)
        if kind in ("revolute", "continuous", "prismatic", "planar") and not np.linalg.norm(axis) > 0.0:
            self._refuse(where, "the axis is zero")
        limit = element.find("limit")
        limits = ", ".join(f"{key} {value}" for key, value in sorted(limit.items())) if limit is not None else ""
        limits = re.sub(r"[^\w .,+-]", "", limits, flags=re.ASCII)
        dynamics = element.find("dynamics")
        damping, friction = (float(numbers(dynamics, key, "0", 1, where)[0]) for key in ("damping", "friction"))
        return _Joint(name, kind, ends[0], ends[1], R, origin, axis, limits, damping, friction)

    def _placed(self) -> tuple[list[str], dict[str, tuple[Floats, Floats]]]:
        """The links from the root out, and their frames at the zero of every joint: R and place, global."""
        order, pose = [self.root], {self.root: (np.eye(3), np.zeros(3))}
        for link in order:
            R, place = pose[link]
            for joint in self.outer[link]:
                pose[joint.child] = R @ joint.R, place + R @ joint.origin
                order.append(joint.child)
        if len(order) != len(self.links):
            self._refuse("robot", "the joints form a loop")
        return order, pose

    def _groups(self) -> list[_Group]:
        """The groups of links that fixed joints connect, from the root out."""
        first = _Group(self.root, None)
        groups, of = [first], {self.root: first}
        for link in self.order:
            of[link].members.append(link)
            for joint in self.outer[link]:
                if joint.kind == "fixed":
                    of[joint.child] = of[link]
                else:
                    of[joint.child] = _Group(joint.child, joint)
                    groups.append(of[joint.child])
        for group in reversed(groups):
            group.has_mass = group.has_mass or any(self.links[link] is not None for link in group.members)
            if group.joint is not None and group.has_mass:
                of[group.joint.parent].has_mass = True
        return groups

    def _bodies(self, group: _Group, notes: list[str]) -> tuple[dict[str, _Link], dict[str, str]]:
        """The links of a group that become bodies, placed, with the additions of other links; and the body that carries each link."""
        given = {name: link.moved(*self.pose[name]) for name in group.members if (link := self.links[name]) is not None}
        own = [name for name, link in given.items() if link.is_body]
        ground = group.joint is None and not self.floating
        if not given and not ground:
            if group.joint is None:
                self._refuse(f"link '{group.root}'", "the root has no inertia and cannot float")
            why = f"has no mass between moving joints ('{group.joint.name}' moves it); give it an inertia"
            self._refuse(f"link '{group.root}'", why)
        first = "ground" if ground else own[0] if own else group.root
        holder = {group.root: first}
        for name in group.members[1:]:
            holder[name] = name if name in own or name == first else holder[self.inner[name].parent]
        carried = {body: [name for name in given if holder[name] == body] for body in dict.fromkeys(holder.values()) if body != "ground"}
        for body, names in carried.items():
            if added := [name for name in names if name != body]:
                notes.append(f"the mass and inertia of {', '.join(added)} are part of the body {body}, to which fixed joints tie them")
        placed = {body: _together([given[name] for name in sorted(names, key=lambda n: n != body)]) for body, names in carried.items()}
        return placed, holder

    def model(self, source: str) -> Conversion:
        """The model file."""
        notes = self.notes
        bodies: dict[str, str] = {}
        frames = {GROUND: (np.eye(3), np.zeros(3))}
        holder: dict[str, str] = {}  # link -> body that carries it
        groups = self._groups()
        for group in groups:
            if not group.has_mass and (group.joint is not None or self.floating):
                continue
            placed, carried = self._bodies(group, notes)
            bodies |= {name: _body(name, link) for name, link in placed.items()}
            frames |= {name: (link.R, link.centre) for name, link in placed.items()}
            holder |= carried
        shapes = self._shapes(holder, frames)
        dropped = [link for link in self.order[1:] if self.links[link] is None]
        if dropped:
            notes.append(f"left out, without mass: {', '.join(dropped)}")
        if not bodies:
            self._refuse("robot", "no link that moves has an inertia")
        joints, forces = [], []
        for joint in (joint for link in self.order for joint in self.outer[link] if joint.child in holder):
            first, second = holder[joint.parent], holder[joint.child]
            if first != second:
                joints.append(self._joint_line(joint, first, second))
                forces += self._force_lines(joint, notes)
        name = re.sub(r"[^\w .-]", "", self.name, flags=re.ASCII).strip() or "robot"
        lines = [f"# {name}, converted from {re.sub(r'[^ -~]', '', source)}; limits in comments are not enforced"]
        lines += [f"# {note}" for note in notes]
        lines += [f'name: "{name}"', "dimension: 3", "gravity: [0, 0, -9.81]", "coordinates: joint"]
        lines += [f"ground: {{shape: {shapes[GROUND]}}}"] if GROUND in shapes else []
        lines += ["bodies:", *(f"{line}{f', shape: {shapes[body]}' if body in shapes else ''}}}" for body, line in bodies.items())]
        lines += ["joints:", *joints] * bool(joints) + ["forces:", *forces] * bool(forces)
        return Conversion("\n".join([*lines, "simulation: {end: 1, step: 1e-3, method: aba}"]) + "\n", tuple(notes))

    def _shapes(self, holder: dict[str, str], frames: dict[str, tuple[Floats, Floats]]) -> dict[str, str]:
        """What each body looks like: the visuals of the links that it carries."""
        shapes: dict[str, list[tuple[Visual, Floats, Floats]]] = {}
        for link, body in holder.items():
            for visual in self.visuals[link]:
                shapes.setdefault(body, []).append((visual, *self.pose[link]))
        return {body: shape_lines(found, *frames[body]) for body, found in shapes.items()}

    def _joint_line(self, joint: _Joint, first: str, second: str) -> str:
        turned, at = self.pose[joint.child]
        keys = f"type: {_TYPES[joint.kind]}, bodies: [{first}, {second}]"
        if joint.kind != "floating":
            keys += f", at: {listed(at)}"
        if _TYPES[joint.kind] in ("revolute", "prismatic", "planar"):
            keys += f", axis: {listed(turned @ joint.axis)}"
        return f"  {joint.name}: {{{keys}}}" + f"  # {joint.limits}" * bool(joint.limits)

    def _force_lines(self, joint: _Joint, notes: list[str]) -> list[str]:
        """The damping of a joint with one coordinate. Features that are not converted become notes."""
        if joint.friction != 0.0:
            how = f"; a force {{type: joint_friction, joint: {joint.name}, coulomb: ..., transition_speed: ...}} would be it"
            notes.append(f"the friction of joint {joint.name} ({joint.friction:g}) is not taken{how}")
        if joint.damping == 0.0 or joint.kind == "fixed":
            return []
        if _TYPES[joint.kind] not in ("revolute", "prismatic"):
            notes.append(f"the damping of joint {joint.name} ({joint.damping:g}) is not taken: it has several coordinates")
            return []
        if joint.damping < 0.0:
            self._refuse(f"joint '{joint.name}'", f"a damping must not be negative (got {joint.damping:g})")
        return [f"  {joint.name}_damping: {{type: joint_friction, joint: {joint.name}, viscous: {joint.damping!r}}}"]


def _body(name: str, link: _Link) -> str:
    """The block of a body, not closed."""
    quaternion = quaternion_from_matrix(link.R.tolist())
    return (
        f"  {name}: {{mass: {link.mass!r}, inertia: {listed(link.inertia)}, position: {listed(link.centre)}, "
        f"orientation: {{quaternion: {listed(quaternion)}}}"
    )
