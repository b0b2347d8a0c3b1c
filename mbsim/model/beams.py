"""The `beams` of a model file: their block, and the nodes and elements that a beam is made of.

A node is a body with its share of the mass, whose x axis is along the beam. An element is a load between two nodes
(`mbsim/elements/loads/beam.py`), and an end that is clamped a joint. Everything else of a model knows nodes as bodies.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    PrivateAttr,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)

from mbsim.model.cross_sections import CrossSection, Material, Place
from mbsim.model.fields import (
    AngularVelocity,
    Context,
    Direction,
    NonNegativeNumber,
    Number,
    Point,
    PointRef,
    PositiveNumber,
    Vector,
    context_of,
    number,
    number_in,
    numbers,
)
from mbsim.model.file.errors import shown
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.names import GROUND
from mbsim.model.schemas import NAME, NUMBER, NUMBER_OR_LIST, VECTOR

if TYPE_CHECKING:  # reading other models does not need numpy
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST = 10_000  # elements
ALONG = 1e-3  # sine of the angle between a beam and a direction that are told apart


def count_in(context: Context, value: Plain) -> int:
    """The number of elements. Raises ValueError."""
    found = number_in(context, value)
    if found != int(found) or not 1 <= found <= MOST:
        raise ValueError(f"expected a whole number from 1 to {MOST} (got {found:g})")
    return int(found)


def _elements(value: Plain, info: ValidationInfo) -> int:
    return count_in(context_of(info), value) * context_of(info).parts


def _per_axis(value: Plain, info: ValidationInfo) -> list[float]:
    """A stiffness: in the plane one number, in space one for both axes or two."""
    if context_of(info).dimension == 2 and isinstance(value, list):
        raise ValueError(f"expected one number in the plane (got {shown(value)})")
    found = numbers(value, info) if isinstance(value, list) else [number(value, info)] * 2
    if len(found) != 2 or min(found) <= 0.0:
        raise ValueError(f"expected a number greater than 0, or two, [y, z] (got {shown(value)})")
    return found


def _line_inertia(value: Plain, info: ValidationInfo) -> list[float]:
    """In the plane a number about z, in space [about x, about y, about z]."""
    planar = context_of(info).dimension == 2
    if planar == isinstance(value, list) or (isinstance(value, list) and len(value) != 3):
        raise ValueError(f"expected {'one number, about z' if planar else '3 numbers, about x, y, z'} (got {shown(value)})")
    found = numbers(value, info) if isinstance(value, list) else [0.0, 0.0, number(value, info)]
    if min(found if not planar else found[2:]) <= 0.0:
        raise ValueError(f"must be greater than 0 (got {shown(value)})")
    return found


def _no_repeat(value: list[str]) -> list[str]:
    if len(set(value)) < len(value):
        raise ValueError(f"an end is named twice (got {shown(value)})")
    return value


PerAxis = Annotated[list[float], PlainValidator(_per_axis), WithJsonSchema(NUMBER_OR_LIST)]
End = Annotated[
    Annotated[PointRef, Tag("name")] | Annotated[Vector, Tag("place")],
    Discriminator(lambda value: "place" if isinstance(value, list) else "name"),
    WithJsonSchema({"anyOf": [NAME, VECTOR]}),
]
"""A point of a body or of the ground by its name, or a place, global, m."""


class BeamStiffness(Block):
    """What a beam resists with, per unit of strain."""

    EA: PositiveNumber = Field(description="against elongation, N")
    GA: PerAxis = Field(description="against shear, with the shear factor, N: [along y, along z], or one number")
    EI: PerAxis = Field(description="against bending, N m^2: [about y, about z], or one number")
    GJ: PositiveNumber | None = Field(default=None, description="space: against torsion, N m^2")

    @model_validator(mode="after")
    def _torsion(self, info: ValidationInfo) -> Self:
        planar = context_of(info).dimension == 2
        if self.GJ is None and not planar:
            raise ValueError("missing key 'GJ' (a beam in space can be twisted)")
        if self.GJ is not None and planar:
            raise ValueError("GJ: a beam in the plane is not twisted")
        return self


class LineMass(Block):
    """The mass of a beam per length."""

    line: PositiveNumber = Field(description="kg/m")
    inertia: Annotated[list[float], PlainValidator(_line_inertia), WithJsonSchema(NUMBER_OR_LIST)] | None = Field(
        default=None,
        description="rotary inertia per length, kg m: about z, in space [about x, about y, about z]; "
        "when not given, that of one material: line times EI/EA",
    )


class Damping(Block):
    """The damping of a beam."""

    stiffness: NonNegativeNumber = Field(description="s: stress resultants in proportion to the rates of strain, this times the stiffness")


_Ends: Any = create_model(  # `from` is no name in Python
    "_Ends",
    __base__=Block,
    **{
        "from": (End | None, Field(default=None, description="where a straight beam begins: a point of a body, or a place, global, m")),
        "to": (End | None, Field(default=None, description="where it ends")),
    },
)  # type: ignore[call-overload]


class Beam(_Ends):  # type: ignore[misc]
    """A slender body that bends, stretches, shears and twists; in absolute coordinates."""

    points: Annotated[list[Vector], Field(min_length=2)] | None = Field(
        default=None, description="in place of `from` and `to`: places along a curve, which a spline goes through, global, m"
    )
    elements: Annotated[int, PlainValidator(_elements), WithJsonSchema(NUMBER)] = Field(description="how many; they are equally long")
    section: CrossSection | None = Field(default=None, description="the cross-section; with `material`")
    material: Material | None = Field(default=None, description="E, nu or G, density")
    stiffness: BeamStiffness | None = Field(default=None, description="EA, GA, EI, GJ, in place of those of section and material")
    mass: LineMass | None = Field(default=None, description="line, inertia, in place of those of section and material")
    damping: Damping | None = Field(default=None, description="stiffness: s, in proportion to the stiffness")
    clamped: Annotated[list[Literal["start", "end"]], BeforeValidator(lambda v: _no_repeat(v) if isinstance(v, list) else v)] = Field(
        default_factory=list, description="ends that are fixed to the body of `from` or `to`, or to the ground"
    )
    cable: bool = Field(default=False, description="true: it takes no compression")
    prestress: Number = Field(default=0.0, description="tension in the shape that is drawn, N")
    offset: Place | Number | None = Field(
        default=None, description="of the beam's centroids from the line that is given: along y, in space [y, z], m"
    )
    up: Direction | None = Field(
        default=None, description="space: where z of the section points at the start; the global z, for a beam along it y"
    )
    velocity: Vector | None = Field(default=None, description="of its start at the start of the run, global, m/s")
    angular_velocity: AngularVelocity | None = Field(default=None, description="of all of it at the start of the run, global, rad/s")
    _nodes: list[str] = PrivateAttr(default_factory=list)
    _screws: Any = PrivateAttr(default=())
    _lengths: Any = PrivateAttr(default=())

    @model_validator(mode="after")
    def _given(self, info: ValidationInfo) -> Self:
        ends = [key for key in ("from", "to") if getattr(self, key) is not None]
        if (self.points is not None) == bool(ends):
            raise ValueError("give either 'from' and 'to', or 'points'")
        if len(ends) == 1:
            raise ValueError(f"missing key '{'to' if ends == ['from'] else 'from'}' (it goes with '{ends[0]}')")
        planar = context_of(info).dimension == 2
        if planar and self.up is not None:
            raise ValueError("up: in the plane the section's z is out of it")
        if self.offset is not None and planar == isinstance(self.offset, list):
            raise ValueError(f"offset: expected {'one number, along y' if planar else '2 numbers [y, z]'} (got {shown(self.offset)})")
        if planar and self.section is not None and self.section.shear_centre is not None:
            raise ValueError("section: in the plane a shear centre has no meaning")
        if self.stiffness is None and (self.section is None or self.material is None):
            raise ValueError("what is its stiffness? give 'section' and 'material', or 'stiffness'")
        if self.mass is None and (self.section is None or self.material is None):
            raise ValueError("what is its mass? give 'section' and 'material', or 'mass'")
        if self.mass is None and self.material is not None and self.material.density is None:
            raise ValueError("what is its mass? give the 'density' of the material, or 'mass'")
        return self

    def lay(self, nodes: list[str], screws: "Floats", lengths: "Floats") -> None:
        """Say which bodies its nodes are, and of its elements (n,) the screws from node to node as they are drawn and the lengths, m."""
        self._nodes, self._screws, self._lengths = nodes, screws, lengths

    @property
    def nodes(self) -> list[str]:
        """The bodies that its nodes are, n + 1 of n elements."""
        return self._nodes

    def element_data(self, dimension: int) -> list[list[float]]:
        """The numbers of each element: see `mbsim/elements/loads/beam.py`."""
        K = self.resistance(dimension)
        damping = 0.0 if self.damping is None else self.damping.stiffness
        found = []
        for rest, length in zip(self._screws, self._lengths, strict=True):
            unstressed = rest.copy()
            unstressed[0] -= length * self.prestress / K[0, 0]
            found.append([*(K / length).ravel().tolist(), *unstressed.tolist(), damping, float(self.cable), float(length)])
        return found

    def end(self, which: str) -> Point | None:
        """The point of `from` ("start") or `to` ("end"); None where a place is given."""
        found = getattr(self, "from" if which == "start" else "to")
        return found if isinstance(found, Point) else None

    def fixed_to(self, which: str) -> str:
        """The body that an end is clamped to."""
        point = self.end(which)
        return GROUND if point is None else point.body

    def resistance(self, dimension: int) -> "Floats":
        """(3, 3) or (6, 6) stress resultants per strain at the centroid: elongation, shear along y and z, twist, bending about y and z."""
        import numpy as np

        if self.stiffness is not None:
            s = self.stiffness
            EA, GA, EI, GJ = s.EA, s.GA, s.EI, s.GJ or 0.0
        else:
            assert self.section is not None and self.material is not None
            n, E, G = self.section.numbers(), self.material.E, self.material.shear_modulus
            EA, GA, EI, GJ = E * n.area, [G * n.area * k for k in n.shear], [E * moment for moment in n.moments], G * n.torsion
        if dimension == 2:
            return np.diag([EA, GA[0], EI[1]])
        B = np.eye(6)
        centre = None if self.section is None else self.section.shear_centre
        if centre is not None:  # shear strain is that at the shear centre
            B[1, 3], B[2, 3] = -centre[1], centre[0]
        return np.asarray(B.T @ np.diag([EA, *GA, GJ, *EI]) @ B)

    def line(self) -> tuple[float, list[float]]:
        """Mass per length, kg/m, and rotary inertia per length about x, y, z, kg m."""
        if self.mass is not None:
            if self.mass.inertia is not None:
                return self.mass.line, self.mass.inertia
            K = self.resistance(3) if self.stiffness is None or self.stiffness.GJ else self._planar_resistance()
            y, z = (self.mass.line * float(K[k, k] / K[0, 0]) for k in (4, 5))
            return self.mass.line, [y + z, y, z]
        assert self.section is not None and self.material is not None and self.material.density is not None
        n, rho = self.section.numbers(), self.material.density
        return rho * n.area, [rho * (n.moments[0] + n.moments[1]), rho * n.moments[0], rho * n.moments[1]]

    def _planar_resistance(self) -> "Floats":
        import numpy as np

        assert self.stiffness is not None
        return np.diag([self.stiffness.EA, 1.0, 1.0, 1.0, *self.stiffness.EI])

    def outline(self) -> list[list[list[float]]]:
        """Polygons [y, z] of the section, m; without a section those of a rectangle of one material with this stiffness."""
        if self.section is not None:
            return self.section.numbers().outline
        K = self._planar_resistance()
        a, b = (float((12.0 * K[k, k] / K[0, 0]) ** 0.5) / 2.0 for k in (5, 4))
        return [[[a, b], [-a, b], [-a, -b], [a, -b]]]
