"""Contacts in the user's own coordinates, given by gap and slip, against closed forms, bodies, and the literature; g = 9.81 m/s2."""

from math import sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from test_unilateral import ROUND, G, model, multiplier, told

import mbsim
from mbsim import registry

# Parameters: Glocker, Dynamik von Starrkoerpersystemen mit Reibung und Stoessen, TU Muenchen 1995, pp. 162; the sleeve begins exactly on
# the pole. Times and positions at 0.1 and 0.3 s are those of an event-driven run of its own equations with DOP853.
WOODPECKER = """
parameters:
  {m_M: 0.0003, J_M: 5.0e-9, m_S: 0.0045, J_S: 7.0e-7, c: 0.0056, l_M: 0.01, l_G: 0.015, h_M: 0.0058, l_S: 0.0201, h_S: 0.02, r_O: 0.0025,
   r_M: 0.0031, g: 9.81, mu: 0.3}
coordinates: [y, phi_M, phi_S]
energy:
  kinetic: m_M/2*der(y)^2 + J_M/2*der(phi_M)^2 + m_S/2*(der(y) + l_M*der(phi_M) + l_G*der(phi_S))^2 + J_S/2*der(phi_S)^2
  potential: (m_M + m_S)*g*y + m_S*g*(l_M*phi_M + l_G*phi_S) + c/2*(phi_M - phi_S)^2
contacts:
  beak:
    gap: l_M + l_G - l_S - r_O - h_S*phi_S
    slide: der(y) + l_M*der(phi_M) + (l_G - l_S)*der(phi_S)
    friction: mu
    restitution: 0.5
  lower: {gap: r_M - r_O + h_M*phi_M, slide: der(y) + r_M*der(phi_M), friction: mu}
  upper: {gap: r_M - r_O - h_M*phi_M, slide: der(y) + r_M*der(phi_M), friction: mu}
initial: {phi_M: -0.0006/0.0058, phi_S: -0.2788, der(y): -0.3411, der(phi_S): -7.4583}
simulation: {end: 0.3, output_step: 0.1, rtol: 1.0e-11, atol: 1.0e-13}
"""


def test_glockers_woodpecker_climbs_down():
    result = model(WOODPECKER)
    first = [(line["event"], line["do"], line["time"]) for line in result.events if 0.0 < line["time"] < 0.15]
    expected = [
        ("lower", "sticks", 0.021636314053),
        ("lower", "slips", 0.061213931248),
        ("lower", "open", 0.067023398145),
        ("upper", "impact", 0.077877992290),
        ("beak", "impact", 0.080988805419),
        ("upper", "open", 0.083416385579),
        ("lower", "impact", 0.118675112949),
        ("lower", "impact", 0.121335470558),
    ]
    for name, what, at in expected:
        assert any(line[:2] == (name, what) and line[2] == pytest.approx(at, abs=2e-11) for line in first), (name, what)
    q, k = np.asarray(result["q"]), [int(np.argmin(np.abs(np.asarray(result.time) - t))) for t in (0.1, 0.3)]
    assert q[k[0]][[0, 2]] == pytest.approx([-0.0070593303, 0.0075288768], abs=1e-10)
    assert q[k[1]][[0, 2]] == pytest.approx([-0.0413274161, -0.3423738551], abs=2e-10)
    balance = np.asarray(result["energy_balance"])
    assert np.abs(balance - balance[0]).max() < 1e-12
    held = np.asarray(result.time) < 0.067
    assert q[held, 1] == pytest.approx(-0.0006 / 0.0058, abs=1e-14)


OWN_ROUND = """
parameters: {i: 0.005, mu: 0.2}
coordinates: [x, y, phi]
energy: {kinetic: (der(x)^2 + der(y)^2 + i*der(phi)^2)/2, potential: 9.81*y}
contacts: {floor: {gap: y - 0.1, slide: der(x) + 0.1*der(phi), friction: mu}}
initial: {y: 0.1, der(x): 5}
simulation: {end: 1.5}
"""


def test_a_wheel_slides_and_rolls_as_one_of_bodies():
    own, bodies = model(OWN_ROUND), model(ROUND)
    assert told(own) == [(pytest.approx(at, abs=1e-10), what) for at, what in told(bodies)]
    assert np.asarray(own["v"])[-1] == pytest.approx(np.asarray(bodies["v"])[-1], abs=1e-10)
    assert multiplier(own, "floor")[-1] == pytest.approx(G, abs=1e-10)


def test_what_slips_is_recorded_along_each_coordinate():
    found = model(OWN_ROUND).to_xarray()
    early, late = (np.asarray(found["time"]) < 0.84, np.asarray(found["time"]) > 0.85)
    efforts = {name: np.asarray(found["force_effort"].sel(force_element=f"floor.{name}")) for name in ("x", "phi")}
    assert efforts["x"][early] == pytest.approx(-0.2 * G, abs=1e-10)
    assert efforts["phi"][early] == pytest.approx(-0.02 * G, abs=1e-10)
    assert np.abs(efforts["x"][late]).max() == 0.0


SHAKEN = """
parameters: {A: 0.01, w: 40, mu: 0.25}
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: 9.81*y}
contacts: {plate: {gap: y - A*sin(w*t), slide: der(x) - 0.4, friction: mu}}
initial: {y: 0, der(y): 0.4}
simulation: {end: 0.2}
"""


def test_a_grain_leaves_a_shaken_plate_and_comes_back():
    """It leaves where A w^2 sin(w t) = g, flies, and falls back; until then the belt takes it along by mu (g + acceleration)."""
    result = model(SHAKEN)
    w, A = 40.0, 0.01
    leaves = np.arcsin(G / (A * w * w)) / w
    found = told(result)
    assert found[0] == (0.0, "slips")
    assert found[1] == (pytest.approx(leaves, abs=1e-10), "open")
    y, u = A * np.sin(w * leaves), A * w * np.cos(w * leaves)

    def gap(t: float) -> float:
        return y + u * (t - leaves) - 0.5 * G * (t - leaves) ** 2 - A * np.sin(w * t)

    back = brentq(gap, leaves + 0.04, leaves + 0.15, xtol=1e-14)
    assert found[2] == (pytest.approx(back, abs=1e-9), "impact")
    speed = solve_ivp(lambda t, v: [0.25 * (G - A * w * w * np.sin(w * t))], (0.0, leaves), [0.0], rtol=1e-12, atol=1e-14).y[0, -1]
    assert speed == pytest.approx(0.25 * (G * leaves + A * w * (np.cos(w * leaves) - 1.0)), abs=1e-12)
    k = int(np.searchsorted(np.asarray(result.time), leaves + 1e-3))
    assert np.asarray(result["v"])[k, 0] == pytest.approx(speed, abs=1e-8)


BEAD = """
parameters: {mu: 0.3}
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: 9.81*y}
contacts:
  bowl: {gap: 1 - sqrt(x^2 + y^2), slide: (x*der(y) - y*der(x))/sqrt(x^2 + y^2), friction: mu, static: 2*mu}
initial: {x: sin(1.2), y: -cos(1.2)}
simulation: {end: 6}
"""


def test_a_bead_slides_down_a_curve_as_an_integrator_of_its_own_finds_it():
    """Normals and tangents turn: a = -g sin(psi) -+ mu (g cos(psi) + w^2). It stops where the slope is less than its static friction."""
    result = model(BEAD)

    def rates(t: float, y: np.ndarray) -> list[float]:
        normal = G * np.cos(y[0]) + y[1] ** 2
        return [y[1], -G * np.sin(y[0]) - 0.3 * normal * np.sign(y[1])]

    def rests(t: float, y: np.ndarray) -> float:
        return y[1]

    rests.terminal = True  # type: ignore[attr-defined]
    t, psi, stops, sign = 0.0, 1.2, [], -1.0
    while abs(np.tan(psi)) > 0.6:
        found = solve_ivp(rates, (t, 6.0), [psi, sign * 1e-12], "DOP853", events=rests, rtol=1e-12, atol=1e-14, first_step=1e-6)
        t, psi, sign = found.t[-1], found.y[0, -1], -sign
        stops.append(t)
    assert [at for at, what in told(result) if at > 0.0] == pytest.approx(stops, abs=1e-7)
    assert told(result)[-1][1] == "sticks"
    x, y = np.asarray(result["q"])[-1]
    assert np.arctan2(x, -y) == pytest.approx(psi, abs=1e-8)
    assert np.hypot(x, y) == pytest.approx(1.0, abs=1e-12)


BOUNCE = """
coordinates: [y]
energy: {kinetic: der(y)^2/2, potential: 9.81*y}
contacts: {floor: {gap: y, restitution: 0.8}}
initial: {y: 1}
simulation: {end: 1.8, step: 1.0e-3}
"""
TREES = {"aba", "kane"}  # joint coordinates only


@pytest.mark.parametrize("method", [name for name in registry.names("methods") if name not in TREES])
def test_a_ball_bounces_with_every_method(method):
    result = mbsim.simulate(mbsim.load_model(BOUNCE), method=method, allow_wrong=True)
    fall = sqrt(2.0 / G)
    impacts = [at for at, what in told(result) if what == "impact"]
    assert impacts == pytest.approx([fall, 2.6 * fall, 3.88 * fall], abs=1e-5)


@pytest.mark.parametrize("method", [name for name in registry.names("methods") if name not in TREES])
def test_a_wheel_slides_and_rolls_with_every_method_that_takes_friction(method):
    try:
        result = mbsim.simulate(mbsim.load_model(OWN_ROUND), method=method, allow_wrong=True)
    except ValueError as error:
        assert f"{method} " in str(error)  # noqa: PT017
        assert "friction that depends on a reaction needs another method" in str(error)  # noqa: PT017
        return
    assert told(result)[-1] == (pytest.approx(0.849473326537547, abs=1e-7), "sticks")


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("{gap: y, frction: 1}", "5:.*unknown key 'frction'; did you mean 'friction'"),
        ("{slide: der(x), friction: 1}", "5:.*missing key 'gap'"),
        ("{gap: y + z}", "5:.*unknown name 'z'"),
        ("{gap: y + der(x)}", r"5:.*gap must not contain der\(...\) .got der\(x\)."),
        ("{gap: 2*mu}", "5:.*gap contains no coordinate"),
        ("{gap: y, friction: 1}", "5:.*missing key 'slide'"),
        ("{gap: y, slide: der(x)}", "5:.*'slide' goes with 'friction'"),
        ("{gap: y, slide: x, friction: 1}", r"5:.*slide contains no der\(...\)"),
        ("{gap: y, slide: der(x)^2, friction: 1}", r"5:.*slide must be linear in der\(...\)"),
        ("{gap: y, slide: abs(der(x)), friction: 1}", r"5:.*slide must be linear in der\(...\)"),
        ("{gap: flor(y)}", "5:.*flor"),
        ("{gap: floor(y)}", "5:.*no coordinate moves this: it jumps from value to value"),
        ("{gap: y, plane: {normal: [0, 1]}}", "5:.*'plane' goes with bodies, not with 'gap'"),
        ("{bodies: [a, ground], plane: {normal: [0, 1]}}", "5:.*a model with a list of 'coordinates' has no bodies: give 'gap'"),
        ("{gap: y, friction: 0.3, static: 0.2, slide: der(x)}", "5:.*static must not be less than friction"),
        ("{gap: y, restitution: 2}", "5:.*restitution"),
    ],
)
def test_what_is_refused(block, said):
    text = OWN_ROUND.replace("{gap: y - 0.1, slide: der(x) + 0.1*der(phi), friction: mu}", block)
    with pytest.raises(mbsim.ModelError, match=said):
        mbsim.assemble(mbsim.load_model(text))


def test_all_that_is_wrong_is_said_at_once():
    text = OWN_ROUND.replace("{gap: y - 0.1, slide: der(x) + 0.1*der(phi), friction: mu}", "{gap: y + z, slide: der(w), friction: -1}")
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.load_model(text)
    assert len(caught.value.problems) == 3


def test_bodies_have_no_gap():
    text = ROUND.replace("plane: {normal: [0, 1]}, friction: 0.2", "gap: wheel.y")
    with pytest.raises(mbsim.ModelError, match="'gap' and 'slide' need a list of 'coordinates'"):
        mbsim.load_model(text)


def test_a_start_inside_stops_with_the_name():
    with pytest.raises(mbsim.SimulationError, match=r"'floor' are inside each other, or beyond the stop, by 0\.05"):
        model(OWN_ROUND.replace("initial: {y: 0.1", "initial: {y: 0.05"))
