"""The linear equations of small motions about a state, in as few variables as the constraints leave.

    d' = v,  M a + D v + K d - C' lam - h_x x = 0,  C a + eta_v v + (eta_d + d(C v_dot)/dd) d = 0,  x' = x_v v + x_d d + x_x x

hold for small displacements d, speeds v and changes x of the states. The constraints leave d = Z s with C_h Z = 0 (holonomic rows) and
v = Y u + P s with C Y = 0 and C P + G Z = 0. s and u are chosen among the coordinates and speeds themselves, so z = [s; u; x] has names:

    z' = A z

The rotation of a spatial body is a vector in axes that turn with the body, or in the axes at the state, which do not: then v' = a - B v
takes the place of d' = v + B d, where B d = -omega x d. About a steady motion only one of them has constant coefficients: those that do
not turn for a rolling wheel, the body's for a satellite without symmetry. For each body the axes are taken in which they change least;
where they are constant in both, as of a round rotor, those that do not turn.

About a steady motion on circles (`turning`) places are measured in axes that turn as well, so that B is w x for them, too
(`mbsim.diagnosis.turned_axes`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from mbsim.diagnosis.even import LOOKS, NEARBY
from mbsim.diagnosis.held import refuse_samples, tangents_of
from mbsim.diagnosis.redundancy import column_scales, decompose
from mbsim.diagnosis.turned_axes import DURATIONS, Axes, choices, different, multipliers_at
from mbsim.diagnosis.turning import Turning
from mbsim.kernels.ranks import RANK_TOLERANCE, ROUND_OFF
from mbsim.system.system import Floats, System
from mbsim.system.tangents import Tangents, symmetric

RANK = 10.0 * ROUND_OFF  # of the largest singular value: smaller ones of the scaled equations are zero
REFINED = 2  # times what the inverse gives is put into the equations again
STEADY = 1e-4  # 1/s, rate of the coefficients relative to their size: differences along the motion know it to 1e-6
STILL = 1e-6  # likewise: slower changes are none, and axes that stand still are preferred, as of a rotor that whirls
PROBE = 1e-4  # s / (rad/s) and s / (m/s) of the largest speed: step of the differences along the motion


@dataclass(frozen=True)
class Linearised:
    """z' = A z of small motions about one state; N variables z."""

    A: Floats  # (N, N)
    names: list[str]  # (N,) of z: displacements, speeds, states
    units: list[str]  # (N,)
    basis: Floats  # (2 n + n_x, N): [d; v; x] = basis z
    displacements: int  # so many of z are displacements s
    speeds: int  # the next so many are speeds u
    change: float  # the largest rate of the coefficients along the motion, relative, 1/s; infinite where the state is not stationary
    scales: Floats  # (N,) of z: square roots of masses, so that metres and radians compare
    rate: float  # 1/s^2, the largest entry of M^-1 K of the bodies without their constraints: what the entries of A are sums of
    picked: list[int]  # (N,) places of z in [d; v; x]
    acceleration: Floats  # (n, 2 n + n_x): v_dot changes by acceleration [d; v; x]
    multiplier: Floats  # (m, 2 n + n_x): likewise lam, of the rows that are kept
    solve: "Solution"
    exact: bool  # False: from differences
    turned: bool  # measured in axes that turn with a steady motion on circles
    again: "Callable[[], Floats]"  # A about a state that is hardly another one: only round-off differs

    def scatter(self) -> Floats:
        """(N, N) how far the entries of A are from what they are told to be: by round-off, here and in the state."""
        found = np.zeros_like(self.A)
        for _ in range(LOOKS):
            found = np.maximum(found, np.abs(self.again() - self.A))
        return found

    @property
    def steady(self) -> bool:
        """Whether the coefficients are constant along the motion; if not, A is that of the moment."""
        return self.change <= STEADY


class Solution:
    """Accelerations and multipliers from the equations of motion; dependent rows share by least squares."""

    def __init__(self, M: Floats, C: Floats) -> None:
        n, m = len(M), len(C)
        diagonal = np.diag(M)
        self._w = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        rows = np.linalg.norm(C * self._w, axis=1)
        self._c = np.where(rows > 0.0, 1.0 / np.where(rows > 0.0, rows, 1.0), 1.0)
        scaled = C * self._w * self._c[:, None]
        left = np.block([[M * np.outer(self._w, self._w), -scaled.T], [scaled, np.zeros((m, m))]])
        self._left, self._inverse = left, np.linalg.pinv(left, rcond=RANK)
        self._n = n

    def __call__(self, force: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """a (n, ...) and lam (m, ...) with M a - C' lam = force (n, ...) and C a = bias (m, ...)."""
        w, c = (scale.reshape(-1, *[1] * (force.ndim - 1)) for scale in (self._w, self._c))
        right = np.concatenate([w * force, c * bias])
        x = self._inverse @ right
        for _ in range(REFINED):  # beside bodies of 1 kg, those of 1e-12 kg leave the inverse four digits
            x = x + self._inverse @ (right - self._left @ x)
        return w * x[: self._n], c * x[self._n :]


class _Turning(NamedTuple):
    """How axes of rotations turn with the motion."""

    B: Floats  # (n, n): d' = v + B d in axes of the bodies
    blocks: list[slice]  # of the speeds of each rotation


def displacement_names(system: System) -> tuple[list[str], list[str]]:
    """Names and units of displacements d (n_v,): the coordinate, or `b.rotation.x` of what has a quaternion (rad, about body axes)."""
    coordinates = set(system.coordinates)
    names, units = [], []
    for speed, unit in zip(system.speeds, system.speed_units, strict=True):
        inner = speed.removeprefix("der(").removesuffix(")")
        names.append(inner if inner in coordinates else speed.replace(".omega.", ".rotation."))
        units.append({"m s-1": "m", "rad s-1": "rad"}.get(unit, unit.removesuffix(" s-1") if unit.endswith(" s-1") else unit))
    return names, units


def accelerations(system: System, t: float, q: Floats, v: Floats, kept: np.ndarray | None = None) -> tuple[Floats, Floats]:
    """v_dot (n,) and the multipliers (m,), the shortest where rows depend on each other; zero of rows that are not `kept` (m,) bool."""
    M, h, C, _, eta, _ = system.terms(t, q, v)
    rows = np.ones(system.n_rows, bool) if kept is None else kept
    lam = np.zeros(system.n_rows)
    a, lam[rows] = Solution(np.tril(M) + np.tril(M, -1).T, C[rows])(h, -eta[rows])
    return a, lam


def linearise(
    system: System,
    t: float,
    q: Floats,
    v: Floats,
    kept: np.ndarray | None = None,
    a: Floats | None = None,
    lam: Floats | None = None,
    picked: tuple[list[int], list[int]] | None = None,
    turning: Turning | None = None,
    axes: Axes | None = None,
) -> Linearised:
    """The small motions about (t, q, v), which satisfies the constraints; t is held.

    `kept` (m,) bool leaves rows out; their multipliers are constant efforts along them. `a` and `lam` are those of the motion where not
    given; of an equilibrium a is zero. `picked`: which displacements and which speeds are variables; default: as the constraints suggest.
    `turning`: the twists of a steady motion on circles, which v and a are of. `axes` in which displacements and speeds are measured;
    default: those in which the coefficients change least.
    """
    refuse_samples(system, "a linear system")
    if turning is not None and axes is None:
        return _steadiest(system, t, q, kept, lam, picked, turning)
    rows = np.ones(system.n_rows, bool) if kept is None else kept
    if a is None or lam is None:
        a, lam = accelerations(system, t, q, v, kept)
    n, n_x = system.n_v, system.n_x
    tangents, unknown, follows = _with_units(system, t, q, v, a, lam)
    M, C, G = tangents.M, tangents.C[rows], tangents.G[rows]
    holonomic = int(rows[: system.n_holonomic].sum())
    rate_d = tangents.eta_d[rows]
    if a.any() and len(C):  # d(C a)/dd: G is linear in the speeds
        moving, still = (tangents_of(system, t, q, speed).G[rows] for speed in (a, np.zeros(n)))
        rate_d = rate_d + moving - still
    turning_axes = _turning(system, t, q, v)
    B_own = turning_axes.B
    if axes is None:
        spun, change = _axes(system, t, q, v, a, lam, tangents, turning_axes)
        B = B_own * spun
    else:
        T, B, change = axes.T, axes.B, 0.0
        tangents = axes.of(tangents)
        M, C, G, rate_d, B_own = tangents.M, C @ T, G @ T, rate_d @ T, T.T @ B_own @ T
    solve = Solution(M, C)
    force, bias = np.hstack([-tangents.K, -tangents.D, tangents.h_x]), np.hstack([-rate_d, -tangents.eta_v[rows], np.zeros((len(C), n_x))])
    da, dlam = solve(force, bias)
    multipliers = np.zeros((system.n_rows, 2 * n + n_x))
    multipliers[rows] = dlam
    full = np.zeros((2 * n + n_x, 2 * n + n_x))
    full[:n, :n], full[:n, n : 2 * n] = B_own - B, np.eye(n)
    full[n : 2 * n] = da
    full[n : 2 * n, n : 2 * n] -= B
    full[2 * n :] = np.hstack([tangents.x_d, tangents.x_v, tangents.x_x])
    Z, s = free_directions(system, C[:holonomic], None if picked is None else picked[0])
    Y, u = free_directions(system, C, None if picked is None else picked[1])
    P = -np.linalg.lstsq(C, G @ Z, rcond=RANK_TOLERANCE)[0] if len(C) else np.zeros((n, len(s)))
    P = P - Y @ P[u]
    basis = np.zeros((2 * n + n_x, len(s) + len(u) + len(unknown)))
    basis[:n, : len(s)], basis[n : 2 * n, : len(s)] = Z, P
    basis[n : 2 * n, len(s) : len(s) + len(u)] = Y
    basis[2 * n + unknown, len(s) + len(u) + np.arange(len(unknown))] = 1.0
    basis += follows @ basis
    places = [*s, *(n + k for k in u), *(2 * n + unknown).tolist()]
    A = (full @ basis)[places]
    if axes is not None and axes.turned:  # speeds are those seen from the axes: a turn of all of it, which moves nothing there, has none
        seen = np.zeros_like(A)
        seen[len(s) : len(s) + len(u), : len(s)] = (B @ Z)[u]
        A, basis = A + A @ seen - seen @ A - seen @ A @ seen, basis + basis @ seen
    names, units = displacement_names(system)
    sizes = np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    found = Linearised(
        A,
        [*(names[k] for k in s), *(system.speeds[k] for k in u), *(system.states[k] for k in unknown)],
        [*(units[k] for k in s), *(system.speed_units[k] for k in u), *(system.coordinate_units[system.n_c + k] for k in unknown)],
        basis,
        len(s),
        len(u),
        change,
        np.concatenate([np.tile(sizes, 2), np.ones(n_x)])[places],
        float(np.abs(tangents.K / np.outer(sizes, sizes)).max(initial=0.0)),
        places,
        da,
        multipliers,
        solve,
        tangents.exact,
        axes is not None and axes.turned,
        partial(_again, (system, t, q, v, kept, a, lam), (s, u), axes, np.random.default_rng(0)),
    )
    if axes is None and change > STEADY and system.in_joint_coordinates and system.n_c == n and not a.any():
        return replace(found, change=min(change, _along(found, system, t, q, v, kept, lam)))
    return found


def _along(found: Linearised, system: System, t: float, q: Floats, v: Floats, kept: np.ndarray | None, lam: Floats) -> float:
    """The rate of A along a motion with constant speeds: rows that close loops may turn with it, without a change of A."""
    none, fastest = np.zeros(system.n_v), float(np.abs(v).max())
    rows = None if kept is None else kept | (lam != 0.0)
    extra = -system.h(t, q, v) - system.C(t, q).T @ lam
    axes, change = Axes(np.zeros((len(v), len(v))), np.eye(len(v)), False), 0.0
    for angle in DURATIONS:
        s = angle / fastest
        later = system.move(q, s * v)
        force = multipliers_at(system, t + s, later, v, none, extra, rows)
        ahead = linearise(system, t + s, later, v, kept, none, force, _places(found, system.n_v), axes=axes)
        change = max(change, different(found.A, ahead.A, found.scales, found.displacements, found.scatter) / s)
    return change


def _places(found: Linearised, n: int) -> tuple[list[int], list[int]]:
    """The displacements and the speeds that are variables."""
    return [k for k in found.picked if k < n], [k - n for k in found.picked if n <= k < 2 * n]


def _steadiest(
    system: System,
    t: float,
    q: Floats,
    kept: np.ndarray | None,
    lam: Floats | None,
    picked: tuple[list[int], list[int]] | None,
    turning: Turning,
) -> Linearised:
    """The small motions about a steady motion on circles, in the first axes in which A is constant, or in which it changes least."""
    found: list[Linearised] = []
    v, a = turning.speeds(q), turning.accelerations(q)
    lam = multipliers_at(system, t, q, v, a, None) if lam is None else lam
    rows = None if kept is None else kept | (lam != 0.0)
    extra = symmetric(system.M(t, q)) @ a - system.h(t, q, v) - system.C(t, q).T @ lam  # efforts that keep given speeds
    for axes in choices(system, q, turning):
        here = linearise(system, t, q, v, kept, a, lam, picked, turning, axes(0.0))
        places, change = _places(here, system.n_v), 0.0
        for angle in DURATIONS:
            s = angle / max(turning.fastest(), 1e-300)
            later, there = turning.advanced(q, s), axes(s)
            v_later, a_later = turning.speeds(later), turning.accelerations(later)
            force = multipliers_at(system, t + s, later, v_later, a_later, there.T @ extra, rows)
            ahead = linearise(system, t + s, later, v_later, kept, a_later, force, places, turning, there)
            change = max(change, different(here.A, ahead.A, here.scales, here.displacements, here.scatter) / s)
        found.append(replace(here, change=change))
        if found[-1].steady:
            break
    return min(found, key=lambda one: one.change)


def _with_units(system: System, t: float, q: Floats, v: Floats, a: Floats, lam: Floats) -> tuple[Tangents, np.ndarray, Floats]:
    """The tangents, the places of the states that are unknowns, and what [d; v; x] makes of others: inputs and outputs of units."""
    n, n_x = system.n_v, system.n_x
    follows = np.zeros((2 * n + n_x, 2 * n + n_x))
    if system.units is None:
        return system.tangents(t, q, v, a, lam), np.arange(n_x), follows
    found = system.units.tangents(system, t, q, v, a, lam)
    follows[2 * n + found.told] = found.changes
    return found.tangents, np.setdiff1d(np.arange(n_x), found.told), follows


def _again(
    at: tuple[System, float, Floats, Floats, np.ndarray | None, Floats, Floats],
    picked: tuple[list[int], list[int]],
    axes: Axes | None,
    rng: np.random.Generator,
) -> Floats:
    """A of the same variables about a state that round-off might have made of this one."""
    system, t, q, v, kept, a, lam = at
    size = max(1.0, float(np.abs(q).max(initial=0.0)))
    lengths = np.array([size if unit == "m s-1" else 1.0 for unit in system.speed_units])
    d, multipliers = (NEARBY * rng.uniform(-1.0, 1.0, count) for count in (system.n_v, len(lam)))
    return linearise(system, t, system.move(q, d * lengths), v, kept, a, lam * (1.0 + multipliers), picked, axes=axes).A


def free_directions(system: System, C: Floats, places: list[int] | None = None) -> tuple[Floats, list[int]]:
    """Z (n, f) with C Z = 0, and the f places whose entries in Z are the unit matrix: coordinates that tell the others.

    Default of `places`: those that tell them best.
    """
    n = system.n_v
    if not len(C):
        return np.eye(n), list(range(n))
    scales = column_scales(system, C)
    found = decompose(C * scales)
    null = scales[:, None] * found.V[found.rank :].T  # (n, f)
    if not null.shape[1]:
        return null, []
    if places is None or len(places) != null.shape[1]:
        _, _, order = qr((null / scales[:, None]).T, mode="economic", pivoting=True)
        places = sorted(int(k) for k in order[: null.shape[1]])
    return np.asarray(np.linalg.solve(null[places].T, null.T).T, float), places


def _turning(system: System, t: float, q: Floats, v: Floats) -> _Turning:
    """B from d(N v)/dd and dN/dt: q_dot = N(q) v is linear in q, so that differences of any step are exact."""
    n, n_c = system.n_v, system.n_c
    B = np.zeros((n, n))
    if n_c == n:
        return _Turning(B, [])
    N = np.array([system.rates(t, q, e)[:n_c] for e in np.eye(n)]).T
    q_dot = np.zeros(system.n_q)
    q_dot[:n_c] = N @ v
    turned = [k for k, name in enumerate(system.speeds) if ".omega." in name]  # of quaternions, by threes
    changes = np.zeros((n_c, len(turned)))
    for place, k in enumerate(turned):
        along, unit = np.zeros(system.n_q), np.eye(n)[k]
        along[:n_c] = N[:, k]
        first = 0.5 * (system.rates(t, q + along, v) - system.rates(t, q - along, v))[:n_c]
        second = 0.5 * (system.rates(t, q + q_dot, unit) - system.rates(t, q - q_dot, unit))[:n_c]
        changes[:, place] = first - second
    B[:, turned] = np.linalg.lstsq(N, changes, rcond=None)[0]
    return _Turning(B, [slice(k, k + 3) for k in turned[::3]])


def _axes(
    system: System, t: float, q: Floats, v: Floats, a: Floats, lam: Floats, at: Tangents, turning: _Turning
) -> tuple[np.ndarray, float]:
    """(n, n) bool: where rotations are in axes that stand still; and the rate of the coefficients there, relative.

    In axes that turn back, X becomes T X T^-1 with T' = -T B: the rate of X is X' - B X + X B.
    """
    n = system.n_v
    spun = np.zeros((n, n), bool)
    speed = float(np.abs(v).max(initial=0.0))
    if speed == 0.0:
        return spun, 0.0
    step = PROBE / speed
    ahead, behind = (tangents_of(system, t, system.move(q, e * step * v), v + e * step * a, a, lam) for e in (1.0, -1.0))
    rates = {name: (getattr(ahead, name) - getattr(behind, name)) / (2.0 * step) for name in ("M", "K", "D", "C", "G")}

    mass, row = float(np.abs(at.M).max()), float(np.abs(at.C).max(initial=0.0))
    least = {"M": mass, "D": mass * speed, "K": mass * speed**2, "C": row, "G": row * speed}
    sizes = {name: max(size, float(np.abs(getattr(at, name)).max(initial=0.0))) for name, size in least.items()}

    def change(B: Floats) -> float:
        worst = 0.0
        for name, rate in rates.items():
            X = getattr(at, name)
            moved = rate + X @ B - (B @ X if name in ("M", "K", "D") else 0.0)
            worst = max(worst, float(np.abs(moved).max(initial=0.0)) / sizes[name] if sizes[name] else 0.0)
        return worst

    B, smallest = np.zeros((n, n)), change(np.zeros((n, n)))
    for block in turning.blocks:
        trial = B.copy()
        trial[block, block] = turning.B[block, block]
        found = change(trial)
        if found <= max(STILL, smallest * (1.0 + 1e-9)):
            B, smallest = trial, min(found, smallest)
            spun[block, block] = True
    return spun, smallest
