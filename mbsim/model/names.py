"""The names that a model may use: identifiers, body states, and the keys of `initial`."""

import re
from collections.abc import Collection, Iterable, Mapping

from mbsim.model.expressions.expression import CONSTANTS
from mbsim.model.expressions.functions import FUNCTIONS
from mbsim.model.expressions.tokens import WORDS

GROUND = "ground"
# Names that a result file contains already (mbsim.results.schema); a measure must have another name.
RESULT_NAMES = frozenset({
    "time", "q", "v", "acceleration", "multiplier", "body_position",
    "body_orientation", "body_velocity", "body_angular_velocity", "joint_force", "joint_torque", "joint_force_local",
    "joint_torque_local", "driver_effort", "energy_kinetic", "energy_potential", "energy_work", "energy_balance",
    "residual_position", "residual_velocity", "residual_acceleration", "joint_reaction_unique", "multiplier_unique", "coordinate",
    "event", "event_time", "event_do", "event_energy", "event_speed_before", "event_speed_after", "events",
    "speed", "constraint", "body", "joint", "driver", "xyz", "states", "state", "state_units",
    "quaternion", "coordinate_units", "speed_units", "acceleration_units", "driver_units", "model_yaml",
    "parameters", "tables", "error_estimate", "rank_changes", "notes", "warnings", "certificates",
    "singular_positions", "scene", "force_effort", "force_power", "force_loss", "force_length", "force_rate", "force_vector",
    "force_torque", "force_element", "force_with_length", "force_on_body", "force_with_torque",
    "force_effort_units", "force_length_units", "force_rate_units",
    "beam_force", "beam_moment", "beam_strain", "beam_curvature", "beam_energy", "beam_element",
    "interface_force", "interface_torque", "interface", "elastic_stress", "elastic_mises", "stress_point", "stress",
    "controller_target", "controller_error", "controller_saturation", "controller", "controller_units",
    "equations_P", "equations_H", "equations_S", "equations_W", "equations_I", "equations_A", "equations_B", "equations_C",
    "equations_F_T", "equations_F_S", "equations_Q_dot", "equations_V_dot", "equations_bias",
    "equation_wrench", "equation_wrench_column", "equation_free", "equation_free_column", "equation_blocked", "equation_blocked_column",
    "equation_wrench_units", "equation_wrench_acceleration_units", "equation_free_units", "equation_acceleration_units",
    "equation_blocked_units",
})  # fmt: skip
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LONGEST = 200  # characters


def name_fault(name: str, in_expressions: bool) -> str:
    """The problem of a name that the user has chosen, or nothing. Parameters and coordinates stand alone `in_expressions`."""
    if len(name) > _LONGEST or not _IDENTIFIER.fullmatch(name):
        return f"'{name[:60]}' cannot be a name: use letters, digits and '_', a letter first, {_LONGEST} at most"
    if name == GROUND or name in WORDS:
        return f"'{name}' cannot be a name: it is reserved"
    if in_expressions and (name == "t" or name in CONSTANTS or name in FUNCTIONS):
        meaning = "the time" if name == "t" else "a constant" if name in CONSTANTS else "a function"
        return f"'{name}' cannot be a name: it is {meaning} in expressions"
    return ""


def own_name_fault(name: str, taken: Mapping[str, Collection[str]], in_expressions: bool = True) -> str:
    """The problem of a name that must differ from those `taken`, by section; or nothing."""
    section = next((section for section, names in taken.items() if name in names), "")
    return name_fault(name, in_expressions) or (f"the name '{name}' is already used in {section}" if section else "")


def owner(row: str) -> str:
    """The joint, driver or constraint that a row of C belongs to, by its label: `pin[0]`, `motor.x`."""
    return row.partition("[")[0].partition(".")[0]


def der(name: str) -> str:
    """The canonical name of a time derivative."""
    return f"der({name})"


def state_names(dimension: int | None, bodies: Iterable[str], coordinates: Iterable[str]) -> frozenset[str]:
    """The names a law may use besides `t` and the parameters. `omega` is in body axes."""
    names: list[str] = []
    for body in bodies:
        translations = [f"{body}.{axis}" for axis in ("xyz" if dimension == 3 else "xy")]
        turns = [f"{body}.angle"] if dimension == 2 else []
        names += [*translations, *turns, *map(der, (*translations, *turns))]
        if dimension == 3:
            names += [f"{body}.q{part}" for part in "wxyz"] + [f"{body}.omega.{axis}" for axis in "xyz"]
    for coordinate in coordinates:
        names += [coordinate, der(coordinate)]
    return frozenset(names)


def floating_states(name: str, dimension: int) -> tuple[list[str], list[str]]:
    """Coordinates and speeds of a floating body, in joint coordinates. `name` is that of its joint, or its own if it has none."""
    if dimension == 2:
        places = [f"{name}.{c}" for c in ("x", "y", "angle")]
        return places, list(map(der, places))
    places = [f"{name}.{c}" for c in "xyz"]
    return [*places, *(f"{name}.q{c}" for c in "wxyz")], [*map(der, places), *(f"{name}.omega.{c}" for c in "xyz")]


def initial_names(dimension: int | None, bodies: Iterable[str], coordinates: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The names `initial` may hold -> the scalar names each stands for (one: a number; several: a vector)."""
    names: dict[str, tuple[str, ...]] = {}
    for body in bodies:
        axes = "xyz" if dimension == 3 else "xy"
        position = tuple(f"{body}.{axis}" for axis in axes)
        names |= {name: (name,) for name in (*position, *map(der, position))}
        names[f"{body}.position"] = position
        names[f"{body}.velocity"] = tuple(map(der, position))
        if dimension == 3:
            names[f"{body}.angular_velocity"] = tuple(f"{body}.angular_velocity.{axis}" for axis in axes)
        else:
            names[f"{body}.angle"] = (f"{body}.angle",)
            names[der(f"{body}.angle")] = names[f"{body}.angular_velocity"] = (der(f"{body}.angle"),)
    for coordinate in coordinates:
        names |= {coordinate: (coordinate,), der(coordinate): (der(coordinate),)}
    return names


def fix_names(dimension: int | None, bodies: Iterable[str], coordinates: Iterable[str]) -> frozenset[str]:
    """The names `initial.fix` may hold: those of `initial`, and a spatial body's orientation."""
    bodies = list(bodies)
    orientations = [f"{body}.orientation" for body in bodies] if dimension == 3 else []
    return frozenset(initial_names(dimension, bodies, coordinates)) | frozenset(orientations)
