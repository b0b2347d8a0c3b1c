"""What a method holds near a singular position: the rank of the last accepted state, and a state beside the position.

The methods that factor all rows (`methods/_augmented.py`) hold it so; eliminations by blocks do it in `passing`, null-space bases in
`decomposition`. docs/methods/singular_positions.md.
"""

import numpy as np

from mbsim.contracts import BESIDE_ACCEPTED, BESIDE_TIME, OK, SETTING_CONTROLLED, SETTING_STEP, STATUS_FRESH, STATUS_NEAR, STATUS_RANK
from mbsim.jit import helper
from mbsim.kernels.gauss import damping
from mbsim.kernels.linalg import copy
from mbsim.kernels.ranks import NEAR

LATER = 0.2  # of a step: how much later than a singular position the state beside it is
CLOSE, LOWER = 1, 2  # of STATUS_NEAR, else 0: near one; the rank was lower at the last accepted state, for the first time


@helper
def hold_rank(rank, fresh, weakest, work):
    """Remember the rank found at an accepted state, or not, and how near a singular position is.

    A rank that is lower for one accepted state is that of a singular position on the way: the rows count again from the next
    evaluation on. Only when the next accepted state shows it too is it the rank from there on. Returns the damping of weak directions.
    """
    status, beside = work.status, work.beside
    size = 0.0
    if work.settings[SETTING_CONTROLLED] == 0.0:  # else steps would shrink for ever, as the damping depends on them
        size = damping(weakest, beside[BESIDE_ACCEPTED])
    if fresh:
        beside[BESIDE_ACCEPTED] = weakest if rank >= status[STATUS_RANK] else 0.0
        if rank >= status[STATUS_RANK] or status[STATUS_NEAR] == LOWER:
            status[STATUS_RANK] = rank
            status[STATUS_NEAR] = CLOSE if weakest < NEAR else 0
        else:
            status[STATUS_NEAR] = LOWER
    elif status[STATUS_NEAR] != LOWER:
        status[STATUS_NEAR] = CLOSE if weakest < NEAR else 0
    status[STATUS_FRESH] = 0
    return size


@helper
def step_beside(project, system, arrays, work, t, q, v):
    """Put into Work.beside a state on the constraints a little later on the motion than (t, q, v), or NaN.

    At a singular position itself the equations leave accelerations and multipliers open that are determined on either side of it: there
    they are evaluated beside it instead.
    """
    q_beside, v_beside, d, near = work.beside_q, work.beside_v, work.displacement, work.status[STATUS_NEAR]
    dt = LATER * work.settings[SETTING_STEP]
    copy(q, q_beside, 0)
    copy(v, v_beside, 0)
    for j in range(v.shape[0]):
        d[j] = dt * v[j]
    system.move(arrays, q_beside, d)
    work.status[STATUS_NEAR] = 1
    code = project(system, arrays, work, t + dt, q_beside, v_beside)
    work.beside[BESIDE_TIME] = t + dt if code == OK else np.nan
    work.status[STATUS_NEAR] = near
