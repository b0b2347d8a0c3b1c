"""Functionals of a history against closed forms, and what is said of texts that are none."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.model.file.errors import ExpressionError
from mbsim.results.functionals import numbers_of, parse
from mbsim.results.read import Result, ResultError, in_memory
from mbsim.results.recorded_names import RecordedNames
from mbsim.results.reductions import REDUCTIONS, integral

OMEGA, DECAY = 2.0 * np.pi * 1.7, 0.8


def recorded() -> Result:
    """A damped oscillation x of a body on a pin, with rows that are not equally far apart at the end."""
    time = np.append(np.linspace(0.0, 6.0, 3001), 6.0005)
    x = np.exp(-DECAY * time) * np.cos(OMEGA * time)
    v = np.gradient(x, time)
    body = np.stack([x, 2.0 + 0.0 * x, 0.0 * x], axis=-1)[:, None]
    arrays = {
        "time": time, "q": np.stack([x, 1.0 - np.exp(-3.0 * time)], 1), "v": np.stack([v, v], 1), "acceleration": np.stack([v, v], 1),
        "joint_force": np.stack([3.0 * np.cos(time), 4.0 * np.cos(time), 0.0 * time], axis=-1)[:, None],
        "force_loss": (2.0 * np.exp(-time))[:, None], "energy_work": 5.0 - 2.0 * time, "body_position": body, "body_velocity": 0.0 * body,
        "body_orientation": np.tile([np.cos(0.25), 0.0, 0.0, np.sin(0.25)], (len(time), 1, 1)), "body_angular_velocity": 0.0 * body,
    }  # fmt: skip
    labels = {"coordinate": ["rod.x", "rise"], "speed": ["der(rod.x)", "der(rise)"], "joint": ["pin"], "xyz": ["x", "y", "z"]}
    labels |= {"body": ["rod"], "quaternion": ["w", "x", "y", "z"], "force_element": ["damper"]}
    scene = '{"dimension": 2, "bodies": [{"name": "rod", "points": {"B": [2.0, 0.0, 0.0]}}], "ground": {"points": {"G": [0.0, 2.0, 0.0]}}}'
    return in_memory(arrays, labels, {"coordinate_units": ["m", "m"]}, {}, "", {"k": 3.0}, scene=scene)


RESULT = recorded()
END = 6.0005
CASES = [
    ("max(norm(joint_force:pin))", 5.0, 1e-12, "N"),
    ("max(norm(pin))", 5.0, 1e-12, "N"),
    ("min(joint_force.pin.x)", -3.0, 1e-5, "N"),
    ("mean(exp(-t))", (1.0 - np.exp(-END)) / END, 1e-6, "1"),
    ("rms(joint_force:pin:x)", 3.0 * np.sqrt(0.5 + np.sin(2 * END) / (4 * END)), 1e-6, "N"),
    ("integral(rise)", END - (1.0 - np.exp(-3.0 * END)) / 3.0, 1e-5, "m s"),
    ("at(rise, 0.3333)", 1.0 - np.exp(-0.9999), 1e-10, "m"),
    ("at(rise, 2*k)", 1.0 - np.exp(-18.0), 1e-10, "m"),
    ("first_time(rise > 0.5)", np.log(2.0) / 3.0, 5e-6, "s"),
    ("duration(t > 1 and t < 2.5 or t > 5.9)", 1.5 + 0.1005, 1e-9, "s"),
    ("duration(not t < 4)", END - 4.0, 1e-9, "s"),
    ("time_of_min(joint_force:pin:x)", np.pi, 1e-6, "s"),
    ("settling(rise, 0.05)", -np.log(0.05 * (1.0 - np.exp(-3 * END)) + np.exp(-3 * END)) / 3.0, 1e-5, "s"),
    ("overshoot(2 - exp(-t)*cos(3*t), 2)", np.exp(-(np.pi - np.arctan(1 / 3)) / 3.0) * np.cos(np.pi - np.arctan(1 / 3)) * -1.0, 1e-5, "1"),
    ("peak_to_peak(4*sin(t))", 8.0, 1e-5, "1"),
    ("frequency(rod.x)", np.sqrt(OMEGA**2) / (2 * np.pi), 2e-2, "Hz"),
    ("frequency(sin(2*pi*1.234*t))", 1.234, 2e-4, "Hz"),
    ("dissipated(damper)", 2.0 * (1.0 - np.exp(-END)), 1e-5, "J"),
    ("dissipated()", 2.0 * END, 1e-12, "J"),
    ("final(rod.B.x) - final(rod.x)", 2.0 * np.cos(0.5), 1e-12, "1"),
    ("max(distance(rod, ground.G)) - initial(rod.x)", 0.0, 1e-12, "1"),
    ("final(rod.angle)", 0.5, 1e-12, "rad"),
    ("2*k", 6.0, 0.0, "1"),
]


@pytest.mark.parametrize(("text", "expected", "tolerance", "units"), CASES)
def test_closed_forms(text: str, expected: float, tolerance: float, units: str) -> None:
    value, found = RESULT.evaluated(text)
    assert (value, found) == (pytest.approx(expected, rel=tolerance, abs=tolerance), units)
    assert RESULT.evaluate(text) == value


def test_the_last_time_is_found_between_rows() -> None:
    found = RESULT.evaluate("last_time(rod.x > 0.1)")
    assert np.exp(-DECAY * found) * np.cos(OMEGA * found) == pytest.approx(0.1, abs=1e-5)
    later = np.linspace(found + 1e-4, END, 100_000)
    assert (np.exp(-DECAY * later) * np.cos(OMEGA * later) < 0.1).all()


def test_what_never_happens_is_no_number() -> None:
    for text in ("first_time(t > 99)", "last_time(rise < -1)", "settling(t)*0 + settling(sin(9*t), 0.01, 7)", "frequency(0*t + 5)"):
        assert np.isnan(RESULT.evaluate(text)), text


def test_an_extreme_between_rows_is_crossed() -> None:
    """No row of the sine is above 0.997: its maximum is, for 2 acos(0.998). So `max` and the times of crossings agree."""
    t = 0.15 + 0.3 * np.arange(20)
    x, half = np.sin(t), np.arccos(0.998)
    assert x.max() < 0.997
    for sign, whole in ((1.0, 0.0), (-1.0, t[-1] - t[0])):
        margin = sign * (x - 0.998)
        assert REDUCTIONS["duration"](t, margin) == pytest.approx(whole + sign * 2.0 * half, abs=2e-3)
    assert REDUCTIONS["first_time"](t, x - 0.998) == pytest.approx(0.5 * np.pi - half, abs=2e-3)
    assert REDUCTIONS["last_time"](t, x - 0.998) == pytest.approx(0.5 * np.pi + half, abs=2e-3)


def test_half_a_period_has_no_frequency() -> None:
    """The parabola through lines that only fall has its vertex anywhere: at -0.0002 Hz of a motion that its rows do not follow."""
    t = np.linspace(0.0, 6.0, 5)
    x = np.array([1.5, 0.5127, 0.5881, 0.2002, 0.5714])
    assert np.isnan(REDUCTIONS["frequency"](t, x))
    assert np.isnan(REDUCTIONS["frequency"](t, np.exp(-t)))


def test_a_number_that_there_is_not_has_a_reason() -> None:
    texts = {"never": "first_time(t > 99)", "root": "sqrt(initial(t) - 1)", "last": "final(t)"}
    values, reasons = numbers_of({name: parse(text) for name, text in texts.items()}, RecordedNames(RESULT))
    assert np.isnan([values["never"], values["root"]]).all() and list(reasons) == ["never", "root"]


@pytest.mark.parametrize(
    ("text", "offset", "words"),
    [
        ("rod.x", 0, "this is a history and not a number"),
        ("max(joint_force:pin)", 4, "a vector is not allowed here; write norm(joint_force:pin) or joint_force:pin:x"),
        ("max(joint_fors:pin)", 4, "did you mean 'joint_force'?"),
        ("max(joint_force:pim)", 4, "no joint 'pim'; did you mean 'pin'?"),
        ("max(body_position)", 4, "several components; take one: body_position:rod"),
        ("maximum(t)", 0, "unknown function 'maximum'; did you mean"),
        ("first_time(rod.x)", 11, "first_time takes a condition"),
        ("first_time(rod.x == 1)", 17, "compare with < or >"),
        ("max(max(t))", 4, "max takes a history here (got a number)"),
        ("at(rise, t)", 9, "at takes a number here (got a history)"),
        ("at(rise)", 0, "at takes a history and a time (got 1 arguments)"),
        ("mode(0).frequency", 0, "write mode(1).frequency"),
        ("mode(1).colour", 0, "write mode(1).frequency"),
        ("max(distance(rod.Q, ground))", 4, "unknown point 'rod.Q'; did you mean 'rod.B'?"),
        ("norm(joint_force:pin, t)", 0, "norm takes one vector, or components"),
        ("max(t) > 3", 7, "allowed only in"),
        ("__import__(1)", 0, "unknown function"),
        ("max(" * 70 + "t" + ")" * 70, 240, "nested more than 60 deep"),
        ("max(t", 3, "never closed"),
    ],
)
def test_faults_have_their_character(text: str, offset: int, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        RESULT.evaluate(text)
    assert words in caught.value.message and caught.value.offset == offset


def test_a_time_outside_of_the_run() -> None:
    with pytest.raises(ResultError, match=r"no value at t = 7 s: it goes from 0 s to 6.0005 s"):
        RESULT.evaluate("at(t, 7)")


FALL = """\
dimension: 2
gravity: [0, -9.81]
bodies: {b: {mass: 1, inertia: 0.1, position: [1, 0], points: {tip: [0.5, 0]}}}
joints: {r: {type: revolute, bodies: [ground, b], at: [0, 0]}}
simulation: {end: 0.02, step: 0.01}
"""


@pytest.mark.parametrize(("name", "units"), [("b.velocity.y", "m s-2"), ("b.angular_velocity", "rad s-2")])
def test_the_derivative_of_a_velocity_is_an_acceleration(name: str, units: str) -> None:
    import mbsim

    found = mbsim.simulate(mbsim.load_model(FALL)).evaluated(f"initial(der({name}))")
    assert found == (pytest.approx(-9.81 / 1.1, rel=1e-12), units)


def test_the_derivative_of_a_velocity_that_no_coordinate_has_is_refused() -> None:
    import mbsim

    with pytest.raises(ExpressionError, match=r"'der\(b.tip.velocity.y\)'"):
        mbsim.simulate(mbsim.load_model(FALL)).evaluate("final(der(b.tip.velocity.y))")


def test_the_key_of_a_functional_is_its_text() -> None:
    assert parse("max( t )").text == "max( t )"


def test_info_prints_them(tmp_path: Path) -> None:
    import mbsim

    model = mbsim.load_model("models/pendulum.yaml", simulation={"end": 0.02})
    mbsim.simulate(model, output=tmp_path / "p.h5")
    run = CliRunner().invoke(main, ["info", str(tmp_path / "p.h5"), "--output", "peak=max(norm(joint_force:pin))", "--output", "final(t)"])
    assert run.exit_code == 0
    lines = [line.split() for line in run.output.splitlines()]
    assert lines[0][0] == "peak" and float(lines[0][1]) == pytest.approx(9.81 / 4, rel=1e-2) and lines[0][2] == "N"
    assert lines[1][0] == "final(t)" and float(lines[1][1]) == 0.02
    wrong = CliRunner().invoke(main, ["info", str(tmp_path / "p.h5"), "--output", "max(pim)"])
    assert wrong.exit_code == 2 and "character 5" in wrong.output and "did you mean 'pin'" in wrong.output


@pytest.mark.parametrize("apart", [1e-7, 5e-5])
def test_an_integral_takes_no_curve_across_a_jump(apart: float) -> None:
    """cos(t) to t = 1 and 4 + sin(t) after it, with rows on both sides; and a bend, without a jump, at t = 2."""
    both = np.array([1.0 - 0.5 * apart, 1.0 + 0.5 * apart, 2.0 - 0.5 * apart, 2.0 + 0.5 * apart])
    time = np.sort(np.concatenate([np.linspace(0.0, 3.0, 301)[:-1] + 0.0043, both]))
    bend = 50.0 * np.maximum(time - 2.0, 0.0)
    x = np.where(time < 1.0, np.cos(time), 4.0 + np.sin(time)) + bend
    a, b = time[0], time[-1]
    true = np.sin(1.0) - np.sin(a) + 4.0 * (b - 1.0) - np.cos(b) + np.cos(1.0) + 25.0 * (b - 2.0) ** 2
    across = 0.5 * (np.cos(1.0) + 4.0 + np.sin(1.0)) * apart  # what two rows tell of the time between them
    assert abs(integral(time, x) - true) < 1e-8 * true + 0.1 * apart * across + 13.0 * apart**2


def test_a_label_of_a_result_without_rows_is_not_suggested_for_itself() -> None:
    """A run that stops before its first row has labels and no variable."""
    found = in_memory({"time": np.zeros(0)}, {"coordinate": ["rod.x"]}, {"coordinate_units": ["m"]}, {}, "", {})
    with pytest.raises(ResultError, match=r"no rows of 'rod\.x': the run stopped before the first one"):
        found.resolve("rod.x")


def test_values_between_rows_are_those_of_the_cubic_through_four() -> None:
    """At times that are not even; rows that stand at one time, as on both sides of an event, have none."""
    time = np.array([0.0, 0.1, 0.35, 0.4, 0.9])
    cubic = np.polynomial.Polynomial([0.3, -1.0, 2.0, -4.0])
    x = cubic(time)
    for t in (0.05, 0.2, 0.37, 0.7):
        assert REDUCTIONS["at"](time, x, t) == pytest.approx(cubic(t), rel=1e-13)
    roots = [float(root.real) for root in cubic.roots() if abs(root.imag) < 1e-12]
    assert REDUCTIONS["last_time"](time, x) == pytest.approx(roots[0], rel=1e-14)
    assert np.isnan(REDUCTIONS["at"](np.array([0.0, 0.1, 0.1, 0.2]), np.array([1.0, 2.0, 3.0, 4.0]), 0.05))
