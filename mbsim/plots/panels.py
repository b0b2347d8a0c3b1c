"""What an item of a picture shows: single variables, labels, and paths `x~y`. overview.py chooses items.

An item of `what` is a group (`energy`, `drift`), a variable (`joint_force`), a label (`theta`, `crank.x`), a variable with labels
(`joint_force:A`, `body_position:slider:x`), an expression of these (`rod.B.x - crank.x`, `norm(joint_force:A)`), or two of the latter
against each other (`crank.x~crank.y`). Each may be asked for in a unit: `crank.angle in deg`.
"""

from dataclasses import dataclass, field

import numpy as np

from mbsim.plots.style import RESIDUAL_FLOOR
from mbsim.results.items import ItemError, evaluate_item, find_recorded, split
from mbsim.results.read import Result, ResultError
from mbsim.results.units import UNITS, UnitError, factor

TIME = "time (s)"
MAX_LINES = 10  # in one panel; more cannot be told apart
MAGNITUDES = (
    "joint_force",
    "joint_torque",
    "joint_force_local",
    "joint_torque_local",
    "body_velocity",
    "body_angular_velocity",
    "force_vector",
    "force_torque",
    "beam_force",
    "beam_moment",
    "beam_strain",
    "beam_curvature",
    "interface_force",
    "interface_torque",
)


# Variables whose own name is not a word.
WORDS = {"q": "coordinates", "v": "speeds"}
# Labels of axes; other variables use their own name.
QUANTITIES = {
    "q": "coordinate",
    "v": "speed",
    "body_position": "position",
    "body_orientation": "quaternion",
    "body_velocity": "velocity",
    "body_angular_velocity": "angular velocity",
    "joint_force": "force",
    "joint_torque": "torque",
    "joint_force_local": "force",
    "joint_torque_local": "torque",
    "driver_effort": "effort",
    "force_effort": "force",
    "force_power": "power",
    "force_loss": "lost power",
    "force_length": "length",
    "force_rate": "rate",
    "force_vector": "force",
    "force_torque": "torque",
    "beam_force": "resultant",
    "beam_moment": "moment",
    "beam_strain": "strain",
    "beam_curvature": "curvature",
    "beam_energy": "energy",
    "interface_force": "load",
    "interface_torque": "moment",
    "elastic_stress": "stress",
    "elastic_mises": "equivalent stress",
}
PASSED_ON = {  # variables of kinematics that were asked for
    "transfer": "transfer function",
    "transfer_second": "second-order transfer function",
    "mechanical_advantage": "mechanical advantage",
    "transmission_angle": "transmission angle",
}
LENGTHS = {name for name, (of, _) in UNITS.items() if of == "m"}
UNIQUENESS = {"joint": "joint_reaction_unique", "constraint": "multiplier_unique"}  # by dimension


class PlotError(ValueError):
    """A requested item is not in the result, or cannot be drawn."""


@dataclass
class Line:
    """One curve; `units` "1" when it has none."""

    label: str
    x: np.ndarray  # (rows,)
    y: np.ndarray  # (rows,)
    units: str
    run: int = 0  # which of several results it is of


@dataclass
class Panel:
    """One pair of axes. `quantity` names the common quantity of the lines."""

    title: str
    quantity: str
    lines: list[Line] = field(default_factory=list)
    logarithmic: bool = False
    x_label: str = TIME
    equal_scales: bool = False
    notes: list[str] = field(default_factory=list)  # below the legend: what is not drawn


def groups(result: Result) -> list[str]:
    members = {"energy": "energy_kinetic", "drift": "residual_position"}
    return [group for group, member in members.items() if member in result]


def panel(result: Result, item: str) -> Panel:
    """The panel of one item. Raises PlotError for an item that the result does not hold, and for a unit that is none of it."""
    what, unit = split(item)
    try:
        if "~" in what:
            return _path(result, item)
        if what in groups(result):
            found = _energies(result) if what == "energy" else _drift(result)
        elif find_recorded(result, what) is None:
            found = _expression(result, what)
        else:
            found = _series(result, what)
        return found if unit is None else _convert(found, unit)
    except (ItemError, UnitError) as error:
        raise PlotError(f"cannot plot {item!r}: {error}") from error
    except ResultError as error:
        raise PlotError(f"cannot plot {item!r}: {error}\n{_choices(result)}") from error


def _choices(result: Result) -> str:
    """The items that may be requested; one line per kind."""
    found, variables = groups(result), [name for name in result.names() if result.dimensions(name)[0] == "time" and name != "time"]
    kinds = ("coordinate", "speed", "state", "driver", "force_element", "constraint", "joint", "body")
    labels = list(dict.fromkeys(label for kind in kinds for label in result.labels(kind)))
    shown = labels if len(labels) <= 40 else [*labels[:40], f"... {len(labels) - 40} more"]
    lines = [f"groups: {', '.join(found)}"] if found else []
    return "\n".join([*lines, f"variables: {', '.join(variables)}", f"labels: {', '.join(shown)}"])


def _energies(result: Result) -> Panel:
    kinetic, potential, time = result["energy_kinetic"], result["energy_potential"], result.time
    lines = [Line("kinetic", time, kinetic, "J"), Line("potential", time, potential, "J")]
    total = kinetic + potential
    if "energy_work" in result:
        lines.append(Line("total − work", time, total - result["energy_work"], "J"))
    else:
        lines.append(Line("total", time, total, "J"))
    return Panel("Energy", "energy", lines)


def _drift(result: Result) -> Panel:
    lines = []
    for level in ("position", "velocity", "acceleration"):
        if f"residual_{level}" in result:
            lines.append(Line(level, result.time, np.maximum(result[f"residual_{level}"], RESIDUAL_FLOOR), "1"))
    return Panel("Constraint drift", "largest residual (SI units)", lines, logarithmic=True)


def _path(result: Result, item: str) -> Panel:
    """The second side over the first. A unit at the end is that of both where it is one of both."""
    sides = [split(side) for side in item.split("~")]
    if len(sides) != 2:
        raise PlotError(f"cannot plot {item!r}: a path has two sides, x~y")
    across, up = (_scalar(result, side) for side, _ in sides)
    (_, unit_across), (_, unit_up) = sides
    if unit_up is not None and unit_across is None and across.units == up.units:
        unit_across = unit_up
    across, up = _in_unit(across, unit_across), _in_unit(up, unit_up)
    return Panel(
        title=f"Path of {up.label} against {across.label}",
        quantity=up.label,
        lines=[Line(up.label, across.y, up.y, up.units)],
        x_label=with_units(across.label, across.units),
        equal_scales=across.units == up.units and across.units in LENGTHS,
    )


def _in_unit(line: Line, unit: str | None) -> Line:
    """A line in another unit. Raises UnitError."""
    return line if unit is None else Line(line.label, line.x, line.y * factor(line.units, unit), unit)


def _convert(found: Panel, unit: str) -> Panel:
    """A panel with all its lines in a unit. Raises UnitError."""
    found.lines = [_in_unit(line, unit) for line in found.lines]
    return found


def _expression(result: Result, item: str) -> Panel:
    """The history of an expression, three lines of a vector. Raises ItemError."""
    values, units = evaluate_item(result, item)
    columns = values[:, None] if values.ndim == 1 else values
    labels = [item] if values.ndim == 1 else list("xyz")
    lines = [Line(label, result.time, column, units) for label, column in zip(labels, columns.T, strict=True)]
    return Panel(item, item if values.ndim == 1 else "components", lines)


def _scalar(result: Result, item: str) -> Line:
    """One number against time. Raises PlotError for a vector, and names its components."""
    found_as = find_recorded(result, item)
    if found_as is None:
        found = _expression(result, item)
        if len(found.lines) > 1:
            raise PlotError(f"{item!r} has several components, a path needs one")
        return found.lines[0]
    variable, *labels = found_as
    values = result.select(variable, *labels)
    if values.ndim > 1:
        choices = result.labels(result.dimensions(variable)[1 + len(labels)])[:MAX_LINES]
        given = item if labels else variable
        raise PlotError(f"{item!r} has several components, a path needs one: {', '.join(f'{given}:{choice}' for choice in choices)}")
    return Line(_name(result, item), result.time, values, result.units(variable, *labels[:1]))


def _name(result: Result, item: str) -> str:
    """An item as a reader wants it: `theta`, `joint force A`, `body position slider x`."""
    variable, *labels = result.resolve(*item.split(":"))
    kind, dot, of = variable.partition(".")
    if dot and kind in PASSED_ON:
        return f"{PASSED_ON[kind]} {of}"
    bare_scalar = item in labels and variable in ("q", "v", "states")
    return item if bare_scalar else " ".join([WORDS.get(variable, variable.replace("_", " ")), *labels])


def _series(result: Result, item: str) -> Panel:
    """All lines of a variable under the given labels. Forces, torques and velocities of several objects are drawn as lengths."""
    variable, *labels = result.resolve(*item.split(":"))
    dimensions = result.dimensions(variable)
    if dimensions[0] != "time":
        raise ResultError(f"{variable} does not change with time")
    values = result.select(variable, *labels)
    free = dimensions[1 + len(labels) :]
    name = _name(result, item)
    title = name if labels and name == item else name[:1].upper() + name[1:]  # a user's own name is unchanged
    made = Panel(title, QUANTITIES.get(variable, variable.replace("_", " ")))
    if variable in MAGNITUDES and len(free) == 2:
        values, free = np.linalg.norm(values, axis=-1), free[:1]
        made.quantity = f"magnitude of {made.quantity}"
    if not free:
        made.quantity = name
    elif values.shape[1:] == (1,):  # there is no legend to name the label
        made.title = " ".join([made.title, *result.labels(free[0])])
    unique = {kind: result[name] for kind, name in UNIQUENESS.items() if name in result}
    for index in np.ndindex(values.shape[1:]):
        line = values[(slice(None), *index)]
        names = [result.labels(dimension)[i] for dimension, i in zip(free, index, strict=True)]
        if free[-1:] == ("xyz",) and not line.any() and values.any():
            continue  # the third axis of a planar model
        note = " (not unique)" if any(kind in unique and not unique[kind][i] for kind, i in zip(free, index, strict=True)) else ""
        made.lines.append(Line((" ".join(names) or name) + note, result.time, line, result.units(variable, *[*labels, *names][:1])))
    return made


def with_units(quantity: str, units: str) -> str:
    """`speed (m/s)` for the units `m s-1`."""
    pretty = units.replace(" s-1", "/s").replace(" s-2", "/s²").replace("s-1", "1/s").replace("s-2", "1/s²")
    return quantity if units == "1" else f"{quantity} ({pretty})"
