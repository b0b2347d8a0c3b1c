"""What the controllers share: the effort along a joint's coordinate x, from the error and its rate, as a force with a law of its own.

    effort = kp e + kd e_dot + feedforward + what a kind adds,   e = target - x,   e_dot = target_rate - x_dot

With `limit` the effort is held within it. It acts as that of a `joint_torque`, so it has power, derivatives and a record like one.
"""

from abc import ABC
from typing import Self

from pydantic import Field, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.calculus import substituted
from mbsim.model.expressions import Expression, ExpressionError, parse
from mbsim.model.fields import ItemError, Law, NonNegativeNumber
from mbsim.model.leaves import Controller

KP, KD = "kp", "kd"
LOW, HIGH = "lower_limit", "upper_limit"


class JointController(Controller, BodyForce, ABC):
    """The effort on the second body along a joint's coordinate, and against it on the first; its work is that of a driving force."""

    target_rate: Law | None = Field(
        default=None, description="with `kd`: rad/s or m/s; the exact derivative of `target` when not given. 0: damping of the motion"
    )
    kp: NonNegativeNumber = Field(default=0.0, description="N m/rad or N/m: effort of the error")
    kd: NonNegativeNumber | None = Field(default=None, description="N m s/rad or N s/m: effort of the rate of the error")
    feedforward: Law | None = Field(default=None, description="N m or N, added to the effort before `limit`: expression of t and states")

    @model_validator(mode="after")
    def _rate_is_used(self) -> Self:
        if self.target_rate is not None and self.kd is None:
            raise ValueError("missing key 'kd' (it goes with 'target_rate')")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        x = geometry.coordinate_name(self.joint, self.coordinate)
        p = {name: geometry.number(name, value) for name, value in self.numbers().items()}
        wanted, values = f"{p[KP]}*(target - {x})", {"target": self.target}
        if self.kd is not None:
            wanted += f" + {p[KD]}*(target_rate - der({x}))"
            values["target_rate"] = self.target_rate if self.target_rate is not None else self._derived(geometry)
        if self.feedforward is not None:
            wanted += " + feedforward"
            values["feedforward"] = self.feedforward
        wanted = self.wanted(geometry, wanted)
        effort = wanted if self.limit is None else f"max({p[LOW]}, min({p[HIGH]}, {wanted}))"
        self.add_states(geometry, p, x, f"{effort} - ({wanted})" if self.limit is not None else "", values)
        law, constants = geometry.law([substituted(parse(effort), values)])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]

    def numbers(self) -> dict[str, float]:
        """The constants of its law, by name: parameters of the generated code, which does not depend on their values."""
        found = {KP: self.kp}
        if self.kd is not None:
            found[KD] = self.kd
        if self.limit is not None:
            found |= dict(zip((LOW, HIGH), self.limit, strict=True))
        return found

    def wanted(self, geometry: Geometry, plain: str) -> str:
        """The effort without a limit: `plain`, and what the kind adds."""
        return plain

    def add_states(self, geometry: Geometry, numbers: dict[str, str], x: str, cut: str, values: dict[str, Expression]) -> None:
        """The states of the kind. `cut`: what the limit takes off the effort, empty without one; `values` as of `substituted`."""

    def _derived(self, geometry: Geometry) -> Expression:
        try:
            return geometry.rate_of(self.target)
        except ExpressionError as error:
            raise ItemError(("target",), ExpressionError(f"{error.message}; give `target_rate`", error.offset)) from None
