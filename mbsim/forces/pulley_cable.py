"""Elastic cable over pulleys, through eyelets, on drums: one tension along all of its length, which never pushes.

tension = stiffness e + damping d(length)/dt, not less than zero, at an elongation e = length - free_length > 0; while it is slack 0. The
cable has no mass, and no friction on pulleys and in eyelets. A pulley that grips it parts it in two, each with a tension of its own.
"""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import RELATIVE_EFFORT, STORED
from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.cables import Path, bends
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.fields import LengthLaw, NonNegativeNumber, PositiveNumber
from mbsim.model.leaves import Bend, Where
from mbsim.model.winding import Part


class PulleyCable(BodyForce):
    """Its elastic energy is potential; the work of its damping, and of a law, is not."""

    SYMBOL = "cable"
    LOADED = 1
    LOCAL = frozenset({"length", "rate"})
    AGAINST = True

    path: Path = Field(description="what the cable passes, from its first end to its last")
    stiffness: PositiveNumber | None = Field(default=None, description="of the whole cable, N/m")
    EA: PositiveNumber | None = Field(default=None, description="in place of `stiffness`: times its free length, N")
    damping: NonNegativeNumber = Field(default=0.0, description="while it is taut, N s/m")
    free_length: PositiveNumber | None = Field(default=None, description="m; the length at the start when not given")
    value: LengthLaw | None = Field(
        default=None, description="tension, N, in place of all these: a law that may contain `length` and `rate`; less than 0 it is slack"
    )

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        linear = sorted(self.model_fields_set & {"stiffness", "EA", "damping", "free_length"})
        if self.value is not None:
            if linear:
                raise ValueError(f"give either 'value' or {', '.join(linear)}, not both")
        elif (self.stiffness is None) == (self.EA is None):
            raise ValueError("give exactly one of 'stiffness', 'EA' and 'value'")
        if self.free_length is not None and any(station.grips for station in self.path):
            raise ValueError("a pulley that grips parts the cable, and each part is as long as it is drawn: leave out 'free_length'")
        return self

    def acts_at(self) -> list[Where]:
        return [self.path[0].where, self.path[-1].where]

    def runs(self) -> Sequence[Bend]:
        return bends(self.path)

    def loads(self, geometry: Geometry) -> list[Load]:
        return [load for k, part in enumerate(geometry.cable(self.path)) for load in self._pull(geometry, part, k)]

    def _pull(self, geometry: Geometry, part: Part, k: int) -> list[Load]:
        """The loads of a part: its tension along each term of its length, and what it stores."""
        free = part.drawn if self.free_length is None else self.free_length
        stiffness = self.stiffness if self.EA is None else self.EA / free
        offset = part.drawn - part.straight  # of its length, besides its terms
        length, rate = length_and_rate(geometry, part, k)
        if self.value is not None:
            tension = _pull(substitute(self.value, {"length": length, "rate": rate}))
        else:
            tension = self._tension(geometry, k, free, stiffness or 0.0, length, rate)
        loads = along(geometry, part, tension)
        if self.value is None:
            terms = [x for term in part.terms for x in (float(term.relative), term.factor)]
            data = [float(part.terms[0].relative), stiffness or 0.0, free - offset, float(len(part.terms)), *terms]
            loads.append(Load(STORED, geometry.ground(), geometry.ground(), -1, data))
        return loads

    def _tension(self, geometry: Geometry, k: int, free: float, stiffness: float, length: Expression, rate: Expression) -> Expression:
        named = {
            "k": parse(geometry.number(f"stiffness{k}", stiffness)),
            "l": parse(geometry.number(f"free{k}", free)),
            "length": length,
            "rate": rate,
        }
        if self.damping == 0.0:
            return _pull(substitute(parse("k*(length - l)"), named))
        named["c"] = parse(geometry.number(f"damping{k}", self.damping))
        named["tension"] = _pull(substitute(parse("k*(length - l) + c*rate"), named))
        return substitute(parse("if_else(length <= l, 0, tension)"), named)


def _pull(tension: Expression) -> Expression:
    """A tension that never pushes, and that is not a number where its length is none."""
    return substitute(parse("if_else(tension <= 0, 0, tension)"), {"tension": tension})


def length_and_rate(geometry: Geometry, part: Part, k: int) -> tuple[Expression, Expression]:
    """Of part k of a cable, as laws say them."""
    factors = [term.factor for term in part.terms]
    texts = [geometry.number(f"factor{k}_{i}", c) if abs(c) != 1.0 else f"{c:g}" for i, c in enumerate(factors)]
    offset = geometry.number(f"offset{k}", part.drawn - part.straight)
    length = " + ".join([offset, *(f"({c})*{term.name}" for c, term in zip(texts, part.terms, strict=True))])
    rate = " + ".join(f"({c})*der({term.name})" for c, term in zip(texts, part.terms, strict=True))
    return parse(length), parse(rate)


def along(geometry: Geometry, part: Part, tension: Expression) -> list[Load]:
    """The loads of a tension along all terms of a length; the first one holds what is recorded of it (`mbsim.observe.forces`)."""
    law, constants = geometry.law([tension])
    ground, offset = geometry.ground(), part.drawn - part.straight
    return [Load(RELATIVE_EFFORT, ground, ground, law, [float(term.relative), -term.factor, offset, *constants]) for term in part.terms]
