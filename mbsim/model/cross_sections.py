"""Cross-sections and materials of beams: what a model file says of them, and the numbers that they have.

y and z are the axes of the section, x is along the beam. In the plane of drawing y is in the plane and z is out of it.
"""

from math import cos, pi, sin, tanh
from typing import Annotated, NamedTuple, Self

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from mbsim.model.fields import Number, PositiveNumber, context_of, exactly, number, numbers
from mbsim.model.file.errors import shown
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.schemas import NUMBER, NUMBER_OR_LIST, array

CORNERS = 24  # of a circle as it is drawn
_TERMS = 25  # of the series of torsion: the last one is 1e-8 of the first


class Section(NamedTuple):
    """Numbers of a cross-section."""

    area: float  # m^2
    shear: tuple[float, float]  # factors of the area along y and z
    moments: tuple[float, float]  # second moments of area about y and z, m^4
    torsion: float  # Saint-Venant's constant, m^4
    outline: list[list[list[float]]]  # polygons [y, z], m


def _pair(value: Plain, info: ValidationInfo) -> list[float]:
    """A number for both axes, or two."""
    found = numbers(exactly(2)(value), info) if isinstance(value, list) else [number(value, info)] * 2
    if min(found) <= 0.0:
        raise ValueError(f"must be greater than 0 (got {shown(value)})")
    return found


Pair = Annotated[list[float], PlainValidator(_pair), WithJsonSchema(NUMBER_OR_LIST)]
"""One positive number for both axes of a section, or two, along or about y and z."""


Two = Annotated[list[PositiveNumber], BeforeValidator(exactly(2, " [along y, along z]")), WithJsonSchema(array(NUMBER, 2))]
Tube = Annotated[list[PositiveNumber], BeforeValidator(exactly(2, " [outer radius, inner radius]")), WithJsonSchema(array(NUMBER, 2))]
FourSizes = Annotated[list[PositiveNumber], BeforeValidator(exactly(4, " [width, height, flange, web]")), WithJsonSchema(array(NUMBER, 4))]
Place = Annotated[list[Number], BeforeValidator(exactly(2, " [y, z]")), WithJsonSchema(array(NUMBER, 2))]


class CrossSection(Block):
    """The cross-section of a beam: one shape, or its numbers."""

    rectangle: Two | None = Field(default=None, description="[along y, along z], m")
    circle: PositiveNumber | None = Field(default=None, description="radius, m")
    tube: Tube | None = Field(default=None, description="[outer radius, inner radius], m")
    I: FourSizes | None = Field(default=None, description="[width along y, height along z, thickness of flanges, of the web], m")
    area: PositiveNumber | None = Field(default=None, description="in place of a shape: area, m^2; with `moments`")
    moments: Pair | None = Field(default=None, description="second moments of area [about y, about z], m^4; one number for both")
    torsion: PositiveNumber | None = Field(default=None, description="Saint-Venant's torsion constant, m^4; of a shape its own")
    shear_centre: Place | None = Field(default=None, description="space: [y, z] from the centroid, m; the centroid when not given")
    shear: Pair | None = Field(default=None, description="shear factors [along y, along z] of the area; of a shape its own, else 1")

    @model_validator(mode="after")
    def _one_form(self, info: ValidationInfo) -> Self:
        shapes = [name for name in ("rectangle", "circle", "tube", "I", "area") if getattr(self, name) is not None]
        if len(shapes) != 1:
            raise ValueError(f"give one of rectangle, circle, tube, I, area (got {', '.join(shapes) or 'none'})")
        if (self.moments is not None) != (self.area is not None):
            raise ValueError("`area` and `moments` go together; a shape has its own")
        if self.area is not None and self.torsion is None and context_of(info).dimension == 3:
            raise ValueError("missing key 'torsion' (it goes with 'area' in space)")
        if self.tube is not None and self.tube[1] >= self.tube[0]:
            raise ValueError(f"tube: the outer radius must be greater than the inner one (got {shown(self.tube)})")
        if self.I is not None and (self.I[1] <= 2.0 * self.I[2] or self.I[0] <= self.I[3]):
            raise ValueError(f"I: [width, height, flange, web] needs height > 2 flange and width > web (got {shown(self.I)})")
        return self

    def numbers(self) -> Section:
        """Its numbers. Shear factors are those of Cowper (1966) at nu = 0; of an I the web takes shear along z, the flanges along y."""
        found = self._shape()
        shear = found.shear if self.shear is None else (self.shear[0], self.shear[1])
        return found._replace(shear=shear, torsion=found.torsion if self.torsion is None else self.torsion)

    def _shape(self) -> Section:
        if self.rectangle is not None:
            b, h = self.rectangle
            return Section(b * h, (5.0 / 6.0,) * 2, (b * h**3 / 12.0, h * b**3 / 12.0), _torsion(b, h), [_box(b, h)])
        if self.circle is not None:
            r = self.circle
            return Section(pi * r**2, (6.0 / 7.0,) * 2, (pi * r**4 / 4.0,) * 2, pi * r**4 / 2.0, [_ring(r)])
        if self.tube is not None:
            outer, inner = self.tube
            m = (1.0 + (inner / outer) ** 2) ** 2
            factor = 6.0 * m / (7.0 * m + 20.0 * (inner / outer) ** 2)
            moment = pi * (outer**4 - inner**4) / 4.0
            return Section(pi * (outer**2 - inner**2), (factor,) * 2, (moment,) * 2, 2.0 * moment, [_ring(outer), _ring(inner)])
        if self.I is not None:
            b, h, flange, web = self.I
            between = h - 2.0 * flange
            area = 2.0 * b * flange + between * web
            about_y = (b * h**3 - (b - web) * between**3) / 12.0
            about_z = (2.0 * flange * b**3 + between * web**3) / 12.0
            torsion = (2.0 * b * flange**3 + between * web**3) / 3.0
            return Section(area, (5.0 / 3.0 * b * flange / area, between * web / area), (about_y, about_z), torsion, [_i_shape(*self.I)])
        area, moments = self.area or 0.0, self.moments or [0.0, 0.0]
        edges = [(12.0 * moment / area) ** 0.5 for moment in moments]
        return Section(area, (1.0, 1.0), (moments[0], moments[1]), self.torsion or 0.0, [_box(edges[1], edges[0])])


class Material(Block):
    """The material of a beam."""

    E: PositiveNumber = Field(description="Young's modulus, Pa")
    nu: Number | None = Field(default=None, description="Poisson's ratio; 0.3 when neither it nor `G` is given")
    G: PositiveNumber | None = Field(default=None, description="shear modulus, Pa, in place of `nu`")
    density: PositiveNumber | None = Field(default=None, description="kg/m^3")

    @model_validator(mode="after")
    def _once(self) -> Self:
        if self.nu is not None and self.G is not None:
            raise ValueError("give either 'nu' or 'G', not both")
        if self.nu is not None and not -1.0 < self.nu <= 0.5:
            raise ValueError(f"nu: must be greater than -1 and not greater than 0.5 (got {self.nu:g})")
        return self

    @property
    def shear_modulus(self) -> float:
        """Pa."""
        return self.G if self.G is not None else self.E / (2.0 * (1.0 + (0.3 if self.nu is None else self.nu)))


def _torsion(b: float, h: float) -> float:
    """Of a rectangle: Timoshenko and Goodier, Theory of Elasticity (1970), equation 160."""
    short, long = sorted((b, h))
    odd = range(1, 2 * _TERMS, 2)
    series = sum(tanh(0.5 * k * pi * long / short) / k**5 for k in odd)
    return float(short**3 * long / 3.0 * (1.0 - 192.0 / pi**5 * short / long * series))


def _box(b: float, h: float) -> list[list[float]]:
    return [[0.5 * b, 0.5 * h], [-0.5 * b, 0.5 * h], [-0.5 * b, -0.5 * h], [0.5 * b, -0.5 * h]]


def _ring(r: float) -> list[list[float]]:
    return [[r * cos(2.0 * pi * k / CORNERS), r * sin(2.0 * pi * k / CORNERS)] for k in range(CORNERS)]


def _i_shape(b: float, h: float, flange: float, web: float) -> list[list[float]]:
    y, z, w, f = 0.5 * b, 0.5 * h, 0.5 * web, 0.5 * h - flange
    upper = [[w, f], [y, f], [y, z], [-y, z], [-y, f], [-w, f]]
    return [*upper, *([-a, -c] for a, c in upper)]
