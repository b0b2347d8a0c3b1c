"""What links look like: <visual> elements -> shapes of bodies. What cannot be taken becomes a note, for no motion depends on it."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

import numpy as np

from mbsim.importers.urdf_elements import Floats, RobotError, frame, list_numbers, numbers
from mbsim.model.rotations import quaternion_from_matrix
from mbsim.model.solids import MESHES, check_mesh

KEYS = {"box": (("size", 3),), "cylinder": (("radius", 1), ("length", 1)), "sphere": (("radius", 1),),
        "capsule": (("radius", 1), ("length", 1))}  # fmt: skip
ROUND_OFF = 1e-12  # m, and of a rotation matrix: a smaller place or turn is none


@dataclass(frozen=True)
class Visual:
    """One shape of a link."""

    keys: str  # of the model file, but for its place
    R: Floats  # its frame -> link frame
    place: Floats
    collider: int | None = None  # the same shape among the robot's colliders


def visuals(
    link: ElementTree.Element, name: str, robot: Path, folder: Path, notes: list[str], colours: Mapping[str, str] = MappingProxyType({})
) -> list[Visual]:
    """The shapes of a link: what can be drawn of its visuals, or else of its collision geometry.

    Files of meshes are found from that of the `robot` on and named from the `folder` of the model on. `colours` are those of the robot's
    materials, as text of the model file.
    """
    found = _shapes(link, "visual", name, robot, folder, notes, colours)
    if found or link.find("collision") is None:
        return found
    found = _shapes(link, "collision", name, robot, folder, notes, {})
    if found:
        notes.append(f"link {name} is drawn as its collision geometry: it has no visual that can be drawn")
    return found


def _shapes(
    link: ElementTree.Element, tag: str, name: str, robot: Path, folder: Path, notes: list[str], colours: Mapping[str, str]
) -> list[Visual]:
    """The shapes of the elements of one tag."""
    found = []
    for element in link.findall(tag):
        try:
            R, place = frame(element.find("origin"), "origin")
            keys = geometry_keys(element.find("geometry"), robot, folder)
            shade = _colour(element.find("material"), colours)
            found.append(Visual(f"{keys}, color: {shade}" if shade else keys, R, place))
        except (RobotError, ValueError) as error:
            what = "a visual" if tag == "visual" else "a collision geometry"
            notes.append(f"{what} of link {name} is left out: {error}")
    return found


def materials(robot: ElementTree.Element) -> dict[str, str]:
    """The colours of the materials of a robot, also of those that a visual names first, as text of the model file."""
    every = [*robot.findall("material"), *(element for link in robot.findall("link") for element in link.iter("material"))]
    return {element.get("name", ""): shade for element in reversed(every) if (shade := _colour(element, {}))}


def _colour(material: ElementTree.Element | None, colours: Mapping[str, str]) -> str:
    """[red, green, blue]; an empty text where a material has no colour that can be read."""
    if material is None:
        return ""
    given = material.find("color")
    if given is None:
        return colours.get(material.get("name", ""), "")
    try:
        red, green, blue, _ = (float(part) for part in given.get("rgba", "").split())
    except ValueError:
        return ""
    if not all(0.0 <= part <= 1.0 for part in (red, green, blue)):
        return ""
    return list_numbers(np.round([red, green, blue], 4))


def geometry_keys(geometry: ElementTree.Element | None, robot: Path, folder: Path) -> str:
    """The keys of a <geometry> as a shape of the model file. Raises RobotError, ValueError."""
    element = next(iter(geometry), None) if geometry is not None else None
    if element is None:
        raise ValueError("it has no geometry")
    if element.tag == "mesh":
        return _mesh(element, robot, folder)
    if element.tag not in KEYS:
        raise ValueError(f"the geometry <{element.tag[:40]}> is unknown")
    texts = [f"type: {element.tag}"]
    for key, count in KEYS[element.tag]:
        values = numbers(element, key, "", count, f"<{element.tag}>")
        if not values.min() > 0.0:
            raise ValueError(f"<{element.tag}>: {key} must be greater than 0 (got {values.min():g})")
        texts.append(f"{key}: {list_numbers(values) if count > 1 else repr(float(values[0]))}")
    return ", ".join(texts)


def _mesh(element: ElementTree.Element, robot: Path, folder: Path) -> str:
    """Where a file is missing or of another format, the same mesh in a format that is read is taken where it lies beside it."""
    name = element.get("filename", "")
    places = _places(name, robot)
    kinds = [[place] * (place.suffix.lower() in MESHES) + [place.with_suffix(suffix) for suffix in MESHES] for place in places]
    path = next((file for kind in kinds for file in kind if file.is_file()), places[-1])
    try:
        check_mesh(path)
    except ValueError as error:
        raise ValueError(f"mesh {name[:200]!r}: {error}") from None
    scale = numbers(element, "scale", "1 1 1", 3, "<mesh>")
    if not scale.all():
        raise ValueError("<mesh>: scale must not be 0")
    try:
        shown = os.path.relpath(path, folder)
    except ValueError:  # on another drive
        shown = str(path)
    scaled = f", scale: {list_numbers(scale)}" if (scale != 1.0).any() else ""
    return f"type: mesh, file: {json.dumps(Path(shown).as_posix())}{scaled}"


def _places(name: str, robot: Path) -> list[Path]:
    """The files that `package://robot_description/meshes/a.stl`, `file:///a.stl` or a relative path may mean."""
    if not name.isprintable() or not name:
        raise ValueError(f"expected the name of a file (got {name[:60]!r})")
    parts = urlparse(name)
    if parts.scheme == "file":
        return [Path(unquote(parts.path))]
    here = robot.absolute().parent
    if parts.scheme not in ("package", "model"):
        return [here / name]
    inside = unquote(parts.path).lstrip("/")
    return [place for above in (here, *here.parents) for place in (above / parts.netloc / inside, above / inside)] + [here / inside]


def shape_lines(shapes: list[tuple[Visual, Floats, Floats]], R: Floats, centre: Floats) -> str:
    """A list of shapes for the model file, of visuals with the global frames (R, place) of their links, in a body's frame."""
    texts = []
    for visual, turned, at in shapes:
        place = R.T @ (at + turned @ visual.place - centre)
        rotation = R.T @ turned @ visual.R
        text = visual.keys
        if np.abs(place).max() > ROUND_OFF:
            text += f", position: {list_numbers(place)}"
        if np.abs(rotation - np.eye(3)).max() > ROUND_OFF:
            text += f", rotation: {{quaternion: {list_numbers(quaternion_from_matrix(rotation.tolist()))}}}"
        texts.append(f"{{{text}}}")
    return f"[{', '.join(texts)}]"
