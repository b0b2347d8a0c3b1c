"""Random mechanisms as model blocks: the families that textbooks and machines are made of, in any pose, at any scale.

`mechanism(family, seed)` draws one of about a metre and a kilogram, in axes of its own. `Mechanism.block(...)` turns it into space or
leaves it in its plane, scales its lengths and masses, and gives the dictionary that a model file holds. The motion of a scaled mechanism is
that of the drawn one in the time `span`: gravity is the same, so times go with the root of the lengths.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from drawn import GROUND, Floats, Mechanism, across, direction, rotation

TURN = np.array([0.0, -1.0, 0.0])  # axis of planar mechanisms: counter-clockwise in x, z


def in_plane(x: float, z: float) -> Floats:
    return np.array([x, 0.0, z])


def meeting(a: Floats, b: Floats, from_a: float, from_b: float, side: float) -> Floats | None:
    """The point at these distances from two points of the plane, on one side of the line between them; None where there is none."""
    apart = b - a
    d = float(np.linalg.norm(apart))
    along = (from_a**2 - from_b**2 + d**2) / (2.0 * d)
    height = from_a**2 - along**2
    if not height > 0.05 * from_a**2:
        return None
    e = apart / d
    return np.asarray(a + along * e + side * np.sqrt(height) * np.array([-e[2], 0.0, e[0]]))


def four_bar(rng: np.random.Generator) -> Mechanism:
    made = Mechanism("four-bar", rng, planar=True)
    O, C = in_plane(0, 0), in_plane(rng.uniform(1.0, 2.5), 0)
    while True:
        angle, crank = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.3, 1.0)
        A = crank * in_plane(np.cos(angle), np.sin(angle))
        B = meeting(A, C, rng.uniform(0.8, 2.5), rng.uniform(0.6, 2.0), rng.choice([-1.0, 1.0]))
        if B is not None:
            break
    _chain_of_rods(made, {"crank": (O, A), "coupler": (A, B), "rocker": (B, C)})
    return made


def _chain_of_rods(made: Mechanism, rods: dict[str, tuple[Floats, Floats]]) -> None:
    """Rods hinged end to end, the first and the last to the ground."""
    last = GROUND
    for name, (start, end) in rods.items():
        made.rod(name, start, end, made.rng.uniform(0.5, 2.0))
        made.joint("revolute", last, name, start, TURN)
        last = name
    made.joint("revolute", last, GROUND, end, TURN)


def six_bar(rng: np.random.Generator) -> Mechanism:
    """Stephenson's: a dyad from a point of the coupler of a four-bar to the ground."""
    while True:
        made = four_bar(rng)
        made.name = "six-bar"
        coupler = made.bodies["coupler"]
        P = coupler["position"] + in_plane(*rng.uniform(-0.5, 0.5, 2))
        D = in_plane(*rng.uniform(-1.5, 1.5, 2))
        E = meeting(P, D, rng.uniform(0.7, 2.0), rng.uniform(0.7, 2.0), rng.choice([-1.0, 1.0]))
        if E is not None:
            break
    made.rod("link", P, E)
    made.rod("lever", E, D)
    made.joint("revolute", "coupler", "link", P, TURN)
    made.joint("revolute", "link", "lever", E, TURN)
    made.joint("revolute", "lever", GROUND, D, TURN)
    return made


def rssr(rng: np.random.Generator) -> Mechanism:
    made = Mechanism("RSSR", rng)
    A, B, D, E = np.zeros(3), rng.uniform(0.3, 0.8, 3), rng.uniform(1.0, 2.0, 3), np.array([1.6, 0.2, 0.1])
    made.rod("crank", A, B)
    made.rod("coupler", B, D)
    made.rod("rocker", D, E)
    made.joint("revolute", GROUND, "crank", A, across(B - A, rng))
    made.joint("spherical", "crank", "coupler", B)
    made.joint("spherical", "coupler", "rocker", D)
    made.joint("revolute", "rocker", GROUND, E, across(D - E, rng))
    return made


def rscr(rng: np.random.Generator) -> Mechanism:
    made = Mechanism("RSCR", rng)
    A, B, D, E = np.zeros(3), rng.uniform(0.3, 0.8, 3), rng.uniform(1.0, 2.0, 3), np.array([1.6, 0.2, 0.1])
    made.rod("crank", A, B)
    made.rod("coupler", B, D)
    made.rod("rocker", D, E)
    made.joint("revolute", GROUND, "crank", A, across(B - A, rng))
    made.joint("spherical", "crank", "coupler", B)
    made.joint("cylindrical", "coupler", "rocker", D, direction(rng))
    made.joint("revolute", "rocker", GROUND, E, across(D - E, rng))
    return made


def bennett(rng: np.random.Generator) -> Mechanism:
    """Four hinges in space that move against Gruebler's count: opposite links alike, sin(alpha) / a = sin(beta) / b."""
    alpha = rng.uniform(0.4, 1.0)
    beta = rng.uniform(1.1, 1.5)
    a = rng.uniform(0.6, 1.2)
    b = a * np.sin(beta) / np.sin(alpha)
    first = rng.uniform(0.6, 2.4)
    second = 2.0 * np.arctan2(np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha)), np.tan(0.5 * first))
    T = np.eye(4)
    points, axes = [], []
    for turn, length, twist in ((first, a, alpha), (second, b, beta), (-first, a, alpha), (-second, b, beta)):
        points.append(T[:3, 3].copy())
        axes.append(T[:3, 2].copy())
        c, s, ct, st = np.cos(turn), np.sin(turn), np.cos(twist), np.sin(twist)
        T = T @ np.array([[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1.0]])
    if not np.allclose(T, np.eye(4), atol=1e-12):
        raise AssertionError("Bennett's loop does not close")
    made = Mechanism("Bennett", rng)
    names = ["l0", "l1", "l2", GROUND]
    for i in range(3):
        made.rod(names[i], points[i], points[i + 1])
    for i in range(4):
        made.joint("revolute", names[i - 1], names[i], points[i], axes[i])
    return made


def stewart(rng: np.random.Generator) -> Mechanism:
    """A platform on six legs that slide: universal joint, prismatic joint, ball."""
    made = Mechanism("Stewart", rng)
    top = np.array([*rng.uniform(-0.1, 0.1, 2), rng.uniform(0.9, 1.2)])
    made.block_body("platform", top, 3.0)
    for i in range(6):
        low = 2 * np.pi * (i // 2) / 3 + (0.25 if i % 2 else -0.25)
        high = 2 * np.pi * (i // 2) / 3 + (0.75 if i % 2 else -0.75)
        base = np.array([np.cos(low), np.sin(low), 0.0])
        end = top + 0.6 * np.array([np.cos(high), np.sin(high), 0.0])
        middle, along = 0.5 * (base + end), (end - base) / np.linalg.norm(end - base)
        u = across(along, rng)
        made.rod(f"low{i}", base, middle, 0.3)
        made.rod(f"high{i}", middle, end, 0.2)
        made.joint("universal", GROUND, f"low{i}", base, axes=[u, np.cross(along, u)])
        made.joint("prismatic", f"low{i}", f"high{i}", middle, along)
        made.joint("spherical", f"high{i}", "platform", end)
        made.spring(GROUND, "platform", [base, end], 60.0, 0.3)
    return made


def wishbone(rng: np.random.Generator) -> Mechanism:
    """A wheel on two wishbones, with a tie rod and a spring."""
    made = Mechanism("wishbone", rng)
    low, high = np.array([0.0, 0.0, 0.2]), np.array([0.1, 0.0, 0.55])
    low_ball = low + np.array([0.45, 0.0, rng.uniform(-0.1, 0.1)])
    high_ball = high + np.array([0.32, 0.0, rng.uniform(-0.1, 0.1)])
    tie, rack = 0.5 * (low_ball + high_ball) + [0.0, 0.15, 0.0], np.array([0.1, 0.15, 0.38])
    made.rod("lower", low, low_ball)
    made.rod("upper", high, high_ball, 0.7)
    made.rod("upright", low_ball, high_ball, 4.0)
    made.joint("revolute", GROUND, "lower", low, [rng.uniform(-0.1, 0.1), 1.0, 0.05])
    made.joint("revolute", GROUND, "upper", high, [0.0, 1.0, rng.uniform(-0.1, 0.1)])
    made.joint("spherical", "lower", "upright", low_ball)
    made.joint("spherical", "upper", "upright", high_ball)
    made.joint("distance", GROUND, "upright", [rack, tie])
    made.spring(GROUND, "lower", [np.array([0.2, 0.0, 0.7]), 0.5 * (low + low_ball)], 300.0, 1.0)
    return made


def delta(rng: np.random.Generator) -> Mechanism:
    """Clavel's robot, its parallelograms as pairs of massless rods."""
    made = Mechanism("Delta", rng)
    radius, plate, drop = rng.uniform(0.3, 0.4), rng.uniform(0.1, 0.2), rng.uniform(0.8, 1.0)
    made.block_body("plate", np.array([0.0, 0.0, -drop]), 1.0, 0.2)
    for i in range(3):
        angle = 2 * np.pi * i / 3
        out, side = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
        hip, knee, foot = radius * out, (radius + 0.4) * out + [0.0, 0.0, -0.1], np.array([0.0, 0.0, -drop]) + plate * out
        made.rod(f"arm{i}", hip, knee)
        made.joint("revolute", GROUND, f"arm{i}", hip, side)
        for s in (-0.1, 0.1):
            made.joint("distance", f"arm{i}", "plate", [knee + s * side, foot + s * side])
        made.spring(GROUND, f"arm{i}", [hip + [0.0, 0.0, 0.5], knee], 40.0, 0.2)
    return made


def scissor(rng: np.random.Generator) -> Mechanism:
    """A lift of one to three pairs of crossed bars, one foot on a slide; as a spatial mechanism it has many redundant rows."""
    stages, half = int(rng.integers(1, 4)), rng.uniform(0.4, 0.9)
    made = Mechanism("scissor lift", rng, planar=True)
    w, h = np.cos(half), np.sin(half)
    shoe = in_plane(w, 0)
    for i in range(stages):
        low, high = i * h, (i + 1) * h
        made.rod(f"a{i}", in_plane(0, low), in_plane(w, high))
        made.rod(f"b{i}", in_plane(w, low), in_plane(0, high))
        made.joint("revolute", f"a{i}", f"b{i}", in_plane(0.5 * w, 0.5 * (low + high)), TURN)
        if i == 0:
            made.block_body("shoe", shoe, 0.5, 0.1)
            made.joint("revolute", GROUND, "a0", in_plane(0, 0), TURN)
            made.joint("prismatic", GROUND, "shoe", shoe, [1.0, 0.0, 0.0])
            made.joint("revolute", "shoe", "b0", shoe, TURN)
        else:
            made.joint("revolute", f"b{i - 1}", f"a{i}", in_plane(0, low), TURN)
            made.joint("revolute", f"a{i - 1}", f"b{i}", in_plane(w, low), TURN)
    made.spring(GROUND, "shoe", [in_plane(0, 0), shoe], 200.0, 0.5)
    return made


def sarrus(rng: np.random.Generator) -> Mechanism:
    """A plate that goes straight up on two to four folding legs."""
    made = Mechanism("Sarrus", rng)
    height, legs = rng.uniform(0.6, 1.1), int(rng.integers(2, 5))
    made.block_body("top", np.array([0.0, 0.0, height]), 3.0, 0.5)
    start = rng.uniform(0.0, 2 * np.pi)
    for i in range(legs):
        angle = start + (0.5 * np.pi * i if legs != 3 else 2 * np.pi * i / 3)
        out, hinge = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
        foot, head = 0.4 * out, 0.4 * out + [0.0, 0.0, height]
        knee = foot + rng.uniform(0.2, 0.5) * out + [0.0, 0.0, 0.5 * height]
        made.rod(f"lo{i}", foot, knee)
        made.rod(f"hi{i}", knee, head)
        made.joint("revolute", GROUND, f"lo{i}", foot, hinge)
        made.joint("revolute", f"lo{i}", f"hi{i}", knee, hinge)
        made.joint("revolute", f"hi{i}", "top", head, hinge)
    return made


def cranks(rng: np.random.Generator) -> Mechanism:
    """A coupler on three or four parallel cranks of one length: one of them holds it already, and two close the plane."""
    made = Mechanism("parallel cranks", rng, planar=True)
    angle, length = rng.uniform(0.3, np.pi - 0.3), rng.uniform(0.3, 0.7)
    arm = length * in_plane(np.cos(angle), np.sin(angle))
    feet = np.cumsum(rng.uniform(0.5, 1.0, int(rng.integers(3, 5))))
    made.rod("coupler", in_plane(feet[0], 0) + arm, in_plane(feet[-1], 0) + arm, 2.0)
    for i, x in enumerate(feet):
        foot = in_plane(x, 0)
        made.rod(f"c{i}", foot, foot + arm)
        made.joint("revolute", GROUND, f"c{i}", foot, TURN)
        made.joint("revolute", f"c{i}", "coupler", foot + arm, TURN)
    return made


def cardan(rng: np.random.Generator) -> Mechanism:
    """Three shafts in rigid bearings with two universal joints, overconstrained like real ones; a weight on the first makes them turn."""
    made = Mechanism("Cardan shaft", rng)
    bends = rng.uniform(-0.6, 0.6, 2)
    point, along = np.zeros(3), np.array([1.0, 0.0, 0.0])
    last = GROUND
    for i in range(3):
        end = point + 0.5 * along
        made.rod(f"shaft{i}", point, end)
        if i == 0:
            made.joint("revolute", GROUND, "shaft0", point, along)
        else:
            # the forks as a shop assembles them: crosses in the plane of the bend and square to it
            before = np.asarray(made.bodies[last]["x"])
            made.joint("universal", last, f"shaft{i}", point, axes=[[0.0, 0.0, 1.0], np.cross([0.0, 0.0, 1.0], along)])
            assert abs(before[2]) < 1e-12
        if i == 2:
            made.joint("cylindrical", GROUND, "shaft2", end, along)
        last = f"shaft{i}"
        point = end
        if i < 2:
            c, s = np.cos(bends[i]), np.sin(bends[i])
            along = np.array([c * along[0] - s * along[1], s * along[0] + c * along[1], 0.0])
    made.block_body("weight", np.array([0.1, 0.3, 0.0]), 1.0, 0.1)
    made.joint("fixed", "shaft0", "weight", [0.1, 0.0, 0.0])
    return made


JOINTS = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "planar", "constant_velocity")
LOOPS = {"distance": 1, "point_on_plane": 1, "spherical": 3, "parallel_axes": 2}
ROWS = {"revolute": 5, "spherical": 3, "universal": 4, "cylindrical": 4, "prismatic": 5, "planar": 3, "constant_velocity": 4}


def graph(rng: np.random.Generator) -> Mechanism:
    """Three to six bodies in a random tree of joints, with loops as long as one freedom or more remains."""
    made = Mechanism("random graph", rng)
    names = [f"b{i}" for i in range(int(rng.integers(3, 7)))]
    freedoms = 6 * len(names)

    def point() -> Floats:
        return rng.uniform(-1.0, 1.0, 3)

    for i, name in enumerate(names):
        start = point()
        made.rod(name, start, start + rng.uniform(0.4, 1.0) * direction(rng), rng.uniform(0.5, 2.0))
        kind = str(rng.choice(JOINTS))
        inner = GROUND if i == 0 else str(rng.choice([GROUND, *names[:i]]))
        axis = direction(rng)
        if kind == "universal":
            made.joint(kind, inner, name, start, axes=[axis, across(axis, rng)])
        elif kind == "constant_velocity":
            bent = axis + 0.5 * direction(rng)
            made.joint(kind, inner, name, start, axes=[axis, bent / np.linalg.norm(bent)])
        else:
            made.joint(kind, inner, name, start, None if kind == "spherical" else axis)
        freedoms -= ROWS[kind]
    wanted = int(rng.integers(1, 5))
    for _ in range(20):
        kind = str(rng.choice(list(LOOPS)))
        if freedoms - LOOPS[kind] < wanted:
            continue
        first, second = (str(x) for x in rng.choice([GROUND, *names], 2, replace=False))
        if kind == "distance":
            made.joint(kind, first, second, [point(), point()])
        else:
            made.joint(kind, first, second, point(), None if kind == "spherical" else direction(rng))
        freedoms -= LOOPS[kind]
    return made


FAMILIES: dict[str, Callable[[np.random.Generator], Mechanism]] = {
    "four_bar": four_bar,
    "six_bar": six_bar,
    "rssr": rssr,
    "rscr": rscr,
    "bennett": bennett,
    "stewart": stewart,
    "wishbone": wishbone,
    "delta": delta,
    "scissor": scissor,
    "sarrus": sarrus,
    "cranks": cranks,
    "cardan": cardan,
    "graph": graph,
}


def mechanism(family: str, seed: int) -> Mechanism:
    """Number `seed` of a family; the same at every call."""
    return FAMILIES[family](np.random.default_rng([list(FAMILIES).index(family), seed]))


def placed(family: str, seed: int) -> dict[str, Any]:
    """Arguments of `Mechanism.block` for number `seed`: scale 1e-3 ... 1e3 m and kg, in the plane (every other planar one) or turned."""
    rng = np.random.default_rng([seed, list(FAMILIES).index(family)])
    flat = mechanism(family, seed).planar and seed % 2 == 0
    return {"length": 10.0 ** rng.uniform(-3, 3), "mass": 10.0 ** rng.uniform(-3, 3), "turn": None if flat else rotation(rng)}
