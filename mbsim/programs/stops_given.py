"""The stops and contacts of a unit, for its program: the calls of their kernels, numbers and tables."""

from collections.abc import Sequence
from typing import Any

from mbsim.assembly.unilaterals import Unilateral
from mbsim.integrators import _settling_arrays as settling
from mbsim.integrators._rubbing_arrays import Rubbing
from mbsim.march.contact_telling import SIZE
from mbsim.march.events import EXCEEDS
from mbsim.march.simple_contacts import MODES
from mbsim.programs.memory import Call
from mbsim.programs.unit import Part, Unit

TOO_DEEP = " (a solver outside may leave 1e-3 m or rad: let it locate events, or give it a smaller tolerance)"
WHY = {  # of what the kernel returns
    settling.NOT_EVALUATED: "what stops and contacts hold cannot be found: the mechanism without them cannot be evaluated",
    settling.INSIDE: "bodies are inside each other, or beyond a stop",
    settling.NO_IMPACT: "an impact has no solution: what is prescribed leads the motion beyond what is closed, or friction jams",
    settling.NO_MODES: "what holds has no solution: what is prescribed leads the motion beyond what is closed, or friction jams",
    settling.UNDECIDED: "what is closed and what slips could not be decided",
    settling.NOT_KNOWN: "nothing moves what friction holds, several share a load, or several motions fit: runs decide that, in Python",
}


def stop_calls(unit: Unit) -> dict[str, list[list[Call]]]:
    """What the functions call that stops and contacts need, in each phase."""
    each = [part.stops for part in unit.parts if part.stops is not None]
    if not each:
        return {}
    found: dict[str, list[list[Call]]] = {"call_settle": [[its.settle] for its in each], "call_tell_modes": [[its.tell] for its in each]}
    return found if unit.march is None else found | {"call_set_sides": [[its.sides] for its in each]}


def stop_numbers(unit: Unit, part: Part) -> dict[str, int]:
    """Where everything of the stops of a phase stands."""
    its, memory = part.stops, unit.memory
    if its is None or unit.phases is None:
        return {}
    s = its.settling
    places = {
        "STOP_MODE": s.mode, "STOP_HOLDS": s.holds, "STOP_FIRED": s.fired, "STOP_HELD": s.held, "STOP_FORCE": s.force,
        "STOP_WATCHED": s.watched, "STOP_REPORT": s.report, "STOP_IMPULSES": s.impulses, "STOP_ROWS": its.rows, "STOP_SLIP": s.slip,
        "STOP_CLOSING": s.closing, "STOP_NEAR": s.near, "STOP_BRAKE": s.brake,
        "STOP_SHARED": s.shared if isinstance(s, Rubbing) else s.known,
    }  # fmt: skip
    return {name: memory.place(array) for name, array in places.items()} | {
        "STOPS": len(its.each), "DIRECTIONS": len(its.rows), "EFFORTS": len(its.efforts), "STOP_EVENT": its.efforts[0][0],
        "PHASES": len(unit.parts), "IS_OPEN": settling.OPEN, "IS_IDLE": settling.IDLE,
        "IS_CLOSED": settling.CLOSED, "IS_SLIPPING": settling.SLIPS,
        "STOP_BLAMED": settling.BLAMED, "TELLS_SLIDE": settling.FIRED_SLIDE,
        "TELLS_GAP": settling.FIRED_GAP,
    }  # fmt: skip


def stop_exact(unit: Unit) -> dict[str, float]:
    """Numbers that are no integers."""
    return {} if unit.parts[0].stops is None else {"FORCE_SIZE": SIZE, "EXCEEDS": EXCEEDS, "DEEPEST": settling.DEEP}


def stop_tables(unit: Unit) -> dict[str, Sequence[Any]]:
    """What each stop is called, and what of the phases belongs to it."""
    its, phases = unit.parts[0].stops, unit.phases
    if its is None or phases is None:
        return {}
    kinds = [_kind(one) for one in its.each]
    names = [f"the {kind} '{one.name}'" for kind, one in zip(kinds, its.each, strict=True)]
    place = {name: k for k, name in enumerate(its.names)}
    place |= {one.tangent: first + bool(one.normal) for one, first in zip(its.each, its.first, strict=True) if one.tangent}
    words = [str(MODES[code]) for code in range(len(MODES))]
    outside = {settling.INSIDE: TOO_DEEP} if unit.exchange is not None else {}
    why = [WHY.get(code, "") + outside.get(code, "") for code in range(max(WHY) + 1)]
    return {
        "stop_near": its.settling.near.tolist(), "stop_names": names, "stop_reasons": why, "mode_words": words, "efforts": its.efforts,
        "first_direction": [*its.first, len(its.rows)], "rubs": [int(not one.normal) for one in its.each],
        "stop_of": [place.get(name, -1) for name in phases.names], "bases": [phase.base for phase in phases.each],
    }  # fmt: skip


def _kind(one: Unilateral) -> str:
    """What it is called."""
    if not one.normal:
        return "resistance" if one.of else "friction"
    return "stop" if one.joint or one.flank is not None else "cable" if one.cable else "contact"
