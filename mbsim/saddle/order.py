"""Orders of elimination with little fill: the nodes with the fewest neighbours first, or leaves first.

Minimum degree: Tinney & Walker 1967.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush


def minimum_degree(
    near: Mapping[int, set[int]], waits: Mapping[int, set[int]] | None = None, rank: Mapping[int, int] | None = None
) -> list[int]:
    """The nodes `near`, the next one that with the fewest neighbours left, of these that of the lowest rank.

    A node waits until all of `waits` are eliminated. Neighbours that are no keys of `near` stay.
    """
    near = {g: set(others) for g, others in near.items()}
    left = {g: set(others) & near.keys() for g, others in (waits or {}).items()}
    waiting = defaultdict(list)
    for g, others in left.items():
        for f in others:
            waiting[f].append(g)

    def entry(g: int) -> tuple[int, int, int]:
        return len(near[g]), rank[g] if rank else 0, g

    heap = [entry(g) for g in near if not left.get(g)]
    heapify(heap)
    order: list[int] = []
    while heap:
        degree, _, g = heappop(heap)
        if g not in near or degree != len(near[g]):
            continue
        order.append(g)
        around = near.pop(g)
        for f in around:
            if f in near:
                near[f] |= around
                near[f] -= {f, g}
                if not left.get(f):
                    heappush(heap, entry(f))
        for f in waiting[g]:
            left[f].discard(g)
            if not left[f]:
                heappush(heap, entry(f))
    return order


def leaves_first(pairs: Sequence[tuple[int, ...]], kept: Collection[int] = ()) -> list[int]:
    """Order of the edges `pairs` of a graph of bodies (one body: the other is the ground); zero fill where the graph is a forest.

    First come simplicial edges, whose neighbours all meet already, from the leaves and from the ground at once, as long as there are any:
    then nothing fills in. In a tree there always are (a joint whose one body carries no other joint that is left, or is the ground). What
    remains are closed loops, by minimum degree. Those in `kept` are not eliminated, but the others meet them.
    """
    at = defaultdict(set)
    for e, pair in enumerate(pairs):
        for body in pair:
            at[body].add(e)

    def simplicial(e: int) -> bool:
        return sum(len(at[body]) > 1 for body in pairs[e]) < 2

    order: list[int] = []
    left = set(range(len(pairs))).difference(kept)
    queue = [e for e in range(len(pairs) - 1, -1, -1) if e in left and simplicial(e)]
    for e in queue:  # it grows
        if e not in left:
            continue
        order.append(e)
        left.discard(e)
        for body in pairs[e]:
            at[body].discard(e)
            if len(at[body]) == 1:
                queue += [f for f in at[body] if simplicial(f)]
    return order + minimum_degree({e: set().union(*(at[body] for body in pairs[e])) - {e} for e in left})
