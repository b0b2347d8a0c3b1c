"""The scene of a result, checked: what `describe` wrote, as objects. A file need not be trusted, so nothing is taken for granted.

Points and axes are in the axes of their body, points from its centre of mass. Body index -1 is the ground.
"""

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.scene.elastic import Elastic, read_elastic
from mbsim.scene.heights import Height, read_height
from mbsim.scene.meetings import Meeting, read_meetings
from mbsim.scene.mesh_files import Shapes, is_elsewhere, is_model_beside, leave_out_elsewhere

if TYPE_CHECKING:
    from mbsim.results.read import Result

Floats = NDArray[np.float64]
LONGEST = 1e30  # m; what is longer cannot be drawn: sizes are squared, and files of solids hold numbers of 32 bits
HUGE = 1e100  # any number
GROUND = -1


class SceneError(ValueError):
    """There is nothing to draw: the result has no bodies, or what it says of them is damaged."""


class End(NamedTuple):
    """A point of a body."""

    body: int
    point: Floats  # (3,)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, where the model file draws it."""

    name: str
    mass: float  # kg
    inertia: Floats  # (3, 3) kg m^2, body axes; of a planar body the zz entry alone
    position: Floats  # (3,) m
    quaternion: Floats  # (4,) w, x, y, z
    points: dict[str, Floats]
    shape: Shapes  # as given in the file; empty: not given


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint. `axes` are the joint's x, y, z axes as rows, for either body."""

    name: str
    type: str
    symbol: str  # of mbsim.model.symbols
    slides: str  # the axes along which its points may part: x, y, z
    ends: tuple[End, End]
    axes: tuple[Floats, Floats]  # (3, 3) each

    @property
    def is_slide(self) -> bool:
        """Whether its points part along one axis."""
        return len(self.slides) == 1


@dataclass(frozen=True, eq=False)
class Force:
    """A force with two ends, one, or none where it acts in a joint."""

    name: str
    type: str
    symbol: str
    loaded: int  # the end that takes what is recorded of it
    ends: list[End]
    joint: str
    direction: Floats  # (3,) global, of a force as far as the file tells; else zero
    stiffness: float
    damping: float
    law: bool = False  # a spring's tension is an expression: a muscle, a cable, an actuator


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in a body; of a planar mechanism a line. One that `moves` is where the contact is."""

    at: End
    normal: Floats  # (3,)
    moves: bool
    height: Height | None = None  # of a given surface, which is none


@dataclass(frozen=True, eq=False)
class Contact:
    """A disk, ball, blade or sphere that touches a plane."""

    name: str
    type: str
    symbol: str
    at: End
    axis: Floats | None  # (3,) of a disk its axis, of a blade its direction
    radius: float  # m
    plane: Plane | None


@dataclass(frozen=True, eq=False)
class Beam:
    """A beam through nodes, which are bodies with x along it."""

    name: str
    nodes: list[int]
    outline: list[Floats]  # (k, 2) polygons of the section along y and z of its nodes, m, the outer one first


class Bend(NamedTuple):
    """A point, or a circle, that a cable runs about: clockwise about its axis where the radius is below zero."""

    at: End
    axis: Floats  # (3,)
    radius: float  # m; 0: a point
    lifts: bool = False  # whether the cable leaves it where it would pass it
    turns: float = 0.0  # whole ones, besides what is drawn


class Cable(NamedTuple):
    """A cable along points and circles."""

    name: str
    bends: list[Bend]


@dataclass(frozen=True, eq=False)
class Circle:
    """A pitch circle."""

    at: End
    axis: Floats  # (3,)
    radius: float  # m


@dataclass(frozen=True, eq=False)
class Gear:
    """Two joints that are tied, and the pitch circles where there are any."""

    name: str
    type: str
    symbol: str
    joints: list[str]
    circles: list[Circle]


@dataclass(frozen=True, eq=False)
class Scene:
    """What a mechanism looks like."""

    dimension: int
    gravity: Floats  # (3,) m/s^2
    bodies: list[Body]
    joints: list[Joint] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    driven: frozenset[str] = frozenset()  # joints with a driver
    forces: list[Force] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    ground_points: dict[str, Floats] = field(default_factory=dict)
    ground_shape: Shapes = field(default_factory=list)
    beams: list[Beam] = field(default_factory=list)
    cables: list[Cable] = field(default_factory=list)
    elastic: list[Elastic] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)

    @property
    def planar(self) -> bool:
        return self.dimension == 2

    def shapes(self) -> list[Shapes]:
        """Those given of each body, then those of the ground."""
        return [*(body.shape for body in self.bodies), self.ground_shape]

    @property
    def up(self) -> Floats:
        """(3,) unit, against gravity; y or z without gravity."""
        size = float(np.linalg.norm(self.gravity))
        return -self.gravity / size if size > 0.0 else np.array([0.0, 1.0, 0.0] if self.planar else [0.0, 0.0, 1.0])

    def joint(self, name: str) -> Joint | None:
        """The joint of that name."""
        return next((joint for joint in self.joints if joint.name == name), None)

    def name_of(self, body: int) -> str:
        return self.bodies[body].name if body >= 0 else "ground"


def scene_of(result: "Result") -> Scene:
    """The scene of a result. Raises SceneError where it has none, or a damaged one."""
    if not result.scene:
        if result.labels("body"):
            raise SceneError("what bodies look like is not in the result, which an earlier version of mbsim wrote: run the model again")
        raise SceneError("the model has no bodies: its own coordinates have no shape to draw. `mbsim plot` draws its variables over time")
    scene = parse(result.scene)
    named_by_model = result.home is not None or not any(map(is_elsewhere, chain.from_iterable(scene.shapes())))
    if not (named_by_model or is_model_beside(result.model_yaml, Path(result.folder))):
        leave_out_elsewhere(scene.shapes())
    if [body.name for body in scene.bodies] != result.labels("body"):
        raise SceneError("the scene of the result is damaged (its bodies are not those of the result)")
    return scene


def local(text: str) -> Scene:
    """A scene of a file, which names no files outside of its folder. Raises SceneError."""
    scene = parse(text)
    leave_out_elsewhere(scene.shapes())
    return scene


def parse(text: str) -> Scene:
    """The scene that `describe` wrote. Raises SceneError for anything else."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise TypeError("no mapping")
        return _scene(data)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise SceneError(f"the scene of the result is damaged ({str(error) or type(error).__name__})") from None


def _scene(data: dict[str, Any]) -> Scene:
    bodies = [
        Body(
            _text(given["name"]),
            _number(given["mass"]),
            np.array([[_number(value) for value in _items(row, 3)] for row in _items(given["inertia"], 3)]),
            _vector(given["position"]),
            _quaternion(given["quaternion"]),
            {_text(name): _vector(point) for name, point in given["points"].items()},
            [dict(shape) for shape in given["shape"]],
        )
        for given in data["bodies"]
    ]
    count = len(bodies)
    if data["dimension"] not in (2, 3) or not bodies:
        raise ValueError("its dimension or its bodies are missing")
    return Scene(
        data["dimension"],
        _vector(data["gravity"]),
        bodies,
        [
            Joint(
                _text(given["name"]),
                _text(given["type"]),
                _text(given["symbol"]),
                _letters(given["slides"]),
                (_end((given["bodies"][0], given["points"][0]), count), _end((given["bodies"][1], given["points"][1]), count)),
                (_axes(given["axes"][0]), _axes(given["axes"][1])),
            )
            for given in _describe(data, "joints", "joints")
        ],
        [
            Gear(
                _text(given["name"]),
                _text(given["type"]),
                _text(given["symbol"]),
                [_text(name) for name in given["joints"]],
                [
                    Circle(_end((circle["body"], circle["center"]), count), _vector(circle["axis"]), _positive(circle["radius"]))
                    for circle in given["circles"]
                ],
            )
            for given in _describe(data, "gears", "joints")
        ],
        frozenset(_text(given["joint"]) for given in data["drivers"]),
        [
            Force(
                _text(given["name"]),
                _text(given["type"]),
                _text(given["symbol"]),
                int(given["loaded"] == 1),
                [_end(end, count) for end in given["ends"]],
                _text(given["joint"]),
                _vector(given["direction"]) if given["direction"] else np.zeros(3),
                _number(given.get("stiffness", 0.0)),
                _number(given.get("damping", 0.0)),
                bool(given.get("law", False)),
            )
            for given in _describe(data, "forces", "forces", "controllers")
        ],
        [_contact(given, count) for given in _describe(data, "contacts", "constraints", "forces")],
        {_text(name): _vector(point) for name, point in data["ground"]["points"].items()},
        [dict(shape) for shape in data["ground"]["shape"]],
        [_beam(given, count) for given in data.get("beams", ())],
        [Cable(_text(given["name"]), [_bend(bend, count) for bend in given["stations"]]) for given in data.get("cables", ())],
        [read_elastic(given, count) for given in data.get("elastic", ())],
        read_meetings(data, count),
    )


def _beam(given: dict[str, Any], count: int) -> Beam:
    nodes = [_end((node, [0.0, 0.0, 0.0]), count).body for node in given["nodes"]]
    outline = [np.array([_vector([*_items(corner, 2), 0.0])[:2] for corner in polygon]) for polygon in given["outline"]]
    if len(nodes) < 2 or GROUND in nodes or not outline or any(len(polygon) < 3 for polygon in outline):
        raise ValueError("a beam has too few nodes, or no section")
    return Beam(_text(given["name"]), nodes, outline)


def _bend(given: dict[str, Any], count: int) -> Bend:
    ends = _end(given["at"], count), _vector(given["axis"])
    return Bend(*ends, _number(given["radius"]), given["lifts"] is True, _number(given["turns"]))


def _contact(given: dict[str, Any], count: int) -> Contact:
    at, axis = _end((given["body"], given["point"]), count), _vector(given["axis"]) if given["axis"] else None
    plane, surface = given["plane"], None
    if plane:
        height = read_height(plane["height"]) if "height" in plane else None
        surface = Plane(_end((plane["body"], plane["point"]), count), _vector(plane["normal"]), bool(plane["moves"]), height)
    radius = float(_vector([given["radius"], 0.0, 0.0])[0])
    return Contact(_text(given["name"]), _text(given["type"]), _text(given["symbol"]), at, axis, radius, surface)


def _describe(data: dict[str, Any], section: str, *kinds: str) -> Iterator[dict[str, Any]]:
    """The entries of a section, with what their leaves say of themselves: older results hold the words of the leaves alone."""
    for given in data[section]:
        yield given if "symbol" in given else given | _said(_text(given["type"]), kinds, data["dimension"])


def _said(word: str, kinds: tuple[str, ...], dimension: int) -> dict[str, Any]:
    """What the leaf of a word says of itself; a mark where there is no such leaf."""
    from mbsim import registry
    from mbsim.model import leaves

    leaf = None
    with suppress(registry.PluginError):
        leaf = next((registry.leaf(kind, word) for kind in kinds if registry.knows(kind, word)), None)
    said = {"symbol": leaves.Joint.SYMBOL if leaf is None else leaf.SYMBOL, "slides": "", "loaded": 0}
    if leaf is not None and issubclass(leaf, leaves.Joint):
        said["slides"] = leaf.slides(dimension)
    elif leaf is not None and issubclass(leaf, leaves.Force):
        said["loaded"] = leaf.LOADED
    return said


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise TypeError("a name is no text")
    return value


def _letters(value: object) -> str:
    if not set(_text(value)) <= set("xyz"):
        raise ValueError("an axis is none of x, y, z")
    return str(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("a number is missing")
    if abs(value) > HUGE:
        raise ValueError("a number is too large")
    return float(value)


def _positive(value: Any) -> float:
    if not 0.0 < _number(value) <= LONGEST:
        raise ValueError("a radius is not positive, or too large")
    return float(value)


def _items(values: object, count: int) -> list[Any]:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"expected {count} values")
    return values


def _vector(values: object) -> Floats:
    found = np.array([_number(value) for value in _items(values, 3)])
    if np.abs(found).max() > LONGEST:
        raise ValueError("a length is too large")
    return found


def _quaternion(values: object) -> Floats:
    found = np.array([_number(value) for value in _items(values, 4)])
    return found / np.linalg.norm(found) if found.any() else np.array([1.0, 0.0, 0.0, 0.0])


def _axes(values: object) -> Floats:
    return np.array([_vector(row) for row in _items(values, 3)])


def _end(given: Any, count: int) -> End:
    body, point = given
    if isinstance(body, bool) or not isinstance(body, int) or not -1 <= body < count:
        raise ValueError("it names a body that is not there")
    return End(body, _vector(point))
