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
from mbsim.model.fields import ItemError, LengthLaw, NonNegativeNumber, PositiveNumber
from mbsim.model.leaves import Bend, Where
from mbsim.model.winding import Lift, Part, Term


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
        rubbing = [k for k, station in enumerate(self.path) if station.friction is not None]
        if rubbing:
            told = "a cable that stretches slides without friction: leave out 'friction', or give a constraint pulley_cable"
            raise ItemError(("path", rubbing[0], "friction"), ValueError(told))
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
        stiffness = (self.stiffness if self.EA is None else self.EA / free) or 0.0
        length, rate = length_and_rate(geometry, part, k)
        if self.value is not None:
            tension = no_push(substitute(self.value, {"length": length, "rate": rate}))
        else:
            tension = self._tension(geometry, k, free, stiffness, length, rate)
        loads = along(geometry, part, k, tension, (length, rate))
        if self.value is None and not part.lifts:
            terms = [x for term in part.terms for x in (float(term.relative), term.factor)]
            data = [float(part.terms[0].relative), stiffness, free - part.drawn + part.straight, float(len(part.terms)), *terms]
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
            return no_push(substitute(parse("k*(length - l)"), named))
        named["c"] = parse(geometry.number(f"damping{k}", self.damping))
        named["tension"] = no_push(substitute(parse("k*(length - l) + c*rate"), named))
        return substitute(parse("if_else(length <= l, 0, tension)"), named)


def no_push(tension: Expression) -> Expression:
    """A tension that never pushes, and that is not a number where its length is none."""
    return substitute(parse("if_else(tension <= 0, 0, tension)"), {"tension": tension})


def length_and_rate(geometry: Geometry, part: Part, k: int) -> tuple[Expression, Expression]:
    """Of part k of a cable, as laws say them."""
    left = {term for lift in part.lifts for term in lift.about}
    kept = [term for n, term in enumerate(part.terms) if n not in left]
    offset = part.drawn - part.straight - sum(lift.around for lift in part.lifts)
    length, rate = _sum(geometry, f"{k}", kept)
    texts = [geometry.number(f"offset{k}", offset), length], [rate]
    for n, lift in enumerate(part.lifts):
        value, its = _sum(geometry, f"{k}_lift{n}", [part.terms[term] for term in lift.about])
        angle = _angle(geometry, lift, k, n)
        around = geometry.number(f"around{k}_{n}", lift.around)
        geometry.number(f"angle{k}_{n}", lift.drawn)
        texts[0].append(f"if_else({angle} >= 0, {value} + {around}, {lift.beside.name})")
        texts[1].append(f"if_else({angle} >= 0, {its}, der({lift.beside.name}))")
    return parse(" + ".join(text for text in texts[0] if text)), parse(" + ".join(text for text in texts[1] if text) or "0")


def along(geometry: Geometry, part: Part, k: int, tension: Expression, told: tuple[Expression, Expression]) -> list[Load]:
    """The loads of the tension of part k along all terms of its length; `told` are its length and rate, which are recorded."""
    found = [_along(geometry, k, tension, told, [t for n, t in enumerate(part.terms) if not any(n in lift.about for lift in part.lifts)])]
    for n, lift in enumerate(part.lifts):
        angle = _angle(geometry, lift, k, n)
        for text, terms in (("if_else({} >= 0, x, 0)", [part.terms[t] for t in lift.about]), ("if_else({} >= 0, 0, x)", [lift.beside])):
            found.append(_along(geometry, k, substitute(parse(text.format(angle)), {"x": tension}), told, terms))
    return [load for loads in found for load in loads]


def _along(geometry: Geometry, k: int, effort: Expression, told: tuple[Expression, Expression], terms: list[Term]) -> list[Load]:
    if not terms:
        return []
    law, constants = geometry.law([effort, *told])
    ground = geometry.ground()
    return [Load(RELATIVE_EFFORT, ground, ground, law, [float(x.relative), -x.factor, k + 1.0, *constants]) for x in terms]


def _sum(geometry: Geometry, word: str, terms: list[Term]) -> tuple[str, str]:
    """Factors times terms, and times their rates."""
    texts = [geometry.number(f"factor{word}_{i}", x.factor) if abs(x.factor) != 1.0 else f"{x.factor:g}" for i, x in enumerate(terms)]
    values, rates = ([f"({c})*{form.format(x.name)}" for c, x in zip(texts, terms, strict=True)] for form in ("{}", "der({})"))
    return " + ".join(values), " + ".join(rates)


def _angle(geometry: Geometry, lift: Lift, k: int, n: int) -> str:
    """By how much the cable lies on a circle that it may leave, rad; below zero it has left. `length_and_rate` gives the number in it."""
    turns = " + ".join(f"({turn.factor:g})*{turn.name}" for turn in lift.turns)
    return f"({geometry.own_name(f'angle{k}_{n}')} + {turns})"
