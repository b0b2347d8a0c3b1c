"""`Settling`: stops and contacts without friction as arrays, for kernels that decide at an event which of them are closed."""

from typing import Annotated, NamedTuple

import numpy as np

from mbsim.contracts import EVENTS
from mbsim.jit.signatures import Block, Indices, Matrix, Packed, Vector
from mbsim.unilateral.pressing import PRESSING, Pressing, pressing

TOUCHES = 1e-9  # of what a gap is measured by: what is nearer is closed if it does not open
OPEN, CLOSED = 0, 1  # modes
FIRED_GAP, FIRED_PRESS = 1, 2  # what events have told, added up
SETTLED, NOT_EVALUATED, INSIDE, NO_IMPACT, NO_MODES, UNDECIDED = 0, 1, 2, 3, 4, 5  # what `_settling.settle` returns
AT_ONCE, POISSON = 0, 1  # places in `law`: whether impacts are simultaneous, and by Poisson's law
BLAMED, GAINS, UNIQUE = 0, 1, 2  # places in `report`
REPORTS = 3


class _Settling(NamedTuple):
    gaps: Indices  # (n,) lines of Work.events
    speeds: Indices
    presses: Indices
    places: Indices  # of their efforts in Arrays.parameters
    signs: Vector  # 1: the gap grows with what the row keeps, or -1
    near: Vector  # m or rad: what a gap is measured by
    restitution: Vector
    closing: Vector  # m/s or rad/s
    turns: Indices  # 1: an angle
    absent: Indices  # 1: its joint does not hold
    law: Indices  # (2,)
    mode: Indices  # state: what each does, OPEN or CLOSED
    holds: Indices  # state: 1 where its row holds; of what is closed and redundant not all do
    efforts: Vector  # state: N or N m, by which it was asked last, powers of two
    watched: Vector  # state: (1,) how large the efforts were that are watched
    fired: Indices  # given
    held: Vector  # given: multipliers of its row before, N or N m
    force: Vector  # (1,) given: the size of forces by which it is told what is none
    q: Vector  # (n_q,) given
    v: Vector  # (n_v,) given; after it those after impacts
    report: Indices
    impulses: Vector  # N s or N m s, zero where nothing was struck
    before: Vector  # m/s or rad/s: of the gaps, before the impact
    speed: Vector  # and now
    gap: Vector
    acceleration: Vector
    free: Vector  # (n,) accelerations without efforts
    v_dot: Vector  # (n_v,) likewise
    responses: Matrix  # (n, n) row k: what a unit effort along k adds to accelerations
    moves: Matrix  # (n, n_v) and to v_dot
    known: Indices
    z: Vector
    row: Vector
    out: Matrix
    touching: Indices
    stays: Indices
    leaves: Indices
    taking: Indices
    sizes: Vector
    units: Vector
    bounce: Vector
    speeds_then: Vector
    pressing: Annotated[Pressing, PRESSING]


class Settling(Packed, _Settling):
    """n stops and contacts without friction: what they are, what they do, and scratch."""


SETTLING = Settling.block = Block(Settling)


def settling(n_q: int, n_v: int, width: int, events: int, given: dict[str, np.ndarray]) -> Settling:
    """Zeros for what is not `given`; `width` is that of the longest output row of the system without what contacts hold."""
    n = len(given["gaps"])
    made: dict[str, object] = dict(given)
    sizes = {"law": 2, "watched": 1, "force": 1, "q": n_q, "v": n_v, "report": REPORTS, "v_dot": n_v, "z": n_v + n_q + 1, "row": width}
    shapes = {"responses": (n, n), "moves": (n, n_v), "out": (events, EVENTS)}
    for name, kind in SETTLING.kinds.items():
        if name not in made and name != "pressing":
            made[name] = np.zeros(shapes.get(name, (sizes.get(name, n),)), kind.dtype)
    made["efforts"] = np.ones(n)
    return Settling(pressing=pressing(n), **made)  # type: ignore[arg-type]
