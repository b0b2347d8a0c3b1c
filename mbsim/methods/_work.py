"""The work arrays of a method for a system: allocated once a run."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mbsim import jit
from mbsim.elements.kinds import COUPLING
from mbsim.methods._project import PROJECTION, project
from mbsim.system.remembered import remembered
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
NO_TABLE = np.zeros((1, 8), np.int64)


def dense(workspace: jit.Workspace) -> Space:
    """Of a method that has no table and reads M and C."""
    return Space(workspace, {}, NO_TABLE, True, True)


@remembered
def may_lose_rank(system: System) -> bool:
    """Whether constraint rows may become dependent.

    The plain joints of a tree in absolute coordinates never do, nor do couplings of these, which say the same of the joints' coordinates
    everywhere.
    """
    coupled = {system.rows[row] for kind, row in system.arrays.primitives[:, :2] if kind == COUPLING}
    names = {joint.name for joint in system.joints} | coupled
    joints = sum(joint.name not in coupled for joint in system.joints)
    tree = system.dimension is not None and not system.in_joint_coordinates and joints <= len(system.bodies)
    plain = not system.drivers and all(row.partition("[")[0] in names for row in system.rows)
    return system.n_rows > 0 and not (tree and plain)


def watched(system: System) -> bool:
    """Whether the orientation of the configuration is watched: where rows may become dependent, and are not too many."""
    return system.n_rows <= MOST_ROWS and may_lose_rank(system)


def watcher(system: System) -> Any:
    """The kernel that watches it; one that is not called where it is not."""
    if not watched(system):
        return project
    from mbsim.methods._branch import orientation  # compiled where it is needed only

    return orientation


def work_arrays(system: System, method: Any, codes: Sequence[float], options: Mapping[str, Any]) -> jit.Work:
    """Zeros, which the systems' kernels rely on for structural zeros; `codes` are the settings, `options` the method's among them.

    Raises TypeError for a method that has not the arrays of the projection that it uses.
    """
    n, m, n_q = system.n_v, system.n_rows, system.n_q
    plan = method.plan(system, options) if "plan" in vars(method) else dense(method.WORKSPACE)
    if "project" not in vars(method) and m and not PROJECTION.begins(plan.workspace):
        raise TypeError(f"{method.__name__}: a workspace without a `project` of its own begins with PROJECTION")
    sizes = {"n": n, "m": m, "larger": max(m, n), "n_q": n_q, "n_x": system.n_x}
    beside, watch = np.ones(jit.BESIDE), np.zeros(jit.WATCHES)
    beside[jit.BESIDE_TIME] = np.nan
    watch[jit.WATCH_LANDS] = np.inf
    watch[jit.WATCH_LIMIT] = ROUGH if "rtol" in options else FINE
    watch[[jit.WATCH_TIME, jit.WATCH_SPEED, jit.WATCH_RANK]] = np.nan, np.nan, -1.0
    watch[[jit.WATCH_PASSES, jit.WATCH_RESOLVES, jit.WATCH_LEAPS, jit.WATCH_SURE, jit.WATCH_PROBED, jit.WATCH_MEETS]] = -np.inf
    status = np.zeros(jit.STATUSES, np.int64)
    status[jit.STATUS_PAUSE] = NEVER
    kept, locating = np.zeros((system.n_corners, jit.KEPT)), np.zeros(jit.LOCATES)
    kept[:, [jit.KEPT_PASSED, jit.KEPT_RESTS]] = -np.inf
    kept[:, jit.KEPT_FIRST] = np.nan
    locating[[jit.LOCATE_TIME, jit.LOCATE_TARGET, jit.LOCATE_BEYOND, jit.LOCATE_WIDER]] = np.nan, -np.inf, -np.inf, 1.0
    return jit.Work(
        M=np.zeros((n, n) if plan.mass else (0, 0)), h=np.zeros(n), C=np.zeros((m, n) if plan.rows else (0, 0)),
        xi=np.zeros(m), eta=np.zeros(m), phi=np.zeros(system.n_holonomic),
        v=np.zeros(n), a=np.zeros(n), lam=np.zeros(m), power=np.zeros(1),
        skyline=system.skyline.copy(), length=np.zeros(1), scales=np.ones(n), state_scales=np.ones(n + n_q + 1), row_scales=np.ones(m),
        dense=np.zeros(max(m, n), np.int64), displacement=np.zeros(n),
        rows=np.zeros(m, np.int64), status=status, counts=np.zeros(len(jit.COUNT_NAMES), np.int64), settings=np.array(codes),
        event=np.zeros(jit.EVENT_RATES + n_q),
        corners=np.zeros((system.n_corners, jit.CORNER)), kept_corners=kept, locating=locating,
        row=np.zeros(n_q + 2 * n + m + 1), beside=beside, beside_q=np.ones(n_q), beside_v=np.ones(n),
        watch=watch, orientation=jit.ORIENTATION.allocate({**sizes, "m": m if watched(system) else 0}),
        plan=plan.table, own=plan.workspace.allocate({**sizes, **plan.sizes}),
    )  # fmt: skip
