"""The work arrays of a method for a system: allocated once a run."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mbsim import contracts, jit
from mbsim.elements.kinds import COUPLING, INTERFACE
from mbsim.jit import Compiled
from mbsim.saddle.columns import HEADS, WIDTH
from mbsim.saddle.graph import Partition
from mbsim.singular.projection import PROJECTION, project
from mbsim.system.remembered import remembered
from mbsim.system.structure import interfaces
from mbsim.system.system import System


class Space(NamedTuple):
    """What a method's `plan(system, options)` returns: its workspace, what this needs to know beside n and m, and a table of integers."""

    workspace: jit.Workspace
    sizes: Mapping[str, int]
    table: np.ndarray  # (k, 8)
    mass: bool  # whether it wants M as a dense matrix
    rows: bool  # and C


NEVER = np.iinfo(np.int64).max  # STATUS_PAUSE of a march that does not pause
FINE = 3e-6  # of the way of a step: what the projection may correct, with steps of a given size
ROUGH = 0.1  # where the error is controlled, which is what bounds it then
MOST_ROWS = 150  # of C, up to which the orientation of the configuration is watched
NO_TABLE = np.zeros((HEADS, WIDTH), np.int64)


def dense(workspace: jit.Workspace) -> Space:
    """Of a method that has no table and reads M and C."""
    return Space(workspace, {}, NO_TABLE, True, True)


@remembered
def may_lose_rank(system: System) -> bool:
    """Whether constraint rows may become dependent.

    The plain joints and the elastic parts of a tree in absolute coordinates never do, nor do couplings of these joints, which say the same
    of their coordinates everywhere.
    """
    coupled, parts = ({system.rows[row] for kind, row in system.arrays.primitives[:, :2] if kind == of} for of in (COUPLING, INTERFACE))
    names = {joint.name for joint in system.joints} | coupled | parts
    plain = not system.drivers and all(row.partition("[")[0] in names for row in system.rows)
    if system.dimension is None or system.in_joint_coordinates or not plain:
        return system.n_rows > 0
    together, ground = Partition(), len(system.bodies)
    pairs = [(joint.first, joint.second) for joint in system.joints if joint.name not in coupled]
    pairs += [(first, second) for _, first, second in interfaces(system)]
    return not all(together.join(first % (ground + 1), second % (ground + 1)) for first, second in pairs)


def is_watched(system: System) -> bool:
    """Whether the orientation of the configuration is watched: where rows may become dependent, and are not too many."""
    return system.n_rows <= MOST_ROWS and may_lose_rank(system)


def watcher(system: System) -> Compiled:
    """The kernel that watches it; one that is not called where it is not."""
    if not is_watched(system):
        return project
    from mbsim.singular.orientation import orientation  # compiled where it is needed only

    return orientation


def work_arrays(system: System, method: Any, codes: Sequence[float], options: Mapping[str, Any]) -> contracts.Work:
    """Zeros, which the systems' kernels rely on for structural zeros; `codes` are the settings, `options` the method's among them.

    Raises TypeError for a method that has not the arrays of the projection that it uses.
    """
    n, m, n_q = system.n_v, system.n_rows, system.n_q
    plan = method.plan(system, options) if "plan" in vars(method) else dense(method.WORKSPACE)
    if "project" not in vars(method) and m and not PROJECTION.begins(plan.workspace):
        raise TypeError(f"{method.__name__}: a workspace without a `project` of its own begins with PROJECTION")
    sizes = {"n": n, "m": m, "larger": max(m, n), "n_q": n_q, "n_x": system.n_x}
    dense_sizes = {"n_mass": n if plan.mass else 0, "m_dense": m if plan.rows else 0, "n_dense": n if plan.rows else 0}
    work = contracts.zeros(
        {**sizes, **dense_sizes, **system.slips._asdict(), "n_holonomic": system.n_holonomic, "n_corners": system.n_corners}
        | {"n_events": system.n_events, "n_noted": system.n_noted},
        orientation=contracts.ORIENTATION.allocate({**sizes, "m": m if is_watched(system) else 0}),
        plan=plan.table,
        own=plan.workspace.allocate({**sizes, **plan.sizes}),
    )
    work.skyline[:], work.settings[:] = system.skyline, codes
    work.levers[:] = [system.levers.get(name, 1.0) for name in system.rows]
    for scales in (work.scales, work.state_scales, work.row_scales, work.beside, work.beside_q, work.beside_v):
        scales[:] = 1.0
    work.beside[contracts.BESIDE_TIME] = np.nan
    watch, locating, kept = work.watch, work.locating, work.kept_corners
    watch[contracts.WATCH_LANDS] = np.inf
    watch[contracts.WATCH_LIMIT] = ROUGH if "rtol" in options else FINE
    watch[[contracts.WATCH_TIME, contracts.WATCH_SPEED, contracts.WATCH_KEPT]] = np.nan
    watch[contracts.WATCH_RANK] = -1.0
    watch[[contracts.WATCH_PASSES, contracts.WATCH_RESOLVES, contracts.WATCH_LEAPS, contracts.WATCH_SURE]] = -np.inf
    watch[[contracts.WATCH_PROBED, contracts.WATCH_MEETS]] = -np.inf
    work.event[contracts.EVENT_TARGET], work.events[:, contracts.EVENT_ACTIVE] = -np.inf, 1.0
    work.status[contracts.STATUS_PAUSE] = NEVER
    work.slipping[:, contracts.SLIP_PLACE] = -1.0
    kept[:, [contracts.KEPT_PASSED, contracts.KEPT_RESTS]] = -np.inf
    kept[:, contracts.KEPT_FIRST] = np.nan
    locating[[contracts.LOCATE_TIME, contracts.LOCATE_TARGET, contracts.LOCATE_BEYOND]] = np.nan, -np.inf, -np.inf
    locating[contracts.LOCATE_WIDER] = 1.0
    return work
