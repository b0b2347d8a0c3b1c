"""Optimisations, fits and sensitivities against closed forms; the shipped examples; pictures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from matplotlib.image import imread

from mbsim.cli import main
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.findings import lines_of
from mbsim.studies.sampled.fitting import _covariance, fit
from mbsim.studies.sampled.optimise import optimise
from mbsim.studies.sampled.read import read_study
from mbsim.studies.sampled.sensitivities import derivatives, indices, ridders

SHIPPED = Path(__file__).parents[2] / "models" / "studies"
SPRING = """\
parameters: {m: 2.0, k: 50.0, x1: 0.1, x2: 0.2, x3: 0.3}
coordinates: [x]
energy: {kinetic: m/2*der(x)^2, potential: k/2*x^2 - m*9.81*x}
simulation: {end: 0.01, step: 0.01}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def found(folder: Path, text: str, goal: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    (folder / "spring.yaml").write_text(SPRING)
    (folder / "s.yaml").write_text("model: spring.yaml\n" + text)
    study = read_study(folder / "s.yaml")
    return goal(study, Evaluations(study, make_pool(1), None))


OPTIONS = {"differential_evolution": "maxiter: 20, popsize: 5"}
ONE = "vary: {m: {from: 1, to: 2}}\noutputs: {f: m}\n"


@pytest.mark.parametrize("method", ["differential_evolution", "slsqp", "l-bfgs-b", "nelder-mead", "powell", "dual_annealing", "cobyla"])
def test_optimum(tmp_path: Path, method: str) -> None:
    """(m - 1)^2 + 3 (k - 2)^2 + 5 is smallest at (1, 2)."""
    text = f"""\
vary: {{m: {{from: 0.5, to: 3}}, k: {{from: 1, to: 4, start: 1.2}}}}
outputs: {{f: (m - 1)^2 + 3*(k - 2)^2 + 5}}
optimize: {{minimize: f, method: {method}, options: {{{OPTIONS.get(method, "maxiter: 60")}}}}}
"""
    best = found(tmp_path, text, optimise)
    assert best["values"] == {"m": pytest.approx(1.0, abs=2e-3), "k": pytest.approx(2.0, abs=2e-3)}
    assert best["outputs"]["f"] == pytest.approx(5.0, abs=1e-5) and best["violated"] == 0.0


@pytest.mark.parametrize("method", ["differential_evolution", "slsqp", "trust-constr"])
def test_optimum_with_a_limit(tmp_path: Path, method: str) -> None:
    """m + k is largest at sqrt(2) where m^2 + k^2 is at most 1."""
    text = f"""\
vary: {{m: {{from: 0.1, to: 2, start: 0.3}}, k: {{from: 0.1, to: 2, start: 0.5}}}}
outputs: {{f: m + k, r: m^2 + k^2}}
optimize: {{maximize: f, subject_to: {{r: {{max: 1}}}}, method: {method}, options: {{{OPTIONS.get(method, "maxiter: 100")}}}}}
"""
    best = found(tmp_path, text, optimise)
    assert best["outputs"]["f"] == pytest.approx(np.sqrt(2.0), abs=1e-4) and best["violated"] == 0.0
    assert best["values"]["m"] == pytest.approx(np.sqrt(0.5), abs=2e-2)


def test_fit_against_the_normal_equations(tmp_path: Path) -> None:
    """A constant that is fitted is the mean; its deviation is that of the mean, its interval Student's."""
    t = np.linspace(0.0, 0.01, 12)
    rng = np.random.default_rng(5)
    measured = 0.4 + 1e-3 * rng.standard_normal(len(t))
    (tmp_path / "m.csv").write_text("t,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), measured.tolist(), strict=True)))
    text = "vary: {x1: {from: -1, to: 1}}\nfit: {table: m.csv, time: t, columns: {level: y}}\n"
    (tmp_path / "spring.yaml").write_text(SPRING.replace("step: 0.01", "step: 0.002") + "measures: {level: x1}\n")
    (tmp_path / "s.yaml").write_text("model: spring.yaml\n" + text)
    study = read_study(tmp_path / "s.yaml")
    best = fit(study, Evaluations(study, make_pool(1), None))
    std = measured.std(ddof=1) / np.sqrt(len(t))
    assert best["values"]["x1"] == pytest.approx(measured.mean(), rel=1e-9)
    assert best["std"]["x1"] == pytest.approx(std, rel=1e-6)
    assert best["interval"]["x1"][1] - best["values"]["x1"] == pytest.approx(2.20098516 * std, rel=1e-6)  # t(0.975, 11)
    assert best["residuals"] == len(t)


@pytest.mark.parametrize("ends", ["{}", "{start: 0.5}", "{from: 0}", "{from: 0, to: 1, start: 0}", "{to: 9, start: 9}"])
def test_a_fit_begins_where_it_is_told(tmp_path: Path, ends: str) -> None:
    """Without a range at all, with one end of it, and on an end, from which it must get away."""
    (tmp_path / "m.csv").write_text("t,y\n" + "".join(f"{t},0.4\n" for t in (0, 0.002, 0.005, 0.01)))
    (tmp_path / "spring.yaml").write_text(SPRING + "measures: {level: x1}\n")
    (tmp_path / "s.yaml").write_text(f"model: spring.yaml\nvary: {{x1: {ends}}}\nfit: {{table: m.csv, time: t, columns: {{level: y}}}}\n")
    study = read_study(tmp_path / "s.yaml")
    best = fit(study, Evaluations(study, make_pool(1), None))
    assert best["values"]["x1"] == pytest.approx(0.4, rel=1e-6) and best["at_limit"] == []


def test_a_fit_names_values_that_the_measurement_does_not_determine(tmp_path: Path) -> None:
    """Only the ratio of stiffness and mass is seen in an oscillation, and nothing of a parameter that no law reads; the start is."""
    t = np.linspace(0.0, 1.0, 21)
    c, rest = np.cos(np.sqrt(40.0 / 1.5) * t), 9.81 * 1.5 / 40.0
    measured = rest * (1.0 - c) + 0.2 * c
    (tmp_path / "m.csv").write_text("t,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), measured.tolist(), strict=True)))
    varied = "m: {from: 1, to: 4}, k: {from: 20, to: 90}, x1: {from: 0, to: 1}, idle: {from: 0, to: 1}"
    model = SPRING.replace("x1: 0.1", "x1: 0.1, idle: 0.3").replace("end: 0.01", "end: 1") + "initial: {x: x1}\n"
    (tmp_path / "spring.yaml").write_text(model)
    (tmp_path / "s.yaml").write_text(f"model: spring.yaml\nvary: {{{varied}}}\nfit: {{table: m.csv, time: t, columns: {{x: y}}}}\n")
    study = read_study(tmp_path / "s.yaml")
    best = fit(study, Evaluations(study, make_pool(1), None))
    assert best["values"]["k"] / best["values"]["m"] == pytest.approx(40.0 / 1.5, rel=1e-5)
    assert [best["std"][name] is None for name in ("m", "k", "x1", "idle")] == [True, True, False, True]
    assert best["interval"]["m"] == [None, None] and abs(best["values"]["x1"] - 0.2) < 1e-5
    alone, together = sorted(best["undetermined"], key=len)
    assert alone == {"idle": 1.0} and set(together) == {"m", "k"}
    assert together["k"] / together["m"] == pytest.approx(best["values"]["k"] / best["values"]["m"], rel=1e-3)
    told = "\n".join(lines_of(best))
    assert "nothing that was measured depends on idle" in told and "together change nothing that was measured" in told


def test_a_jacobian_that_jumps_does_not_hide_what_is_determined() -> None:
    """An impact that passes a measured time changes some rows of J, which say nothing. Short directions are told."""
    rng = np.random.default_rng(2)
    J, jumps = rng.standard_normal((40, 3)), np.zeros((40, 3))
    jumps[7:9] = 3.0
    covariance, loose = _covariance(J + jumps, jumps, 4.0, np.ones(3))
    smooth = np.delete(J, [7, 8], axis=0)
    assert len(loose) == 0 and np.allclose(covariance, 4.0 * np.linalg.inv(smooth.T @ smooth), rtol=1e-9, atol=1e-12)
    J[:, 2] = J[:, 0] + 1e-7 * rng.standard_normal(40)
    J[:, 1] *= 1e-9
    _, loose = _covariance(J, 1e-7 * rng.standard_normal((40, 3)), 4.0, np.ones(3))
    assert len(loose) == 2


def test_derivatives_have_their_error(tmp_path: Path) -> None:
    text = """\
vary: {m: {from: 1, to: 3}, k: {from: 40, to: 60}, x1: {normal: {mean: 0, std: 0.1}, add: true}}
outputs: {f: "sqrt(k/m)", g: exp(3*x1)*sin(k), h: final(x)}
sensitivity: {type: derivatives}
"""
    all_of_it = found(tmp_path, text, derivatives)
    f, g = all_of_it["outputs"]["f"]["by"], all_of_it["outputs"]["g"]["by"]
    exact = {"k": 0.5 / np.sqrt(100.0), "m": -0.5 * np.sqrt(50.0) / 2.0**1.5}
    for name, value in exact.items():
        assert abs(f[name]["derivative"] - value) <= f[name]["error"] and f[name]["error"] < 1e-9
    assert f["k"]["elasticity"] == pytest.approx(0.5, rel=1e-9) and f["x1"]["derivative"] == pytest.approx(0.0, abs=1e-15)
    assert g["x1"]["derivative"] == pytest.approx(3.0 * np.exp(0.3) * np.sin(50.0), rel=1e-9)
    assert g["k"]["derivative"] == pytest.approx(np.exp(0.3) * np.cos(50.0), rel=1e-7)
    assert np.isnan(ridders(np.full(3, np.nan), np.ones(3))[0])


@pytest.mark.parametrize("corner", [0.006, 0.01, 0.02])
def test_larger_steps_that_go_over_a_corner_do_not_count(corner: float) -> None:
    """As of an output of a motion with impacts, whose order is another one a little farther off."""
    steps = 0.04 / 1.4 ** np.arange(9)
    values = np.array([[np.exp(2.0 * x) + 3.0 * max(0.0, x - corner) for x in (step, -step)] for step in steps])
    value, error, used = ridders((values[:, 0] - values[:, 1]) / (2.0 * steps), steps)
    assert abs(value - 2.0) <= max(error, 1e-13) and error < 1e-9 and used < corner


@pytest.mark.parametrize("corner", [0.0, 0.002])
def test_a_corner_nearer_than_the_smallest_step(tmp_path: Path, corner: float) -> None:
    """Smaller steps stay on one side of it. At the corner itself there is no derivative, and the error says so."""
    text = f'vary: {{k: {{from: 49, to: 51}}}}\noutputs: {{f: "max(50 + {corner}, k)"}}\nsensitivity: {{type: derivatives}}\n'
    by = found(tmp_path, text, derivatives)["outputs"]["f"]["by"]["k"]
    assert by["error"] < 1e-9 if corner else 0.5 <= by["error"] < 1.0
    assert abs(by["derivative"]) <= by["error"] + 1e-12


def test_errors_of_differences_have_what_rows_miss(tmp_path: Path) -> None:
    """A floor stops a fall between rows. The values are those of Dormand and Prince at 1e-13, with the touches as events."""
    (tmp_path / "spring.yaml").write_text(
        "dimension: 2\ngravity: [0, -9.81]\nparameters: {p: 0.3}\n"
        "bodies: {b: {mass: 1, inertia: 0.1, position: [0, 1]}}\n"
        "joints: {r: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0, 1]}}\n"
        "forces: {l: {type: joint_limit, joint: r, lower: -p, stiffness: 3000, damping: 2}}\nsimulation: {end: 1.5}\n"
    )
    exact = {"mean(abs(der(b.y)))": 3.1377372, "rms(der(b.y))": 3.1051324, "min(b.y)": -1.0715655, "time_of_min(b.y)": 0.40994258}
    lines = ["model: spring.yaml", "vary: {p: {from: 0.2999, to: 0.3001, start: 0.3}}", "sensitivity: {type: derivatives}", "outputs:"]
    (tmp_path / "s.yaml").write_text("\n".join([*lines, *(f"  f{j}: {text}" for j, text in enumerate(exact))]))
    study = read_study(tmp_path / "s.yaml")
    got = derivatives(study, Evaluations(study, make_pool(1), None))["outputs"]
    for j, (text, value) in enumerate(exact.items()):
        by = got[f"f{j}"]["by"]["p"]
        assert abs(by["derivative"] - value) < 10.0 * by["error"] + 1e-6 and by["error"] < 0.05 * abs(value), text


@pytest.mark.parametrize(("kind", "apart"), [("sobol", 0.02), ("fast", 0.03)])
def test_ishigami(tmp_path: Path, kind: str, apart: float) -> None:
    """The indices of Ishigami's function, its mean and its variance, in closed form (Sobol & Levitan 1999)."""
    pytest.importorskip("SALib")
    first, second, mixed = 0.5 * (1.0 + 0.1 * np.pi**4 / 5.0) ** 2, 49.0 / 8.0, 0.01 * np.pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    variance = first + second + mixed
    pair = "{from: -3.141592653589793, to: 3.141592653589793}"
    text = f"""\
vary: {{x1: {pair}, x2: {pair}, x3: {pair}}}
outputs: {{f: sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)}}
sensitivity: {{type: {kind}, count: 1024, seed: 1}}
"""
    one = found(tmp_path, text, indices)["outputs"]["f"]
    by = one["by"]
    assert [by[x]["first"] for x in ("x1", "x2", "x3")] == pytest.approx([first / variance, second / variance, 0.0], abs=apart)
    total = [(first + mixed) / variance, second / variance, mixed / variance]
    assert [by[x]["total"] for x in ("x1", "x2", "x3")] == pytest.approx(total, abs=apart)
    assert one["mean"] == pytest.approx(3.5, abs=0.02) and one["variance"] == pytest.approx(variance, rel=0.02)


def test_without_salib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = run("sensitivity", str(SHIPPED / "piston_force.yaml"), "-o", str(tmp_path / "s.h5"))
    assert done.exit_code == 2 and "pip install 'mbsim[salib]'" in done.output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vary: {m: [1, 2]}\noutputs: {f: m}\noptimize: {minimize: f}", ":2:11: vary.m: expected {from: ..., to: ...}"),
        (f"{ONE}optimize: {{minimize: g}}", ":4:22: optimize.minimize: unknown output 'g'; allowed: f"),
        (f"{ONE}optimize: {{minimize: f, maximize: f}}", ":4:11: optimize: give either minimize or maximize"),
        (f"{ONE}optimize: {{minimize: f, subject_to: {{f: {{}}}}}}", "give min, max or both"),
        ("vary: {m: {from: 1, to: 2}}\nfit: {table: no.csv, time: t, columns: {x: y}}", "s.yaml:3:14: fit.table: there is no file"),
        ("vary: {m: {from: 1, to: 2, start: 3}}\noutputs: {f: m}\nsensitivity: {}", "s.yaml:2:35: vary.m.start: must be within"),
        ("vary: {m: {from: 1}}\noutputs: {f: m}\noptimize: {minimize: f}", "expected {from: ..., to: ...}"),
        ("vary: {m: {from: 1, to: 2, log: true}}\noutputs: {f: m}\noptimize: {minimize: f}", "vary.m: missing key 'count'"),
        ("vary: {m: {from: 1, to: 2}}\nfit: {table: m.csv, time: t, columns: {z: y}}", ":3:40: fit.columns.z: the result has no variable"),
        ("vary: {m: {from: 1, to: 2}}\nfit: {table: m.csv, time: t, columns: {x: z}}", ":3:43: fit.columns.x: "),
        ("vary: {m: {from: 1, to: 2}}\nfit: {table: m.csv, time: t, columns: {x: y}}", "times go from 0 s to 9 s, and the run from 0 s"),
        ("vary: {m: {from: 1, to: 2}}\noutputs: {f: m}\nfit: {}\noptimize: {minimize: f}", "missing key 'table'"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "spring.yaml").write_text(SPRING)
    (tmp_path / "m.csv").write_text("t,y\n0,1\n9,2\n10,3\n".replace("10,3\n", ""))
    (tmp_path / "s.yaml").write_text("model: spring.yaml\n" + text)
    done = run("study", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "o.h5"))
    assert done.exit_code == 2 and words in done.output, done.output
    assert not (tmp_path / "o.h5").exists()


# the shipped examples


def test_tolerance_of_the_coupler_point() -> None:
    """The spread of the coupler point is that of its linear expansion in the four lengths."""
    study = read_study(SHIPPED / "coupler_point.yaml")

    def point(a: float, b: float, c: float, d: float) -> np.ndarray:
        e = np.hypot(a, d)
        beta = np.arccos((e * e + b * b - c * c) / (2.0 * e * b)) - np.arctan2(a, d)
        return np.array([0.5 * b * np.cos(beta), a + 0.5 * b * np.sin(beta)])

    nominal, std = np.array([1.0, 4.0, 2.5, 3.0]), np.array([1e-3, 4e-3, 2.5e-3, 0.01 / np.sqrt(12.0)])
    slopes = np.array([(point(*(nominal + 1e-6 * row)) - point(*(nominal - 1e-6 * row))) / 2e-6 for row in np.eye(4)])
    expected = np.sqrt((std[:, None] ** 2 * slopes**2).sum(axis=0))
    assert study.plan.runs == 1024
    values = study.plan.values(0, 256)  # of a Sobol sequence, which is balanced there too
    found = np.array([outcome.values for outcome in study.runner.run_many(values)])
    assert found == pytest.approx(np.array([point(*row) for row in values]), abs=1e-12)
    assert found.mean(axis=0) == pytest.approx(point(*nominal), abs=5e-5)
    assert found.std(axis=0) == pytest.approx(expected, rel=2e-2)


def wobble(d: float, b: float) -> tuple[float, float]:
    """Height and stroke of a Hoeken linkage's point over half a turn, by plane geometry."""
    theta = np.linspace(0.5 * np.pi, 1.5 * np.pi, 10001)
    A = np.exp(1j * theta)
    v = d - A
    B = A + v * (0.5 + 1j * np.sqrt(b * b / np.abs(v) ** 2 - 0.25))
    P = 2.0 * B - A
    return float(np.ptp(P.imag)), float(np.ptp(P.real))


@pytest.mark.slow
def test_straight_line() -> None:
    """The optimum is that of a fine search by plane geometry, and a third of what Hoeken's 2 : 2.5 leaves."""
    study = read_study(SHIPPED / "straight_line.yaml")
    best = optimise(study, Evaluations(study, make_pool(1), None))
    height, stroke = wobble(best["values"]["d"], best["values"]["b"])
    assert best["outputs"] == {"wobble": pytest.approx(height / stroke, rel=1e-6), "stroke": pytest.approx(stroke, rel=1e-9)}
    grid = [wobble(d, b) for d in np.linspace(2.1, 2.35, 51) for b in np.linspace(2.65, 3.0, 71)]
    least = min(h / s for h, s in grid if s >= 4.0)
    assert best["outputs"]["wobble"] <= least * 1.001
    assert best["outputs"]["wobble"] < 0.4 * wobble(2.0, 2.5)[0] / 4.0


def test_a_step_of_the_straight_line() -> None:
    """What the optimisation sees is plane geometry."""
    study = read_study(SHIPPED / "straight_line.yaml")
    for d, b in ((2.0, 2.5), (2.2152, 2.8228)):
        height, stroke = wobble(d, b)
        assert study.runner.run([d, b]).values.tolist() == pytest.approx([height / stroke, stroke], rel=2e-5)


def test_friction_of_the_pendulum() -> None:
    """The values with which the table was made are inside their intervals, and the residuals are its error of 2e-3 rad."""
    study = read_study(SHIPPED / "pendulum_friction.yaml")
    best = fit(study, Evaluations(study, make_pool(1), None))
    for name, true in {"s": 0.312, "dry": 0.0165, "viscous": 0.0123}.items():
        low, high = best["interval"][name]
        assert low < true < high and high - low < 0.5 * true
    assert best["rms"]["rod.angle"] == pytest.approx(2e-3, rel=0.15) and best["converged"]


# pictures


def test_pictures(tmp_path: Path) -> None:
    base = ["sweep", "pendulum", "--output", "last=final(rod.angle)", "--output", "peak=max(norm(joint_force:pin))", "--end", "0.02"]
    cases = {
        "curves": (["--vary", "l=0.5:1.5:7"], []),
        "map": (["--vary", "l=0.5:1.5:6", "--vary", "m=1:100:7:log"], []),
        "samples": (
            ["--sample", "l~normal(1, 0.05)", "--vary", "m=1,2", "-n", "20", "--keep", "rod.angle"],
            ["history:rod.angle", "tornado:last", "last~peak"],
        ),
    }
    for name, (words, items) in cases.items():
        file = tmp_path / f"{name}.h5"
        assert run(*base, *words, "-j", "1", "-o", str(file)).exit_code == 0
        done = run("plot", str(file))
        assert done.exit_code == 0, done.output
        whole = imread(file.with_suffix(".png"))
        assert min(whole.shape[:2]) > 300 and whole[..., :3].std() > 0.02
        if name == "samples":
            assert run("plot", str(file), "-w", ",".join(items), "-o", str(tmp_path / f"{name}2.png")).exit_code == 0
    assert run("plot", str(tmp_path / "curves.h5"), "-w", "scatter", "-o", str(tmp_path / "scatter.pdf")).exit_code == 0
    for item, words_of in {
        "maap:peak": "did you mean 'map'?", "map:pek": "did you mean 'peak'?", "convergence": "it is no optimisation",
        "history:rod.angle": "keeps no history", "map:peak,scatter": "ask for it alone",
    }.items():  # fmt: skip
        done = run("plot", str(tmp_path / "curves.h5"), "-w", item)
        assert done.exit_code == 2 and (words_of in done.output or "fewer" in done.output), done.output


def test_findings_in_info_and_plot(tmp_path: Path) -> None:
    (tmp_path / "spring.yaml").write_text(SPRING)
    common = "model: spring.yaml\nvary: {m: {from: 0.5, to: 3}, k: {from: 1, to: 4}}\noutputs: {f: (m - 1)^2 + 3*(k - 2)^2 + 5}\n"
    for name, goal in {"optimize": "{minimize: f, method: slsqp}", "sensitivity": "{type: derivatives}"}.items():
        file = tmp_path / f"{name}.yaml"
        file.write_text(f"{common}{name}: {goal}\n")
        target = tmp_path / f"{name}.h5"
        done = run(name, str(file), "-j", "1", "-o", str(target))
        assert done.exit_code == 0, done.output
        facts = json.loads(run("info", str(target), "--json").output)
        assert facts["findings"]["evaluations"] == facts["done"] > 3
        line = next(line for line in done.output.splitlines() if line.startswith(("minimize", "derivatives")))
        assert line in run("info", str(target)).output
        assert run("plot", str(target)).exit_code == 0
        again = run("study", str(file), "-j", "1", "-o", str(tmp_path / "again.h5"), "--force")
        assert again.output.splitlines()[-2] == done.output.splitlines()[-2]
        assert run("fit", str(file)).exit_code == 2
