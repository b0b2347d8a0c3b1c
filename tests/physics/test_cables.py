"""Cables over pulleys, on drums, through eyelets: closed forms, and equations that are derived and integrated here."""

from math import cos, hypot, pi, sin, sqrt
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from scipy.integrate import solve_ivp

import mbsim

G = 9.81
PRECISE = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}


def model(bodies: dict[str, Any], joints: dict[str, Any], **rest: Any) -> Any:
    source = {"dimension": 2, "gravity": [0, -G], "bodies": bodies, "joints": joints, "simulation": {"end": 0.5, "output_step": 0.05}}
    return mechanisms.model(source | rest)


def slide(body: str, x: float) -> dict[str, Any]:
    return {"type": "prismatic", "bodies": ["ground", body], "at": [x, 0], "axis": [0, 1]}


def circle(center: str, at: list[float], radius: float, wraps: str, **keys: Any) -> dict[str, Any]:
    return {"center": center, "at": at, "radius": radius, "wraps": wraps, **keys}


def atwood(gripped: bool, **rest: Any) -> Any:
    bodies = {
        "left": {"mass": 3, "inertia": 0.01, "position": [-0.2, 0]},
        "right": {"mass": 2, "inertia": 0.01, "position": [0.2, -0.5]},
        "wheel": {"mass": 1, "inertia": 0.06, "position": [0, 2]},
    }
    joints = {
        "l": slide("left", -0.2),
        "r": slide("right", 0.2),
        "axle": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 2]},
    }
    keys = {"grips": True} if gripped else {}
    path = ["left", circle("wheel", [0, 2], 0.2, "clockwise", **keys), "right"]
    return model(bodies, joints, constraints={"rope": {"type": "pulley_cable", "path": path}}, **rest)


@pytest.mark.parametrize("gripped", [False, True])
def test_atwood(gripped: bool) -> None:
    """The heavier side falls with (m1 - m2) g / (m1 + m2 + I/r^2), I the inertia of a pulley that grips."""
    result = mbsim.simulate(atwood(gripped), **PRECISE)
    a = (3 - 2) * G / (3 + 2 + (0.06 / 0.2**2 if gripped else 0.0))
    t = result["time"]
    close(result.select("body_position", "left")[:, 1], -0.5 * a * t**2, atol=1e-11)
    close(result.select("body_position", "right")[:, 1], -0.5 + 0.5 * a * t**2, atol=1e-11)
    close(result.select("body_angular_velocity", "wheel")[:, 2], a * t / 0.2 if gripped else 0 * t, atol=1e-10)
    tensions = {"rope.part1": 3 * (G - a), "rope.part2": 2 * (G + a)} if gripped else {"rope": 3 * (G - a)}
    for name, tension in tensions.items():
        close(result.select("multiplier", name), tension, atol=1e-9)


@pytest.mark.parametrize("sheaves", [1, 2, 3])
def test_block_and_tackle(sheaves: int) -> None:
    """A block on n = 2 sheaves falls: it goes down by 1/n of what the counterweight goes up, with (M - n m) g / (M + n^2 m)."""
    r, M, m, n = 0.1, 10.0, 1.2, 2 * sheaves
    path: list[Any] = [{"point": "ground", "at": [-r, 4]}]
    for k in range(sheaves):
        path += [
            circle("block", [4 * r * k, 0], r, "counterclockwise"),
            circle("ground", [4 * r * k + 2 * r, 4], r, "clockwise"),
        ]
    path.append("weight")
    bodies = {
        "block": {"mass": M, "inertia": 0.1, "position": [0.3, -0.3]},
        "weight": {"mass": m, "inertia": 0.01, "position": [4 * r * sheaves - r, 1]},
    }
    joints = {"b": slide("block", 0.3), "w": slide("weight", 4 * r * sheaves - r)}
    result = mbsim.simulate(model(bodies, joints, constraints={"rope": {"type": "pulley_cable", "path": path}}), **PRECISE)
    a = (M - n * m) * G / (M + n**2 * m)
    close(result.select("body_velocity", "block")[:, 1], -a * result["time"], atol=1e-10)
    close(result.select("body_velocity", "weight")[:, 1], n * a * result["time"], atol=1e-10)
    close(result.select("multiplier", "rope"), m * (G + n * a), atol=1e-9)


def test_differential_hoist() -> None:
    """Weston's: one drum of two radii winds up at R and lets go at r; the load rises by (R - r)/2 a radian, and takes W (R - r)/2."""
    R, r, omega, W = 0.25, 0.2, 3.0, 7.0 * G
    bodies = {
        "drum": {"mass": 1, "inertia": 0.05, "position": [0, 3]},
        "load": {"mass": 7, "inertia": 0.1, "position": [(R - r) / 2, 0]},
    }
    joints = {"axle": {"type": "revolute", "bodies": ["ground", "drum"], "at": [0, 3]}, "guide": slide("load", (R - r) / 2)}
    path = [
        circle("drum", [0, 3], R, "clockwise"),
        circle("load", [(R - r) / 2, 0], (R + r) / 2, "clockwise"),
        circle("drum", [0, 3], r, "clockwise"),
    ]
    made = model(
        bodies,
        joints,
        constraints={"chain": {"type": "pulley_cable", "path": path}},
        drivers={"motor": {"joint": "axle", "angle": f"{omega}*t"}},
        simulation={"end": 5, "output_step": 0.5},
    )
    result = mbsim.simulate(made, method="lagrange", **PRECISE)
    assert omega * 5 > 2 * pi  # more than a turn
    close(result.select("body_velocity", "load")[:, 1], omega * (R - r) / 2, atol=1e-10)
    close(result.select("multiplier", "chain"), W / 2, atol=1e-8)
    close(result.select("multiplier", "motor"), W * (R - r) / 2, atol=1e-8)


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_winch(dimension: int, coordinates: str) -> None:
    """A drum that turns by w t, over many turns, lifts a load over a pulley at R w."""
    R, w = 0.2, 2.5
    axis = {} if dimension == 2 else {"axis": [0, 0, -1]}

    def at(*x: float) -> list[float]:
        return [*x, 0.0][:dimension]

    wheel = {"mass": 1, "inertia": 0.05 if dimension == 2 else [0.05, 0.05, 0.05]}
    bodies = {"drum": {**wheel, "position": at(-1, 0)}, "load": {**wheel, "mass": 5, "position": at(0.1, 0)}}
    joints = {
        "axle": {"type": "revolute", "bodies": ["ground", "drum"], "at": at(-1, 0), **axis},
        "guide": {"type": "prismatic", "bodies": ["ground", "load"], "at": at(0.1, 0), "axis": at(0, 1)},
    }
    path = [
        circle("drum", at(-1, 0), R, "counterclockwise", **axis),
        circle("ground", at(0, 10), 0.1, "counterclockwise" if dimension == 3 else "clockwise", **axis),
        "load",
    ]
    if dimension == 2:
        path[0]["wraps"] = "clockwise"  # about z, where the axis of the others is -z
    sense = 1.0 if dimension == 2 else -1.0
    source = {
        "dimension": dimension,
        "coordinates": coordinates,
        "gravity": at(0, -G),
        "bodies": bodies,
        "joints": joints,
        "constraints": {"rope": {"type": "pulley_cable", "path": path}},
        "drivers": {"motor": {"joint": "axle", "angle": f"{sense * w}*t"}},
        "simulation": {"end": 8, "output_step": 0.25},
    }
    result = mbsim.simulate(mechanisms.model(source), **PRECISE)
    assert w * 8 > 6 * pi
    close(result.select("body_velocity", "load")[:, 1], R * w, atol=1e-9)
    close(result.select("multiplier", "rope"), 5 * G, atol=1e-7)


def bob(R: float, length: float, speed: float, gravity: float, end: float) -> Any:
    """A string from a fixed cylinder about the origin, which it leaves at (R, 0) downwards: it winds up as it swings to the left."""
    source = {
        "dimension": 2,
        "gravity": [0, -gravity],
        "bodies": {"bob": {"mass": 0.7, "inertia": 0.01, "position": [R, -length], "velocity": [-speed, 0]}},
        "constraints": {"string": {"type": "pulley_cable", "path": [circle("ground", [0, 0], R, "clockwise"), "bob"]}},
        "simulation": {"end": end, "output_step": end / 20},
    }
    return mechanisms.model(source)


def test_pendulum_on_a_cylinder() -> None:
    """The bob is at R (cos p, -sin p) + l (-sin p, -cos p), l = l0 - R p: l^2 p'' - R l p'^2 = dy..., integrated here to 1e-12."""
    R, l0, v = 0.3, 1.1, 1.5

    def place(p: float) -> tuple[float, float]:
        length = l0 - R * p
        return R * cos(p) - length * sin(p), -R * sin(p) - length * cos(p)

    def rates(_: float, z: np.ndarray) -> list[float]:  # kinetic energy (l p')^2 / 2; d(potential)/dp = g l sin p
        length = l0 - R * z[0]
        return [z[1], (R * z[1] ** 2 - G * sin(z[0])) / length]

    result = mbsim.simulate(bob(R, l0, v, G, 2.0), method="lagrange", **PRECISE)
    known = solve_ivp(rates, (0, 2.0), [0.0, v / l0], method="DOP853", rtol=1e-13, atol=1e-13, t_eval=result["time"])
    assert np.ptp(known.y[0]) > 0.8
    close(result.select("body_position", "bob")[:, :2], np.array([place(p) for p in known.y[0]]), atol=1e-10)
    tension = [0.7 * ((l0 - R * p) * w**2 + G * cos(p)) for p, w in known.y.T]
    close(result.select("multiplier", "string"), tension, atol=1e-8)


def test_a_string_winds_up_by_many_turns() -> None:
    """Without gravity the speed v stays, and l^2 = l0^2 - 2 R v t."""
    R, l0, v = 0.05, 1.0, 2.0
    end = (l0**2 - 0.2**2) / (2 * R * v)
    result = mbsim.simulate(bob(R, l0, v, 0.0, end), method="lagrange", **PRECISE)
    length = np.sqrt(l0**2 - 2 * R * v * result["time"])
    turn = (l0 - length) / R
    assert turn[-1] > 4 * pi
    place = np.stack([R * np.cos(turn) - length * np.sin(turn), -R * np.sin(turn) - length * np.cos(turn)], axis=1)
    close(result.select("body_position", "bob")[:, :2], place, atol=1e-9)


def test_each_part_of_a_cable_loses_what_its_own_damping_takes() -> None:
    """A pulley that grips parts the cable: the power that is lost is damping times rate^2 of each part, none while it is slack."""
    path = [{"point": "a"}, circle("wheel", [0, 0], 0.3, "clockwise", grips=True), {"point": "b"}]
    made = model(
        {
            "a": {"mass": 3, "inertia": 1, "position": [-0.3, -2]},
            "b": {"mass": 2, "inertia": 1, "position": [0.3, -1]},
            "wheel": {"mass": 1, "inertia": 0.05},
        },
        {"axle": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0]}, "left": slide("a", -0.3), "right": slide("b", 0.3)},
        forces={"rope": {"type": "pulley_cable", "EA": 4000, "damping": 5, "path": path}},
    )
    run = mbsim.simulate(made, **PRECISE)
    for name in ("rope", "rope.part2"):
        taut = run.select("force_effort", name) > 0.0
        rate, loss = run.select("force_rate", name), run.select("force_loss", name)
        assert taut.sum() > 5 and np.abs(loss).max() > 0.1
        close(loss, np.where(taut, 5.0 * rate**2, 0.0), atol=1e-8)


@pytest.mark.parametrize("key", ["stiffness", "EA"])
def test_elastic_cable_over_a_pulley(key: str) -> None:
    """A load on a cable of stiffness k over a pulley to a fixed end swings with sqrt(k/m) about its equilibrium; its energy stays."""
    m, k = 2.0, 500.0
    drawn, free = 3.0 + 2.0 + pi * 0.2, 5.0 + pi * 0.2 - 0.02
    path = [{"point": "ground", "at": [-0.2, -1]}, circle("ground", [0, 2], 0.2, "clockwise"), "load"]
    bodies = {"load": {"mass": m, "inertia": 0.01, "position": [0.2, 0]}}
    rope = {"type": "pulley_cable", "path": path, "free_length": free, key: k if key == "stiffness" else k * free}
    result = mbsim.simulate(model(bodies, {"guide": slide("load", 0.2)}, forces={"rope": rope}), **PRECISE)
    t, w = result["time"], sqrt(k / m)
    assert m * G / k > 0.02  # it does not go slack
    close(result.select("body_position", "load")[:, 1], -(G / w**2 - 0.02) * (1 - np.cos(w * t)), atol=1e-10)
    close(result.select("force_length", "rope"), drawn - result.select("body_position", "load")[:, 1], atol=1e-12)
    close(result.select("force_rate", "rope"), -result.select("body_velocity", "load")[:, 1], atol=1e-12)
    close(result.select("force_effort", "rope"), k * (result.select("force_length", "rope") - free), atol=1e-8)
    close(result["energy_kinetic"] + result["energy_potential"], result["energy_potential"][0], atol=1e-9)
    close(result["energy_balance"], 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", ["constraint", "force"])
def test_weight_on_a_cable_through_an_eyelet(kind: str) -> None:
    """It rests on the ellipse of length L where both sides lean alike: the tension is W / (2 sqrt(1 - (d/L)^2)), d the width."""
    d, rise, L, W, k = 3.0, 0.8, 4.0, 6.0 * G, 2e3
    lean = sqrt(1 - (d / L) ** 2)  # cosine
    tension = W / (2 * lean)
    path = [{"point": "ground", "at": [0, 0]}, "weight", {"point": "ground", "at": [d, rise]}]
    bodies = {"weight": {"mass": 6, "inertia": 0.1, "position": [1.0, -1.2]}}
    rope: dict[str, Any] = {"type": "pulley_cable", "path": path}
    rest: dict[str, Any] = {"constraints": {"upright": {"type": "holonomic", "equation": "weight.angle"}}}
    if kind == "constraint":
        rest["constraints"]["rope"] = rope | {"length": L}
    else:
        rest["forces"] = {"rope": rope | {"stiffness": k, "free_length": L - tension / k}}
    found = mbsim.equilibrium(model(bodies, {}, **rest))
    # lengths a + b = L, (a - b) lean = rise - 0 up to sign: the left side is the shorter where the right anchor is higher
    a = 0.5 * (L - rise / lean)
    place = [found["weight.x"], found["weight.y"]]
    close(place, [a * d / L, -a * lean], atol=1e-9 if kind == "constraint" else 1e-6)
    close(hypot(*place) + hypot(d - place[0], rise - place[1]), L, atol=1e-9 if kind == "constraint" else 1e-6)
    told = found.to_result()
    close(told.select("multiplier" if kind == "constraint" else "force_effort", "rope"), tension, atol=1e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_a_cable_goes_slack_and_becomes_taut(restitution: float) -> None:
    """A ball falls freely by h, is caught by the rope over a pulley and lifts the crate on its other end from the floor."""
    h, m, M = 0.5, 2.0, 5.0
    bodies = {
        "ball": {"mass": m, "inertia": 0.01, "position": [0.1, h]},
        "crate": {"mass": M, "inertia": 0.01, "position": [-0.1, 0]},
    }
    joints = {"b": slide("ball", 0.1), "c": slide("crate", -0.1) | {"stops": {"lower": 0}}}
    rope: dict[str, Any] = {
        "type": "pulley_cable",
        "slack": True,
        "length": "4 + 0.1*pi",
        "path": ["ball", circle("ground", [0, 2], 0.1, "counterclockwise"), "crate"],
    }
    if restitution:
        rope["restitution"] = restitution
    simulation = {"end": 0.5, "output_step": 0.05}
    made = model(bodies, joints, constraints={"rope": rope}, simulation=simulation)
    result = mbsim.simulate(made, **PRECISE)
    t, caught = result["time"], sqrt(2 * h / G)
    falls = t < caught - 1e-9
    close(result.select("body_position", "ball")[falls, 1], h - 0.5 * G * t[falls] ** 2, atol=1e-11)
    close(result.select("multiplier", "rope")[falls], 0.0, atol=0.0)
    hits = [event for event in result.events if event["event"] == "rope" and event["do"] == "impact"]
    impulse = (1 + restitution) * m * M / (m + M) * sqrt(2 * G * h)
    close(hits[0]["time"], caught, atol=1e-10)
    close(hits[0]["impulses"]["rope"], impulse, atol=1e-9)
    first = np.searchsorted(t, caught - 1e-9) + 1
    close(result.select("body_velocity", "crate")[first, 1], impulse / M, atol=1e-9)
    if not restitution:  # both move together
        close(result.select("multiplier", "rope")[first:], 2 * m * M * G / (m + M), atol=1e-8)


def test_a_winch_takes_up_a_slack_cable() -> None:
    """In space, about a drum on a joint, whose length grows by a law, too: taut when the slack is taken up."""
    z = {"axis": [0, 0, 1]}
    source = {
        "gravity": [0, -G, 0],
        "bodies": {
            "drum": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 3, 0]},
            "load": {"mass": 5, "inertia": [0.1, 0.1, 0.1], "position": [0.2, 0, 0]},
        },
        "joints": {
            "axle": {"type": "revolute", "bodies": ["ground", "drum"], "at": [0, 3, 0], **z},
            "guide": {"type": "prismatic", "bodies": ["ground", "load"], "at": [0.2, 0, 0], "axis": [0, 1, 0], "stops": {"lower": 0}},
        },
        "drivers": {"motor": {"joint": "axle", "angle": "0.8*t"}},
        "constraints": {
            "rope": {
                "type": "pulley_cable",
                "slack": True,
                "length": "3.1 + 0.05*t",
                "path": [{"center": "drum", "radius": 0.2, "wraps": "clockwise", **z}, "load"],
            }
        },
        "simulation": {"end": 2, "output_step": 0.1},
    }
    result = mbsim.simulate(mechanisms.model(source), **PRECISE)
    taut = 0.1 / (0.2 * 0.8 - 0.05)
    hits = [event for event in result.events if event["event"] == "rope" and event["do"] == "impact"]
    close(hits[0]["time"], taut, atol=1e-9)
    late = result["time"] > taut + 1e-9
    close(result.select("body_velocity", "load")[late, 1], 0.2 * 0.8 - 0.05, atol=1e-9)
    close(result.select("multiplier", "rope")[late], 5 * G, atol=1e-8)


@pytest.mark.parametrize("kind", ["constraint", "force"])
def test_block_on_two_falls_turns_back(kind: str) -> None:
    """A block of weight W on two falls of length h, 2 R apart, turns about the vertical with sqrt(W R^2/(h I)), as on two threads.

    Small: the second order of its angle is left out.
    """
    R, h, m, inertia, rate = 0.2, 2.0, 5.0, 0.3, 1e-5
    z = {"axis": [0, 1, 0]}
    path = [
        {"point": "ground", "at": [-R, 0, h]},
        {"center": "block.sheave", "radius": R, "wraps": "clockwise", **z},
        {"point": "ground", "at": [R, 0, h]},
    ]
    rope: dict[str, Any] = {"type": "pulley_cable", "path": path}
    block = {
        "mass": m,
        "inertia": [inertia, inertia, inertia],
        "position": [0, 0, -0.5],
        "points": {"sheave": [0, 0, 0.5]},
        "angular_velocity": [0, 0, rate],
    }
    drawn = 2 * h + pi * R
    elastic = rope | {"stiffness": 1e4, "free_length": drawn - m * G / 2e4}
    rest = {"constraints": {"rope": rope}} if kind == "constraint" else {"forces": {"rope": elastic}}
    source = {"gravity": [0, 0, -G], "bodies": {"block": block}, "simulation": {"end": 3, "output_step": 0.25}} | rest
    result = mbsim.simulate(mechanisms.model(source), method="lagrange", **PRECISE)
    w = sqrt(m * G * R**2 / (h * inertia))
    spin = np.asarray(result.select("body_angular_velocity", "block"))
    close(spin[:, 2], rate * np.cos(w * result["time"]), atol=1e-4 * rate)
    assert np.abs(spin[:, 0]).max() < 1e-4 * rate  # it does not roll


@pytest.mark.parametrize("turns", [0, 1])
def test_a_cable_that_would_lift_off_is_said(turns: int) -> None:
    """A weight that swings up on a string over a peg, until the string is straight: by its angle there."""
    peg = circle("ground", [0, 0], 0.1, "clockwise") | ({"turns": turns} if turns else {})
    path = [{"point": "ground", "at": [-1, 0]}, peg, "bob"]
    source = {
        "dimension": 2,
        "bodies": {"bob": {"mass": 1, "inertia": 0.1, "position": [0.1, -1], "velocity": [4, 0]}},
        "constraints": {"string": {"type": "pulley_cable", "path": path}},
        "simulation": {"end": 1.2, "output_step": 0.01},
    }
    result = mbsim.simulate(mechanisms.model(source))
    (warning, *more) = [text for text in result.attributes["warnings"] if "string" in text] or [""]
    assert not more
    if turns:
        assert not warning
        return
    assert warning.startswith("the cable string would lift off the circle path[1] at t = ")
    place = result.select("body_position", "bob")[:, :2]
    at = np.searchsorted(result["time"], float(warning.split("t = ")[1].split()[0]))
    tangent = np.arcsin(0.1) + np.arctan2(0.0, 1.0)  # the string from (-1, 0) leaves the peg so much upwards
    # seen along that line, the bob is below it before, and above it from then on
    off = -np.sin(tangent) * (place[:, 0] + 1) + np.cos(tangent) * place[:, 1]
    assert off[at - 2] < 0.0 < off[at + 1]
