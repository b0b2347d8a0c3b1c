"""A consistent start: positions by mass-weighted Newton, velocities by mass-weighted projection, what the user fixed held.

A reference configuration q_0 that is far off may be near another solution, a four-bar's other elbow, and Newton goes to either. The
residual is therefore removed in parts, phi(q) = s phi(q_0) with s from 1 to 0, each so small that Newton contracts. The mechanism closes
without passing a singular position, so it stays in the assembly mode of q_0. A q_0 close to the constraints takes one part, plain Newton.

Smallest change in the M norm: M d = -C' (C M^-1 C')^+ phi over the coordinates that may move (Shui & Zhang 1996, eq. 4.10), with a
pseudo-inverse, so that redundant but consistent constraints assemble.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.blocks import Blocks, is_large
from mbsim.diagnosis.inertia import massless
from mbsim.system.displacement import DEPENDENT, Smallest
from mbsim.system.system import Floats, System

POSITION_TOLERANCE = 1e-12  # m, rad: what Newton reaches
ACCEPTED = 1e-9  # m, rad (m/s, rad/s): what round-off of ill-conditioned mechanisms may leave
ITERATIONS = 60
CONTRACTION = 0.25  # of successive Newton steps, Deuflhard's bound (Newton Methods for Nonlinear Problems, 2.1.2): within it they go to
# the solution that the reference configuration is connected with
SMALLEST_PART = (
    1e-4  # of the residual in the reference configuration; where less cannot be removed at a time the way ends on a singular position
)
CUTOFF = 1e-9  # relative singular value below which a direction is dependent


class StartError(ValueError):
    """No consistent start exists with what is fixed; `residuals` names the rows that remain violated."""

    def __init__(self, what: str, residuals: list[tuple[str, float]], hint: str = "") -> None:
        self.residuals = residuals
        shown = ", ".join(f"{name} ({value:.3g})" for name, value in residuals[:8]) + (", ..." if len(residuals) > 8 else "")
        super().__init__(f"the start cannot be assembled: {what}{f' of {shown} remain' * bool(shown)}{hint}")


def step(system: System, t: float, q: Floats, rows: int, free: NDArray[np.bool_], b: Floats) -> Floats:
    """The smallest d (n_v,) in the M norm with C[:rows] d = b in the least-squares sense, zero where not free; dense."""
    d = np.zeros(system.n_v)
    if not free.any():
        return d
    if system.failure is None:
        smallest = Smallest(system, t, rows, free)
        if smallest.factor(q):
            return smallest.solve(b)
    M, _, C, _, _, _ = system.terms(t, q, np.zeros(system.n_v))
    try:
        L = np.linalg.cholesky(M[np.ix_(free, free)])
    except np.linalg.LinAlgError:
        may = np.flatnonzero(free)
        names = [system.speeds[may[k]] for k in massless(M[np.ix_(free, free)])] or [system.speeds[k] for k in may]
        raise StartError(f"nothing has inertia in {', '.join(names)}", []) from None
    Y = np.linalg.solve(L, C[:rows][:, free].T).T
    y = np.linalg.lstsq(Y, b, rcond=CUTOFF)[0]
    d[free] = np.linalg.solve(L.T, y)
    return d


def _stepper(system: System, fixed: NDArray[np.bool_]) -> Callable[[float, Floats, Floats], Floats]:
    """(t, q, b) -> the smallest displacement with C d = b on as many rows as b has, zero where fixed."""
    if not is_large(system):
        return lambda t, q, b: step(system, t, q, len(b), ~fixed, b)
    blocks = Blocks(system)
    blocks.hold(fixed)
    return blocks.displacement


def _residual(system: System, t: float, q: Floats) -> Callable[[Floats], Floats]:
    """v -> C v + xi (m,) at (t, q)."""
    if is_large(system):
        blocks = Blocks(system)
        return lambda v: blocks.velocity_residual(t, q, v)
    C, xi = system.C(t, q), system.xi(t, q)
    return lambda v: C @ v + xi


def _violated(names: list[str], values: Floats) -> list[tuple[str, float]]:
    pairs = [(n, float(x)) for n, x in zip(names, values, strict=True) if not abs(x) <= ACCEPTED]
    return sorted(pairs, key=lambda pair: -abs(pair[1]) if np.isfinite(pair[1]) else -np.inf)


Step = Callable[[float, Floats, Floats], Floats]  # (t, q, b) -> the smallest displacement with C d = b on as many rows as b has


def assemble_position(system: System, t: float, q: Floats, fixed: NDArray[np.bool_], step: Step | None = None) -> Floats:
    """q on phi(t, q) = 0 in the assembly mode of the given one; `fixed` (n_v,) marks displacements that must stay. Raises StartError.

    `step` is what takes the steps of Newton's iteration, where the caller has one.
    """
    step = step or _stepper(system, fixed)
    found, left = _followed(system, t, q, step)
    names = system.rows[: system.n_holonomic]
    if left == 0.0 and not _violated(names, system.phi(t, found)):
        return found
    elsewhere, phi = _damped(system, t, q, step)
    violated = _violated(names, phi)
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


def _followed(system: System, t: float, q: Floats, step: Callable[[float, Floats, Floats], Floats]) -> tuple[Floats, float]:
    """q on phi = left phi(given q), with `left` 0 where the way is open."""
    drawn, left, part = system.phi(t, q), 1.0, 1.0
    if not np.isfinite(drawn).all():
        return q, left
    while left > 0.0 and part >= SMALLEST_PART:
        goal = max(left - part, 0.0)
        found = _contracted(system, t, q, goal * drawn, step)
        if found is None:
            part *= 0.5
        else:
            q, left, part = found, goal, 2.0 * part
    return q, left


def _contracted(system: System, t: float, q: Floats, goal: Floats, step: Callable[[float, Floats, Floats], Floats]) -> Floats | None:
    """Newton for phi = goal as far as dependent rows let it, or None where it does not contract."""
    before = np.inf
    for _ in range(ITERATIONS):
        residual = goal - system.phi(t, q)
        if np.abs(residual).max(initial=0.0) <= POSITION_TOLERANCE:
            return q
        d = step(t, q, residual)
        size = float(np.linalg.norm(d))
        if size <= POSITION_TOLERANCE:
            return q
        if not size <= CONTRACTION * before:
            return q if size <= ACCEPTED else None
        q, before = system.move(q, d), size
    return None


def _damped(system: System, t: float, q: Floats, step: Callable[[float, Floats, Floats], Floats]) -> tuple[Floats, Floats]:
    """q and phi where Newton with halved steps ends, in whatever assembly mode."""
    phi = system.phi(t, q)
    for _ in range(ITERATIONS):
        size = np.abs(phi).max(initial=0.0)
        if size <= POSITION_TOLERANCE or not np.isfinite(size):
            break
        d = step(t, q, -phi)
        scale, best = 1.0, None
        while scale > 1e-4:  # a full step that makes things worse is halved: start poses may be far off
            trial = system.move(q, scale * d)
            residual = system.phi(t, trial)
            if np.linalg.norm(residual) < (1.0 - 0.1 * scale) * np.linalg.norm(phi):
                best = trial, residual
                break
            scale *= 0.5
        if best is None:
            break
        q, phi = best
    return q, phi


def assemble_velocity(system: System, t: float, q: Floats, v: Floats, fixed: NDArray[np.bool_]) -> Floats:
    """v on C v + xi = 0, near the given one; `fixed` (n_v,) marks speeds that must stay. Raises StartError."""
    if system.failure is None and not is_large(system) and not fixed.all():
        found, left, pivot = Smallest(system, t, system.n_rows, ~fixed).speeds(q, v)
        if pivot > DEPENDENT and left <= ACCEPTED * max(1.0, float(np.abs(found).max(initial=0.0))):
            return found
    step, residual_of = _stepper(system, fixed), _residual(system, t, q)
    for _ in range(2):  # the second pass removes the round-off of the first
        v = v + step(t, q, -residual_of(v))
    residual = residual_of(v)
    scale = max(1.0, float(np.abs(v).max(initial=0.0)))
    violated = _violated(system.rows, residual / scale)
    if violated:
        hint = "; they contradict each other or what `fix` holds" if fixed.any() else "; they contradict each other"
        raise StartError("velocity residuals", violated, hint)
    return v
