"""The rows of contacts of a unit, for its program: what each row is, where phases have places for them, and what loads frictions."""

from collections.abc import Sequence
from typing import Any

from mbsim.contracts import GROUP, SLIPPING
from mbsim.elements.rows.turn import QUARTER
from mbsim.integrators._rubbing_arrays import Rubbing
from mbsim.model.names import owner
from mbsim.programs.phases import Slots
from mbsim.programs.unit import Part, Unit

PRIMITIVE, BODIES = 5, 2  # columns of Arrays.primitives and row_bodies


def slots_of(unit: Unit) -> Slots | None:
    """Those of a unit; None where each set of rows has a phase of its own."""
    return None if unit.phases is None or unit.parts[0].stops is None else unit.phases.slots


def slot_numbers(unit: Unit, part: Part) -> dict[str, int]:
    """Where everything of a phase stands that tells of rows of contacts."""
    slots = slots_of(unit)
    if slots is None or unit.phases is None or part.stops is None:
        return {}
    memory, system, work = unit.memory, part.inside.formulation.system, part.inside.formulation.work
    loaded, s = part.stops.loaded, part.stops.settling
    return {
        "SLOT_ROW": memory.place(slots.row_of), "SLOT_LINE": memory.place(slots.line_of), "ROW_LINES": len(slots.lines.each),
        "SLOT_MISS": memory.place(slots.missed), "ROW_GEOMETRY": len(slots.lines.each[0].geometry),
        "PRIMITIVES": memory.place(system.arrays.primitives), "ROW_BODIES": memory.place(system.arrays.row_bodies),
        "LEVERS": memory.place(work.levers), "EASED": memory.place(s.eased) if isinstance(s, Rubbing) else -1,
        "PRIMITIVE": PRIMITIVE, "BODIES": BODIES, "SPREAD": memory.place(unit.phases.wide) + unit.phases.behind.nothing + 1,
        "LOADED": -1 if loaded is None else memory.place(loaded), "SLIPPINGS": memory.place(work.slipping), "SLIPPING": SLIPPING,
        "SLIP_COUNT": len(work.slipping),
        "LOAD_GROUPS": memory.place(work.groups), "GROUP": GROUP, "COMPONENTS": memory.place(work.components),
        "COMPONENT_COUNT": len(work.components), "ROOM": len(slots.lines.none), "FRICTIONS": len(slots.frictions),
        "OTHERS": max(1, len(_fixed(slots, [line.name for line in slots.lines.each]))),
    }  # fmt: skip


def slot_exact(unit: Unit) -> dict[str, float]:
    """Numbers that are no integers."""
    return {} if slots_of(unit) is None else {"QUARTER_TURN": QUARTER}


def slot_tables(unit: Unit) -> dict[str, Sequence[Any]]:
    """What is the same of all phases."""
    slots, stops, phases = slots_of(unit), unit.parts[0].stops, unit.phases
    if slots is None or stops is None or phases is None:
        return {}
    names, lines = [line.name for line in slots.lines.each], slots.lines.each
    comers = [phases.names.index(owner(line.name)) for line in lines]
    each = [
        (c, line.kind, line.keeps, line.turns, line.primitive, line.first, line.second, tuple(line.bodies))
        for c, line in zip(comers, lines, strict=True)
    ]
    firsts = [sum(map(len, slots.each[:k])) for k in range(len(slots.each) + 1)]
    shifts = [(i, place, slope) for i, line in enumerate(lines) for place, slope in line.shifts]
    takes = [slots.lines.takes.get(name, slots.lines.none) for name in phases.names]
    roams = [int(name in slots.lines.takes) for name in phases.names]
    return {
        "row_lines": each, "row_geometry": [list(line.geometry) for line in lines], "row_levers": [line.lever for line in lines],
        "row_names": names, "slots": [(x.row, x.line, x.kind) for its in slots.each for x in its] or [(-1, -1, -1)], "slot_first": firsts,
        "row_shifts": shifts or [(-1, 0, 0.0)], "row_of_direction": [names.index(name) if name in names else -1 for name in stops.names],
        "roams": roams, "takes": takes, "rooms": slots.rooms, **_loads(unit, slots, names),
    }  # fmt: skip


def _loads(unit: Unit, slots: Slots, names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """The frictions that reactions load: those of contacts are there as long as these hold."""
    phases = unit.phases
    assert phases is not None
    frictions, groups, components, terms = list[Any](), list[Any](), list[Any](), list[Any]()
    fixed = _fixed(slots, names)
    for one in slots.frictions:
        begins = len(groups)
        for factor, parts in one.groups:
            groups.append((len(components), len(parts), factor))
            for part in parts:
                components.append((len(terms), len(part)))
                for row, weight in part:
                    terms.append((names.index(row), -1, weight) if row in names else (-1, fixed.index(row), weight))
        comer = phases.names.index(one.loaded_by) if one.loaded_by in phases.names else -1
        frictions.append((one.which, comer, begins, len(groups) - begins))
    rows = [part.inside.formulation.system.rows for part in unit.parts]
    return {
        "frictions": frictions or [(0, 0, 0, 0)], "friction_groups": groups or [(0, 0, 0.0)], "friction_components": components or [(0, 0)],
        "friction_terms": terms or [(0, 0, 0.0)],
        "other_rows": [[its.index(row) if row in its else -1 for row in fixed] or [-1] for its in rows],
    }  # fmt: skip


def _fixed(slots: Slots, names: Sequence[str]) -> list[str]:
    """The rows that load frictions and have a place of their own in each phase."""
    found = [row for one in slots.frictions for _, parts in one.groups for part in parts for row, _ in part if row not in names]
    return list(dict.fromkeys(found))
