"""What controllers share whose efforts follow from the equations of motion at samples (`mbsim.system.solved_samples`)."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar, Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.expressions.expression import parse
from mbsim.model.fields import NonNegativeNumber
from mbsim.model.leaves import Controller
from mbsim.model.sampling import Clock, Held, Sampling, Solved

EFFORT = "effort"


class SolvedController(Controller, BodyForce, ABC):
    """The effort along a joint's coordinate, found at samples together with those of all controllers of its kind with the same samples."""

    SYMBOL = "turning"
    STATES: ClassVar[tuple[str, ...]] = (EFFORT,)

    sample: Sampling = Field(default=None, description="s: time from one sample to the next; the effort is held between them")
    offset: NonNegativeNumber = Field(default=0.0, description="s: time from the start to the first sample")

    @model_validator(mode="after")
    def _is_placed(self, info: ValidationInfo) -> Self:
        if self.joint is None:
            raise ValueError("missing key 'joint'")
        if self.sample is None:
            raise ValueError("missing key 'sample'")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        assert self.joint is not None and self.sample is not None
        x = geometry.coordinate_name(self.joint, self.coordinate)
        angle = (self.coordinate or geometry.free_coordinates(self.joint)[0]).startswith("angle")
        clock, effort = Clock(self.sample, self.offset), geometry.own_name(EFFORT)
        own = x == f"{self.joint}.{self.coordinate or geometry.free_coordinates(self.joint)[0]}"
        relative = -1 if own else geometry.relative_coordinate(self.joint, self.coordinate)
        lower, upper = self.limit or (-inf, inf)
        solved = Solved(self.wanted(geometry, x, clock), relative, lower, upper)
        geometry.hold(EFFORT, Held(clock, parse(effort), None, solved), 0.0, "N m" if angle else "N")
        law, constants = geometry.law([parse(effort)])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]

    @abstractmethod
    def wanted(self, geometry: Geometry, x: str, clock: Clock) -> str:
        """The held state that is the acceleration which the coordinate `x` is to have; empty where there is none. Raises ItemError."""
