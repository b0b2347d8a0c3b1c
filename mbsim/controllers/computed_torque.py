"""The effort that gives a coordinate x the acceleration which leads it to its target, at samples (`mbsim.system.solved_samples`).

x_ddot = target_ddot + kd e_dot + kp e,   e = target - x
"""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from mbsim.controllers._solved import EFFORT, SolvedController
from mbsim.forces._table import Geometry
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, ExpressionError, parse
from mbsim.model.fields import ItemError, NonNegativeNumber
from mbsim.model.sampling import Clock, Held

ACCELERATION = "acceleration"


class ComputedTorque(SolvedController):
    """Inverse dynamics of the whole mechanism: the errors of all coordinates that are led obey linear equations of their own."""

    STATES: ClassVar[tuple[str, ...]] = (EFFORT, ACCELERATION)

    kp: NonNegativeNumber = Field(default=0.0, description="1/s^2: acceleration of the error")
    kd: NonNegativeNumber = Field(default=0.0, description="1/s: acceleration of the rate of the error")

    @model_validator(mode="after")
    def _has_a_target(self) -> Self:
        if self.target is None:
            raise ValueError("missing key 'target'")
        return self

    def wanted(self, geometry: Geometry, x: str, clock: Clock) -> str:
        assert self.target is not None
        rate = self.target_rate if self.target_rate is not None else _derived(geometry, self.target, "target")
        values = {"target": self.target, "target_rate": rate, "acceleration": _derived(geometry, rate, "target")}
        p = {name: geometry.number(name, value) for name, value in (("kp", self.kp), ("kd", self.kd))}
        law = substitute(parse(f"acceleration + {p['kd']}*(target_rate - der({x})) + {p['kp']}*(target - {x})"), values)
        geometry.hold(ACCELERATION, Held(clock, law), 0.0, "1")
        return geometry.own_name(ACCELERATION)


def _derived(geometry: Geometry, law: Expression, key: str) -> Expression:
    try:
        return geometry.rate_of(law)
    except ExpressionError as error:
        raise ItemError((key,), ExpressionError(f"{error.message}; a computed_torque needs two derivatives", error.offset)) from None
