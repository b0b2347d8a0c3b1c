"""`Settling`: stops, contacts without friction, and friction that nothing loads, as arrays for kernels that decide what they do."""

from typing import Annotated, NamedTuple

import numpy as np

from mbsim.contracts import EVENTS
from mbsim.jit.signatures import Block, Indices, Matrix, Packed, Vector
from mbsim.unilateral.pressing import PRESSING, Pressing, pressing

TOUCHES = 1e-9  # of what a gap is measured by: what is nearer is closed if it does not open
OPEN, CLOSED, STICKS, SLIPS, IDLE = 0, 1, 2, 3, 4  # modes: of a gap the first two; a friction is idle where a closed stop holds
FIRED_GAP, FIRED_PRESS, FIRED_HOLD, FIRED_SLIDE = 1, 2, 4, 8  # what events have told, added up
# What `_settling.settle` returns; `NOT_KNOWN`: what it leaves to `mbsim.march.unilateral`, as dead points of a friction
SETTLED, NOT_EVALUATED, INSIDE, NO_IMPACT, NO_MODES, UNDECIDED, NOT_KNOWN = 0, 1, 2, 3, 4, 5, 6
AT_ONCE, POISSON = 0, 1  # places in `law`: whether impacts are simultaneous, and by Poisson's law
BLAMED, GAINS, UNIQUE = 0, 1, 2  # places in `report`
REPORTS = 3


# What is near, slow or small, in m or rad, m/s or rad/s, or of a size: as in `mbsim.march`, where the reasons are
DEEP, LOW = 1e-6, 1e-11
CLOSES, DRIFTS, KICKED, AT_REST = 1e-12, 1e-9, 1e-6, 1e-10
NO_IMPULSE, WEAK, ROUND_OFF, OPENS, GAIN = 1e-12, 1e-9, 1e-9, 1e-11, 1e-10
DEAD, OF_FREE = 1e-9, 1e-3
ROUNDS = 50


class _Settling(NamedTuple):
    rubs: Indices  # (n,) 1: a friction, without a gap
    gaps: Indices  # lines of Work.events; -1: there is none
    speeds: Indices
    efforts_left: Indices  # of what is left of the effort that holds
    places: Indices  # of their efforts in Arrays.parameters
    signs: Vector  # 1: the gap grows with what the row keeps, or -1
    near: Vector  # m or rad: what a gap is measured by
    restitution: Vector
    closing: Vector  # m/s or rad/s
    bound: Vector  # N or N m: of a friction that slips
    static: Vector  # and that holds
    brake: Indices  # the friction along the coordinate of a stop; -1: none
    mass: Vector  # (1,) kg: the mean one of bodies
    turns: Indices  # 1: an angle
    absent: Indices  # 1: its joint does not hold
    law: Indices  # (2,)
    mode: Indices  # state: what each does
    slip: Vector  # state: 1 or -1, of what slips
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
    total: Vector
    ways: Vector  # 1 or -1: of frictions that slip from now on
    broken: Indices  # 1: of frictions that do not hold
    pressing: Annotated[Pressing, PRESSING]


class Settling(Packed, _Settling):
    """n stops, contacts and frictions: what they are, what they do, and scratch."""


SETTLING = Settling.block = Block(Settling)


def settling(n_q: int, n_v: int, width: int, events: int, given: dict[str, np.ndarray]) -> Settling:
    """Zeros for what is not `given`; `width` is that of the longest output row of the system without what contacts hold."""
    n = len(given["speeds"])
    made: dict[str, object] = dict(given)
    sizes = {
        "law": 2,
        "watched": 1,
        "force": 1,
        "mass": 1,
        "q": n_q,
        "v": n_v,
        "report": REPORTS,
        "v_dot": n_v,
        "z": n_v + n_q + 1,
        "row": width,
    }
    shapes = {"responses": (n, n), "moves": (n, n_v), "out": (events, EVENTS)}
    for name, kind in SETTLING.kinds.items():
        if name not in made and name != "pressing":
            made[name] = np.zeros(shapes.get(name, (sizes.get(name, n),)), kind.dtype)
    made["efforts"] = np.ones(n)
    return Settling(pressing=pressing(n), **made)  # type: ignore[arg-type]
