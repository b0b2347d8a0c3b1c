"""An order of elimination of the joints of a system of bodies, from the leaves and from the ground at once.

The order is one of simplicial blocks, whose neighbours all meet already, as long as there are any: then nothing fills in. In a tree there
always are (a joint whose one body carries no other joint that is left, or is the ground). What remains are closed loops; there the block
with the fewest neighbours is next (minimum degree; Tinney & Walker 1967).
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush


def elimination_order(pairs: Sequence[tuple[int, ...]], kept: Collection[int] = ()) -> list[int]:
    """Order of the edges `pairs` of a graph of bodies (one body: the other is the ground); zero fill where the graph is a forest.

    Those in `kept` are not eliminated, but the others meet them.
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
    near = {e: set().union(*(at[body] for body in pairs[e])) - {e} for e in left}
    heap = [(len(near[e]), e) for e in left]
    heapify(heap)
    while heap:
        degree, e = heappop(heap)
        if e not in near or degree != len(near[e]):
            continue
        order.append(e)
        around = near.pop(e)
        for f in around.intersection(near):
            near[f] |= around
            near[f] -= {e, f}
            heappush(heap, (len(near[f]), f))
    return order
