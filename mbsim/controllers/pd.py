"""PD controller of a coordinate x: effort = kp e + kd e_dot + feedforward, e = target - x (mbsim.controllers._table).

With `target_rate` and without `target` it leads the rate: effort = kd (target_rate - x_dot) + feedforward.
"""

from typing import Self

from pydantic import model_validator

from mbsim.controllers._table import CoordinateController


class Pd(CoordinateController):
    """A spring and a damper between the coordinate and its target, as of a servo motor."""

    @model_validator(mode="after")
    def _has_gains(self) -> Self:
        if not self.model_fields_set & {"kp", "kd"}:
            raise ValueError("missing key 'kp' or 'kd': without a gain there is no effort")
        return self
