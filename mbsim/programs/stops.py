"""The stops, contacts and frictions of a unit: what decides at an event what they do, as in a run (`mbsim.march.simple_contacts`).

What is closed or sticks has a row in a system of its own, so a unit has a phase for each set of rows that may hold
(`mbsim.programs.phases`). The system without them is that of the phase in which none does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.assembly.unilateral import with_unilaterals
from mbsim.assembly.unilaterals import Look, Unilateral
from mbsim.contracts import ARRAYS, EVENT_LARGEST, METHOD, SYSTEM, WORK
from mbsim.integrators._rubbing_arrays import RUBBING, Rubbing
from mbsim.integrators._settling_arrays import SETTLING, Settling
from mbsim.march.asked import find_all
from mbsim.march.rough_contacts import are_decided, held_names, is_decided, rubbing_of
from mbsim.march.rough_contacts import take_decided as take_rough
from mbsim.march.simple_contacts import TOLD, are_simple, is_simple, settling_of, take_decided
from mbsim.model.lockable import lockable
from mbsim.programs.happening import Events
from mbsim.programs.memory import Call
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model


@dataclass(frozen=True)
class Stops:
    """Those of a phase; n of them, with N directions: the normal and the tangent of each behind each other."""

    each: tuple[Unilateral, ...]
    settling: Settling | Rubbing  # which all phases have in common
    first: list[int]  # (n,) where the directions of each begin
    efforts: list[tuple[int, int, int]]  # what tells that a row does not hold: its place among all events, whose it is, what it tells
    rows: np.ndarray  # (N,) of their multipliers; -1 where they do not hold
    loaded: np.ndarray | None  # (n,) places of frictions in the tables of a phase; None: reactions load none
    settle: Call
    tell: Call
    sides: Call

    @property
    def calls(self) -> list[Call]:
        """All of them."""
        return [self.settle, self.tell, self.sides]

    @property
    def names(self) -> list[str]:
        """(N,) of the rows that hold the directions."""
        return held_names(self.each)


def problems_of_stops(model: "Model") -> list[str]:
    """What rigid stops, contacts and friction of a model no unit has, a sentence each."""
    each, found = with_unilaterals(model).unilaterals, list[str]()
    if not each:
        return []
    rough = [one for one in each if not is_simple(one) and not is_decided(one)]
    simultaneous = model.simulation.simultaneous
    if rough:
        names = ", ".join(one.name for one in rough)
        found.append(
            f"cables that rub on their rims ({names}): what sticks and slips is decided in Python. Units know stops, contacts, and "
            "friction of joints; joint_friction and contact among the forces are known everywhere"
        )
    elif not (are_simple(each) or are_decided(each, simultaneous)):
        many = f"{len(each)} rigid stops, contacts and frictions: what they can do at once is more than units can try"
        found.append(many if simultaneous else "`simultaneous: false` with friction that a force loads: units know simultaneous impacts")
    loaded = [one.name for one in each if one.groups]
    if loaded and lockable(model):
        found.append(
            f"friction that a reaction of a joint loads ({', '.join(loaded)}), where joints, drivers or constraints come and go by events: "
            "a unit has one of both"
        )
    coming = sorted({one.joint for one in each if one.joint} & lockable(model))
    found += [f"{name!r} has stops or friction, and comes and goes by events: a unit has one of both" for name in coming]
    return found


def stops_of(inside: Inside, base: Inside, events: Events, control: Floats, width: int, like: Stops | None) -> Stops | None:
    """Those of a phase; `base` is that without closed stops, `like` those of the first phase. None of a model without any.

    `width` is that of the longest output row, `control` begins with the time.
    """
    found, planned = inside.made.unilaterals, inside.made.events
    if found is None or planned is None:
        return None
    first, lines = events.first + found.first, dict[tuple[int, Look], int]()
    for i, one in enumerate(found.each):
        for look in one.looks:
            lines[i, look] = first + len(lines)
    find_all(inside.formulation.system)  # coordinates of contacts that a run need not know, because they do not touch at the start
    system, work = inside.formulation.system, inside.formulation.work
    names = held_names(found.each)
    rows = np.array([system.rows.index(name) if name in system.rows else -1 for name in names], np.int64)
    asked = base.formulation
    blocks = (METHOD, asked.functions), (SYSTEM, asked.system.functions), (ARRAYS, asked.system.arrays), (WORK, asked.work)
    told, whose = [(ARRAYS, system.arrays), (WORK, work), rows], [i for i, one in enumerate(found.each) for _ in held_names([one])]
    efforts = [(line, i, TOLD[look]) for (i, look), line in lines.items() if look in (Look.PRESS, Look.HOLD)]
    s = like.settling if like is not None else _decided(inside, base, events, lines, width)
    loaded = None
    if isinstance(s, Settling):
        from mbsim.integrators._settling import settle  # compiles
        from mbsim.integrators._settling_lines import set_sides, tell_modes

        block: tuple[object, Settling | Rubbing] = (SETTLING, s)
        calls = Call(settle, (*blocks, control[:1], block)), Call(tell_modes, (*told, block)), Call(set_sides, ((WORK, work), block))
    else:
        from mbsim.integrators._rubbing import rub  # compiles
        from mbsim.integrators._rubbing_lines import set_contact_sides, tell_contacts

        block = (RUBBING, s)
        loaded = _loads(inside, found.each, like is None)
        told.append(loaded)
        sides = Call(set_contact_sides, ((WORK, work), block))
        calls = Call(rub, (*blocks, control[:1], block)), Call(tell_contacts, (*told, block)), sides
    return Stops(found.each, s, [whose.index(i) for i in range(len(found.each))], efforts, rows, loaded, *calls)


def _decided(inside: Inside, base: Inside, events: Events, lines: dict[tuple[int, Look], int], width: int) -> Settling | Rubbing:
    """What they do at the start."""
    found, settings, decided = inside.made.unilaterals, inside.settings, inside.happened.modes
    assert found is not None and decided is not None
    work = inside.formulation.work
    if are_simple(found.each):
        simple = settling_of(found, lines, settings.impact_law, settings.simultaneous, base.formulation, width)
        simple = simple._replace(q=events.q, v=events.v)
        take_decided(simple, decided)
        simple.watched[0] = work.events[simple.efforts_left, EVENT_LARGEST].max()
        return simple
    made = rubbing_of(found, lines, settings.impact_law, base.formulation, width, True)._replace(q=events.q, v=events.v)
    take_rough(made, decided)
    made.watched[0] = work.events[[line for (_, look), line in lines.items() if look in (Look.PRESS, Look.HOLD)], EVENT_LARGEST].max()
    names, held = held_names(found.each), {row for i, one in enumerate(found.each) for row in decided.rows(i, one)}
    made.holds[:] = [name in held for name in names]
    return made


def _loads(inside: Inside, each: Sequence[Unilateral], told: bool) -> np.ndarray:
    """(n,) places of frictions in the tables of a phase, which are filled unless they are `told` already; -1 where nothing loads them."""
    system, work = inside.formulation.system, inside.formulation.work
    places, group, component = np.full(len(each), -1, np.int64), 0, 0
    loaded = [i for i, one in enumerate(each) if one.loads and one.is_loaded(system.rows)]
    for k, i in enumerate(loaded):
        places[i] = k
        if not told:
            work.slipping[k] = -1.0, 0.0, 0.0, group, len(each[i].loads)
        for load in each[i].loads:
            if not told:
                work.groups[group] = load.numbers(True, component, system)
                for weights in load.components:
                    for name, weight in weights.items():
                        if name in system.rows:
                            work.components[component, system.rows.index(name)] = weight
                    component += 1
                group += 1
    return places
