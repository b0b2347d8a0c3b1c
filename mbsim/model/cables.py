"""The `path` of a cable: fixed points, eyelets and circles of bodies, one after the other.

    path:
      - {point: ground, at: [0, 4]}
      - {center: block, radius: 0.1, wraps: counterclockwise}
      - {center: sheave, radius: 0.2, wraps: clockwise}
      - load.hook

The first and the last are where the cable ends: a point that holds it, or a drum that it is wound on. Between them a point is an eyelet
through which the cable slides, and a circle is a pulley: its rim is smooth, `grips` the cable, or holds it by `friction`.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator

from mbsim.model.fields import Direction, ItemError, NonNegativeNumber, Number, PointRef, PositiveNumber, Vector, context_of
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Bend, Block, Where

MOST_TURNS = 1000
_OF_CIRCLES = ("radius", "wraps", "axis", "grips", "friction", "static", "lifts", "turns")


class Station(Block):
    """A point or a circle that a cable passes, or where it ends."""

    point: PointRef | None = Field(default=None, description="a body (its centre of mass) or a point of it, such as load.hook")
    center: PointRef | None = Field(default=None, description="in place of `point`: the centre of a circle that the cable runs about")
    at: Vector | None = Field(
        default=None, description="where the point or the centre is, global at the start, m; it stays fixed in the body; default: by name"
    )
    radius: PositiveNumber | None = Field(default=None, description="of the circle, m")
    wraps: Literal["clockwise", "counterclockwise"] | None = Field(
        default=None, description="the sense in which the cable runs about the circle from the first to the last; in space about `axis`"
    )
    axis: Direction | None = Field(default=None, description="of the circle, global at the start; three dimensions")
    grips: bool | None = Field(default=None, description="true: the rim carries the cable with it; false: it is smooth, the default")
    friction: NonNegativeNumber | None = Field(
        default=None, description="coefficient of dry friction between the rim and a cable that does not stretch; default: none"
    )
    static: NonNegativeNumber | None = Field(
        default=None, description="with `friction`: the coefficient at rest, not less than that, which is the default"
    )
    lifts: bool | None = Field(
        default=None, description="true: the cable leaves the circle where it would pass it; between two points; default false"
    )
    turns: Number | None = Field(default=None, description="whole turns about the circle besides the part of one that is drawn; default 0")

    @model_validator(mode="after")
    def _one_form(self, info: ValidationInfo) -> Self:
        if (self.point is None) == (self.center is None):
            raise ValueError("give exactly one of 'point' and 'center'")
        place = self.point or self.center
        if self.at is not None and place is not None and place.point is not None:
            raise ValueError(f"give the place either as '{place.body}.{place.point}' or by 'at', not both")
        if self.center is None:
            given = [key for key in _OF_CIRCLES if getattr(self, key) is not None]
            if given:
                raise ValueError(f"{', '.join(map(repr, given))}: only a circle has that; give its 'center' in place of 'point'")
            return self
        missing = [key for key in ("radius", "wraps") if getattr(self, key) is None]
        if missing:
            raise ValueError(f"missing key '{missing[0]}' (it goes with 'center')")
        planar = context_of(info).dimension == 2
        if planar and self.axis is not None:
            raise ValueError("in the plane a circle turns about the normal of it: leave out `axis`")
        if not planar and self.axis is None:
            raise ValueError("missing key 'axis' (a circle needs one in three dimensions)")
        if self.static is not None and (self.friction is None or self.static < self.friction):
            raise ValueError(f"static goes with 'friction', and is not less than it (got {self.static:g} and {self.friction})")
        if self.turns is not None and (self.turns != int(self.turns) or not 0 <= self.turns <= MOST_TURNS):
            raise ValueError(f"turns are a whole number from 0 to {MOST_TURNS} (got {self.turns:g})")
        return self

    @property
    def rubs(self) -> bool:
        """Whether there is friction on the rim."""
        return self.friction is not None and max(self.friction, self.static or 0.0) > 0.0

    @property
    def body(self) -> str:
        """The body that it is fixed in."""
        return self.where[0].body

    @property
    def where(self) -> Where:
        """The point or the centre."""
        place = self.point or self.center
        assert place is not None
        return place, self.at

    @property
    def signed_radius(self) -> float:
        """Below zero where the cable runs about it clockwise; 0 of a point, m."""
        return (self.radius or 0.0) * (-1.0 if self.wraps == "clockwise" else 1.0)


def bends(path: list[Station]) -> list[Bend]:
    """What is drawn of a path."""
    return [Bend(station.where, station.axis, station.signed_radius, bool(station.lifts), station.turns or 0.0) for station in path]


def _as_station(value: Plain) -> Any:
    return {"point": value} if isinstance(value, str) else value


def _ends(path: list[Station]) -> list[Station]:
    for k in (0, len(path) - 1):
        for key in ("grips", "lifts", "turns", "friction", "static"):
            if getattr(path[k], key) is not None:
                raise ItemError((k, key), ValueError("a cable that ends at a circle is wound on it, as on a drum: leave out this key"))
    for k, station in enumerate(path):
        if station.lifts and (station.grips or station.turns or station.friction is not None):
            raise ItemError((k, "lifts"), ValueError("a circle that the cable may leave is smooth and without 'turns'"))
        if station.grips and station.friction is not None:
            raise ItemError((k, "friction"), ValueError("a pulley that grips holds by any friction that is needed: give one of both"))
        if station.lifts and (path[k - 1].center is not None or path[k + 1].center is not None):
            raise ItemError((k, "lifts"), ValueError("a circle that the cable may leave stands between two points of the path"))
    if len({station.body for station in path}) == 1:
        raise ValueError(f"a cable needs two different bodies (got '{path[0].body}' only)")
    return path


Path = Annotated[
    list[Annotated[Station, BeforeValidator(_as_station), WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]})]],
    Field(min_length=2),
    AfterValidator(_ends),
]
"""Two or more stations; the name of a point may stand for `{point: name}`."""
