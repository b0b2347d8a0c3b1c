"""The work arrays of a method for a system: allocated once a run."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mbsim.jit import EVENT_RATES, WATCH_LEAPS, WATCH_LIMIT, WATCH_PASSES, WATCH_RANK, WATCH_RESOLVES, WATCH_SURE, WATCH_TIME, WATCHES, Work
from mbsim.methods._project import project
from mbsim.system.system import System


class Space(NamedTuple):
    """What a method's `plan(system, options)` returns: as `space(n, m)`, its table, and whether it wants M and C as dense matrices."""

    matrices: Sequence[tuple[int, int]]
    vectors: Sequence[int]
    indices: Sequence[int]
    table: np.ndarray  # (k, 8) integers
    mass: bool
    rows: bool


NEVER = np.iinfo(np.int64).max  # STATUS_PAUSE of a march that does not pause
FINE = 3e-6  # of the way of a step: what the projection may correct, with steps of a given size
ROUGH = 0.1  # where the error is controlled, which is what bounds it then
MOST_ROWS = 150  # of C, up to which the orientation of the configuration is watched
NO_TABLE = np.zeros((1, 8), np.int64)


def dense(space: tuple[Sequence[tuple[int, int]], Sequence[int], Sequence[int]]) -> Space:
    """What `space(n, m)` returned, for a method that has no table and reads M and C."""
    matrices, vectors, indices = space
    return Space(matrices, vectors, indices, NO_TABLE, True, True)


def nowhere(system: System) -> np.ndarray:
    """`Work.beside` away from singular positions."""
    beside = np.ones(2 + system.n_q + system.n_v)
    beside[0] = np.nan
    return beside


def watched(system: System) -> bool:
    """Whether the orientation is watched: not where the constraints are the plain joints of a tree, which never become dependent."""
    tree = system.dimension is not None and not system.in_joint_coordinates and len(system.joints) <= len(system.bodies)
    plain = not system.drivers and not any(row.partition("[")[0] not in {joint.name for joint in system.joints} for row in system.rows)
    return 0 < system.n_rows <= MOST_ROWS and not (tree and plain)


def watcher(system: System) -> Any:
    """The kernel that watches it; one that is not called where it is not."""
    if not watched(system):
        return project
    from mbsim.methods._branch import orientation  # compiled where it is needed only

    return orientation


def work_arrays(system: System, method: Any, codes: Sequence[float], options: Mapping[str, Any]) -> Work:
    """Zeros, which the systems' kernels rely on for structural zeros; `codes` are the settings, `options` the method's among them."""
    n, m = system.n_v, system.n_rows
    if "plan" in vars(method):
        space = method.plan(system, options)
    else:
        space = dense(method.space(n, m))
    k = m if watched(system) else 0
    watch = np.zeros(WATCHES + n + system.n_q + k)
    watch[WATCH_LIMIT] = ROUGH if "rtol" in options else FINE
    watch[[WATCH_TIME, WATCH_RANK]] = np.nan, -1.0
    watch[[WATCH_PASSES, WATCH_RESOLVES, WATCH_LEAPS, WATCH_SURE]] = -np.inf
    return Work(
        M=np.zeros((n, n) if space.mass else (0, 0)), h=np.zeros(n), C=np.zeros((m, n) if space.rows else (0, 0)),
        xi=np.zeros(m), eta=np.zeros(m), phi=np.zeros(system.n_holonomic),
        v=np.zeros(n), a=np.zeros(n), lam=np.zeros(m), power=np.zeros(1),
        skyline=system.skyline.copy(), dense=np.zeros(max(m, n), np.int64),
        matrices=tuple(np.zeros(shape) for shape in (*space.matrices, *[(0, 0)] * (7 - len(space.matrices)))),
        vectors=tuple(np.zeros(size) for size in (*space.vectors, *[0] * (6 - len(space.vectors)))),
        indices=tuple(np.zeros(size, np.int64) for size in (*space.indices, *[0] * (2 - len(space.indices)))),
        status=np.array([0, 0, 0, 0, 0, 0, NEVER]), counts=np.zeros(8, np.int64), settings=np.array(codes),
        event=np.zeros(EVENT_RATES + system.n_q), row=np.zeros(system.n_q + 2 * n + m + 1), beside=nowhere(system),
        watch=watch, normals=tuple(np.zeros((k, n if i < 4 else k)) for i in range(5)), picked=np.zeros((2, k), np.int64), plan=space.table,
    )  # fmt: skip
