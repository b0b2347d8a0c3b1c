"""Stops, contacts and dry friction against closed forms, g = 9.81 m/s2. What a digit is the value of stands beside it."""

from math import atan2, cos, pi, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import mbsim
from mbsim.results import Result

G = 9.81


def model(text: str, **parameters: float) -> Result:
    """The result of a model's text with default settings."""
    return mbsim.simulate(mbsim.load_model(text, parameters=parameters))


def told(result: Result, name: str = "") -> list[tuple[float, str]]:
    """Time and what happened, of one contact or of all."""
    return [(line["time"], line["do"]) for line in result.events if name in ("", line["event"])]


def multiplier(result: Result, row: str) -> np.ndarray:
    """Of one row, in time."""
    return np.asarray(result.to_xarray()["multiplier"].sel(constraint=row))


BALL = """
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {mass: 1, inertia: 0.1, position: [0, 1]}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, radius: 0, restitution: 0.8}}
simulation: {end: 5}
"""


def test_a_ball_bounces_and_comes_to_rest():
    result = model(BALL)
    found = told(result)
    assert found[0][0] == pytest.approx(0.451523640985731, abs=1e-10)  # sqrt(2 h / g)
    assert found[-1][1] == "closed"
    assert found[-1][0] == pytest.approx(4.06371276887158, abs=1e-6)  # (1 + e) / (1 - e) sqrt(2 h / g); closing_speed ends the series
    height = np.asarray(result["q"])[:, 1]
    assert np.interp(2.0, result.time, height) == pytest.approx(0.260741728327106, abs=1e-4)
    assert abs(height[-1]) < 1e-12
    balance = np.asarray(result["energy_balance"])
    assert np.abs(balance - balance[0]).max() < 1e-8 * G


COULOMB = """
dimension: 2
bodies: {block: {mass: 1, inertia: 1, position: [0.2, 0]}}
joints:
  slide: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [1, 0], friction: {force: 0.2*9.81}}
forces:
  spring: {type: spring_damper, bodies: [ground, block], at: [[-10, 0], [0.2, 0]], stiffness: 100, free_length: 10}
simulation: {end: 10}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_coulombs_oscillator_stops_after_five_half_swings(coordinates):
    result = model(f"{COULOMB}coordinates: {coordinates}\n")
    at, what = told(result)[-1]
    assert what == "sticks"
    assert at == pytest.approx(5.0 * pi / 10.0, abs=1e-8)
    x = np.asarray(result["q"])[:, 0]
    x = x - x[0] + 0.2  # a joint counts from the start
    assert abs(x[-1]) == pytest.approx(0.0038, abs=1e-8)  # 0.2 - 5 * 2 * 0.01962 m
    assert np.ptp(x[np.asarray(result.time) > at + 1e-6]) == 0.0  # it does not creep
    assert -np.asarray(result["energy_work"])[-1] == pytest.approx(1.999278, abs=1e-6)  # 50 (0.2^2 - 0.0038^2) J


BELT = """
dimension: 2
bodies:
  belt: {mass: 1, inertia: 1, position: [0, 0]}
  block: {mass: 1, inertia: 1, position: [0, 0], velocity: [0.1, 0]}
joints:
  track: {type: prismatic, bodies: [ground, belt], at: [0, 0], axis: [1, 0]}
  slide: {type: prismatic, bodies: [belt, block], at: [0, 0], axis: [1, 0], friction: {force: 1, static: 1.5}}
drivers: {run: {joint: track, displacement: 0.1*t}}
forces:
  spring: {type: spring_damper, bodies: [ground, block], at: [[-10, 0], [0, 0]], stiffness: 20, free_length: 10}
simulation: {end: 6}
"""


def test_stick_and_slip_on_a_belt():
    result = model(BELT)
    times = [at for at, _ in told(result)][1:]
    assert times[0] == pytest.approx(0.75, abs=1e-9)  # F_s / (k v)
    lengths = np.diff(times)
    assert lengths[0::2] == pytest.approx([1.02882560198109] * len(lengths[0::2]), abs=1e-8)
    assert lengths[1::2] == pytest.approx([0.5] * len(lengths[1::2]), abs=1e-8)


ROUND = """
dimension: 2
gravity: [0, -9.81]
parameters: {i: 0.005}
bodies: {wheel: {mass: 1, inertia: i, position: [0, 0.1], velocity: [5, 0], shape: {type: cylinder, radius: 0.1, length: 0.05}}}
contacts: {floor: {bodies: [wheel, ground], plane: {normal: [0, 1]}, friction: 0.2}}
simulation: {end: 1.5}
"""


@pytest.mark.parametrize(("share", "at"), [(0.4, 0.72811999417504), (0.5, 0.849473326537547), (1.0, 1.27420998980632)])
def test_what_slides_rolls_from_a_known_time_on(share, at):
    result = model(ROUND, i=share * 0.01)
    assert [what for _, what in told(result)] == ["slips", "sticks"]
    assert told(result)[-1][0] == pytest.approx(at, abs=1e-9)  # v0 / (mu g (1 + 1 / share))
    assert np.asarray(result["v"])[-1, 0] == pytest.approx(5.0 / (1.0 + share), abs=1e-9)


SPATIAL_BALL = """
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1], velocity: [3, 4, 0], shape: {type: sphere, radius: 0.1}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 0, 1]}, friction: 0.2}}
simulation: {end: 1}
"""


def test_a_ball_slides_and_rolls_in_space():
    result = model(SPATIAL_BALL)
    assert told(result)[-1][0] == pytest.approx(0.72811999417504, abs=1e-6)  # the last slip turns by the tolerance over its speed
    assert np.asarray(result["v"])[-1, :2] == pytest.approx(np.array([3.0, 4.0]) * 5.0 / 7.0, abs=1e-7)


@pytest.mark.parametrize("integrator", ["dop853", "rk45"])
@pytest.mark.parametrize(("x", "y", "uneven"), [(0.5, 0.05, 0.0), (-0.568, -0.453, 1e-6)])  # the slip is straight, or nearly
def test_rows_before_the_end_of_a_slip_in_space_are_right(integrator, x, y, uneven):
    inertia = [0.004, 0.004 * (1.0 + uneven), 0.004 * (1.0 + 2.0 * uneven)]
    text = SPATIAL_BALL.replace("[0.004, 0.004, 0.004]", str(inertia)).replace("[3, 4, 0]", f"[{x}, {y}, 0]").replace("0.2}", "0.5}")
    result = model(text.replace("end: 1", f"end: 0.15, output_step: 0.005, integrator: {integrator}"))
    v, speed = np.asarray(result["v"]), np.hypot(x, y)
    gone = 0.5 * G * np.minimum(np.asarray(result["time"]), speed / (0.5 * G * 3.5))  # mu g t until it rolls
    assert v[:, :2] == pytest.approx(np.outer(1.0 - gone / speed, [x, y]), abs=1e-3)
    assert v[:, 3:] == pytest.approx(0.1 / 0.004 * np.outer(gone / speed, [-y, x, 0.0]), abs=1e-2)
    assert np.abs(result["energy_balance"]).max() < 1e-6


def test_a_ball_with_spin_follows_a_curve_as_an_integrator_of_its_own_finds_it():
    text = SPATIAL_BALL.replace("velocity: [3, 4, 0]", "velocity: [3, 0, 0], angular_velocity: [30, 0, 0]").replace("end: 1", "end: 0.5")
    result = model(text)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        v, w = y[2:4], y[4:7]
        slip = np.array([v[0] - 0.1 * w[1], v[1] + 0.1 * w[0]])
        f = -0.2 * G * slip / np.linalg.norm(slip)
        return np.array([*v, *f, 0.1 * f[1] / 0.004, -0.1 * f[0] / 0.004, 0.0])

    exact = solve_ivp(rates, (0.0, 0.5), [0, 0, 3, 0, 30, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    assert np.asarray(result["q"])[-1, :2] == pytest.approx(exact[:2], abs=1e-8)


BOX = """
dimension: 2
parameters: {slope: 0.2, mu: 0.5}
gravity: [9.81*sin(slope), -9.81*cos(slope)]
bodies: {box: {mass: 1, inertia: (0.2^2+0.6^2)/12, position: [0, 0.3], shape: {type: box, size: [0.2, 0.6]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: mu}}
simulation: {end: 0.2}
"""


@pytest.mark.parametrize(("slope", "tips"), [(18.43, False), (18.44, True)])  # atan(0.2 / 0.6) = 18.4349488 degrees
def test_a_box_tips_from_a_known_slope_on(slope, tips):
    result = model(BOX, slope=radians(slope))
    assert (np.asarray(result["q"])[-1, 2] < -1e-9) == tips


def test_the_corners_of_a_box_press_as_statics_say():
    result = model(BOX, slope=radians(10.0))
    low, high = multiplier(result, "floor_3")[-1] / G, multiplier(result, "floor_1")[-1] / G
    assert (low, high) == pytest.approx((0.752876143006450, 0.231931610005709), abs=1e-12)


@pytest.mark.parametrize(("mu", "slips"), [(0.4, True), (0.43, False)])
def test_a_box_sticks_from_a_known_coefficient_on(mu, slips):
    low = BOX.replace("position: [0, 0.3]", "position: [0, 0.05]").replace("size: [0.2, 0.6]", "size: [0.2, 0.1]").replace("0.6^2", "0.1^2")
    slope = atan2(0.42, 1.0)
    result = model(low, slope=slope, mu=mu)
    expected = G * (sin(slope) - mu * cos(slope)) if slips else 0.0
    assert np.asarray(result["v"])[-1, 0] == pytest.approx(0.2 * expected, abs=1e-9)


@pytest.mark.parametrize(("mu", "acceleration"), [(0.1, 4.05542907888747), (0.5, G * sin(radians(30.0)) / 1.4)])
def test_a_ball_slides_or_rolls_down(mu, acceleration):  # it rolls iff mu >= 2/7 tan(slope)
    text = SPATIAL_BALL.replace("[0, 0, -9.81]", "[9.81*sin(deg(30)), 0, -9.81*cos(deg(30))]").replace("[3, 4, 0]", "[0, 0, 0]")
    result = model(text.replace("friction: 0.2", f"friction: {mu}"))
    assert np.asarray(result["v"])[-1, 0] == pytest.approx(acceleration, abs=1e-8)


POLE = """
dimension: 2
gravity: [0, -9.81]
parameters: {d: 0.41}
bodies: {bracket: {mass: 1, inertia: 1, position: [d, 0]}}
joints:
  slide: {type: prismatic, bodies: [ground, bracket], at: [0, 0], axis: [0, 1], friction: {coefficient: 0.25, length: 0.2}}
simulation: {end: 0.5}
"""


@pytest.mark.parametrize(("d", "holds"), [(0.4001, True), (0.3999, False)])
def test_a_bracket_on_a_pole_jams_where_its_load_is_far_out(d, holds):
    assert (np.asarray(model(POLE, d=d)["v"])[-1, 1] == 0.0) == holds


PIN = """
dimension: 2
parameters: {mu: 0.3}
bodies: {wheel: {mass: 2, inertia: 0.1, position: [0, 0], angular_velocity: 10}}
gravity: [0, -9.81]
joints:
  pin: {type: revolute, bodies: [ground, wheel], at: [0, 0], friction: {coefficient: mu, radius: 0.02}}
simulation: {end: 10}
"""


def test_a_pin_brakes_a_wheel_by_the_load_on_it():
    result = model(PIN)
    at, what = told(result)[-1]
    assert what == "sticks"
    assert at == pytest.approx(10.0 * 0.1 / (0.3 * 0.02 * 2.0 * G), abs=1e-9)


def test_a_pin_brakes_an_unbalanced_wheel_as_an_integrator_of_its_own_finds_it():
    text = PIN.replace("position: [0, 0]", "position: [0.1, 0], velocity: [0, 1]").replace("inertia: 0.1,", "inertia: 0.08,")
    text = text.replace("end: 10", "end: 0.8")
    result = model(text)

    def rates(t: float, y: np.ndarray) -> list[float]:
        phi, w = y

        def acceleration(load: float) -> float:
            return (-2.0 * G * 0.1 * cos(phi) - 0.3 * 0.02 * load) / 0.1

        def off(load: float) -> float:
            a = acceleration(load)
            x, y = 0.1 * (-a * sin(phi) - w * w * cos(phi)), 0.1 * (a * cos(phi) - w * w * sin(phi))
            return 2.0 * float(np.hypot(x, y + G)) - load

        return [w, acceleration(brentq(off, 0.0, 1e3, xtol=1e-13))]

    exact = solve_ivp(rates, (0.0, 0.8), [0.0, 10.0], method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    assert [np.asarray(result["q"])[-1, 2], np.asarray(result["v"])[-1, 2]] == pytest.approx(exact, abs=1e-7)


def test_the_friction_of_what_slips_is_recorded_with_every_row():
    text = PIN.replace("position: [0, 0]", "position: [0.1, 0], velocity: [0, 1]").replace("end: 10", "end: 0.5")
    result = model(text)
    load = np.hypot(multiplier(result, "pin[0]"), multiplier(result, "pin[1]"))
    effort = np.asarray(result.to_xarray()["force_effort"].sel(force_element="pin_friction"))
    assert effort == pytest.approx(-0.3 * 0.02 * load, rel=1e-9)


def test_numbers_of_other_laws_stay_while_something_slips():
    text = ROUND.replace("parameters: {i: 0.005}", "parameters: {push: 0.7, i: 0.005}").replace("end: 1.5", "end: 0.5, output_step: 0.01")
    text += "forces: {wind: {type: force, body: wheel, value: [push*(1 + 0*t), 0]}}\n"
    result = model(text)
    assert np.asarray(result["v"])[-1, 0] == pytest.approx(5.0 + 0.5 * (0.7 - 0.2 * G), abs=1e-9)
    stepped = mbsim.simulate(mbsim.load_model(text), step=1e-2)
    assert np.asarray(stepped["v"])[-1, 0] == pytest.approx(5.0 + 0.5 * (0.7 - 0.2 * G), abs=1e-9)
    assert float(np.asarray(stepped["error_estimate"])[-1]) < 1e-9


BLOCKS = """
dimension: 2
gravity: [0, -9.81]
parameters: {f: 15}
bodies:
  upper: {mass: 1, inertia: 1, position: [0, 0.3], shape: {type: box, size: [1, 0.2]}}
  lower: {mass: 2, inertia: 1, position: [0, 0.1], shape: {type: box, size: [4, 0.2]}}
contacts:
  between: {bodies: [upper, lower], plane: {through: [0, 0.2], normal: [0, 1]}, friction: 0.3}
  below: {bodies: [lower, ground], plane: {normal: [0, 1]}, friction: 0.1}
forces: {pull: {type: force, body: lower, at: [0, 0.1], value: [f, 0]}}
simulation: {end: 0.1}
"""


@pytest.mark.parametrize(("f", "upper", "lower"), [(2.9, 0.0, 0.0), (8.0, (8.0 - 2.943) / 3.0, (8.0 - 2.943) / 3.0), (15.0, 2.943, 4.557)])
def test_two_blocks_rest_move_together_or_apart(f, upper, lower):
    v = np.asarray(model(BLOCKS, f=f)["v"])[-1]
    assert (v[0] / 0.1, v[3] / 0.1) == pytest.approx((upper, lower), abs=1e-8)


ROCKING = """
dimension: 2
gravity: [0, -9.81]
parameters: {a: 0.122489331563432}
bodies:
  block:
    mass: 1
    inertia: (0.2^2+0.8^2)/12
    position: ["-0.1*cos(a)+0.1+0.4*sin(a)", "0.1*sin(a)+0.4*cos(a)"]
    angle: -a
    shape: {type: box, size: [0.2, 0.8]}
contacts: {floor: {bodies: [block, ground], plane: {normal: [0, 1]}, friction: 20}}
simulation: {end: 0.6}
"""


def test_housners_block_rocks():
    result = model(ROCKING)
    impacts = [line for line in result.events if line["do"] == "impact"]
    assert impacts[0]["time"] == pytest.approx(0.312308575112623, abs=1e-8)
    k = int(np.searchsorted(np.asarray(result.time), impacts[0]["time"], "right"))
    before, after = np.abs(np.asarray(result["v"])[k - 1 : k + 1, 2])
    assert before == pytest.approx(0.893414307302563, abs=1e-8)
    assert after == pytest.approx(0.814583633128807, abs=1e-8)
    angle = np.asarray(result["q"])[:, 2]
    assert np.abs(angle[np.asarray(result.time) > 0.3124]).max() == pytest.approx(0.0947367931208167, abs=1e-6)


def test_a_wheel_of_a_mechanism_is_refused_friction_in_joint_coordinates_by_name():
    with pytest.raises(mbsim.ModelError, match="leave out `coordinates: joint`"):
        mbsim.assemble(mbsim.load_model(f"{PIN}coordinates: joint\n"))


KNEE = """
dimension: {d}
gravity: {gravity}
bodies: {{rod: {{mass: 1, inertia: {inertia}, position: {position}}}}}
joints:
  pin: {{type: revolute, bodies: [ground, rod], at: {at}, {axis}stops: {{lower: -1.5707963267948966, restitution: 0.5}}}}
simulation: {{end: 3}}
"""
PLANE = {"d": 2, "gravity": "[0, -9.81]", "inertia": "1/12", "position": "[0.5, 0]", "at": "[0, 0]", "axis": ""}
SPACE = {
    "d": 3,
    "gravity": "[0, 0, -9.81]",
    "inertia": "[1/12, 1/12, 1/12]",
    "position": "[0.5, 0, 0]",
    "at": "[0, 0, 0]",
    "axis": "axis: [0, -1, 0], ",
}


@pytest.mark.parametrize("where", [PLANE, SPACE], ids=["plane", "space"])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_pendulum_hits_a_stop(where, coordinates):
    result = model(KNEE.format(**where) + f"coordinates: {coordinates}\n")
    impacts = [line for line in result.events if line["do"] == "impact"]
    fall = sqrt(3.0 * G)
    assert [line["gap_speed"] for line in impacts] == [
        pytest.approx([-fall * 0.5**k, fall * 0.5 ** (k + 1)], abs=1e-7) for k in range(len(impacts))
    ]
    assert len(impacts) == 4
    assert impacts[0]["impulses"]["pin_lower"] == pytest.approx(1.5 * fall / 3.0, abs=1e-7)


def test_a_result_tells_what_happened(tmp_path: Any) -> None:
    path = tmp_path / "a.h5"
    mbsim.simulate(mbsim.load_model(BALL), output=path)
    again = mbsim.open_result(path)
    assert {line["do"] for line in again.events} == {"impact", "closed"}
    assert again.events[0]["impulses"]["floor"] == pytest.approx(1.8 * sqrt(2.0 * G), abs=1e-9)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_joint_that_breaks_takes_its_stops_and_its_friction_along(coordinates: str) -> None:
    """The arm falls and turns freely from then on, far beyond the stop."""
    text = f"""
name: a hinge with a stop and friction breaks
dimension: 2
gravity: [0, -9.81]
coordinates: {coordinates}
bodies:
  arm: {{mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints:
  pin: {{type: revolute, bodies: [ground, arm], at: [0, 0], stops: {{lower: -1, restitution: 0.5}}, friction: {{torque: 0.5}}}}
events:
  breaks: {{when: "t - 0.3", do: {{unlock: pin}}}}
simulation: {{end: 1.5, output_step: 0.01}}
"""
    result = mbsim.simulate(mbsim.load_model(text.replace("coordinates: absolute\n", "")))
    assert [(e["event"], e["do"]) for e in result.events] == [("pin_friction", "slips"), ("breaks", "unlock")]
    free = result.time > 0.3
    spin = result["body_angular_velocity"][free, 0, 2]
    assert np.ptp(spin) < 1e-9 and spin[0] < -1.5  # rad/s
    fall = result["body_velocity"][free, 0, 1] + 9.81 * result.time[free]
    assert np.ptp(fall) < 1e-8
    assert np.abs(result["energy_balance"] - result["energy_balance"][0]).max() < 1e-7
