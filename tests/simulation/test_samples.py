"""States, controllers and Python functions that are held between samples, against recurrences and SciPy's `dlti`."""

import pickle

import numpy as np
import pytest
from scipy import signal

import mbsim

SLIDER = """
name: slider with samples
dimension: 2
parameters: {T: 0.1, off: 0}
bodies: {slider: {mass: 2, inertia: 0.1}}
joints: {rail: {type: prismatic, bodies: [ground, slider], at: [0, 0], axis: [1, 0]}}
states:
  u: {sample: T, offset: off, next: "3*(1 - slider.x) - 2*der(slider.x)", unit: N}
  old: {sample: T, next: slider.x}
  older: {sample: T, next: old}
forces: {load: {type: joint_torque, joint: rail, value: u}}
simulation: {end: 2, method: svd, integrator: rk4, step: 0.01, output_step: 0.05}
"""
ARM = """
name: arm with a sampled controller
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 2, inertia: 0.1, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
controllers: {motor: {type: pid, joint: O, target: "1 + 0.3*sin(2*t)", kp: 60, ki: 30, kd: 12, filter: 0.02, sample: 0.01}}
simulation: {end: 1, method: svd, integrator: rk4, step: 0.005, output_step: 0.01}
"""


def hold(steps, offset=0):
    """Position, speed and held force of the slider after each sample, by the exact recurrence; `offset` counts samples without a force."""
    A, B = np.array([[1, 0.1], [0, 1]]), np.array([0.1**2 / 4, 0.1 / 2])
    x, found = np.zeros(2), []
    for k in range(steps):
        u = 3 * (1 - x[0]) - 2 * x[1] if k >= offset else 0.0
        found.append([*x, u])
        x = A @ x + B * u
    return np.array(found)


def test_a_held_force_follows_its_recurrence():
    result = mbsim.simulate(SLIDER)
    found = np.column_stack([result["slider.x"], result["der(slider.x)"], result.select("states", "u")])[::2]
    assert abs(found - hold(21)).max() < 1e-13
    assert abs(result.select("force_effort", "load") - result.select("states", "u")).max() == 0.0
    assert abs(result["energy_balance"]).max() < 1e-13


def test_names_of_held_states_mean_the_sample_before():
    result = mbsim.simulate(SLIDER)
    x, old, older = (
        result[name][::2] if name == "slider.x" else result.select("states", name)[::2] for name in ("slider.x", "old", "older")
    )
    assert (old == x).all()
    assert (older[1:] == x[:-1]).all() and older[0] == 0.0


def test_an_offset_delays_the_first_sample():
    result = mbsim.simulate(mbsim.load_model(SLIDER, parameters={"off": 0.3}), end=1.5)
    found = np.column_stack([result["slider.x"], result["der(slider.x)"], result.select("states", "u")])[::2]
    assert abs(found - hold(16, offset=3)).max() < 1e-13


@pytest.mark.parametrize("step", [0.03, 0.1, 0.01])
@pytest.mark.parametrize("interval", [0.07, 0.1, 0.004])
def test_samples_do_not_depend_on_steps_and_rows(step, interval):
    result = mbsim.simulate(SLIDER, step=step, output_step=interval, end=1.4)
    last = hold(15)[14]
    assert result.time[-1] == 1.4
    assert abs(np.array([result["slider.x"][-1], result["der(slider.x)"][-1], result.select("states", "u")[-1]]) - last).max() < 1e-12


def test_two_rates_in_one_model():
    text = SLIDER.replace("older: {sample: T, next: old}", "older: {sample: 0.25, offset: 0.05, next: older + 1}")
    counted = mbsim.simulate(text).select("states", "older")
    times = mbsim.simulate(text).time
    expected = np.floor((times - 0.05 + 1e-9) / 0.25) + 1
    assert (counted == np.maximum(expected, 0)).all()


def gains(result):
    """The recorded errors at samples, the efforts there, and the discrete PID as a transfer function."""
    T, kp, ki, kd, lag = 0.01, 60.0, 30.0, 12.0, 0.02
    z1, one = np.array([1.0, -1.0]), np.array([1.0, 0.0])
    # kp + ki T z/(z - 1) + kd (z - 1)/((lag + T) z - lag)
    filtered = np.array([lag + T, -lag])
    num = kp * np.polymul(z1, filtered) + ki * T * np.polymul(one, filtered) + kd * np.polymul(z1, z1)
    return signal.dlti(num, np.polymul(z1, filtered), dt=T)


def test_a_sampled_pid_is_the_transfer_function():
    result = mbsim.simulate(ARM)
    error, effort = result["controller_error"][:, 0], result.select("force_effort", "motor")
    first = error[0]  # the difference before the first sample is none: the filter has seen e_0 for ever
    out = signal.dlsim(gains(result), (error - first)[:, None])[1][:, 0]
    expected = out + 60.0 * first + 30.0 * 0.01 * first * np.arange(1, len(error) + 1)
    assert abs(effort - expected).max() < 1e-10 * abs(effort).max()


def test_a_sampled_pd_takes_the_speed_of_the_sample():
    text = ARM.replace("pid", "pd").replace("ki: 30, ", "").replace("filter: 0.02, ", "")
    result = mbsim.simulate(text)
    t = result.time
    expected = 60.0 * result["controller_error"][:, 0] + 12.0 * (0.6 * np.cos(2 * t) - result["der(arm.angle)"])
    assert abs(result.select("force_effort", "motor") - expected).max() < 1e-11


def test_short_samples_come_to_the_continuous_controller():
    smooth = ARM.replace("filter: 0.02, ", "")
    ends = [mbsim.simulate(smooth.replace("sample: 0.01", f"sample: {T}"))["arm.angle"][-1] for T in (0.01, 0.005, 0.0025)]
    limit = mbsim.simulate(smooth.replace(", sample: 0.01", ""))["arm.angle"][-1]
    errors = abs(np.array(ends) - limit)
    assert 1.7 < errors[0] / errors[1] < 2.3 and 1.7 < errors[1] / errors[2] < 2.3


def test_a_limit_holds_at_samples_and_the_integral_does_not_wind_up():
    text = ARM.replace("kd: 12", "kd: 12, limit: 15")
    result = mbsim.simulate(text, end=4)
    effort = result.select("force_effort", "motor")
    assert abs(effort).max() == 15.0
    assert abs(result["controller_error"][-1, 0]) < 0.1
    assert abs(result.select("states", "motor.integral")).max() < 1.0


METHODS = [
    *((method, integrator) for method in ("svd", "lagrange", "cfa", "baumgarte") for integrator in ("rk4", "rk45")),
    *(("svd", integrator) for integrator in ("predictor_corrector", "dop853", "bdf", "radau", "lsoda")),
    ("generalized_alpha", None),
    ("rattle", None),
    ("broyden", "rk4"),
]


@pytest.mark.parametrize(("method", "integrator"), METHODS)
def test_all_methods_and_integrators_take_samples(method, integrator):
    given = {} if integrator is None else {"integrator": integrator}
    if integrator in ("rk45", "dop853", "bdf", "radau", "lsoda"):
        given |= {"rtol": 1e-9, "atol": 1e-11}
    result = mbsim.simulate(ARM.replace(", step: 0.005", "").replace(", integrator: rk4", ""), method=method, **given)
    reference = mbsim.simulate(ARM, step=1e-3)
    assert abs(result["arm.angle"] - reference["arm.angle"]).max() < 2e-6


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_coordinates_do_not_matter(coordinates):
    text = ARM.replace("dimension: 2", f"dimension: 2\ncoordinates: {coordinates}")
    result = mbsim.simulate(text, method="svd" if coordinates == "absolute" else "aba", step=1e-3)
    assert abs(result.select("force_length", "motor") - mbsim.simulate(ARM, step=1e-3)["arm.angle"]).max() < 1e-9


def test_own_coordinates_take_samples():
    own = """
name: own
coordinates: [x]
energy: {kinetic: der(x)^2}
controllers: {motor: {type: pd, coordinate: x, target: 1, target_rate: 0, kp: 3, kd: 2, sample: 0.1}}
simulation: {end: 2, integrator: rk4, step: 0.01, output_step: 0.1}
"""
    result = mbsim.simulate(own)
    assert abs(np.column_stack([result["x"], result["der(x)"]]) - hold(21)[:, :2]).max() < 1e-13


def test_a_stepper_goes_on_as_a_run_bit_by_bit():
    result = mbsim.simulate(SLIDER)
    sim = mbsim.Stepper(SLIDER)
    assert sim["u"] == result.select("states", "u")[0]
    other = None
    for k in range(1, len(result.time)):
        sim.step(0.05)
        assert (sim.state.q[0], sim["u"]) == (result["q"][k, 0], result.select("states", "u")[k])
        if k == 7:
            other, third = sim.copy(), pickle.loads(pickle.dumps(sim))
    for k in range(8, len(result.time)):
        assert other.step(0.05)["u"] == third.step(0.05)["u"] == result.select("states", "u")[k]
    sim.reset()
    assert sim["u"] == result.select("states", "u")[0] and sim["older"] == 0.0


def test_events_go_with_samples():
    text = SLIDER.replace("simulation:", "events: {half: {when: slider.x - 0.5}, jump: {when: u - 1, do: record}}\nsimulation:")
    result = mbsim.simulate(text)
    named = {event["event"]: event["time"] for event in result.events}
    x = hold(21)
    k = int(np.argmax(x[:, 0] > 0.5)) - 1
    # x_k + v_k s + u_k s^2/4 = 1/2
    s = np.roots([x[k, 2] / 4, x[k, 1], x[k, 0] - 0.5])
    s = s[(s > 0) & (s < 0.1)][0]
    assert abs(named["half"] - (0.1 * k + s)) < 1e-10
    j = int(np.argmax(x[:, 2] < 1))  # the held force jumps over 1 at a sample
    assert abs(named["jump"] - 0.1 * j) < 1e-9
    assert abs(result["slider.x"][-1] - x[20, 0]) < 1e-12


def test_studies_run_models_with_samples():
    found = mbsim.study(SLIDER, vary={"T": [0.05, 0.1]}, outputs={"x": "final(slider.x)"})
    expected = [mbsim.simulate(mbsim.load_model(SLIDER, parameters={"T": T}))["slider.x"][-1] for T in (0.05, 0.1)]
    assert np.allclose(found["x"], expected, rtol=0, atol=1e-13)


def test_direct_differentiation_refuses_samples_by_name():
    text = SLIDER.replace("3*(1", "gain*(1").replace("off: 0", "off: 0, gain: 3")
    with pytest.raises(ValueError, match="held between samples"):
        mbsim.sensitivity(text, {"gain": {"from": 2, "to": 4}}, {"x": "final(slider.x)"}, method="direct")


@pytest.mark.parametrize("analysis", [mbsim.equilibrium, mbsim.modes])
def test_analyses_of_continuous_laws_refuse_samples(analysis):
    with pytest.raises(ValueError, match="holds states between samples: u, old, older"):
        analysis(SLIDER)


# Python functions


def test_a_function_of_several_forces_is_called_at_samples_only():
    called = []

    def force(t, q, v):
        called.append(t)
        return [3 * (1 - q[0]) - 2 * v[0], 0.0]

    text = SLIDER.split("states:", maxsplit=1)[0] + "forces:\n  load: {type: joint_torque, joint: rail, value: 0}\n"
    text += "  none: {type: torque, body: slider, value: 0}\nsimulation: " + SLIDER.split("simulation: ")[1]
    result = mbsim.simulate(text, forces={("load", "none"): mbsim.sampled(force, 0.1)})
    assert abs(np.column_stack([result["slider.x"], result["der(slider.x)"]])[::2] - hold(21)[:, :2]).max() < 1e-13
    assert np.allclose(called, 0.1 * np.arange(21), rtol=0, atol=1e-12)
    every = mbsim.simulate(text, forces={("load", "none"): force}, end=0.1)
    assert every.select("force_effort", "load")[-1] != every.select("force_effort", "load")[0]


@pytest.mark.parametrize("given", [{}, {"rtol": 1e-8}, {"integrator": "bdf"}, {"method": "rattle"}, {"method": "lagrange", "step": 0.03}])
def test_a_function_is_called_once_a_sample_in_the_order_of_time(given):
    text = SLIDER.split("states:", maxsplit=1)[0] + "forces: {load: {type: joint_torque, joint: rail, value: 0}}\nsimulation: {end: 2}\n"
    called = []

    def force(t, q, v):
        called.append(t)
        return 3 * (1 - q[0]) - 2 * v[0]

    mbsim.simulate(text, forces={"load": mbsim.sampled(force, 0.1)}, **given)
    assert np.allclose(called, 0.1 * np.arange(21), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("function", "reason"),
    [(lambda t, q, v: 1 / 0, "ZeroDivisionError"), (lambda t, q, v: [1.0, 2.0], "returned 2 numbers, expected 1")],
)
def test_functions_that_fail_end_the_run(function, reason):
    text = SLIDER.split("states:", maxsplit=1)[0] + "forces: {load: {type: joint_torque, joint: rail, value: 0}}\nsimulation: {end: 1}\n"
    with pytest.raises(mbsim.SimulationError, match=reason):
        mbsim.simulate(text, forces={"load": mbsim.sampled(function, 0.1)})


@pytest.mark.parametrize(("sample", "offset"), [(0, 0), (-1, 0), (1e-10, 0), (float("nan"), 0), (0.1, -0.1)])
def test_times_that_make_no_sense_are_refused(sample, offset):
    with pytest.raises(ValueError, match=r"sample must be|offset must"):
        mbsim.sampled(lambda t, q, v: 0.0, sample, offset)


# bad input


@pytest.mark.parametrize(
    ("old", "new", "place", "reason"),
    [
        ("{sample: T, next: slider.x}", "{sample: -1, next: slider.x}", "states.old.sample", "greater than 0"),
        ("{sample: T, next: slider.x}", "{sample: 1e-10, next: slider.x}", "states.old.sample", "below the resolution of time"),
        ("{sample: T, next: slider.x}", "{sample: 1e-8, next: slider.x}", "states.old.sample", "below the resolution of time at t = 20000"),
        ("{sample: T, next: slider.x}", "{sample: T, rate: slider.x}", "states.old", "exclude each other"),
        ("{sample: T, next: slider.x}", "{next: slider.x}", "states.old", "missing key 'sample'"),
        ("{sample: T, next: slider.x}", "{sample: T}", "states.old", "missing key 'next'"),
        ("{sample: T, next: slider.x}", "{sample: T, nxt: slider.x}", "states.old", "did you mean 'next'"),
        ("{sample: T, next: slider.x}", "{sample: T, next: slyder.x}", "states.old.next", "did you mean 'slider.x'"),
        ("{sample: T, next: slider.x}", "{offset: 1, rate: 1}", "states.old", "missing key 'sample'"),
    ],
)
def test_bad_samples_are_said_at_their_place(old, new, place, reason):
    text = SLIDER.replace(old, new)
    if "20000" in reason:
        text = text.replace("end: 2,", "end: 20000,")
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.load_model(text)
    assert any(problem.path.startswith(place) and reason in problem.message and problem.line for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (", sample: 0.01", "", "missing key 'sample' (it goes with 'filter')"),
        ("kd: 12, ", "", "missing key 'kd' (it goes with 'filter')"),
        ("kd: 12, ", "kd: 12, target_rate: 0, ", "'target_rate' does not go with it"),
        ("sample: 0.01", "sample: 0", "greater than 0"),
    ],
)
def test_bad_controllers_are_said(old, new, reason):
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.load_model(ARM.replace(old, new))
    assert reason in str(caught.value)


# efforts that are solved for

LINKS = """
name: two links in a plane
dimension: 2
gravity: [0, -9.81]
coordinates: joint
bodies: {arm: {mass: 2, inertia: 0.1, position: [0.5, 0]}, fore: {mass: 1, inertia: 0.1, position: [1.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, arm], at: [0, 0]}, P: {type: revolute, bodies: [arm, fore], at: [1, 0]}}
controllers:
  a: {type: computed_torque, joint: O, target: "sin(t)", kp: 100, kd: 20, sample: 0.01}
  b: {type: computed_torque, joint: P, target: "0.5*t^2", kp: 100, kd: 20, sample: 0.01}
simulation: {end: 1, integrator: rk4, step: 0.001, output_step: 0.01}
"""
WEIGHT = LINKS.replace('computed_torque, joint: O, target: "sin(t)", kp: 100, kd: 20', "gravity_compensation, joint: O")
WEIGHT = WEIGHT.replace('computed_torque, joint: P, target: "0.5*t^2", kp: 100, kd: 20', "gravity_compensation, joint: P")


def test_computed_torque_is_the_inverse_dynamics_at_samples():
    result = mbsim.simulate(LINKS, method="aba")
    made = mbsim.assemble(LINKS.split("controllers:", maxsplit=1)[0] + "simulation: {end: 1}\n")
    for k in (0, 13, 77):
        t, q, v = result.time[k], result["q"][k], result["v"][k]
        target, rate, bend = np.array([np.sin(t), 0.5 * t**2]), np.array([np.cos(t), t]), np.array([-np.sin(t), 1.0])
        expected = mbsim.inverse_dynamics(made.system, t, q, v, bend + 20 * (rate - v) + 100 * (target - q))
        assert abs([result.select("force_effort", name)[k] for name in "ab"] - expected).max() < 1e-11 * abs(expected).max()
    assert abs(result["controller_error"][-1]).max() < 0.02


def test_short_samples_give_each_error_an_equation_of_its_own():
    errors = []
    for T in (0.004, 0.002, 0.001):
        result = mbsim.simulate(LINKS.replace("sample: 0.01", f"sample: {T}"), method="aba")
        t = result.time
        exact = -t * np.exp(-10 * t)  # e'' + 20 e' + 100 e = 0, e(0) = 0, e'(0) = 1, of the first; the second begins on its target
        errors.append(abs(result["controller_error"] - np.column_stack([-exact, 0 * t])).max())
    assert 1.8 < errors[0] / errors[1] < 2.2 and 1.8 < errors[1] / errors[2] < 2.2


@pytest.mark.parametrize("kind", ["computed_torque", "gravity_compensation"])
def test_efforts_are_those_of_absolute_coordinates(kind):
    text = LINKS
    if kind == "gravity_compensation":
        text = WEIGHT
    joint, absolute = mbsim.simulate(text, method="aba"), mbsim.simulate(text.replace("coordinates: joint\n", ""), method="svd")
    for name in "ab":
        assert abs(joint.select("force_effort", name) - absolute.select("force_effort", name)).max() < 1e-6
    if kind == "gravity_compensation":
        assert np.allclose([joint.select("force_effort", name)[0] for name in "ab"], [9.81 * 2.5, 9.81 * 0.5], rtol=1e-13)
        assert abs(joint["v"]).max() < 1e-12


def test_the_weight_leaves_out_other_loads():
    springs = "forces: {spring: {type: joint_torque, joint: O, value: 5}}\nsimulation:"
    text = WEIGHT
    with_spring = mbsim.simulate(text.replace("simulation:", springs), method="aba", end=0.01)
    assert np.isclose(with_spring.select("force_effort", "a")[0], 9.81 * 2.5, rtol=1e-13)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_crank_leads_a_closed_mechanism(coordinates):
    text = mbsim.load_model("four_bar").text.replace("omega: 8 ", "omega: 2 ")
    text = text.replace("dimension: 2", f"dimension: 2\ncoordinates: {coordinates}").replace("simulation: {end: 10, step: 1e-3}", "")
    if coordinates == "joint":
        text = text[: text.index("initial:")] + "initial: {der(O.angle): 2, fix: [der(O.angle)]}\n"
    text += "controllers: {motor: {type: computed_torque, joint: O, target: 2*t, kp: 25, kd: 10, sample: 0.001}}\n"
    text += "simulation: {end: 1, step: 1e-3, integrator: rk4, output_step: 0.01}\n"
    result = mbsim.simulate(text, method="svd")
    assert abs(result["controller_error"]).max() < 2e-3
    driven = mbsim.load_model("four_bar").text.split("initial:")[0] + "drivers: {motor: {joint: O, angle: 2*t}}\n"
    needed = mbsim.inverse(driven + "simulation: {end: 1, step: 1e-3, output_step: 0.01}\n")
    scale = abs(needed.select("driver_effort", "motor")).max()
    assert abs(result.select("force_effort", "motor") - needed.select("driver_effort", "motor")).max() < 0.02 * scale


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (", sample: 0.01}\n  b", "}\n  b", "missing key 'sample'"),
        ('target: "sin(t)", ', "", "missing key 'target'"),
        ("type: computed_torque, joint: O", "type: gravity_compensation, joint: O", "unknown key 'kp'"),
        ("type: computed_torque, joint: O", "type: computed_torqe, joint: O", "did you mean 'computed_torque'"),
    ],
)
def test_bad_solved_controllers_are_said(old, new, reason):
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.load_model(LINKS.replace(old, new))
    assert reason in str(caught.value)


def test_two_efforts_along_one_freedom_are_refused():
    text = LINKS.replace('joint: P, target: "0.5*t^2"', "joint: O, target: t")
    with pytest.raises(mbsim.SimulationError, match=r"no efforts of a\.effort, b\.effort|Singular") as stopped:
        mbsim.simulate(text, method="aba")
    assert stopped.value.result is not None
