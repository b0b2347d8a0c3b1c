"""A consistent start: positions by mass-weighted Newton, velocities by mass-weighted projection, what the user fixed held.

A reference configuration q_0 that is far off may be near another solution, a four-bar's other elbow, and Newton goes to either. The
residual is therefore removed in parts, phi(q) = s phi(q_0) with s from 1 to 0, each so small that Newton contracts. The mechanism closes
without passing a singular position, so it stays in the assembly mode of q_0. A q_0 close to the constraints takes one part, plain Newton.

Residuals are measured in arms of the mechanism and radians: by the lengths of the rows of C with its slides in arms
(`redundancy.column_scales`), so that a start is as good in millimetres as in kilometres.

Smallest change in the M norm: M d = -C' (C M^-1 C')^+ phi over the coordinates that may move (Shui & Zhang 1996, eq. 4.10), with a
pseudo-inverse, so that redundant but consistent constraints assemble.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.blocks import Blocks, is_large
from mbsim.diagnosis.inertia import massless
from mbsim.diagnosis.redundancy import column_scales, unit_rows
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.displacement import CONTRACTION, DEPENDENT, ITERATIONS, Newton, Smallest
from mbsim.system.system import Floats, System

POSITION_TOLERANCE = 1e-12  # arms, rad: what Newton reaches
ACCEPTED = 1e-9  # arms, rad (and per second): what round-off of ill-conditioned mechanisms may leave
ROUNDINGS = 8.0  # of the largest coordinate, likewise, where a mechanism is far from the origin
SHORT = 1e-6  # of the longest row: a row of C that is shorter says nothing about its unit
SMALLEST_PART = (
    1e-4  # of the residual in the reference configuration; where less cannot be removed at a time the way ends on a singular position
)

Step = Callable[[float, Floats, Floats], Floats]  # (t, q, b) -> the smallest displacement with C d = b on as many rows as b has


class StartError(ValueError):
    """No consistent start exists with what is fixed; `residuals` names the rows that remain violated."""

    def __init__(self, what: str, residuals: list[tuple[str, float]], hint: str = "") -> None:
        self.residuals = residuals
        shown = ", ".join(f"{name} ({value:.3g})" for name, value in residuals[:8]) + (", ..." if len(residuals) > 8 else "")
        super().__init__(f"the start cannot be assembled: {what}{f' of {shown} remain' * bool(shown)}{hint}")


def step(system: System, t: float, q: Floats, rows: int, free: NDArray[np.bool_], b: Floats, smallest: Smallest | None = None) -> Floats:
    """The smallest d (n_v,) in the M norm with C[:rows] d = b in the least-squares sense, zero where not free; dense.

    `smallest` is one of these rows and speeds, where many steps are taken. Where rows have no finite numbers, d has none.
    """
    return factored(system, t, q, rows, free, smallest)(b)


def factored(
    system: System, t: float, q: Floats, rows: int, free: NDArray[np.bool_], smallest: Smallest | None = None
) -> Callable[[Floats], Floats]:
    """b -> `step`, of several b at one configuration."""
    if not free.any():
        return lambda b: np.zeros(system.n_v)
    if system.failure is None:
        smallest = smallest or Smallest(system, t, rows, free)
        if smallest.factor(q, t):
            return smallest.solve
    M, _, C, _, _, _ = system.terms(t, q, np.zeros(system.n_v))
    try:
        L = np.linalg.cholesky(M[np.ix_(free, free)])
    except np.linalg.LinAlgError:
        may = np.flatnonzero(free)
        names = [system.speeds[may[k]] for k in massless(M[np.ix_(free, free)])] or [system.speeds[k] for k in may]
        raise StartError(f"nothing has inertia in {', '.join(names)}", []) from None
    Y = np.linalg.solve(L, C[:rows][:, free].T).T
    finite = bool(np.isfinite(Y).all())

    def by_values(b: Floats) -> Floats:
        if not (finite and np.isfinite(b).all()):
            return np.where(free, np.nan, 0.0)
        d = np.zeros(system.n_v)
        d[free] = np.linalg.solve(L.T, np.linalg.lstsq(Y, b, rcond=RANK_TOLERANCE)[0])
        return d

    return by_values


def _stepper(system: System, fixed: NDArray[np.bool_]) -> Step:
    """(t, q, b) -> the smallest displacement with C d = b on as many rows as b has, zero where fixed."""
    if not is_large(system):
        return lambda t, q, b: step(system, t, q, len(b), ~fixed, b)
    blocks = Blocks(system)
    blocks.hold(fixed)
    return blocks.displacement


class Positions:
    """Configurations of a system moved onto its position constraints, many that are next to each other: their units are those of the first,
    or of the first one after `forget`, and they share work arrays."""

    def __init__(self, system: System) -> None:
        self._system, self._fixed = system, np.zeros(system.n_v, bool)
        self._units: Units | None = None
        self._step, self._newton = _stepper(system, self._fixed), None
        if not is_large(system):
            rows = system.n_holonomic
            smallest = Smallest(system, 0.0, rows, ~self._fixed)
            self._step = lambda t, q, b: step(system, t, q, rows, ~self._fixed, b, smallest)
            self._newton = Newton(system, smallest) if system.failure is None else None

    def consistent(self, t: float, q: Floats) -> Floats:
        """As `assemble_position` with nothing fixed. Raises StartError."""
        if self._units is None:
            self._units = Units.of(self._system, t, q)
            if self._newton is not None:
                self._newton.measure(self._units.rows[: self._system.n_holonomic], self._units.columns, self._units.reached)
        found = self._newton.found(t, q) if self._newton is not None else None
        return assemble_position(self._system, t, q, self._fixed, self._step, self._units) if found is None else found

    def forget(self) -> None:
        """What comes next is far from what was before."""
        self._units = None


def _residual(system: System, t: float, q: Floats) -> Callable[[Floats], Floats]:
    """v -> C v + xi (m,) at (t, q)."""
    if is_large(system):
        blocks = Blocks(system)
        return lambda v: blocks.velocity_residual(t, q, v)
    C, xi = system.C(t, q), system.xi(t, q)
    return lambda v: C @ v + xi


class Units(NamedTuple):
    """What residuals and displacements are divided by to be in arms of the mechanism and radians, and what round-off leaves of them."""

    rows: Floats  # (m,)
    columns: Floats  # (n_v,)
    reached: float  # POSITION_TOLERANCE, or what round-off leaves
    accepted: float  # ACCEPTED, likewise

    @classmethod
    def of(cls, system: System, t: float, q: Floats) -> "Units":
        """At a configuration, whatever its residuals."""
        rows, columns, far = np.ones(system.n_rows), np.ones(system.n_v), 0.0
        if system.bodies and not is_large(system):
            C = np.zeros((system.n_rows, system.n_v))
            if system.failure is None:
                system.functions.constraints(system.arrays, float(t), np.ascontiguousarray(q, float), C, np.zeros(system.n_rows))
            else:
                C = system.C(t, q)
            if np.isfinite(C).all():
                columns = column_scales(system, C, exact=True)
                norms = unit_rows(C * columns, system.arrays.row_shares)[1]
                rows = np.maximum(norms, SHORT * norms.max(initial=0.0))
            slides = np.array(system.coordinate_units) == "m"
            arms = columns[[unit.startswith("m") for unit in system.speed_units]]
            far = float(np.abs(q[slides]).max(initial=0.0)) / float(arms.max()) if arms.size else 0.0
        left = ROUNDINGS * float(np.finfo(float).eps) * far if np.isfinite(far) else 0.0
        return cls(rows, columns, max(POSITION_TOLERANCE, left), max(ACCEPTED, left))


def _find_violated(names: list[str], values: Floats, units: Units) -> list[tuple[str, float]]:
    """The rows whose residuals (k,) of the first k rows are not accepted, and these."""
    rows = units.rows[: len(values)]
    pairs = [(n, float(x)) for n, x, unit in zip(names, values, rows, strict=True) if not abs(x) <= units.accepted * unit]
    return sorted(pairs, key=lambda pair: -abs(pair[1]) if np.isfinite(pair[1]) else -np.inf)


def assemble_position(
    system: System, t: float, q: Floats, fixed: NDArray[np.bool_], step: Step | None = None, units: Units | None = None
) -> Floats:
    """q on phi(t, q) = 0 in the assembly mode of the given one; `fixed` (n_v,) marks displacements that must stay. Raises StartError.

    `step` is what takes the steps of Newton's iteration, `units` those of residuals, where the caller has them.
    """
    units = units or Units.of(system, t, q)
    if np.abs(system.phi(t, q) / units.rows[: system.n_holonomic]).max(initial=0.0) <= units.reached:
        return q
    step = step or _stepper(system, fixed)
    found, left = _follow(system, t, q, step, units)
    names = system.rows[: system.n_holonomic]
    if left == 0.0 and not _find_violated(names, system.phi(t, found), units):
        return found
    elsewhere, phi = _descend(system, t, q, step, units)
    violated = _find_violated(names, phi, units)
    if violated:
        hint = (
            "; they contradict each other or what `fix` holds"
            if fixed.any()
            else "; they contradict each other, or the start is too far off"
        )
        raise StartError("position residuals", violated, hint)
    if left == 0.0:
        return elsewhere
    remain = sorted(zip(names, (float(x) for x in system.phi(t, found)), strict=True), key=lambda pair: -abs(pair[1]))
    raise StartError(
        "position residuals",
        [pair for pair in remain if abs(pair[1]) > 0.1 * abs(remain[0][1])],
        "; there the drawn mechanism is singular, and beyond it in another assembly mode: draw the bodies nearer to their places",
    )


def _follow(system: System, t: float, q: Floats, step: Step, units: Units) -> tuple[Floats, float]:
    """q on phi = left phi(given q), with `left` 0 where the way is open."""
    drawn, left, part = system.phi(t, q), 1.0, 1.0
    if not np.isfinite(drawn).all():
        return q, left
    while left > 0.0 and part >= SMALLEST_PART:
        goal = max(left - part, 0.0)
        found = _contract(system, t, q, goal * drawn, step, units)
        if found is None:
            part *= 0.5
        else:
            q, left, part = found, goal, 2.0 * part
    return q, left


def _contract(system: System, t: float, q: Floats, goal: Floats, step: Step, units: Units) -> Floats | None:
    """Newton for phi = goal as far as dependent rows let it, or None where it does not contract."""
    before, rows = np.inf, units.rows[: len(goal)]
    for _ in range(ITERATIONS):
        residual = goal - system.phi(t, q)
        if np.abs(residual / rows).max(initial=0.0) <= units.reached:
            return q
        d = step(t, q, residual)
        size = float(np.linalg.norm(d / units.columns))
        if size <= units.reached:
            return q
        if not size <= CONTRACTION * before:
            return q if size <= units.accepted else None
        q, before = system.move(q, d), size
    return None


def _descend(system: System, t: float, q: Floats, step: Step, units: Units) -> tuple[Floats, Floats]:
    """q and phi where Newton with halved steps ends, in whatever assembly mode."""
    phi, rows = system.phi(t, q), units.rows[: system.n_holonomic]
    for _ in range(ITERATIONS):
        size = np.abs(phi / rows).max(initial=0.0)
        if size <= units.reached or not np.isfinite(size):
            break
        d = step(t, q, -phi)
        scale, best = 1.0, None
        while scale > 1e-4:  # a full step that makes things worse is halved: start poses may be far off
            trial = system.move(q, scale * d)
            residual = system.phi(t, trial)
            if np.linalg.norm(residual / rows) < (1.0 - 0.1 * scale) * np.linalg.norm(phi / rows):
                best = trial, residual
                break
            scale *= 0.5
        if best is None:
            break
        q, phi = best
    return q, phi


def assemble_velocity(system: System, t: float, q: Floats, v: Floats, fixed: NDArray[np.bool_], smallest: Smallest | None = None) -> Floats:
    """v on C v + xi = 0, near the given one; `fixed` (n_v,) marks speeds that must stay. Raises StartError.

    `smallest`: displacements of the same system with all its rows and speeds, where nothing is fixed.
    """
    if system.failure is None and not is_large(system) and not fixed.all():
        smallest = Smallest(system, t, system.n_rows, ~fixed) if smallest is None else smallest
        found, left, pivot = smallest.speeds(q, v, t)
        if pivot > DEPENDENT and left <= ACCEPTED * max(1.0, float(np.abs(found).max(initial=0.0))):
            return found
    return project_by_values(system, t, q, v, fixed)


def project_by_values(system: System, t: float, q: Floats, v: Floats, fixed: NDArray[np.bool_]) -> Floats:
    """As `assemble_velocity`, by singular values where rows depend on each other. Raises StartError."""
    residual_of = _residual(system, t, q)
    large = is_large(system)
    displaced = partial(_stepper(system, fixed), t, q) if large else factored(system, t, q, system.n_rows, ~fixed)
    for _ in range(2):  # the second pass removes the round-off of the first
        v = v + displaced(-residual_of(v))
    residual = residual_of(v)
    units = Units.of(system, t, q)
    scale = max(1.0, float(np.abs(v / units.columns).max(initial=0.0)))
    violated = _find_violated(system.rows, residual / scale, units)
    if violated:
        hint = "; they contradict each other or what `fix` holds" if fixed.any() else "; they contradict each other"
        raise StartError("velocity residuals", violated, hint)
    return v


def nearest_named(system: System, t: float, q: Floats, v: Floats, fixed: NDArray[np.bool_], named: NDArray[np.bool_]) -> Floats | None:
    """v with the smallest change of the `named` speeds (n_v,), in the M norm, for which the others can meet C v + xi = 0.

    The rows that the others cannot meet are C reduced by what spans theirs. None where what is fixed forbids it, or the system is large.
    """
    if is_large(system):
        return None
    M, _, C, xi, _, _ = system.terms(t, q, np.zeros(system.n_v))
    columns = column_scales(system, C, exact=True) if system.bodies else np.ones(system.n_v)
    rows = unit_rows(C * columns, system.arrays.row_shares)[1]
    rows = np.where(rows > 0.0, rows, 1.0)
    others, mine = ~fixed & ~named, ~fixed & named
    U, values, _ = np.linalg.svd(((C * columns) / rows[:, None])[:, others])
    rank = int((values > RANK_TOLERANCE * max(values.max(initial=0.0), 1.0)).sum())
    left = U[:, rank:].T / rows
    try:
        L = np.linalg.cholesky(M[np.ix_(mine, mine)])
    except np.linalg.LinAlgError:
        return None
    Y = np.linalg.solve(L, (left @ C)[:, mine].T).T
    b = -left @ (C @ v + xi)
    y = np.linalg.lstsq(Y, b, rcond=RANK_TOLERANCE)[0]
    found = v.copy()
    found[mine] += np.linalg.solve(L.T, y)
    return found
