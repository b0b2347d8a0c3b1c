"""Base classes of what a model file's blocks say: joints, forces, constraints. The kinds themselves live in mbsim/joints and so on."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mbsim.model.expressions import Expression
from mbsim.model.fields import BodyName, JointName, PointRef, Vector


class Block(BaseModel):
    """A block of the model file: its fields are the keys a user may write; surplus, missing and wrong ones are refused."""

    NEEDS: ClassVar[str] = ""  # 'bodies' or 'coordinates': the kind of model that the block makes sense in; empty: both

    # What checks a block is built when the first such block is read: a model has few of all the kinds.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, arbitrary_types_allowed=True, defer_build=True)


class Joint(Block):
    """A joint between two bodies, given once: at a place in the global frame at the start, or by a point of each body."""

    NEEDS_PLACE: ClassVar[bool] = True

    type: str = Field(description="the kind of joint")
    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="the two bodies; with `at`"
    )
    at: Vector | None = Field(default=None, description="where the joint is at the start, global frame, m; with `bodies`")
    points: Annotated[list[PointRef], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="a point of each body, such as [crank.A, rod.A]; in place of `bodies` and `at`"
    )
    cut: bool = Field(default=False, description="joint coordinates: close a loop here, by constraint rows")

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if self.points is not None and (self.bodies is not None or self.at is not None):
            raise ValueError("give either 'points', or 'bodies' and 'at', not both")
        placed = self.at is not None or not self.NEEDS_PLACE
        if self.points is None and (self.bodies is None or not placed):
            if self.bodies is None and self.at is None:
                raise ValueError("where is the joint? give 'bodies' and 'at', or 'points'")
            raise ValueError("missing key 'at' (it goes with 'bodies')" if self.at is None else "missing key 'bodies' (it goes with 'at')")
        if self.first == self.second:
            raise ValueError(f"a joint needs two different bodies (got '{self.first}' twice)")
        return self

    @classmethod
    def driven(cls, dimension: int) -> list[str]:
        """Names of its coordinates that a driver can prescribe and laws of forces can read, such as `angle`."""
        return []

    @classmethod
    def measured(cls, dimension: int) -> list[str]:
        """What of its relative motion a measure may name: `angle`, `displacement` ..."""
        return []

    @classmethod
    def states(cls, name: str, dimension: int) -> tuple[list[str], list[str]]:
        """Names of its coordinates and of its speeds in joint coordinates; `name` is the joint's."""
        return [], []

    def places(self) -> Sequence[list[float] | None]:
        """Where the joint's point on the first and on the second body is drawn, global; None where `points` says it."""
        return self.at, self.at

    @property
    def first(self) -> str:
        """Name of the first body."""
        return self._names()[0]

    @property
    def second(self) -> str:
        """Name of the second body; joint forces in the results act on it."""
        return self._names()[1]

    def _names(self) -> list[str]:
        return [point.body for point in self.points] if self.points is not None else list(self.bodies or ())


class Coupling(Block):
    """A ratio between the coordinates of two joints, such as of two gears; in the section of the joints, but without a place."""

    type: str = Field(description="the kind of coupling")
    joints: Annotated[list[JointName], Field(min_length=2, max_length=2)] = Field(description="the two joints whose coordinates it ties")

    @model_validator(mode="after")
    def _two_joints(self) -> Self:
        if self.joints[0] == self.joints[1]:
            raise ValueError(f"a {self.type} needs two different joints (got '{self.joints[0]}' twice)")
        return self


class Force(Block):
    """A force law."""

    NEEDS = "bodies"
    LOCAL: ClassVar[frozenset[str]] = frozenset()  # names of its own that its laws may contain

    type: str = Field(description="the kind of force")

    def laws(self) -> Iterator[tuple[str, Expression]]:
        """The expressions among its keys, each with the key."""
        for key in type(self).model_fields:
            value = getattr(self, key)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, Expression):
                    yield key, item


class Constraint(Block):
    """A constraint: an equation that the leaf has as `equation`, or rows over the kernels' primitives that it makes with `rows`."""

    EQUATION: ClassVar[str] = ""  # 'holonomic' or 'nonholonomic'; empty: it has rows
    LABELS: ClassVar[dict[int | None, list[str]]] = {}  # by dimension, of the rows where there are several: name.height

    type: str = Field(description="the kind of constraint")
