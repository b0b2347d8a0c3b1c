"""The leaves that exist, and the names of the states that joints add."""

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from mbsim.model.leaves import Block, Joint
from mbsim.model.names import der, floating_states


class Catalogue(Protocol):
    """The leaves that exist. `mbsim.registry` is a catalogue."""

    def names(self, kind: str) -> list[str]:
        """The words a user may write for `kind`."""

    def leaf(self, kind: str, word: str) -> Any:
        """The class of a leaf."""

    def options(self, kind: str, word: str) -> Mapping[str, Any]:
        """The options of a method or integrator by name, each with `read(value)`."""

    def misfit(self, method: str, integrator: str) -> str:
        """Why a method and an integrator cannot go together; empty when they can."""

    def unsteady(self, method: str, chosen: Mapping[str, Any]) -> str:
        """Why a method with these options does not go with error control; empty where it does."""

    def inexact(self, method: str, chosen: Mapping[str, Any]) -> str:
        """Why a method with these options does not go with a Jacobian by the tangents; empty where it does."""

    def automatic_integrator(self, stepped: bool) -> str:
        """The integrator that `auto` means, with or without a step."""

    def variant(self, text: str) -> tuple[str, dict[str, str]]:
        """`svd(hold=false)` -> ("svd", {"hold": "false"})."""


def joint_leaf(catalogue: Catalogue, block: Any) -> type[Block]:
    """The class of a block of joints; Block if its `type` is unknown, which is reported elsewhere."""
    word = block.get("type") if isinstance(block, dict) else None
    known = isinstance(word, str) and word in catalogue.names("joints")
    leaf: type[Block] = catalogue.leaf("joints", str(word)) if known else Block
    return leaf


def joint_states(leaves: Mapping[str, type[Block]], bodies: Collection[str], dimension: int) -> list[str]:
    """The coordinates and speeds that joints and floating bodies can have. The assembly finds which of them exist."""
    names: list[str] = []
    for name, leaf in leaves.items():
        if issubclass(leaf, Joint):
            names += [state for group in leaf.states(name, dimension) for state in group]
    for name in bodies:
        names += [state for group in floating_states(name, dimension) for state in group]
    return names


def force_states(catalogue: Catalogue, sections: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The states that the forces and controllers of these sections have of their own: `force.state`."""
    names: list[str] = []
    for kind, blocks in sections.items():
        for name, block in blocks.items():
            word = block.get("type") if isinstance(block, dict) else None
            if isinstance(word, str) and word in catalogue.names(kind):
                names += [f"{name}.{state}" for state in catalogue.leaf(kind, word).STATES]
    return names


def relative_names(leaves: Mapping[str, type[Block]], bodies: Collection[str], dimension: int) -> frozenset[str]:
    """The angles and displacements of joints and their rates. A joint with the name of a body has none: they are the body's states."""
    names: list[str] = []
    for name, leaf in leaves.items():
        if issubclass(leaf, Joint) and name not in bodies:
            names += [f"{name}.{quantity}" for quantity in leaf.driven(dimension)]
    return frozenset([*names, *map(der, names)])
