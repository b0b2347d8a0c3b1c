"""Direct differentiation against closed forms and against differences, and its gradient in optimisations."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import solve_ivp
from scipy.special import ellipe, ellipk

from mbsim.cli import main
from mbsim.model.file.positions import read
from mbsim.registry import declaration, names
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.runner.direct import Direct, DirectError
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.optimise import optimise
from mbsim.studies.sampled.read import read_study
from mbsim.studies.sampled.sensitivities import ridders

ROOT = Path(__file__).parents[2]
# An oscillator with damping and a pendulum that know nothing of each other.
BOTH = """\
parameters: {m: 2.0, k: 50.0, c: 0.8, f: 0.0, x0: 0.3, l: 0.9, theta0: 1.2}
coordinates: [x, theta]
energy: {kinetic: m/2*der(x)^2 + l^2/2*der(theta)^2, potential: k/2*x^2 - f*x - 9.81*l*cos(theta), dissipation: c/2*der(x)^2}
initial: {x: x0, theta: theta0}
simulation: {end: 0.8, step: 2.0e-3}
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("direct") / "both.yaml"
    path.write_text(BOTH)
    return path


def oscillator(m: float, k: float, c: float, x0: float, t: float = 0.8) -> np.ndarray:
    """x, its rate and the kinetic energy at t, from rest at x0."""
    delta, omega = c / (2.0 * m), np.sqrt(k / m - (c / (2.0 * m)) ** 2)
    x = x0 * np.exp(-delta * t) * (np.cos(omega * t) + delta / omega * np.sin(omega * t))
    v = -x0 * np.exp(-delta * t) * (omega + delta**2 / omega) * np.sin(omega * t)
    return np.array([x, v, 0.5 * m * v * v])


def test_oscillator(both: Path) -> None:
    """The derivatives of the closed form, here by differences of the closed form of order 4."""
    names = ["m", "k", "c", "x0"]
    outputs = {"x": "final(x)", "v": "final(der(x))", "T": "final(der(x))^2*m/2"}
    found = Direct(Runner(both, names, outputs))(np.array([2.0, 50.0, 0.8, 0.3]))
    assert found.values == pytest.approx(oscillator(2.0, 50.0, 0.8, 0.3), rel=1e-8)
    at = np.array([2.0, 50.0, 0.8, 0.3])
    for k in range(4):
        h = 1e-3 * at[k] * np.eye(4)[k]
        one, two = (oscillator(*(at + j * h)) - oscillator(*(at - j * h)) for j in (1, 2))
        assert found.jacobian[:, k] == pytest.approx((8.0 * one - two) / (12.0 * h[k]), rel=1e-7, abs=1e-9), names[k]


def test_period_of_the_pendulum(both: Path) -> None:
    """A quarter of T = 4 sqrt(l/g) K(sin(theta0/2)^2), by the length and by the amplitude."""
    found = Direct(Runner(both, ["l", "theta0"], {"quarter": "first_time(theta < 0)"}))(np.array([0.9, 1.2]))
    s = np.sin(0.6) ** 2
    quarter = np.sqrt(0.9 / 9.81) * ellipk(s)
    by_s = np.sqrt(0.9 / 9.81) * (ellipe(s) / (1.0 - s) - ellipk(s)) / (2.0 * s)
    assert found.values == pytest.approx([quarter], rel=1e-6)
    assert found.jacobian[0] == pytest.approx([quarter / 1.8, by_s * np.sin(0.6) * np.cos(0.6)], rel=2e-5)


def by_differences(runner: Runner, k: int, output: int) -> tuple[float, float]:
    steps = 0.02 * abs(runner.base[k]) / 1.4 ** np.arange(9)
    unit = np.eye(len(runner.base))[k]
    ends = [[runner.run(runner.base + sign * step * unit).values[output] for sign in (1.0, -1.0)] for step in steps]
    value, error, _ = ridders(np.array([(a - b) / (2.0 * step) for (a, b), step in zip(ends, steps, strict=True)]), steps)
    return value, error


CLOSED = {
    "four_bar": (["omega", "a", "bodies.rocker.mass"], {"last": "final(crank.angle)", "force": "max(norm(joint_force:A))"}, 0.1),
    "slider_crank": (["n", "r"], {"effort": "at(driver_effort.motor, 0.02)", "work": "final(energy_work)"}, 0.04),
}


@pytest.mark.parametrize("name", CLOSED)
def test_against_differences(name: str) -> None:
    """Loops, reactions, drivers and the work."""
    vary, outputs, end = CLOSED[name]
    runner = Runner(ROOT / "models" / f"{name}.yaml", vary, outputs, end=end)
    found = Direct(runner)(runner.base)
    for k in range(len(vary)):
        for j in range(len(outputs)):
            value, error = by_differences(runner, k, j)
            assert found.jacobian[j, k] == pytest.approx(value, rel=1e-6, abs=10.0 * error), (vary[k], j)


def test_mean_and_variance_of_a_linear_model(both: Path, tmp_path: Path) -> None:
    """x(0.8) = C x0 + (1 - C) f/k of scattered x0 and f: the mean and the variance of the sum, to what 1024 Sobol points leave."""
    (tmp_path / "s.yaml").write_text(f"""\
model: {both}
vary: {{x0: {{normal: {{mean: 0.3, std: 0.05}}}}, f: {{uniform: {{loc: -1, scale: 5}}}}}}
sampling: {{type: sobol, count: 1024, seed: 1}}
simulation: {{step: 0.02}}
outputs: {{x: final(x)}}
""")
    study = read_study(tmp_path / "s.yaml")
    found = np.array([outcome.values[0] for outcome in study.runner.run_many(study.plan.values(0, study.plan.runs))])
    C = oscillator(2.0, 50.0, 0.8, 1.0)[0]
    mean, variance = 0.3 * C + 1.5 * (1.0 - C) / 50.0, (0.05 * C) ** 2 + ((1.0 - C) / 50.0) ** 2 * 25.0 / 12.0
    assert found.mean() == pytest.approx(mean, abs=1e-3 * np.sqrt(variance))
    assert found.var() == pytest.approx(variance, rel=5e-3)


@pytest.mark.slow
def test_against_differences_in_space() -> None:
    """Quaternions: a top, by its spin and its mass."""
    runner = Runner(ROOT / "models" / "heavy_top.yaml", ["bodies.top.mass"], {"z": "final(top.z)", "w": "final(top.qw)"}, end=0.1)
    found = Direct(runner)(runner.base)
    for j in range(2):
        value, error = by_differences(runner, 0, j)
        assert found.jacobian[j, 0] == pytest.approx(value, rel=1e-5, abs=10.0 * error)


# Three equal cranks, one more than the coupler needs.
CRANKS = """\
dimension: 2
gravity: [0, -9.81]
parameters: {l: 0.7, m: 2}
bodies:
  a: {mass: m, inertia: 0.1, position: [0, l/2]}
  b: {mass: 1, inertia: 0.1, position: [1, l/2]}
  c: {mass: 1, inertia: 0.1, position: [2, l/2]}
  d: {mass: 1, inertia: 0.3, position: [1, l]}
joints:
  A: {type: revolute, bodies: [ground, a], at: [0, 0]}
  B: {type: revolute, bodies: [ground, b], at: [1, 0]}
  C: {type: revolute, bodies: [ground, c], at: [2, 0]}
  D: {type: revolute, bodies: [a, d], at: [0, l]}
  E: {type: revolute, bodies: [b, d], at: [1, l]}
  F: {type: revolute, bodies: [c, d], at: [2, l]}
initial:
  a.angular_velocity: 1
  b.angular_velocity: 1
  c.angular_velocity: 1
  a.velocity: [-l/2, 0]
  b.velocity: [-l/2, 0]
  c.velocity: [-l/2, 0]
  d.velocity: [-l, 0]
measures: {h: a.angle, u: d.velocity.x}
simulation: {end: 0.5}
"""


def crank(l: float, m: float) -> np.ndarray:
    """The angle and the speed of the coupler after half a second: one equation, J theta'' = k sin(theta)."""
    inertia, moment = 0.3 + (m + 2.0) * l * l / 4.0 + l * l, 9.81 * l * ((m + 2.0) / 2.0 + 1.0)
    options = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    theta, w = solve_ivp(lambda t, y: [y[1], moment / inertia * np.sin(y[0])], (0.0, 0.5), [0.0, 1.0], **options).y[:, -1]
    return np.array([theta, -l * w * np.cos(theta)])


def test_redundant_rows() -> None:
    """The motion has its derivatives, by what keeps the rows redundant; the reactions that they leave open have none."""
    found = Direct(Runner(read(CRANKS, "cranks.yaml"), ["l", "m"], {"h": "final(h)", "u": "final(u)"}))(np.array([0.7, 2.0]))
    assert found.values == pytest.approx(crank(0.7, 2.0), rel=1e-7)
    for k, h in enumerate(1e-3 * np.eye(2)):
        one, two = (crank(*(np.array([0.7, 2.0]) + j * h)) - crank(*(np.array([0.7, 2.0]) - j * h)) for j in (1, 2))
        assert found.jacobian[:, k] == pytest.approx((8.0 * one - two) / (12.0 * h[k]), rel=1e-6)
    open_one = Direct(Runner(read(CRANKS, "cranks.yaml"), ["m"], {"force": "final(norm(joint_force:A))"}, end=0.05))
    with pytest.raises(DirectError, match="force takes reactions that redundant rows leave open"):
        open_one(np.array([2.0]))


MODELS = ROOT / "models"


@pytest.mark.parametrize("method", ["lagrange", "svd", "cfa", "nullspace"])
def test_rows_that_turn_far_between_two_looks(method: str) -> None:
    """Wheels that roll straight ahead at 3.2 rad/s and turn at 5 rad/s; their rows turn over, and the march goes on: x = -R s t."""
    path = MODELS / "rolling_disk_threshold.yaml"
    runner = Runner(read(path.read_text(), str(path)), ["R", "g"], {"x": "final(x_a)"}, end=0.5, method=method, integrator="dop853")
    found = Direct(runner)(runner.base)
    assert found.values == pytest.approx([-0.3 * 3.2 * 0.5], abs=1e-9)
    assert found.jacobian[0] == pytest.approx([-3.2 * 0.5, 0.0], abs=1e-8)


def test_what_does_not_move_has_the_derivative_zero() -> None:
    """The crank turns about its own centre, which stays where it is but for round-off."""
    path = MODELS / "quick_return_delft.yaml"
    runner = Runner(read(path.read_text(), str(path)), ["crank", "rocker"], {"x": "final(crank.x)"}, end=0.5)
    assert Direct(runner)(runner.base).jacobian == pytest.approx(np.zeros((1, 2)), abs=1e-12)


DOOR = """\
dimension: 3
gravity: [0, 0, -9.81]
parameters: {a: 0.5, k: 3}
bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [a, 0, 0]}}
joints: {r: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]},
         s: {type: revolute, bodies: [ground, b], at: [0, 1, 0], axis: [0, 1, 0]}}
forces: {spring: {type: spring_damper, bodies: [ground, b], at: [[0.2, 0, 0.7], [a, 0, 0]], stiffness: k, free_length: 0.4}}
simulation: {end: 1}
"""


def test_two_hinges_of_a_door() -> None:
    """Rows that follow from others to round-off: the energies of a door that turns by theta about the line of both hinges, on a spring."""

    def height(a: float, k: float) -> float:
        def rates(_: float, y: np.ndarray) -> list[float]:
            cosine, sine = np.cos(y[0]), np.sin(y[0])
            length = np.hypot(a * cosine - 0.2, a * sine + 0.7)
            slope = a * (0.2 * sine + 0.7 * cosine) / length  # of the length over theta
            return [y[1], (9.81 * a * cosine - k * (length - 0.4) * slope) / (0.2 + a * a)]

        return float(-a * np.sin(solve_ivp(rates, (0.0, 1.0), [0.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13).y[0, -1]))

    found = Direct(Runner(read(DOOR, "door.yaml"), ["a", "k"], {"h": "final(b.z)"}))(np.array([0.5, 3.0]))
    assert found.values == pytest.approx([height(0.5, 3.0)], abs=1e-6)
    known = [(height(0.5 + h, 3.0) - height(0.5 - h, 3.0)) / (2.0 * h) for h in (1e-4,)]
    known += [(height(0.5, 3.0 + h) - height(0.5, 3.0 - h)) / (2.0 * h) for h in (3e-4,)]
    assert found.jacobian[0] == pytest.approx(known, rel=1e-6)


def test_a_load_that_the_hinges_take_has_the_derivative_zero() -> None:
    """The spring ends on the line of the hinges. What is left of its moment is round-off, and contradicts nothing."""
    text = DOOR.replace("[a, 0, 0]], stiffness", "[0, 0, 0]], stiffness")
    found = Direct(Runner(read(text, "door.yaml"), ["a", "k"], {"h": "final(b.z)"}))(np.array([0.5, 3.0]))
    assert text != DOOR and abs(found.jacobian[0, 1]) < 1e-14 and abs(found.jacobian[0, 0]) > 0.1


def test_hinges_that_leave_their_line_are_refused() -> None:
    """The second hinge is drawn where the first one's line goes, and its axis turns off it as p does: the door does not turn any more."""
    text = DOOR.replace("k: 3}", "k: 3, p: 0}").replace(
        "bodies: [ground, b], at: [0, 1, 0], axis: [0, 1, 0]", "bodies: [ground, b], at: [0, 1, 0], axis: [p, 1, 0]"
    )
    with pytest.raises(DirectError, match="contradict each other"):
        Direct(Runner(read(text, "door.yaml"), ["p"], {"h": "final(b.z)"}))(np.array([0.0]))


TWO = """\
dimension: 2
gravity: [0, -9.81]
parameters: {p: 0.5, m: 2}
bodies: {b: {mass: m, inertia: 0.1, position: [p, 0]}, c: {mass: 1, inertia: 0.1, position: [2*p + 0.3, 0]}}
joints: {r: {type: revolute, bodies: [ground, b], at: [0, 0]}, s: {type: revolute, bodies: [b, c], at: [2*p, 0]}}
measures: {h: b.y, u: c.angular_velocity}
simulation: {end: 1}
"""
OF_TWO = np.array([[-0.651915286, 0.038463755], [9.05786005, -1.50299556]])  # by svd with dop853; differences agree to 1e-8


def integrators(method: str) -> list[str | None]:
    """That a method goes with."""
    if declaration("methods", method, "OWNS_STEP", False):
        return [None]
    searches = declaration("methods", method, "SEARCHES", False)
    return [one for one in names("integrators") if not searches or not declaration("integrators", one, "STIFF", False)]


EVERY = [(method, integrator) for method in names("methods") for integrator in integrators(method)]


@pytest.mark.slow  # each compiles
@pytest.mark.parametrize(("method", "integrator"), EVERY, ids=[f"{m}-{i or 'own'}" for m, i in EVERY])
def test_every_method_with_every_integrator(method: str, integrator: str | None) -> None:
    """The march of the derivatives is by the run's own method and integrator, and its error is told."""
    simulation = {"method": method} | ({"integrator": integrator} if integrator else {})
    text = f"coordinates: joint\n{TWO}" if method in ("aba", "kane") else TWO
    found = Direct(Runner(read(text, "two.yaml"), ["p", "m"], {"h": "final(h)", "u": "final(u)"}, simulation=simulation))(
        np.array([0.5, 2.0])
    )
    assert (np.abs(found.jacobian - OF_TWO) <= 10.0 * found.errors + 1e-8).all()
    assert (found.errors <= 1e-3 * np.abs(OF_TWO)).all()


def test_rows_that_follow_the_motion() -> None:
    """The largest speed of an oscillation of 50 Hz whose output rows are 0.02 s apart is a w, so a by w and w by a."""
    model = "{coordinates: [x], parameters: {a: 0.1, w: 314}, energy: {kinetic: der(x)^2/2, potential: w^2*x^2/2}, initial: {x: a}, "
    runner = Runner(read(model + "simulation: {end: 0.1, output_step: 0.02}}", "o.yaml"), ["a", "w"], {"v": "max(der(x))"})
    found = Direct(runner)(np.array([0.1, 314.0]))
    assert found.values == pytest.approx([31.4], rel=1e-3)
    assert found.jacobian[0] == pytest.approx([314.0, 0.1], rel=1e-3)


def test_an_end_between_rows(both: Path) -> None:
    found = Direct(Runner(both, ["x0"], {"x": "final(x)"}, end=0.8011))(np.array([0.3]))
    assert found.jacobian[0, 0] == pytest.approx(oscillator(2.0, 50.0, 0.8, 1.0, 0.8011)[0], rel=1e-9)


def test_what_it_does_not_take(both: Path) -> None:
    with pytest.raises(DirectError, match="alters the settings"):
        Direct(Runner(both, ["simulation.end"], {"x": "final(x)"}))


STUDY = """\
model: {model}
vary: {{k: {{from: 30, to: 70, start: 45}}, c: {{from: 0.2, to: 1.5, start: 1.0}}}}
outputs: {{x: final(x), v: final(der(x)), f: (final(x) - 0.1)^2 + (final(der(x)) - 0.2)^2}}
"""


def test_gradient_of_an_optimisation(both: Path, tmp_path: Path) -> None:
    """The same optimum as with differences, in fewer runs."""
    found = {}
    for gradient in ("differences", "direct"):
        goal = f"optimize: {{minimize: f, method: slsqp, gradient: {gradient}, subject_to: {{x: {{max: 0.15}}}}}}\n"
        (tmp_path / "s.yaml").write_text(STUDY.format(model=both) + goal)
        study = read_study(tmp_path / "s.yaml")
        found[gradient] = optimise(study, Evaluations(study, make_pool(1), None))
    direct, differences = found["direct"], found["differences"]
    assert direct["outputs"]["f"] == pytest.approx(differences["outputs"]["f"], abs=1e-9)
    assert direct["values"] == pytest.approx(differences["values"], rel=1e-4)
    assert direct["evaluations"] < 0.5 * differences["evaluations"] and "by differences" not in direct["message"]


def test_command(both: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(STUDY.format(model=both) + "sensitivity: {type: derivatives}\n")
    said = {}
    for method in ("direct", "differences"):
        words = ["sensitivity", str(tmp_path / "s.yaml"), "--method", method, "-o", str(tmp_path / f"{method}.h5"), "-j", "1"]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        said[method] = [line.split()[2].rstrip(";") for line in done.output.splitlines() if line.startswith("    by k:")]
    assert "by direct differentiation" in CliRunner().invoke(main, ["info", str(tmp_path / "direct.h5")]).output
    assert [float(x) for x in said["direct"]] == pytest.approx([float(x) for x in said["differences"]], rel=1e-6)
    (tmp_path / "i.yaml").write_text(STUDY.format(model=both) + "sensitivity: {type: sobol}\n")
    refused = CliRunner().invoke(main, ["sensitivity", str(tmp_path / "i.yaml"), "--method", "direct"])
    assert refused.exit_code == 2 and "--method is of derivatives" in refused.output


@pytest.mark.parametrize("n", [0.0, 2.0])
def test_a_power_of_a_parameter_through_zero(tmp_path: Path, n: float) -> None:
    """A unit mass pushed by c x^n that passes x = 0, of which x^n / x would be no number: against differences, and t^2/2 where n = 0."""
    path = tmp_path / "power.yaml"
    path.write_text(
        "parameters: {c: 0.8, n: 0}\ncoordinates: [x]\nenergy: {kinetic: der(x)^2/2}\n"
        "forces: {f: {type: generalized, coordinate: x, value: c*x^n}}\ninitial: {x: 0, der(x): 0.5}\nsimulation: {end: 1, step: 5.0e-3}\n"
    )
    outputs = {"x": "final(x)"}
    by_c = Direct(Runner(path, ["c"], outputs, parameters={"n": n}))(np.array([0.8])).jacobian[0, 0]
    runner, at = Runner(path, ["c", "n"], outputs), np.array([0.8, n])

    def slope(step: np.ndarray) -> float:
        return (runner(at + step)["x"] - runner(at - step)["x"]) / (2.0 * step.max())

    assert by_c == pytest.approx(slope(np.array([1e-4, 0.0])), rel=1e-6)
    if n == 0.0:
        assert by_c == pytest.approx(0.5, rel=1e-9)
        with pytest.raises(DirectError, match="not finite after t = 0 s"):  # log(0)
            Direct(runner)(at)
    else:
        assert Direct(runner)(at).jacobian[0] == pytest.approx([by_c, slope(np.array([0.0, 1e-4]))], rel=1e-6)


LET = """\
dimension: 2
parameters: {g: 2}
let: {gain: 3*g, push: gain*t}
bodies: {a: {mass: 2, inertia: 1}}
forces: {f: {type: force, body: a, value: [push, 0]}}
simulation: {end: 1}
"""


def test_a_name_of_let_that_is_a_number() -> None:
    """x = gain t^3/(6 m). It was refused as what laws contain."""
    found = Direct(Runner(LET, ["let.gain", "g", "bodies.a.mass"], {"x": "final(a.x)"}))(np.array([6.0, 2.0, 2.0]))
    assert found.values == pytest.approx([0.5], rel=1e-9)
    assert found.jacobian == pytest.approx(np.array([[1.0 / 12.0, 0.0, -0.25]]), rel=1e-9)
    with pytest.raises(DirectError, match="what a name of `let` stands for"):
        Direct(Runner(LET, ["let.push"], {"x": "final(a.x)"}))
