"""Models that an MJCF file puts into itself: <attach> takes a body of another file, or all of its world, with a prefix before every name.

The elements of the other file come with the keys of their default classes in them, and with angles, orientations and limits as the compiler
of this file reads them. So they do not depend any more on the file that they are from. What acts on the bodies (equality constraints,
tendons, actuators, pairs and exclusions of contacts) comes along; options and keyframes do not. Attached files may attach others.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

import numpy as np

from mbsim.importers.mjcf_elements import MAIN, ORIENTATIONS, Keys, Mjcf, flag, numbers, source
from mbsim.importers.urdf_elements import Floats, RobotError, parse
from mbsim.model.rotations import quaternion_from_matrix

DEEPEST = 20  # files that attach each other
PLAIN = "(attached)"  # the class of attached elements, which have all keys themselves; no class of a file is called so
NAMES = (
    "name", "mesh", "material", "hfield", "texture", "joint", "joint1", "joint2", "jointinparent", "body", "body1", "body2", "site",
    "site1", "site2", "refsite", "slidersite", "cranksite", "sidesite", "geom", "geom1", "geom2", "tendon", "tendon1", "tendon2",
)  # fmt: skip
# A key, the switch that says whether it is in force, and in which sections it may be.
LIMITS = (("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited"), ("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited"))
OF_MASSES = ("inertiafromgeom", "boundmass", "boundinertia", "balanceinertia", "settotalmass", "inertiagrouprange")
ACTING = ("equality", "tendon", "actuator", "contact")
TURNED = ("euler", "axisangle")  # orientations that the compiler's settings decide
WHOLE = ("body", "frame", "inertial", "freejoint")  # elements without a default class of their own
WORLD = "world"


def compose(path: Path, root: Element, above: tuple[Path, ...] = ()) -> tuple[Mjcf, list[str]]:
    """A file, read, with what it includes and attaches, and what is to be said of that. `above`: the files that attach it.

    Raises RobotError, OSError.
    """
    file, notes = source(path, root), list[str]()
    file.classes[PLAIN] = {}
    models = {
        item.get("name") or _own_name(file, item): item for item in file.sections("asset") if item.tag == "model" and item.get("file")
    }
    for body in [item for section in root.findall("worldbody") for item in section.iter()]:
        for k, item in enumerate(list(body)):
            if item.tag == "attach":
                body[k] = _attach(file, item, models, (*above, path.resolve()), notes)
    return file, notes


def _own_name(file: Mjcf, item: Element) -> str:
    """The name of a model that the file does not name: its own."""
    return parse(_file_of(file, item)).get("model", "")


def _file_of(file: Mjcf, item: Element) -> Path:
    given = item.get("file", "")
    if not given.isprintable() or PurePosixPath(given).is_absolute() or not (found := file.folder / given).is_file():
        raise RobotError(f"<model>: there is no file {given[:200]!r} beside the file that attaches it")
    return found


def _attach(into: Mjcf, item: Element, models: dict[str, Element], above: tuple[Path, ...], notes: list[str]) -> Element:
    """What stands in place of an <attach>; assets, classes and what acts are added to the file."""
    name, prefix, wanted = item.get("model", ""), item.get("prefix", ""), item.get("body")
    where = f"<attach> of '{name[:60]}'"
    if name not in models:
        raise RobotError(f"{where}: there is no such <model> among the assets; they are {', '.join(models) or 'none'}")
    path = _file_of(into, models[name])
    if path.resolve() in above or len(above) >= DEEPEST:
        raise RobotError(f"{where}: {path.name} is attached inside itself, or files attach each other more than {DEEPEST} deep")
    child, inner = compose(path, parse(path), above)
    notes += inner
    for key in OF_MASSES:
        if child.compiler.get(key) != into.compiler.get(key):
            raise RobotError(f"{where}: its compiler's {key} is not that of the file that attaches it, which is not read")
    if any(True for _ in child.sections("keyframe")):
        notes.append(f"{where}: its keyframes are not taken")
    moved = _Moved(child, into, prefix)
    frame = Element("frame")
    for section in child.root.findall("worldbody"):
        frame.extend(_plain(section, MAIN, moved))
    if wanted is not None:
        chosen = [body for body in frame.iter("body") if body.get("name") == prefix + wanted]
        if len(chosen) != 1:
            raise RobotError(f"{where}: it has no body '{wanted[:60]}'")
        frame[:] = chosen
    _add(into, child, moved, {found.get("name") for found in frame.iter()} if wanted is not None else None)
    return frame


class _Moved:
    """Takes elements of one file into another one."""

    def __init__(self, child: Mjcf, into: Mjcf, prefix: str) -> None:
        self.child, self.into, self.prefix = child, into, prefix
        first, second = (file.compiler.get("angle", "degree") == "radian" for file in (child, into))
        self.angles = 1.0 if first == second else np.pi / 180.0 if second else 180.0 / np.pi
        self.limits = [flag(file.compiler, "autolimits", True, "<compiler>") for file in (child, into)]

    def keys(self, element: Element, around: str) -> Keys:
        """The keys of an element with those of its classes, as the other file has to have them. Raises RobotError."""
        if element.tag in WHOLE:
            keys = {key: text for key, text in element.attrib.items() if key != "childclass"}
        else:
            keys = {**self.child.keys(element, around), "class": PLAIN}
        where = f"<{element.tag}> '{keys.get('name', '')[:60]}'"
        for key in NAMES:
            if keys.get(key) and not (keys[key] == WORLD and key.startswith("body")):
                keys[key] = self.prefix + keys[key]
        if any(key in keys for key in TURNED):
            R = self.child.orientation(keys, where)
            keys = {key: text for key, text in keys.items() if key not in ORIENTATIONS}
            keys["quat"] = _text(quaternion_from_matrix(R.tolist()))
        if self.limits[0] != self.limits[1]:
            for key, switch in LIMITS:
                if keys.get(switch, "auto") == "auto" and key in keys:
                    keys[switch] = "true" if self.limits[0] else "false"
        if element.tag == "joint" and self.angles != 1.0 and keys.get("type", "hinge") in ("hinge", "ball"):
            for key in ("range", "ref", "springref"):
                if key in keys:
                    keys[key] = _text(numbers(keys, key, "", None, where) * self.angles)
        return keys


def _plain(body: Element, around: str, moved: _Moved) -> Iterator[Element]:
    """Copies of what a body or the world contains."""
    inner = moved.child.inside(body, around)
    for item in body:
        found = Element(item.tag, moved.keys(item, inner))
        if item.tag in ("body", "frame"):
            found.extend(_plain(item, inner, moved))
        else:
            found.extend(item)
        yield found


def _add(into: Mjcf, child: Mjcf, moved: _Moved, inside: "set[str | None] | None") -> None:
    """The assets of a file, its classes, and what acts on what is `inside` (None: all of it)."""
    assets = Element("asset")
    for item in child.sections("asset"):
        keys = moved.keys(item, MAIN)
        if item.tag == "mesh":
            keys = _mesh(into, child, item, keys, moved.prefix)
        if item.tag != "model":
            assets.append(Element(item.tag, keys))
    into.root.append(assets)
    for name, of_class in child.classes.items():
        into.classes.setdefault(moved.prefix + name, of_class)
    lengths: set[str | None] = set()
    for section in sorted(ACTING, key=lambda section: section != "tendon"):
        added = Element(section)
        for item in child.sections(section):
            found = Element(item.tag, moved.keys(item, MAIN))
            found.extend(Element(part.tag, _prefix(part, moved.prefix)) for part in item)
            if inside is None or _list_names(found) <= inside | lengths:
                added.append(found)
                lengths |= {found.get("name")} if section == "tendon" else set()
        into.root.append(added)


def _list_names(element: Element) -> set[str]:
    """The names of other elements that an element of a section and its parts use."""
    of_one = ((key, text) for one in (element, *element) for key, text in one.attrib.items())
    return {text for key, text in of_one if key in NAMES and key not in ("name", "material") and text != WORLD}


def _prefix(part: Element, prefix: str) -> Keys:
    return {key: prefix + text if key in NAMES else text for key, text in part.attrib.items()}


def _mesh(into: Mjcf, child: Mjcf, item: Element, keys: Keys, prefix: str) -> Keys:
    """The keys of a mesh with its name, and its path as the other file has to have it."""
    given = PurePosixPath(item.get("file", "").replace("\\", "/"))
    keys["name"] = keys.get("name") or prefix + given.stem
    path = PurePosixPath(keys.get("file", ""))
    if flag(child.compiler, "strippath", False, "<compiler>"):
        path = PurePosixPath(path.name)
    folders = [next(filter(None, (file.compiler.get(key) for key in ("meshdir", "assetdir"))), "") for file in (child, into)]
    if "file" not in keys or path.is_absolute() or PurePosixPath(folders[0]).is_absolute() or not keys["file"].isprintable():
        return keys  # whose fault reading meshes tells
    if flag(into.compiler, "strippath", False, "<compiler>"):
        raise RobotError(f"mesh '{keys['name'][:60]}': a file with strippath attaches it, which is not read")
    keys["file"] = Path(os.path.relpath(child.folder / folders[0] / path, into.folder / folders[1])).as_posix()
    return keys


def _text(values: "Floats | Iterable[float]") -> str:
    return " ".join(repr(float(x)) for x in chain(values))
