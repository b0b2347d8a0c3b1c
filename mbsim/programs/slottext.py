"""The rows of contacts of a unit as text in C: what each row is, where phases have places for them, and what loads frictions."""

from collections.abc import Callable, Iterable, Sequence

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
    s = part.stops.settling
    memory, system, work = unit.memory, part.inside.formulation.system, part.inside.formulation.work
    loaded = part.stops.loaded
    return {
        "SLOT_ROW": memory.place(slots.row_of), "SLOT_LINE": memory.place(slots.line_of), "ROW_LINES": len(slots.lines.each),
        "SLOT_MISS": memory.place(slots.missed), "ROW_GEOMETRY": len(slots.lines.each[0].geometry),
        "PRIMITIVES": memory.place(system.arrays.primitives), "ROW_BODIES": memory.place(system.arrays.row_bodies),
        "LEVERS": memory.place(work.levers), "EASED": memory.place(s.eased) if isinstance(s, Rubbing) else -1,
        "PRIMITIVE": PRIMITIVE, "BODIES": BODIES, "SPREAD": memory.place(unit.phases.wide) + unit.phases.behind.nothing + 1,
        "LOADED": -1 if loaded is None else memory.place(loaded), "SLIPPINGS": memory.place(work.slipping), "SLIPPING": SLIPPING,
        "SLIP_COUNT": len(work.slipping),
        "LOAD_GROUPS": memory.place(work.groups), "GROUP": GROUP, "COMPONENTS": memory.place(work.components),
        "COMPONENT_COUNT": len(work.components),
    }  # fmt: skip


def slot_tables(unit: Unit, quoted: Callable[[str], str]) -> list[str]:
    """What is the same of all phases."""
    slots, stops, phases = slots_of(unit), unit.parts[0].stops, unit.phases
    if slots is None or stops is None or phases is None:
        return []
    names, lines = [line.name for line in slots.lines.each], slots.lines.each
    comers = [phases.names.index(owner(line.name)) for line in lines]
    each = [
        f"{{{c}, {line.kind}, {int(line.keeps)}, {line.turns}, {line.primitive}, {line.first}, {line.second}, {{{_joined(line.bodies)}}}}}"
        for c, line in zip(comers, lines, strict=True)
    ]
    firsts = [sum(map(len, slots.each[:k])) for k in range(len(slots.each) + 1)]
    shifts = [f"{{{i}, {place}, {float(slope).hex()}}}" for i, line in enumerate(lines) for place, slope in line.shifts]
    geometry = ["{" + ", ".join(float(x).hex() for x in line.geometry) + "}" for line in lines]
    takes = [slots.lines.takes.get(name, slots.lines.none) for name in phases.names]
    roams = [int(name in slots.lines.takes) for name in phases.names]
    return [
        _table("static const struct { int16_t comer, kind, keeps, turns, primitive, first, second, bodies[BODIES]; } row_lines[]", each),
        _table("static const double row_geometry[][ROW_GEOMETRY]", geometry),
        _table("static const double row_levers[]", [line.lever.hex() for line in lines]),
        f"static const char *const row_names[] = {{{', '.join(map(quoted, names))}}};",
        _table(
            "static const struct { int16_t row, line, kind; } slots[]",
            [f"{{{x.row}, {x.line}, {x.kind}}}" for its in slots.each for x in its] or ["{-1, -1, -1}"],
        ),
        f"static const int16_t slot_first[] = {{{_joined(firsts)}}};",
        _table("static const struct { int16_t line, place; double slope; } row_shifts[]", shifts or ["{-1, 0, 0.0}"]),
        f"static const int16_t row_of_direction[] = {{{_joined(names.index(name) if name in names else -1 for name in stops.names)}}};",
        f"static const int8_t roams[] = {{{_joined(roams)}}};",
        f"static const double QUARTER_TURN = {QUARTER.hex()};",
        f"enum {{ ROOM = {len(slots.lines.none)} }};",
        _table("static const int16_t takes[][ROOM]", ["{" + _joined(room) + "}" for room in takes]),
        _table("static const int16_t rooms[][ROOM]", ["{" + _joined(room) + "}" for room in slots.rooms]),
        *_loads(unit, slots, names),
    ]


def _loads(unit: Unit, slots: Slots, names: Sequence[str]) -> list[str]:
    """The frictions that reactions load: those of contacts are there as long as these hold."""
    phases = unit.phases
    assert phases is not None
    frictions, groups, components, terms = list[str](), list[str](), list[str](), list[str]()
    fixed = list[str]()  # rows that load frictions and have a place of their own in each phase
    for one in slots.frictions:
        begins = len(groups)
        for factor, parts in one.groups:
            groups.append(f"{{{len(components)}, {len(parts)}, {float(factor).hex()}}}")
            for part in parts:
                components.append(f"{{{len(terms)}, {len(part)}}}")
                for row, weight in part:
                    if row not in names and row not in fixed:
                        fixed.append(row)
                    line, other = (names.index(row), -1) if row in names else (-1, fixed.index(row))
                    terms.append(f"{{{line}, {other}, {float(weight).hex()}}}")
        comer = phases.names.index(one.loaded_by) if one.loaded_by in phases.names else -1
        frictions.append(f"{{{one.which}, {comer}, {begins}, {len(groups) - begins}}}")
    rows = [part.inside.formulation.system.rows for part in unit.parts]
    places = ["{" + _joined(its.index(row) if row in its else -1 for row in fixed) + "}" if fixed else "{-1}" for its in rows]
    return [
        f"enum {{ FRICTIONS = {len(frictions)} }};",
        _table("static const struct { int16_t stop, comer, group, groups; } frictions[]", frictions or ["{0, 0, 0, 0}"]),
        _table("static const struct { int16_t component, components; double factor; } friction_groups[]", groups or ["{0, 0, 0.0}"]),
        _table("static const struct { int16_t term, terms; } friction_components[]", components or ["{0, 0}"]),
        _table("static const struct { int16_t line, other; double weight; } friction_terms[]", terms or ["{0, 0, 0.0}"]),
        _table(f"static const int16_t other_rows[][{max(1, len(fixed))}]", places),
    ]


def _joined(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _table(declaration: str, lines: Sequence[str]) -> str:
    return declaration + " = {\n    " + ",\n    ".join(lines) + "\n};"
