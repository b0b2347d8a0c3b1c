"""Muscle with a rigid tendon, along points and about bones: Hill's law with an activation that follows its excitation with a lag.

    tension = largest (a f_l(l) f_v(v) + f_p(l)),   a_dot = (excitation - a)/lag
    l = (length - tendon)/optimal,   v = rate/(optimal fastest)
    f_l = exp(-((l - 1)/0.45)^2),   f_p = (exp(5 (l - 1)/0.6) - 1)/(exp(5) - 1) for l > 1
    f_v = (1 + v)/(1 - 4 v) for -1 < v < 0, 0 below,   1 + 0.4 v/(v + 0.08) above

The shapes f_l and f_p and their numbers are those of Thelen, Adjustment of muscle mechanics model parameters to simulate dynamic
contractions in older adults, J. Biomech. Eng. 125 (2003) 70-77; f_v is Hill's hyperbola with a/F = 1/4, The heat of shortening and the
dynamic constants of muscle, Proc. R. Soc. B 126 (1938) 136-195, continued to 1.4 with one slope at v = 0.
"""

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import Field, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.forces.pulley_cable import along, length_and_rate, no_push
from mbsim.model.cables import Path, bends
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import parse
from mbsim.model.fields import ItemError, Law, NonNegativeNumber, PositiveNumber
from mbsim.model.leaves import Bend, Where

FORCE_LENGTH = "exp(-((l - 1)/0.45)^2)"
PASSIVE = "if_else(l > 1, (exp(5*(l - 1)/0.6) - 1)/(exp(5) - 1), 0)"
FORCE_VELOCITY = "if_else(v > 0, 1 + 0.4*v/(v + 0.08), if_else(v > -1, (1 + v)/(1 - 4*v), 0))"
TENSION = f"largest*(a*{FORCE_LENGTH}*{FORCE_VELOCITY} + {PASSIVE})"


class Muscle(BodyForce):
    """Its work counts as work of non-conservative forces; its activation is a state."""

    SYMBOL = "cable"
    LOADED = 1
    AGAINST = True
    STATES: ClassVar[tuple[str, ...]] = ("activation",)

    path: Path = Field(description="what the muscle passes from its origin to its insertion; bones are circles with `lifts: true`")
    largest: PositiveNumber = Field(description="isometric force of the fibres at their optimal length, N")
    optimal: PositiveNumber = Field(description="optimal length of the fibres, m")
    tendon: NonNegativeNumber = Field(default=0.0, description="length of the tendon, which does not stretch, m")
    fastest: PositiveNumber = Field(default=10.0, description="speed of the free fibres in optimal lengths a second, 1/s")
    excitation: Law = Field(description="from 0 to 1: expression of t and states")
    lag: PositiveNumber = Field(default=0.04, description="time constant of the activation, s")
    activation: NonNegativeNumber = Field(default=0.0, description="at the start, 0 to 1")

    @model_validator(mode="after")
    def _one_part(self) -> Self:
        for k, station in enumerate(self.path):
            if station.grips:
                raise ItemError(("path", k, "grips"), ValueError("a muscle slides on bones: leave out 'grips'"))
        return self

    def acts_at(self) -> list[Where]:
        return [self.path[0].where, self.path[-1].where]

    def runs(self) -> Sequence[Bend]:
        return bends(self.path)

    def loads(self, geometry: Geometry) -> list[Load]:
        (part,) = geometry.cable(self.path)
        length, rate = length_and_rate(geometry, part, 0)
        given = {name: geometry.number(name, getattr(self, name)) for name in ("largest", "optimal", "tendon", "fastest", "lag")}
        a = geometry.own_name("activation")
        excited = substitute(parse(f"(u - {a})/{given['lag']}"), {"u": self.excitation})
        geometry.state("activation", excited, self.activation, "1")
        values = {
            "largest": parse(given["largest"]),
            "a": parse(a),
            "l": substitute(parse(f"(length - {given['tendon']})/{given['optimal']}"), {"length": length}),
            "v": substitute(parse(f"rate/({given['optimal']}*{given['fastest']})"), {"rate": rate}),
        }
        return along(geometry, part, 0, no_push(substitute(parse(TENSION), values)), (length, rate))
