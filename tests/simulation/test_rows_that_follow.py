"""Rows between those of a run, where the motion goes on faster than rows tell; and what is said where there are none."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.march import between
from mbsim.march.settings import resolve
from mbsim.march.shorter_steps import why_shorter
from mbsim.results.reductions import SPANNED
from mbsim.studies.runner.direct import Direct, DirectError

OSCILLATOR = Path(__file__).parents[1] / "failing" / "osc_alias.yaml"
FREQUENCY = np.sqrt(3.5531e6) / (2.0 * np.pi)  # 300 Hz: a row of the default is 3 periods long
PERIODS = 600
END = PERIODS / FREQUENCY
SPEED = 1e-3 * 2.0 * np.pi * FREQUENCY
OUTPUTS = {"f": "frequency(m.x)", "high": "max(m.x)", "low": "min(m.x)", "fast": "max(der(m.x))", "square": "integral(der(m.x)**2)"}
TRUE = {"f": FREQUENCY, "high": 1.001, "low": 0.999, "fast": SPEED, "square": 0.5 * SPEED**2 * END}


def test_rows_follow_an_oscillation() -> None:
    result = mbsim.simulate(OSCILLATOR, end=END)
    assert 8 * PERIODS < len(result.time) < 40 * PERIODS and not [x for x in result.attributes["warnings"] if x.startswith(SPANNED)]
    for name, text in OUTPUTS.items():
        assert result.evaluate(text) == pytest.approx(TRUE[name], rel=2e-4), name


@pytest.mark.parametrize(("rows", "told"), [(4.3, True), (9.8, False)], ids=["span", "follow"])
def test_rows_that_show_an_oscillation_are_not_told_of(rows: float, told: bool) -> None:
    """At 9.8 rows a period frequency and largest value are those of the motion; a warning said that they are not."""
    result = mbsim.simulate(OSCILLATOR, end=0.1 * END, output_step=1.0 / (rows * FREQUENCY))
    assert bool([x for x in result.attributes["warnings"] if x.startswith(SPANNED)]) == told
    if not told:
        assert result.evaluate("max(m.x)") == pytest.approx(1.001, abs=3e-6)  # 0.3 % of the amplitude
        assert result.evaluate("frequency(m.x)") == pytest.approx(FREQUENCY, rel=2e-3)


@pytest.fixture(scope="module")
def runner() -> mbsim.Runner:
    return mbsim.Runner(OSCILLATOR, vary=["forces.s.stiffness"], outputs=OUTPUTS, end=END, output_step=3.0 / FREQUENCY)


def test_numbers_of_a_study_are_those_of_the_motion(runner: mbsim.Runner) -> None:
    """Rows are three periods apart; the histories that a study keeps stay at their times."""
    assert runner.in_place
    for share in (1.0, 1.21):
        found = runner.run([share * 3.5531e6], ["t", "m.x"])
        assert found.wanted["t"] == pytest.approx(np.arange(PERIODS / 3 + 1) * 3.0 / FREQUENCY)
        assert len(found.wanted["m.x"]) == PERIODS // 3 + 1
        named = dict(zip(OUTPUTS, found.values, strict=True))
        assert named["f"] == pytest.approx(np.sqrt(share) * FREQUENCY, rel=2e-3) and named["high"] == pytest.approx(1.001, abs=1e-7)
        assert named["fast"] == pytest.approx(np.sqrt(share) * SPEED, rel=1e-3)


def test_a_study_says_where_rows_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows between those of a run are no more than MOST_ROWS; outputs then are numbers of no motion, and have no derivatives."""
    monkeypatch.setattr(between, "MOST_ROWS", 10)
    runner = mbsim.Runner(OSCILLATOR, ["forces.s.stiffness"], OUTPUTS, end=0.1 * END, output_step=3.0 / FREQUENCY)
    outcome = runner.run(runner.base)
    assert SPANNED in outcome.reason and not outcome.failed
    with pytest.raises(DirectError, match=SPANNED):
        Direct(runner)(runner.base)
    (tmp_path / "s.yaml").write_text(
        f"model: {OSCILLATOR}\nvary: {{forces.s.stiffness: [3.0e+6, 3.5e+6, 4.0e+6]}}\noutputs: {{f: frequency(m.x)}}\n"
        f"simulation: {{end: {0.1 * END}, output_step: 0.01}}\n"
    )
    done = CliRunner().invoke(main, ["study", str(tmp_path / "s.yaml"), "-j", "1", "-o", str(tmp_path / "s.h5")])
    assert "rows of 3 runs span oscillations or impacts" in done.output + done.stderr, done.output


def test_rows_that_were_asked_for_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "o.h5"
    done = CliRunner().invoke(main, ["run", str(OSCILLATOR), "--end", str(END), "--output-step", "0.01", "-o", str(path)])
    assert done.exit_code == 0
    with mbsim.open_result(path) as result:
        assert len(result.time) == 201
        assert [x for x in result.attributes["warnings"] if x.startswith("output rows span oscillations or impacts of der(m.x) in 1 of")]
    for arguments in (
        ["info", str(path), "--output", "frequency(m.x)"],
        ["plot", str(path), "--what", "m.x", "-o", str(tmp_path / "o.png")],
    ):
        assert "warning: output rows span" in CliRunner().invoke(main, arguments).stderr


def test_a_slow_motion_has_the_rows_that_were_asked_for() -> None:
    slow = mbsim.simulate(OSCILLATOR, end=1.0 / FREQUENCY)
    assert len(slow.time) == 1001 and np.ptp(np.diff(slow.time)) < 1e-12


def test_only_impacts_get_rows_of_their_own() -> None:
    """A ball falls 1 m onto a stiff floor: the largest force is that of the energy, m g (1 + d) = k d^2 / 2."""
    source = {
        "name": "ball", "dimension": 2, "gravity": [0, -9.81], "bodies": {"b": {"mass": 1, "inertia": 1, "position": [0, 1]}},
        "joints": {"g": {"type": "prismatic", "bodies": ["ground", "b"], "at": [0, 1], "axis": [0, 1]}},
        "forces": {"floor": {"type": "contact", "body": "b", "through": [0, 0], "normal": [0, 1], "stiffness": 1e6, "exponent": 1}},
        "simulation": {"end": 4},
    }  # fmt: skip
    result = mbsim.simulate(mbsim.load_model(source))
    depth = (9.81 + np.sqrt(9.81**2 + 2e6 * 9.81)) / 1e6
    assert result.evaluate("max(force_effort:floor)") == pytest.approx(1e6 * depth, rel=1e-3)
    assert 1001 < len(result.time) < 3000


@pytest.mark.parametrize(("integrator", "stiff"), [("dop853", True), ("radau", False)])
def test_explicit_steps_of_beams_are_the_reason_themselves(integrator: str, stiff: bool) -> None:
    """At the limit of stability rows within a step are far off: that is no law which a step passed over."""
    bar = {"points": [[0, 0], [1, 0]], "elements": 2, "stiffness": {"EA": 1e4, "GA": 1e4, "EI": 1}, "mass": {"line": 1}}
    made = mbsim.assemble(mbsim.load_model({"name": "bar", "dimension": 2, "beams": {"bar": bar}, "simulation": {"end": 1}}))
    why, instead = why_shorter(made.system, resolve(made.simulation, made.system, {"integrator": integrator}))
    assert ("explicit steps" in why) == ("radau" in instead) == stiff


NARROW = {"in time": "exp(-((t - 5)/0.005)^2)", "in place": "exp(-((b.x + 0.0004)/0.001)^2)"}
GAINS = {"in time": 0.005 * np.sqrt(np.pi), "in place": np.sqrt(0.04 + 0.002 * np.sqrt(np.pi)) - 0.2}  # m/s: the impulse; the work on 1 kg


@pytest.mark.parametrize("given", [{}, {"output_step": 0.01}, {"output_step": 0.1}], ids=["rows chosen", "rows close", "rows far"])
@pytest.mark.parametrize("law", NARROW)
def test_a_law_that_steps_pass_over_is_told_of(law: str, given: dict[str, float]) -> None:
    """A body moves freely but for a hundredth of a second: steps of seconds saw nothing of it, and the run said nothing."""
    model = {
        "name": "narrow",
        "dimension": 2,
        "bodies": {"b": {"mass": 1, "inertia": 1, "position": [-1, 0], "velocity": [0.2, 0]}},
        "forces": {"f": {"type": "force", "body": "b", "value": [NARROW[law], 0]}},
        "simulation": {"end": 10},
    }
    passed = mbsim.simulate(model, **given)
    told = [x for x in passed.attributes["warnings"] if "acts for less than a step" in x]
    assert len(told) == 1 and "der(b.x)" in told[0] and "max_step" in told[0]
    assert passed["der(b.x)"][-1] == pytest.approx(0.2, abs=1e-9)  # what the warning is about
    resolved = mbsim.simulate(model, **given, integrator="dop853", max_step=0.01)
    assert not [x for x in resolved.attributes["warnings"] if "acts for" in x]
    assert resolved["der(b.x)"][-1] - 0.2 == pytest.approx(GAINS[law], rel=1e-6)


def test_rows_at_dense_events_ask_for_no_shorter_output_step() -> None:
    """Rows that are 2e-7 s apart lie between events of a chatter; as an output step that would be millions of rows."""
    said = {}
    for longest in (2.4e-7, 0.01):
        told = object.__new__(between.Following)
        told._passed_over, told._last, told._first, told._worst = "", (np.array([1.0]), np.zeros((1, 1))), 0.0, "der(m.x)"
        told._spanned, told._longest = 0.5, longest
        said[longest] = " ".join(told.said()[1])
    assert "each lies within 2.4e-07 s, too short for any output_step; the table of events has every impact" in said[2.4e-7]
    assert "a shorter output_step (here 0.01 s) shows it" in said[0.01]


PARALLELOGRAM = """
name: parallelogram that folds
dimension: 2
gravity: [0, -9.81]
ground: {points: {O: [0, 0], C: [1, 0]}}
bodies:
  crank:
    {mass: 1, inertia: 0.02, position: [0, 0.25], angle: pi/2, points: {O: [-0.25, 0], A: [0.25, 0]}, angular_velocity: 9}
  coupler: {mass: 1, inertia: 0.1, position: [0.5, 0.5], points: {A: [-0.5, 0], B: [0.5, 0]}}
  rocker: {mass: 1, inertia: 0.02, position: [1, 0.25], angle: pi/2, points: {C: [-0.25, 0], B: [0.25, 0]}}
joints:
  O: {type: revolute, points: [ground.O, crank.O]}
  A: {type: revolute, points: [crank.A, coupler.A]}
  B: {type: revolute, points: [coupler.B, rocker.B]}
  C: {type: revolute, points: [ground.C, rocker.C]}
simulation: {end: 1}
"""


def test_corrections_beside_a_singular_position_are_no_impacts() -> None:
    """The coupler does not turn. A correction of 4e-10 rad within 2.4e-7 s was told of as an oscillation of it."""
    result = mbsim.simulate(PARALLELOGRAM)
    assert len(result.attributes["rank_changes"]) == 4
    assert np.abs(result["coupler.angle"]).max() < 1e-7
    assert not [x for kind in ("notes", "warnings") for x in result.attributes[kind] if "output rows span" in x]


@pytest.mark.parametrize(("model", "end"), [("bend_45", 10), ("spin_up", 7)])
def test_accelerations_of_rows_within_long_steps_are_those_of_the_steps(model: str, end: float) -> None:
    """Stiff beams make large forces of what a polynomial through the stages is off: 9 1/s^2 of 1.2, and 66,000 of 64.

    A warning told of oscillations in 0.7 of the time, and studies kept 7,304 rows for 401.
    """
    settings = {"end": end, "output_step": 0.02, "integrator": "radau"}
    loose, tight = (mbsim.simulate(model, rtol=tolerance, atol=tolerance, **settings) for tolerance in (1e-4, 1e-9))
    found, exact = loose["acceleration"], tight["acceleration"]
    missed = np.abs(found - exact)
    assert loose.attributes["counts"]["steps"] < len(found) == len(exact)
    assert missed.max() < 0.03 * np.abs(exact).max() and np.sqrt((missed**2).mean()) < 2e-3 * np.abs(exact).max()
    assert not [x for kind in ("notes", "warnings") for x in loose.attributes[kind] if "output rows span" in x]


@pytest.mark.parametrize("integrator", ["bdf", "ida"])
def test_rows_within_long_steps_of_libraries_have_the_accelerations_of_the_steps(integrator: str) -> None:
    """What the equations say of the rows is 0.09 and 1.4 1/s^2 off, of 1.2.

    With atol 1e-4 a warning told of oscillations in 0.95 of the time.
    """
    if integrator == "ida":
        pytest.importorskip("sksundae")
    settings = {"end": 5, "output_step": 0.02}
    exact = mbsim.simulate("bend_45", integrator="radau", rtol=1e-9, atol=1e-9, **settings)["acceleration"]
    found = mbsim.simulate("bend_45", integrator=integrator, rtol=1e-4, atol=1e-6, **settings)["acceleration"]
    np.testing.assert_allclose(found, exact, rtol=0.0, atol=0.015 * np.abs(exact).max())
    result = mbsim.simulate("bend_45", integrator=integrator, end=5, rtol=1e-4, atol=1e-4)
    assert not [x for kind in ("notes", "warnings") for x in result.attributes[kind] if "output rows span" in x]
