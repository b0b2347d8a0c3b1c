"""What tyres share: a wheel on a plane road, and the load on it."""

from abc import abstractmethod
from collections.abc import Collection
from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.elements.kinds import TYRE_AHEAD, TYRE_ALONG, TYRE_ASIDE
from mbsim.elements.primitives import Primitive
from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.forces._table import Where as Place
from mbsim.kernels.tyre_columns import LAG_AHEAD, LAG_ASIDE, LAG_BOTH, NO_LAG
from mbsim.model.expressions.expression import parse
from mbsim.model.fields import BodyName, Direction, NonNegativeNumber, Point, PointRef, PositiveNumber, Vector, context_of
from mbsim.model.leaves import Surface, Touch, Where
from mbsim.model.names import GROUND

_OF_SPACE = ("radius", "road", "through", "normal", "stiffness", "damping", "longitudinal_relaxation_length")
LATERAL, LONGITUDINAL = "lateral_deflection", "longitudinal_deflection"  # states
_LAGS = {"relaxation_length": LATERAL, "longitudinal_relaxation_length": LONGITUDINAL}
_UPRIGHT = 0.999  # of the cosine between axis and normal: above it the wheel lies on the road


class Tyre(BodyForce):
    """The force of a road on a wheel. In the plane the model is seen from above: there is a given load, and no spin."""

    SYMBOL = "wheel"

    body: PointRef = Field(description="centre of the wheel: a body (its centre of mass) or a point of it such as car.front")
    axis: Direction = Field(description="axis of the wheel, to the left of the direction of travel; global at the start, fixed in the body")
    radius: PositiveNumber | None = Field(default=None, description="space: m, of the tyre without load")
    road: BodyName = Field(default=GROUND, description="space: the body with the plane road")
    through: Vector | None = Field(
        default=None, description="a point of the road, global at the start, m; its body's centre of mass (ground: origin) when not given"
    )
    normal: Direction | None = Field(default=None, description="space: out of the road, global at the start; default: z")
    load: PositiveNumber | None = Field(default=None, description="N: a given vertical load, in place of `stiffness`")
    stiffness: PositiveNumber | None = Field(default=None, description="space: N/m, of the tyre's spring, which gives the vertical load")
    damping: NonNegativeNumber = Field(default=0.0, description="space: N s/m, with `stiffness`")
    relaxation_length: PositiveNumber | None = Field(
        default=None, description="m: the way by which the slip angle lags behind; none when not given"
    )
    longitudinal_relaxation_length: PositiveNumber | None = Field(default=None, description="space: m, likewise of the slip ratio")
    low_speed: PositiveNumber = Field(default=0.5, description="m/s: slips are referred to it where the wheel travels more slowly")

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        if self.body.body == self.road:
            raise ValueError(f"a tyre needs two different bodies (got '{self.road}' twice)")
        if context_of(info).dimension == 2:
            if given := [key for key in _OF_SPACE if key in self.model_fields_set]:
                raise ValueError(f"in the plane a tyre is seen from above, with a given `load`: leave out {', '.join(given)}")
            if self.load is None:
                raise ValueError("missing key 'load' (a tyre in the plane is seen from above)")
            return self
        if self.radius is None:
            raise ValueError("missing key 'radius' (dimension: 3)")
        if (self.load is None) == (self.stiffness is None):
            raise ValueError("give either 'load' or 'stiffness'")
        if self.stiffness is None and "damping" in self.model_fields_set:
            raise ValueError("missing key 'stiffness' (it goes with 'damping')")
        if abs(sum(a * b for a, b in zip(self.axis, self._normal(), strict=True))) > _UPRIGHT:
            raise ValueError("the axis is along the normal of the road: a wheel that lies flat has no point of contact")
        return self

    def _normal(self) -> list[float]:
        return self.normal or [0.0, 0.0, 1.0]

    def touches(self, dimension: int) -> Touch | None:
        if dimension == 2:
            return None
        return Touch((self.body, None), self.axis, self.radius or 0.0, Surface(self.road, self.through, self._normal()))

    def acts_at(self) -> list[Where]:
        return [(self.body, None)] if self.radius is None else []

    @abstractmethod
    def numbers(self) -> list[float]:
        """What the element reads behind the numbers of all tyres."""

    @property
    @abstractmethod
    def kind(self) -> int:
        """The element."""

    @classmethod
    def states_given(cls, keys: Collection[str]) -> tuple[str, ...]:
        return tuple(state for key, state in _LAGS.items() if key in keys)

    def own_states(self) -> tuple[str, ...]:
        return self.states_given([key for key in _LAGS if getattr(self, key) is not None])

    def loads(self, geometry: Geometry) -> list[Load]:
        wheel, road = geometry.place(self.body, None), geometry.place(Point(self.road, None), self.through)
        (i, centre), (j, point) = wheel, road
        law, lag = self._slips(geometry, wheel, road)
        data = [self.radius or 0.0, self.stiffness or 0.0, self.damping, self.load or 0.0, self.low_speed, lag]
        directions = [*geometry.direction(i, self.axis), *geometry.direction(j, self._normal())]
        return [Load(self.kind, i, j, law, [*centre, *point, *directions, *data, *self.numbers()])]

    def _slips(self, geometry: Geometry, wheel: Place, road: Place) -> tuple[int, float]:
        """The index of the laws of the slips that lag behind, with the states that they read, and which they are."""
        length, along = self.relaxation_length, self.longitudinal_relaxation_length
        if length is None and along is None:
            return -1, NO_LAG
        none = [[0.0] * 3] * 2  # of the two other axes: the first is the one that counts
        frames = ([[*self.axis, 0.0][:3], *none], [self._normal(), *none])

        def speed(name: str, kind: int) -> str:
            label = geometry.own_name(name)
            geometry.relative_row(label, kind, Primitive(kind, 1), wheel, road, frames)
            return f"der({label})"

        def deflection(name: str, kind: int, sigma: float) -> str:
            state, way, ahead = geometry.own_name(name), geometry.number(f"{name}_length", sigma), speed("ahead", TYRE_AHEAD)
            rate = f"-{speed(name.replace('deflection', 'slip'), kind)} - abs({ahead})*{state}/{way}"
            geometry.state(name, parse(rate), 0.0, "m")
            return f"{state}/{way}"

        kappa = parse(deflection(LONGITUDINAL, TYRE_ALONG, along) if along is not None else 0)
        alpha = parse(f"atan({deflection(LATERAL, TYRE_ASIDE, length)})" if length is not None else 0)
        law, _ = geometry.law([kappa, alpha])
        return law, LAG_BOTH if along is not None and length is not None else LAG_ASIDE if along is None else LAG_AHEAD
