"""Graphs: what hangs together, and what fills in where nodes are eliminated in an order."""

from collections.abc import Hashable, Mapping, Sequence


class Partition:
    """Things in groups, which are joined two at a time; each is alone at first."""

    def __init__(self) -> None:
        self._next: dict[Hashable, Hashable] = {}

    def root(self, thing: Hashable) -> Hashable:
        """The one that stands for the group of a thing."""
        after = self._next
        while thing in after:
            if after[thing] in after:
                after[thing] = after[after[thing]]
            thing = after[thing]
        return thing

    def join(self, first: Hashable, second: Hashable) -> bool:
        """Make one group of those of two things; False where it is one already."""
        one, other = self.root(first), self.root(second)
        if one != other:
            self._next[one] = other
        return one != other


def coupled(order: Sequence[int], near: Mapping[int, set[int]]) -> list[list[int]]:
    """Of each node of the order the later ones that it is coupled to when it is eliminated, in the order: its neighbours and what fills in.

    What fills in is handed from each node to the first one after it, which meets all of it (an elimination tree).
    """
    place = {node: k for k, node in enumerate(order)}
    later: list[set[int]] = [{place[f] for f in near[node] if place[f] > k} for k, node in enumerate(order)]
    for found in later:
        if found:
            first = min(found)
            later[first] |= found - {first}
    return [[order[k] for k in sorted(found)] for found in later]


def path(before: Sequence[int], body: int) -> list[int]:
    """A body and those before it in a forest, up to the ground (the number behind the last body), which is left out."""
    found = []
    while body < len(before):
        found.append(body)
        body = before[body]
    return found
