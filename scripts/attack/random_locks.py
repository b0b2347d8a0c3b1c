"""Random planar mechanisms whose joints come and go, against own equations: when, with what loss of energy, and where the motion ends.

    python scripts/attack/random_locks.py [--count 200] [--seed 0] [--method svd] [--integrator dop853]

Two to four bodies fly, turn, are pinned, fixed and tied by rods to the ground and to each other; gravity and springs to the ground act.
Events watch the time, coordinates and speeds; they lock and unlock joints. The oracle is plain NumPy: coordinates of all bodies, the
closed joints' equations on accelerations, SciPy's DOP853 at 1e-11 with events, an impact without rebound where something is locked.
"""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from seeds import command, judge_all

import mbsim
from mbsim.model.file.errors import ModelError

END = 2.0
AGREES = 2e-6  # of times, energies and coordinates over their size; of equal steps and methods of order 2 a thousand times as much
KINDS = ("revolute", "fixed", "distance")
BESIDE, ROUNDED = 1e-7, 1e-10  # s after an event, when what was at zero has left it; what is nearer to zero then stays there
MOST = 12  # events that are followed: motions of open and closed chains tell small differences apart soon


def drawn(seed: int) -> dict[str, Any]:
    """A random mechanism: its numbers. Body -1 is the ground."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    joints = []
    for k in range(int(rng.integers(1, n + 2))):
        first, second = (int(x) for x in rng.permutation(np.arange(-1, n))[:2])
        if second < 0:
            first, second = second, first
        kind = str(rng.choice(KINDS))
        joints.append(
            {"name": f"j{k}", "kind": kind, "bodies": (first, second), "at": rng.uniform(-1.5, 1.5, 2), "closed": bool(rng.random() < 0.5)}
        )
    events = []
    for k in range(int(rng.integers(1, 4))):
        joint = joints[int(rng.integers(0, len(joints)))]["name"]
        act = str(rng.choice(["lock", "unlock"]))
        watched = str(rng.choice(["time", "time", "coordinate", "speed"]))
        body, place = int(rng.integers(0, n)), int(rng.integers(0, 3))
        value = float(rng.uniform(0.1, 0.9 * END)) if watched == "time" else float(rng.uniform(-1.0, 1.0))
        events.append({"name": f"e{k}", "joint": joint, "act": act, "watched": watched, "of": 3 * body + place, "value": value,
                       "direction": str(rng.choice(["up", "down", "any"])) if watched != "time" else "any"})  # fmt: skip
    q = rng.uniform(-1.5, 1.5, (n, 3))
    return {
        "n": n, "joints": joints, "events": events, "q": q, "v": rng.uniform(-1.0, 1.0, (n, 3)),
        "mass": rng.uniform(0.5, 2.0, n), "inertia": rng.uniform(0.1, 0.5, n), "spring": rng.uniform(0.0, 5.0, n),
    }  # fmt: skip


def text_of(m: dict[str, Any]) -> dict[str, Any]:
    """The mechanism as mbsim reads it."""

    def body(i: int) -> str:
        return "ground" if i < 0 else f"b{i}"

    bodies: dict[str, Any] = {}
    for i in range(m["n"]):
        x, y, angle = m["q"][i].tolist()
        u, w, spin = m["v"][i].tolist()
        start = {"position": [x, y], "angle": angle, "velocity": [u, w], "angular_velocity": spin}
        bodies[f"b{i}"] = {"mass": float(m["mass"][i]), "inertia": float(m["inertia"][i]), **start}
    joints: dict[str, Any] = {}
    for joint in m["joints"]:
        i, j = joint["bodies"]
        place: dict[str, Any] = {"bodies": [body(i), body(j)], "at": joint["at"].tolist()}
        if joint["kind"] == "distance":
            place = {"points": [body(i), body(j)]}
        joints[joint["name"]] = {"type": joint["kind"], **place, "locked": joint["closed"]}
    names = [f"b{i}.{c}" for i in range(m["n"]) for c in ("x", "y", "angle")]
    events = {}
    for e in m["events"]:
        what = {"time": "t", "coordinate": names[e["of"]], "speed": f"der({names[e['of']]})"}[e["watched"]]
        events[e["name"]] = {
            "when": f"{what} - {e['value']!r}".replace("- -", "+ "),
            "direction": e["direction"],
            "do": {e["act"]: e["joint"]},
        }
    springs = {
        f"s{i}": {"type": "force", "body": f"b{i}", "value": [f"-{float(m['spring'][i])!r}*b{i}.x", f"-{float(m['spring'][i])!r}*b{i}.y"]}
        for i in range(m["n"])
    }
    return {"name": "drawn", "dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "forces": springs, "events": events,
            "simulation": {"end": END}}  # fmt: skip


class Own:
    """The equations, written down without mbsim. A joint is (kind, first, second, local point of each, angle, length)."""

    def __init__(self, m: dict[str, Any]) -> None:
        self.m, self.n = m, m["n"]
        self.M = np.array([x for i in range(self.n) for x in (m["mass"][i], m["mass"][i], m["inertia"][i])])
        self.closed: dict[str, tuple[Any, ...]] = {}
        self.by_name = {joint["name"]: joint for joint in m["joints"]}
        for joint in m["joints"]:
            if joint["closed"]:
                self.close(joint["name"], m["q"].ravel(), joint["at"])

    def pose(self, q: np.ndarray, i: int) -> tuple[np.ndarray, float]:
        return (np.zeros(2), 0.0) if i < 0 else (q[3 * i : 3 * i + 2], float(q[3 * i + 2]))

    def close(self, name: str, q: np.ndarray, at: np.ndarray | None = None) -> None:
        """A joint as its bodies stand. Without `at` the place is where the first body has taken it from the drawing."""
        joint = self.by_name[name]
        i, j = joint["bodies"]
        (r_i, a_i), (r_j, a_j) = self.pose(q, i), self.pose(q, j)
        r_0, a_0 = self.pose(self.m["q"].ravel(), i)
        local = turn(-a_0) @ (joint["at"] - r_0)
        place = r_i + turn(a_i) @ local
        s_i, s_j = turn(-a_i) @ (place - r_i), turn(-a_j) @ (place - r_j)
        if joint["kind"] == "distance":
            s_i, s_j = np.zeros(2), np.zeros(2)
        self.closed[name] = (joint["kind"], i, j, s_i, s_j, a_j - a_i, float(np.linalg.norm(r_j - r_i)))

    def rows(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """C (m, 3 n), -C_dot v (m,), phi (m,)."""
        C, b, phi = [], [], []
        for kind, i, j, s_i, s_j, angle, length in self.closed.values():
            J, bias = np.zeros((2, 3 * self.n)), np.zeros(2)
            d = np.zeros(2)
            for sign, k, s in ((-1.0, i, s_i), (1.0, j, s_j)):
                r, a = self.pose(q, k)
                arm = turn(a) @ s
                d = d + sign * (r + arm)
                if k >= 0:
                    J[:, 3 * k : 3 * k + 2] += sign * np.eye(2)
                    J[:, 3 * k + 2] += sign * np.array([-arm[1], arm[0]])
                    bias += sign * v[3 * k + 2] ** 2 * arm
            if kind == "distance":
                u, rate = d / np.linalg.norm(d), J @ v
                C.append(u @ J)
                b.append(u @ bias - (rate @ rate - (u @ rate) ** 2) / np.linalg.norm(d))
                phi.append(np.linalg.norm(d) - length)
                continue
            C += list(J)
            b += list(bias)
            phi += list(d)
            if kind == "fixed":
                row = np.zeros(3 * self.n)
                for sign, k in ((-1.0, i), (1.0, j)):
                    if k >= 0:
                        row[3 * k + 2] += sign
                C.append(row)
                b.append(0.0)
                phi.append(self.pose(q, j)[1] - self.pose(q, i)[1] - angle)
        return np.array(C).reshape(-1, 3 * self.n), np.array(b), np.array(phi)

    def acceleration(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        f = np.zeros(3 * self.n)
        for i in range(self.n):
            f[3 * i : 3 * i + 2] = -self.m["spring"][i] * q[3 * i : 3 * i + 2] + np.array([0.0, -9.81 * self.m["mass"][i]])
        free = f / self.M
        C, b, _ = self.rows(q, v)
        found: np.ndarray = free if not len(C) else free + self._least(C, b - C @ free)
        return found

    def _least(self, C: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The shortest d in the metric of M with C d = b."""
        root = 1.0 / np.sqrt(self.M)
        found: np.ndarray = root * np.linalg.lstsq(C * root, b, rcond=1e-9)[0]
        return found

    def consistent(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(20):
            C, _, phi = self.rows(q, v)
            if not len(C) or np.abs(phi).max() < 1e-14:
                break
            q = q - self._least(C, phi)
        C, _, _ = self.rows(q, v)
        return q, (v - self._least(C, C @ v) if len(C) else v)

    def energy(self, q: np.ndarray, v: np.ndarray) -> float:
        return float(0.5 * self.M @ v**2)


def turn(a: float) -> np.ndarray:
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def own_motion(m: dict[str, Any]) -> tuple[list[tuple[str, float, float]], np.ndarray]:
    """The events (name, time, energy gained), and q at the end."""
    own = Own(m)
    q, v = own.consistent(m["q"].ravel().copy(), m["v"].ravel().copy())
    t, n, found, left = 0.0, 3 * own.n, list[tuple[str, float, float]](), -1

    def value(e: dict[str, Any], t: float, y: np.ndarray) -> float:
        x = t if e["watched"] == "time" else y[e["of"]] if e["watched"] == "coordinate" else y[n + e["of"]]
        return float(x) - float(e["value"])

    while t < END and len(found) < MOST:
        watched = []
        for k, e in enumerate(m["events"]):

            def watch(t: float, y: np.ndarray, e: dict[str, Any] = e, just: bool = k == left) -> float:
                x = value(e, t, y)
                return x if not just or abs(x) > ROUNDED else ROUNDED

            watch.terminal = True  # type: ignore[attr-defined]
            watch.direction = {"up": 1.0, "down": -1.0, "any": 0.0}[e["direction"]]  # type: ignore[attr-defined]
            watched.append(watch)

        def f(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], own.acceleration(y[:n], y[n:])])

        start = np.concatenate([q, v])
        if left >= 0:  # the sign of what has just been at zero is round-off
            start = solve_ivp(f, (t, t + BESIDE), start, "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
            t += BESIDE
        step = solve_ivp(f, (t, END), start, "DOP853", rtol=1e-11, atol=1e-11, events=watched, max_step=0.05, first_step=1e-5)
        hit = [k for k, times in enumerate(step.t_events) if len(times) and times[-1] > t + 1e-7]
        if not hit:
            if step.status == 1:  # the event that was just left, once more
                raise Unsure
            return found, step.y[:n, -1]
        t = float(step.t[-1])
        q, v = step.y[:n, -1], step.y[n:, -1]
        if len(hit) > 1 or any(abs(value(one, t, step.y[:, -1])) < 1e-7 for k, one in enumerate(m["events"]) if k not in hit):
            raise Unsure  # another one is at zero but for round-off
        e = m["events"][hit[0]]
        before, values = own.energy(q, v), [value(one, t, np.concatenate([q, v])) for one in m["events"]]
        if e["act"] == "unlock":
            own.closed.pop(e["joint"], None)
        elif e["joint"] not in own.closed:
            own.close(e["joint"], q)
        q, v = own.consistent(q, v)
        found.append((e["name"], t, own.energy(q, v) - before))
        after = [value(one, t, np.concatenate([q, v])) for one in m["events"]]
        if any(a * b < 0.0 and k != hit[0] for k, (a, b) in enumerate(zip(values, after, strict=True))):
            raise Unsure  # the impact carries another one over zero
        t, left = float(np.nextafter(t, np.inf)), hit[0]
    raise Unsure


class Unsure(Exception):
    """A mechanism on which the oracle cannot judge."""


def judge(seed: int, settings: dict[str, Any], tolerance: float) -> str:
    """How mbsim and the oracle compare."""
    m = drawn(seed)
    try:
        events, q = own_motion(m)
    except Unsure:
        return "unsure"
    try:
        result = mbsim.simulate(text_of(m), **settings)
    except (mbsim.SimulationError, ModelError) as error:
        return f"stopped: {str(error)[:150]}"
    got = [(e["event"], e["time"], e.get("energy", 0.0)) for e in result.events]
    if [e[0] for e in got] != [e[0] for e in events]:
        return f"wrong: events {[(e[0], round(e[1], 6)) for e in got]}, expected {[(e[0], round(e[1], 6)) for e in events]}"
    size = max(1.0, np.abs(q).max())
    worst = max([*(abs(a[1] - b[1]) for a, b in zip(got, events, strict=True)), *np.abs(result["q"][-1] - q) / size])
    lost = max([abs(a[2] - b[2]) / max(1.0, abs(b[2])) for a, b in zip(got, events, strict=True)], default=0.0)
    return "right" if max(worst, lost) < tolerance else f"wrong: {worst:.1e} off, energies {lost:.1e}, {len(got)} events"


if __name__ == "__main__":
    judge_all(command(__doc__, {}), AGREES, judge)
