"""The events of a unit as text in C: the calls of their kernels, constants and tables."""

from collections.abc import Callable

from mbsim import contracts
from mbsim.integrators._seek import JUMPED
from mbsim.integrators._sides import NOISE, SIDE, TOGETHER
from mbsim.kernels import told_columns as told
from mbsim.march.actions import AT_ONCE
from mbsim.march.happened import ABRUPT, CROWD, CROWDED, SHORTER, VANISHES
from mbsim.march.output_times import SAME_TIME
from mbsim.march.together import SAME
from mbsim.programs.happening import COORDINATE, DUES, FLAGS, PARAMETER, SPEED, TIMES, Events, watched_name
from mbsim.programs.memory import Call
from mbsim.programs.unit import Part, Unit

KINDS = {COORDINATE: "IS_COORDINATE", SPEED: "IS_SPEED", PARAMETER: "IS_PARAMETER"}
Function = Callable[[str, str, list[Call]], str]  # what a function of C returns, its name, what it calls -> its text
Dispatched = Callable[[str, str, list[list[Call]]], str]  # likewise, of what it calls in each phase


def event_calls(unit: Unit, function: Function, dispatched: Dispatched) -> list[str]:
    """The functions that call what events need, and the tables that point to them."""
    each = [part.events for part in unit.parts if part.events is not None]
    if not each:
        return []
    bodies = [
        dispatched("void", "call_look", [[its.look] for its in each]),
        dispatched("void", "call_look_before", [[its.look_before] for its in each]),
        dispatched("void", "call_values", [its.values for its in each]),
        dispatched("int64_t", "call_start", [[its.start] for its in each]),
        dispatched("void", "call_energy_of_row", [[its.energies[0]] for its in each]),
        dispatched("void", "call_energy_of_state", [[its.energies[1]] for its in each]),
    ]
    if unit.march is not None:
        bodies.append(dispatched("int64_t", "call_begin_events", [[its.begin] for its in each]))
    if each[0].glance is not None:
        bodies.append(dispatched("void", "call_glance", [[its.glance] for its in each if its.glance is not None]))
    if unit.phases is not None:
        bodies.append(dispatched("void", "call_residual", [[part.residual] for part in unit.parts if part.residual is not None]))
    names: dict[int, str] = {}
    for kind in ("positions", "speeds"):
        lines = []
        for its in each:
            pointers = []
            for way in its.ways:
                call: Call | None = getattr(way, kind)
                if call is not None and id(call) not in names:
                    names[id(call)] = f"call_meet_{len(names)}"
                    bodies.append(function("int64_t", names[id(call)], [call]))
                pointers.append("NULL" if call is None else names[id(call)])
            lines.append(f"    {{{', '.join(pointers or ['NULL'])}}},")
        ways = max(1, len(each[0].ways))
        bodies.append("\n".join([f"static int64_t (*const meets_{kind}[][{ways}])(int64_t *) = {{", *lines, "};"]))
    return bodies


def event_numbers(unit: Unit, part: Part) -> dict[str, int]:
    """Where everything of the events of a phase stands, and how much of it there is."""
    its, memory = part.events, unit.memory
    if its is None:
        return {}
    inside = part.inside
    work = inside.formulation.work
    places = {
        "SEEN": its.seen, "JUST": its.just, "SIDES": its.sides, "SIZES": its.sizes, "COUNTS": its.counts, "MARGINS": its.margins,
        "RISING": its.rising,
        "VALUES": its.found, "EVENT_Q": its.q, "EVENT_V": its.v, "ENERGY": its.energy, "DUE": its.due, "ROW_BEFORE": its.row_before,
        "VALUE_MEMORY": its.value_memory, "LINES": work.events, "WORK_EVENT": work.event, "NOTES": work.notes, "WORK_ROW": work.row,
        "BESIDE_AT": work.beside[contracts.BESIDE_TIME :],
    }  # fmt: skip
    numbers = {name: memory.place(array) for name, array in places.items()}
    numbers |= {name: memory.place(its.flags) + i for i, name in enumerate(FLAGS)}
    numbers |= {name: memory.place(its.times) + i for i, name in enumerate(TIMES)}
    numbers |= {
        "ASSIGNMENTS": len(its.assignments),
        "EVENT_COUNT": len(its.each), "FIRST_EVENT": its.first, "LINE": contracts.EVENTS, "NOTE": work.notes.shape[1], "DUES_MOST": DUES,
        "AT_ONCE": AT_ONCE, "CROWD_END": CROWD, "SHORTER": SHORTER, "VALUE_ROWS": len(its.value_memory), "VALUE_COLUMNS": told.REMEMBERED,
        "LAST_TIME": told.LAST_TIME, "SAMPLED": int(its.samples), "HAS_ENERGY": int(inside.formulation.system.has_energy),
        "STATUSES": contracts.STATUSES, "CODE_PAUSED": contracts.PAUSED, "CODE_STOPPED": contracts.STOPPED, "AT_CROSSING": 1, "AT_DUE": 2,
        **{name: kind for kind, name in KINDS.items()},
    }  # fmt: skip
    columns = ("ACTIVE", "HAPPENS", "SIDE", "LARGEST", "LAST_VALUE", "NOTED", "TARGET")
    numbers |= {f"EVENT_{name}": getattr(contracts, f"EVENT_{name}") for name in columns}
    return numbers | {"NOTE_TIME": contracts.NOTE_TIME, "NOTE_EVENT": contracts.NOTE_EVENT}


def event_tables(its: Events | None, unit: Unit, quoted: Callable[[str], str]) -> list[str]:
    """What each event is and sets."""
    if its is None:
        return []
    memory = unit.memory
    exact = {
        "SAME_TIME": SAME_TIME,
        "CROWDED": CROWDED,
        "ABRUPT": ABRUPT,
        "VANISHES": VANISHES,
        "SPAN": its.span,
        "NOISE": NOISE,
        "SAME_VALUE": SAME,
    }
    if unit.exchange is not None:
        exact |= {"TOGETHER": TOGETHER, "JUMPED": JUMPED, "NONE": SIDE}
    each = [
        f"{{{quoted(one.name)}, {quoted(one.word)}, {one.sense}, {float(one.after).hex()}, {int(one.once)}, {int(one.stops)}, "
        f"{one.way}, {one.stop}, {one.tells}, {int(one.releases)}}}"
        for one in its.each
    ]
    given = [f"{{{one.event}, {KINDS[one.kind]}, {one.place}, {one.value}}}" for one in its.assignments]
    phases = [(k, part.events.begun) for k, part in enumerate(unit.parts) if part.events is not None]
    begun = [
        f"{{{k}, {memory.place(array)}, {memory.place(copy)}, {array.size}}}" for k, pairs in phases for array, copy in pairs if array.size
    ]
    return [
        *(f"static const double {name} = {float(value).hex()};" for name, value in exact.items()),
        "static const struct { const char *name, *word; double sense, after; int once, stops, way, stop, tells, releases; }",
        "happenings[] = {",
        *(f"    {line}," for line in each),
        "};",
        f"static const int both[][{max(1, len(its.ways))}] = {{",
        *(f"    {{{', '.join(map(str, line))}}}," for line in its.both or [[-1]]),
        "};",
        "static const struct { int event, kind, place, value; } assignments[] = {",
        *(f"    {line}," for line in given or ["{0, IS_SPEED, 0, 0}"]),
        "};",
        "static const struct { int phase, place, copy, count; } begun[] = {",
        *(f"    {line}," for line in begun or ["{0, 0, 0, 0}"]),
        "};",
        *_counted(its, unit),
    ]


def _counted(its: Events, unit: Unit) -> list[str]:
    """The outputs that count an event."""
    places = {one.name: k for k, one in enumerate(its.each)}
    lines = [f"{{{i}, {places[watched_name(name)]}}}" for i, name in unit.outputs.counted.items()]
    return ["static const struct { int output, event; } counted[] = {", *(f"    {line}," for line in lines), "};"] if lines else []
