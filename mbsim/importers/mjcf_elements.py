"""The elements of an MJCF file (MuJoCo's XML): files that it includes, default classes, what its compiler is told, numbers, orientations.

Files are included from the folder of the main file and its subfolders only, each once. A class of defaults has what its parent has and its
own; an element takes the keys that it lacks from its `class`, else from the `childclass` of the bodies around it, else from `main`.
"""

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from mbsim.importers.urdf_elements import Floats, RobotError, parse
from mbsim.model.rotations import matrix_from_quaternion, quaternion_from_axis, unit

MAX_ELEMENTS = 500_000  # with those of all included files
LARGEST = 1e50  # of a number, as in a model file
MAIN = "main"  # the class of all elements
WORDS = {"true": True, "false": False}
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
# Lists of which an element may give the first numbers only: the others are those of its class.
_FILLED = ("size", "gear", "gainprm", "biasprm", "dynprm", "polycoef")
_ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "plugin", "pid", "dcmotor",
    "orientation",
)  # fmt: skip
Keys = dict[str, str]


def numbers(keys: Mapping[str, str], key: str, default: str, count: int | None, where: str) -> Floats:
    """The numbers of a key; `count` None: as many as there are. Raises RobotError, which names `where`."""
    text = keys.get(key, default)
    try:
        values = np.array([float(x) for x in text.split()])
    except ValueError:
        values = np.full(1, np.nan)
    if (count is not None and values.size != count) or not (np.abs(values) <= LARGEST).all():
        expected = "finite numbers" if count is None else "a finite number" if count == 1 else f"{count} finite numbers"
        raise RobotError(f"{where}: {key}: expected {expected} (got {text[:60]!r})")
    return values


def number(keys: Mapping[str, str], key: str, default: float, where: str) -> float:
    """One number of a key."""
    return float(numbers(keys, key, repr(default), 1, where)[0])


def fill_numbers(keys: Mapping[str, str], key: str, default: str, where: str) -> Floats:
    """The numbers of a key in front of those of its default."""
    given, usual = numbers(keys, key, "", None, where), numbers({}, key, default, None, where)
    return np.concatenate([given, usual[len(given) :]])


def flag(keys: Mapping[str, str], key: str, default: bool, where: str) -> bool:
    """A key that is true or false."""
    text = keys.get(key)
    if text is not None and text not in WORDS:
        raise RobotError(f"{where}: {key}: expected true or false (got {text[:60]!r})")
    return default if text is None else WORDS[text]


def word(keys: Mapping[str, str], key: str, default: str, allowed: tuple[str, ...], where: str) -> str:
    """A key that is one of some words."""
    text = keys.get(key, default)
    if text not in allowed:
        raise RobotError(f"{where}: unknown {key} {text[:60]!r}; known are {', '.join(allowed)}")
    return text


@dataclass
class Mjcf:
    """A file with all that it includes."""

    path: Path
    root: Element
    compiler: Keys
    classes: dict[str, dict[str, Keys]] = field(default_factory=lambda: {MAIN: {}})  # class -> kind of element -> its keys

    @property
    def folder(self) -> Path:
        """Of the main file."""
        return self.path.absolute().parent

    def sections(self, name: str) -> Iterator[Element]:
        """What the sections of this name contain; a file may have several."""
        for section in self.root.findall(name):
            yield from section

    def keys(self, element: Element, around: str) -> Keys:
        """The keys of an element with the defaults of its class; `around` is the childclass of what contains it."""
        name = element.get("class", around)
        if name not in self.classes:
            raise RobotError(f"<{element.tag}> '{element.get('name', '')[:60]}': unknown default class '{name[:60]}'")
        of_class, kind = self.classes[name], element.tag
        usual = dict(of_class.get("general", {})) if kind in _ACTUATORS else {}
        usual |= of_class.get(kind, {})
        return _over(usual, dict(element.attrib))

    def inside(self, element: Element, around: str) -> str:
        """The class of what a body or frame contains."""
        name = element.get("childclass", around)
        if name not in self.classes:
            raise RobotError(f"<{element.tag}> '{element.get('name', '')[:60]}': unknown default class '{name[:60]}'")
        return name

    def angle(self, values: Floats) -> Floats:
        """Angles of the file in rad."""
        return values if self.compiler.get("angle", "degree") == "radian" else np.radians(values)

    def orientation(self, keys: Mapping[str, str], where: str) -> Floats:
        """(3, 3) frame of an element -> frame around it."""
        given = [key for key in ORIENTATIONS if key in keys]
        if len(given) > 1:
            raise RobotError(f"{where}: has several orientations: {', '.join(given)}")
        if not given:
            return np.eye(3)
        key = given[0]
        try:
            return self._turned(keys, key, where)
        except ValueError as error:
            if isinstance(error, RobotError):
                raise
            raise RobotError(f"{where}: {key}: {error}") from None

    def _turned(self, keys: Mapping[str, str], key: str, where: str) -> Floats:
        x = numbers(keys, key, "", {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}[key], where)
        if key == "quat":
            return np.array(matrix_from_quaternion(unit(x.tolist())))
        if key == "axisangle":
            return about(x[:3], float(self.angle(x[3:])[0]))
        if key == "xyaxes":
            first = np.array(unit(x[:3].tolist()))
            second = np.array(unit((x[3:] - (first @ x[3:]) * first).tolist()))
            return np.array([first, second, np.cross(first, second)]).T
        if key == "zaxis":
            return along(x)
        order = self.compiler.get("eulerseq", "xyz")
        if len(order) != 3 or set(order) - set("xyzXYZ"):
            raise RobotError(f"<compiler>: eulerseq: expected three of the letters x, y, z, X, Y, Z (got {order[:60]!r})")
        R = np.eye(3)
        for letter, angle in zip(order, self.angle(x), strict=True):
            turn = about(np.eye(3)["xyz".index(letter.lower())], float(angle))
            R = R @ turn if letter.islower() else turn @ R  # lower case: about axes that turn with it
        return R


def about(axis: Floats, angle: float) -> Floats:
    """(3, 3) rotation about an axis. Raises ValueError for an axis of zero."""
    return np.array(matrix_from_quaternion(quaternion_from_axis(unit(axis.tolist()), angle)))


def along(axis: Floats) -> Floats:
    """(3, 3) the smallest rotation that takes z along an axis. Raises ValueError for an axis of zero."""
    z = np.array(unit(axis.tolist()))
    across = np.array([-z[1], z[0], 0.0])
    sine = float(np.linalg.norm(across))
    if sine < 1e-10:  # as MuJoCo decides it
        return np.diag([1.0, math.copysign(1.0, z[2]), math.copysign(1.0, z[2])])
    return about(across, math.atan2(sine, z[2]))


def _over(usual: Keys, own: Keys) -> Keys:
    """Keys over defaults. An orientation replaces one of another form, and the first numbers of some lists leave the others."""
    if any(key in own for key in ORIENTATIONS):
        usual = {key: text for key, text in usual.items() if key not in ORIENTATIONS}
    for key in _FILLED:
        if key in usual and key in own:
            rest = usual[key].split()[len(own[key].split()) :]
            own[key] = " ".join([own[key], *rest])
    return usual | own


def source(path: Path, root: Element) -> Mjcf:
    """A file, read, with what it includes, its compiler's settings and its classes. Raises RobotError, OSError."""
    _include(path, root)
    compiler: Keys = {}
    for item in root.findall("compiler"):
        compiler |= item.attrib
    word(compiler, "angle", "degree", ("degree", "radian"), "<compiler>")
    found = Mjcf(path, root, compiler)
    for section in root.findall("default"):
        _classes(section, found.classes)
    return found


def _include(path: Path, root: Element) -> None:
    """Put the elements of included files in place of each <include>."""
    home = path.absolute().parent.resolve()
    seen, pending, count = {path.resolve()}, [(root, home)], 0
    while pending:
        element, folder = pending.pop()
        kept, waiting = [], deque((child, folder) for child in element)
        while waiting:
            child, folder = waiting.popleft()
            count += 1
            if count > MAX_ELEMENTS:
                raise RobotError(f"{path}: more than {MAX_ELEMENTS} elements with all included files")
            if child.tag != "include":
                kept.append(child)
                pending.append((child, folder))
                continue
            file = _find_included(child.get("file", ""), home, folder)
            if file in seen:
                raise RobotError(f"<include>: {file.relative_to(home)} is included already: once is allowed, and no circle")
            seen.add(file)
            inner = parse(file)
            if inner.tag not in ("mujoco", "mujocoinclude"):
                raise RobotError(f"<include>: {file.relative_to(home)}: expected <mujoco> or <mujocoinclude> (got <{inner.tag[:60]}>)")
            waiting.extendleft((item, file.parent) for item in reversed(inner))
        element[:] = kept


def _classes(section: Element, classes: dict[str, dict[str, Keys]]) -> None:
    """The classes of a <default> and of those inside it."""
    pending: list[tuple[Element, str | None]] = [(section, None)]
    while pending:
        element, parent = pending.pop()
        name = element.get("class", MAIN if parent is None else "")
        if not name:
            raise RobotError("<default>: a class inside another one needs a name (class)")
        if name in classes and not (parent is None and name == MAIN):
            raise RobotError(f"<default>: the class '{name[:60]}' exists already; a class cannot contain itself or come twice")
        own = classes.setdefault(name, {kind: dict(keys) for kind, keys in classes[parent or MAIN].items()})
        for item in element:
            if item.tag != "default":
                own[item.tag] = _over(own.get(item.tag, {}), dict(item.attrib))
        pending += [(item, name) for item in reversed(element) if item.tag == "default"]


def _find_included(name: str, home: Path, folder: Path) -> Path:
    """The file that an <include> names: from the main file's folder on, else from that of the file that includes it."""
    places = [(place / name).resolve() for place in (home, folder)] if name and name.isprintable() else []
    inside = [place for place in places if place.is_relative_to(home)]
    if not inside:
        raise RobotError(f"<include>: {name[:200]!r} is not in the folder of the main file, {home}")
    for place in inside:
        if place.is_file():
            return place
    raise RobotError(f"<include>: there is no file {name[:200]!r} in {home}")
