"""The blocks of `drivers`: a motion prescribed as a function of time. The driven quantity is named in one of four ways, `FORMS`."""

from itertools import chain
from typing import Annotated, Self

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import JointName, PointRef, TimeLaw, context_of, state_name
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import LOCKED, Block
from mbsim.model.schemas import NAME

FORMS = {  # what is driven -> the laws that go with it
    "joint": ("angle", "displacement", "length", "speed", "value"),
    "coordinate": ("value",),
    "point": ("x", "y", "z"),
    "points": ("length", "speed"),
}
LAWS = tuple(dict.fromkeys(law for laws in FORMS.values() for law in laws))


def _coordinate(value: Plain, info: ValidationInfo) -> str:
    """A state in its canonical spelling; with `joint`, the name of one of the joint's coordinates."""
    if info.data.get("joint", "") is not None:
        if not isinstance(value, str):
            raise ValueError(f"expected the name of a coordinate of the joint (got {shown(value)})")
        return value
    name, context = state_name(value), context_of(info)
    known = context.state_names, context.body_states, context.relative_names
    if not any(name in names for names in known):
        raise ValueError(f"unknown coordinate or speed '{name[:60]}'{did_you_mean(name, chain(*known))}")
    part = name.rpartition(".")[2]
    if part in ("qw", "qx", "qy", "qz"):
        body = name.rpartition(".")[0]
        raise ValueError(f"a part of a quaternion cannot be driven; drive an angle of a joint, or a speed such as {body}.omega.z")
    return name


DrivenName = Annotated[str, PlainValidator(_coordinate), WithJsonSchema(NAME)]
"""`crank.x`, `der(crank.x)`, `disk.omega.z`, `O.angle`, `theta`; with `joint`: `angle1`."""


class Driver(Block):
    """A prescribed motion: of a joint, of a coordinate or speed, of a point, or of the distance of two points."""

    joint: JointName | None = Field(default=None, description="the joint that is driven: its second body against its first")
    coordinate: DrivenName | None = Field(
        default=None,
        description="driven to `value`: crank.x, der(crank.x), disk.omega.z, O.angle, theta; with `joint`, one of its coordinates",
    )
    point: PointRef | None = Field(default=None, description="the point that is driven along a curve, with `x`, `y`, `z`: rod.B")
    points: Annotated[list[PointRef], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="two points whose distance is driven, with `length` or `speed`"
    )
    angle: TimeLaw | None = Field(
        default=None, description="angle in rad as a function of `t`, zero being where the joint stands at the start"
    )
    displacement: TimeLaw | None = Field(
        default=None, description="distance in m along the axis from the joint's point on the first body to that on the second, of `t`"
    )
    length: TimeLaw | None = Field(default=None, description="distance of two points, or length of a distance joint, in m, of `t`")
    speed: TimeLaw | None = Field(
        default=None,
        description="rate of the joint's coordinate or of the distance of two points, rad/s or m/s, of `t`; the position follows",
    )
    value: TimeLaw | None = Field(default=None, description="value of `coordinate`, SI units, of `t`")
    x: TimeLaw | None = Field(default=None, description="of `point`, global, m, of `t`; a coordinate that is not given is free")
    y: TimeLaw | None = Field(default=None, description="likewise")
    z: TimeLaw | None = Field(default=None, description="likewise")
    locked: bool = Field(default=True, description=LOCKED)

    @model_validator(mode="after")
    def _one_form(self, info: ValidationInfo) -> Self:
        forms = [key for key in ("joint", "point", "points") if getattr(self, key) is not None]
        if not forms and self.coordinate is None:
            raise ValueError("what is driven? give 'joint', 'coordinate', 'point' or 'points'")
        if len(forms) > 1 or (forms not in ([], ["joint"]) and self.coordinate is not None):
            given = [*forms, *["coordinate"] * (self.coordinate is not None)]
            raise ValueError(f"a driver drives one thing (got {', '.join(repr(key) for key in given)})")
        form, allowed = self.form, FORMS[self.form]
        laws = [key for key, _ in self.laws()]
        for key in laws:
            if key not in allowed:
                raise ValueError(f"'{key}' does not go with '{form}'; here: {', '.join(allowed)}")
        if form == "point":
            if not laws:
                raise ValueError("give at least one of 'x', 'y' and 'z'")
            if self.z is not None and context_of(info).dimension == 2:
                raise ValueError("a point of a planar body has no 'z'")
        elif len(laws) != 1:
            many = f"exactly one of {', '.join(map(repr, allowed[:-1]))} and '{allowed[-1]}'" if len(allowed) > 1 else f"'{allowed[0]}'"
            raise ValueError(f"give {many}")
        if self.joint is not None and self.coordinate is not None and laws[0] not in ("value", "speed"):
            raise ValueError(f"'coordinate' goes with 'value' or 'speed', not with '{laws[0]}'")
        return self

    @classmethod
    def meant_by(cls, key: str) -> str:
        """Of the name of one of several coordinates of a joint: how it is driven."""
        return f"`coordinate: {key}` and its law as `value` drive it" if key.startswith("angle") and key[5:].isdigit() else ""

    @property
    def form(self) -> str:
        """joint, coordinate, point or points."""
        return next((key for key in ("joint", "point", "points") if getattr(self, key) is not None), "coordinate")

    def laws(self) -> list[tuple[str, Expression]]:
        """The given laws, each with its key."""
        return [(key, getattr(self, key)) for key in LAWS if getattr(self, key) is not None]

    def targets(self) -> list[tuple[str, str | None]]:
        """The driven quantities: an object and one of its coordinates (None: its only one). No two drivers may share one."""
        if self.joint is not None:
            key = self.laws()[0][0]
            return [(self.joint, self.coordinate if key in ("speed", "value") else key)]
        if self.coordinate is not None:
            thing, dot, coordinate = self.coordinate.removeprefix("der(").removesuffix(")").partition(".")
            return [(thing, coordinate if dot else None)]
        if self.point is not None:
            return [(".".join(filter(None, self.point)), key) for key, _ in self.laws()]
        names = sorted(".".join(filter(None, point)) for point in self.points or ())
        return [(" to ".join(names), "length")]
