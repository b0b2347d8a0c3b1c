"""Direct differentiation where laws change: closed forms, and values that Richardson's extrapolation of differences at rtol 1e-12 gives."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import solve_ivp

from mbsim.cli import main
from mbsim.model.file.positions import read
from mbsim.studies.runner import phases
from mbsim.studies.runner.direct import Derivatives, Direct, DirectError
from mbsim.studies.runner.runner import Runner
from mbsim.system.switches import Switches

SCRIPT = Path(__file__).parents[2] / "scripts" / "attack" / "sensitivities.py"
TIGHT = "simulation: {end: 0.6, integrator: dop853, rtol: 1e-10, atol: 1e-11, output_step: 0.01}"
# A mass that falls along a guide onto what `force` says.
SLIDER = """\
name: slider
dimension: 2
gravity: [0, -9.81]
parameters: {{p: 0.5}}
bodies: {{b: {{mass: 1, inertia: 0.1, position: [0, 1]}}}}
joints: {{r: {{type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0, 1]}}}}
forces: {{l: {{{force}}}}}
measures: {{h: b.y, u: b.velocity.y}}
{simulation}
"""
LIMIT = "type: joint_limit, joint: r, lower: -p, stiffness: 500, damping: 15"
STEP = "type: force, body: b, value: [0, '30*step(1-p-b.y)']"
PENDULUM = """\
name: coarse
dimension: 2
gravity: [0, -9.81]
parameters: {p: 0.5}
bodies: {b: {mass: 1, inertia: 0.01, position: [p, 0]}}
joints: {r: {type: revolute, bodies: [ground, b], at: [0, 0]}}
measures: {h: b.y}
simulation: {end: 100}
"""


def slider(force: str) -> str:
    return SLIDER.format(force=force, simulation=TIGHT)


def own(force: str, more: str = "", end: float = 1.0, start: str = "{x: 0}") -> str:
    """A unit mass along x."""
    return f"""\
name: own
parameters: {{p: 0.3, w: 0.01}}
coordinates: [x]
energy: {{kinetic: der(x)^2/2}}
forces: {{f: {{type: generalized, coordinate: x, value: {force!r}}}}}
initial: {start}
simulation: {{end: {end}}}
{more}
"""


def derived(model: str, outputs: dict[str, str], vary: tuple[str, ...] = ("p",)) -> Derivatives:
    runner = Runner(read(model, "model.yaml"), list(vary), outputs)
    return Direct(runner)(runner.base)


BOTH = {"h": "final(h)", "u": "final(u)"}


def test_a_step_of_a_force() -> None:
    """Free fall by p, then a_2 = 20.19 upwards: u = -sqrt(2 g p) + a_2 (T - sqrt(2 p/g))."""
    found = derived(slider(STEP), BOTH)
    g, p = 9.81, 0.5
    by_p = -np.sqrt(g / (2.0 * p)) - 20.19 / np.sqrt(2.0 * g * p)
    assert found.jacobian[1, 0] == pytest.approx(by_p, rel=1e-9)
    assert by_p == pytest.approx(-9.578, abs=1e-3)
    assert found.errors[1, 0] < 1e-7


@pytest.mark.parametrize(("force", "by_p"), [(LIMIT, 4.2475820), (f"{LIMIT}, depth: 0.01", 4.2557538)], ids=["jump", "depth"])
def test_an_end_stop(force: str, by_p: float) -> None:
    found = derived(slider(force), BOTH)
    assert abs(found.jacobian[1, 0] - by_p) < 1e-6
    assert found.errors[1, 0] < 1e-5


def test_default_settings() -> None:
    """The pendulum after 100 s, whose rows are 0.1 s apart."""
    found = derived(PENDULUM, {"h": "final(h)"})
    assert found.jacobian[0, 0] == pytest.approx(97.1722, abs=5e-4)
    assert abs(found.jacobian[0, 0] - 97.1722) < 10.0 * found.errors[0, 0] < 0.05


@pytest.mark.slow  # by differences of runs at rtol 1e-12, some hundred
def test_default_settings_by_differences() -> None:
    reference = runpy.run_path(str(SCRIPT))["reference"]
    values, errors = reference(Runner(read(PENDULUM, "model.yaml"), ["p"], {"h": "final(h)", "u": "final(h)"}, rtol=1e-12, atol=1e-13), 0)
    assert abs(derived(PENDULUM, {"h": "final(h)"}).jacobian[0, 0] - values[0]) < 1e-3 + 10.0 * errors[0]


def test_a_pulse() -> None:
    """500 pulse(t - p, w): x = 500 w (T - p - w/2), so -500 w by p and 500 (T - p - w) by w."""
    found = derived(own("500*pulse(t - p, w)"), {"x": "final(x)", "impulse": "integral(force_power:f)"}, ("p", "w"))
    assert found.jacobian[0] == pytest.approx([-5.0, 345.0], rel=1e-8)
    assert found.values[1] == pytest.approx(12.5, rel=1e-7)
    assert found.jacobian[1] == pytest.approx([0.0, 500.0**2 * 0.01], rel=1e-7, abs=1e-4)


SWING = """\
name: swing
dimension: 2
gravity: [0, -9.81]
parameters: {c: 0.3, k: 350}
bodies: {b: {mass: 1.2, inertia: 0.02, position: [0.5, 0]}}
joints: {r: {type: revolute, bodies: [ground, b], at: [0, 0]}}
forces: {stop: {type: joint_limit, joint: r, lower: -1, upper: 0.3, stiffness: k, damping: c}}
simulation: {end: 1.5}
"""


def struck(c: float, k: float) -> float:
    """The impulse of the stops of SWING: SciPy's DOP853 with events at each contact and release."""
    inertia, (lower, upper) = 0.02 + 1.2 * 0.25, (-1.0, 0.3)
    t, y, at = 0.0, np.zeros(3), ""

    def push(y: np.ndarray, at: str) -> float:
        return k * (lower - y[0]) - c * y[1] if at == "lower" else k * (y[0] - upper) + c * y[1] if at == "upper" else 0.0

    def rates(t: float, y: np.ndarray, at: str) -> list[float]:
        effort = push(y, at) * (-1.0 if at == "upper" else 1.0)
        return [y[1], (-1.2 * 9.81 * 0.5 * np.cos(y[0]) + effort) / inertia, effort]

    def touches(t: float, y: np.ndarray, at: str) -> float:
        return float(push(y, at) if at else min(y[0] - lower, upper - y[0]))

    touches.terminal, touches.direction = True, -1.0  # type: ignore[attr-defined]
    for _ in range(20):
        march = solve_ivp(rates, (t, 1.5), y, "DOP853", rtol=1e-12, atol=1e-13, events=touches, args=(at,), max_step=0.01)
        t, y = march.t[-1], march.y[:, -1]
        if march.status != 1:
            return float(y[2])
        at = "" if at else "lower" if y[0] < -0.5 else "upper"
    raise AssertionError("it strikes without end")


def test_the_impulse_of_stops() -> None:
    """The force jumps at a contact and bends at a release, both between rows."""
    found = derived(SWING, {"impulse": "integral(force_effort.stop)"}, ("c", "k"))
    known = [(struck(0.3 + h, 350.0) - struck(0.3 - h, 350.0)) / 2e-4 for h in (1e-4,)]
    known += [(struck(0.3, 350.0 + h) - struck(0.3, 350.0 - h)) / 2e-2 for h in (1e-2,)]
    assert known[0] == pytest.approx(-1.016162, rel=1e-5)
    assert found.values[0] == pytest.approx(struck(0.3, 350.0), rel=1e-7)
    assert found.jacobian[0] == pytest.approx(known, rel=1e-5)
    assert (np.abs(found.jacobian[0] - known) < 10.0 * found.errors[0] + 1e-6 * np.abs(known)).all()


def test_errors_have_what_corners_of_outputs_leave() -> None:
    """|v| of a mass that a floor stops has a corner between rows. The values are those of Dormand and Prince at 1e-13, with events."""
    model = SLIDER.format(force="type: joint_limit, joint: r, lower: -p, stiffness: 3000, damping: 2", simulation="simulation: {end: 1.5}")
    exact = {"mean(abs(der(b.y)))": 3.1377372, "rms(der(b.y))": 3.1051324, "min(b.y)": -1.0715655, "time_of_min(b.y)": 0.40994258}
    runner = Runner(read(model, "model.yaml"), ["p"], {f"f{j}": text for j, text in enumerate(exact)})
    found = Direct(runner)(np.array([0.3]))
    for value, got, error in zip(exact.values(), found.jacobian[:, 0], found.errors[:, 0], strict=True):
        assert abs(got - value) < 2.0 * error + 1e-7 and error < 1e-4


STOPPED = """\
name: stopped
dimension: 2
gravity: [0, -9.81]
parameters: {p: 0.5, F: 14, d: 0.2}
bodies: {b: {mass: 1, inertia: 0.1, position: [0, 1]}}
joints: {r: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0, 1]}}
forces: {l: {type: force, body: b, value: [0, 'F*step(1 - p - b.y)']}}
measures: {h: b.y, u: b.velocity.y}
simulation: {end: 2, stop: b.y - d}
"""


def fallen(p: float, F: float, d: float) -> np.ndarray:
    """The height, the speed, the time, and the work of F where the mass comes to the height d, and the integral of its speed."""
    g = 9.81
    v, a = np.sqrt(2.0 * g * p), F - g
    u = np.sqrt(v * v - 2.0 * a * (1.0 - p - d))
    return np.array([d, -u, v / g + (v - u) / a, -F * (1.0 - p - d), d - 1.0])


def test_a_stop_expression() -> None:
    """The derivatives at the time of the stop, which depends on what varies: on the expression's own number too."""
    outputs = {"h": "final(h)", "u": "final(u)", "t": "final(time)", "w": "final(energy_work)", "s": "integral(u)"}
    found = derived(STOPPED, outputs, ("p", "F", "d"))
    at = np.array([0.5, 14.0, 0.2])
    assert found.values == pytest.approx(fallen(*at), rel=1e-5)  # the integral, over a kink between rows
    for k in range(3):
        h = 1e-4 * at[k] * np.eye(3)[k]
        by_k = (fallen(*(at + h)) - fallen(*(at - h))) / (2.0 * h[k])
        assert found.jacobian[:, k] == pytest.approx(by_k, rel=1e-5, abs=1e-5), k


def test_a_stop_expression_that_is_not_reached() -> None:
    found = derived(STOPPED.replace("stop: b.y - d", "stop: b.y + 9").replace("end: 2", "end: 0.4"), {"u": "final(u)"}, ("p",))
    assert found.jacobian[0, 0] == pytest.approx(-14.0 / np.sqrt(2.0 * 9.81 * 0.5), rel=1e-7)


TABLE = "tables: {tab: {points: [[-9, -1], [0, 0], [0.1, 0.5], [9, 0.5]], interpolation: linear}}"


def there_and_back(p: float) -> float:
    """x(2) under that force, from rest at p: -20 beyond 0.1, -200 x below, -40/9 x below zero."""
    w, w_3, v = np.sqrt(200.0), np.sqrt(40.0 / 9.0), np.sqrt(40.0 * (p - 0.1))
    t = 2.0 - 3.0 * np.sqrt((p - 0.1) / 10.0) - 2.0 * np.arctan(0.1 * w / v) / w - np.pi / w_3  # beyond the corner for the third time
    return float(0.1 * np.cos(w * t) - v / w * np.sin(w * t))


def test_moments_that_are_close_together() -> None:
    """Steps after a stretch of 1e-12 s are as short, and were all laid out at once, by the 1e10, in 18 GB."""
    found = derived(own("4*step(t - p) - 4*step(t - p - 0.1) + 4*step(t - p - 0.1 - 1e-12)"), {"x": "final(x)", "u": "final(der(x))"})
    assert found.jacobian[:, 0] == pytest.approx([-4.0 * 0.7, -4.0], rel=1e-8)


def test_corners_of_a_table() -> None:
    """It is crossed five times."""
    h = 1e-3
    one, two = (there_and_back(0.3 + k * h) - there_and_back(0.3 - k * h) for k in (1, 2))
    found = derived(own("-40*tab(x)", TABLE, 2.0, "{x: p}"), {"x": "final(x)"})
    assert found.jacobian[0, 0] == pytest.approx((8.0 * one - two) / (12.0 * h), rel=1e-7)


REFUSED = {
    "stays": (own("-5*sign(der(x)) + 20*step(0.2 - t)*p", end=2.0), "stops at t = 0.24 s|no headway at t = 0.24"),
    "touched": (own("0.001*step(x - 0.1125) - 0.5 + 0*p", end=2.5, start="{der(x): 0.33541019662496846, x: 0}"), "touched"),
    "end": (own("step(t - p)", end=0.3), "end of the run"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_by_name(name: str) -> None:
    model, why = REFUSED[name]
    with pytest.raises(DirectError, match=why):
        derived(model, {"v": "final(der(x))"})


def test_a_jump_that_no_law_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a force from a package that does not list its SWITCHES."""
    monkeypatch.setattr(phases, "switches_of", lambda source, system, stop, planned: Switches(system, [], False, False))
    with pytest.raises(DirectError, match=r"rates jump, or change too quickly, at t = 0\.319.* where no law is known to change"):
        derived(slider(STEP), BOTH)


def test_optimisation_goes_to_the_limit(tmp_path: Path) -> None:
    """The height falls with p everywhere; it was said to be lowest at the start, after one run."""
    (tmp_path / "switch.yaml").write_text(slider(STEP))
    study = "model: switch.yaml\nvary: {p: {from: 0.1, to: 0.9, start: 0.5}}\noutputs: {e: final(h)}\n"
    (tmp_path / "s.yaml").write_text(study + "optimize: {minimize: e, method: l-bfgs-b, gradient: direct}\n")
    done = CliRunner().invoke(main, ["optimize", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "s.h5"), "-j", "1"])
    assert done.exit_code == 0, done.output
    assert "p = 0.9  (at its limit)" in done.output
    (tmp_path / "d.yaml").write_text(study + "sensitivity: {type: derivatives, method: direct}\n")
    done = CliRunner().invoke(main, ["sensitivity", str(tmp_path / "d.yaml"), "-o", str(tmp_path / "d.h5"), "-j", "1"])
    assert "+-" in done.output and "by direct differentiation" in done.output


def optimised(tmp_path: Path, model: str, goal: str, output: str = "final(x)", ends: str = "{from: 0.1, to: 0.9, start: 0.5}") -> str:
    (tmp_path / "m.yaml").write_text(model)
    study = f"model: m.yaml\nvary: {{p: {ends}}}\noutputs: {{e: {output}}}\n"
    (tmp_path / "s.yaml").write_text(study + f"optimize: {{{goal}, gradient: direct}}\n")
    done = CliRunner().invoke(main, ["optimize", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "s.h5"), "-j", "1", "--force"])
    assert done.exit_code == 0, done.output
    return done.output


def test_convergence_is_shown_by_a_derivative(tmp_path: Path) -> None:
    """p x0 over a second: (1 - p)^2 + 1 is least at 1, beyond the range, and flat enough at p = 0.5 for a loose method to end there."""
    free = own("p", end=1.0)  # x(1) = p/2
    assert "not converged" not in optimised(tmp_path, free, "minimize: e, method: slsqp", "(final(x) - 0.2)^2")
    loose = optimised(
        tmp_path, free, "minimize: e, method: slsqp, options: {ftol: 0.5}", "(final(x) - 0.4)^2", "{from: 0.1, to: 9, start: 5}"
    )
    assert "not converged: the gradient at the end is" in loose
    stuck = "minimize: e, method: l-bfgs-b"
    kinked = optimised(tmp_path, own("step(t - p)", end=0.5), stuck, "final(der(x))", "{from: 0.1, to: 0.5, start: 0.5}")
    assert "not converged: no derivative at the end: 'step(t - p)' is crossed at the end of the run" in kinked


def test_random_models() -> None:
    """One of the harness's family that has all functions which switch; scripts/attack/sensitivities.py judges 200 of all families."""
    harness = runpy.run_path(str(SCRIPT))
    found = [finding for seed in range(3) for finding in harness["judge"](harness["own"], seed)]
    assert found
    assert {finding.verdict for finding in found} <= {harness["RIGHT"], harness["REFUSED"], harness["UNDECIDED"]}
    assert sum(finding.verdict == harness["RIGHT"] for finding in found) >= 4


CABLE = """\
name: a mass on an elastic cable, which begins at its free length
dimension: 2
parameters: {{k: 400, m: 2, F: 5, y: -1}}
bodies: {{b: {{mass: m, inertia: 0.1, position: [0, y]}}}}
joints: {{g: {{type: prismatic, bodies: [ground, b], at: [0, -1], axis: [0, 1]}}}}
forces:
  c: {{type: pulley_cable, path: [{{point: ground, at: [0, 0]}}, b], stiffness: k, damping: {damping}, free_length: 1}}
  push: {{type: force, body: b, value: [0, {push}]}}
simulation: {{end: 0.3}}
"""


@pytest.mark.parametrize("push", ["F*t", "F*t^2"])
def test_a_cable_at_its_free_length_that_goes_slack_slowly(push: str) -> None:
    """Round-off said that it is taut at first, and nothing was found where it seemed to go slack. y = F t^n/(n (n - 1) m) + ..."""
    found = Direct(Runner(CABLE.format(damping=3, push=push), ["F", "m", "k"], {"y": "final(b.y)"}))(np.array([5.0, 2.0, 400.0]))
    moved = 5.0 * 0.3**3 / 12.0 if push == "F*t" else 5.0 * 0.3**4 / 24.0
    assert found.values == pytest.approx([moved - 1.0], rel=1e-9)
    assert found.jacobian == pytest.approx(np.array([[moved / 5.0, -moved / 2.0, 0.0]]), rel=1e-6, abs=1e-12)


def test_a_cable_at_its_free_length_has_derivatives_of_one_side() -> None:
    """Of a start a little higher the cable becomes taut with a speed, and its damper pulls at once: 0.464 from above, 0.515 from below.

    That from below was given, with an error of 1e-7. Without a damper both are the same, y + cos(omega t) (y + 1) and so on.
    """
    taut = Runner(CABLE.format(damping=3, push="-m*9.81"), ["k", "m"], {"y": "final(b.y)"})
    assert np.isfinite(Direct(taut)(np.array([400.0, 2.0])).jacobian).all()
    for name, at in (("y", -1.0), ("forces.c.free_length", 1.0)):
        with pytest.raises(DirectError, match=r"the motion begins on .* at t = 0 s, where derivatives are of one side only"):
            Direct(Runner(CABLE.format(damping=3, push="-m*9.81"), [name], {"y": "final(b.y)"}))(np.array([at]))
    found = Direct(Runner(CABLE.format(damping=0, push="-m*9.81"), ["y"], {"y": "final(b.y)"}))(np.array([-1.0]))
    assert found.jacobian == pytest.approx(np.array([[np.cos(np.sqrt(200.0) * 0.3)]]), rel=1e-6)
