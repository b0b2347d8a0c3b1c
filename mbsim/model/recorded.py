"""The names of what a run records, and of what poses of bodies tell; measures and published values are made of them.

Knows no schema: a run of a model that an earlier one kept reads nothing else of the model's room.
"""

from collections.abc import Iterable

from mbsim.model.expressions.functions import MEASURING
from mbsim.model.expressions.parsed import Call, Name, Node
from mbsim.model.names import der

REACTIONS = ("joint_force", "joint_torque", "joint_force_local", "joint_torque_local")
FORCES = ("force_effort", "force_power", "force_loss", "force_length", "force_rate")
FORCE_VECTORS = ("force_vector", "force_torque")
CONTROLLERS = ("controller_target", "controller_error", "controller_saturation")
BEAM_VECTORS, BEAM_ENERGY = ("beam_force", "beam_moment", "beam_strain", "beam_curvature"), "beam_energy"
BEAM_LOADS = BEAM_VECTORS[:2]  # which events may watch: force, moment
ENERGIES = ("energy_kinetic", "energy_potential", "energy_work", "energy_balance")


def terms(tree: Node) -> list[Name | Call]:
    """The names of numbers in a tree and the calls of functions of bodies, in the order of the text."""
    waiting = [tree]
    found: list[Name | Call] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Name) or (isinstance(node, Call) and node.function in MEASURING):
            found.append(node)
        elif isinstance(node, Call):
            waiting += node.arguments
    return sorted(found, key=lambda node: node.offset)


def body_names(body: str, dimension: int, points: Iterable[str]) -> set[str]:
    """The names that follow from the pose and the velocity of a body, in any coordinates."""
    axes = "xyz" if dimension == 3 else "xy"
    names = {f"{body}.velocity.{axis}" for axis in axes}
    names |= {name for axis in axes for name in (f"{body}.{axis}", der(f"{body}.{axis}"))}
    names |= point_names(body, dimension, points)
    if dimension == 2:
        return names | {f"{body}.angle", der(f"{body}.angle"), f"{body}.angular_velocity"}
    names |= {f"{body}.{name}.{axis}" for name in ("omega", "angular_velocity") for axis in axes}
    return names | {f"{body}.q{part}" for part in "wxyz"}


def acceleration_names(body: str, dimension: int, points: Iterable[str]) -> set[str]:
    """The names of accelerations of a body's centre of mass and points, and of its angular acceleration, in global axes."""
    axes = "xyz" if dimension == 3 else "xy"
    names = {f"{body}.acceleration.{axis}" for axis in axes} | {f"{body}.{point}.acceleration.{axis}" for point in points for axis in axes}
    names |= {der(der(f"{body}.{point}.{axis}")) for point in points for axis in axes}
    return names | ({f"{body}.angular_acceleration.{axis}" for axis in axes} if dimension == 3 else {f"{body}.angular_acceleration"})


def point_names(body: str, dimension: int, points: Iterable[str]) -> set[str]:
    """The names of the positions and velocities of points of a body or of the ground."""
    axes = "xyz" if dimension == 3 else "xy"
    places = [f"{body}.{point}.{axis}" for point in points for axis in axes]
    return {*places, *map(der, places), *(f"{body}.{point}.velocity.{axis}" for point in points for axis in axes)}
