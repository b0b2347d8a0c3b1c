"""Kinematics over a cycle: closed forms of classic mechanisms, Grashof's rule, dead points, branches that meet."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim import registry
from mbsim.results import Result

FOUR_BAR = """
name: four-bar
dimension: 2
gravity: [0, -9.81]
parameters:
  {a: 1.0, b: 4.0, c: 2.5, d: 3.0, theta: deg(90), elbow: 1, xa: a*cos(theta), ya: a*sin(theta), e: sqrt((d - xa)^2 + ya^2),
   beta: "atan2(-ya, d - xa) + elbow*acos((e^2 + b^2 - c^2)/(2*e*b))", xb: xa + b*cos(beta), yb: ya + b*sin(beta)}
bodies:
  crank:   {mass: a, inertia: a^3/12, position: [xa/2, ya/2], angle: theta, points: {O: [-a/2, 0], A: [a/2, 0]}}
  coupler: {mass: b, inertia: b^3/12, position: [(xa + xb)/2, (ya + yb)/2], angle: beta, points: {A: [-b/2, 0], B: [b/2, 0]}}
  rocker:
    {mass: c, inertia: c^3/12, position: [(d + xb)/2, yb/2], angle: "atan2(yb, xb - d)", points: {C: [-c/2, 0], B: [c/2, 0]}}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, points: [crank.A, coupler.A]}
  B: {type: revolute, points: [coupler.B, rocker.B]}
  C: {type: revolute, bodies: [ground, rocker], at: [d, 0]}
simulation: {end: 1, step: 1e-2}
measures: {mu: "angle(crank.A, coupler.B, rocker.C)"}
"""
TURN = "crank.angle=0:2*pi:361"
SLIDER_CRANK = """
dimension: 2
parameters: {r: 0.3, l: 0.8, h: 0.1, x: "r*cos(1) + sqrt(l^2 - (r*sin(1) - h)^2)"}
bodies:
  crank:  {mass: 1, inertia: 0.1, position: [0, 0], angle: 1, points: {A: [r, 0]}}
  rod:    {mass: 1, inertia: 0.1, position: [r*cos(1), r*sin(1)], angle: "atan2(h - r*sin(1), x - r*cos(1))", points: {B: [l, 0]}}
  slider: {mass: 1, inertia: 0.1, position: [x, h]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, points: [crank.A, rod]}
  B: {type: revolute, points: [rod.B, slider]}
  guide: {type: prismatic, bodies: [ground, slider], at: [x, h], axis: [1, 0]}
simulation: {end: 1}
"""
SCOTCH_YOKE = """
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 0], points: {P: [0.4, 0]}}
  yoke:  {mass: 1, inertia: 0.1, position: [0.4, 0]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  slot: {type: pin_in_slot, bodies: [yoke, crank], at: [0.4, 0], axis: [0, 1]}
  guide: {type: prismatic, bodies: [ground, yoke], at: [0.4, 0], axis: [1, 0]}
simulation: {end: 1}
"""
WHITWORTH = """
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 0.3], points: {P: [0.8, 0]}}
  lever: {mass: 1, inertia: 0.1, position: [0, 0], angle: "atan2(0.3, 0.8)"}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0.3]}
  C: {type: revolute, bodies: [ground, lever], at: [0, 0]}
  slot: {type: pin_in_slot, bodies: [lever, crank], at: [0.8, 0.3], axis: [0.8, 0.3]}
simulation: {end: 1}
"""


def column(result: Result, name: str) -> np.ndarray:
    return result.select("q", name)


def four_bar(a: float, b: float, c: float, d: float, theta: np.ndarray, elbow: float = 1.0) -> dict[str, np.ndarray]:
    """Angles of coupler and rocker, the rocker's derivatives by the crank's angle, the angle between coupler and rocker."""
    x, y = d - a * np.cos(theta), -a * np.sin(theta)
    e2 = x * x + y * y
    beta = np.arctan2(y, x) + elbow * np.arccos(np.clip((e2 + b * b - c * c) / (2 * np.sqrt(e2) * b), -1, 1))
    psi = np.arctan2(a * np.sin(theta) + b * np.sin(beta), a * np.cos(theta) + b * np.cos(beta) - d)
    with np.errstate(all="ignore"):
        first = a * np.sin(theta - beta) / (c * np.sin(psi - beta))
        turn = -a * np.sin(theta - psi) / (b * np.sin(beta - psi))
        second = (a * np.cos(theta - beta) * (1 - turn) - first * c * np.cos(psi - beta) * (first - turn)) / (c * np.sin(psi - beta))
    mu = np.arccos(np.clip((b * b + c * c - e2) / (2 * b * c), -1, 1))
    return {"beta": beta, "psi": psi, "first": first, "second": second, "mu": mu}


def apart(angle: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Their difference but for whole turns."""
    found: np.ndarray = np.angle(np.exp(1j * (angle - other)))
    return found


@pytest.mark.parametrize("coordinates", ["", "coordinates: joint\n"])
def test_four_bar(coordinates: str) -> None:
    """Against Freudenstein's equation and the derivatives of the loop, in absolute and in joint coordinates; measures go along."""
    model = mechanisms.model(FOUR_BAR + coordinates)
    name = "O.angle" if coordinates else "crank.angle"  # from the drawing, or from the x axis
    result = mbsim.kinematics(model, f"{name}=0:2*pi:361", transfer=["rocker.angle"], transmission=["B"])
    a, b, c, d = (model.parameters[key] for key in "abcd")
    theta = result.time + (np.pi / 2 if coordinates else 0.0)
    expected = four_bar(a, b, c, d, theta)
    mu = result["mu"]
    close(mu, expected["mu"], atol=1e-12)
    close(result["transmission_angle.B"], np.minimum(mu, np.pi - mu), atol=1e-12)
    close(result["transfer.rocker.angle"], expected["first"], atol=1e-12)
    close(result["transfer_second.rocker.angle"], expected["second"], atol=1e-9)
    close(result["mechanical_advantage.rocker.angle"] * expected["first"], 1.0, atol=1e-9)
    assert result["residual_position"].max() < 1e-14 and result.attributes["singular_positions"] == []
    assert result.attributes["cycle"] == name and result.units("transfer_second.rocker.angle") == "rad-1"
    if not coordinates:
        psi = column(result, "rocker.angle")
        k = d / a, d / c, (a * a + c * c + d * d - b * b) / (2 * a * c)
        close(k[0] * np.cos(psi) - k[1] * np.cos(theta) + k[2], np.cos(theta - psi), atol=1e-13)
        close(apart(psi, expected["psi"]), 0.0, atol=1e-13)
        close(result.select("v", "der(rocker.angle)"), expected["first"], atol=1e-12)
        close(result.select("acceleration", "der(rocker.angle)"), expected["second"], atol=1e-11)
        assert np.abs(np.diff(psi)).max() < 0.1  # no jump by a turn


def test_slider_crank() -> None:
    """With an offset; a mechanism with a slider knows the direction of its guide for the transmission angle."""
    result = mbsim.kinematics(mechanisms.model(SLIDER_CRANK), "crank.angle=4*pi:0:181", transfer=["slider.x"], transmission=["B"])
    r, l, h = 0.3, 0.8, 0.1
    theta = np.linspace(4 * np.pi, 0, 181)
    close(result.time, theta, atol=1e-12)
    u = r * np.sin(theta) - h
    w = np.sqrt(l * l - u * u)
    close(column(result, "slider.x"), r * np.cos(theta) + w, atol=1e-13)
    first = -r * np.sin(theta) - u * r * np.cos(theta) / w
    close(result["transfer.slider.x"], first, atol=1e-12)
    second = -r * np.cos(theta) - ((r * np.cos(theta)) ** 2 - u * r * np.sin(theta)) / w - (u * r * np.cos(theta)) ** 2 / w**3
    close(result["transfer_second.slider.x"], second, atol=1e-9)
    close(result["transmission_angle.B"], np.arccos(np.abs(u) / l), atol=1e-12)
    assert result.units("mechanical_advantage.slider.x") == "rad m-1"


def test_a_slide_of_another_package_has_its_transmission_angle(monkeypatch: pytest.MonkeyPatch) -> None:
    """That it slides is asked of the joint, not of its word."""
    monkeypatch.setattr(registry, "_registered", {})
    mbsim.register("joints", "guide", type("Guide", (registry.leaf("joints", "prismatic"),), {"__module__": __name__}))
    renamed = SLIDER_CRANK.replace("type: prismatic", "type: guide")
    assert renamed != SLIDER_CRANK
    texts = (SLIDER_CRANK, renamed)
    own, other = (mbsim.kinematics(mechanisms.model(text), "crank.angle=0:6:7", transmission=["B"]) for text in texts)
    close(other["transmission_angle.B"], own["transmission_angle.B"], atol=1e-14)


def test_scotch_yoke_and_whitworth() -> None:
    yoke = mbsim.kinematics(mechanisms.model(SCOTCH_YOKE), "crank.angle=0:2*pi:73", transfer=["yoke.x"])
    close(column(yoke, "yoke.x"), 0.4 * np.cos(yoke.time), atol=1e-14)
    close(yoke["transfer_second.yoke.x"], -0.4 * np.cos(yoke.time), atol=1e-10)
    whitworth = mbsim.kinematics(mechanisms.model(WHITWORTH), "crank.angle=0:2*pi:73", transfer=["lever.angle"])
    s, c = np.sin(whitworth.time), np.cos(whitworth.time)
    close(apart(column(whitworth, "lever.angle"), np.arctan2(0.3 + 0.8 * s, 0.8 * c)), 0.0, atol=1e-13)
    close(column(whitworth, "lever.angle")[-1] - column(whitworth, "lever.angle")[0], 2 * np.pi, atol=1e-12)  # the lever turns too
    close(whitworth["transfer.lever.angle"], (0.64 + 0.24 * s) / (0.73 + 0.48 * s), atol=1e-12)


def dead_points(a: float, b: float, c: float, d: float) -> list[float]:
    """The crank's angles in (0, pi) at which coupler and rocker are in line, stretched or folded."""
    cosines = [(a * a + d * d - e * e) / (2 * a * d) for e in (b + c, b - c)]
    return sorted(float(np.arccos(x)) for x in cosines if abs(x) < 1.0)


def random_four_bars(count: int) -> list[tuple[tuple[float, ...], float]]:
    """Lengths a, b, c, d, each with a crank's angle at which the loop closes well."""
    rng, found = np.random.default_rng(12), []
    while len(found) < count:
        a, b, c, d = lengths = tuple(float(x) for x in rng.uniform(0.5, 3.0, 4))
        s, p, q, l = sorted(lengths)
        theta = np.linspace(0.05, np.pi - 0.05, 400)
        e = np.sqrt(a * a + d * d - 2 * a * d * np.cos(theta))
        margin = np.minimum(b + c - e, e - abs(b - c))
        if abs(s + l - p - q) > 0.1 and margin.max() > 0.2:
            found.append((lengths, float(theta[int(np.argmax(margin))])))
    return found


def turns(a: float, b: float, c: float, d: float) -> bool:
    """Whether the crank a turns fully, d being the frame (Grashof 1883)."""
    s, p, q, l = sorted((a, b, c, d))
    return s + l < p + q and s in (a, d)


def test_random_four_bars_are_of_both_kinds() -> None:
    assert 6 <= sum(turns(*lengths) for lengths, _ in random_four_bars(24)) <= 18


@pytest.mark.parametrize("number", range(24))
def test_grashof(number: int) -> None:
    """A crank turns fully if shortest + longest < the other two and the crank or the frame is the shortest; others stop at dead points."""
    (a, b, c, d), start = random_four_bars(24)[number]
    elbow = 1.0 if number % 2 else -1.0
    model = mechanisms.model(FOUR_BAR, parameters={"a": a, "b": b, "c": c, "d": d, "theta": start, "elbow": elbow})
    ends = dead_points(a, b, c, d)
    assert bool(ends) is not turns(a, b, c, d)
    limits = {1.0: min([x for x in ends if x > start], default=None), -1.0: max([x for x in ends if x < start], default=None)}
    for sign in (1.0, -1.0):
        stop = start + sign * 2 * np.pi
        cycle = f"crank.angle={start}:{stop}:97"
        if turns(a, b, c, d):
            result = mbsim.kinematics(model, cycle, transfer=["rocker.angle"])
        else:
            with pytest.raises(mbsim.SimulationError, match=r"dead point at crank\.angle = ") as refused:
                mbsim.kinematics(model, cycle, transfer=["rocker.angle"])
            assert refused.value.result is not None
            result = refused.value.result
            # without a dead point up to 0 or pi the crank goes on into the mirrored half
            limit = limits[sign] if limits[sign] is not None else (2 * np.pi - max(ends) if sign > 0 else -min(ends))
            close(refused.value.time, limit, atol=1e-9)
            assert result.attributes["status"] == "failed" and abs(result.time[-1] - limit) <= 2 * np.pi / 96
            found = result.attributes["singular_positions"][-1]
            assert found["dead_point"] and set(found["moving"]) == {"coupler.angle", "rocker.angle"}
            here, other = found["branches"]["rocker.angle"]
            both = [four_bar(a, b, c, d, np.array(found["beside"]), x)["psi"] for x in (elbow, -elbow)]
            close(apart(np.array([here, other]), np.array(both)), 0.0, atol=1e-8)
        expected = four_bar(a, b, c, d, result.time, elbow)
        close(apart(column(result, "rocker.angle"), expected["psi"]), 0.0, atol=1e-10)
        scale = 1.0 + np.abs(expected["first"])
        close(result["transfer.rocker.angle"] / scale, expected["first"] / scale, atol=1e-9)


def test_branches_that_meet() -> None:
    """A parallelogram stays one where it could become an antiparallelogram, on rows and between them; v and a are those of the motion."""
    model = mechanisms.model(FOUR_BAR, parameters={"a": 1.0, "b": 3.0, "c": 1.0, "d": 3.0})
    for cycle in (TURN, "crank.angle=0.1:2*pi:38"):
        result = mbsim.kinematics(model, cycle, transfer=["rocker.angle"])
        close(column(result, "rocker.angle"), result.time, atol=1e-12)
        close(result["transfer.rocker.angle"], 1.0, atol=1e-8)
        close(result["transfer_second.rocker.angle"], 0.0, atol=1e-6)
        met = result.attributes["singular_positions"]
        assert {round(found["at"] / np.pi) for found in met} >= {1} and not any(found["dead_point"] for found in met)
        close([found["at"] / np.pi - round(found["at"] / np.pi) for found in met], 0.0, atol=1e-5)
    drawn = mechanisms.model(FOUR_BAR, parameters={"a": 1.0, "b": 3.0, "c": 1.0, "d": 3.0, "theta": 0.0})
    with pytest.raises(mbsim.SimulationError, match=r"the configuration is singular: .*draw the mechanism elsewhere"):
        mbsim.kinematics(drawn, TURN)


@pytest.mark.parametrize("rows", [5, 361])
def test_rows_on_branches_that_meet_where_c_is_weak_far_around(rows: int) -> None:
    """The crank is as long as the rod: the slider goes to and fro by 2 r cos, and does not stay over the bearing where rows meet it."""
    model = mechanisms.model(SLIDER_CRANK, parameters={"r": 0.2, "l": 0.2, "h": 0.0})
    result = mbsim.kinematics(model, f"crank.angle=0:2*pi:{rows}", transfer=["slider.x"])
    close(column(result, "slider.x"), 0.4 * np.cos(result.time), atol=1e-12)
    close(result["transfer.slider.x"], -0.4 * np.sin(result.time), atol=1e-8)
    close(result["transfer_second.slider.x"], -0.4 * np.cos(result.time), atol=1e-6)


def test_a_driver_that_rests_where_branches_meet_leaves_the_branch_open() -> None:
    """The slider went on by one of the two, and it was said to have passed with its velocity."""
    text = SLIDER_CRANK.replace("simulation: {end: 1}", "simulation: {end: 3, output_step: 0.25}")
    text += 'drivers: {turn: {joint: O, angle: "step(t, 0, -0.5, 1, pi/2 - 1) + step(t, 1.5, 0, 2.5, END)"}}\n'
    text = text.replace("l: 0.8, h: 0.1", "l: 0.3, h: 0")
    with pytest.raises(mbsim.SimulationError, match=r"beyond t = 1 s: it rests on a singular position: rod\.angle can move") as error:
        mbsim.kinematics(mechanisms.model("name: rests\n" + text.replace("END", "1")))
    assert error.value.result is not None and error.value.result.time[-1] == 1.5
    assert mbsim.kinematics(mechanisms.model("name: stays\n" + text.replace("END", "0"))).time[-1] == 3.0


def test_bricard_in_space() -> None:
    """The six hinges of the shipped loop turn by a, -b, a, ..., with sin b = sin a/(1 + sin a), so that sin a = -1/2 is a dead point."""
    model = mechanisms.shipped("bricard")
    with pytest.raises(mbsim.SimulationError, match=r"dead point at P0\.angle = -0\.523598") as ended:
        mbsim.kinematics(model, "P0.angle=0.4:-1:57", transfer=["P1.angle", "P2.angle"])
    close(ended.value.time, -np.pi / 6, atol=1e-9)
    result = ended.value.result
    assert result is not None and len(result.time) == 37
    sine = np.sin(result.time) / (1 + np.sin(result.time))
    b = np.arcsin(sine)
    first = np.cos(result.time) / (1 + np.sin(result.time)) ** 2 / np.cos(b)
    close(np.abs(result["transfer.P1.angle"]) / first, 1.0, atol=1e-9)
    close(np.abs(result["transfer.P2.angle"]), 1.0, atol=1e-10)
    close(result["transfer_second.P2.angle"], 0.0, atol=1e-6)
    assert result["residual_velocity"].max() < 1e-12


def test_in_time_as_its_run(tmp_path: Any) -> None:
    """Without a cycle: positions, velocities, accelerations, efforts and energies of a driven four-bar as `mbsim run` has them."""
    driven = FOUR_BAR + "drivers: {m: {coordinate: crank.angle, value: pi/2 + 6*t + sin(3*t)}}\n"
    made = mbsim.assemble(mechanisms.model(driven))
    result = mbsim.kinematics(mechanisms.model(driven), transmission=["B"])
    run = mbsim.simulate(made, method="lagrange", integrator="dop853", output_step=1e-2, rtol=1e-11, atol=1e-11)
    for name in ("q", "v", "acceleration", "driver_effort", "joint_force", "mu", "energy_kinetic"):
        close(result[name], run[name], atol=1e-7 * max(1.0, np.abs(run[name]).max()))
    close(result["energy_work"], run["energy_work"], atol=1e-4 * np.abs(run["energy_work"]).max())
    close(result["energy_balance"], 0.0, atol=1e-4 * np.abs(run["energy_work"]).max())


@pytest.mark.parametrize("rows", [8, 9, 15], ids=["between rows", "on a row", "on a row, close"])
def test_a_row_on_the_dead_point(rows: int) -> None:
    """Rows beyond r + l had the mechanism stretched and a slider that was not where it was driven to, and the cycle counted as computed."""
    first, last = 0.7, 1.5  # r + l = 1.1 is the fifth of nine rows and the eighth of fifteen
    centric = SLIDER_CRANK.replace("h: 0.1", "h: 0.0")
    with pytest.raises(mbsim.SimulationError, match=r"dead point at slider\.x = 1\.1 m") as error:
        mbsim.kinematics(centric, cycle=f"slider.x={first}:{last}:{rows}")
    found = error.value.result
    x = np.linspace(first, last, rows)
    assert found.time == pytest.approx(x[x < 1.1 - 1e-9], abs=1e-12)  # on it speeds are infinite: a row there said that the crank rests
    close(found["crank.angle"], np.arccos((0.3**2 + found.time**2 - 0.8**2) / (0.6 * found.time)), atol=1e-9)
    close(found["slider.x"], found.time, atol=1e-12)
    assert found["residual_velocity"].max() < 1e-9
