"""Meshes of Collada files (`.dae`), as robots have them: the triangles of all geometries of the scene, in metres.

COLLADA 1.4.1 and 1.5 (Khronos Group): `<triangles>`, `<polylist>` and `<polygons>`, where nodes put them (`<matrix>`, `<translate>`,
`<rotate>`, `<scale>`), times `<unit meter>`. `<up_axis>` is not read: URDF means the axes of the file as they are.
Materials, skins and lines are left out. Document types and entities are refused.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Found = tuple[Floats, Whole]
DEEPEST = 64  # nodes within each other
MOST = 5_000_000  # triangles
_FORBIDDEN = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


class _Document(NamedTuple):
    """The elements of a file by their names, without namespaces."""

    root: ElementTree.Element
    by_id: dict[str, ElementTree.Element]

    def target(self, reference: str) -> ElementTree.Element:
        """What `#name` means. Raises ValueError."""
        found = self.by_id.get(reference.removeprefix("#"))
        if found is None:
            raise ValueError(f"there is no element {reference[:60]!r}")
        return found


def read_collada(path: Path) -> Found:
    """Vertices (n, 3) in metres and triangles (m, 3) of a file. Raises ValueError, OSError."""
    raw = path.read_bytes()
    if _FORBIDDEN.search(raw) or b"\0" in raw:
        raise ValueError("document types and entities are not allowed, nor is UTF-16")
    try:
        root = ElementTree.fromstring(raw)
    except ElementTree.ParseError as error:
        raise ValueError(f"not XML: {error}") from None
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    if root.tag != "COLLADA":
        raise ValueError(f"expected <COLLADA> (got <{root.tag[:40]}>)")
    document = _Document(root, {name: element for element in root.iter() if (name := element.get("id"))})
    unit = root.find("asset/unit")
    metre = float(unit.get("meter", "1")) if unit is not None else 1.0
    scene = root.find("scene/instance_visual_scene")
    if scene is None:  # a library of geometries alone
        parts = [part for geometry in root.iter("geometry") for part in _geometry(document, geometry)]
    else:
        parts = list(_node(document, document.target(scene.get("url", "")), np.diag([metre, metre, metre, 1.0]), 0))
        metre = 1.0
    if not parts:
        raise ValueError("it has no triangles")
    first = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    vertices = np.concatenate([vertices for vertices, _ in parts]) * metre
    faces = np.concatenate([faces + n for (_, faces), n in zip(parts, first, strict=False)])
    if len(faces) > MOST or not np.isfinite(vertices).all():
        raise ValueError(f"its numbers are not finite, or it has more than {MOST} triangles")
    return vertices, faces


def _node(document: _Document, node: ElementTree.Element, place: Floats, depth: int) -> Iterator[Found]:
    """The geometries of a node and of those within it, where `place` (4, 4) puts them."""
    if depth > DEEPEST:
        raise ValueError(f"nodes lie more than {DEEPEST} deep within each other")
    for element in node:
        if element.tag in _PLACES:
            place = place @ _PLACES[element.tag](_numbers(element))
        elif element.tag == "instance_geometry":
            mirrored = np.linalg.det(place[:3, :3]) < 0.0
            for vertices, faces in _geometry(document, document.target(element.get("url", ""))):
                yield vertices @ place[:3, :3].T + place[:3, 3], faces[:, ::-1] if mirrored else faces
        elif element.tag == "node":
            yield from _node(document, element, place, depth + 1)
        elif element.tag == "instance_node":
            yield from _node(document, document.target(element.get("url", "")), place, depth + 1)


def _matrix(given: Floats) -> Floats:
    return given.reshape(4, 4)


def _translate(given: Floats) -> Floats:
    found = np.eye(4)
    found[:3, 3] = given
    return found


def _rotate(given: Floats) -> Floats:
    """About an axis, by degrees: Rodrigues' formula."""
    axis, angle = given[:3] / np.linalg.norm(given[:3]), np.radians(given[3])
    cross = np.cross(np.eye(3), axis)
    found = np.eye(4)
    found[:3, :3] = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return found


def _scale(given: Floats) -> Floats:
    return np.diag([*given.reshape(3), 1.0])


_PLACES: dict[str, Callable[[Floats], Floats]] = {"matrix": _matrix, "translate": _translate, "rotate": _rotate, "scale": _scale}


def _geometry(document: _Document, geometry: ElementTree.Element) -> Iterator[Found]:
    mesh = geometry.find("mesh")
    for element in mesh if mesh is not None else ():
        if element.tag in ("triangles", "polylist", "polygons"):
            found = _primitive(document, element)
            if found is not None:
                yield found


def _primitive(document: _Document, element: ElementTree.Element) -> Found | None:
    """The triangles of one kind of polygons; None where there are none."""
    inputs = element.findall("input")
    stride = 1 + max((int(one.get("offset", "0")) for one in inputs), default=0)
    vertex = next((one for one in inputs if one.get("semantic") == "VERTEX"), None)
    if vertex is None:
        raise ValueError(f"<{element.tag}> has no vertices")
    offset, texts = int(vertex.get("offset", "0")), element.findall("p")
    polygons = [_whole(text).reshape(-1, stride)[:, offset] for text in texts]
    if not polygons or not sum(map(len, polygons)):
        return None
    if element.tag == "triangles":
        faces = np.concatenate(polygons).reshape(-1, 3)
    elif element.tag == "polylist":
        counts = element.find("vcount")
        faces = _fans(np.concatenate(polygons), _whole(counts) if counts is not None else np.zeros(0, np.int64))
    else:
        faces = _fans(np.concatenate(polygons), np.array([len(polygon) for polygon in polygons]))
    points = _positions(document, document.target(vertex.get("source", "")))
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(points):
        raise ValueError("a triangle has a vertex that is not there")
    return points, faces


def _fans(corners: Whole, counts: Whole) -> Whole:
    """Polygons with so many corners, one after the other, cut into triangles (n, 3) from their first corners."""
    if counts.sum() != len(corners) or (len(counts) and counts.min() < 0):
        raise ValueError("the numbers of corners do not fit the polygons")
    first, pieces = np.repeat(np.cumsum(counts) - counts, np.maximum(counts - 2, 0)), np.maximum(counts - 2, 0)
    nth = np.arange(len(first)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    found: Whole = corners[np.stack([first, first + nth + 1, first + nth + 2], axis=1)]
    return found


def _positions(document: _Document, vertices: ElementTree.Element) -> Floats:
    """The places (n, 3) that a <vertices> element, or a source, names."""
    source = vertices
    if vertices.tag == "vertices":
        given = next((one for one in vertices.findall("input") if one.get("semantic") == "POSITION"), None)
        if given is None:
            raise ValueError("<vertices> has no positions")
        source = document.target(given.get("source", ""))
    array, accessor = source.find("float_array"), source.find("technique_common/accessor")
    if array is None:
        raise ValueError("the positions have no numbers")
    stride = int(accessor.get("stride", "3")) if accessor is not None else 3
    return _numbers(array).reshape(-1, stride)[:, :3]


def _numbers(element: ElementTree.Element) -> Floats:
    return np.array((element.text or "").split(), float)


def _whole(element: ElementTree.Element) -> Whole:
    return np.array((element.text or "").split(), np.int64)
