"""The phases of a unit, for its program: what leads where, and what is found anew where something is locked."""

from collections.abc import Sequence
from typing import Any

from mbsim import contracts
from mbsim.kernels import frame_columns as frame
from mbsim.model.names import owner
from mbsim.programs.unit import Part, Unit


def phase_numbers(unit: Unit, part: Part) -> dict[str, int]:
    """Where everything of a phase stands that others have, too, and how much of it there is."""
    memory, phases, inside = unit.memory, unit.phases, part.inside
    assert phases is not None
    system, work = inside.formulation.system, inside.formulation.work
    return {
        "HOLONOMIC": system.n_holonomic, "MISSED": memory.place(part.missed), "GEOMETRY": memory.place(system.arrays.geometry),
        "GEOMETRY_COLUMNS": system.arrays.geometry.shape[1], "FRAMES": memory.place(system.arrays.frames), "FRAME": frame.COLUMNS,
        "PLANAR": int(system.dimension == 2), "FRAME_ANGLE": frame.PLANE_ANGLE, "FRAME_ATTITUDE": frame.SPACE_ATTITUDE,
        "SETTINGS": memory.place(work.settings), "SETTINGS_SIZE": work.settings.size, "GIVEN": len(inside.made.parameters),
        "WIDEST": phases.behind.nothing, "EVENT_FASTEST": contracts.EVENT_FASTEST,
        "COMERS": len(phases.names),
        "COMER_ROWS": max(1, *(len(one.inside.formulation.system.rows) for one in unit.parts)),
        "PASSED": memory.place(phases.kept), "FRAME_NUMBERS": system.arrays.frames.size,
        "GEOMETRY_NUMBERS": system.arrays.geometry.size, "PARAMETER_NUMBERS": system.arrays.parameters.size,
        "HOLDS": memory.place(phases.holds), "AFTER": memory.place(phases.after),
    }  # fmt: skip


def phase_exact(unit: Unit) -> dict[str, float]:
    """By how much what is locked may be off its place, m or rad."""
    return {} if unit.phases is None else {"LOCK_LIMIT": unit.phases.limit}


def phase_tables(unit: Unit) -> dict[str, Sequence[Any]]:
    """What is the same of all phases."""
    phases = unit.phases
    if phases is None:
        return {}
    assert unit.events is not None
    planned = unit.inside.made.events
    events = [] if planned is None else list(planned.events)
    first = len(unit.events.each) - len(events)
    leads = [[k] * first + line for k, line in enumerate(phases.leads)]
    holds = [[int(name not in phase.open) for name in phases.names] for phase in phases.each]
    does = [(0, 0)] * first + [(int(bool(e.do.lock)), int(not (e.do.set or e.do.switch or e.do.stops))) for e in events]
    rows = [part.inside.formulation.system.rows for part in unit.parts]
    places = {name: k for k, name in enumerate(phases.names)}
    shared = {} if phases.slots is None else phases.slots.lines.takes  # rows of contacts have no places of their own
    comers = [[places.get(owner(row), -1) if owner(row) not in shared else -1 for row in its] for its in rows]
    seats = [
        (k, x.which, x.line, x.first, x.second, x.moves, x.measures, tuple(x.axis))
        for k, phase in enumerate(phases.each)
        for x in phase.seats
    ]
    shifts = [(k, x.which, x.row, x.of_geometry, x.place, x.slope) for k, phase in enumerate(phases.each) for x in phase.shifts]
    longest = max(1, *map(len, rows))
    return {
        "leads": leads, "holds": holds, "comers": [line + [-1] * (longest - len(line)) for line in comers], "doors": does,
        "seats": seats or [(-1, 0, 0, 0, 0, 0, 0, (0.0, 0.0, 0.0))], "shifts": shifts or [(-1, 0, 0, 0, 0, 0.0)],
    }  # fmt: skip
