"""Shapes of bodies and of the ground, as the model file gives them, and what a density makes of them.

A shape is drawn. It changes the motion only where its body has a `density`: then mass, centre of mass and inertia are those of the shape.
Its `position` and `rotation` are those of its own frame in the axes of the body.
"""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from mbsim.model.fields import ItemError, Number, PositiveNumber, Quaternion, Vector, context_of, exactly, number, numbers
from mbsim.model.file.errors import shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.model.names import name_fault
from mbsim.model.rotations import Matrix, matrix_from_quaternion, quaternion_from_axis, unit
from mbsim.model.schemas import NUMBER, OneOrMore, array

if TYPE_CHECKING:
    from mbsim.model.solids import Solid

OF_ALL = ("type", "position", "rotation", "role", "name")  # keys of every shape that say nothing of its form
DRAWN = (None, "visual")  # roles of what is drawn
TOUCHING = (None, "collision")  # roles of what touches


def _corners(value: Plain, info: ValidationInfo) -> list[list[float]]:
    corners = [corner for corner in value if isinstance(corner, list) and len(corner) == 2] if isinstance(value, list) else []
    if len(corners) < 3 or corners != value:
        raise ValueError(f"expected three or more corners [x, y] (got {shown(value)})")
    from mbsim.model import solids  # reading other models does not need numpy

    found = [numbers(corner, info, k) for k, corner in enumerate(corners)]
    if (sides := solids.crossing(found)) is not None:
        raise ValueError(f"the sides that begin at the corners {sides[0] + 1} and {sides[1] + 1} cross or touch each other")
    if not solids.plate(found, 1.0).volume > 0.0:
        raise ValueError("the polygon has no area")
    return found


_POLYGON: Mapped = {"type": "array", "items": array(NUMBER, 2), "minItems": 3}
Polygon = Annotated[list[list[float]], PlainValidator(_corners), WithJsonSchema(_POLYGON)]


def _vertices(value: Plain, info: ValidationInfo) -> list[list[float]]:
    points = [point for point in value if isinstance(point, list) and len(point) == 3] if isinstance(value, list) else []
    if len(points) < 4 or points != value:
        raise ValueError(f"expected four or more points [x, y, z] (got {shown(value)})")
    from mbsim.model.hulls import hull_of

    found = [numbers(point, info, k) for k, point in enumerate(points)]
    hull_of(found)
    return found


_VERTICES: Mapped = {"type": "array", "items": array(NUMBER, 3), "minItems": 4}
Vertices = Annotated[list[list[float]], PlainValidator(_vertices), WithJsonSchema(_VERTICES)]


def _scale(value: Plain, info: ValidationInfo) -> list[float]:
    found = numbers(exactly(3)(value), info) if isinstance(value, list) else [number(value, info)] * 3
    if 0.0 in found:
        raise ValueError(f"must not be 0 (got {shown(value)})")
    return found


Axis = Annotated[list[Number], BeforeValidator(exactly(3)), AfterValidator(unit), WithJsonSchema(array(NUMBER, 3))]


def _shade(value: Plain, info: ValidationInfo) -> list[float]:
    found = numbers(exactly(3)(value), info)
    if not all(0.0 <= part <= 1.0 for part in found):
        raise ValueError(f"expected three numbers from 0 to 1: red, green, blue (got {shown(value)})")
    return found


Color = Annotated[list[float], PlainValidator(_shade), WithJsonSchema(array({"type": "number", "minimum": 0, "maximum": 1}, 3))]


def _called(name: str) -> str:
    if fault := name_fault(name, in_expressions=False):
        raise ValueError(fault)
    return name


class Turn(Block):
    """A rotation: about an axis, or a quaternion."""

    axis: Axis | None = Field(default=None, description="axis of the rotation in the axes of the body; with `angle`")
    angle: Number | None = Field(default=None, description="rad")
    quaternion: Quaternion | None = Field(default=None, description="[w, x, y, z], shape to body")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if given not in (["axis", "angle"], ["quaternion"]):
            raise ValueError(f"give either {{axis, angle}} or {{quaternion}} (got {{{', '.join(given)}}})")
        return self

    def unit_quaternion(self) -> list[float]:
        """[w, x, y, z], shape to body."""
        return self.quaternion if self.quaternion is not None else quaternion_from_axis(self.axis or [], self.angle or 0.0)


def _rotation(value: Plain, info: ValidationInfo) -> Plain:
    """In the plane a number is the angle about its normal."""
    if isinstance(value, dict):
        return value
    if context_of(info).dimension == 3:
        raise ValueError(f"expected {{axis: [..], angle: ..}} or {{quaternion: [w, x, y, z]}} (got {shown(value)})")
    return {"axis": [0, 0, 1], "angle": value}


class Shape(Block):
    """A solid in the axes of its body."""

    type: str
    position: Vector | None = Field(
        default=None, description="of the shape's origin in body axes, m; from the centre of mass, with `density` from the body's origin"
    )
    rotation: Annotated[Turn, BeforeValidator(_rotation), WithJsonSchema({"type": ["number", "string", "object"]})] | None = Field(
        default=None, description="of the shape's axes against the body's: {axis, angle} or {quaternion}; planar also an angle, rad"
    )

    color: Color | None = Field(
        default=None, description="how it is drawn: [red, green, blue], each from 0 to 1; default: that of its body"
    )
    role: Literal["visual", "collision"] | None = Field(
        default=None, description="visual: it is drawn and touches nothing; collision: it touches and is not drawn; default: both"
    )
    name: Annotated[str, AfterValidator(_called)] | None = Field(
        default=None, description="contacts name it behind its body: `leg.foot`; several shapes of a body may share a name"
    )

    @abstractmethod
    def solid(self) -> "Solid":
        """Its mass properties at density 1, in its own frame. Raises ValueError."""

    def own(self) -> Mapped:
        """Its keys and numbers, without place and type."""
        return {key: value for key, value in self if key not in OF_ALL and value is not None}

    def place(self) -> list[float]:
        """(3,) its origin in body axes, m."""
        return [*(self.position or [0.0, 0.0, 0.0]), 0.0][:3]

    def turn(self) -> list[float]:
        """[w, x, y, z], shape to body."""
        return self.rotation.unit_quaternion() if self.rotation is not None else [1.0, 0.0, 0.0, 0.0]

    def in_body(self) -> "Solid":
        """Its mass properties at density 1, in body axes. Raises ValueError."""
        return self.solid().moved(self.place(), matrix_from_quaternion(self.turn()))

    def drawn(self, centre: Sequence[float] = (0.0, 0.0, 0.0)) -> Mapped:
        """The shape as plain data, with numbers for expressions; `position` (3,) is from `centre` (3,) on, `rotation` a quaternion."""
        position = [p - c for p, c in zip(self.place(), centre, strict=True)]
        return {"type": self.type, **self.own(), "position": [*position], "rotation": {"quaternion": [*self.turn()]}}


class Box(Shape):
    """A cuboid, its centre at the shape's origin."""

    type: Literal["box"]
    size: Annotated[list[PositiveNumber], Field(min_length=2, max_length=3)] = Field(
        description="edges along x, y and z, m; a planar body without density may leave out z"
    )

    @model_validator(mode="after")
    def _depth(self, info: ValidationInfo) -> Self:
        if len(self.size) == 2 and context_of(info).dimension == 3:
            raise ValueError("size: expected 3 numbers (got 2)")
        return self

    def solid(self) -> "Solid":
        if len(self.size) == 2:
            raise ValueError("a box of two edges has no volume: give the third, along z, too")
        from mbsim.model import solids

        return solids.box(self.size)


class Cylinder(Shape):
    """A cylinder about z, its centre at the shape's origin."""

    type: Literal["cylinder"]
    radius: PositiveNumber = Field(description="m")
    length: PositiveNumber = Field(description="along z, m")

    def solid(self) -> "Solid":
        from mbsim.model import solids

        return solids.cylinder(self.radius, self.length)


class Sphere(Shape):
    """A ball, its centre at the shape's origin."""

    type: Literal["sphere"]
    radius: PositiveNumber = Field(description="m")

    def solid(self) -> "Solid":
        from mbsim.model import solids

        return solids.sphere(self.radius)


class Capsule(Shape):
    """A cylinder about z with half balls on its ends, its centre at the shape's origin."""

    type: Literal["capsule"]
    radius: PositiveNumber = Field(description="m")
    length: PositiveNumber = Field(description="along z, without the half balls, m")

    def solid(self) -> "Solid":
        from mbsim.model import solids

        return solids.capsule(self.radius, self.length)


class Plate(Shape):
    """A prism of a polygon in the x-y plane of the shape, half of it on either side."""

    type: Literal["plate"]
    polygon: Polygon = Field(description="corners [x, y], m; sides must not cross")
    thickness: PositiveNumber | None = Field(default=None, description="along z, m; a planar body without density may leave it out")

    @model_validator(mode="after")
    def _depth(self, info: ValidationInfo) -> Self:
        if self.thickness is None and context_of(info).dimension == 3:
            raise ValueError("missing key 'thickness'")
        return self

    def solid(self) -> "Solid":
        if self.thickness is None:
            raise ValueError("a plate without `thickness` has no volume")
        from mbsim.model import solids

        return solids.plate(self.polygon, self.thickness)


class Convex(Shape):
    """A convex polyhedron: the hull of points in the axes of the shape."""

    type: Literal["convex"]
    vertices: Vertices = Field(description="points [x, y, z], m; those within the hull of the others do not count")

    @model_validator(mode="after")
    def _in_space(self, info: ValidationInfo) -> Self:
        if context_of(info).dimension == 2:
            raise ValueError("a convex polyhedron is known in three dimensions only; give a `plate`")
        return self

    def solid(self) -> "Solid":
        from mbsim.model import solids

        return solids.convex(self.vertices)

    def corners(self, most: int) -> list[list[float]]:
        """As of a mesh."""
        from mbsim.model.hulls import hull_of

        found = hull_of(self.vertices).corners.tolist()
        if len(found) > most:
            raise ValueError(f"a convex shape has {len(found)} corners, and at most {most} are taken: give fewer `vertices`")
        return sorted(found)


class Mesh(Shape):
    """A mesh of triangles from a file; its coordinates are those of the shape."""

    type: Literal["mesh"]
    file: str = Field(description="STL, OBJ, GLB or Collada (.dae); a relative path begins at the folder of the model file")
    scale: Annotated[list[float], PlainValidator(_scale), WithJsonSchema({"anyOf": [NUMBER, array(NUMBER, 3)]})] = Field(
        default=[1.0, 1.0, 1.0],
        description="metres per unit of the file, a number or three: 0.001 for millimetres; negative: mirrored",
    )
    _path: Path = PrivateAttr(default=Path())

    @model_validator(mode="after")
    def _exists(self, info: ValidationInfo) -> Self:
        from mbsim.model import solids

        self._path = Path(context_of(info).folder) / self.file
        try:
            solids.check_mesh(self._path)
        except ValueError as error:
            raise ItemError(("file",), error) from None
        return self

    def solid(self) -> "Solid":
        from mbsim.model import solids

        return solids.mesh(self._path, self.scale)

    def corners(self, most: int) -> list[list[float]]:
        """Those of its convex hull, (3,) each, in the axes of the shape, m. Raises ValueError where they are more than `most`."""
        from mbsim.model import solids

        return solids.hull(self._path, self.scale, most)


def _as_list(value: Plain) -> list[Plain]:
    if not isinstance(value, dict | list):
        raise ValueError(f"expected a shape such as {{type: sphere, radius: 0.1}}, or a list of shapes (got {shown(value)})")
    return [value] if isinstance(value, dict) else value


AnyShape = Annotated[Box | Cylinder | Sphere | Capsule | Plate | Convex | Mesh, Field(discriminator="type")]
Shapes = Annotated[list[AnyShape], BeforeValidator(_as_list), Field(min_length=1), OneOrMore()]
"""One shape or a list of them; a list after validation."""


def homogeneous(shapes: Sequence[Shape], density: float) -> tuple[float, list[float], Matrix]:
    """Mass (kg), centre (3,) (m) and inertia (3, 3) about it (kg m^2), in body axes, of shapes of one density. Raises ItemError."""
    from mbsim.model import solids

    found = []
    for k, shape in enumerate(shapes):
        try:
            found.append(shape.in_body())
        except ValueError as error:
            raise ItemError((k,), error) from None
    whole = solids.together(found)
    return density * whole.volume, whole.centre.tolist(), (density * whole.inertia).tolist()
