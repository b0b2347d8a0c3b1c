"""Contacts that resist rolling and drilling, against closed forms; g = 9.81 m/s2. The couple is a length times the normal force."""

from math import atan, cos, sin, sqrt, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_unilateral import G, multiplier, told

import mbsim
from mbsim.analyses.holding import holding
from mbsim.analyses.static import balance
from mbsim.assembly import Assembly
from mbsim.results import Result

BOTH = pytest.mark.parametrize("coordinates", ["", "coordinates: joint"], ids=["absolute", "joint"])


def model(text: str, **parameters: float) -> Result:
    return mbsim.simulate(mbsim.load_model(text, parameters=parameters))


DISK = """
dimension: 2
{coordinates}
gravity: ["9.81*sin(a)", "-9.81*cos(a)"]
parameters: {{a: 0, f: 0.004, v0: 1, R: 0.1}}
bodies:
  disk:
    mass: 2
    inertia: R^2
    position: [0, R]
    velocity: [v0, 0]
    angular_velocity: -v0/R
    shape: {{type: cylinder, radius: R, length: 0.05}}
contacts: {{floor: {{bodies: [disk, ground], plane: {{normal: [0, 1]}}, friction: 0.5, rolling_resistance: f}}}}
simulation: {{end: 5}}
"""


@BOTH
def test_a_disk_rolls_out(coordinates: str) -> None:
    """It slows down at 2/3 f g / R, stops and stays; the couple takes what it had."""
    result = model(DISK.format(coordinates=coordinates))
    slows = 2.0 / 3.0 * 0.004 * G / 0.1
    assert [word for _, word in told(result, "floor_rolling")] == ["slips", "sticks"]
    assert told(result, "floor_rolling")[1][0] == pytest.approx(1.0 / slows, abs=1e-9)
    q = np.asarray(result["q"])
    assert q[-1, 0] == pytest.approx(0.5 / slows, abs=1e-9)
    at_rest = np.asarray(result.time) > 1.0 / slows + 1e-9
    assert np.ptp(q[at_rest][:, [0, 2]], axis=0).max() == 0.0
    assert np.asarray(result["energy_work"])[-1] == pytest.approx(-0.75 * 2.0, abs=1e-9)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-10
    effort = np.asarray(result.to_xarray()["force_effort"].sel(force_element="floor_rolling"))
    assert effort[~at_rest][:-1] == pytest.approx(0.004 * 2.0 * G, abs=1e-9)  # about z, against the rolling
    assert multiplier(result, "floor_rolling")[at_rest] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("settings", [{"integrator": "rk4", "step": 0.01}, {"integrator": "radau"}, {"integrator": "bdf"}], ids=str)
def test_integrators(settings: dict) -> None:
    """The motion is a parabola, so that all of them have it to round-off."""
    result = mbsim.simulate(mbsim.load_model(DISK.format(coordinates="")), **settings)
    slows = 2.0 / 3.0 * 0.004 * G / 0.1
    assert told(result, "floor_rolling")[-1][1] == "sticks"
    assert told(result, "floor_rolling")[-1][0] == pytest.approx(1.0 / slows, abs=1e-5 if settings["integrator"] == "bdf" else 1e-8)


def test_a_disk_on_a_slope_stays_up_to_a_known_resistance() -> None:
    """It stays iff tan(a) <= f / R. Else it rolls at 2/3 (g sin(a) - f g cos(a) / R)."""
    a = 0.1
    for share in (1.0 + 1e-9, 1.0 - 1e-9, 0.5):  # next to the bound it is told to stick, and at once that it does not hold
        f = share * 0.1 * tan(a)
        result = model(DISK.format(coordinates=""), a=a, f=f, v0=0.0)
        q = np.asarray(result["q"])
        if share > 1.0:
            assert told(result, "floor_rolling") == [(0.0, "sticks")]
            assert np.abs(q[-1] - q[0]).max() < 1e-13
        else:
            assert told(result, "floor_rolling")[-1] == (0.0, "slips")
            assert q[-1, 0] == pytest.approx(0.5 * 25.0 * 2.0 / 3.0 * G * (sin(a) - f * cos(a) / 0.1), abs=1e-8)


def test_a_disk_holds_until_its_load_grows() -> None:
    """A torque that grows with time turns it when it is f N."""
    text = DISK.format(coordinates="") + "forces: {motor: {type: torque, body: disk, value: -0.05*t}}\n"
    result = model(text, v0=0.0)
    (first, second) = told(result, "floor_rolling")
    assert (first, second[1]) == ((0.0, "sticks"), "slips")
    assert second[0] == pytest.approx(0.004 * 2.0 * G / 0.05, abs=1e-9)
    held = np.asarray(result.time) < second[0] - 1e-9
    assert np.abs(np.asarray(result["q"])[held] - np.asarray(result["q"])[0]).max() < 1e-13


CART = """
dimension: 2
{coordinates}
gravity: ["9.81*sin(a)", "-9.81*cos(a)"]
parameters: {{a: 0, f: 0.01, R: 0.1, v0: 0}}
bodies:
  cart: {{mass: 5, inertia: 0.3, position: [0, 0.2], velocity: [v0, 0]}}
  rear: {{mass: 1, inertia: 0.005, position: [-0.3, R], velocity: [v0, 0], angular_velocity: -v0/R}}
  front: {{mass: 1, inertia: 0.005, position: [0.3, R], velocity: [v0, 0], angular_velocity: -v0/R}}
joints:
  h1: {{type: revolute, bodies: [cart, rear], at: [-0.3, R]}}
  h2: {{type: revolute, bodies: [cart, front], at: [0.3, R]}}
contacts: {{floor: {{bodies: [rear, front, ground], plane: {{normal: [0, 1]}}, radius: R, friction: 0.9, rolling_resistance: f}}}}
simulation: {{end: 1}}
"""


def test_a_cart_is_braked_by_all_of_its_load() -> None:
    """7 kg and twice 1/2 kg of the wheels' turning; the wheels share what holds it, which rigid bodies do not determine."""
    result = model(CART.format(coordinates=""), v0=0.5)
    slows = 0.01 * 7.0 * G / 0.1 / 8.0
    for wheel in ("rear", "front"):
        assert told(result, f"floor_{wheel}_rolling")[-1] == (pytest.approx(0.5 / slows, abs=1e-9), "sticks")
    assert np.asarray(result["q"])[-1, 0] == pytest.approx(0.125 / slows, abs=1e-9)
    for f, stays in ((0.1 * tan(0.05) * (1.0 + 1e-6), True), (0.1 * tan(0.05) * (1.0 - 1e-6), False)):
        result = model(CART.format(coordinates=""), a=0.05, f=f)
        assert (told(result, "floor_front_rolling")[-1][1] == "sticks") == stays
        assert (np.abs(np.asarray(result["q"])[-1] - np.asarray(result["q"])[0]).max() < 1e-11) == stays


RIMS = """
dimension: 2
gravity: [0, -9.81]
bodies:
  first: {mass: 3, inertia: 0.06, position: [0, 0], angular_velocity: 2, shape: {type: cylinder, radius: 0.2, length: 0.05}}
  second: {mass: 1, inertia: 0.005, position: [0, 0.3], angular_velocity: -4, shape: {type: cylinder, radius: 0.1, length: 0.05}}
joints:
  axle: {type: revolute, bodies: [ground, first], at: [0, 0]}
  guide: {type: point_on_line, bodies: [ground, second], at: [0, 0.3], axis: [0, 1]}
contacts: {rims: {between: [first, second], friction: 0.5, rolling_resistance: 0.001}}
simulation: {end: 10}
"""


def test_two_friction_wheels_resist_by_how_they_turn_against_each_other() -> None:
    """Of w and -2 w it is 3 w, so that 0.06 w' + 0.005 4 w' = -3 f N."""
    result = model(RIMS)
    assert told(result, "rims_rolling")[-1] == (pytest.approx(2.0 * 0.08 / (3.0 * 0.001 * G), abs=1e-9), "sticks")
    assert np.abs(np.asarray(result["v"])[-1]).max() < 1e-12


def test_a_pile_of_three_cylinders_stays() -> None:
    """Without resistance it stands iff mu >= 0.268 between them. What holds has many rows more than the load determines."""
    text = """
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.005, position: [-0.1, 0.1]}
  b: {mass: 1, inertia: 0.005, position: [0.1, 0.1]}
  c: {mass: 1, inertia: 0.005, position: [0, 0.2732050807568877]}
contacts:
  each: {between: [a, b, c], radius: 0.1, friction: 0.24, rolling_resistance: 0.01}
  floor: {bodies: [a, b, c, ground], radius: 0.1, plane: {normal: [0, 1]}, friction: 0.24, rolling_resistance: 0.01}
simulation: {end: 1}
"""
    result = mbsim.simulate(text)
    assert {line["time"] for line in result.events} == {0.0}
    assert np.abs(np.asarray(result["q"]) - np.asarray(result["q"])[0]).max() < 1e-12
    assert np.asarray(mbsim.simulate(text.replace("0.24", "0.2").replace("0.01}", "0}"))["q"])[-1, 7] < 0.27


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_an_impact_stops_a_part_of_the_spin(law: str) -> None:
    """Without friction: the impulse m v (1 + e) presses, and the couple's impulse is f times that."""
    text = """
dimension: 2
gravity: [0, -9.81]
bodies: {disk: {mass: 2, inertia: 0.01, position: [0, 1.1], angular_velocity: 5, shape: {type: cylinder, radius: 0.1, length: 0.05}}}
contacts: {floor: {bodies: [disk, ground], plane: {normal: [0, 1]}, rolling_resistance: 0.002, restitution: 0.5}}
simulation: {end: 0.6, impact_law: LAW}
""".replace("LAW", law)
    result = model(text)
    speed = sqrt(2.0 * G)
    assert np.asarray(result["v"])[-1, 2] == pytest.approx(5.0 - 0.002 * 2.0 * speed * 1.5 / 0.01, abs=1e-9)
    lost = 0.5 * 2.0 * speed**2 * 0.75 + 0.5 * 0.01 * (25.0 - (5.0 - 0.6 * speed) ** 2)
    assert result.events[0]["energy"] == pytest.approx(-lost, abs=1e-8)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-9


BALL = """
{coordinates}
gravity: [0, 0, -9.81]
parameters: {{f: 0.002, d: 0.001, v0: 1, w: 5, R: 0.1}}
{ground}
bodies:
  ball:
    mass: 2
    inertia: [0.8*R^2, 0.8*R^2, 0.8*R^2]
    position: [0, 0, R]
    velocity: [v0, v0/2, 0]
    angular_velocity: [-v0/2/R, v0/R, w]
    shape: {{type: sphere, radius: R}}
contacts: {{floor: {{{on}, friction: 0.5, rolling_resistance: f, drilling_resistance: d}}}}
simulation: {{end: 8.5}}
"""
PLANE = {"ground": "", "on": "bodies: [ball, ground], plane: {normal: [0, 0, 1]}"}
SLAB = {"ground": "ground: {shape: {type: box, size: [20, 20, 1], position: [0, 0, -0.5]}}", "on": "between: [ground, ball]"}


@pytest.mark.parametrize("floor", [PLANE, SLAB], ids=["plane", "box"])
@BOTH
def test_a_ball_rolls_and_spins_out(coordinates: str, floor: dict[str, str]) -> None:
    """It rolls straight on at -5/7 f g / R; the spin ends after 2/5 m R^2 w / (d m g)."""
    result = mbsim.simulate(mbsim.load_model(BALL.format(coordinates=coordinates, **floor)), rtol=1e-11, atol=1e-13)
    slows, speed = 5.0 / 7.0 * 0.002 * G / 0.1, sqrt(1.25)
    assert told(result, "floor_drilling")[-1] == (pytest.approx(0.4 * 0.01 * 5.0 / (0.001 * G), abs=1e-8), "sticks")
    assert told(result, "floor_rolling")[-1] == (pytest.approx(speed / slows, abs=1e-6), "sticks")
    q, v = np.asarray(result["q"])[-1], np.asarray(result["v"])[-1]
    assert q[:2] == pytest.approx(np.array([1.0, 0.5]) / speed * 0.5 * speed**2 / slows, abs=1e-8)
    assert np.abs(v).max() < 1e-12
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-8


def test_a_ball_curves_down_a_slope_as_an_integrator_of_its_own_finds_it() -> None:
    """v' = 5/7 (g_t - f g_n / R v / |v|): the couple is against the rolling, whose direction turns."""
    a, f = 0.05, 0.002
    text = BALL.format(coordinates="", **PLANE).replace("[0, 0, -9.81]", f"[0, {-G * sin(a)!r}, {-G * cos(a)!r}]").replace("8.5", "3")
    result = mbsim.simulate(mbsim.load_model(text, parameters={"w": 0.0}), rtol=1e-10, atol=1e-12)

    def rates(_t: float, y: np.ndarray) -> list[float]:
        speed = np.hypot(y[2], y[3])
        pull = f * G * cos(a) / 0.1 / speed
        return [y[2], y[3], -5.0 / 7.0 * pull * y[2], 5.0 / 7.0 * (-G * sin(a) - pull * y[3])]

    exact = solve_ivp(rates, (0.0, 3.0), [0.0, 0.0, 1.0, 0.5], "DOP853", np.asarray(result.time), rtol=1e-12, atol=1e-14)
    assert np.asarray(result["q"])[:, :2] == pytest.approx(exact.y[:2].T, abs=1e-8)


@pytest.mark.parametrize("share", [1.0 + 1e-6, 1.0 - 1e-6])
def test_a_ball_on_a_slope_stays_up_to_a_known_resistance(share: float) -> None:
    """At atan(f / R), in the direction of the slope, with the couple in the disk."""
    a, towards = atan(0.002 / 0.1) / share, 0.7
    pull = [G * sin(a) * cos(towards), G * sin(a) * sin(towards), -G * cos(a)]
    text = BALL.format(coordinates="", **PLANE).replace("[0, 0, -9.81]", repr(pull)).replace("8.5", "2")
    result = mbsim.simulate(mbsim.load_model(text, parameters={"w": 0.0, "v0": 0.0}))
    assert told(result, "floor_rolling")[-1] == (0.0, "sticks" if share > 1.0 else "slips")
    assert (np.abs(np.asarray(result["q"])[-1, :2]).max() < 1e-12) == (share > 1.0)


ROUND = {
    "hole": "bodies: [ball, ground], hole: {at: [0, 0, 1], radius: 1}",
    "ball": "bodies: [ball, ground], ball: {at: [0, 0, -1], radius: 1}",
}


@pytest.mark.parametrize("surface", ROUND)
def test_a_ball_spins_out_where_it_lies(surface: str) -> None:
    """At the bottom of a hollow ball, and on the top of a ball, where its resistance to rolling holds it."""
    result = model(BALL.format(coordinates="", ground="", on=ROUND[surface]).replace("8.5", "3"), v0=0.0)
    assert told(result, "floor_drilling")[-1] == (pytest.approx(0.4 * 0.01 * 5.0 / (0.001 * G), abs=1e-8), "sticks")
    assert np.abs(np.asarray(result["q"])[-1, :2]).max() < 1e-10


def test_a_ball_stays_beside_the_lowest_point_of_a_bowl() -> None:
    """Where tan(angle) <= f / R: it holds at rest off the middle, and rolls back from farther out."""
    edge = atan(0.002 / 0.1)
    for share in (0.99, 1.01):
        a = share * edge
        text = BALL.format(coordinates="", ground="", on=ROUND["hole"]).replace("8.5", "0.5")
        text = text.replace("position: [0, 0, R]", f"position: [{0.9 * sin(a)!r}, 0, {1.0 - 0.9 * cos(a)!r}]")
        result = mbsim.simulate(mbsim.load_model(text, parameters={"v0": 0.0, "w": 0.0}))
        moved = np.abs(np.asarray(result["q"])[-1, :3] - np.asarray(result["q"])[0, :3]).max()
        assert (moved < 1e-12) == (share < 1.0)


def test_a_top_spins_out_on_its_tip() -> None:
    """A point that is named has a resistance, too, as the dent that it makes."""
    text = """
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 0.2, inertia: [1.0e-4, 1.0e-4, 5.0e-5], position: [0, 0, 0.03], angular_velocity: [0, 0, 40], points: {tip: [0, 0, -0.03]}}
contacts: {table: {bodies: [top, ground], points: [tip], plane: {normal: [0, 0, 1]}, friction: 0.5, drilling_resistance: 0.0005}}
simulation: {end: 1}
"""
    result = model(text)
    slows = 0.0005 * 0.2 * G / 5.0e-5
    assert np.asarray(result["v"])[-1, 5] == pytest.approx(40.0 - slows, abs=1e-8)


def test_a_coin_rolls_out_upright() -> None:
    """A wheel of 1/2 m R^2 slows down at 2/3 f g / R, as a disk in the plane."""
    text = """
gravity: [0, 0, -9.81]
parameters: {R: 0.1}
bodies:
  coin:
    mass: 2
    inertia: [R^2/2, R^2/2, R^2]
    position: [0, 0, R]
    orientation: {axis: [1, 0, 0], angle: deg(-90)}
    velocity: [1, 0, 0]
    angular_velocity: [0, 1/R, 0]
    shape: {type: cylinder, radius: R, length: 0.02}
contacts: {floor: {bodies: [coin, ground], plane: {normal: [0, 0, 1]}, friction: 0.5, rolling_resistance: 0.004}}
simulation: {end: 1}
"""
    result = model(text)
    slows = 2.0 / 3.0 * 0.004 * G / 0.1
    assert np.asarray(result["q"])[-1, 0] == pytest.approx(1.0 - 0.5 * slows, abs=1e-8)
    assert np.asarray(result["v"])[-1, 5] == pytest.approx(10.0 * (1.0 - slows), abs=1e-8)


@BOTH
def test_resistance_ends_with_the_contact(coordinates: str) -> None:
    """A disk that rolls over the edge of a table spins freely from there on."""
    text = """
dimension: 2
COORDINATES
gravity: [0, -9.81]
bodies:
  disk: {mass: 2, inertia: 0.01, position: [-0.05, 0.1], velocity: [3, 0], angular_velocity: -30}
contacts:
  table:
    bodies: [disk, ground]
    radius: 0.1
    plane: {normal: [0, 1], ends: [[-1, 0], [0, 0]], depth: 0.1}
    friction: 0.5
    rolling_resistance: 0.004
simulation: {end: 0.3}
""".replace("COORDINATES", coordinates)
    result = model(text)
    assert told(result, "table_1_rolling")[-1][1] == "idle"
    after = np.asarray(result.time) > 0.1
    assert np.ptp(np.asarray(result["v"])[after, 2]) < 1e-11
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-9


@pytest.mark.parametrize("method", ["svd", "lagrange", "cfa"])
def test_methods(method: str) -> None:
    result = mbsim.simulate(mbsim.load_model(DISK.format(coordinates="")), method=method)
    assert told(result, "floor_rolling")[-1] == (pytest.approx(1.0 / (2.0 / 3.0 * 0.004 * G / 0.1), abs=1e-8), "sticks")


def test_methods_that_do_not_take_friction_by_reactions_refuse_it() -> None:
    with pytest.raises(ValueError, match="friction that depends on a reaction needs another method"):
        mbsim.simulate(mbsim.load_model(DISK.format(coordinates="")), method="generalized_alpha")


def test_at_rest() -> None:
    """`mbsim equilibrium --holding` finds the slope from which on it rolls; an equilibrium says how much of the bound is used."""

    def made(a: float) -> Assembly:
        return mbsim.assemble(mbsim.load_model(DISK.format(coordinates=""), parameters={"a": a, "v0": 0.0}))

    found = holding(made, "a", 0.0)
    assert (found.least, found.largest) == pytest.approx((-atan(0.04), atan(0.04)), abs=1e-9)
    rest = balance(made(0.02))
    told_of = {one.name: one for one in rest.touching}
    assert told_of["floor_rolling"].used == pytest.approx(tan(0.02) / 0.04, abs=1e-9)
    assert told_of["floor_rolling"].friction == pytest.approx((2.0 * G * sin(0.02) * 0.1,), abs=1e-9)  # against the turning down


def test_a_turntable_takes_a_ball_along() -> None:
    """The couple acts on both bodies alike: the angular momentum about the axle stays."""
    text = """
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 4, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0], angular_velocity: [0, 0, 3]}
  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1], shape: {type: sphere, radius: 0.1}}
joints: {axle: {type: revolute, bodies: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}}
contacts: {disc: {bodies: [ball, table], plane: {normal: [0, 0, 1]}, friction: 0.5, drilling_resistance: 0.001}}
simulation: {end: 2}
"""
    result = model(text)
    together = 0.2 * 3.0 / 0.208
    at = 0.008 * together / (0.001 * 2.0 * G)
    assert told(result, "disc_drilling")[-1] == (pytest.approx(at, abs=1e-8), "sticks")
    spins = np.asarray(result["v"])[-1, [5, 11]]
    assert spins == pytest.approx([together, together], abs=1e-9)
