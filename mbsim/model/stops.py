"""The blocks `stops`, `backlash` and `friction` of joints: what holds a joint's coordinate from one side, or up to a bound.

    stops:    {lower: -2, upper: 0, restitution: 0.3}
    backlash: 0.002
    friction: {torque: 0.4, static: 0.5}
    friction: {coefficient: 0.3, radius: 0.02}

A stop is rigid and a friction is dry: they are inequalities, not springs. `mbsim.assembly.unilateral` makes of them what a run needs.
"""

from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from mbsim.model.fields import NonNegativeNumber, Number, PositiveNumber
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.schemas import OneOrMore, OrNumber

CLOSING_SPEED = 1e-6  # m/s, rad/s
BOUNDS = ("torque", "force", "coefficient")


def _fraction(value: float) -> float:
    if value > 1.0:
        raise ValueError(f"must not be greater than 1 (got {value:g})")
    return value


Fraction = Annotated[NonNegativeNumber, AfterValidator(_fraction)]


class OfCoordinate(Block):
    """What acts on one coordinate of a joint."""

    coordinate: str | None = Field(default=None, description="which of the joint's coordinates, such as displacement; if it has several")

    def coordinate_of(self, kind: str, choices: list[str]) -> str:
        """The coordinate that is meant of those that a joint of a kind has. Raises ValueError."""
        if not choices:
            raise ValueError(f"a {kind} joint has no coordinate that could have it")
        if self.coordinate is None and len(choices) > 1:
            raise ValueError(f"a {kind} joint has more than one coordinate; give `coordinate`: {', '.join(choices)}")
        if self.coordinate is not None and self.coordinate not in choices:
            raise ValueError(f"a {kind} joint has no coordinate '{self.coordinate[:60]}'{did_you_mean(self.coordinate, choices)}")
        return self.coordinate or choices[0]


class Stops(OfCoordinate):
    """The bounds between which a coordinate stays."""

    lower: Number | None = Field(default=None, description="the least value of the coordinate, rad or m")
    upper: Number | None = Field(default=None, description="the largest value, rad or m")
    restitution: Fraction = Field(default=0.0, description="speed after an impact over the speed before, 0 to 1")
    closing_speed: PositiveNumber = Field(
        default=CLOSING_SPEED, description="a rebound that would be slower than this ends the bouncing: the stop closes, rad/s or m/s"
    )

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        if self.lower is None and self.upper is None:
            raise ValueError("give 'lower', 'upper' or both")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower must be less than upper (got lower {self.lower:g}, upper {self.upper:g})")
        return self


class Backlash(Block):
    """The play of two joints that are coupled, or of a joint: between two flanks they move freely. In place of it a number, its `play`."""

    play: PositiveNumber | None = Field(
        default=None, description="how far it moves from flank to flank, rad or m; it is drawn in the middle. Or in place of it both of:"
    )
    lower: Number | None = Field(default=None, description="the lower flank, from where it is drawn, rad or m")
    upper: Number | None = Field(default=None, description="the upper flank, likewise")
    restitution: Fraction = Field(default=0.0, description="speed after an impact over the speed before, 0 to 1")
    closing_speed: PositiveNumber = Field(
        default=CLOSING_SPEED, description="a rebound that would be slower than this ends the bouncing: the flank carries, rad/s or m/s"
    )

    @model_validator(mode="after")
    def _flanks(self) -> Self:
        if (self.play is None) == (self.lower is None and self.upper is None) or (self.lower is None) != (self.upper is None):
            raise ValueError("give either 'play' or both 'lower' and 'upper'")
        lower, upper = self.flanks
        if not lower < upper:
            raise ValueError(f"lower must be less than upper (got lower {lower:g}, upper {upper:g})")
        return self

    @property
    def flanks(self) -> tuple[float, float]:
        """The lower and the upper one, rad or m from where it is drawn."""
        if self.lower is None or self.upper is None:
            return -0.5 * (self.play or 0.0), 0.5 * (self.play or 0.0)
        return self.lower, self.upper


class BacklashOfCoordinate(Backlash, OfCoordinate):
    """The play of a joint along one of its coordinates."""

    def stops(self) -> Stops:
        """What it is: stops that are flanks."""
        lower, upper = self.flanks
        return Stops.model_construct(
            coordinate=self.coordinate, lower=lower, upper=upper, restitution=self.restitution, closing_speed=self.closing_speed
        )


class Friction(OfCoordinate):
    """Dry friction along a coordinate. It holds up to a bound, and slips with a given effort against the motion."""

    torque: NonNegativeNumber | None = Field(default=None, description="against the motion about an angle, N m")
    force: NonNegativeNumber | None = Field(default=None, description="against the motion along a displacement, N")
    coefficient: NonNegativeNumber | None = Field(
        default=None, description="in place of a given effort: times the joint's reaction, and about an angle times `radius`"
    )
    radius: PositiveNumber | None = Field(default=None, description="of the pin, m; with `coefficient` about an angle")
    length: PositiveNumber | None = Field(
        default=None,
        description="with `coefficient` along a displacement, two dimensions: between the two points that the joint bears on, m; "
        "a moment presses them. Without it only the force across presses",
    )
    static: NonNegativeNumber | None = Field(
        default=None, description="what it holds at rest, in the unit of the other key; not less than that, which is the default"
    )

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        given = [key for key in BOUNDS if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of {', '.join(map(repr, BOUNDS))} (got {', '.join(given) or 'none'})")
        if self.static is not None and self.static < self.slips:
            raise ValueError(f"static must not be less than {given[0]} (got {self.static:g} and {self.slips:g})")
        if self.coefficient is None and (self.radius is not None or self.length is not None):
            raise ValueError("'radius' and 'length' go with 'coefficient'")
        if self.radius is not None and self.length is not None:
            raise ValueError("'radius' goes with an angle, 'length' with a displacement: give one of them")
        return self

    def fits(self, is_angle: bool) -> None:
        """Raise ValueError where the keys do not go with the coordinate."""
        if is_angle:
            if self.force is not None:
                raise ValueError("'force' goes with a displacement; about an angle give 'torque'")
            if self.coefficient is not None and self.radius is None:
                raise ValueError("missing key 'radius' (it goes with 'coefficient' about an angle)")
        if not is_angle and (self.torque is not None or self.radius is not None):
            key, instead = ("torque", "; give 'force'") if self.torque is not None else ("radius", "")
            raise ValueError(f"'{key}' goes with an angle{instead}")
        if is_angle and self.length is not None:
            raise ValueError("'length' goes with a displacement; about an angle give 'radius'")

    @property
    def slips(self) -> float:
        """What it is while it slips: N, N m or a coefficient."""
        return float(next(value for key in BOUNDS if (value := getattr(self, key)) is not None))

    @property
    def holds(self) -> float:
        """What it is at most at rest, likewise."""
        return self.slips if self.static is None else self.static


def _as_list(value: Plain) -> list[Plain]:
    if not isinstance(value, dict | list):
        raise ValueError(f"expected a block, or a list of blocks for several coordinates (got {shown(value)})")
    return [value] if isinstance(value, dict) else value


def _as_block(value: Plain) -> Plain:
    if isinstance(value, list):
        raise ValueError(f"expected a number or a block (got {shown(value)})")
    return value if isinstance(value, dict) else {"play": value}


def _as_blocks(value: Plain) -> list[Plain]:
    return [_as_block(each) for each in (value if isinstance(value, list) else [value])]


BacklashOfCoupling = Annotated[Backlash, BeforeValidator(_as_block), OrNumber()]
BacklashOfJoint = Annotated[list[BacklashOfCoordinate], BeforeValidator(_as_blocks), Field(min_length=1), OneOrMore(), OrNumber()]
StopsOfJoint = Annotated[list[Stops], BeforeValidator(_as_list), Field(min_length=1), OneOrMore()]
FrictionOfJoint = Annotated[list[Friction], BeforeValidator(_as_list), Field(min_length=1), OneOrMore()]
