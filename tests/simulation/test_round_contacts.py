"""Round bodies on and in each other, with friction, against closed forms and integrators of their own; g = 9.81 m/s2."""

from math import cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk
from test_unilateral import G, model, multiplier, told

import mbsim

BOWL = """
dimension: 2
gravity: [0, -9.81]
parameters: {a: 0.3, mu: 0.9}
bodies:
  disk: {mass: 2, inertia: 0.04, position: [0.8*sin(a), -0.8*cos(a)], shape: {type: cylinder, radius: 0.2, length: 0.05}}
contacts: {bowl: {bodies: [disk, ground], hole: {radius: 1}, friction: mu}}
simulation: {end: 5}
"""


@pytest.mark.parametrize("a", [0.01, 0.3, 1.0])
def test_a_disk_rolls_in_a_bowl_like_a_pendulum(a):
    """It is one of the length 3/2 (R - r): its period is 4 sqrt(l / g) K(sin(a / 2)), for small angles 2 pi sqrt(l / g)."""
    result = model(BOWL, a=a)
    assert told(result)[0] == (0.0, "sticks")
    assert len(told(result)) == 1
    q = np.asarray(result["q"])
    psi = np.arctan2(q[:, 0], -q[:, 1])
    down = np.flatnonzero((psi[:-1] > 0.0) & (psi[1:] <= 0.0))
    period = 4.0 * sqrt(1.2 / G) * ellipk(sin(a / 2.0) ** 2)
    if a == 0.01:
        assert period == pytest.approx(2.0 * pi * sqrt(1.2 / G), rel=1e-5)
    exact = solve_ivp(
        lambda t, y: [y[1], -G / 1.2 * sin(y[0])], (0.0, 5.0), [a, 0.0], "DOP853", np.asarray(result.time), rtol=1e-12, atol=1e-13
    )
    assert psi == pytest.approx(exact.y[0], abs=1e-8)
    assert len(down) == 1 + int((5.0 - period / 4.0) / period)
    assert q[:, 2] == pytest.approx(-4.0 * (psi - a), abs=1e-9)  # it rolls: (R - r) psi = -r angle
    assert np.hypot(q[:, 0], q[:, 1]) == pytest.approx(0.8, abs=1e-9)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-7
    speed, force = 0.8 * exact.y[1], -multiplier(result, "bowl")  # below zero: it pushes the centres together
    assert force == pytest.approx(2.0 * (G * np.cos(psi) + speed**2 / 0.8), abs=1e-5)


def test_a_disk_slips_in_a_steep_bowl_until_it_rolls():
    """Where tan(a) > 3 mu it slips from rest; its angular acceleration is mu N r / I."""
    result = model(BOWL, a=1.2, mu=0.2)
    assert tan(1.2) > 3.0 * 0.2
    assert told(result)[0] == (0.0, "slips")

    def rates(t, y):
        psi, psi_dot, _ = y
        normal = 2.0 * (G * cos(psi) + 0.8 * psi_dot**2)
        return [psi_dot, (-2.0 * G * sin(psi) + 0.2 * normal) / 1.6, 0.2 * normal * 0.2 / 0.04]

    def rolls(t, y):
        return 0.8 * y[1] + 0.2 * y[2]

    rolls.terminal, rolls.direction = True, 1.0
    exact = solve_ivp(rates, (0.0, 5.0), [1.2, -1e-9, 0.0], "DOP853", events=rolls, rtol=1e-12, atol=1e-13)
    at, what = told(result)[1]
    assert what == "sticks"
    assert at == pytest.approx(exact.t_events[0][0], abs=1e-8)


WHEELS = """
dimension: 2
gravity: [0, -9.81]
bodies:
  first: {mass: 3, inertia: 0.06, position: [0, 0], angular_velocity: 20, shape: {type: cylinder, radius: 0.2, length: 0.05}}
  carriage: {mass: 1.5, inertia: 0.01, position: [0, 0.3]}
  second: {mass: 1, inertia: 0.005, position: [0, 0.3], shape: {type: cylinder, radius: 0.1, length: 0.05}}
joints:
  axle: {type: revolute, bodies: [ground, first], at: [0, 0]}
  guide: {type: prismatic, bodies: [ground, carriage], at: [0, 0.3], axis: [0, 1]}
  pin: {type: revolute, bodies: [carriage, second], at: [0, 0.3]}
contacts: {rims: {between: [first, second], friction: 0.25}}
simulation: {end: 0.6}
"""


def test_friction_wheels_slip_until_their_rims_have_one_speed():
    """The rims lose mu N (r1^2 / I1 + r2^2 / I2) of their difference, m/s2; then they roll like gears."""
    result = model(WHEELS)
    load = 2.5 * G
    at = 20.0 * 0.2 / (0.25 * load * (0.2**2 / 0.06 + 0.1**2 / 0.005))
    assert told(result) == [(0.0, "slips"), (pytest.approx(at, abs=1e-9), "sticks")]
    v = np.asarray(result["v"])[-1]
    first = 20.0 - 0.25 * load * 0.2 / 0.06 * at
    assert (v[2], v[8]) == pytest.approx((first, -2.0 * first), abs=1e-9)
    assert multiplier(result, "rims")[-1] == pytest.approx(load, abs=1e-9)
    assert multiplier(result, "rims_stick")[-1] == pytest.approx(0.0, abs=1e-9)
    assert abs(result.select("force_effort", "rims")[0]) == pytest.approx(0.25 * load, abs=1e-9)  # while it slips
    assert result.select("force_power", "rims")[0] == pytest.approx(-0.25 * load * 20.0 * 0.2, abs=1e-6)


CYLINDERS = """
dimension: 2
gravity: [0, -9.81]
parameters: {mu: 0.27, below: 0.09}
bodies:
  left: {mass: 1, inertia: 0.005, position: [-0.1, 0.1], shape: {type: cylinder, radius: 0.1, length: 0.1}}
  right: {mass: 1, inertia: 0.005, position: [0.1, 0.1], shape: {type: cylinder, radius: 0.1, length: 0.1}}
  top: {mass: 1, inertia: 0.005, position: [0, 0.1 + 0.1*sqrt(3)], shape: {type: cylinder, radius: 0.1, length: 0.1}}
contacts:
  left_floor: {bodies: [left, ground], plane: {normal: [0, 1]}, friction: below}
  right_floor: {bodies: [right, ground], plane: {normal: [0, 1]}, friction: below}
  left_top: {between: [left, top], friction: mu}
  right_top: {between: [right, top], friction: mu}
simulation: {end: 0.2}
"""


@pytest.mark.parametrize(("mu", "below", "stand"), [(0.268, 0.0894, True), (0.2679, 0.0894, False), (0.268, 0.0893, False)])
def test_three_cylinders_stand_from_known_coefficients_on(mu, below, stand):
    """Iff mu >= tan(15 degrees) = 0.267949192431123 between them and a third of it, 0.0893163974770410, on the ground."""
    assert 0.2679 < tan(radians(15.0)) < 0.268
    assert 0.0893 < tan(radians(15.0)) / 3.0 < 0.0894
    result = model(CYLINDERS, mu=mu, below=below)
    fallen = np.asarray(result["q"])[-1, 7] - np.asarray(result["q"])[0, 7]
    if stand:
        assert abs(fallen) < 1e-12
        assert multiplier(result, "left_floor")[-1] == pytest.approx(1.5 * G, abs=1e-9)
        assert multiplier(result, "left_top")[-1] == pytest.approx(G / (2.0 * (cos(pi / 6) + tan(radians(15.0)) / 2.0)), abs=1e-9)
    else:
        assert fallen < -1e-6


RING = """
dimension: 2
bodies:
  ring: {mass: 1, inertia: 1, position: [0, 0]}
  pin: {mass: 1, inertia: 0.1, position: [0, 0], velocity: [0.6, 0.8]}
contacts: {bearing: {bodies: [pin, ring], hole: {radius: 0.0205}, radius: 0.02, restitution: 1}}
simulation: {end: 0.01}
"""


def test_a_pin_rattles_in_a_ring_with_clearance():
    """Equal masses exchange their speeds at each impact; between two of them the pin crosses the clearance through the centre."""
    result = model(RING)
    times = [line["time"] for line in result.events if line["do"] == "impact"]
    assert times == pytest.approx([5e-4 * (2 * k + 1) for k in range(10)], abs=1e-12)
    assert result.events[0]["gap_speed"] == pytest.approx([-1.0, 1.0], abs=1e-12)
    assert abs(result.events[0]["impulses"]["bearing"]) == pytest.approx(1.0, abs=1e-12)
    v = np.asarray(result["v"])[-1]
    assert v[[0, 1, 3, 4]] == pytest.approx([0.0, 0.0, 0.6, 0.8], abs=1e-9)


IMPACT = """
dimension: 2
parameters: {mu: 0.1}
bodies:
  first: {mass: 1, inertia: 0.005, position: [0, 0], velocity: [3, 0], angular_velocity: 30}
  second: {mass: 1, inertia: 0.005, position: [1, 0.12]}
contacts: {rims: {between: [first, second], radius: 0.1, friction: mu, restitution: 0.6}}
simulation: {end: 0.4}
"""


@pytest.mark.parametrize("mu", [0.1, 2.0])
def test_disks_meet_off_their_centres(mu):
    """p_N = (1 + e) m/2 w_N; friction is mu p_N against the slip, or what ends it: the slip answers to p_T by 2/m + 2 r^2/I = 6/m."""
    result = model(IMPACT, mu=mu)
    hit = next(line for line in result.events if line["do"] == "impact")
    n = np.array([0.8, 0.6])  # sin = 0.12 / 0.2
    closing = 3.0 * n[0]
    slip = np.array([-3.0, 0.0]) @ [-n[1], n[0]] - 30.0 * 0.1  # of the second along t = (-n_y, n_x)
    p_n = 1.6 * 0.5 * closing
    p_t = -np.sign(slip) * min(mu * p_n, abs(slip) / 6.0)
    assert abs(slip) / 6.0 < 2.0 * p_n
    assert abs(slip) / 6.0 > 0.1 * p_n
    assert list(hit["impulses"].values()) == pytest.approx([p_n, p_t], abs=1e-8)
    v = np.asarray(result["v"])[-1]
    assert v[3:5] == pytest.approx(p_n * n + p_t * np.array([-n[1], n[0]]), abs=1e-8)
    assert (v[2], v[5]) == pytest.approx((30.0 - 0.1 * p_t / 0.005, -0.1 * p_t / 0.005), abs=1e-7)


HOLLOW = """
gravity: [0, 0, -9.81]
parameters: {a: 0.9}
bodies:
  ball:
    mass: 2
    inertia: [0.032, 0.032, 0.032]
    position: [0.8*sin(a), 0, -0.8*cos(a)]
    velocity: [0, 1.5, 0]
    angular_velocity: [-7.5*cos(a) + 12*sin(a), 0, -7.5*sin(a) - 12*cos(a)]
    shape: {type: sphere, radius: 0.2}
contacts: {bowl: {bodies: [ball, ground], hole: {radius: 1}, friction: 1.5}}
simulation: {end: 2}
"""


def test_a_spinning_ball_rolls_in_a_bowl_as_an_integrator_of_its_own_finds_it():
    """7/5 a_T = g_T - 2/5 r w_n n x u / (R - r); the spin w_n about the normal stays."""
    result = model(HOLLOW)
    assert [what for _, what in told(result)] == ["sticks"]
    c, r, spin = 0.8, 0.2, 12.0
    g = np.array([0.0, 0.0, -G])

    def rates(t, y):
        n, u = y[:3] / np.linalg.norm(y[:3]), y[3:]
        tangent = g - (g @ n) * n
        return [*u, *((tangent - 0.4 * r * spin * np.cross(n, u) / c) / 1.4 - (u @ u) / c * n)]

    start = [c * sin(0.9), 0.0, -c * cos(0.9), 0.0, 1.5, 0.0]
    exact = solve_ivp(rates, (0.0, 2.0), start, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert np.asarray(result["q"])[-1, :3] == pytest.approx(exact[:3], abs=1e-7)
    assert np.asarray(result["v"])[-1, :3] == pytest.approx(exact[3:], abs=1e-6)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-6


TOPPLES = """
gravity: [0, 0, -9.81]
bodies:
  base: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], shape: {type: sphere, radius: 0.3}}
  ball:
    {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.24*sin(0.1), 0.32*sin(0.1), 0.4*cos(0.1)], shape: {type: sphere, radius: 0.1}}
joints: {foot: {type: fixed, bodies: [ground, base], at: [0, 0, 0]}}
contacts: {rims: {between: [base, ball], friction: 1000}}
simulation: {end: 1}
"""


def test_a_ball_rolls_off_another_one_at_a_known_angle():
    """From rest at a it leaves where cos(psi) = 10/17 cos(a): m u^2 / (R + r) = m g cos(psi), 7/10 m u^2 = m g (R + r) (cos a - cos psi).

    Before it leaves, where its normal force is less than its friction over the coefficient, it slips.
    """
    result = model(TOPPLES)
    at, what = told(result)[-1]
    assert what == "open"
    k = int(np.searchsorted(np.asarray(result.time), at))
    x = np.asarray(result["q"])[k, 7:10]
    assert x[2] / np.linalg.norm(x) == pytest.approx(10.0 / 17.0 * cos(0.1), abs=2e-5)
    assert x[1] / x[0] == pytest.approx(4.0 / 3.0, abs=1e-7)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("{bodies: [disk, ground], hole: {radius: 0.2}}", "radius of a hole must be greater than that of what is in it .got 0.2 and 0.2"),
        ("{bodies: [disk, ground], hole: {radius: 0}}", "must be greater than 0"),
        ("{bodies: [disk, ground], hole: {radius: 1}, ball: {radius: 1}}", "give one of 'plane', 'ball' and 'hole'"),
        ("{bodies: [disk, ground]}", "missing key 'plane', 'ball' or 'hole'"),
        ("{bodies: [ground, disk], hole: {radius: 1}}", "the first of 'bodies' touch the hole of the last one: put the ground last"),
        ("{between: [ground, disk]}", "what of ground touches"),
        ("{bodies: [disk, ground], points: [], plane: {normal: [0, 1]}}", "points: expected at least 1 items"),
        ("{between: [disk, ground], hole: {radius: 1}}", "go with 'bodies', not with 'between'"),
        ("{bodies: [disk, ground], hole: {radius: 1, center: [0, 0]}}", "unknown key 'center'"),
    ],
)
def test_what_is_refused(block, said):
    text = BOWL.replace("{bodies: [disk, ground], hole: {radius: 1}, friction: mu}", block)
    with pytest.raises(mbsim.ModelError, match=said):
        mbsim.assemble(mbsim.load_model(text))
