"""Modes about steady motions on circles in absolute coordinates: blades, hinged rods, governors, shafts, against closed forms."""

import re
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import mbsim
from mbsim.analyses.linear import Modes, about
from mbsim.diagnosis.carried import NotSteadyError
from mbsim.diagnosis.turning import Turning, of_speeds


def ritz(eta: float, radius: float, count: int) -> np.ndarray:
    """Flap frequencies of a cantilever of EI = rho A = L = 1 on a hub, with polynomials that are clamped at the start."""
    x, weights = np.polynomial.legendre.leggauss(60)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    basis = [
        np.polynomial.Polynomial([0, 0, 1]) * np.polynomial.Legendre.basis(k, [0, 1]).convert(kind=np.polynomial.Polynomial)
        for k in range(12)
    ]
    tension = eta**2 * (0.5 * (1.0 - x**2) + radius * (1.0 - x))
    values, slopes, bends = (np.array([p.deriv(k)(x) if k else p(x) for p in basis]) for k in range(3))
    K = (bends * weights) @ bends.T + (slopes * weights * tension) @ slopes.T
    return np.asarray(np.sqrt(eigh(K, (values * weights) @ values.T, eigvals_only=True)[:count]))


WRIGHT = {0: (3.516015269, 22.034491565), 2: (4.137319573, 22.614921958), 6: (7.360373020, 26.809081687), 12: (13.170150487, 37.603112330)}


def blade(n: int, eta: float, radius: float = 0.0, **changed: Any) -> dict[str, Any]:
    """A blade along x on a hub that a motor turns about z. A turn only of the hub is given: the blade is at rest at the start."""
    return {
        "name": "blade", "parameters": {"W": eta},
        "bodies": {"hub": {"mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0], "points": {"rim": [radius, 0, 0]}}},
        "joints": {"bearing": {"type": "revolute", "bodies": ["ground", "hub"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "beams": {"blade": {
            "from": "hub.rim", "to": [radius + 1, 0, 0], "elements": n, "clamped": ["start"],
            "stiffness": {"EA": 1e6, "GA": 4e5, "GJ": 1, "EI": 1}, "mass": {"line": 1, "inertia": [2e-6, 1e-6, 1e-6]},
        }},
        "drivers": {"motor": {"coordinate": "bearing.angle", "value": "W*t"}}, "simulation": {"end": 1}, **changed,
    }  # fmt: skip


def frequencies(found: Modes) -> np.ndarray:
    """Circular frequencies, rad/s."""
    return np.array([abs(mode.eigenvalue) for mode in found.modes])


def test_the_reference_has_the_published_digits() -> None:
    """A. D. Wright and others, Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49 (1982) 197-202."""
    for eta, published in WRIGHT.items():
        np.testing.assert_allclose(ritz(eta, 0.0, 2), published, rtol=1e-9)


@pytest.mark.parametrize(("eta", "radius"), [(6, 0.0), (12, 1.0)])
def test_a_turning_blade_flaps_and_lags(eta: float, radius: float) -> None:
    """Lag frequencies are those of flap less the speed, by squares. The blade stretches and the axes turn with it."""
    flap = ritz(eta, radius, 2)
    exact = np.sort([*flap, *np.sqrt(flap**2 - eta**2)])
    errors = []
    for n in (4, 8):
        found = mbsim.modes(mbsim.assemble(mbsim.load_model(blade(n, eta, radius))))
        assert found.state.kind == "steady" and found.stationary and found.stable
        assert "frequencies are those seen from axes that turn with the bodies" in found.notes()
        errors.append(np.abs(frequencies(found)[:4] / exact - 1.0))
    assert (errors[1][:2] < 0.01).all() and (errors[0][:2] > 2.5 * errors[1][:2]).all()
    assert (errors[1][2:] < 0.03).all()


RODS = """
name: hinged rod
gravity: [0, 0, {g}]
parameters: {{W: 3, e: 0.5}}
bodies:
  hub: {{mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}
  rod: {{mass: 2, inertia: [0.01, 2/3, 2/3], position: [e + 1, 0, 0]}}
joints:
  bearing: {{type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}}
  hinge: {{type: revolute, bodies: [hub, rod], at: [e, 0, 0], axis: {axis}}}
drivers: {{motor: {{coordinate: bearing.angle, value: W*t}}}}
simulation: {{end: 1}}
"""


def of_text(text: str, at: str = "auto", **parameters: float) -> Modes:
    return mbsim.modes(mbsim.assemble(mbsim.load_model(text, parameters)), at)


def test_hinged_rods_flap_once_a_turn() -> None:
    """About the hinge I = m l^2/3: flap^2 = W^2 ((I - I_x)/I_y + m e l/(2 I)), lag^2 = W^2 m e l/(2 I)."""
    inertia, moment = 2.0 / 3.0 + 2.0, 2.0 * 0.5
    flap, lag = (RODS.format(g=0, axis=axis) for axis in ("[0, 1, 0]", "[0, 0, 1]"))
    # the rod's own inertia about x does not flap with it
    np.testing.assert_allclose(frequencies(of_text(flap, e=0.0)), 3.0 * np.sqrt(1.0 - 0.01 / inertia), rtol=1e-9)
    np.testing.assert_allclose(frequencies(of_text(flap)), 3.0 * np.sqrt(1.0 - 0.01 / inertia + moment / inertia), rtol=1e-9)
    np.testing.assert_allclose(frequencies(of_text(lag)), 3.0 * np.sqrt(moment / inertia), rtol=1e-9)


def test_weight_along_the_axis_droops_the_rod_as_in_joint_coordinates() -> None:
    text = RODS.format(g=-9.81, axis="[0, 1, 0]")
    bodies, joints = of_text(text), of_text(text.replace("simulation", "coordinates: joint\nsimulation"))
    assert bodies.state.kind == joints.state.kind == "steady"
    np.testing.assert_allclose(frequencies(bodies), frequencies(joints), rtol=1e-8)
    assert abs(frequencies(bodies)[0] / 3.5 - 1.0) > 0.05  # it droops


def test_a_rod_in_two_hinges_with_springs_is_the_same_in_both_coordinates() -> None:
    """Flap and lag at once, with Coriolis forces, dampers and a tilted hinge, in a hub that turns freely or is driven."""
    text = (
        RODS.format(g=-9.81, axis="[0.1, 1, 0.3]")
        + "forces: {s: {type: rotational_spring_damper, joint: hinge, stiffness: 9, damping: 0.3}}\n"
    )
    free = re.sub("drivers: .*", "steady: {der(bearing.angle): W}", text)
    for model in (text, free):
        bodies, joints = of_text(model), of_text(model.replace("simulation", "coordinates: joint\nsimulation"))
        np.testing.assert_allclose(np.sort_complex(bodies.eigenvalues), np.sort_complex(joints.eigenvalues), rtol=1e-7, atol=1e-7)
        assert [name in bodies.system.speeds for name in bodies.cyclic] == [name in joints.system.speeds for name in joints.cyclic]
        np.testing.assert_allclose(bodies.state.v[5], 3.0)


LOOP = """
name: loop on a turntable
gravity: [0, 0, -9.81]
parameters: {W: 5}
bodies:
  table: {mass: 5, inertia: [1, 1, 1], position: [0, 0, 0]}
  a: {mass: 1, inertia: [0.02, 0.1, 0.1], position: [1, 0, 0.5]}
  b: {mass: 1, inertia: [0.02, 0.1, 0.1], position: [1.5, 0, 1]}
  c: {mass: 1, inertia: [0.02, 0.1, 0.1], position: [2, 0, 0.5]}
joints:
  bearing: {type: revolute, bodies: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}
  A: {type: revolute, bodies: [table, a], at: [1, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, bodies: [a, b], at: [1, 0, 1], axis: [0, 1, 0]}
  C: {type: revolute, bodies: [b, c], at: [2, 0, 1], axis: [0, 1, 0]}
  D: {type: revolute, bodies: [c, table], at: [2, 0, 0], axis: [0, 1, 0]}
forces: {s: {type: rotational_spring_damper, joint: A, stiffness: 400, damping: 1}}
drivers: {motor: {coordinate: bearing.angle, value: W*t}}
simulation: {end: 1}
"""


def test_a_loop_on_a_turntable_is_the_same_in_both_coordinates() -> None:
    """In joint coordinates the rows that close the loop turn with the table, and the small motions do not change for that."""
    bodies, joints = of_text(LOOP), of_text(LOOP.replace("simulation", "coordinates: joint\nsimulation"))
    assert bodies.state.kind == joints.state.kind == "steady" and joints.stationary
    np.testing.assert_allclose(bodies.eigenvalues, joints.eigenvalues, rtol=1e-7)
    still = mbsim.modes(mbsim.assemble(mbsim.load_model(LOOP, {"W": 0.0})))
    assert abs(frequencies(bodies)[0] / frequencies(still)[0] - 1.0) > 0.01


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gravity": [0, -9.81, 0]}, r"the force along der\(.*\) changes on the way, as that of gravity across the axis"),
        (
            {"forces": {"tie": {"type": "spring_damper", "bodies": ["ground", "hub"], "at": [[3, 0, 0], [0.5, 0, 0]], "stiffness": 1}}},
            r"the force along .* changes on the way",
        ),
        (
            {"drivers": {"motor": {"coordinate": "bearing.angle", "value": "W*t + t^2"}}},
            "motor prescribes a speed that changes with the time",
        ),
        ({"constraints": {"c": {"type": "holonomic", "equation": "blade_end.y - 0.3*(blade_end.x - 1)"}}}, r"does not allow that"),
    ],
)
def test_what_is_no_steady_motion_on_circles_is_said(change: dict[str, Any], message: str) -> None:
    found = mbsim.modes(mbsim.assemble(mbsim.load_model(blade(4, 2, **change))))
    assert found.state.kind == "equilibrium" and not found.state.v.any()
    assert any(re.search(message, note) and "about the equilibrium at rest" in note for note in found.notes())


SHAFT = """
name: shaft
parameters: {W: 50, EI: 1e3}
bodies:
  disc: {mass: 2, inertia: [0.05, 0.03, 0.03], position: [0.5, 0, 0]}
joints:
  left: {type: spherical, bodies: [ground, s.start], at: [0, 0, 0]}
  right: {type: point_on_line, bodies: [ground, s.end], at: [1, 0, 0], axis: [1, 0, 0]}
  weld: {type: fixed, bodies: [s.at(0.5), disc], at: [0.5, 0, 0]}
beams:
  s:
    {from: [0, 0, 0], to: [1, 0, 0], elements: 4, angular_velocity: [W, 0, 0], mass: {line: 1e-3, inertia: [2e-7, 1e-7, 1e-7]},
     stiffness: {EA: 1e7, GA: [4e6, 4e6], GJ: 1e3, EI: [1e3, EI]}}
simulation: {end: 1}
"""


def test_a_shaft_whirls_as_seen_beside_it_and_turns_with_what_is_not_round() -> None:
    """A disc in the middle, on four elements, whose bending under a load there is 15/16 of 1/(48 EI). It whirls both ways alike.

    With two stiffnesses the axes turn with the shaft: (k1/m - W^2 - w^2)(k2/m - W^2 - w^2) = 4 W^2 w^2.
    """
    bending = 15.0 / 16.0 / 48.0
    k = 1.0 / (bending / np.array([1e3, 2e3]) + 1.0 / 16e6) / 2.0  # over the mass of the disc, 1/s^2
    whirl = of_text(SHAFT)
    assert whirl.stationary and not whirl.linear.turned and whirl.state.kind == "steady"
    np.testing.assert_allclose(frequencies(whirl)[2:4], np.sqrt(k[0]), rtol=1e-3)  # the shaft has a mass
    oval = of_text(SHAFT, EI=2e3)
    assert oval.stationary and oval.linear.turned
    exact = np.sqrt(np.roots([1.0, -(k.sum() + 2.0 * 50.0**2), np.prod(k - 50.0**2)]))
    np.testing.assert_allclose(frequencies(oval)[2:4], np.sort(exact), rtol=1e-3)


def test_twists_and_their_derivatives() -> None:
    """Speeds, accelerations and their derivatives against differences along the motion and by displacements."""
    made = mbsim.assemble(mbsim.load_model(RODS.format(g=0, axis="[0, 1, 0]")))
    system, rng = made.system, np.random.default_rng(3)
    turning = Turning(3, rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
    q = system.move(made.q, rng.normal(size=system.n_v))
    v, a, (V, A), h = turning.speeds(q), turning.accelerations(q), turning.rates(q), 1e-6
    np.testing.assert_allclose((turning.advanced(q, h) - turning.advanced(q, -h)) / (2 * h), system.rates(0.0, q, v), atol=1e-8)
    ahead, behind = (turning.speeds(turning.advanced(q, s)) for s in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2 * h), a, atol=1e-8)
    for k, d in enumerate(np.eye(system.n_v)):
        for matrix, function in ((V, turning.speeds), (A, turning.accelerations)):
            np.testing.assert_allclose(
                (function(system.move(q, h * d)) - function(system.move(q, -h * d))) / (2 * h), matrix[:, k], atol=1e-8
            )
    np.testing.assert_allclose(turning.advanced(turning.advanced(q, 0.7), -0.7), q, atol=1e-13)
    again = of_speeds(system, q, v)
    np.testing.assert_allclose(np.hstack([again.turn, again.shift]), np.hstack([turning.turn, turning.shift]), atol=1e-13)


def test_a_steady_motion_is_balanced_in_a_run() -> None:
    """The stretched blade that an equilibrium gives goes on as it is."""
    model = blade(2, 6, 0.5, drivers={}, steady={"der(bearing.angle)": 6}) | {"simulation": {"end": 0.2, "start_from": "equilibrium"}}
    run = mbsim.simulate(mbsim.assemble(mbsim.load_model(model)), rtol=1e-8, atol=1e-10)
    tip = np.hypot(*(run["q"][:, run.labels("coordinate").index(f"blade_end.{x}")] for x in "xy"))
    assert tip[0] > 1.5 + 1e-6 and np.ptp(tip) < 1e-8


HOUSE = """
name: rotor in a housing
parameters: {W: 50, kz: 1e4, J: 0.02}
bodies:
  house: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}
  disc: {mass: 2, inertia: [0.05, J, 0.03], position: [0, 0, 0]}
joints: {bearing: {type: revolute, bodies: [house, disc], at: [0, 0, 0], axis: [1, 0, 0]}}
forces:
  s1: {type: bushing, bodies: [ground, house], at: [-0.2, 0, 0], stiffness: [1e4, 1e4, kz, 100, 0, 0]}
  s2: {type: bushing, bodies: [ground, house], at: [0.2, 0, 0], stiffness: [1e4, 1e4, kz, 100, 0, 0]}
drivers: {motor: {coordinate: bearing.angle, value: W*t}}
simulation: {end: 1}
"""


def test_a_rotor_that_is_not_round_is_seen_from_axes_that_turn_where_its_bearings_are_round() -> None:
    """Tilts of both in axes that turn with W: (K - G W - w^2 J) d = 0 with J of housing and disc; of two stiffnesses there are none."""
    found = of_text(HOUSE)
    assert (
        found.stationary
        and found.linear.turned
        and "disc turns about the axis through [0, 0, 0] along [1, 0, 0] at 50 rad/s" in found.notes()
    )
    k, A, B, C, W = 2 * 1e4 * 0.2**2, 0.05, 0.02 + 0.1, 0.03 + 0.1, 50.0  # tilts about y and z, polar inertia of what turns
    # B y'' + (k + W^2 (C0 - A)) y = W (B + C - 2 h - A) z' and likewise z, with C0, B0 of the disc; the housing has 2 h W^2 less
    B0, C0, h = 0.02, 0.03, 0.1
    ky, kz = k + W**2 * (A - C0) - W**2 * h, k + W**2 * (A - B0) - W**2 * h
    g = W * (A - B0 - C0) - 2.0 * W * h
    exact = np.sqrt(np.roots([B * C, -(B * kz + C * ky + g**2), ky * kz]))
    mass = np.sqrt(2e4 / 3.0)
    for value in (*exact, mass - W, mass + W, mass):
        assert np.abs(frequencies(found) - value).min() < 1e-6 * value
    assert any("change with the time" in note for note in of_text(HOUSE, kz=2e4).notes())
    assert not of_text(HOUSE, kz=2e4, J=0.03).linear.turned


def test_two_rotors_turn_about_axes_of_their_own_and_values_are_told_once() -> None:
    model = blade(2, 5)
    model["bodies"]["fan"] = {"mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 5]}
    model["joints"]["axle"] = {"type": "revolute", "bodies": ["ground", "fan"], "at": [0, 0, 5], "axis": [1, 0, 0]}
    model["drivers"]["fan_motor"] = {"coordinate": "axle.angle", "value": "3*t"}
    alone = mbsim.modes(mbsim.assemble(mbsim.load_model(blade(2, 5))))
    found = mbsim.modes(mbsim.assemble(mbsim.load_model(model)))
    np.testing.assert_allclose(frequencies(found), frequencies(alone), rtol=1e-9)
    assert "fan turns about the axis through [0, 0, 5] along [1, 0, 0] at 3 rad/s" in found.notes()
    with pytest.raises(ValueError, match="about a steady motion on circles has no constant inputs and outputs"):
        mbsim.linearize(mbsim.assemble(mbsim.load_model(model)), ["driver:motor"], ["hub.x"])
    notes = mbsim.root_locus(mbsim.load_model(blade(2, 5)), "W", [1.0, 2.0, 3.0]).notes
    assert sum("about the axis" in note for note in notes) == 1 and "at 3 rad/s" in "".join(notes)


def test_what_does_not_turn_for_ever_is_no_steady_motion() -> None:
    with pytest.raises(NotSteadyError, match="gravity across the axis"):
        of_text(RODS.format(g=0, axis="[0, 1, 0]").replace("gravity: [0, 0, 0]", "gravity: [0, -9.81, 0]"), "steady")


def governor(**changed: Any) -> dict[str, Any]:
    """An arm on a hinge of a shaft that a motor turns at 6 rad/s against a drag of 0.5 N m s."""
    return {
        "name": "governor", "gravity": [0, 0, -9.81],
        "bodies": {
            "shaft": {"mass": 1, "inertia": [0.1, 0.1, 0.1]},
            "arm": {"mass": 2, "inertia": [0.003, 0.003, 0.001], "position": [0.1, 0, -0.35]},
        },
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "shaft"], "at": [0, 0, 0], "axis": [0, 0, 1]},
            "hinge": {"type": "revolute", "bodies": ["shaft", "arm"], "at": [0, 0, 0], "axis": [0, -1, 0]},
        },
        "forces": {"drag": {"type": "joint_friction", "joint": "bearing", "viscous": 0.5}},
        "drivers": {"motor": {"joint": "bearing", "angle": "6*t"}}, "simulation": {"end": 1}, **changed,
    }  # fmt: skip


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_driver_of_the_same_joint_bears_a_given_speed_or_gives_way(coordinates: str) -> None:
    """The effort is 0.5 times the speed. A kept motor had half of it in absolute coordinates, and another speed was refused."""
    model, speed = governor(coordinates=coordinates), "der(bearing.angle)"
    kept = mbsim.equilibrium(model, keep=["motor"], steady={speed: 6.0})
    assert kept.to_dict()["driver_efforts"]["motor"] == pytest.approx(3.0, rel=1e-9)
    assert kept.to_dict()["steady_efforts"][speed] == pytest.approx(0.0, abs=1e-9)
    assert not [note for note in kept.notes() if "redundant" in note]
    with pytest.raises(ValueError, match=r"der\(bearing.angle\) is 6"):
        mbsim.equilibrium(model, keep=["motor"], steady={speed: 5.0})
    free = mbsim.equilibrium(model, steady={speed: 5.0})
    assert free.to_dict()["steady_efforts"][speed] == pytest.approx(2.5, rel=1e-9)
    assert not free.to_dict()["driver_efforts"] and [note for note in free.notes() if note == "drivers let go: motor"]
    assert not [note for note in free.notes() if "redundant" in note]


def test_a_run_begins_in_the_steady_motion_that_a_motor_keeps() -> None:
    """The motor and the block `steady` say the same; the arm stays out at its angle."""
    model = governor(steady={"der(bearing.angle)": 6.0})
    model["simulation"] = {"end": 0.5, "start_from": "equilibrium"}
    result = mbsim.simulate(model)
    assert np.ptp(result["arm.z"]) < 1e-8 and result["arm.z"][0] == pytest.approx(-0.270881061, abs=1e-8)
    assert not [note for note in result.attributes["notes"] if "redundant" in note]


def test_a_rotor_on_what_is_carried_along_is_referred_to_joint_coordinates() -> None:
    model = governor()
    model["bodies"]["rotor"] = {"mass": 1, "inertia": [0.01, 0.02, 0.01], "position": [0.1, 0, -0.35]}
    model["joints"]["axle"] = {"type": "revolute", "bodies": ["arm", "rotor"], "at": [0.1, 0, -0.35], "axis": [0, 1, 0]}
    model["drivers"]["spin"] = {"joint": "axle", "angle": "50*t"}
    said = " ".join(mbsim.modes(model).state.notes)
    assert "no steady motion" in said and "in joint coordinates: coordinates: joint" in said
    assert not [note for note in mbsim.modes(model | {"coordinates": "joint"}).state.notes if "no steady motion" in note]


def test_damping_in_a_shaft_lets_it_whirl() -> None:
    """Stable up to w (1 + c_out/c_in), where the air damps the disc by c_out and the shaft it by beta k (Kimball 1924).

    Slow growth of a stiff shaft was lost where no more zeros are looked for than are known, as in the search of that speed.
    """
    beta, air = 2e-5, 4.0
    shaft = {
        "from": [0, 0, 0], "to": [0.6, 0, 0], "elements": 8, "section": {"circle": 0.006},
        "material": {"E": 2.1e11, "nu": 0.3, "density": 1}, "damping": {"stiffness": beta},
    }  # fmt: skip
    model = {
        "name": "rotor", "gravity": [0, 0, 0], "parameters": {"W": 700}, "beams": {"shaft": shaft},
        "bodies": {"disc": {"mass": 3, "inertia": [0.012, 0.006, 0.006], "position": [0.3, 0, 0]}},
        "joints": {
            "a": {"type": "spherical", "bodies": ["ground", "shaft.start"], "at": [0, 0, 0]},
            "b": {"type": "point_on_line", "bodies": ["ground", "shaft.end"], "at": [0.6, 0, 0], "axis": [1, 0, 0]},
            "key": {"type": "fixed", "bodies": ["shaft.at(0.5)", "disc"], "at": [0.3, 0, 0]},
        },
        "forces": {"air": {"type": "drag", "body": "disc", "linear": air}},
        "drivers": {"motor": {"coordinate": "shaft.start.omega.x", "value": "W"}}, "simulation": {"end": 1},
    }  # fmt: skip
    found = mbsim.modes(model)
    w = float(found.modes[1].eigenvalue.imag)
    grows = max(mode.eigenvalue.real for mode in found.modes)
    k, m = 48 * 2.1e11 * np.pi / 4 * 0.006**4 / 0.6**3, 3.0
    assert w == pytest.approx(np.sqrt(k / m), rel=0.05)
    inside, outside = beta * w**2 / 2, air / m / 2
    assert grows == pytest.approx(inside * (700 / w - 1) - outside, rel=1e-3)
    limited = about(found.system, found.state, found.spectrum.zeros).spectrum.raw
    assert limited.real.max() == pytest.approx(grows, rel=1e-6)
