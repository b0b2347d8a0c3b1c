"""The events of a unit, for its program: the calls of their kernels, numbers and tables."""

from collections.abc import Sequence
from typing import Any

from mbsim import contracts
from mbsim.integrators._seek import JUMPED
from mbsim.integrators._sides import NOISE, SIDE, TOGETHER
from mbsim.kernels import told_columns as told
from mbsim.march.actions import AT_ONCE
from mbsim.march.happened import ABRUPT, CROWD, CROWDED, SHORTER, VANISHES
from mbsim.march.output_times import SAME_TIME
from mbsim.march.together import EQUAL_VALUES
from mbsim.programs.happening import COORDINATE, DUES, FLAGS, PARAMETER, SPEED, TIMES, watched_name
from mbsim.programs.memory import Call
from mbsim.programs.unit import Part, Unit

KINDS = {COORDINATE: "IS_COORDINATE", SPEED: "IS_SPEED", PARAMETER: "IS_PARAMETER"}  # numbers by name


def event_calls(unit: Unit) -> dict[str, list[list[Call]]]:
    """What the functions call that events need, in each phase."""
    each = [part.events for part in unit.parts if part.events is not None]
    if not each:
        return {}
    found: dict[str, list[list[Call]]] = {
        "call_look": [[its.look] for its in each],
        "call_look_before": [[its.look_before] for its in each],
        "call_values": [its.values for its in each],
        "call_start": [[its.start] for its in each],
        "call_energy_of_row": [[its.energies[0]] for its in each],
        "call_energy_of_state": [[its.energies[1]] for its in each],
    }
    if unit.march is not None:
        found["call_begin_events"] = [[its.begin] for its in each]
    if each[0].glance is not None:
        found["call_glance"] = [[its.glance] for its in each if its.glance is not None]
    if unit.phases is not None:
        found["call_residual"] = [[part.residual] for part in unit.parts if part.residual is not None]
    return found


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
        "EVENT_COUNT": len(its.each), "WAYS": max(1, len(its.ways)), "GLANCES": int(its.glance is not None),
        "FIRST_EVENT": its.first, "LINE": contracts.EVENTS, "NOTE": work.notes.shape[1], "DUES_MOST": DUES,
        "AT_ONCE": AT_ONCE, "CROWD_END": CROWD, "SHORTER": SHORTER, "VALUE_ROWS": len(its.value_memory), "VALUE_COLUMNS": told.REMEMBERED,
        "LAST_TIME": told.LAST_TIME, "SAMPLED": int(its.samples), "HAS_ENERGY": int(inside.formulation.system.has_energy),
        "STATUSES": contracts.STATUSES, "CODE_PAUSED": contracts.PAUSED, "CODE_STOPPED": contracts.STOPPED, "AT_CROSSING": 1, "AT_DUE": 2,
        **{name: kind for kind, name in KINDS.items()},
    }  # fmt: skip
    columns = ("ACTIVE", "HAPPENS", "SIDE", "LARGEST", "LAST_VALUE", "NOTED", "TARGET")
    numbers |= {f"EVENT_{name}": getattr(contracts, f"EVENT_{name}") for name in columns}
    return numbers | {"NOTE_TIME": contracts.NOTE_TIME, "NOTE_EVENT": contracts.NOTE_EVENT}


def event_exact(unit: Unit) -> dict[str, float]:
    """Numbers that are no integers."""
    if unit.events is None:
        return {}
    exact = {
        "SAME_TIME": SAME_TIME, "CROWDED": CROWDED, "ABRUPT": ABRUPT, "VANISHES": VANISHES, "SPAN": unit.events.span, "NOISE": NOISE,
        "SAME_VALUE": EQUAL_VALUES,
    }  # fmt: skip
    return exact if unit.exchange is None else exact | {"TOGETHER": TOGETHER, "JUMPED": JUMPED, "NONE": SIDE}


def event_tables(unit: Unit) -> dict[str, Sequence[Any]]:
    """What each event is and sets."""
    its, memory = unit.events, unit.memory
    if its is None:
        return {}
    phases = [(k, part.events.begun) for k, part in enumerate(unit.parts) if part.events is not None]
    begun = [(k, memory.place(array), memory.place(copy), array.size) for k, pairs in phases for array, copy in pairs if array.size]
    places = {one.name: k for k, one in enumerate(its.each)}
    counted = [(i, places[watched_name(name)]) for i, name in unit.outputs.counted.items()]
    return {
        "happenings": [
            (one.name, one.word, one.sense, one.after, one.once, one.stops, one.way, one.stop, one.tells, one.releases) for one in its.each
        ],
        "both": its.both or [[-1]],
        "assignments": [(one.event, one.kind, one.place, one.value) for one in its.assignments] or [(0, SPEED, 0, 0)],
        "begun": begun or [(0, 0, 0, 0)],
        **({"counted": counted} if counted else {}),
    }
