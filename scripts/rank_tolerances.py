"""Measures what the tolerances of ranks and singular positions decide about (`mbsim.kernels.ranks`), on both sides of each.

    python scripts/rank_tolerances.py            # the shipped models, redundant mechanisms, random families
    python scripts/rank_tolerances.py --quick    # a few of them

Motions are run, and at states along them the pivots of C are found in three ways: as singular values with slides in arms of the mechanism,
with pivoting in the metric of M, and as distances of the rows that an elimination of C M^-1 C' puts off. Rows that depend on
others in the whole motion are one side, the weakest of the others the other one. The positions of folded mechanisms are measured where
their residual is the tolerance of the drift. docs/methods/redundant_rows.md and docs/methods/singular_positions.md quote what it prints.
"""

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from command_line import MODELS, ROOT, parser
from measuring import table
from numpy.typing import NDArray
from scipy.linalg import qr

import mbsim
from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.redundancy import column_scales, decompose, singular_values
from mbsim.kernels import ranks
from mbsim.saddle.joints.independent import PUT_OFF
from mbsim.system.system import System

sys.path.insert(1, str(ROOT / "tests"))
sys.path.insert(1, str(ROOT / "scripts" / "attack"))
import families
import redundant_mechanisms  # type: ignore[import-not-found]

Floats = NDArray[np.float64]
ROWS = 25  # looked at along a motion
REDUNDANT, OF_FAMILY = 24, 2
DRIFT = 1e-10  # the tolerance of residuals of positions
DECADES = range(-9, 1)
POSITIONS = {name: getattr(ranks, name) for name in ("FOLDED", "TOUCHING", "NEAR")}
SHIFT = 1.0  # of the largest entry: by how much a row that contradicts is changed


class Motion(NamedTuple):
    """A system and states (t, q, v) of its motion; `closest`: the smallest singular value between rows where one was passed, else inf."""

    name: str
    system: System
    states: list[tuple[float, Floats, Floats]]
    closest: float


class Sides:
    """The largest and the smallest values on both sides of a tolerance."""

    def __init__(self) -> None:
        self.below: list[float] = []
        self.above: list[float] = []

    @classmethod
    def parted(cls, values: list[float], at: float) -> "Sides":
        """Those below a value and those above."""
        made = cls()
        made.below, made.above = [value for value in values if value < at], [value for value in values if value >= at]
        return made

    def row(self, name: str, value: float, what: str) -> tuple[str, ...]:
        low = f"{max(self.below):.1e} of {len(self.below)}" if self.below else "-"
        high = f"{min(self.above):.1e} of {len(self.above)}" if self.above else "-"
        return name, what, low, f"{value:g}", high


def sources(quick: bool) -> Iterator[tuple[str, Any]]:
    """Names and models."""
    for path in islice(sorted(MODELS.glob("*.yaml")), 0, 4 if quick else None):
        yield path.stem, path
    for seed, block, _ in redundant_mechanisms.mechanisms(range(2 if quick else REDUNDANT)):
        yield f"redundant {seed}", block
    for family in islice(families.FAMILIES, 2 if quick else None):
        for seed in range(1 if quick else OF_FAMILY):
            yield f"{family} {seed}", families.mechanism(family, seed).block(**families.placed(family, seed))


def motions(quick: bool) -> Iterator[Motion]:
    """Motions of all systems with constraints, up to 2 s."""
    for name, source in sources(quick):
        try:
            made = mbsim.assemble(source if isinstance(source, dict) else mbsim.load_model(source))
            system = made.system
            if not system.n_rows or is_large(system):
                continue
            model = source if isinstance(source, dict) else mbsim.load_model(source)
            result = mbsim.simulate(model, end=min(2.0, _end(model)))
        except (mbsim.SimulationError, mbsim.StartError, ValueError) as error:
            print(f"  {name} is left out: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        times, q, v = (np.asarray(result[key]) for key in ("time", "q", "v"))
        picked = np.unique(np.linspace(0, len(times) - 1, ROWS).astype(int))
        passed = [c["singular_value"] for c in result.attributes.get("rank_changes", []) if c["after"] == c["before"]]
        yield Motion(name, system, [(float(times[k]), q[k], v[k]) for k in picked], min(passed, default=np.inf))


def _end(model: Any) -> float:
    block = model["simulation"] if isinstance(model, dict) else model.simulation
    return float(block["end"] if isinstance(block, dict) else block.end)


class Pivots(NamedTuple):
    """Of unit rows in the metric of M, the largest first."""

    best: Floats  # (m,) with pivoting
    kept: int  # rows that an elimination of C M^-1 C' in their order keeps at first
    distances: Floats  # (k,) of the rows that it puts off from these, with pivoting


def pivots(C: Floats, M: Floats, shares: Floats) -> Pivots:
    """The pivots of C as the dense methods find them, and as the elimination by blocks does (`mbsim.saddle.joints.independent`)."""
    Y = np.linalg.solve(np.linalg.cholesky(M), C.T).T
    Y = Y / np.maximum(np.linalg.norm(Y, axis=1), 1e-300)[:, None] * np.minimum(1.0, shares / 0.1)[:, None]
    S = Y @ Y.T
    left = np.zeros(len(S))
    for k in range(len(S)):
        left[k] = S[k, k]
        if left[k] > PUT_OFF:
            S[k + 1 :] -= np.outer(S[k + 1 :, k] / left[k], S[k])
    kept = left > PUT_OFF
    Q = np.linalg.qr(Y[kept].T)[0]
    rest = Y[~kept] - (Y[~kept] @ Q) @ Q.T
    return Pivots(_by_pivoting(Y), int(np.sum(kept)), _by_pivoting(rest))


def _by_pivoting(Y: Floats) -> Floats:
    return np.asarray(np.abs(np.diag(qr(Y.T, mode="r", pivoting=True)[0]))) if len(Y) else np.zeros(0)


def of_symmetric(M: Floats) -> float:
    """The smallest pivot of M over the diagonal entry that it is left of."""
    A, least = M.copy(), 1.0
    for k in range(len(A)):
        least = min(least, abs(A[k, k]) / M[k, k])
        if A[k, k] != 0.0:
            A[k + 1 :] -= np.outer(A[k + 1 :, k] / A[k, k], A[k])
    return least


def folded(reach: float) -> Iterator[float]:
    """Singular values of linkages that fold onto a line, off it in a free direction by what leaves a residual of `reach`."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b, c = rng.uniform(0.5, 2.0, 3)
        rods = {"crank": (0.0, a), "coupler": (a, a + b), "rocker": (a + b - c, a + b)}
        bodies = {name: {"mass": 1.0, "inertia": (y - x) ** 2 / 12, "position": [(x + y) / 2, 0.0]} for name, (x, y) in rods.items()}
        pairs = {"O": ("ground", "crank", 0.0), "A": ("crank", "coupler", a), "B": ("coupler", "rocker", a + b)}
        pairs["C"] = ("rocker", "ground", a + b - c)
        joints = {name: {"type": "revolute", "bodies": [i, j], "at": [x, 0.0]} for name, (i, j, x) in pairs.items()}
        block = {"name": "folded", "dimension": 2, "bodies": bodies, "joints": joints, "simulation": {"end": 1.0, "step": 1e-3}}
        made = mbsim.assemble(block)
        system, q = made.system, made.q
        C = system.C(0.0, q)
        scales = column_scales(system, C)
        found = decompose(C * scales)
        for d in found.V[found.rank :]:
            low, high = 1e-9, 1e-1
            for _ in range(60):
                middle = float(np.sqrt(low * high))
                off = float(np.abs(system.phi(0.0, system.move(q, middle * scales * d))).max())
                low, high = (middle, high) if off < reach else (low, middle)
            values = singular_values(system.C(0.0, system.move(q, low * scales * d)) * scales)
            yield float(values[-1] / values[0])


def consistency(found: Any, eta: Floats, sides: Sides) -> None:
    """What dependencies leave of eta, of its largest entry; and of an eta of which one row is shifted."""
    largest = float(np.abs(eta).max(initial=0.0))
    if largest == 0.0:
        return
    for u in found.U[:, found.rank :].T / found.norms:
        u = u / np.linalg.norm(u)
        sides.below.append(abs(float(u @ eta)) / largest)
        sides.above.append(SHIFT * float(np.abs(u).max()))


def main() -> None:
    quick = parser(__doc__).parse_args().quick
    sigma, pivot, distances, consistent, masses, touched = (Sides() for _ in range(6))
    weakest: list[float] = []
    rng = np.random.default_rng(1)
    for motion in motions(quick):
        system, kept = motion.system, []
        for t, q, v in motion.states:
            M, _, C, _, eta, _ = system.terms(t, q, v)
            shares = system.arrays.row_shares.copy()
            found = decompose(C * column_scales(system, C), shares)
            kept.append((found, pivots(C, M, shares), eta))
            masses.above.append(of_symmetric(M))
            if len(M) > 1:
                unit, x = M / np.sqrt(np.outer(np.diag(M), np.diag(M))), rng.choice([-1.0, 1.0], len(M))
                masses.below.append(of_symmetric(unit - np.outer(unit @ x, unit @ x) / (x @ unit @ x)))
        rank = max(found.rank for found, _, _ in kept)
        for found, by, eta in kept:
            values = found.sigma / found.sigma[0]
            sigma.below += list(values[rank:])
            sigma.above.append(float(values[rank - 1]))
            pivot.below += list(by.best[rank:])
            pivot.above.append(float(by.best[rank - 1]))
            weakest.append(float(by.best[rank - 1]))
            independent = rank - by.kept
            distances.below += list(by.distances[independent:])
            distances.above += list(by.distances[:independent])
            consistency(found, eta, consistent)
        least = min(float(found.sigma[rank - 1] / found.sigma[0]) for found, _, _ in kept)
        (touched.below if motion.closest < np.inf else touched.above).append(min(least, motion.closest))
    landed = Sides()
    landed.below = list(folded(DRIFT))
    landed.above = sigma.above
    print(
        table(
            ("tolerance", "of", "largest below", "value", "smallest above"),
            [
                sigma.row("`RANK_TOLERANCE`", ranks.RANK_TOLERANCE, "singular values: rows that depend on others, the weakest that do not"),
                pivot.row("`RANK_TOLERANCE`", ranks.RANK_TOLERANCE, "pivots in the metric of M, likewise"),
                distances.row("`BLOCK_TOLERANCE`", ranks.BLOCK_TOLERANCE, "distances of the rows that an elimination puts off, likewise"),
                landed.row("`LANDED`", ranks.LANDED, "singular values: folded linkages with a residual of 1e-10, motions"),
                Sides.parted(weakest, ranks.FOLDED).row("`FOLDED`", ranks.FOLDED, "weakest pivots of motions: below and above it"),
                touched.row("`TOUCHING`", ranks.TOUCHING, "smallest singular values: of motions with passages, of others"),
                Sides.parted(weakest, ranks.NEAR).row("`NEAR`", ranks.NEAR, "weakest pivots of motions: below and above it"),
                consistent.row("`CONSISTENT`", ranks.CONSISTENT, "what dependencies leave of eta, and of one with a row shifted"),
                masses.row("`ROUND_OFF`", ranks.ROUND_OFF, "pivots of M: without inertia in a direction, as it is"),
            ],
        )
    )
    counts = np.histogram(np.log10(np.maximum(weakest, 1e-9)), [*DECADES, 0.5])[0]
    print(f"\nWeakest pivots of {len(weakest)} states, by decades:\n")
    print(table([f"1e{k}" for k in DECADES], [[str(n) for n in counts]]))
    below = [f"{100.0 * np.mean(np.array(weakest) < value):.2g} % below `{name}` = {value:g}" for name, value in POSITIONS.items()]
    print(f"\n{', '.join(below)}.")


if __name__ == "__main__":
    main()
