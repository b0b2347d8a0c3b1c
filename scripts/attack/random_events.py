"""Random models with random events against SciPy's `solve_ivp` with events: when they happen, and where the motion ends.

    python scripts/attack/random_events.py [--count 200] [--seed 0] [--integrator dop853]

A model has one to three coordinates, springs between them, damping and a drive. Its events watch sums of coordinates, speeds and the time;
they record, set coordinates and speeds, or switch the drive. The oracle integrates the same equations, written down here, with DOP853 at
1e-12, stops at each event and does the same.
"""

import argparse
import sys
from collections import Counter
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import mbsim

END = 6.0
AGREES = 1e-6  # s, of times, and of the state at the end over its size; of integrators of order 2 a hundred times as much
MOST = 60  # events of a model


def drawn(seed: int) -> dict[str, Any]:
    """A random model: its numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    K = rng.uniform(-1.0, 1.0, (n, n))
    K = K @ K.T + np.diag(rng.uniform(1.0, 20.0, n))
    events = []
    for _ in range(int(rng.integers(1, 4))):
        a, b, c = rng.uniform(-1.0, 1.0, n), rng.uniform(-0.3, 0.3, n) * (rng.random() < 0.5), rng.uniform(-0.3, 0.3) * (rng.random() < 0.5)
        kind = str(rng.choice(["record", "back", "shift", "drive"]))
        at = int(rng.integers(0, n))
        direction = str(rng.choice(["up", "down", "any"]))
        events.append({"a": a, "b": b, "c": float(c), "d": float(rng.uniform(-0.4, 0.4)), "kind": kind, "at": at, "direction": direction,
                       "by": float(rng.uniform(0.3, 0.9))})  # fmt: skip
    return {
        "n": n, "K": K, "damping": rng.uniform(0.0, 0.3, n), "drive": float(rng.uniform(0.0, 2.0)), "rate": float(rng.uniform(0.5, 4.0)),
        "q": rng.uniform(-1.0, 1.0, n), "v": rng.uniform(-2.0, 2.0, n), "events": events,
    }  # fmt: skip


def text_of(m: dict[str, Any]) -> dict[str, Any]:
    """The model as mbsim reads it."""
    n = m["n"]
    x = [f"x{i}" for i in range(n)]
    potential = " + ".join(f"{float(m['K'][i, j])!r}*{x[i]}*{x[j]}/2" for i in range(n) for j in range(n)).replace("+ -", "- ")
    forces = {f"c{i}": {"type": "generalized", "coordinate": x[i], "value": f"-{float(m['damping'][i])!r}*der({x[i]})"} for i in range(n)}
    forces["drive"] = {"type": "generalized", "coordinate": x[0], "value": f"F*cos({m['rate']!r}*t)"}
    events = {}
    for k, e in enumerate(m["events"]):
        terms = [f"{float(a)!r}*{name}" for a, name in zip(e["a"], x, strict=True)]
        terms += [f"{float(b)!r}*der({name})" for b, name in zip(e["b"], x, strict=True) if b]
        when = " + ".join([*terms, f"{e['c']!r}*t", repr(e["d"])]).replace("+ -", "- ")
        name = x[e["at"]]
        do: Any = {
            "record": "record",
            "back": {"set": {f"der({name})": f"-{e['by']!r}*der({name})"}},
            "shift": {"set": {name: f"{name} + {e['by']!r}"}},
            "drive": {"switch": {"F": f"-{e['by']!r}*F"}},
        }[e["kind"]]
        events[f"e{k}"] = {"when": when, "direction": e["direction"], "do": do}
    initial = {name: float(q) for name, q in zip(x, m["q"], strict=True)}
    initial |= {f"der({name})": float(v) for name, v in zip(x, m["v"], strict=True)}
    return {
        "name": "drawn", "coordinates": x, "parameters": {"F": m["drive"]}, "forces": forces, "initial": initial, "events": events,
        "energy": {"kinetic": " + ".join(f"der({name})^2/2" for name in x), "potential": potential},
        "simulation": {"end": END},
    }  # fmt: skip


def number(e: dict[str, Any], t: float, y: np.ndarray) -> float:
    """What an event watches."""
    n = len(y) // 2
    return float(e["a"] @ y[:n] + e["b"] @ y[n:] + e["c"] * t + e["d"])


def oracle(m: dict[str, Any]) -> tuple[list[tuple[float, int]], np.ndarray, str]:
    """The events (time, which), the state at the end, and why the case is left out, if it is."""
    n, F, t, y = m["n"], m["drive"], 0.0, np.concatenate([m["q"], m["v"]])
    found: list[tuple[float, int]] = []
    last = -1

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        force = -m["K"] @ y[:n] - m["damping"] * y[n:]
        force[0] += F * np.cos(m["rate"] * t)
        return np.concatenate([y[n:], force])

    while t < END:
        watched = []
        for e in m["events"]:

            def watch(t: float, y: np.ndarray, e: dict[str, Any] = e) -> float:
                return number(e, t, y)

            watch.terminal = False  # type: ignore[attr-defined]
            watch.direction = {"up": 1.0, "down": -1.0, "any": 0.0}[e["direction"]]  # type: ignore[attr-defined]
            watched.append(watch)
        made = solve_ivp(rates, (t, END), y, method="DOP853", rtol=1e-12, atol=1e-12, events=watched, max_step=0.01, dense_output=True)
        hits = [(float(at), k) for k, ats in enumerate(made.t_events) for at in ats if at > t + (1e-9 if k == last else 1e-12)]
        if not hits:
            return found, made.y[:, -1], ""
        first = min(hits)
        near = [hit for hit in hits if hit[0] - first[0] < 1e-7]
        if len(near) > 1:
            return found, y, "two at once"
        t, last = first
        y = made.sol(t)
        slope = (number(m["events"][last], t + 1e-7, made.sol(t + 1e-7)) - number(m["events"][last], t - 1e-7, made.sol(t - 1e-7))) / 2e-7
        if abs(slope) < 1e-2:
            return found, y, "grazing"
        found.append((t, last))
        if len(found) > MOST:
            return found, y, "too many"
        e, before = m["events"][last], y.copy()
        if e["kind"] == "back":
            y[n + e["at"]] *= -e["by"]
        elif e["kind"] == "shift":
            y[e["at"]] += e["by"]
        elif e["kind"] == "drive":
            F *= -e["by"]
        for k, other in enumerate(m["events"]):
            a, b = number(other, t, before), number(other, t, y)
            if k != last and a * b <= 0.0:
                return found, y, "carried over zero"
            if k == last and abs(b) > 1e-9 and abs(a - b) < 1e-6:
                return found, y, "next to zero"
    return found, y, ""


def verdict(seed: int, settings: dict[str, Any]) -> str:
    """What became of a random model."""
    m = drawn(seed)
    found, y, left_out = oracle(m)
    if left_out:
        return f"left out ({left_out})"
    low = 100.0 if settings.get("method") == "generalized_alpha" else 1.0
    try:
        result = mbsim.simulate(text_of(m), rtol=1e-10, atol=1e-12, **settings)
    except mbsim.SimulationError as error:
        return f"stopped: {error}"
    times = [(event["time"], int(event["event"][1:])) for event in result.events]
    if [k for _, k in times] != [k for _, k in found]:
        return f"wrong: {[(round(t, 5), k) for t, k in times]} for {[(round(t, 5), k) for t, k in found]}"
    off = max((abs(a - b) for (a, _), (b, _) in zip(times, found, strict=True)), default=0.0)
    apart = float(np.abs(np.concatenate([result["q"][-1], result["v"][-1]]) - y).max() / max(1.0, np.abs(y).max()))
    if off > low * AGREES or apart > low * AGREES:
        return f"wrong: times {off:.1e} s, state {apart:.1e}"
    return "right"


def main() -> int:
    """Run the cases and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--integrator", default="auto")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    happened = 0
    for seed in range(given.seed, given.seed + given.count):
        said = verdict(seed, {"method": given.method, "integrator": given.integrator})
        counts[said.partition(":")[0]] += 1
        if said.startswith(("wrong", "stopped")):
            print(f"{seed}: {said}", flush=True)
        happened += said == "right" and len(oracle(drawn(seed))[0])
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()), f"; {happened} events in those that are right", sep="")
    return int(bool(counts["wrong"] or counts["stopped"]))


if __name__ == "__main__":
    sys.exit(main())
