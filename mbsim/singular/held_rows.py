"""Which rows of C count where rows depend on each other. They are picked at accepted states and held over the step that follows.

A stage of a step is off the constraints by O(h^2), where rows that depend on each other on the constraints contradict each other by as
much. Rows that were picked anew at each stage would let the rates jump between stages, and a method of order p would be of order 2. Any
choice that lasts for the step gives smooth equations with the same motion, and the order stays. The factors are still found by pivoting,
but among the rows held.

Position rows come first where there are velocity rows, too, and rows of both depend on each other. From phi = 0 over time follows that the
velocity row holds. From the velocity row only follows that phi stays what it is, and a step does not leave it at zero. So velocity rows
that depend on position rows are left out, never the other way round.

docs/methods/redundant_rows.md.
"""

from mbsim.contracts import BESIDE_HELD, BESIDE_LAST, OK, STATUS_HELD
from mbsim.jit import helper
from mbsim.kernels.linalg import copy

POOR = 1e-2  # of the weakest pivot when the rows were picked: below it others are picked, even within a step
WORN = 0.3  # and below it after a step, where nothing but a poor choice asks for others

# what `choose_rows` factors in turn: the rows held; all; where there are velocity rows, too, positions, the others, all by their pivots
HOLD, PICK, POSITIONS, OTHERS, IN_ORDER = 0, 1, 2, 3, 4


@helper
def choose_rows(arrays, work, own, v, limit, first, factorise):
    """Factor the rows that count at a state; returns the rank, the weakest pivot (1.0 where there is none) and OK, or why it failed.

    `limit` is the rank to use; -1 at an accepted state, to find it and to pick rows. `factorise` as `_augmented.factored_mass`; `first`:
    the index of row 0 of what STATUS_INDEX blames. There is one call of it: where all rows count it is compiled into the step.
    """
    m, positions, held, rank = work.C.shape[0], work.phi.shape[0], work.status[STATUS_HELD], 0
    rows, most, kept, turn = m, limit, 0, PICK
    if 0 <= limit < m and held == limit:
        kept, turn = limit, HOLD
    while True:
        found, weakest, code = factorise(arrays, work, own, v, rows, most, kept, first)
        if code != OK:
            return found, weakest, code
        if turn == PICK:
            rank = found
            if rank == m:
                break
            if not 0 < positions < m:
                copy(own.order, work.rows, 0)
                break
            rows, most, turn = positions, -1 if limit < 0 else held_first(work, positions, own.order, abs(held)), POSITIONS
        elif turn == HOLD:
            work.beside[BESIDE_LAST] = weakest
            if found == limit and weakest >= POOR * work.beside[BESIDE_HELD]:
                return found, weakest, code
            kept, turn = 0, PICK
        elif turn == POSITIONS:
            copy(own.order[:positions], work.rows, 0)
            for i in range(positions, m):
                work.rows[i] = i
            rows, most, kept, turn = m, rank, found, OTHERS
        elif turn == OTHERS:
            copy(own.order, work.rows, 0)
            most, kept, turn = found, found, IN_ORDER
        else:
            rank = found
            break
    work.status[STATUS_HELD], work.beside[BESIDE_HELD], work.beside[BESIDE_LAST] = rank, weakest, weakest
    return rank, weakest, OK


@helper
def held_first(work, rows, order, held):
    """order (m,) <- the first `rows` rows of C, those first that are among the first `held` of Work.rows; returns how many these are."""
    count, at = 0, 0
    for j in range(work.rows.shape[0]):
        if work.rows[j] < rows:
            order[at] = work.rows[j]
            at += 1
            count += 1 if j < held else 0
    return count


@helper
def held_positions(work, rows, order):
    """Do as `held_first` with all rows that are held; return 0 where all rows count or none was picked."""
    held = work.status[STATUS_HELD]
    return held_first(work, rows, order, held) if 0 < held < work.rows.shape[0] else 0


@helper
def drop_worn(work):
    """Let the next evaluation pick rows anew, of the known rank, where the rows held have become poor."""
    if work.beside[BESIDE_LAST] < WORN * work.beside[BESIDE_HELD]:
        work.status[STATUS_HELD] = -abs(work.status[STATUS_HELD])
