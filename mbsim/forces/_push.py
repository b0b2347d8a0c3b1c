"""Efforts that a run gives: of dry friction that slips, and units by which it asks what the mechanism does."""

from collections.abc import Sequence
from math import pi
from typing import Any

from mbsim.elements.kinds import RELATIVE_EFFORT
from mbsim.forces._table import BodyForce, Geometry, Load, OwnLaws
from mbsim.forces.pulley_cable import along, length_and_rate
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.expressions.parsed import combine
from mbsim.model.leaves import Force

PUSH = "push"  # the numbers that they are
SPARE = "spare"  # of a cable that may go slack: its length less what the terms of its path do not tell
BEGIN = 1e9  # s/m: one over the slip that is added along the direction in which it begins
STRAIGHT = 1e-11  # m/s: a slip across that direction that is slower is round-off, and does not turn the friction


def push_name(name: str, k: int) -> str:
    """What laws call effort k of what a push of this name has."""
    return f"{name}.{PUSH}{k}"


class Push(BodyForce):
    """Along a joint's coordinate, on the second body and against it on the first: N m about an axis, N along one."""

    joint: str
    coordinate: str

    def loads(self, geometry: Geometry) -> list[Load]:
        law, constants = geometry.law([parse(geometry.number(f"{PUSH}0", 0.0))])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]


class KnownRub(BodyForce):
    """Dry friction of a given effort (N, N m) along a joint's coordinate whose motion is known: against it, and none at rest."""

    joint: str
    coordinate: str
    size: float

    def loads(self, geometry: Geometry) -> list[Load]:
        law, constants = geometry.law([parse(f"-({self.size!r})*sign(der({self.joint}.{self.coordinate}))")])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]


class ContactPush(BodyForce):
    """Normal and tangential forces of a contact. `site` (`mbsim.assembly.contact_sites.Site`) tells where it is.

    In space the friction of what slips is against the slip, whose direction turns: then its number is the size of the force.
    """

    site: Any

    def loads(self, geometry: Geometry) -> list[Load]:
        site = self.site
        first, second = site.places(geometry)
        kind, primitive = site.measured
        indices = [geometry.relative_row(site.gap, kind, primitive, first, second, site.frames)]
        for limit in site.limits(geometry):
            geometry.relative_row(*limit)
        for slide, (primitive, frames) in zip(site.slides, site.tangents, strict=False):
            indices.append(geometry.relative_row(slide, site.slide_kind, primitive, first, second, frames))
        texts = [geometry.number(f"{PUSH}{k}", 0.0) for k in range(len(indices))]
        if len(site.slides) == 2:
            texts[1:] = _against_slip(geometry, site.slides, texts[1:], site.slow)
        return _efforts(geometry, indices, texts)


class ResistancePush(BodyForce):
    """The couple of a contact that rolls or drills, against that; of what rolls in space its direction turns as of friction."""

    site: Any
    drills: bool

    def loads(self, geometry: Geometry) -> list[Load]:
        site = self.site
        first, second = site.places(geometry)
        indices, names = list[int](), list[str]()
        for k, (primitive, frames) in enumerate(site.turns(self.drills)):
            names.append(site.turn_name(self.drills, k))
            indices.append(geometry.relative_row(names[-1], site.turn_kind, primitive, first, second, frames))
        texts = [geometry.number(f"{PUSH}{k}", 0.0) for k in range(len(indices))]
        return _efforts(geometry, indices, _against_slip(geometry, names, texts) if len(names) == 2 else texts)


class FlankPush(BodyForce):
    """The force at a flank of a coupling with play, along what it keeps: of the second coordinate N m about an axis, N along one."""

    flank: Any  # `mbsim.joints._coupling.Flank`

    def loads(self, geometry: Geometry) -> list[Load]:
        tie = geometry.tie(self.flank.name, self.flank)
        numbers = {"factor0": tie.factors[0], "factor1": tie.factors[1], "drawn": tie.drawn, "bound": self.flank.bound}
        numbers |= {
            "whole": float(tie.period == 0.0),
            "part": tie.period / (2.0 * pi),
            "turns": 2.0 * pi / tie.period if tie.period else 0.0,
        }
        names = {word: geometry.number(word, value) for word, value in numbers.items()}
        push, found = geometry.number(f"{PUSH}0", 0.0), []
        for k, (joint, coordinate) in enumerate(zip(self.flank.joints, tie.coordinates, strict=True)):
            law, constants = geometry.law([parse(f"{names[f'factor{k}']}*{push}")])
            found.append(geometry.effort(joint, coordinate, law, constants))
        return found


def play_of(flank: str, coupling: str) -> tuple[str, str]:
    """What a coupling keeps, in the laws of one of its flanks, and the rate of that: how far it has moved from where it is drawn."""
    first, second = (f"{flank}.factor{k}*{{}}{coupling}.turned{k}{{}}" for k in range(2))
    moved = f"({first.format('', '')} + {second.format('', '')} - {flank}.drawn)"
    nearest = f"{flank}.part*atan2(sin({flank}.turns*{moved}), cos({flank}.turns*{moved}))"  # less whole periods
    return f"({flank}.whole*{moved} + {nearest})", f"({first.format('der(', ')')} + {second.format('der(', ')')})"


class CablePush(BodyForce):
    """The tension of a cable that may go slack, in its path."""

    path: Any
    length: Any  # of the cable, where it is a number, m; None: as drawn; an expression: what `begin` is added to

    def loads(self, geometry: Geometry) -> list[Load]:
        (part,) = geometry.cable(self.path)
        offset = part.drawn - part.straight
        length = part.drawn if self.length is None else 0.0 if isinstance(self.length, Expression) else self.length
        geometry.number(SPARE, length - offset)
        tension = parse(geometry.number(f"{PUSH}0", 0.0))
        return along(geometry, part, 0, tension, length_and_rate(geometry, part, 0))


class RubPush(BodyForce):
    """What the tensions on both sides of a rim differ by, along the way of the cable over it (`mbsim.constraints._rubbing`)."""

    path: Any
    station: int

    def loads(self, geometry: Geometry) -> list[Load]:
        (rub,) = [rub for part in geometry.cable(self.path) for rub in part.rubs if rub.station == self.station]
        numbers = [geometry.number(f"factor{k}", term.factor) for k, term in enumerate(rub.slide)]
        way, speed = (parse(" + ".join(f"{c}*{form.format(x.name)}" for c, x in zip(numbers, rub.slide, strict=True)))
                      for form in ("{}", "der({})"))  # fmt: skip
        law, constants = geometry.law([parse(geometry.number(f"{PUSH}0", 0.0)), way, speed])
        ground = geometry.ground()
        return [Load(RELATIVE_EFFORT, ground, ground, law, [float(x.relative), x.factor, 1.0, *constants]) for x in rub.slide]


class GapPush(Force):
    """Normal and tangential forces of a contact in the user's own coordinates: a number each, along what its row depends on."""

    directions: Any  # for each effort {coordinate: expression}, how fast the gap grows or the contact slips with the coordinate

    def efforts(self, laws: OwnLaws) -> list[tuple[str, Expression]]:
        """The generalised force along each coordinate that takes part."""
        terms: dict[str, list[Expression]] = {}
        for k, direction in enumerate(self.directions):
            number = parse(laws.number(f"{PUSH}{k}", 0.0))
            for coordinate, slope in direction.items():
                terms.setdefault(coordinate, []).append(substitute(parse("a*b"), {"a": number, "b": slope}))
        return [(coordinate, combine([(1.0, term) for term in found])) for coordinate, found in terms.items()]


def _efforts(geometry: Geometry, indices: Sequence[int], texts: Sequence[str]) -> list[Load]:
    """Efforts by laws along relative coordinates."""
    ground, found = geometry.ground(), []
    for index, text in zip(indices, texts, strict=True):
        law, constants = geometry.law([parse(text)])
        found.append(Load(RELATIVE_EFFORT, ground, ground, law, [float(index), 1.0, 0.0, *constants, 0.0, 0.0, 0.0]))
    return found


def _against_slip(geometry: Geometry, slides: list[str], own: list[str], slow: float = 1.0) -> list[str]:
    """Laws of efforts against the slip in a plane, besides those of their `own`.

    The number `push3` is the friction, below zero, and `start` a small slip in the direction d in which it began, so that there is a
    direction at once. Where slip passes zero along d, the friction does not turn at once: a step beyond is smooth, and the end of slip is
    found within it. Where both are round-off it is along d: slip across d counts as c^3 / (c^2 + STRAIGHT^2). Of bodies below a millimetre
    both slips are smaller: the number `slow` says how much.
    """
    size = geometry.number(f"{PUSH}3", 0.0)
    start = [geometry.number(f"start{k}", 0.0) for k in range(2)]
    still, least = geometry.number("still", 1.0), geometry.number("slow", slow)
    d = [f"({BEGIN}*{its})" for its in start]
    first, second = (f"der({slide})" for slide in slides)
    along = f"({d[0]}*{first} + {d[1]}*{second})"
    aside = f"({d[0]}*{second} - {d[1]}*{first})"
    forward = f"({1.0 / BEGIN}*{least} + sqrt({along}^2 + 1e-40*{least}^2))"
    turned = f"({aside}*{aside}^2/({aside}^2 + ({STRAIGHT}*{least})^2))"
    speeds = [f"({d[0]}*{forward} - {d[1]}*{turned})", f"({d[1]}*{forward} + {d[0]}*{turned})"]
    length = f"sqrt({speeds[0]}^2 + {speeds[1]}^2 + {still})"
    return [f"{effort} + {size}*{speed}/{length}" for effort, speed in zip(own, speeds, strict=True)]
