"""The leaves that exist, and the names of the states that joints add."""

from collections.abc import Collection, Mapping
from typing import Protocol, TypeAlias, TypeVar

from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block, Force, Joint
from mbsim.model.names import GROUND, der, floating_states

SOLVERS = {"method": "methods", "integrator": "integrators"}  # keys of the simulation block -> kinds of leaves, which have options
OptionValue: TypeAlias = bool | float | str | None
_Leaf = TypeVar("_Leaf", bound=Block)


class SolverOption(Protocol):
    """One option of a method or integrator; its own description is what messages, schema and settings have of it."""

    @property
    def help(self) -> str:
        """A phrase."""

    @property
    def default(self) -> OptionValue:
        """What it is where it is not given."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that are allowed, where it takes words."""

    def read(self, value: Plain) -> OptionValue:
        """The value that was given, typed. Raises ValueError."""

    def schema(self) -> Mapped:
        """The JSON schema of its value."""


class Catalogue(Protocol):
    """The leaves that exist. `mbsim.registry` is a catalogue."""

    def names(self, kind: str) -> list[str]:
        """The words a user may write for `kind`."""

    def leaf(self, kind: str, word: str) -> type[Block]:
        """The class of a leaf."""

    def options(self, kind: str, word: str) -> Mapping[str, SolverOption]:
        """The options of a method or integrator by name."""

    def misfit(self, method: str, integrator: str) -> str:
        """Why a method and an integrator cannot go together; empty when they can."""

    def unsteady(self, method: str, chosen: Mapping[str, OptionValue]) -> str:
        """Why a method with these options does not go with error control; empty where it does."""

    def uncontrolled(self, chosen: Mapping[str, OptionValue]) -> str:
        """Why a relative tolerance of these options controls no error; empty where it does."""

    def inexact(self, method: str, chosen: Mapping[str, OptionValue]) -> str:
        """Why a method with these options does not go with a Jacobian by the tangents; empty where it does."""

    def automatic_integrator(self, stepped: bool, beams: bool = False) -> str:
        """The integrator that `auto` means, with or without a step, of a model with or without beams."""

    def variant(self, text: str) -> tuple[str, dict[str, str]]:
        """`svd(hold=false)` -> ("svd", {"hold": "false"})."""


def leaf_of(catalogue: Catalogue, kind: str, block: Plain, base: type[_Leaf]) -> type[_Leaf] | None:
    """The class that the `type` of a block names; None where it is unknown or none of `base`, which is reported elsewhere."""
    word = block.get("type") if isinstance(block, dict) else None
    if not isinstance(word, str) or word not in catalogue.names(kind):
        return None
    leaf = catalogue.leaf(kind, word)
    return leaf if issubclass(leaf, base) else None


def joint_states(leaves: Mapping[str, type[Joint]], bodies: Collection[str], dimension: int) -> list[str]:
    """The coordinates and speeds that joints and floating bodies can have. The assembly finds which of them exist."""
    names: list[str] = []
    for name, leaf in leaves.items():
        names += [state for group in leaf.states(name, dimension) for state in group]
    for name in bodies:
        names += [state for group in floating_states(name, dimension) for state in group]
    return names


def force_states(catalogue: Catalogue, sections: Mapping[str, Mapped]) -> list[str]:
    """The states that the forces and controllers of these sections have of their own: `force.state`."""
    names: list[str] = []
    for kind, blocks in sections.items():
        for name, block in blocks.items():
            if (leaf := leaf_of(catalogue, kind, block, Force)) is not None and isinstance(block, dict):
                names += [f"{name}.{state}" for state in leaf.states_given(block)]
    return names


def relative_names(leaves: Mapping[str, type[Joint]], bodies: Collection[str], dimension: int) -> frozenset[str]:
    """The angles and displacements of joints and their rates. A joint with the name of a body has none: they are the body's states."""
    names: list[str] = []
    for name, leaf in leaves.items():
        if name not in bodies:
            names += [f"{name}.{quantity}" for quantity in leaf.driven(dimension)]
    return frozenset([*names, *map(der, names)])


def place_names(points: Mapping[str, Collection[str]], dimension: int | None, in_joint_coordinates: bool) -> frozenset[str]:
    """The places of the named points of bodies and their velocities; in joint coordinates those of centres of mass, too."""
    axes = "xyz" if dimension == 3 else "xy"
    names = [f"{body}.{point}.{axis}" for body, inner in points.items() for point in inner for axis in axes]
    if in_joint_coordinates:
        names += [f"{body}.{axis}" for body in points if body != GROUND for axis in axes]
    return frozenset([*names, *map(der, names)])
