"""Ways downhill from a configuration that is not in balance: the mechanism creeps, or runs against damping.

Creeping, it moves against artificial damping alone, M d / tau = -r, in steps whose tau grows as the forces balance, so that the last steps
are Newton's (pseudo-transient continuation, Kelley & Keyes 1998). In a damped run it has its inertia and the dampers of the model too,

    M (v_1 - v_0) / h + (c M + D) v_1 + K d + r = 0,   d = h v_1

by linearly implicit steps, which lose energy by themselves the longer they are. A step that did not go downhill is shortened: so it is
where a contact begins, an end stop or a gap ends. Forces that turn with their body have no potential, so downhill is told by their work.

What falls or is turned by forces that stay as they are comes to no rest. Where it slides, steps get longer until it has gone FAR, in case
there is something to fall onto; where it has turned once and is where it was, nothing else can come.
"""

from collections import deque
from collections.abc import Callable

import numpy as np

from mbsim.diagnosis.unbalanced import Problem, State
from mbsim.system.system import Floats

CREEPS = 1000  # steps of the relaxation
FAR = 100.0  # rad and sizes of the mechanism: what goes farther comes to no rest
STILL = 1e-9  # likewise: a shorter step is none
STRIDE = 0.2  # rad and, of the size of the mechanism, m: longest step
SHORTER = 60  # times that a step is made shorter
RUNS = 3000  # steps of a damped run
MENDED, BENT = 4, 0.5  # times that a step is solved again with what it left; and the part of it that may change
GROWN = 1.5  # times the forces before a step: more are what the step left
UNDONE = 1e-3  # of a step: where no more than so much is left of it on the constraints, round-off made it
UNCHANGED = 1e-9  # of the forces: such a change over a step is none
FALLS, TURNS = 8, 64  # steps over which forces stay as they are: from then on steps of a fall get longer; what turns may have turned once
TURN, BACK = 7.0, 0.2  # rad: more than a turn; of the way of what slides along: what is nearer is where it was


def crept(problem: Problem, at: State, stop: Callable[[State], bool] | None = None) -> tuple[State | None, int]:
    """Where the mechanism creeps to, or None; and the number of steps. It ends at the first state at which `stop` says so."""
    rate, scale = 0.0, max(problem.length(problem.w * at.r) / STRIDE, 1e-300)  # 1/s^2: the forces alone make a stride with it
    way, stride, alike = 0.0, STRIDE, deque[Floats](maxlen=TURNS)
    if not problem.usable(at):
        return None, 0
    for k in range(CREEPS):
        below = problem.downhill(at)
        rate = max(rate, 1.5 * below)
        for _ in range(SHORTER):
            d, dx = problem.step(at, rate)
            far = problem.length(d)
            if far <= stride and (far > STILL or problem.balanced(at) or dx.any()):  # without stiffness a step leads nowhere, or far
                trial = problem.moved(at, d, dx)
                undone = float(np.abs(trial.q - at.q).max(initial=0.0)) < UNDONE * float(np.abs(d).max(initial=0.0)) and not dx.any()
                if problem.usable(trial) and (problem.balanced(at) or not undone):
                    low = _lower(at, trial, d, problem.w)
                    if not dx.any() and (not low or _residual(trial) > GROWN * _residual(at)):
                        mended = _mended(problem, at, trial, d, rate)
                        if mended is not None:
                            trial, d, low = *mended, True
                            far = problem.length(d)
                    if low:
                        break
            rate = 4.0 * rate or scale
        else:
            return None, k
        done = problem.balanced(trial) and far <= 1e-7
        if _as_strong(at, trial):
            alike.append(d)
        else:
            alike.clear()
            stride = STRIDE
        at, way = trial, way + far
        if stop is not None and stop(at):
            return at, k
        if way > FAR or _has_turned(problem, alike):
            problem.endless = len(alike) >= FALLS
            return None, k
        if stop is None and len(alike) >= FALLS and problem.slides(d):
            stride *= 2.0
        if done:
            return _finish(problem, at), k
        if rate < 1e-9 * problem.stiffest:
            rate, scale = 0.0, rate or scale  # where that is too little, what was enough is tried next
        else:
            rate *= 0.25
    return None, CREEPS


def _mended(problem: Problem, at: State, trial: State, d: Floats, rate: float) -> tuple[State, Floats] | None:
    """Where a step d (n,) that went uphill leads when its equation is solved with what is stiff as it is there; and the displacement.

    A thin rod that bends stretches by the square of the step, which the tangents at its start do not know. Its equation is that of the
    step with what it left: M d rate + r = 0. None where that is no small change of the step, or leads uphill as well.
    """
    M, whole = problem.tangents(at).M, d
    for _ in range(MENDED):
        more, dx = problem.step(trial, rate, push=-rate * problem.w * (M @ whole))
        if dx.any() or problem.length(whole + more - d) > BENT * problem.length(d):
            return None
        whole, trial = whole + more, problem.moved(trial, more, dx)
        if not problem.usable(trial):
            return None
        if _residual(trial) <= GROWN * _residual(at):
            break
    return (trial, whole) if _lower(at, trial, whole, problem.w) else None


def _residual(at: State) -> float:
    return float(np.abs(at.r).max(initial=0.0))


def _as_strong(at: State, trial: State) -> bool:
    """Whether the forces left are as strong after a step as before, and are some."""
    before, after = (float(np.linalg.norm(state.r)) for state in (at, trial))
    return 0.0 < before < np.inf and abs(after - before) <= UNCHANGED * before


def _has_turned(problem: Problem, alike: deque[Floats]) -> bool:
    """Whether the last steps (n,), over which forces stayed as strong, turned something once and led nowhere else."""
    way, there = 0.0, np.zeros(len(problem.w))
    slid = 0.0
    for d in reversed(alike):
        if problem.slides(d):
            return False
        way, there = way + problem.length(d), there + d
        slid += float(np.abs(d[problem.sliding]).max(initial=0.0))
        if way >= TURN:
            return float(np.abs(there[problem.sliding]).max(initial=0.0)) <= BACK * slid
    return False


def _finish(problem: Problem, at: State) -> State:
    """A few plain steps of Newton's method, as long as they make the residual smaller."""
    for _ in range(5):
        trial = problem.moved(at, *problem.step(at))
        if not trial.size < at.size or problem.length(trial.r - at.r) > 1.0:
            break
        at = trial
    return at


def _lower(at: State, trial: State, d: Floats, w: Floats) -> bool:
    """Whether a step d (n,) went downhill: less force is left, or the forces that are left did work along it.

    Work is by the trapezoidal rule, because a force that turns with its body has no potential.
    """
    if float(np.abs(trial.r).max(initial=0.0)) <= float(np.abs(at.r).max(initial=0.0)):
        return True
    return float((at.r + trial.r) @ (d / w)) < 0.0


def run_down(problem: Problem, at: State) -> tuple[State | None, int]:
    """Where a damped run from rest comes to rest, or None; and the number of steps."""
    w = problem.w
    pull = problem.length(w * at.r)
    if pull == 0.0 or not problem.usable(at):
        return None, 0
    drag = np.sqrt(pull / STRIDE)  # 1/s: about one time constant in a stride
    h, v, way = 0.25 / drag, np.zeros(len(w)), 0.0
    for k in range(RUNS):
        M = problem.tangents(at).M
        for _ in range(SHORTER):
            d, dx = problem.step(at, (1.0 / h + drag) / h, 1.0 / h, w * (M @ v) / h)
            if problem.length(d) <= STRIDE:
                trial = problem.moved(at, d, dx)
                gained = 0.5 * (d @ M @ d) / h**2 - 0.5 * (v @ M @ v)
                work = -0.5 * (at.r + trial.r) @ (d / w)
                if problem.usable(trial) and (gained <= work + STILL * abs(v @ M @ v) or trial.size <= at.size):
                    break
            h *= 0.25
        else:
            return None, k
        far = problem.length(d)
        at, v, way = trial, d / h, way + far
        if problem.balanced(at) and far <= 1e-7:
            return _finish(problem, at), k
        if way > FAR:
            return None, k
        h *= 2.0
    return None, RUNS
