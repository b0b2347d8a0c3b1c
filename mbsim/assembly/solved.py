"""What the equations of motion are solved for, as events watch it: accelerations, multipliers, efforts of drivers, reactions of joints."""

from collections.abc import Collection, Iterable

import numpy as np

from mbsim.assembly.builder import Builder
from mbsim.assembly.rows import record_of
from mbsim.elements.kinds import BEAM
from mbsim.kernels import told_columns as told
from mbsim.model.events import Event
from mbsim.model.names import der
from mbsim.model.recorded import BEAM_LOADS, REACTIONS
from mbsim.system.beam_resultants import Resultant
from mbsim.system.reactions import Reaction
from mbsim.system.system import System

AXES = {"x": 0, "y": 1, "z": 2}
KINDS = dict(zip(REACTIONS, (told.FORCE, told.TORQUE, told.LOCAL_FORCE, told.LOCAL_TORQUE), strict=True))
ZERO = "0"  # of what does not hold


def add_reactions(builder: Builder, event: Event) -> None:
    """Keep where the reactions that an event watches are found. Raises ModelError for one that is not known within a run."""
    for name in sorted(event.when.names - builder.reactions.keys()):
        variable, _, label = name.partition(".")
        if variable in BEAM_LOADS:
            builder.reactions[name] = _resultant(builder, event, name)
            continue
        joint, _, axis = label.rpartition(".")
        if variable not in REACTIONS or joint not in builder.reference.joints:
            continue
        if joint not in builder.coordinates.by_rows and joint not in builder.locks.open:
            reason = "in joint coordinates a run knows the reactions of joints that are cut, and of those that events unlock"
            builder.refuse(f"events.{event.name}.when", f"'{name}' cannot be watched: {reason}; 'coordinates: absolute' knows all")
        rows = builder.rows.joints.get(joint, slice(0, 0))
        builder.reactions[name] = _reaction(builder, KINDS[variable], joint, AXES[axis]) if rows.stop > rows.start else None


def _reaction(builder: Builder, kind: int, joint: str, axis: int) -> Reaction:
    record, size = record_of(builder, joint), 3 if builder.reference.planar else 6
    on_ground = record.second < 0
    body, column = (record.first, 0) if on_ground else (record.second, size)
    numbers = np.zeros(told.NUMBERS)
    numbers[told.POINT : told.POINT + len(record.second_point)] = record.second_point
    numbers[told.FRAME] = float(on_ground)
    numbers[told.OTHER_FRAME : told.OTHER_FRAME + 9] = np.ravel(record.second_axes)
    place = builder.constants_of(f"reaction of {joint}", numbers.tolist())
    return Reaction(kind, axis, body, record.rows.start, record.rows.stop - record.rows.start, column, place)


def _resultant(builder: Builder, event: Event, name: str) -> Resultant | None:
    """What an element carries; None of what is always zero in the plane. Raises ModelError where there is no such element."""
    variable, beam, element, axis = name.split(".")
    table, about = builder.loads, variable == BEAM_LOADS[1]
    rows = [k for k, (name, line) in enumerate(zip(table.forces, table.lines, strict=True)) if name == beam and line.kind == BEAM]
    if int(element[1:]) >= len(rows):
        there = f"{beam} has the elements 0 to {len(rows) - 1}" if rows else f"there is no beam '{beam}'"
        builder.refuse(f"events.{event.name}.when", f"'{variable}.{beam}[{int(element[1:])}].{axis}' cannot be watched: {there}")
    load, component = rows[int(element[1:])], AXES[axis]
    if builder.dimension == 3:
        return Resultant(load, component + 3 * about)
    if (component == 2) != about:
        return None
    return Resultant(load, component)


def solved_symbols(names: Iterable[str], system: System, reactions: Collection[str]) -> dict[str, str]:
    """The symbols of `codegen` for those of these names that the equations of motion of a system are solved for.

    `reactions` are those that hold, in the order of their symbols.
    """
    efforts = {f"driver_effort.{driver.name}": driver.row for driver in system.drivers}
    rows = {f"multiplier.{row}": k for k, row in enumerate(system.rows)} | efforts
    held, accelerations = list(reactions), list(map(der, system.speeds))
    found: dict[str, str] = {}
    for name in names:
        if name in accelerations:
            found[name] = f"a{accelerations.index(name)}"
        elif name in rows:
            found[name] = f"l{rows[name]}"
        elif name in held:
            found[name] = f"u{held.index(name)}"
        elif name.partition(".")[0] in (*REACTIONS, *BEAM_LOADS, "multiplier", "driver_effort"):
            found[name] = ZERO
    return found
