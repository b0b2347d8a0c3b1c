"""Ordinary runs of random regular mechanisms with default options: none stops, and none is wrong.

    python scripts/attack/ordinary_runs.py                         # 5000 mechanisms
    python scripts/attack/ordinary_runs.py --quick                 # 12
    python scripts/attack/ordinary_runs.py --places 10             # the oracle's motion for each tenth: a third of the time
    python scripts/attack/ordinary_runs.py --integrator rk45       # by another integrator, at the tolerances of the default

One to four bodies are held by joints of one to twenty rows and started with random speeds of up to 60 rad/s, in absolute or joint
coordinates, and run for up to 50 s. Speeds and times are drawn evenly in their logarithms. The oracle is plain NumPy: the rows of each
joint in bodies' poses, M v_dot = h + C' lam and C v_dot + eta = 0 (index 1) solved densely, integrated by SciPy's DOP853. It shares no
code with mbsim but the first row of the result. What has to hold of a mechanism that is regular, which is that the smallest singular
value of the oracle's C, its columns in the metric of M and its rows made unit, stays above REGULAR in all rows of the result:

- `stopped`: the run is complete;
- `wrong`: bodies are where the oracle has them, to TOLERANCE of the mechanism's length or SAID times the oracle's own error, for as long
  as the fastest body turns by some TURNS radians; and the oracle's constraints and the energy hold in every row of the run;
- `error`: nothing is raised but SimulationError.

The others, whose motion comes near a singular position, are counted as `singular`, complete or not.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from drawn import across, direction
from scipy.integrate import solve_ivp

import mbsim
from mbsim import registry
from mbsim.model.load import load

FULL, QUICK = 5000, 12
MOST_ROWS, FASTEST, LONGEST = 20, 60.0, 50.0  # -, rad/s, s
REGULAR = 0.02
DRAWN = 0.1  # smallest singular value of a mechanism as it is drawn
TOLERANCE, SAID = 2e-5, 10.0  # of 1 m; of the oracle's error
HELD = 1e-6  # of the constraints, m
ENERGY = 1e-5  # of the largest kinetic energy and of what gravity does over 1 m
TURNS, SPAN = 10.0, 1.0  # rad, s: over which the oracle is asked, at most
LOOKED = 100  # rows of a result at which its singular value is taken
G = 9.81
NEXT, AFTER = [1, 2, 0], [2, 0, 1]
KINDS = {
    "spherical": 3, "revolute": 5, "universal": 4, "cylindrical": 4, "prismatic": 5, "distance": 1, "point_on_plane": 1,
    "point_on_line": 2, "perpendicular_axes": 1, "parallel_axes": 2, "planar": 3,
}  # fmt: skip
GOOD = ("right", "singular")
Floats = np.ndarray


class Finding(NamedTuple):
    """What one run came to."""

    seed: int
    verdict: str
    detail: str


def cross(a: Floats, b: Floats) -> Floats:
    """The cross products of vectors (..., 3); NumPy's own takes ten times as long for a few."""
    return np.asarray(a[..., NEXT] * b[..., AFTER] - a[..., AFTER] * b[..., NEXT])


def skew(x: Floats) -> Floats:
    """The matrices (..., 3, 3) of the cross products with x (..., 3)."""
    out = np.zeros((*x.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    return out - np.swapaxes(out, -1, -2)


def turn(p: Floats) -> Floats:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4), scalar first."""
    p = p / np.linalg.norm(p, axis=-1, keepdims=True)
    s, S = p[..., :1, None], skew(p[..., 1:])
    return np.asarray(np.eye(3) + 2.0 * s * S + 2.0 * S @ S)


class Oracle:
    """Bodies with rows of three kinds: c.d = 0 and d.d = const for d from a point of one body to one of another, a.b = const of directions.

    A state is (x (n, 3), p (n, 4), v (n, 3), w (n, 3)) with angular velocities in global axes. Body n is the ground.
    """

    def __init__(self, masses: Floats, inertias: Floats, x: Floats) -> None:
        """`x` (n, 3) are the positions as drawn, where all bodies have the global axes."""
        self.n, self.masses, self.J = len(masses), masses, inertias
        self.x = np.vstack([x, np.zeros(3)])
        self.rows: list[tuple[int, int, int, Floats, Floats, Floats, Floats]] = []  # kind, i, j, in each, axis in i, const

    def add(self, kind: str, i: int, j: int, at: Floats, axes: Floats) -> None:
        """A joint: `at` (2, 3) in both bodies, `axes` (2, 3) of both, as drawn."""
        s_i, s_j, a, b = at[0] - self.x[i], at[1] - self.x[j], axes[0], axes[1]
        u = cross(a, np.eye(3)[0 if abs(a[0]) < 0.7 else 1])
        u /= np.linalg.norm(u)
        w = cross(a, u)
        along = {
            "spherical": (a, u, w), "revolute": (a, u, w), "universal": (a, u, w), "cylindrical": (u, w), "prismatic": (u, w),
            "point_on_plane": (a,), "point_on_line": (u, w), "planar": (a,),
        }.get(kind, ())  # fmt: skip
        self.rows += [(0, i, j, s_i, s_j, c, np.zeros(1)) for c in along]
        if kind == "distance":
            self.rows.append((2, i, j, s_i, s_j, a, np.array([0.5 * np.sum((at[1] - at[0]) ** 2)])))
        pairs = {
            "revolute": ((a, u), (a, w)), "cylindrical": ((a, u), (a, w)), "prismatic": ((a, u), (a, w), (u, w)),
            "parallel_axes": ((a, u), (a, w)), "planar": ((a, u), (a, w)), "universal": ((a, b),), "perpendicular_axes": ((a, b),),
        }.get(kind, ())  # fmt: skip
        self.rows += [(1, i, j, f, g, f, np.zeros(1)) for f, g in pairs]

    def close(self) -> None:
        """Make arrays of the rows."""
        kinds, i, j, first, second, axes, constants = zip(*self.rows, strict=True)
        self.kinds, self.i, self.j = np.array(kinds), np.array(i), np.array(j)
        self.first, self.second, self.axes = np.array(first), np.array(second), np.array(axes)
        self.constants = np.array(constants)[:, 0]

    def terms(self, x: Floats, p: Floats, v: Floats, w: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """phi (m,), C (m, 6 n), eta (m,) and R (n, 3, 3) at one state."""
        n, i, j, pairs = self.n, self.i, self.j, self.kinds == 1
        zero = np.zeros((1, 3))
        x, v, w = np.vstack([x, zero]), np.vstack([v, zero]), np.vstack([w, zero])
        R = np.concatenate([turn(p), np.eye(3)[None]])
        f, g, c = ((R[k] @ y[..., None])[..., 0] for k, y in ((i, self.first), (j, self.second), (i, self.axes)))
        d = x[j] + g - x[i] - f
        w_i, w_j = w[i], w[j]
        df, dg, dc = cross(w_i, f), cross(w_j, g), cross(w_i, c)
        dd = v[j] + dg - v[i] - df
        bend = cross(w_j, dg) - cross(w_i, df)
        c = np.where((self.kinds == 2)[:, None], d, c)
        square = self.kinds == 2
        ci = np.where(square[:, None], 0.0, cross(c, d))  # of c, which turns with i
        phi = np.where(pairs, np.sum(f * g, 1), np.where(square, 0.5, 1.0) * np.sum(c * d, 1)) - self.constants
        fg = cross(f, g)
        on_i = np.where(pairs[:, None], fg, -cross(f, c) + ci)
        on_j = np.where(pairs[:, None], -fg, cross(g, c))
        own = np.sum(c * bend, 1) + np.where(square, np.sum(dd * dd, 1), 2 * np.sum(dc * dd, 1) + np.sum(cross(w_i, dc) * d, 1))
        eta = np.where(pairs, np.sum(cross(w_i, df) * g + 2 * df * dg + f * cross(w_j, dg), 1), own)
        m, moves = len(i), np.where(pairs[:, None], 0.0, c)
        C, rows = np.zeros((m, n + 1, 6)), np.arange(m)
        C[rows, i, :3] -= moves
        C[rows, i, 3:] += on_i
        C[rows, j, :3] += moves
        C[rows, j, 3:] += on_j
        return phi, C[:, :n].reshape(m, 6 * n), eta, R[:n]

    def weights(self, R: Floats) -> Floats:
        """L^-1 (n, 6, 6) with M = L L' of each body, in global axes."""
        out = np.zeros((self.n, 6, 6))
        out[:, range(3), range(3)] = 1.0 / np.sqrt(self.masses)[:, None]
        out[:, 3:, 3:] = R * (1.0 / np.sqrt(self.J))[:, None, :]
        return out

    def regularity(self, x: Floats, p: Floats) -> float:
        """The smallest singular value of unit rows, columns in the metric of M."""
        still = np.zeros((self.n, 3))
        _, C, _, R = self.terms(x, p, still, still)
        Y = np.einsum("mbi,bij->mbj", C.reshape(-1, self.n, 6), self.weights(R)).reshape(len(C), -1)
        lengths = np.linalg.norm(Y, axis=1)
        if len(Y) > Y.shape[1] or not lengths.min() > 0.0:
            return 0.0
        return float(np.linalg.svd(Y / lengths[:, None], compute_uv=False)[-1])

    def rates(self, t: float, y: Floats) -> Floats:
        """The index-1 equations."""
        n = self.n
        x, p, v, w = y[: 3 * n].reshape(n, 3), y[3 * n : 7 * n].reshape(n, 4), y[7 * n : 10 * n].reshape(n, 3), y[10 * n :].reshape(n, 3)
        _, C, eta, R = self.terms(x, p, v, w)
        W = self.weights(R)
        moment = -cross(w, (R @ (self.J[..., None] * (np.swapaxes(R, 1, 2) @ w[..., None])))[..., 0])
        h = np.concatenate([self.masses[:, None] * np.array([0.0, 0.0, -G]), moment], axis=1)
        free = (np.swapaxes(W, 1, 2) @ h[..., None]).reshape(-1)
        Y = np.einsum("mbi,bij->mbj", C.reshape(-1, n, 6), W).reshape(len(C), -1)
        free += Y.T @ np.linalg.solve(Y @ Y.T, -eta - Y @ free)
        a = (W @ free.reshape(n, 6, 1))[..., 0]
        s, e = p[:, :1], p[:, 1:]
        dp = 0.5 * np.concatenate([-np.sum(w * e, 1, keepdims=True), s * w + cross(w, e)], axis=1)
        return np.concatenate([v.ravel(), dp.ravel(), a[:, :3].ravel(), a[:, 3:].ravel()])

    def energies(self, x: Floats, p: Floats, v: Floats, w: Floats) -> tuple[Floats, Floats]:
        """Kinetic and potential energy of rows (k, n, ...)."""
        own = np.einsum("knji,knj->kni", turn(p), w)
        kinetic = 0.5 * (np.sum(self.masses * np.sum(v * v, 2), 1) + np.sum(self.J * own * own, (1, 2)))
        return kinetic, G * np.sum(self.masses * x[:, :, 2], 1)


def drawn(seed: int) -> tuple[dict[str, Any], Oracle, float]:
    """A model block, its oracle, and the size of its speeds, rad/s and m/s."""
    rng = np.random.default_rng([30, seed])
    while True:
        n = int(rng.integers(1, 5))
        masses, inertias, x = rng.uniform(0.3, 3.0, n), rng.uniform(0.05, 0.09, (n, 3)), rng.uniform(-1.0, 1.0, (n, 3))
        inertias *= masses[:, None]
        oracle, rows = Oracle(masses, inertias, x), 0
        joints: dict[str, Any] = {}
        most = int(rng.integers(1, min(MOST_ROWS, 6 * n - 1) + 1))
        for _ in range(20):
            kind = str(rng.choice(list(KINDS)))
            if rows + KINDS[kind] > most:
                continue
            i, j = rng.choice(n + 1, 2, replace=False)
            j, i = min(i, j), max(i, j)  # the ground, if it is one of them, comes first
            at = rng.uniform(-1.0, 1.0, (2, 3))
            at[1] = at[1] if kind == "distance" else at[0]
            a = direction(rng)
            b = across(a, rng) if kind in ("universal", "perpendicular_axes") else a
            oracle.add(kind, i, j, at, np.array([a, b]))
            names = ["ground" if k == n else f"b{k}" for k in (i, j)]
            entry: dict[str, Any] = {"type": kind, "bodies": names}
            if kind not in ("perpendicular_axes", "parallel_axes"):
                entry["at"] = at.tolist() if kind == "distance" else at[0].tolist()
            if kind in ("universal", "perpendicular_axes"):
                entry["axes"] = [a.tolist(), b.tolist()]
            elif kind not in ("spherical", "distance"):
                entry["axis"] = a.tolist()
            joints[f"j{len(joints)}"] = entry
            rows += KINDS[kind]
        if not joints:
            continue
        oracle.close()
        if oracle.regularity(x, np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))) > DRAWN:
            break
    bodies = {f"b{k}": {"mass": float(masses[k]), "inertia": inertias[k].tolist(), "position": x[k].tolist()} for k in range(n)}
    spin = 0.0 if rng.uniform() < 0.3 else float(np.exp(rng.uniform(0.0, np.log(FASTEST))))
    end = float(np.exp(rng.uniform(0.0, np.log(LONGEST))))
    block = {"name": f"ordinary {seed}", "dimension": 3, "gravity": [0.0, 0.0, -G], "bodies": bodies, "joints": joints}
    block["coordinates"] = str(rng.choice(["absolute", "joint"]))
    block["simulation"] = {"end": end}
    return block, oracle, spin


def judge(seed: int, placed: bool = True, **settings: Any) -> Finding:
    """Run a mechanism and hold it against its oracle, whose motion is integrated if `placed`."""
    block, oracle, spin = drawn(seed)
    rng = np.random.default_rng([31, seed])
    stop = ""
    try:
        made = mbsim.assemble(load(yaml.dump(block, sort_keys=False), registry, file="model.yaml"))
        turns = np.array([unit.startswith("rad") for unit in made.system.speed_units])
        v = np.where(turns, spin, min(spin, 3.0)) * rng.uniform(-1.0, 1.0, made.system.n_v)
        result = mbsim.simulate(made, v=v, **settings)
    except mbsim.SimulationError as error:
        if error.result is None:
            return Finding(seed, "error", f"no result: {error}")
        result, stop = error.result, str(error)
    except Exception as error:
        return Finding(seed, "error", f"{type(error).__name__}: {error}")
    x, p, v, w = (result[name] for name in ("body_position", "body_orientation", "body_velocity", "body_angular_velocity"))
    least = min(oracle.regularity(x[k], p[k]) for k in np.unique(np.linspace(0, len(x) - 1, LOOKED).astype(int)))
    about = f"{block['coordinates']}, {len(x[0])} bodies, {len(oracle.kinds)} rows, {result.attributes['method']}, sigma {least:.2g}"
    if least < REGULAR:
        return Finding(seed, "singular", f"{about}; {stop or 'complete'}")
    held = max(float(np.abs(oracle.terms(x[k], p[k], v[k], w[k])[0]).max()) for k in {0, len(x) // 2, len(x) - 1})
    kinetic, potential = oracle.energies(x, p, v, w)
    lost = float(np.abs(kinetic + potential - kinetic[0] - potential[0]).max()) / (kinetic.max() + G * oracle.masses.sum())
    off, doubt = compared(oracle, result.time, x, p, v, w) if placed else (0.0, 0.0)
    about += f"; {off:.1e} m off (oracle {doubt:.1e})" if placed else ""
    about += f"; constraints {held:.1e} m, energy {lost:.1e}"
    if stop:
        return Finding(seed, "stopped", f"{about}; {stop}")
    wrong = off > max(TOLERANCE, SAID * doubt) or held > HELD or lost > ENERGY
    return Finding(seed, "wrong" if wrong else "right", about)


def compared(oracle: Oracle, times: Floats, x: Floats, p: Floats, v: Floats, w: Floats) -> tuple[float, float]:
    """By how much (m) bodies are off the oracle's places and, where that matters, these off those at a hundredth of its tolerance."""
    span = min(SPAN, TURNS / max(float(np.abs(w[0]).max()), 1e-3))
    last = max(1, int(np.searchsorted(times, times[0] + span, "right")) - 1)
    y, n = np.concatenate([part[0].ravel() for part in (x, p, v, w)]), 3 * oracle.n

    def places(rtol: float) -> Floats:
        found = solve_ivp(oracle.rates, (times[0], times[last]), y, "DOP853", times[: last + 1], rtol=rtol, atol=rtol)
        return np.asarray(found.y[:n].T.reshape(-1, oracle.n, 3))

    expected = places(1e-9)
    off = float(np.abs(expected - x[: last + 1]).max())
    return off, float(np.abs(expected - places(1e-11)).max()) if off > TOLERANCE else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} mechanisms")
    parser.add_argument("--count", type=int, default=None, help=f"mechanisms; {FULL} if not given")
    parser.add_argument("--places", type=int, default=1, help="every so many mechanisms the oracle's motion is integrated")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--integrator", help="in place of the default, with rtol 1e-9 and atol 1e-10")
    parser.add_argument("--method", help="in place of the default")
    parser.add_argument("--save", type=Path, help="file to which findings are added, a line of JSON each")
    given = parser.parse_args()
    settings = {"integrator": given.integrator, "rtol": 1e-9, "atol": 1e-10} if given.integrator else {}
    settings |= {"method": given.method} if given.method else {}
    counted: Counter[str] = Counter()
    began = time.monotonic()
    try:
        for seed in range(given.first, given.first + (given.count or (QUICK if given.quick else FULL))):
            finding = judge(seed, seed % given.places == 0, **settings)
            complete = finding.verdict != "singular" or finding.detail.endswith("complete")
            counted[finding.verdict if complete else "singular, stopped"] += 1
            if finding.verdict not in GOOD:
                print(*finding, flush=True)
            if given.save:
                with given.save.open("a") as file:
                    file.write(json.dumps(finding) + "\n")
    except KeyboardInterrupt:
        pass
    print(f"{counted.total()} mechanisms in {time.monotonic() - began:.0f} s: {dict(counted)}")
    return 1 if counted.keys() - {*GOOD, "singular, stopped"} else 0


if __name__ == "__main__":
    sys.exit(main())
