"""`Work`: what a method overwrites. The extents stand behind the types, declared once; `zeros` makes arrays of them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from mbsim.contracts import crossings, settings, slipping, status, watching
from mbsim.contracts.orientation import ORIENTATION
from mbsim.jit import extents
from mbsim.jit.signatures import Array, Block, Indices, Matrix, Packed, Table, Vector
from mbsim.jit.workspaces import Workspace


class _Work(NamedTuple):
    M: Annotated[Matrix, "n_mass", "n_mass"]  # mass matrix; structural zeros are written once, at allocation
    h: Annotated[Vector, "n"]  # applied and gyroscopic forces
    C: Annotated[Matrix, "m_dense", "n_dense"]  # velocity constraint matrix; structural zeros as in M
    xi: Annotated[Vector, "m"]  # C v + xi = 0
    eta: Annotated[Vector, "m"]  # C v_dot + eta = 0
    phi: Annotated[Vector, "n_holonomic"]  # position residual
    v: Annotated[Vector, "n"]  # velocity
    a: Annotated[Vector, "n"]  # v_dot
    lam: Annotated[Vector, "m"]  # multipliers, C' lam is the generalised reaction
    power: Annotated[Vector, 1]  # W, of non-conservative forces
    skyline: Annotated[Indices, "n"]  # first column of each row of M that can be other than zero
    length: Annotated[Vector, 1]  # of a link, m (`march.lengths`); 0 until it is known
    scales: Annotated[Vector, "n"]  # v over these are turns, slides in four links; ones until the length is known, like the next two
    rate: Annotated[Vector, 1]  # of the motion at its start, 1/s, at most 1 (`march.lengths`); 0 until it is known
    state_scales: Annotated[Vector, "n + n_q + 1"]  # of z: links or rad, speeds times the rate, and the energy of a body of that speed
    row_scales: Annotated[Vector, "m"]  # of rows: phi and C v + xi over these are in rad or links
    levers: Annotated[Vector, "m"]  # what multipliers are divided by where dependent rows share a load: `System.levers`, m; else 1
    dense: Annotated[Indices, "larger"]  # zeros: the skyline of a full matrix
    displacement: Annotated[Vector, "n"]  # scratch of who moves coordinates
    rows: Annotated[Indices, "m"]  # of C, those first that count until the next accepted state (`mbsim.singular.rows`)
    status: Annotated[Indices, "status.STATUSES"]
    counts: Annotated[Indices, "status.COUNTS"]
    settings: Annotated[Vector, "settings.SETTINGS"]
    event: Annotated[Vector, "crossings.EVENT_RATES + n_q"]  # of the events: times, and scratch
    events: Annotated[Matrix, "n_events", "crossings.EVENTS"]  # of the run, the stop expression among them
    notes: Annotated[Matrix, "crossings.NOTES * n_noted", "crossings.NOTE_ROW + n_q + 2 * n + m + 1"]  # of events that act on nothing
    corners: Annotated[Matrix, "n_corners", "crossings.CORNER"]  # numbers that change a law where they pass a bound, after the last trial
    kept_corners: Annotated[Matrix, "n_corners", "crossings.KEPT"]  # what is kept of them between steps
    locating: Annotated[Vector, "crossings.LOCATES"]  # of the search for a passage
    slipping: Annotated[Matrix, "n_slipping", "slipping.SLIPPING"]  # frictions that reactions load
    groups: Annotated[Matrix, "n_groups", "slipping.GROUP"]  # of reactions that load them
    components: Annotated[Matrix, "n_components", "m"]  # weights of multipliers: what the groups are made of
    slip_effort: Annotated[Vector, "n_slipping"]  # bounds of what slips at the last evaluation, N or N m
    slip_free: Annotated[Vector, "n_components"]  # without the efforts of frictions that slip
    slip_response: Annotated[Matrix, "n_components", "n_slipping"]  # to unit efforts of these
    slip_known: Annotated[Vector, "n_slipping"]  # SLIP_FACTOR of those whose responses are of an evaluation before; 0: not known
    slip_matrix: Annotated[Matrix, "n_slipping", "n_slipping + 1"]  # scratch
    slip_row: Annotated[Vector, "n_q + 2 * n + m + 1"]  # scratch of the length of an output row
    row: Annotated[Vector, "n_q + 2 * n + m + 1"]  # scratch of the length of an output row, for the integrators
    beside: Annotated[Vector, "watching.BESIDES"]  # of a state beside a singular position
    beside_q: Annotated[Vector, "n_q"]  # its coordinates
    beside_v: Annotated[Vector, "n"]  # and velocity
    watch: Annotated[Vector, "watching.WATCHES"]  # of how closely a step was followed, and of the orientation
    orientation: Annotated[Any, ORIENTATION]
    plan: Table  # (k, 8) what a method with a `plan` works out from the system before the run; (1, 8) zeros for the others
    own: Annotated[Any, Workspace("own")]  # the last: the arrays that the method declares (WORKSPACE), read as WORKSPACE(work)


class Work(Packed, _Work):
    """What a method overwrites. Allocated once a run; there is no allocation in the step loop.

    `n` speeds, `m` rows of C, `n_mass` = n where the method wants a dense M, else 0; `m_dense`, `n_dense` likewise of C. The columns of
    `status`, `watch` and the like are named in the module that their width is taken from.
    """


WORK = Work.block = Block(Work)
Workspace.stand_in(WORK, "own")
_EXTENTS: dict[str, tuple[Array, tuple[str | int, ...]]] = {
    name: (kind, each) for name, (kind, each) in extents.declared(Work).items() if each
}
_WIDTHS: dict[str, Any] = {
    "crossings": crossings,
    "settings": settings,
    "slipping": slipping,
    "status": status,
    "watching": watching,
}


def zeros(sizes: Mapping[str, int], orientation: object, plan: np.ndarray, own: object) -> Work:
    """Zeros, on which the kernels of systems rely for structural zeros, beside what is given. Raises NameError for a size not given."""
    arrays = {name: np.zeros(*found) for name, found in _found(tuple(sizes.items())).items()}
    return Work(**arrays, orientation=orientation, plan=plan, own=own)


@lru_cache(64)
def _found(sizes: tuple[tuple[str, int], ...]) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    """The extents and the type of each array for these sizes; a run allocates the same ones several times."""
    known = _WIDTHS | dict(sizes)
    return {name: (tuple(extents.value(extent, known) for extent in each), np.dtype(kind.dtype)) for name, (kind, each) in _EXTENTS.items()}
