"""Steps of Moreau and Jean through stops, contacts and dry friction, against closed forms and runs with located events."""

from itertools import pairwise
from math import log2, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from test_gap_contacts import WOODPECKER
from test_side_contacts import CLEARANCE, STACK
from test_unilateral import BALL, BELT, BLOCKS, BOX, COULOMB, KNEE, PIN, PLANE, ROCKING, SPACE, SPATIAL_BALL, G, model, multiplier, told

import mbsim
from mbsim.march import happened, happenings, windows
from mbsim.results import Result


def stepped(text: str, step: float, output_step: float = 0.05, **settings: object) -> Result:
    """The result of steps of a size."""
    return mbsim.simulate(mbsim.load_model(text), impacts="steps", step=step, output_step=output_step, **settings)


def off(text: str, step: float, reference: np.ndarray, **settings: object) -> float:
    """The largest error of a coordinate at the end."""
    return float(np.abs(np.asarray(stepped(text, step, **settings)["q"])[-1] - reference).max())


def orders(errors: list[float], ratio: float) -> list[float]:
    return [log2(a / b) / log2(ratio) for a, b in pairwise(errors)]


def test_a_ball_bounces_and_comes_to_rest():
    """The order is one: z(2) of the closed form, and the energy that is lost."""
    errors = [abs(np.asarray(stepped(BALL, h, 1.0)["q"])[2, 1] - 0.260741728327106) for h in (1e-2, 2.5e-3, 6.25e-4)]
    assert errors[0] < 2e-2 and errors[2] < 1e-3
    assert min(orders(errors, 4.0)) > 0.7
    result = stepped(BALL, 1e-3)
    assert abs(np.asarray(result["q"])[-1, 1]) < 1e-12
    assert np.asarray(result["energy_work"])[-1] == pytest.approx(-G, abs=1e-9)  # all of it
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-10
    assert multiplier(result, "floor")[-1] == pytest.approx(G, abs=1e-9)
    impacts = [line for line in result.events if line["do"] == "impact"]
    assert impacts[0]["time"] == pytest.approx(0.451523640985731, abs=2e-3)
    assert impacts[0]["gap_speed"][1] == pytest.approx(-0.8 * impacts[0]["gap_speed"][0], rel=1e-9)
    assert told(result)[-1][1] == "closed"


def test_a_ball_that_loses_nothing_bounces_on():
    result = stepped(BALL.replace("0.8", "1"), 1e-3)
    energy = np.asarray(result["energy_kinetic"]) + np.asarray(result["energy_potential"])
    assert np.ptp(energy) < 1e-9


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_coulombs_oscillator_stops(coordinates: str):
    errors = []
    for h in (1e-2, 2.5e-3):
        result = stepped(f"{COULOMB}coordinates: {coordinates}\n", h)
        x = np.asarray(result["q"])[:, 0]
        errors.append(abs(abs(x[-1] - x[0] + 0.2) - 0.0038))
        assert np.ptp(x[np.asarray(result.time) > 1.6]) == pytest.approx(0.0, abs=1e-13)  # it does not creep
        assert -np.asarray(result["energy_work"])[-1] == pytest.approx(1.999278, abs=2e-4)
    assert errors[1] < 3e-5 and orders(errors, 4.0)[0] > 1.0
    assert told(result)[-1] == (pytest.approx(5.0 * pi / 10.0, abs=5e-3), "sticks")


def test_stick_and_slip_on_a_belt_with_a_static_coefficient():
    times = [at for at, _ in told(stepped(BELT, 1e-3))][1:]
    assert times[0] == pytest.approx(0.75, abs=2e-3)
    assert np.diff(times)[0] == pytest.approx(1.02882560198109, abs=3e-3)
    assert np.diff(times)[1] == pytest.approx(0.5, abs=3e-3)


def test_a_box_slides_and_topples():
    text = BOX.replace("slope: 0.2", "slope: 0.4").replace("end: 0.2", "end: 0.5")
    exact = np.asarray(model(text)["q"])[-1]
    errors = [off(text, h, exact) for h in (1e-2, 2.5e-3)]
    assert errors[1] < 1e-4 and orders(errors, 4.0)[0] > 0.9


def test_housners_block_rocks():
    result = stepped(ROCKING, 2e-4, 0.01)
    rate = np.asarray(result["v"])[:, 2]
    assert np.abs(rate).max() == pytest.approx(0.893414307302563, abs=2e-2)
    after = np.asarray(result.time) > 0.32
    assert np.abs(np.asarray(result["q"])[after, 2]).max() == pytest.approx(0.0947367931208167, abs=1e-3)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-10


def test_a_ball_slides_and_rolls_in_space():
    result = stepped(SPATIAL_BALL, 1e-3)
    assert np.asarray(result["v"])[-1, :2] == pytest.approx(np.array([3.0, 4.0]) * 5.0 / 7.0, abs=1e-9)
    assert told(result)[-1] == (pytest.approx(0.72811999417504, abs=2e-3), "sticks")
    quaternion = np.asarray(result["q"])[:, 3:]
    assert np.abs(np.linalg.norm(quaternion, axis=1) - 1.0).max() < 1e-12


def test_a_pin_brakes_a_wheel_by_the_load_on_it():
    """The friction depends on a reaction, which depends on the friction."""
    text = PIN.replace("position: [0, 0]", "position: [0.1, 0], velocity: [0, 1]").replace("inertia: 0.1,", "inertia: 0.08,")
    text = text.replace("end: 10", "end: 0.8")
    exact = np.asarray(model(text)["q"])[-1]
    errors = [off(text, h, exact, output_step=0.1) for h in (4e-3, 1e-3)]
    assert errors[1] < 3e-5 and orders(errors, 4.0)[0] > 1.5


@pytest.mark.parametrize("where", [PLANE, SPACE], ids=["plane", "space"])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_pendulum_hits_a_stop(where: dict[str, object], coordinates: str):
    result = stepped(KNEE.format(**where) + f"coordinates: {coordinates}\n", 1e-3)
    impacts = [line for line in result.events if line["do"] == "impact"]
    assert impacts[0]["gap_speed"] == pytest.approx([-sqrt(3.0 * G), 0.5 * sqrt(3.0 * G)], abs=3e-2)
    assert impacts[0]["impulses"]["pin_lower"] == pytest.approx(1.5 * sqrt(3.0 * G) / 3.0, abs=2e-2)
    assert np.abs(np.asarray(result["energy_balance"])).max() < 2e-3 * 0.5 * G
    if coordinates == "joint":  # the force of the stop is in the reactions there
        absolute = stepped(KNEE.format(**where), 1e-3)
        assert np.asarray(result["joint_force"])[-1] == pytest.approx(np.asarray(absolute["joint_force"])[-1], abs=1e-3)


N_FOUR_BAR = (Path(__file__).parents[2] / "models" / "n_four_bar_2.yaml").read_text()


def test_redundant_cranks_hit_a_stop_with_the_right_impulse():
    """N-four-bar, N = 2: the rate w becomes -0.4 w, by 4.2 w N m s, whichever crank has the stop."""
    text = N_FOUR_BAR.replace("O1: {type: revolute, bodies: [ground, crank1], at: [1, 0]}", STOPPED)
    text = text.replace("simulation: {end: 10, step: 0.01, method: cfa}", "simulation: {end: 0.9}")
    result = stepped(text[: text.index("reference:")], 1e-3, 0.01)
    hit = next(line for line in result.events if line["do"] == "impact")
    before, after = hit["gap_speed"]
    assert after == pytest.approx(-0.4 * before, rel=1e-5)
    assert abs(hit["impulses"]["O1_lower"]) == pytest.approx(4.2 * abs(before), rel=4e-3)
    assert np.abs(result["residual_position"]).max() < 1e-12
    assert np.abs(np.asarray(result["energy_balance"])).max() < 1e-3 * float(np.asarray(result["energy_kinetic"]).max())


STOPPED = "O1: {type: revolute, bodies: [ground, crank1], at: [1, 0], stops: {lower: -0.5, restitution: 0.4}}"


def test_glockers_woodpecker_climbs_down():
    text = WOODPECKER.replace(", rtol: 1.0e-11, atol: 1.0e-13", "")
    exact = np.array([-0.0413274161, -0.3423738551])
    errors = [np.abs(np.asarray(stepped(text, h, 0.1)["q"])[-1, [0, 2]] - exact).max() for h in (2e-4, 5e-5)]
    assert errors[1] < 1e-2 and orders(errors, 4.0)[0] > 0.8


def test_a_slider_with_clearance_comes_near_the_limit_of_published_steps():
    """Flores, Leine and Glocker 2010: the crank angle. From impact to impact errors grow: four digits at 0.01 s, three at 0.03 s."""
    result = stepped(CLEARANCE.replace("end: 0.01", "end: 0.03"), 1e-5, 0.01)
    assert np.asarray(result["q"])[1, 2] == pytest.approx(0.9479, abs=1e-4)
    assert np.asarray(result["q"])[3, 2] == pytest.approx(2.5505, abs=2e-3)
    assert np.abs(np.asarray(result["energy_balance"])).max() < 1e-4
    assert len(result.attributes["notes"]) == 1  # that it went by steps


def test_boxes_rest_on_each_other():
    result = stepped(STACK, 5e-3)
    assert np.ptp(np.asarray(result["q"]), axis=0).max() < 1e-12
    data = result.to_xarray()["multiplier"]
    loads = {str(name): float(data.sel(constraint=name)[-1]) for name in data["constraint"].values if "stick" not in str(name)}
    assert sum(load for name, load in loads.items() if name.startswith("floor")) == pytest.approx(3.0 * G, abs=1e-9)


@pytest.mark.parametrize(("f", "upper", "lower"), [(2.9, 0.0, 0.0), (15.0, 2.943, 4.557)])
def test_two_blocks_rest_or_move_apart(f: float, upper: float, lower: float):
    result = stepped(BLOCKS.replace("f: 15", f"f: {f}"), 1e-3, 0.01)
    v = np.asarray(result["v"])[-1]
    assert (v[0] / 0.1, v[3] / 0.1) == pytest.approx((upper, lower), abs=1e-9)


# what ends a run, events of the user, and what is refused


def test_a_stop_and_events_are_located_within_a_step():
    text = BALL.replace("end: 5}", "end: 5, stop: der(ball.y) + 4}") + "events: {low: {when: ball.y - 0.5, do: record}}\n"
    result = stepped(text, 1e-2, 0.1)
    low = [line["time"] for line in result.events if line["event"] == "low"]
    assert low == [pytest.approx(sqrt(2.0 * 0.5 / G), abs=1e-9)]  # steps are exact while it falls
    assert result.time[-1] == pytest.approx(4.0 / G, abs=1e-9)


def test_events_set_and_unlock_while_steps_go_on():
    text = """
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0], stops: {lower: -1, restitution: 0.5}, friction: {torque: 0.5}}}
events: {breaks: {when: "t - 0.3", do: {unlock: pin}}}
simulation: {end: 0.8}
"""
    result = stepped(text, 1e-3, 0.01)
    free = result.time > 0.3005
    assert ("breaks", "unlock") in [(line["event"], line["do"]) for line in result.events]
    fall = result["body_velocity"][free, 0, 1] + G * result.time[free]
    assert np.ptp(fall) < 1e-9
    assert np.abs(np.asarray(result["energy_balance"])).max() < 1e-4


def test_a_run_by_steps_says_so(tmp_path: Path):
    path = tmp_path / "a.h5"
    mbsim.simulate(mbsim.load_model(BALL), impacts="steps", step=1e-2, output=path)
    again = mbsim.open_result(path)
    assert again.attributes["impacts"] == "steps"
    assert any("steps of 0.01 s" in note and "order is one" in note for note in again.attributes["notes"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"impacts": "step"}, "unknown impacts 'step'; allowed: auto, events, steps"),
        ({"impacts": "steps", "simultaneous": False}, "solves all impacts of a step together"),
        ({"impacts": "steps", "integrator": "dop853"}, "steps of equal size, and dop853"),
    ],
)
def test_what_does_not_go_with_steps_is_refused_by_name(given: dict[str, object], said: str):
    with pytest.raises(ValueError, match=said):
        mbsim.simulate(mbsim.load_model(BALL), **given)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("impacts: stepps", "simulation.impacts: unknown value 'stepps'; did you mean 'steps'?"),
        ("impacts: steps, simultaneous: false", "simulation.simultaneous: steps through contacts solve all impacts of a step together"),
    ],
)
def test_a_wrong_block_is_refused_at_its_place(block: str, said: str):
    with pytest.raises(mbsim.ModelError) as refused:
        mbsim.load_model(BALL.replace("end: 5", f"end: 5, {block}"))
    assert said in str(refused.value) and ":6:" in str(refused.value)


def test_steps_of_a_model_without_contacts_are_refused():
    text = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1, position: [0, 0]}}\nsimulation: {end: 1, impacts: steps}\n"
    with pytest.raises(ValueError, match="impacts: steps is for models with stops, contacts or dry friction"):
        mbsim.simulate(text)


def test_bodies_inside_each_other_at_the_start_are_refused():
    with pytest.raises(mbsim.SimulationError, match="inside each other"):
        stepped(BALL.replace("position: [0, 1]", "position: [0, -0.1]"), 1e-2)


def test_steps_take_over_where_events_crowd_and_hand_back(monkeypatch: pytest.MonkeyPatch):
    """Fewer events count as a crowd here, so that the last bounces of a ball are one."""
    monkeypatch.setattr(windows, "MANY", 10)
    monkeypatch.setattr(windows, "CLOSER", 0.0)
    result = model(BALL)
    taken = [line for line in result.events if line["event"] == "impacts"]
    assert [line["do"] for line in taken] == ["steps", "events"]
    assert 3.9 < taken[0]["time"] < 4.0637 < taken[1]["time"] < 4.2
    assert "10 events within" in taken[0]["why"]
    assert any("steps of order one took over 1 time" in note for note in result.attributes["notes"])
    assert abs(np.asarray(result["q"])[-1, 1]) < 1e-12 and multiplier(result, "floor")[-1] == pytest.approx(G, abs=1e-9)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-8
    assert not [line for line in model(BALL.replace("end: 5", "end: 5, impacts: events")).events if line["event"] == "impacts"]


def test_events_without_end_go_on_by_steps_or_stop_by_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(happened, "CROWD", 3)
    monkeypatch.setattr(happened, "CROWDED", 1e-2)
    result = model(BALL)
    assert [line["do"] for line in result.events if line["event"] == "impacts"] == ["steps", "events"]
    assert result.time[-1] == 5.0 and abs(np.asarray(result["q"])[-1, 1]) < 1e-12
    for never in ("impacts: events", "simultaneous: false"):
        with pytest.raises(mbsim.SimulationError, match="events follow each other without end: floor"):
            model(BALL.replace("end: 5", f"end: 5, {never}"))


def test_the_error_is_estimated_until_steps_take_over(monkeypatch: pytest.MonkeyPatch):
    """A fixed step makes an estimate, and steps through contacts make none."""
    monkeypatch.setattr(happened, "CROWD", 3)
    monkeypatch.setattr(happened, "CROWDED", 1e-2)
    result = model(BALL.replace("end: 5", "end: 5, integrator: rk4, step: 0.01"))
    first, back = (line["time"] for line in result.events if line["event"] == "impacts")
    estimate, before = np.asarray(result["error_estimate"]), np.asarray(result.time) <= first
    assert back < 5.0 and np.isfinite(estimate[before]).all() and np.isnan(estimate[~before]).all()


def test_each_event_may_be_handed_to_steps(monkeypatch: pytest.MonkeyPatch):
    """None may happen at a time here, so that each impact is a crowd, after which events are located again."""
    monkeypatch.setattr(happenings, "AT_ONCE", 0)
    result = model(BALL.replace("end: 5", "end: 1.9, output_step: 0.1"))
    taken = [line for line in result.events if line["event"] == "impacts"]
    assert [line["do"] for line in taken][:4] == ["steps", "events"] * 2
    assert taken[0]["time"] == pytest.approx(0.451523640985731, abs=1e-9)
    assert taken[2]["time"] == pytest.approx(0.4515 + 0.8 * 2.0 * 0.4515, abs=2e-2)
    assert "make each other happen" in taken[0]["why"]
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-8


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_windows_of_steps_in_both_kinds_of_coordinates(coordinates: str, monkeypatch: pytest.MonkeyPatch):
    """A pendulum that bounces on a stop, with rows that come and go on both sides of each window."""
    monkeypatch.setattr(windows, "MANY", 3)
    monkeypatch.setattr(windows, "CLOSER", 0.0)
    monkeypatch.setattr(windows.Windows, "mean", lambda self, at, steps: 10.0)
    text = KNEE.format(**PLANE).replace("end: 3", "end: 5, output_step: 0.01") + f"coordinates: {coordinates}\n"
    result, exact = model(text), model(text.replace("end: 5", "end: 5, impacts: events"))
    assert [line["do"] for line in result.events if line["event"] == "impacts"][:2] == ["steps", "events"]
    assert np.asarray(result["q"])[-1] == pytest.approx(np.asarray(exact["q"])[-1], abs=5e-3)
    assert np.abs(np.asarray(result["energy_balance"])).max() < 1e-2 * 0.5 * G


def test_a_stepper_goes_through_contacts_by_steps():
    sim = mbsim.Stepper(mbsim.load_model(BALL), impacts="steps", step=1e-2)
    for _ in range(100):
        sim.step(0.02)
    result = stepped(BALL.replace("end: 5", "end: 2"), 1e-2, 0.02)
    assert sim.state.q == pytest.approx(np.asarray(result["q"])[-1], abs=1e-12)
    with pytest.raises(ValueError, match="a stepper is not copied while it goes through contacts by steps"):
        sim.copy()


def test_steps_past_the_ends_of_sides_are_not_shortened() -> None:
    """A plate that flies above the ends of blocks, by more than their half width in a step of 60 mm, is led through nothing."""
    block = "{{type: box, size: [0.4, 0.2, 1], position: [{}, -0.1]}}"
    result = mbsim.simulate(f"""
dimension: 2
gravity: [0, -9.81]
ground: {{shape: [{", ".join(block.format(x) for x in range(3))}]}}
bodies: {{b: {{mass: 1, inertia: 0.001, position: [-1, 0.08], velocity: [60, 0], shape: {{type: box, size: [0.1, 0.1, 0.1]}}}}}}
contacts: {{pair: {{between: [ground, b], friction: 0.1, restitution: 0.3}}}}
simulation: {{end: 0.05, step: 1e-3, impacts: steps}}
""")
    assert not [note for note in result.attributes["notes"] if "in halves" in note]
    assert np.asarray(result["q"])[-1] == pytest.approx([2.0, 0.08 - 0.5 * 9.81 * 0.05**2, 0.0], abs=1e-9)
