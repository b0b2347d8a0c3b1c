"""Which joints make up a tree of bodies, and which close loops; and so which joint coordinates a model has."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from mbsim.model.leaves import Coupling, Joint
from mbsim.model.names import GROUND, floating_states
from mbsim.saddle.graph import Partition


class Edge(NamedTuple):
    """A joint between two bodies."""

    name: str
    first: int | str
    second: int | str
    freedoms: int  # speeds that it leaves free
    cut: bool  # it is none of the tree
    preferred: bool  # of two joints with equally many freedoms, rather one of the tree


def spanning(edges: Sequence[Edge]) -> tuple[list[str], list[str]]:
    """The joints of the tree, in the order in which they are taken, and those that are cut, in the order given.

    Joints with the fewest freedoms are taken first (in the order given where equal), as in Kruskal's spanning forest, so that the
    coordinates are as few as they can be; a joint that closes a loop is cut.
    """
    together, kept = Partition(), []
    for edge in sorted(edges, key=lambda edge: (edge.cut, edge.freedoms, not edge.preferred)):
        if not edge.cut and together.join(edge.first, edge.second):
            kept.append(edge.name)
    chosen = set(kept)
    return kept, [edge.name for edge in edges if edge.name not in chosen]


def absent_states(
    joints: Mapping[str, Joint], couplings: Mapping[str, Coupling], bodies: Collection[str], dimension: int
) -> frozenset[str]:
    """Coordinates and speeds that joints and floating bodies could have in joint coordinates, and that this tree does not have."""
    coupled = {joint for coupling in couplings.values() for joint in coupling.joints}
    edges = []
    for name, joint in joints.items():
        freedoms = joint.freedoms(dimension)
        preferred = name in coupled or joint.rotor() != 0.0
        edges.append(Edge(name, joint.first, joint.second, freedoms or 0, joint.cut or not joint.locked or freedoms is None, preferred))
    kept, cut = spanning(edges)
    beside: dict[str, list[str]] = {body: [] for body in (GROUND, *bodies)}
    for name in kept:
        beside[joints[name].first].append(joints[name].second)
        beside[joints[name].second].append(joints[name].first)
    floating, seen = set[str](), set[str]()
    for body in (GROUND, *bodies):  # the first body of each tree that nothing joins to the ground floats
        if body in seen:
            continue
        if body != GROUND:
            floating.add(body)
        pending = [body]
        while pending:
            one = pending.pop()
            if one not in seen:
                seen.add(one)
                pending += beside[one]
    absent = [state for name in cut for group in joints[name].states(name, dimension) for state in group]
    absent += [state for body in bodies if body not in floating for group in floating_states(body, dimension) for state in group]
    there = {state for name in kept for group in joints[name].states(name, dimension) for state in group}
    return frozenset(absent) - there
