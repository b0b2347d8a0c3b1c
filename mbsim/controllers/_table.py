"""What the controllers share: the effort along a coordinate x, from the error and its rate, as a force with a law of its own.

    effort = kp e + kd e_dot + feedforward + what a kind adds,   e = target - x,   e_dot = target_rate - x_dot

x is a joint's coordinate, or one of the user's own in a model of energies and equations. Without `target` there is no e. With `limit` the
effort is held within it. It acts as that of a `joint_torque`, on a coordinate of the user's as that of a `generalized` force, so it has
power, derivatives and a record like one.
"""

from abc import ABC
from collections.abc import Collection
from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.controllers._held import held_names, hold_effort
from mbsim.forces._table import BodyForce, Geometry, Load, OwnLaws
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, ExpressionError, parse
from mbsim.model.fields import ItemError, Law, NonNegativeNumber, context_of, known_name
from mbsim.model.leaves import Controller
from mbsim.model.sampling import Sampling

KP, KD = "kp", "kd"
LOW, HIGH = "lower_limit", "upper_limit"
OWN_UNIT = "s"  # of the integral of an error of one of the user's own coordinates, whose units the file does not give


class CoordinateController(Controller, BodyForce, ABC):
    """The effort along a coordinate: of a joint on its second body, and against it on the first. Its work is that of a driving force."""

    NEEDS = ""
    SYMBOL = "turning"

    kp: NonNegativeNumber = Field(default=0.0, description="N m/rad or N/m: effort of the error")
    kd: NonNegativeNumber | None = Field(default=None, description="N m s/rad or N s/m: effort of the rate of the error")
    sample: Sampling = Field(default=None, description="s: time from one sample to the next; the effort is held between them")
    offset: NonNegativeNumber = Field(default=0.0, description="s, with `sample`: time from the start to the first sample")
    filter: NonNegativeNumber | None = Field(
        default=None, description="s, with `sample` and `kd`: the rate of the error is its filtered difference with this time constant"
    )
    feedforward: Law | None = Field(default=None, description="N m or N, added to the effort before `limit`: expression of t and states")

    @model_validator(mode="after")
    def _is_placed(self, info: ValidationInfo) -> Self:
        context = context_of(info)
        if context.coordinates:
            if self.coordinate is None:
                raise ValueError("missing key 'coordinate'")
            try:
                known_name(self.coordinate, "coordinate", context.coordinates)
            except ValueError as error:
                raise ItemError(("coordinate",), error) from None
        elif self.joint is None:
            raise ValueError("missing key 'joint'")
        return self

    @model_validator(mode="after")
    def _has_a_target(self) -> Self:
        if self.target_rate is not None and self.kd is None:
            raise ValueError("missing key 'kd' (it goes with 'target_rate')")
        if self.target is None and (self.target_rate is None or KP in self.model_fields_set):
            raise ValueError("missing key 'target'" + " (it goes with 'kp')" * (self.target_rate is not None))
        return self

    @model_validator(mode="after")
    def _is_sampled_or_not(self) -> Self:
        for key in ("offset", "filter"):
            if self.sample is None and key in self.model_fields_set:
                raise ValueError(f"missing key 'sample' (it goes with '{key}')")
        if self.filter is not None:
            if self.kd is None:
                raise ValueError("missing key 'kd' (it goes with 'filter')")
            if self.target_rate is not None:
                raise ValueError("'filter' takes differences of the error, so 'target_rate' does not go with it")
        return self

    @classmethod
    def states_given(cls, keys: Collection[str]) -> tuple[str, ...]:
        return cls.STATES if "sample" not in keys else held_names(cls.STATES, "filter" in keys)

    def loads(self, geometry: Geometry) -> list[Load]:
        assert self.joint is not None
        x = geometry.coordinate_name(self.joint, self.coordinate)
        angle = (self.coordinate or geometry.free_coordinates(self.joint)[0]).startswith("angle")
        law, constants = geometry.law([self.effort(geometry, x, "rad s" if angle else "m s")])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]

    def generalised_force(self, laws: OwnLaws) -> tuple[str, Expression]:
        """The user's own coordinate, and the effort along it. Raises ItemError."""
        assert self.coordinate is not None
        return self.coordinate, self.effort(laws, self.coordinate, OWN_UNIT)

    def effort(self, laws: OwnLaws, x: str, unit: str) -> Expression:
        """The law of the effort; `x`: what expressions call the coordinate, `unit`: that of an integral of its error. Raises ItemError."""
        p = {name: laws.number(name, value) for name, value in self.numbers().items()}
        if self.sample is not None:
            return hold_effort(self, laws, p, x, unit)
        terms, values = [], {}
        if self.target is not None:
            terms, values = [f"{p[KP]}*(target - {x})"], {"target": self.target}
        if self.kd is not None:
            terms.append(f"{p[KD]}*(target_rate - der({x}))")
            values["target_rate"] = self.rate_of_target(laws)
        if self.feedforward is not None:
            terms.append("feedforward")
            values["feedforward"] = self.feedforward
        wanted = self.wanted(laws, " + ".join(terms))
        effort = wanted if self.limit is None else f"max({p[LOW]}, min({p[HIGH]}, {wanted}))"
        self.add_states(laws, p, x, unit, f"{effort} - ({wanted})" if self.limit is not None else "", values)
        return substitute(parse(effort), values)

    def numbers(self) -> dict[str, float]:
        """The constants of its law, by name: parameters of the generated code, which does not depend on their values."""
        found = {KP: self.kp} if self.target is not None else {}
        if self.kd is not None:
            found[KD] = self.kd
        if self.limit is not None:
            found |= dict(zip((LOW, HIGH), self.limit, strict=True))
        return found

    @property
    def integral_begun(self) -> float:
        """The integral of the error at the start, where the kind has one."""
        return 0.0

    def wanted(self, laws: OwnLaws, plain: str) -> str:
        """The effort without a limit: `plain`, and what the kind adds."""
        return plain

    def add_states(self, laws: OwnLaws, numbers: dict[str, str], x: str, unit: str, cut: str, values: dict[str, Expression]) -> None:
        """The states of the kind. `cut`: what the limit takes off the effort, empty without one; `values` as of `substituted`."""

    def rate_of_target(self, laws: OwnLaws) -> Expression:
        """The law that is given, or the exact rate of the target. Raises ItemError."""
        if self.target_rate is not None:
            return self.target_rate
        assert self.target is not None
        try:
            return laws.rate_of(self.target)
        except ExpressionError as error:
            raise ItemError(("target",), ExpressionError(f"{error.message}; give `target_rate`", error.offset)) from None
