"""The stops and contacts of a unit: what decides at an event which of them are closed, as in a run (`mbsim.march.frictionless`).

What is closed has a row in a system of its own, so a unit has a phase for each set of rows that may hold (`mbsim.programs.phases`). The
system without them is that of the phase in which none does.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.assembly.unilateral import with_unilaterals
from mbsim.assembly.unilaterals import Look, Unilateral
from mbsim.contracts import ARRAYS, EVENT_LARGEST, METHOD, SYSTEM, WORK
from mbsim.integrators._settling_arrays import SETTLING, Settling
from mbsim.march.contact_modes import HOLDS
from mbsim.march.frictionless import are_frictionless, is_frictionless, settling_of
from mbsim.model.lockable import lockable
from mbsim.programs.happening import Events
from mbsim.programs.memory import Call
from mbsim.system.system import Floats
from mbsim.unilateral.pressing import MOST_ROWS
from mbsim.unilateral.sharing import Carries

if TYPE_CHECKING:
    from mbsim.model.schema import Model


@dataclass(frozen=True)
class Stops:
    """Those of a phase."""

    each: tuple[Unilateral, ...]
    settling: Settling  # which all phases have in common
    presses: list[int]  # places among all events of what tells that a row pulls
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
    rough = [one for one in each if not is_frictionless(one)]
    if rough:
        names = ", ".join(one.name for one in rough)
        found.append(
            f"friction, and the ends of lines and sides ({names}): what sticks and slips after an impact is decided in Python. Units know "
            "stops and contacts without friction; joint_friction and contact among the forces are known everywhere"
        )
    elif not are_frictionless(each):
        found.append(f"units know up to {MOST_ROWS} rigid stops and contacts (got {len(each)})")
    if exchanges:
        names = ", ".join(one.name for one in each)
        found.append(
            f"rigid stops and contacts ({names}) in model exchange: what holds is another system when one closes, which the solver of an "
            "importer is not told of; take --kind cs, or joint_limit and contact among the forces"
        )
    coming = sorted({one.joint for one in each if one.joint} & lockable(model))
    found += [f"{name!r} has stops, and comes and goes by events: a unit has one of both" for name in coming]
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
    rows = np.array([system.rows.index(one.normal) if one.normal in system.rows else -1 for one in found.each], np.int64)
    blocks = (METHOD, asked.functions), (SYSTEM, asked.system.functions), (ARRAYS, asked.system.arrays), (WORK, asked.work)
    return Stops(
        each=found.each,
        settling=s,
        presses=[lines[i, Look.PRESS] for i in range(len(found.each))],
        rows=rows,
        settle=Call(settle, (*blocks, control[:1], (SETTLING, s))),
        tell=Call(tell_modes, ((WORK, work), rows, (SETTLING, s))),
        sides=Call(set_sides, ((WORK, work), (SETTLING, s))),
    )


def _settling(inside: Inside, events: Events, lines: dict[tuple[int, Look], int], width: int) -> Settling:
    """What they do at the start."""
    found, settings, decided = inside.made.unilaterals, inside.settings, inside.happened.modes
    assert found is not None and decided is not None
    made = settling_of(found, lines, settings.impact_law, settings.simultaneous, inside.formulation, width)
    made = made._replace(q=events.q, v=events.v)
    for i in range(len(found.each)):
        made.mode[i] = decided.mode[i] in HOLDS
        made.holds[i] = decided.mode[i] in HOLDS and decided.carries[i] == Carries.ALL
    made.watched[0] = inside.formulation.work.events[made.presses, EVENT_LARGEST].max()
    return made
