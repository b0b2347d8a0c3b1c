"""The stops, contacts and frictions of a unit: what decides at an event what they do, as in a run (`mbsim.march.simple_contacts`).

What is closed or sticks has a row in a system of its own, so a unit has a phase for each set of rows that may hold
(`mbsim.programs.phases`). The system without them is that of the phase in which none does.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.assembly.unilateral import with_unilaterals
from mbsim.assembly.unilaterals import Look, Unilateral
from mbsim.contracts import ARRAYS, EVENT_LARGEST, METHOD, SYSTEM, WORK
from mbsim.integrators._settling_arrays import SETTLING, Settling
from mbsim.march.simple_contacts import are_simple, is_simple, settling_of, take_decided
from mbsim.model.lockable import lockable
from mbsim.programs.happening import Events
from mbsim.programs.memory import Call
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model


@dataclass(frozen=True)
class Stops:
    """Those of a phase."""

    each: tuple[Unilateral, ...]
    settling: Settling  # which all phases have in common
    efforts: list[int]  # places among all events of what tells that a row does not hold
    rows: np.ndarray  # (n,) of their multipliers; -1 where they do not hold
    settle: Call
    tell: Call
    sides: Call

    @property
    def calls(self) -> list[Call]:
        """All of them."""
        return [self.settle, self.tell, self.sides]


def problems_of_stops(model: "Model", exchanges: bool) -> list[str]:
    """What rigid stops, contacts and friction of a model no unit has, a sentence each; `exchanges`: for model exchange."""
    each, found = with_unilaterals(model).unilaterals, list[str]()
    if not each:
        return []
    rough = [one for one in each if not is_simple(one)]
    if rough:
        names = ", ".join(one.name for one in rough)
        found.append(
            f"friction that a force loads, and the ends of lines and sides ({names}): what sticks and slips is decided in Python. Units "
            "know stops, contacts without friction, and friction of joints by 'torque' or 'force'; joint_friction and contact among the "
            "forces are known everywhere"
        )
    elif not are_simple(each):
        found.append(f"{len(each)} rigid stops, contacts and frictions: what they can do at once is more than units can try")
    if exchanges:
        names = ", ".join(one.name for one in each)
        found.append(
            f"rigid stops, contacts and friction ({names}) in model exchange: what holds is another system when one closes or sticks, "
            "which the solver of an importer is not told of; take --kind cs, or joint_limit, joint_friction and contact among the forces"
        )
    turning = [one.name for one in each if not one.normal and one.joint and one.turns]
    if turning and model.dimension != 2 and not model.in_joint_coordinates:
        found.append(f"friction about angles in space ({', '.join(turning)}): units know it with `coordinates: joint`")
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
    s = like.settling if like is not None else _settling(inside, events, lines, width)
    from mbsim.integrators._settling import settle  # compiles
    from mbsim.integrators._settling_lines import set_sides, tell_modes

    system, asked, work = inside.formulation.system, base.formulation, inside.formulation.work
    held = [one.normal or one.tangent for one in found.each]
    rows = np.array([system.rows.index(name) if name in system.rows else -1 for name in held], np.int64)
    blocks = (METHOD, asked.functions), (SYSTEM, asked.system.functions), (ARRAYS, asked.system.arrays), (WORK, asked.work)
    return Stops(
        each=found.each,
        settling=s,
        efforts=s.efforts_left.tolist(),
        rows=rows,
        settle=Call(settle, (*blocks, control[:1], (SETTLING, s))),
        tell=Call(tell_modes, ((ARRAYS, system.arrays), (WORK, work), rows, (SETTLING, s))),
        sides=Call(set_sides, ((WORK, work), (SETTLING, s))),
    )


def _settling(inside: Inside, events: Events, lines: dict[tuple[int, Look], int], width: int) -> Settling:
    """What they do at the start."""
    found, settings, decided = inside.made.unilaterals, inside.settings, inside.happened.modes
    assert found is not None and decided is not None
    made = settling_of(found, lines, settings.impact_law, settings.simultaneous, inside.formulation, width)
    made = made._replace(q=events.q, v=events.v)
    take_decided(made, decided)
    made.watched[0] = inside.formulation.work.events[made.efforts_left, EVENT_LARGEST].max()
    return made
