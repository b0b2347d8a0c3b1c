"""Planar bodies with contacts and dry friction: what holds, sticks, slips and opens, by a search over all modes, and the motion between.

Rows of joints, of what is closed and of what sticks are solved with the accelerations. At each change every combination of open, sticking
and slipping is tried: those that obey the laws must agree in the accelerations, else the oracle does not judge. Impacts are searched
likewise, by Newton's law on velocities. SciPy's DOP853 marches between.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from planar_bodies import Mechanism
from random_stops import Unsure, Watch
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

LEAST = 1e-8  # of what decides between two laws, N, m/s2 or m/s: below it the oracle does not judge
AHEAD = 1e-5  # s: how far along the old laws it is looked what comes after them
TOUCHES, NEAR = 3e-10, 3e-8  # m: what touches; what is between both is not judged
RESTS, SLOW = 1e-8, 1e-6  # m/s or rad/s, likewise
MOST = 4000  # combinations that are tried
HUGE = 1e5  # N: a normal force near Painleve's paradox
OPEN = 9  # a mode; 0 holds (and sticks), 1 and -1 slip
EVENTS = 60  # changes that are followed


class Held(NamedTuple):
    """A solution for given modes."""

    a: np.ndarray  # (n,) accelerations, or velocities after an impact
    forces: np.ndarray  # of what is closed
    margin: float  # the least of what must not be below zero


class Parts(NamedTuple):
    """What `hold` needs of a state."""

    rows: tuple[np.ndarray, np.ndarray, np.ndarray]
    momentum: np.ndarray  # force, or momentum before an impact (n_v,)
    wanted: tuple[np.ndarray, np.ndarray, np.ndarray]  # what each row must become where it holds; NaN: nothing is asked of it
    mu: np.ndarray  # coefficients (n_r,)
    fixed: np.ndarray  # friction that nothing loads (n_r,)
    begins: tuple[bool, ...]  # whether a slip would only begin, so that its direction must be that of the solution


def hold(m: Mechanism, parts: Parts, modes: tuple[int, ...]) -> Held | None:
    """The solution for modes; None where there is none."""
    (C, N, T), mu = parts.rows, parts.mu
    closed = [i for i, rub in enumerate(m.rubs) if rub.joint < 0 and modes[i] != OPEN]
    sticks = [i for i, rub in enumerate(m.rubs) if modes[i] == 0 and (rub.joint >= 0 or mu[i] > 0.0)]
    slips = [i for i, rub in enumerate(m.rubs) if rub.joint >= 0 and modes[i] in (1, -1)]
    loads = {i: m.reactions(rub) if mu[i] > 0.0 else () for i, rub in enumerate(m.rubs) if rub.joint >= 0}
    H = np.concatenate([C, N[closed], T[sticks]])
    G = H.copy()
    for k, i in enumerate(closed):
        G[len(C) + k] -= modes[i] * mu[i] * T[i]
    wanted = np.concatenate([parts.wanted[0], parts.wanted[1][closed], parts.wanted[2][sticks]])
    push = np.array([-modes[i] * T[i] for i in slips]).reshape(len(slips), m.n)
    S, right = (H * m.inverse) @ G.T, np.column_stack([wanted - H @ (m.inverse * parts.momentum), -(H * m.inverse) @ push.T])
    left, sizes, other = np.linalg.svd(S)
    rank = int((sizes > 1e-9 * sizes.max(initial=1e-300)).sum())
    found, null = other[:rank].T @ ((left[:, :rank].T @ right) / sizes[:rank, None]), other[rank:].T
    if np.abs(S @ found - right).max(initial=0.0) > 1e-7 * max(1.0, np.abs(right).max(initial=0.0)):
        return None
    if null.size and any(np.abs(W @ null[: len(C)]).max() > 1e-9 for groups in loads.values() for _, W in groups):
        raise Unsure

    def bound(i: int, lam: np.ndarray) -> float:
        return float(parts.fixed[i] + mu[i] * sum(factor * np.linalg.norm(W @ lam[: len(C)]) for factor, W in loads[i]))

    efforts = np.zeros(len(slips))
    for _ in range(200):
        lam = found[:, 0] + found[:, 1:] @ efforts
        before, efforts = efforts, np.array([bound(i, lam) for i in slips])
        if np.abs(before - efforts).max(initial=0.0) <= 1e-13 * max(1.0, np.abs(efforts).max(initial=0.0)):
            break
    else:
        raise Unsure
    lam = found[:, 0] + found[:, 1:] @ efforts
    if not np.abs(lam).max(initial=0.0) < 1e12:  # a friction that loads itself
        raise Unsure
    unit, normal = np.eye(len(lam)), {i: len(C) + k for k, i in enumerate(closed)}
    tests = [(unit[k], 0.0) for k in normal.values()]  # weights of lam and what they need beside, not to be below zero
    for k, i in enumerate(sticks):
        most, more = (mu[i] * unit[normal[i]], 0.0) if i in normal else (np.zeros(len(lam)), bound(i, lam))
        tests += [(most - sign * unit[len(C) + len(closed) + k], more) for sign in (1.0, -1.0)]
    W, beside = np.array([w for w, _ in tests]).reshape(len(tests), len(lam)), np.array([b for _, b in tests])
    margin = float((W @ lam + beside).min(initial=1.0))
    if null.size and len(tests):  # forces that are not unique: any that are allowed
        rows, free = np.column_stack([-W @ null, np.ones(len(W))]), [(None, None)] * null.shape[1]
        share = linprog([*np.zeros(null.shape[1]), -1.0], rows, W @ lam + beside, bounds=[*free, (None, 1.0)])
        if share.x is None:
            raise Unsure
        margin, lam = float(share.x[-1]), lam + null @ share.x[:-1]
    a = m.inverse * (parts.momentum + G.T @ lam + push.T @ efforts)
    for i in range(len(m.rubs)):
        if modes[i] in (1, -1) and parts.begins[i]:
            margin = min(margin, float(modes[i] * (T[i] @ a - parts.wanted[2][i])))
        if modes[i] == OPEN and not np.isnan(parts.wanted[1][i]):
            margin = min(margin, float(N[i] @ a - parts.wanted[1][i]))
    return Held(a, np.array([lam[k] for k in normal.values()]), margin)


def parts_of(m: Mechanism, t: float, q: np.ndarray, v: np.ndarray, closed: set[int], resting: set[int], broken: set[int]) -> Parts:
    """The problem on accelerations. What is at rest and not broken has its static bound, also where it begins to slip."""
    bias, rests = m.biases(q, v), tuple(i in resting for i in range(len(m.rubs)))
    normal = np.array([-x if i in closed else np.nan for i, x in enumerate(bias[1])])
    static = [rest and i not in broken for i, rest in enumerate(rests)]
    mu = np.array([rub.static if holds else rub.friction for rub, holds in zip(m.rubs, static, strict=True)])
    fixed = np.array([rub.fixed_static if holds else rub.fixed for rub, holds in zip(m.rubs, static, strict=True)])
    rows = m.rows(q)
    return Parts((rows[0].real, rows[1].real, rows[2].real), m.loads(t, q), (-bias[0], normal, -bias[2]), mu, fixed, rests)


def search(m: Mechanism, parts: Parts, choices: list[list[int]]) -> list[tuple[tuple[int, ...], Held]]:
    """All combinations that obey the laws."""
    if np.prod([float(len(each)) for each in choices]) > MOST:
        raise Unsure
    found, doubtful = [], False
    for modes in product(*choices):
        try:
            held = hold(m, parts, modes)
        except Unsure:
            doubtful = True
            continue
        if held is not None and held.margin > -LEAST:
            found.append((modes, held))
    if doubtful and not found:
        raise Unsure
    return found


def decide(m: Mechanism, t: float, q: np.ndarray, v: np.ndarray, closed: set[int], resting: set[int]) -> tuple[int, ...]:
    """What holds. What breaks away may break others, so it is asked anew."""
    broken: set[int] = set()
    slide = (m.rows(q)[2] @ v).real
    while True:
        choices = []
        for i, rub in enumerate(m.rubs):
            rough = rub.static > 0.0 or rub.fixed_static > 0.0
            ways = ([0, 1, -1] if i in resting else [int(np.sign(slide[i]))]) if rough else [0]
            choices.append(([OPEN, *ways] if i in closed else [OPEN]) if rub.joint < 0 else ways)
        found = search(m, parts_of(m, t, q, v, closed, resting, broken), choices)
        if not found:
            raise Nothing
        sure = [one for _, one in found if one.margin > LEAST]
        for modes, held in found:  # others at the bound of rest say the same
            rests = all(modes[i] == 0 for i in resting) and all(modes[i] != OPEN for i in closed)
            if rests and held.margin > LEAST and all(np.abs(one.a - held.a).max() < 1e-6 for one in sure):
                return modes
        modes, best = max(found, key=lambda one: one[1].margin)
        if best.margin < LEAST or any(np.abs(one.a - best.a).max() > 1e-6 for _, one in found):
            raise Unsure
        new = {
            i for i, r in enumerate(m.rubs) if modes[i] in (1, -1) and i in resting and (r.static > r.friction or r.fixed_static > r.fixed)
        } - broken
        if not new:
            return modes
        broken |= new


class Nothing(Exception):
    """No combination obeys the laws."""


def impact(m: Mechanism, q: np.ndarray, v: np.ndarray, touching: set[int]) -> np.ndarray:
    """The velocities after an impact of all that touches, by Newton's law."""
    C, N, T = (x.real for x in m.rows(q)[:3])
    wanted = np.array([np.nan if i not in touching else 0.0 for i in range(len(m.rubs))])
    for i in touching:
        rebound = -m.rubs[i].restitution * float(N[i] @ v)
        wanted[i] = rebound if rebound > m.rubs[i].closing else 0.0
    mu, none = np.array([rub.friction for rub in m.rubs]), np.zeros(len(m.rubs))
    parts = Parts((C, N, T), v / m.inverse, (np.zeros(len(C)), wanted, none), mu, none, (True,) * len(m.rubs))
    choices = []
    for i, rub in enumerate(m.rubs):
        ways = [0, 1, -1] if mu[i] > 0.0 else [0]
        choices.append(([OPEN, *ways] if i in touching else [OPEN]) if rub.joint < 0 else ways if mu[i] > 0.0 else [OPEN])
    found = search(m, parts, choices)
    if not found:
        raise Nothing
    best = max((one for _, one in found), key=lambda one: one.margin)
    if any(np.abs(one.a - best.a).max() > 1e-6 for _, one in found):
        raise Unsure
    return best.a


def settled(m: Mechanism, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, set[int], set[int]]:
    """Velocities after impacts, with round-off taken away; what is closed, and what is at rest along its tangent."""
    gap = m.rows(q)[3]
    if ((gap > TOUCHES) & (gap < NEAR)).any() or (gap < -TOUCHES).any():
        raise Unsure
    touching = {i for i in range(len(m.rubs)) if gap[i] <= TOUCHES}
    speed = (m.rows(q)[1] @ v).real
    if any(-SLOW < speed[i] < -RESTS for i in touching):
        raise Unsure
    if any(speed[i] < 0.0 and abs(speed[i]) > RESTS for i in touching):
        v = impact(m, q, v, touching)
    C, N, T = (x.real for x in m.rows(q)[:3])
    speed, slide = N @ v, T @ v
    rough = [rub.static > 0.0 or rub.fixed_static > 0.0 for rub in m.rubs]
    closed = {i for i in touching if abs(speed[i]) <= RESTS}
    rubbing = {i for i, rub in enumerate(m.rubs) if rough[i] and (rub.joint >= 0 or i in closed)}
    resting = {i for i in rubbing if abs(slide[i]) <= RESTS}
    if any(RESTS < abs(speed[i]) < SLOW for i in touching) or any(RESTS < abs(slide[i]) < SLOW for i in rubbing):
        raise Unsure
    H = np.concatenate([C, N[sorted(closed)], T[sorted(resting)]])
    return v - m.inverse * (H.T @ np.linalg.lstsq((H * m.inverse) @ H.T, H @ v, rcond=1e-11)[0]), closed, resting


def watches(m: Mechanism, modes: tuple[int, ...], at: Callable[[float, np.ndarray], Held]) -> Iterator[Watch]:
    """What ends a stretch with these modes."""
    n = m.n
    for i, rub in enumerate(m.rubs):
        if modes[i] == OPEN and rub.joint < 0:
            yield Watch("hits", i, 0, -1.0, lambda t, y, i=i: m.rows(y[:n])[3][i])
        if modes[i] in (1, -1):
            yield Watch("rests", i, 0, -1.0, lambda t, y, i=i, s=modes[i]: s * float(m.rows(y[:n])[2][i] @ y[n:]))
    yield Watch("gives", -1, 0, -1.0, lambda t, y: at(t, y).margin)


class Course(NamedTuple):
    """What the oracle found."""

    times: np.ndarray  # (k,)
    q: np.ndarray  # (k, n)
    v: np.ndarray  # (k, n)
    changes: list[tuple[float, str, str]]  # time, kind, name
    end: float  # until when it was followed
    nothing: bool  # no combination obeys the laws then


def motion(m: Mechanism, v: np.ndarray, times: np.ndarray) -> Course:
    """The motion at `times`, whose last one is the end."""
    q, t, changes = m.start.copy(), 0.0, list[tuple[float, str, str]]()
    rows_q, rows_v, end = list[np.ndarray](), list[np.ndarray](), float(times[-1])
    hits: dict[int, float] = {}
    before: Callable[[float, np.ndarray], Held] | None = None
    done = 0

    def course(at: float, nothing: bool = False) -> Course:
        return Course(times[:done], np.array(rows_q), np.array(rows_v), changes, at, nothing)

    for _ in range(EVENTS):
        try:
            v, closed, resting = settled(m, q, v)
            ahead = AHEAD if before is not None else 0.0
            a = before(t, np.concatenate([q, v])).a if before is not None else 0.0 * v
            modes = decide(m, t + ahead, q + ahead * v + 0.5 * ahead**2 * a, v + ahead * a, closed, resting)
        except Nothing:
            return course(t, True)
        still = {i for i in resting if modes[i] == 0}

        last: list[Any] = [None, None]

        def at(t: float, y: np.ndarray, modes: Any = modes, closed: Any = closed, still: Any = still, last: Any = last) -> Held:
            key = (t, y.tobytes())
            if last[0] != key:
                held = hold(m, parts_of(m, t, y[: m.n], y[m.n :], {i for i in closed if modes[i] != OPEN}, still, set()), modes)
                if held is None or np.abs(held.forces).max(initial=0.0) > HUGE:
                    raise Unsure
                last[:] = key, held
            found: Held = last[1]
            return found

        def rates(t: float, y: np.ndarray, at: Any = at) -> np.ndarray:
            return np.concatenate([y[m.n :], at(t, y).a])

        y = np.concatenate([q, v])
        speed = (m.rows(q)[1] @ v).real
        falling = (m.rows(q)[1] @ at(t, y).a).real
        flights = [2.0 * speed[i] / -falling[i] for i in range(len(speed)) if modes[i] == OPEN and speed[i] > 0.0 and falling[i] < 0.0]
        longest = min([0.02, *(x / 4.0 for x in flights if x > 1e-7)])
        every = list(watches(m, modes, at))
        asked = times[done:]
        step = solve_ivp(rates, (t, end), y, "DOP853", rtol=1e-10, atol=1e-11, events=every, max_step=longest, t_eval=asked)
        for row in np.asarray(step.y).T:
            rows_q.append(row[: m.n])
            rows_v.append(row[m.n :])
        done = len(rows_q)
        if step.status == 0:
            return course(end)
        happened = [(one, x[0], y[0]) for one, x, y in zip(every, step.t_events, step.y_events, strict=True) if len(x)]
        t = min(x for _, x, _ in happened)
        y = next(y for _, x, y in happened if x == t)
        q, v = y[: m.n].copy(), y[m.n :].copy()
        kinds = [one.kind for one, x, _ in happened if x <= t + 1e-10]
        for one, x, _ in happened:
            if x <= t + 1e-10:
                name = m.rubs[one.joint].name if one.joint >= 0 else ""
                changes.append((t, one.kind, name))
                if one.kind == "hits":
                    if t - hits.get(one.joint, -1.0) < 1e-3:
                        return course(t - 2e-3)
                    hits[one.joint] = t
        before = at if kinds == ["gives"] else None
    return course(t)
