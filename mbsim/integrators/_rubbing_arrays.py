"""`Rubbing`: contacts with friction, and stops and friction of joints beside them, as arrays for kernels that decide."""

from typing import Annotated, NamedTuple

import numpy as np

from mbsim.contracts import EVENTS
from mbsim.integrators._settling_arrays import REPORTS
from mbsim.jit.signatures import Block, Indices, Matrix, Packed, Vector
from mbsim.unilateral.problem import PROBLEM, SCRATCH, Load, Problem, Scratch, contacts, problem, scratch

MOST_TAKEN = 24  # contacts and frictions that a problem has at most
# what events have told, beside that of `_settling_arrays`: what touches has come to where that ends; a slip in space has turned back
FIRED_EDGE, FIRED_ALONG = 16, 32
AS_UNIT = 2  # a place in `law`, beside those of `_settling_arrays`: 1 where nobody asks how unique impulses are
STRENGTH, START, STILL, SPATIALS = 0, 1, 3, 4  # columns of `spatial`; the start has two


class _Rubbing(NamedTuple):
    # What they are: n contacts, stops and frictions
    first: Indices  # (n + 1,) the directions of each follow each other: the normal one where it has one, then its tangents
    normal: Indices  # 1: it has a gap
    tangents: Indices  # 0, 1, or of a contact in space 2
    gaps: Indices  # lines of Work.events, here and below; -1: there is none
    presses: Indices  # of what is left of the effort that holds, normal
    sticks: Indices  # and along the tangents
    turned: Indices  # of the speed along the direction in which a slip in space began
    edges: Indices  # of how far what touches a line is from where that ends
    near: Vector  # m or rad: what a gap is measured by
    slow: Vector  # m/s or rad/s: by what a slip is measured where it begins and ends
    restitution: Vector
    closing: Vector  # m/s or rad/s
    friction: Vector  # coefficient of what slips
    static: Vector  # and of what holds
    bound: Vector  # N or N m: friction of what slips that nothing loads
    static_bound: Vector  # and of what holds
    weaker: Indices  # 1: friction is less where it slips than where it holds
    pairs: Indices  # the same of all sides of a polygon that a corner may touch, from 0; -1: it is no such contact
    nexts: Indices  # (n + 1,) those of each follow each other:
    corners: Indices  # the contacts of the next corners with this side
    brake: Indices  # the friction along the coordinate of a stop; -1: none
    under: Indices  # the contact whose normal force loads a resistance to rolling or drilling; -1: it is none
    blocks: Indices  # the same of all contacts of a block of the model file, from 0
    spatial: Indices  # (4 n,) places in Arrays.parameters of what slips in space: the size of friction, the start, what is still; or -1
    # What loads them: g groups of s components of reactions
    groups: Indices  # (n + 1,) those of each follow each other
    parts: Indices  # (g + 1,) the components of a group likewise
    slip_factors: Vector  # (g,) coefficient of what slips
    hold_factors: Vector  # (g,) and of what holds
    weights: Matrix  # (s, rows) of the multipliers of the system without what contacts hold; no rows where nothing loads anything
    # Their directions, N of them
    speeds: Indices  # lines of Work.events
    places: Indices  # of their efforts in Arrays.parameters
    signs: Vector  # 1: the gap grows with what the row keeps, or -1
    turns: Indices  # 1: an angle
    levers: Vector  # m of resistances, else 1: what efforts are divided by where rows share a load
    efforts: Vector  # state: N or N m, by which it was asked last, powers of two
    # The mechanism
    mass: Vector  # (1,) kg: the mean one of bodies
    lengths: Indices  # (n_v,) 1: a speed along a length
    law: Indices  # (3,)
    # State, of each contact
    absent: Indices  # 1: its joint does not hold
    mode: Indices
    slip: Vector  # (N,) unit vectors of what slips, or whose friction at rest is at its bound against that slip, along its tangents
    shared: Indices  # `Carries`: what of its rows carries, where there are more than the load determines
    eased: Vector  # (N,) what levers are multiplied by: friction with less than 1 carries less of a load that is shared
    holds: Indices  # (N,) 1 where its row holds
    watched: Vector  # (1,) how large the efforts were that are watched
    # Given
    fired: Indices  # (n,)
    held: Vector  # (N,) multipliers of rows before, N or N m
    force: Vector  # (1,) the size of forces by which it is told what is none
    q: Vector  # (n_q,)
    v: Vector  # (n_v,); after it those after impacts
    # Found
    report: Indices
    impulses: Vector  # (N,) N s or N m s, zero where nothing was struck
    before: Vector  # (N,) m/s or rad/s: speeds before the impact
    speed: Vector  # (N,) and now
    gap: Vector  # (n,)
    height: Vector  # (n,) likewise, but above a side the height, on its line beyond its ends, too
    acceleration: Vector  # (N,)
    free: Vector  # (N,) accelerations without efforts
    v_dot: Vector  # (n_v,) likewise
    lam: Vector  # (rows,) likewise
    responses: Matrix  # (N, N) row k: what a unit effort along k adds to accelerations
    moves: Matrix  # (N, n_v) to v_dot
    reactions: Matrix  # (N, rows) and to multipliers
    known: Indices  # (N,)
    eased_before: Vector  # (N,)
    # Scratch
    z: Vector
    row: Vector
    out: Matrix
    units: Vector  # (N,)
    sizes: Vector  # (N,) of accelerations
    efforts_now: Vector  # (N,) what acts along each direction
    touching: Indices  # (n,)
    stays: Indices
    leaves: Indices
    taking: Indices
    going: Indices  # 1: it slips from now on, along
    ways: Vector  # (N,) unit vectors
    broken: Indices  # 1: of what does not hold
    begins: Indices  # 1: in space, how several supports of a body slip together follows from a load just beyond the bound; or
    gave_way: Indices  # 1: the lower friction says where it slips
    towards: Vector  # (N,) unit vectors against the friction of these
    resting: Vector  # (N,) accelerations without that larger load
    rows: Indices  # (R,) the directions of a problem's rows
    first_p: Vector  # (R,) impulses of compression
    rest: Indices  # (R,) rows of what is at rest
    carriers: Indices  # (R,) the row of each unknown of what carries a load
    columns: Matrix  # (R, R) what each adds to p
    given: Vector  # (R,) which way friction at its bound acts
    chosen: Indices  # (n,) what each does that carries
    least: Vector  # (R,) the shortest efforts that keep all at rest
    pivots: Indices  # (R,)
    root: Matrix  # (R, R) a matrix of rows is root root', in the order of `pivots`
    square: Matrix  # (R, R) a factor of root' root
    closed: Matrix  # (R, R) what the shortest multipliers of a choice follow from
    unknown: Vector  # (R,)
    right: Vector  # (R,)
    problem: Annotated[Problem, PROBLEM]
    scratch: Annotated[Scratch, SCRATCH]


class Rubbing(Packed, _Rubbing):
    """What they are, what they do, and scratch."""


RUBBING = Rubbing.block = Block(Rubbing)


def rubbing(n_q: int, n_v: int, rows: int, width: int, events: int, given: dict[str, np.ndarray]) -> Rubbing:
    """Zeros for what is not `given`; `width` is that of the longest output row of the system without what contacts hold, of so many rows.

    A problem has room for the largest ones of MOST_TAKEN.
    """
    n, directions = len(given["normal"]), len(given["speeds"])
    count, most = min(n, MOST_TAKEN), int(given["tangents"].max(initial=0)) + 1
    groups = np.sort(np.diff(given["groups"]))[::-1][:count].sum()
    parts = np.sort(np.diff(given["parts"]))[::-1][:groups]
    loads = [Load(0, 1.0, np.zeros(part), np.zeros((part, most * count))) for part in parts]
    of = problem(np.zeros((most * count,) * 2), np.zeros(most * count), contacts([1] * count, [most - 1] * count), None, loads)
    sizes = {
        "mass": 1,
        "force": 1,
        "watched": 1,
        "q": n_q,
        "v": n_v,
        "v_dot": n_v,
        "lam": rows,
        "report": REPORTS,
        "z": n_v + n_q + 1,
        "row": width,
    }
    sizes |= dict.fromkeys(("gap", "chosen", "height", "touching", "stays", "leaves", "taking", "going", "broken"), n)
    sizes |= dict.fromkeys(("absent", "mode", "shared", "fired", "begins", "gave_way"), n)
    sizes |= dict.fromkeys(("rows", "first_p", "rest", "carriers", "given", "least", "pivots", "unknown", "right"), len(of.b))
    shapes = {"responses": (directions, directions), "moves": (directions, n_v), "reactions": (directions, rows), "out": (events, EVENTS)}
    shapes |= dict.fromkeys(("columns", "root", "square", "closed"), (len(of.b),) * 2)
    made: dict[str, object] = dict(given)
    for name, kind in RUBBING.kinds.items():
        if name not in made and name not in ("problem", "scratch"):
            made[name] = np.zeros(shapes.get(name, (sizes.get(name, directions),)), kind.dtype)
    made["efforts"], made["eased"] = np.ones(directions), np.ones(directions)
    return Rubbing(problem=of, scratch=scratch(of), **made)  # type: ignore[arg-type]
