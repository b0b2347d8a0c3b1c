"""`Problem`: contacts with friction in local form, as the arrays that kernels read, and `Scratch`, what kernels overwrite.

    w = D p + b,   D = W' K^-1 W (N, N) symmetric and positive semidefinite, where K^-1 is the response of the system with its constraints

A contact owns rows that follow each other: a normal one where it has one, then 0 to 3 tangential ones. For each contact

    normal:      w_N >= 0,  p_N >= 0,  w_N p_N = 0
    tangential:  |p_T| <= s, and where w_T is not zero p_T = -s w_T / |w_T|
                 s = fixed + friction p_N + sum_g factor_g |free_g + response_g p|

The sum is over groups of reactions that load the contact from elsewhere: the friction of a joint is a contact without a normal row, which
the reactions of the joint load. In space this is Coulomb's law with its principle of maximal dissipation. p are impulses (N s, N m s) and w
velocities (m/s, rad/s), or p are forces (N, N m) and w accelerations; a row of lengths and one of angles may stand side by side.

A contact that slides has p_T = -s d with its known direction d of slip instead of the tangential law.

Sources: Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; Acary and Brogliato, Numerical Methods for Nonsmooth
Dynamical Systems, 2008, sections 3.9 and 13.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbsim.jit.extents import declared, zeros
from mbsim.jit.signatures import Array, Block, Indices, Matrix, Packed, Vector, i8

# Scratch.report
REPORT_CODE = 0  # one of the codes below
REPORT_CONTACT = 1  # the contact to blame; -1: none
REPORT_METHOD = 2  # who found the solution
REPORT_ITERATIONS = 3  # modes tried, or Newton's steps
REPORT_SWEEPS = 4  # of Gauss-Seidel
REPORT_FOUND = 5  # solutions that enumeration kept; 0 where it was not asked
REPORT_VELOCITIES = 6  # how many different w they have
REPORTS = 7

# The codes
SOLVED = 0
NO_SOLUTION = 1  # no combination of modes fits: Painleve's paradox where contacts slide
SEVERAL = 2  # solutions with different w; one of them is returned
NOT_CONVERGED = 3  # no method reached the tolerance
NOT_FINITE = 4  # D or b has an entry that is not finite

# Methods
ENUMERATION, LEMKE, NEWTON, GAUSS_SEIDEL = 0, 1, 2, 3
METHODS = ("enumeration", "lemke", "newton", "gauss_seidel")

# Modes of a contact
OPEN = 0  # nothing acts
STICK = 1  # closed, and nothing slips; also closed and frictionless
SLIP = 2  # closed, and p_T is at its bound
MODES = ("open", "stick", "slip")

TOLERANCE = 1e-12  # of the natural map, of the largest impulse
NEAREST = 1e-10  # of what rows need alone: what is taken where no way comes nearer, as many contacts that share a load sum up round-off
GOOD = 1e-6  # of the largest impulse: a residual that is taken where the last digits are not to be had in a short time
KEPT = 64  # solutions that enumeration keeps


class _Problem(NamedTuple):
    D: Annotated[Matrix, "N", "N"]  # response of the rows to p
    b: Annotated[Vector, "N"]  # w without p
    first: Annotated[Indices, "n + 1"]  # the rows of contact i are first[i]:first[i + 1]
    normal: Annotated[Indices, "n"]  # 1: the first of them is a normal row
    sliding: Annotated[Indices, "n"]  # 1: it slides in `direction`
    friction: Annotated[Vector, "n"]  # coefficient
    fixed: Annotated[Vector, "n"]  # bound that depends on nothing
    direction: Annotated[Vector, "N"]  # unit vector in the tangential rows of contacts that slide
    loads: Annotated[Indices, "n + 1"]  # the groups that load contact i are loads[i]:loads[i + 1]
    load_rows: Annotated[Indices, "g + 1"]  # the rows of group k are load_rows[k]:load_rows[k + 1]
    factor: Annotated[Vector, "g"]  # of the norm of a group, e.g. coefficient times radius
    free: Annotated[Vector, "s"]  # reactions without p
    response: Annotated[Matrix, "s", "N"]  # reactions to p


class Problem(Packed, _Problem):
    """N rows of n contacts, which g groups of s reactions load."""

    extents: ClassVar[dict[str, tuple[Array, tuple[str | int, ...]]]]


PROBLEM = Problem.block = Block(Problem)
Problem.extents = declared(Problem)


class _Scratch(NamedTuple):
    p: Annotated[Vector, "N"]  # the solution; before a solution the start
    w: Annotated[Vector, "N"]  # D p + b
    modes: Annotated[Indices, "n"]  # OPEN, STICK, SLIP
    slip: Annotated[Vector, "N"]  # unit direction of slip of contacts that slip, else zero
    report: Annotated[Indices, "REPORTS"]
    residual: Annotated[Vector, 2]  # of the natural map, and what it is compared with: the largest impulse
    found: Annotated[Matrix, "KEPT", "N"]  # solutions that enumeration kept
    soft: Annotated[Vector, 1]  # what Newton's method adds to the diagonal of D, of 1 / r, on its way; zero for everybody else
    scale: Annotated[Vector, "N"]  # r of each row: what the natural map multiplies w by
    bound: Annotated[Vector, "n"]  # s of each contact
    F: Annotated[Vector, "N"]  # the natural map
    J: Annotated[Matrix, "N", "N"]  # its derivative, then factors
    step: Annotated[Vector, "N"]
    trial: Annotated[Vector, "N"]
    best: Annotated[Vector, "N"]
    kept: Annotated[Vector, "N"]  # the last solution on the path of `newton.harden`
    rise: Annotated[Vector, "N"]  # derivative of a bound
    active: Annotated[Indices, "N"]  # the rows whose p is not zero in a mode
    columns: Annotated[Indices, "N"]  # of J as exchanged
    digits: Annotated[Indices, "n + g"]  # of enumeration: the mode of each contact, the sign of each group
    radix: Annotated[Indices, "n + g"]
    along: Annotated[Vector, "s"]  # unit vectors of the reactions
    T: Annotated[Matrix, "v", "v + 1"]  # of Lemke's method, with v variables: dictionary; empty where it does not apply
    q: Annotated[Vector, "v"]  # and its constants
    owner: Annotated[Indices, "v"]  # the contact of each variable
    part: Annotated[Indices, "v"]  # which variable of the contact it is
    basic: Annotated[Indices, "v"]  # the variable of each row
    nonbasic: Annotated[Indices, "v + 1"]  # and of each column
    place: Annotated[Indices, "2 * v + 1"]  # the column of each variable


class Scratch(Packed, _Scratch):
    """What a solution overwrites. Allocated once for problems of one size."""

    extents: ClassVar[dict[str, tuple[Array, tuple[str | int, ...]]]]


SCRATCH = Scratch.block = Block(Scratch)
Scratch.extents = declared(Scratch)

# Kernels, each compiled once: (problem, scratch) and what they need beside
PIVOT = i8(PROBLEM, SCRATCH)
ITERATE = i8(PROBLEM, SCRATCH, i8)
ENUMERATE = SOLVE = i8(PROBLEM, SCRATCH, i8, i8)


class Load(NamedTuple):
    """Reactions elsewhere that load a contact: its bound grows by factor * |free + response p|."""

    contact: int
    factor: float  # a coefficient, times a radius where the contact's row is an angle
    free: np.ndarray  # (k,) reactions without p; k = 1 for a signed scalar
    response: np.ndarray  # (k, N)


class Contacts(NamedTuple):
    """What contacts are, n of them: arrays (n,). `contacts` makes one with defaults."""

    normal: np.ndarray  # 1: it has a normal row
    tangents: np.ndarray  # its number of tangential rows, 0 to 3
    friction: np.ndarray  # coefficient where it slips
    static: np.ndarray  # coefficient where it sticks, not below `friction`
    fixed: np.ndarray  # bound that depends on nothing (N, N m; N s, N m s for impulses)
    restitution: np.ndarray  # of impacts

    @property
    def first(self) -> np.ndarray:
        """(n + 1,) where the rows of each contact begin."""
        return np.concatenate([[0], np.cumsum(self.normal + self.tangents)]).astype(np.int64)


def contacts(
    normal: ArrayLike = 1,
    tangents: ArrayLike = 0,
    friction: ArrayLike = 0.0,
    static: ArrayLike | None = None,
    fixed: ArrayLike = 0.0,
    restitution: ArrayLike = 0.0,
) -> Contacts:
    """Contacts of numbers or arrays (n,), which are broadcast. `static`: None is `friction`.

    Raises ValueError for what is negative or not finite, a restitution above 1, more than 3 tangential rows, a contact without rows, or a
    static coefficient below the other.
    """
    static = friction if static is None else static
    found = np.broadcast_arrays(*map(np.atleast_1d, (normal, tangents, friction, static, fixed, restitution)))
    integers = [np.array(each, np.int64) for each in found[:2]]
    made = Contacts(*integers, *(np.array(each, float) for each in found[2:]))
    for name, each, most in zip(Contacts._fields, made, (1, 3, np.inf, np.inf, np.inf, 1.0), strict=True):
        if not (np.isfinite(each) & (each >= 0) & (each <= most)).all():
            raise ValueError(f"{name} of contacts is outside of 0 to {most:g} (got {each})")
    if (made.normal + made.tangents == 0).any():
        raise ValueError("a contact has neither a normal row nor a tangential one")
    if (made.static < made.friction).any():
        raise ValueError(f"static coefficients are below those of friction (got {made.static} below {made.friction})")
    return made


def problem(
    D: np.ndarray, b: np.ndarray, of: Contacts, direction: np.ndarray | None = None, loads: Sequence[Load] = (), static: bool = False
) -> Problem:
    """The problem of D (N, N) and b (N,). `direction` (N,): unit slip in the tangential rows of contacts that slide, zero in all others.

    `static`: with the coefficients of contacts that stick. Raises ValueError for arrays of other shapes.
    """
    first, n = of.first, len(of.normal)
    rows = int(first[-1])
    direction = np.zeros(rows) if direction is None else np.array(direction, float)
    for name, each, shape in (("D", D, (rows, rows)), ("b", b, (rows,)), ("direction", direction, (rows,))):
        if np.shape(each) != shape:
            raise ValueError(f"{name} of {n} contacts has the shape {shape} (got {np.shape(each)})")
    ordered = sorted(loads, key=lambda load: load.contact)
    for load in ordered:
        if not 0 <= load.contact < n or np.shape(load.response) != (np.size(load.free), rows):
            raise ValueError(
                f"a load of contact {load.contact} has the response {np.shape(load.response)} of {np.size(load.free)} reactions"
            )
    counts = np.bincount([load.contact for load in ordered], minlength=n) if ordered else np.zeros(n, int)
    sliding = [bool(direction[first[i] + of.normal[i] : first[i + 1]].any()) for i in range(n)]
    return Problem(
        D=np.ascontiguousarray(D, float),
        b=np.array(b, float),
        first=first,
        normal=of.normal,
        sliding=np.array(sliding, np.int64),
        friction=np.where(sliding, of.friction, of.static) if static else of.friction,
        fixed=of.fixed,
        direction=direction,
        loads=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        load_rows=np.concatenate([[0], np.cumsum([np.size(load.free) for load in ordered])]).astype(np.int64),
        factor=np.array([load.factor for load in ordered], float),
        free=np.concatenate([np.zeros(0), *(np.atleast_1d(load.free) for load in ordered)]).astype(float),
        response=np.concatenate([np.zeros((0, rows)), *(load.response for load in ordered)]).astype(float),
    )


def scratch(of: Problem) -> Scratch:
    """Zeros for problems of this size, with the same contacts sliding."""
    tangents = np.where(of.sliding == 1, 0, np.diff(of.first) - of.normal)
    planar = len(of.factor) == 0 and (tangents <= 1).all()
    sizes = {"N": len(of.b), "n": len(of.normal), "g": len(of.factor), "s": len(of.free), "REPORTS": REPORTS, "KEPT": KEPT}
    sizes["v"] = int((of.normal + 3 * tangents).sum()) if planar else 0
    return Scratch(*(zeros(kind, each, sizes) for kind, each in Scratch.extents.values()))
