"""Checks the published formulas that mbsim corrects, on mbsim's own rolling disk, and prints the table that docs/errata.md quotes.

    python scripts/errata.py            # --quick is the same: all of it takes seconds

Shui & Zhang 1996, "A method for solving the dynamics of multibody systems with rheonomic and nonholonomic constraints", and Shui,
"Dynamic analysis of constrained multibody systems in Riemannian configuration space", Yang, Duan & Di 2006 on root-finding, and Liu,
Hu & Zhang 2016 on the constraint force algorithm. Every function returns plain numbers; the tests assert them."""

import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import mbsim
from mbsim.system.system import System

sys.path.insert(0, str(Path(__file__).resolve().parent))  # a test runs this file without its folder on the import path
import errata_definitions
import errata_trees
import errata_yang
from errata_motions import HOLD_END, HOLD_STEPS, PENDULUM_STEPS, hold_errors, rk4, root_finding, wrong_errors
from errata_words import Row, number, series, vector

Floats = NDArray[np.float64]

DISK = Path(__file__).resolve().parents[1] / "models" / "rolling_disk.yaml"
PLANE_AT_REST = {"ax": 0.0, "ay": 0.0, "az": 0.0}
LATER = 1.0  # s after the decomposition was taken: where formulas with a held one are looked at
STEPS, SHORT_END = (0.01, 0.005, 0.0025), 0.5  # s
RIEMANN, SVD = "riemann(equations=paper)", "svd(equations=paper)"
TABLE = """name: block on a table
parameters: {m: 2.0, g: 9.81}
coordinates: [z]
energy: {kinetic: m/2*der(z)^2, potential: m*g*z}
constraints: {table: {type: holonomic, equation: z}}
simulation: {end: 1}
"""


class State(NamedTuple):
    """A consistent state and the terms of the equations there."""

    system: System
    t: float
    q: Floats  # (n,)
    v: Floats  # (n,)
    M: Floats  # (n, n)
    h: Floats  # (n,)
    C: Floats  # (m, n)
    xi: Floats  # (m,)
    eta: Floats  # (m,)


def at_state(system: System, t: float, q: Floats, v: Floats) -> State:
    """The state with its terms."""
    M, h, C, xi, eta, _ = system.terms(t, q, v)
    return State(system, t, q, v, M, h, C, xi, eta)


@cache
def disk_start() -> State:
    """The shipped rolling disk at its start: the sample state."""
    made = mbsim.assemble(mbsim.load_model(DISK))
    return at_state(made.system, made.start, made.q, made.v)


@cache
def disk_later() -> State:
    """The same disk after LATER seconds of its motion."""
    start = disk_start()
    result = mbsim.simulate(start.system, start.q, start.v, end=LATER, step=1e-3, drift_tolerance=1e-13)
    return at_state(start.system, LATER, result["q"][-1], result["v"][-1])


def lagrange(state: State) -> tuple[Floats, Floats]:
    """v_dot and lam as mbsim's reference method records them."""
    result = mbsim.simulate(state.system, state.q, state.v, method="lagrange", start=state.t, end=state.t + 1e-6, step=1e-6)
    return result["acceleration"][0], result["multiplier"][0]


def decomposition(C: Floats) -> tuple[Floats, Floats]:
    """E = V1 D^-1 U' (n, m) and V2 (n, k) of C = U [D 0] [V1 V2]'."""
    U, sigma, Vt = np.linalg.svd(C)
    m = len(sigma)
    return Vt[:m].T @ np.diag(1.0 / sigma) @ U.T, Vt[m:].T


# Shui & Zhang, sections 3 and 4 -------------------------------------------------------------------------------------------------


def multipliers_printed(state: State) -> Floats:
    """Eq. (4.2): lam = -E' M E eta."""
    E, _ = decomposition(state.C)
    return -E.T @ state.M @ E @ state.eta


def multipliers_corrected(state: State) -> Floats:
    """lam = E' (M v_dot - h), E of the current C."""
    E, _ = decomposition(state.C)
    result: Floats = E.T @ (state.M @ lagrange(state)[0] - state.h)
    return result


def block_on_a_table() -> tuple[float, float, float]:
    """The table's reaction in N: by (4.2), by the corrected form, and m g."""
    made = mbsim.assemble(_model(TABLE))
    state = at_state(made.system, 0.0, made.q, made.v)
    weight = made.parameters["m"] * made.parameters["g"]
    return float(multipliers_printed(state)[0]), float(multipliers_corrected(state)[0]), weight


def _model(text: str) -> Any:
    from mbsim import registry
    from mbsim.model.load import load

    return load(text, registry, file="block.yaml")


def accelerations_printed(state: State, E: Floats, V2: Floats) -> Floats:
    """Eqs. (3.5)-(3.7): v_dot = K h + (K M - I) E eta, K = V2 (V2' M V2)^-1 V2'."""
    K = V2 @ np.linalg.solve(V2.T @ state.M @ V2, V2.T)
    result: Floats = K @ state.h + (K @ state.M - np.eye(len(state.q))) @ E @ state.eta
    return result


def accelerations_corrected(state: State, V2: Floats) -> Floats:
    """v_dot = a_p + B x with B = [C; V2']^-1 [0; I], which spans the null space of the current C although V2 is held."""
    A, k, m = np.vstack([state.C, V2.T]), V2.shape[1], len(state.eta)
    B = np.linalg.solve(A, np.vstack([np.zeros((m, k)), np.eye(k)]))
    a_p = np.linalg.solve(A, np.concatenate([-state.eta, np.zeros(k)]))
    result: Floats = a_p + B @ np.linalg.solve(B.T @ state.M @ B, B.T @ (state.h - state.M @ a_p))
    return result


class Held(NamedTuple):
    """What the decomposition of the start gives LATER seconds on."""

    condition: float  # of [C; V2']: far from singular, so that the paper would keep the decomposition
    printed_error: float  # largest error of v_dot by (3.5)-(3.7) with the held E and V2
    printed_residual: float  # largest entry of C v_dot + eta
    corrected_error: float
    corrected_residual: float
    current_error: float  # by (3.5)-(3.7) with the decomposition of the current C


def held_decomposition() -> Held:
    """(3.6)-(3.7) with the decomposition held as the paper proposes below (3.7), and the form that stays right."""
    E, V2 = decomposition(disk_start().C)
    state = disk_later()
    exact, _ = lagrange(state)
    printed, corrected = accelerations_printed(state, E, V2), accelerations_corrected(state, V2)
    current = accelerations_printed(state, *decomposition(state.C))

    def residual(a: Floats) -> float:
        return float(np.abs(state.C @ a + state.eta).max())

    def error(a: Floats) -> float:
        return float(np.abs(a - exact).max())

    condition = float(np.linalg.cond(np.vstack([state.C, V2.T])))
    return Held(condition, error(printed), residual(printed), error(corrected), residual(corrected), error(current))


def identity_4_9() -> float:
    """|right - left| / |left| of eq. (4.9), C_phi = (C_phi M^-1 C_phi') (C_phi C_phi')^-1 C_phi M."""
    state = disk_start()
    C = state.C[:1]
    right = (C @ np.linalg.solve(state.M, C.T)) @ np.linalg.solve(C @ C.T, C @ state.M)
    return float(np.linalg.norm(right - C) / np.linalg.norm(C))


def factors_4_7_and_4_8() -> tuple[float, float]:
    """What (4.7) and (4.8) multiply y1 with to give the same lam_1."""
    state = disk_start()
    C = state.C[:1]
    first = np.linalg.solve(C @ C.T, C @ state.M @ C.T)
    second = np.linalg.solve(C @ np.linalg.solve(state.M, C.T), C @ C.T)
    return float(first[0, 0]), float(second[0, 0])


class Correction(NamedTuple):
    """Eq. (4.10) from a position that is off."""

    residuals: list[float]  # |phi| after each iteration
    weighted: float  # |d|_M of the first correction
    euclidean: float  # |d|_M of the shortest solution of (4.3)


def correction_4_10() -> Correction:
    """Newton by (4.10): it converges, and among all solutions of (4.3) its step is the smallest in the M norm."""
    state = disk_start()
    system, q = state.system, state.q + np.array([0.0, 0.0, 0.05, 0.1, 0.0, 0.0])
    residuals, sizes = [float(np.abs(system.phi(0.0, q)).max())], []
    for _ in range(4):
        M, C, phi = system.M(0.0, q), system.C(0.0, q)[: system.n_holonomic], system.phi(0.0, q)
        X = np.linalg.solve(M, C.T)
        d = -X @ np.linalg.solve(C @ X, phi)
        e = -np.linalg.pinv(C) @ phi
        sizes.append((float(np.sqrt(d @ M @ d)), float(np.sqrt(e @ M @ e))))
        q = q + d
        residuals.append(float(np.abs(system.phi(0.0, q)).max()))
    return Correction(residuals, *sizes[0])


# Shui & Zhang, section 5: symbols ---------------------------------------------------------------------------------------------


@cache
def symbolic_disk() -> dict[str, Any]:
    """The disk's equations derived from the frame (5.1), the kinetic energy (5.3) and the constraints (5.4)-(5.6), and the printed ones."""
    import sympy as sp

    m, r, g, ax, ay, az = sp.symbols("m rho g a_x a_y a_z")
    q, v = sp.symbols("x y z theta psi phi"), sp.symbols("dx dy dz dtheta dpsi dphi")
    theta, psi, (x1, y1, z1, dth, dps, dph) = q[3], q[4], v
    s, c, S, K = sp.sin(theta), sp.cos(theta), sp.sin(psi), sp.cos(psi)

    frame = sp.Matrix([[K, S, 0], [-c * S, c * K, s], [s * S, -s * K, c]])  # (5.1): rows e1, e2, e3
    omega = frame.T * sp.Matrix([dth, dps * s, dph + dps * c])  # (5.2), first line
    omega_printed = sp.Matrix([dth * K + dps * s * S, dth * S - dps * s * K, dph + dps * c])  # (5.2), second line

    T = m * (x1**2 + y1**2 + z1**2) / 2 + m * r**2 / 8 * (dth**2 + dps**2 * s**2 + 2 * (dph + dps * c) ** 2)
    p = [T.diff(u) for u in v]
    h = [T.diff(a) - m * g * int(a == q[2]) - sum(pi.diff(b) * u for b, u in zip(q, v, strict=True)) for a, pi in zip(q, p, strict=True)]
    h_printed = [
        0, 0, -m * g,
        m * r**2 * dps**2 * c * s / 4 + m * r**2 * dps * dph * s / 2,
        m * r**2 * dth * dps * c * s / 2 + m * r**2 * dth * dph * s / 2,
        m * r**2 * dth * dps * s / 2,
    ]  # fmt: skip

    rows = [z1 - r * c * dth, y1 + r * s * K * dth + r * c * S * dps + r * S * dph, x1 - r * s * S * dth + r * c * K * dps + r * K * dph]
    eta = [sum(row.diff(b) * u for b, u in zip(q, v, strict=True)) - a for row, a in zip(rows, (az, ay, ax), strict=True)]
    eta_printed = [
        r * dth**2 * s - az,
        r * dth**2 * c * K - 2 * r * dps * s * S + r * dps**2 * c * K + r * dps * dph * K - ay,
        -r * dth**2 * c * S - 2 * r * dps * s * K - r * dps**2 * c * S - r * dps * dph * S - ax,
    ]
    return {
        "symbols": {"m": m, "rho": r, "g": g, "ax": ax, "ay": ay, "az": az}, "q": q, "v": v, "h": h, "h_printed": h_printed,
        "omega": list(omega), "omega_printed": list(omega_printed), "eta": eta, "eta_printed": eta_printed,
    }  # fmt: skip


def symbolic_difference(name: str, row: int) -> Any:
    """printed - derived, simplified; `name` is omega, h or eta, `row` counts from 1."""
    import sympy as sp

    disk = symbolic_disk()
    return sp.simplify(sp.expand(disk[f"{name}_printed"][row - 1] - disk[name][row - 1]))


def numeric(name: str, row: int, state: State) -> tuple[float, float]:
    """The printed and the derived entry at a state of the shipped disk."""
    import sympy as sp

    disk = symbolic_disk()
    values = dict(zip(disk["q"] + disk["v"], [*state.q, *state.v], strict=True))
    parameters = mbsim.load_model(DISK).parameters
    values |= {symbol: parameters[key] for key, symbol in disk["symbols"].items()}
    return tuple(float(sp.sympify(disk[key][row - 1]).subs(values)) for key in (f"{name}_printed", name))  # type: ignore[return-value]


def plane_force() -> tuple[Floats, Floats]:
    """(lam, the plane's force [f_x, f_y, f_z] by Newton's law for the centre of mass), N. Eq. (5.11) says that they are equal."""
    state = disk_start()
    a, lam = lagrange(state)
    parameters = mbsim.load_model(DISK).parameters
    return lam, parameters["m"] * (a[:3] + np.array([0.0, 0.0, parameters["g"]]))


# Shui, Riemannian configuration space ---------------------------------------------------------------------------------------------


def orthonormal(P: Floats, M: Floats) -> Floats:
    """Modified Gram-Schmidt in the M inner product, eqs. (16)-(17): W' M W = I."""
    W = P.copy()
    for i in range(P.shape[1]):
        for j in range(i):
            W[:, i] -= (W[:, j] @ M @ W[:, i]) * W[:, j]
        W[:, i] /= np.sqrt(W[:, i] @ M @ W[:, i])
    return W


def riemann(literal: bool, step: float, end: float = SHORT_END) -> Floats:
    """q(end) of the disk on a plane at rest: eqs. (21), (22), (28) as printed, or v_dot = a_p + W2 W2' (h - M a_p) with u = V2' v."""
    made = mbsim.assemble(mbsim.load_model(DISK, parameters=PLANE_AT_REST))
    system, m, n = made.system, made.system.n_rows, made.system.n_v
    k = n - m
    _, V2 = decomposition(system.C(0.0, made.q))  # held

    def rate(t: float, z: Floats) -> Floats:
        u, q = z[:k], z[k:]
        M, C = system.M(t, q), system.C(t, q)
        W2 = orthonormal(np.hstack([np.linalg.solve(M, C.T), V2]), M)[:, m:]
        A = np.vstack([V2.T, C])
        v = W2 @ u if literal else np.linalg.solve(A, np.concatenate([u, np.zeros(m)]))
        state = at_state(system, t, q, v)
        a = np.linalg.solve(A, np.concatenate([np.zeros(k), -state.eta]))  # (28)
        projected = W2.T @ (state.h - M @ a)
        return np.concatenate([projected if literal else V2.T @ (a + W2 @ projected), v])

    M, C = system.M(0.0, made.q), system.C(0.0, made.q)
    W2 = orthonormal(np.hstack([np.linalg.solve(M, C.T), V2]), M)[:, m:]
    z = np.concatenate([(W2.T @ M if literal else V2.T) @ made.v, made.q])
    for i in range(round(end / step)):
        z = rk4(rate, i * step, z, step)
    return z[k:]


def riemann_errors(literal: bool) -> list[float]:
    """Largest error of a coordinate at SHORT_END against mbsim's reference, for each of STEPS."""
    model = mbsim.load_model(DISK, parameters=PLANE_AT_REST)
    reference = mbsim.simulate(model, method="lagrange", end=SHORT_END, step=2e-4, drift="none")["q"][-1]
    return [float(np.abs(riemann(literal, step) - reference).max()) for step in STEPS]


# The table ------------------------------------------------------------------------------------------------------------------------


def table() -> list[Row]:
    """Every erratum with what the printed formula gives and what is right."""
    start = disk_start()
    printed_table, corrected_table, weight = block_on_a_table()
    held, newton, (first, second), (lam, force) = held_decomposition(), correction_4_10(), factors_4_7_and_4_8(), plane_force()
    assert np.isclose(corrected_table, weight)
    rows = [
        Row("(3.5) current V2", f"largest error of v_dot at t = {LATER:g} s", number(held.current_error), "0"),
        Row("(3.6)-(3.7) held", f"largest error of v_dot at t = {LATER:g} s", number(held.printed_error), number(held.corrected_error)),
        Row("(3.6)-(3.7) held", "condition number of [C; V2'] then", number(held.condition), "the same"),
        Row("(3.6)-(3.7) held", "largest entry of C v_dot + eta", number(held.printed_residual), number(held.corrected_residual)),
        Row("(4.2)", "lam of the disk at its start, N", vector(multipliers_printed(start)), vector(lagrange(start)[1])),
        Row("(4.2)", "reaction of a table on a block, N", number(printed_table), number(corrected_table)),
        Row("(4.7), (4.8)", "factor of y1 in lam_1", f"{number(first)} and {number(second)}", "equal"),
        Row("(4.9)", "|right - left| / |left|", number(identity_4_9()), "0"),
        Row("(4.10)", "|phi| from one iteration to the next, m", " ".join(number(x) for x in newton.residuals), "to 0"),
        Row("(4.10)", "|d|_M; shortest d of (4.3)", f"{number(newton.weighted, 4)}; {number(newton.euclidean, 4)}", "smaller"),
    ]
    for row in (1, 2, 3):
        printed, derived = numeric("omega", row, start)
        rows.append(Row(f"(5.2) line 2, i_{row}", "angular velocity at the start, rad/s", number(printed), number(derived)))
    for name, equation, row in (("h", "(5.8)", 4), ("eta", "(5.10)", 2), ("eta", "(5.10)", 3)):
        printed, derived = numeric(name, row, start)
        rows.append(Row(f"{equation} row {row}", f"{name} at the start", number(printed), number(derived)))
    error = f"error of q at {SHORT_END:g} s, steps {', '.join(f'{step:g}' for step in STEPS)} s"
    kept = f"error of q of quick_return at {HOLD_END:g} s, steps {', '.join(f'{step:g}' for step in HOLD_STEPS)} s"
    at = f", steps {', '.join(f'{step:g}' for step in PENDULUM_STEPS)} s"
    found = [root_finding(step) for step in PENDULUM_STEPS]
    motion = mbsim.load_model(DISK, parameters=PLANE_AT_REST), SHORT_END, STEPS
    theta, psi = start.q[3:5]
    angle, components, transfers = errata_definitions.rows(float(theta), float(psi), start.M, start.h, start.v)
    return [
        *rows,
        *angle,
        Row("(5.11)", "lam = [f_x f_y f_z]', N", vector(force), vector(lam)),
        Row("Riemann (28)", error, series(riemann_errors(True)), series(riemann_errors(False))),
        Row("Riemann (28)", f"the same by mbsim, `{RIEMANN}`; by `riemann`", *map(series, wrong_errors(RIEMANN, "riemann", *motion))),
        Row("(3.6)-(3.7) held", f"the same by mbsim, `{SVD}`; by `svd`", *map(series, wrong_errors(SVD, "svd", *motion))),
        Row("SVD below (3.7)", kept, series(hold_errors("paper")), ", ".join(map(number, hold_errors("tangent")))),
        *components,
        Row(
            "Yang (14)-(18)", f"lam of a step at its end, part of the largest that is wrong{at}", *(series([x.at_end for x in found]), "0")
        ),
        Row("Yang (14)-(18)", f"velocity along the rod, m/s{at}", series([x.velocity for x in found]), "0"),
        *errata_yang.rows(),
        *transfers,
        *errata_trees.rows(),
    ]


def text() -> str:
    """The table in Markdown."""
    lines = ["| equation | quantity | as printed | correct |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in table())])


def main() -> None:
    from command_line import parser  # here, because a test runs this file without its folder on the import path

    parser(__doc__).parse_args()
    print(text())


if __name__ == "__main__":
    main()
