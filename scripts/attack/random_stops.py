"""Random planar chains with stops and dry friction of their joints, against own equations: what happens when, and where the motion ends.

    python scripts/attack/random_stops.py [--count 200] [--seed 0] [--method svd] [--integrator dop853] [--joint] [--static]

One to three bodies hang on each other and on the ground by pins and slides; gravity, springs and a periodic force act. Joints have stops
with restitution and friction of a given effort. The oracle is plain NumPy: coordinates of the joints, SciPy's DOP853 at 1e-11 with events,
and a search over all that may stick, slip, stay closed and open: at each change exactly one of these obeys the laws.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from seeds import command, judge_all

import mbsim
from mbsim.model.file.errors import ModelError

END = 1.5
AGREES = 3e-6  # of times and coordinates; of equal steps a thousand times as much
MOST = 25  # events that are followed
CLOSING = 1e-6  # rad/s, m/s
GRAVITY = np.array([0.0, -9.81])
FREE = 1.0  # m: length of the springs without load
NONE: Mapping[int, int] = {}
LEAST = 1e-9  # of what decides between two laws: below it the oracle does not judge


class Unsure(Exception):
    """A chain on which the oracle cannot judge."""


def drawn(seed: int) -> dict[str, Any]:
    """The numbers of a random chain. Joint k is between bodies k - 1 and k; all coordinates are zero at the start."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    stops = []
    for _ in range(n):
        sides = rng.uniform(0.05, 0.6, 2) * [-1.0, 1.0]
        has = rng.random(2) < 0.55
        stops.append([float(x) if h else None for x, h in zip(sides, has, strict=True)])
    anchor = rng.uniform(-1.0, 1.0, (n, 2)) + [2.5, 0.0]
    return {
        "n": n, "anchor": anchor, "static": np.ones(n),
        "slides": rng.random(n) < 0.35, "at": rng.uniform(-1.0, 1.0, (n, 2)), "centre": rng.uniform(-1.0, 1.0, (n, 2)),
        "direction": rng.uniform(-np.pi, np.pi, n), "mass": rng.uniform(0.5, 2.0, n), "inertia": rng.uniform(0.1, 0.5, n),
        "rate": rng.uniform(-2.0, 2.0, n) * (rng.random(n) < 0.7), "spring": rng.uniform(0.0, 8.0, n), "push": rng.uniform(-6.0, 6.0, n),
        "beat": rng.uniform(1.0, 8.0, n), "stops": stops, "restitution": rng.uniform(0.2, 0.5, n) * (rng.random(n) < 0.5),
        "friction": rng.uniform(0.3, 5.0, n) * (rng.random(n) < 0.6),
    }  # fmt: skip


def text_of(m: dict[str, Any], joint: bool) -> dict[str, Any]:
    """The chain as mbsim reads it."""
    chain, rate = Chain(m), m["rate"]
    bodies, joints, forces, parameters = dict[str, Any](), dict[str, Any](), dict[str, Any](), dict[str, float]()
    initial: dict[str, float] = {}
    spins, speeds = chain.speeds(np.zeros(m["n"]), rate)
    for k in range(m["n"]):
        place: dict[str, Any] = {"position": m["centre"][k].tolist()}
        if joint:
            initial[f"der(j{k}.{'displacement' if m['slides'][k] else 'angle'})"] = float(rate[k])
        else:
            place |= {"velocity": speeds[k].tolist(), "angular_velocity": float(spins[k])}
        bodies[f"b{k}"] = {"mass": float(m["mass"][k]), "inertia": float(m["inertia"][k]), **place}
        block: dict[str, Any] = {"type": "prismatic" if m["slides"][k] else "revolute", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"]}
        block["at"] = m["at"][k].tolist()
        if m["slides"][k]:
            block["axis"] = [float(np.cos(m["direction"][k])), float(np.sin(m["direction"][k]))]
        bounds = {side: x for side, x in zip(("lower", "upper"), m["stops"][k], strict=True) if x is not None}
        if bounds:
            block["stops"] = bounds | {"restitution": float(m["restitution"][k])}
        if m["friction"][k]:
            block["friction"] = {"force" if m["slides"][k] else "torque": float(m["friction"][k])}
            block["friction"]["static"] = float(m["friction"][k] * m["static"][k])
        joints[f"j{k}"] = block
        for name in ("spring", "push", "beat"):
            parameters[f"{name}{k}"] = float(m[name][k])
        forces[f"f{k}"] = {"type": "force", "body": f"b{k}", "value": [f"push{k}*sin(beat{k}*t)", 0]}
        ends = [m["anchor"][k].tolist(), m["centre"][k].tolist()]
        spring = {"type": "spring_damper", "bodies": ["ground", f"b{k}"], "at": ends, "stiffness": f"spring{k}", "free_length": FREE}
        forces[f"s{k}"] = spring
    made = {"name": "drawn", "dimension": 2, "gravity": GRAVITY.tolist(), "parameters": parameters, "bodies": bodies, "joints": joints}
    return made | {"forces": forces, "simulation": {"end": END}} | ({"coordinates": "joint", "initial": initial} if joint else {})


class Chain:
    """The equations of the chain, written down without mbsim: coordinates x (n,) of its joints, in order."""

    def __init__(self, m: dict[str, Any]) -> None:
        self.m, self.n = m, m["n"]

    def places(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres (n, 2), points of the joints on the body before (n, 2), and the directions of the slides (n, 2)."""
        centres, points, along = np.zeros((self.n, 2)), np.zeros((self.n, 2)), np.zeros((self.n, 2))
        angle, origin, drawn_origin = 0.0, np.zeros(2), np.zeros(2)
        for k in range(self.n):
            points[k] = origin + turn(angle) @ (self.m["at"][k] - drawn_origin)
            slide = self.m["direction"][k] + angle
            along[k] = np.cos(slide), np.sin(slide)
            foot = points[k]
            if self.m["slides"][k]:
                foot = foot + x[k] * along[k]
            else:
                angle += x[k]
            centres[k] = foot + turn(angle) @ (self.m["centre"][k] - self.m["at"][k])
            origin, drawn_origin = centres[k], self.m["centre"][k]
        return centres, points, along

    def jacobian(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Spins (n, n) and velocities (n, 2, n) of the bodies by rates, and the centres."""
        centres, points, along = self.places(x)
        spin, speed = np.zeros((self.n, self.n)), np.zeros((self.n, 2, self.n))
        for k in range(self.n):
            for j in range(k + 1):
                if self.m["slides"][j]:
                    speed[k, :, j] = along[j]
                else:
                    spin[k, j] = 1.0
                    speed[k, :, j] = perp(centres[k] - points[j])
        return spin, speed, centres

    def speeds(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spin, speed, _ = self.jacobian(x)
        return spin @ u, speed @ u

    def equations(self, t: float, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M (n, n) and the generalised force without friction and stops (n,)."""
        spin, speed, centres = self.jacobian(x)
        h = 1e-30j  # the change of the velocities' map along the motion, by a complex step that has no round-off
        moved = self.speed_along(x + h * u, u).imag / 1e-30
        M, f = np.zeros((self.n, self.n)), np.zeros(self.n)
        for k in range(self.n):
            m, s = self.m["mass"][k], self.m["spring"][k]
            M += m * speed[k].T @ speed[k] + self.m["inertia"][k] * np.outer(spin[k], spin[k])
            along = centres[k] - self.m["anchor"][k]
            force = m * GRAVITY - s * along * (1.0 - FREE / np.linalg.norm(along))
            force = force + np.array([self.m["push"][k] * np.sin(self.m["beat"][k] * t), 0.0])
            f += speed[k].T @ (force - m * moved[k])
        return M, f

    def speed_along(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Velocities (n, 2) of the centres, also of complex coordinates."""
        angle, spin, found = 0.0 * x[0], 0.0, np.zeros((self.n, 2), complex)
        v = np.zeros(2, complex)
        last = np.zeros(2)
        for k in range(self.n):
            v = v + spin * perp(complex_turn(angle) @ (self.m["at"][k] - last))
            if self.m["slides"][k]:
                along = complex_turn(angle) @ np.array([np.cos(self.m["direction"][k]), np.sin(self.m["direction"][k])])
                v = v + u[k] * along + spin * x[k] * perp(along)
            else:
                angle, spin = angle + x[k], spin + u[k]
            v = v + spin * perp(complex_turn(angle) @ (self.m["centre"][k] - self.m["at"][k]))
            found[k], last = v, self.m["centre"][k]
        return found


def turn(a: float) -> np.ndarray:
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def complex_turn(a: complex) -> np.ndarray:
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def perp(r: np.ndarray) -> np.ndarray:
    return np.array([-r[1], r[0]])


class Modes(NamedTuple):
    """What holds, by joint: whether it is at rest and kept there, by friction or a stop, and else the sign of its slip (0: no friction)."""

    held: tuple[bool, ...]
    slip: tuple[int, ...]


def solve(
    chain: Chain, t: float, x: np.ndarray, u: np.ndarray, modes: Modes, static: np.ndarray | float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations, and efforts (n,) along the coordinates that keep what is held where it is."""
    M, f = chain.equations(t, x, u)
    f = f - static * chain.m["friction"] * np.array(modes.slip)
    free = [k for k in range(chain.n) if not modes.held[k]]
    a = np.zeros(chain.n)
    if free:
        a[free] = np.linalg.solve(M[np.ix_(free, free)], f[free])
    return a, np.where(modes.held, M @ a - f, 0.0)


def bounds(chain: Chain, at: list[int], k: int, broken: Mapping[int, int] = NONE) -> tuple[float, float]:
    """The efforts, least and largest, by which friction and the stop it is at keep joint k at rest; `broken`: what holds no longer."""
    friction = float(chain.m["friction"][k]) * (1.0 if k in broken else float(chain.m["static"][k]))
    return (-np.inf if at[k] > 0 else -friction), (np.inf if at[k] < 0 else friction)


def decide(chain: Chain, t: float, x: np.ndarray, u: np.ndarray, at: list[int], broken: Mapping[int, int]) -> Modes:
    """What holds: of joints at rest those whose static bound is enough. What breaks away may break others, so it is asked anew."""
    while True:
        modes = obey(chain, t, x, u, at, broken)
        new = {k: modes.slip[k] for k in range(chain.n) if modes.slip[k] and u[k] == 0.0 and chain.m["static"][k] > 1.0 and k not in broken}
        if not new:
            return modes
        broken = {**broken, **new}


def obey(chain: Chain, t: float, x: np.ndarray, u: np.ndarray, at: list[int], broken: Mapping[int, int]) -> Modes:
    """What obeys the laws of friction and of the stops that joints are at: exactly one does. What is at rest and not broken has its static
    bound, also where it begins to slip. What is broken slips that way: at the bound it does not move yet."""
    static = np.array([1.0 if k in broken or u[k] else float(chain.m["static"][k]) for k in range(chain.n)])
    choices = []
    for k in range(chain.n):
        rough = chain.m["friction"][k] > 0.0
        if k in broken:
            choices.append([(False, broken[k])])
        elif u[k] != 0.0 or not (rough or at[k]):
            choices.append([(False, int(np.sign(u[k])) if rough else 0)])
        else:
            leaving = [(-at[k],)] if at[k] else [(1,), (-1,)]
            choices.append([(True, 0), *((False, sign if rough else 0) for (sign,) in leaving)])
    found = []
    for choice in product(*choices):
        modes = Modes(*(tuple(column) for column in zip(*choice, strict=True)))
        a, effort = solve(chain, t, x, u, modes, static)
        margins = []
        for k, (held, slip) in enumerate(choice):
            if held:
                low, high = bounds(chain, at, k, broken)
                margins += [effort[k] - low, high - effort[k]]
            elif len(choices[k]) > 1:
                margins.append(a[k] * (slip or -at[k]))
        if all(margin > -LEAST for margin in margins):
            if any(margin < LEAST for margin in margins):
                raise Unsure
            found.append(modes)
    if len(found) != 1:
        raise Unsure
    return found[0]


def impact(chain: Chain, x: np.ndarray, u: np.ndarray, at: list[int]) -> np.ndarray:
    """The rates after an impact of the stops that joints are at, by Newton's law."""
    inverse = np.linalg.inv(chain.equations(0.0, x, u)[0])
    touching = [k for k in range(chain.n) if at[k]]
    side = np.array([at[k] for k in touching])
    G = inverse[np.ix_(touching, touching)] * np.outer(side, side)
    gap = -side * u[touching]  # the rate at which each gap opens
    wanted = np.where(gap < 0.0, -chain.m["restitution"][touching] * gap, 0.0)
    wanted[wanted <= CLOSING] = 0.0
    for active in product((True, False), repeat=len(touching)):
        on = np.flatnonzero(active)
        p = np.zeros(len(touching))
        if len(on):
            p[on] = np.linalg.solve(G[np.ix_(on, on)], (wanted - gap)[on])
        if (p >= 0.0).all() and (gap + G @ p >= wanted - 1e-13).all():
            after = u - inverse[:, touching] @ (side * p)
            for place, k in enumerate(touching):
                if active[place] and wanted[place] == 0.0:
                    after[k] = 0.0
            return np.asarray(np.where((u == 0.0) & (abs(after) < 1e-13), 0.0, after))
    raise Unsure


def own_motion(m: dict[str, Any]) -> tuple[list[tuple[str, float]], np.ndarray, float]:
    """The impacts (name, time), the coordinates at the end, and until when they were followed."""
    chain, found = Chain(m), list[tuple[str, float]]()
    n, t, x, u, at = chain.n, 0.0, np.zeros(chain.n), m["rate"].copy(), [0] * chain.n
    broken: dict[int, int] = {}
    for _ in range(8 * MOST):
        modes = decide(chain, t, x, u, at, broken)
        broken = {}
        at = [side if held else 0 for side, held in zip(at, modes.held, strict=True)]
        watched = []
        for k in range(n):
            if modes.slip[k]:
                watched.append(Watch("rests", k, 0, -float(modes.slip[k]), lambda t, y, k=k: y[n + k]))
            if modes.held[k]:
                low, high = bounds(chain, at, k)
                for side, bound in ((-1, low), (1, high)):
                    if np.isfinite(bound):
                        watched.append(Watch("gives", k, side, -1.0, lambda t, y, k=k, s=side, b=bound: s * (b - effort(t, y)[k])))
                continue
            for side, value in zip((-1, 1), m["stops"][k], strict=True):
                if value is not None:
                    watched.append(Watch("hits", k, side, -1.0, lambda t, y, k=k, s=side, v=value: s * (v - y[k])))

        def effort(t: float, y: np.ndarray, modes: Modes = modes) -> np.ndarray:
            return solve(chain, t, y[:n], y[n:], modes)[1]

        def rates(t: float, y: np.ndarray, modes: Modes = modes) -> np.ndarray:
            return np.concatenate([y[n:], solve(chain, t, y[:n], y[n:], modes)[0]])

        step = solve_ivp(rates, (t, END), np.concatenate([x, u]), "DOP853", rtol=1e-11, atol=1e-12, events=watched, max_step=0.02)
        x, u, t = step.y[:n, -1].copy(), step.y[n:, -1].copy(), float(step.t[-1])
        if step.status == 0:
            return found, x, END
        hit = [one for one, times in zip(watched, step.t_events, strict=True) if len(times)]
        if len(hit) != 1:
            raise Unsure
        one = hit[0]
        if one.kind == "rests":
            u[one.joint] = 0.0
        elif one.kind == "gives":
            broken = {one.joint: -one.side}
        elif one.kind == "hits":
            if found and t - found[-1][1] < 1e-3:
                end = t - 2e-3
                return (
                    [one for one in found if one[1] < end - 1e-6],
                    x,
                    end,
                )  # bounces that come to rest: how many there are depends on the last digits
            found.append((f"j{one.joint}_{'lower' if one.side < 0 else 'upper'}", t))
            x[one.joint] = m["stops"][one.joint][(one.side + 1) // 2]
            at[one.joint] = one.side
            u = impact(chain, x, u, at)
            at = [side if u[k] == 0.0 else 0 for k, side in enumerate(at)]
            if len(found) == MOST:
                return found[:-1], x, t
    raise Unsure


class Watch:
    """An event of SciPy's: what happens to which joint at which side."""

    terminal = True

    def __init__(self, kind: str, joint: int, side: int, direction: float, value: Any) -> None:
        self.kind, self.joint, self.side, self.direction, self.value = kind, joint, side, direction, value

    def __call__(self, t: float, y: np.ndarray) -> float:
        return float(self.value(t, y))


def judge(seed: int, joint: bool, settings: dict[str, Any], tolerance: float, static: bool = False) -> str:
    """How mbsim and the oracle compare."""
    m = drawn(seed)
    if static:
        m["static"] = np.random.default_rng([seed, 1]).uniform(0.8, 1.6, m["n"]).clip(1.0)
    try:
        impacts, x, end = own_motion(m)
    except Unsure:
        return "unsure"
    try:
        result = mbsim.simulate(text_of(m, joint), **settings)
    except (mbsim.SimulationError, ModelError) as error:
        return f"stopped: {str(error)[:250]}"
    got = [(str(e["event"]), float(e["time"])) for e in result.events if e["do"] == "impact" and e["gap_speed"][0] < -LEAST]
    got = [e for e in got if e[1] < end - 1e-6 or end == END]
    if [e[0] for e in got] != [e[0] for e in impacts]:
        return f"wrong: impacts {[(e[0], round(e[1], 6)) for e in got]}, expected {[(e[0], round(e[1], 6)) for e in impacts]}"
    worst = max((abs(a[1] - b[1]) for a, b in zip(got, impacts, strict=True)), default=0.0)
    if end == END:
        worst = max(worst, float(np.abs(centres(result, m["n"]) - Chain(m).places(x)[0]).max()))
    balance = np.asarray(result["energy_balance"])
    return "right" if worst < tolerance else f"wrong: {worst:.1e} off, {len(got)} impacts, energy {np.abs(balance).max():.1e}"


def centres(result: Any, n: int) -> np.ndarray:
    """The places of the bodies at the end (n, 2), m."""
    return np.asarray(result["body_position"])[-1, :n, :2]


if __name__ == "__main__":
    asked = command(__doc__, {"joint": "in joint coordinates", "static": "with static bounds above the sliding ones"})
    judge_all(asked, AGREES, lambda seed, settings, tolerance: judge(seed, asked.joint, settings, tolerance, asked.static))
