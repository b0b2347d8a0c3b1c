"""PID controller of a coordinate x: effort = kp e + ki z + kd e_dot + feedforward, e = target - x (mbsim.controllers._table).

    z_dot = e + (effort within the limit - effort without) / (ki tracking_time)

z is a state, `controller.integral`. The second term of its rate is zero unless the limit holds; then it leads the effort without limit back
to the limit with the time constant `tracking_time`, so that the integral does not wind up (back-calculation: Astrom & Hagglund, Advanced
PID Control, 2006, sec. 3.5). When it is not given it is kp/ki, the integral time, for which the factor is 1/kp.
"""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from mbsim.controllers._table import CoordinateController
from mbsim.forces._table import OwnLaws
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.fields import NonNegativeNumber, Number, PositiveNumber

INTEGRAL, KI, TRACKING = "integral", "ki", "tracking"


class Pid(CoordinateController):
    """A PD controller with the integral of the error, which leaves no error at rest."""

    STATES: ClassVar[tuple[str, ...]] = (INTEGRAL,)

    ki: NonNegativeNumber = Field(description="N m/(rad s) or N/(m s): effort of the integral of the error")
    integral_start: Number = Field(default=0.0, description="the integral of the error at the start, rad s or m s")
    tracking_time: PositiveNumber | None = Field(
        default=None, description="with `limit`: how fast the integral follows a limited effort, s; kp/ki when not given"
    )

    @model_validator(mode="after")
    def _unwinds(self) -> Self:
        if self.target is None:
            raise ValueError("missing key 'target' (it goes with 'ki')")
        if self.tracking_time is not None and self.limit is None:
            raise ValueError("missing key 'limit' (it goes with 'tracking_time')")
        if self.limit is not None and self.tracking_time is None and self.ki > 0.0 and self.kp == 0.0:
            raise ValueError("ki without kp, and with a limit, needs a 'tracking_time': when not given it is kp/ki, which is 0 here")
        return self

    @property
    def integral_begun(self) -> float:
        return self.integral_start

    def numbers(self) -> dict[str, float]:
        found = super().numbers() | {KI: self.ki}
        if self.limit is not None:
            found[TRACKING] = (
                0.0 if self.ki == 0.0 else 1.0 / self.kp if self.tracking_time is None else 1.0 / (self.ki * self.tracking_time)
            )
        return found

    def wanted(self, laws: OwnLaws, plain: str) -> str:
        return f"{plain} + {laws.own_name(KI)}*{laws.own_name(INTEGRAL)}"

    def add_states(self, laws: OwnLaws, numbers: dict[str, str], x: str, unit: str, cut: str, values: dict[str, Expression]) -> None:
        rate = f"target - {x} + {numbers[TRACKING]}*({cut})" if cut else f"target - {x}"
        laws.state(INTEGRAL, substitute(parse(rate), values), self.integral_start, unit)
