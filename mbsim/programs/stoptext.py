"""The stops and contacts of a unit as text in C: the calls of their kernels, constants and tables."""

from collections.abc import Callable

from mbsim.assembly.unilaterals import Unilateral
from mbsim.integrators import _settling_arrays as settling
from mbsim.integrators._rubbing_arrays import Rubbing
from mbsim.march.contact_telling import SIZE
from mbsim.march.events import EXCEEDS
from mbsim.march.simple_contacts import MODES
from mbsim.programs.memory import Call
from mbsim.programs.unit import Part, Unit

Dispatched = Callable[[str, str, list[list[Call]]], str]  # what a function of C returns, its name, what it calls in each phase -> its text
TOO_DEEP = " (a solver outside may leave 1e-3 m or rad: let it locate events, or give it a smaller tolerance)"
WHY = {  # of what the kernel returns
    settling.NOT_EVALUATED: "what stops and contacts hold cannot be found: the mechanism without them cannot be evaluated",
    settling.INSIDE: "bodies are inside each other, or beyond a stop",
    settling.NO_IMPACT: "an impact has no solution: what is prescribed leads the motion beyond what is closed, or friction jams",
    settling.NO_MODES: "what holds has no solution: what is prescribed leads the motion beyond what is closed, or friction jams",
    settling.UNDECIDED: "what is closed and what slips could not be decided",
    settling.NOT_KNOWN: "nothing moves what friction holds, several share a load, or several motions fit: runs decide that, in Python",
}


def stop_calls(unit: Unit, dispatched: Dispatched) -> list[str]:
    """The functions that call what stops and contacts need."""
    each = [part.stops for part in unit.parts if part.stops is not None]
    if not each:
        return []
    found = [
        dispatched("int64_t", "call_settle", [[its.settle] for its in each]),
        dispatched("void", "call_tell_modes", [[its.tell] for its in each]),
    ]
    if unit.march is not None:
        found.append(dispatched("void", "call_set_sides", [[its.sides] for its in each]))
    return found


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


def stop_tables(unit: Unit, quoted: Callable[[str], str]) -> list[str]:
    """What each stop is called, and what of the phases belongs to it."""
    its, phases = unit.parts[0].stops, unit.phases
    if its is None or phases is None:
        return []
    kinds = [_kind(one) for one in its.each]
    names = [f"the {kind} '{one.name}'" for kind, one in zip(kinds, its.each, strict=True)]
    place = {name: k for k, name in enumerate(its.names)}
    place |= {one.tangent: first + bool(one.normal) for one, first in zip(its.each, its.first, strict=True) if one.tangent}
    words = [quoted(str(MODES[code])) for code in range(len(MODES))]
    told = [f"{{{event}, {whose}, {what}}}" for event, whose, what in its.efforts]
    outside = {settling.INSIDE: TOO_DEEP} if unit.exchange is not None else {}
    why = [quoted(WHY.get(code, "") + outside.get(code, "")) for code in range(max(WHY) + 1)]
    return [
        f"static const double FORCE_SIZE = {float(SIZE).hex()}, EXCEEDS = {float(EXCEEDS).hex()}, DEEPEST = {float(settling.DEEP).hex()};",
        f"static const double stop_near[] = {{{', '.join(float(x).hex() for x in its.settling.near)}}};",
        f"static const char *const stop_names[] = {{{', '.join(map(quoted, names))}}};",
        f"static const char *const stop_reasons[] = {{{', '.join(why)}}};",
        f"static const char *const mode_words[] = {{{', '.join(words)}}};",
        f"static const struct {{ int16_t event, stop, tells; }} efforts[] = {{{', '.join(told)}}};",
        f"static const int16_t first_direction[] = {{{', '.join(map(str, [*its.first, len(its.rows)]))}}};",
        f"static const int8_t rubs[] = {{{', '.join(str(int(not one.normal)) for one in its.each)}}};",
        f"static const int16_t stop_of[] = {{{', '.join(str(place.get(name, -1)) for name in phases.names)}}};",
        f"static const int16_t bases[] = {{{', '.join(str(phase.base) for phase in phases.each)}}};",
    ]


def _kind(one: Unilateral) -> str:
    """What it is called."""
    if not one.normal:
        return "resistance" if one.of else "friction"
    return "stop" if one.joint or one.flank is not None else "cable" if one.cable else "contact"
