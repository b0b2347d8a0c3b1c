"""What is said of values without meaning, units, angles of many turns, bodies on their own, and of thousands of mistakes."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mbsim
from mbsim import registry
from mbsim.cli import main
from mbsim.model.expressions.expression import ExpressionError, parse
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load
from mbsim.model.notes import notes

COORDINATES = 'coordinates: [x]\nparameters: {{k: 0, n: -2}}\nenergy: {{kinetic: der(x)^2, potential: "{}"}}\nsimulation: {{end: 1}}\n'
DRIVER = (
    "dimension: 2\nbodies: {{a: {{mass: 1, inertia: 1, position: [0.5, 0]}}}}\njoints: {{O: {{type: revolute, bodies: [ground, a], "
    'at: [0, 0]}}}}\ndrivers: {{d: {{joint: O, angle: "{}"}}}}\nsimulation: {{end: 1}}\n'
)
BASE = "the power of a base that is not greater than 0 (it is"
WITHOUT_VALUE = [
    ("x/0", 1, "division by zero"),
    ("2 + x/k", 5, "division by zero"),
    ("x/(n + 2)", 1, "division by zero"),
    ("(-1)^x", 4, f"{BASE} -1) needs a constant exponent"),
    ("3*n^x", 3, f"{BASE} -2) needs a constant exponent"),
    ("0^x", 1, f"{BASE} 0) needs a constant exponent"),
    ("1e308*x*10", 5, "the product of the constant factors is too large for a number"),
    ("x + sqrt(n)", 4, "the sqrt of (-2) is not defined"),
]


@pytest.mark.parametrize(("text", "offset", "message"), WITHOUT_VALUE)
def test_parts_without_value(text: str, offset: int, message: str, problems: Callable[..., list[str]]) -> None:
    """At the character in question, also where parameters make it so."""
    line = COORDINATES.format(text).splitlines()[2]
    column = line.index(text) + offset + 1
    assert problems(COORDINATES.format(text)) == [f"m.yaml:3:{column}: energy.potential: {message}"]


def test_branches_that_may_never_be_taken_are_not_looked_at(problems: Callable[..., list[str]]) -> None:
    assert problems(COORDINATES.format("if_else(x > 0, x, x/k)")) == []


@pytest.mark.parametrize("text", ["1/({0} - {0})", "(1e200*{0})*(1e200*{0})"])
@pytest.mark.parametrize(("model", "name", "path"), [(COORDINATES, "x", "energy.potential"), (DRIVER, "t", "drivers.d.angle")])
def test_formulas_without_value(text: str, model: str, name: str, path: str) -> None:
    """What is found only when the formula is simplified or differentiated has its place, too."""
    written = model.format(text.format(name))
    with pytest.raises(ModelError) as caught:
        mbsim.assemble(load(written, registry, file="m.yaml"))
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == (path, 3 if model is COORDINATES else 4)
    assert "no real, finite value" in problem.message


UNITS = [
    ("1 kg", "1 kg is written 1"),
    ("2.5mm", "2.5 mm is written 0.0025"),
    ("3e3 g", "3e3 g is written 3"),
    ("90 deg", "90 degrees are written deg(90)"),
    ("9.81 m/s^2", "if it is a unit: numbers have none"),
    ("8,5", "a number has a decimal point and no comma: 8.5"),
    ("0,001", "a number has a decimal point and no comma: 0.001"),
    ("k, 1", "expected an operator before ','"),
    ("3t", "3 t is written 3000; 3 times the time is 3*t"),
    ("2 foo", "expected an operator before 'foo'"),
    ("2foo", "an operator is missing between 2 and foo"),
]


@pytest.mark.parametrize(("text", "message"), UNITS)
def test_units(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert message in str(caught.value)


PLANE = ("dimension: 2", "inertia: 1", "at: [0, 0]", "value: {}")
SPACE = ("dimension: 3", "inertia: [1, 1, 1]", "at: [0, 0, 0], axis: [0, 0, 1]", 'value: ["{}", 0, 0]')
USUAL = [
    (PLANE, "a.omega", "der(a.angle)"),
    (PLANE, "a.angular_velocity", "der(a.angle)"),
    (PLANE, "O.theta", "O.angle"),
    (PLANE, "a.vx", "der(a.x)"),
    (PLANE, "a.velocity.y", "der(a.y)"),
    (PLANE, "a.position.x", "a.x"),
    (PLANE, "PI*t", "pi"),
    (SPACE, "a.angular_velocity.y", "angular_velocity(a).y"),
    (SPACE, "a.velocity.z", "der(a.z)"),
    (SPACE, "a.vw", None),
]


@pytest.mark.parametrize(("kind", "text", "meant"), USUAL)
def test_words_of_other_programs(kind: tuple[str, ...], text: str, meant: str | None) -> None:
    """What other programs call a state is suggested by the name that it has here, and what is suggested is understood."""
    dimension, inertia, place, value = kind

    def read(law: str) -> None:
        load(
            f"{dimension}\nbodies: {{a: {{mass: 1, {inertia}}}}}\njoints: {{O: {{type: revolute, bodies: [ground, a], {place}}}}}\n"
            f"forces: {{f: {{type: torque, body: a, {value.format(law)}}}}}\nsimulation: {{end: 1}}\n",
            registry,
            file="m.yaml",
        )

    with pytest.raises(ModelError) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert problem.line == 4
    assert (f"; did you mean '{meant}'?" in problem.message) == (meant is not None)
    if meant is not None:
        read(meant)


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("joint_force.O.x", "measures and the `when` of events read it"),
        ("force_effort.f", "measures read it"),
        ("energy_kinetic", "measures read it"),
    ],
)
def test_what_is_recorded_is_no_unknown_word_of_a_law(name: str, who: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(
            f"dimension: 2\nbodies: {{a: {{mass: 1, inertia: 1}}}}\njoints: {{O: {{type: revolute, bodies: [ground, a], at: [0, 0]}}}}\n"
            f"forces: {{f: {{type: torque, body: a, value: 2*{name}}}}}\nsimulation: {{end: 1, stop: {name} - 1}}\n",
            registry,
            file="m.yaml",
        )
    for problem in caught.value.problems:
        assert f"unknown name '{name}': it is found from what a run records, so that {who}" in problem.message
    assert [problem.line for problem in caught.value.problems] == [4, 5]


BODIES = """dimension: 2
bodies:
  a: {mass: 1, inertia: 1, angle: 90}
  b: {mass: 1, inertia: 1, angle: 2*pi}
  c: {mass: 1, inertia: 1}
  d: {mass: 1, inertia: 1}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
forces:
  f: {type: force, body: a, value: [d.x, 0]}
simulation: {end: 1}
"""


def test_notes() -> None:
    """An angle of more than a turn, and bodies that nothing touches; c and b are alone, d is read by a law."""
    assert notes(load(BODIES, registry, file="m.yaml")) == (
        "bodies.a.angle = 90 (line 3) is more than a full turn: angles are in radians; 90 degrees are written deg(90)",
        "no joint, driver, force or constraint has to do with b, c: nothing but gravity moves them",
    )


def test_free_bodies_are_no_mistake() -> None:
    text = BODIES[: BODIES.index("joints")].replace("90", "0") + "simulation: {end: 1}\n"
    assert notes(load(text, registry, file="m.yaml")) == ()


def test_nodes_of_a_ring_go_around_once_and_more() -> None:
    """Their angles count turns along the beam, and nobody has written them."""
    places = [[round(math.cos(k * math.pi / 4), 12), round(math.sin(k * math.pi / 4), 12)] for k in range(9)]
    text = f"""
dimension: 2
beams: {{ring: {{points: {places}, elements: 12, section: {{circle: 0.01}}, material: {{E: 7e10, density: 2700}}, clamped: [start]}}}}
simulation: {{end: 1}}
"""
    model = load(text, registry, file="m.yaml")
    assert max(body.angle for body in model.bodies.values()) > 2 * math.pi and notes(model) == ()


def test_shipped_models_are_as_meant() -> None:
    from mbsim.cli.models import list_shipped

    found = {name: said for name, path in list_shipped().items() if (said := notes(mbsim.load_model(path)))}
    assert not found


def test_check_and_assembly_have_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(BODIES)
    assert len(mbsim.assemble(mbsim.load_model(path)).notes) >= 2
    output = CliRunner().invoke(main, ["check", str(path)]).output
    assert "note: bodies.a.angle = 90" in output and "note: no joint, driver, force" in output


def test_thousands_of_mistakes(tmp_path: Path, problems: Callable[..., list[str]]) -> None:
    """All are found, a few hundred have a suggestion, and as many are printed."""
    text = BODIES + "parameters:\n" + "".join(f"  p{k}: q{k}\n" for k in range(1000))
    found = problems(text.replace("type: force, ", "type: push, "))
    assert sum("unknown name 'q" in line for line in found) == 1000
    assert sum("did you mean" in line for line in found) <= 200
    path = tmp_path / "m.yaml"
    path.write_text(text)
    output = CliRunner().invoke(main, ["check", str(path)]).output.splitlines()
    assert len(output) == 201 and output[-1] == "and 800 more problems"


def test_csv_of_commas(tmp_path: Path) -> None:
    """What is read of a wrong file is bounded."""
    (tmp_path / "line.csv").write_text("," * 3000)
    (tmp_path / "lines.csv").write_text("x,y\n" * 3000)
    for name, message in (("line", "the line has more than 1000 cells"), ("lines", "and at least 990 more mistakes")):
        path = tmp_path / "m.yaml"
        path.write_text(
            f"dimension: 2\nbodies: {{a: {{mass: 1, inertia: 1}}}}\ntables: {{T: {{file: {name}.csv}}}}\nsimulation: {{end: 1}}\n"
        )
        with pytest.raises(ModelError, match=message):
            mbsim.load_model(path)


def test_long_names(problems: Callable[..., list[str]]) -> None:
    text = "bodies: {NAME: {mass: 1, inertia: [1, 1, 1]}}\nsimulation: {end: 1}\n"
    assert problems(text.replace("NAME", "n" * 200)) == []
    assert "200 at most" in problems(text.replace("NAME", "n" * 201))[0]


def test_long_keys_are_cut(problems: Callable[..., list[str]]) -> None:
    text = f"bodies: {{a: {{mass: 1, inertia: [1, 1, 1], ? {'-' * 900}x : 1}}}}\nsimulation: {{end: 1}}\n"
    (problem,) = problems(text)
    assert len(problem) < 500


def test_numbers_that_are_too_large(problems: Callable[..., list[str]]) -> None:
    text = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1, points: {A: [1e308, 0]}}}\nsimulation: {end: 1}\n"
    assert problems(text) == [
        "m.yaml:2:48: bodies.a.points.A[0]: must not be greater than 1e+50 in size, so that products of such numbers are known (got 1e+308)"
    ]


def test_mass_zero(problems: Callable[..., list[str]]) -> None:
    """In joint coordinates a body may have inertia only."""
    text = "bodies: {a: {mass: 0, inertia: [1, 1, 1]}}\nsimulation: {end: 1}\n"
    assert "must be greater than 0 (got 0); only with `coordinates: joint`" in problems(text)[0]
    assert problems("coordinates: joint\n" + text) == []


def test_a_scalar_for_a_block_is_not_blamed_on_the_command_line(problems: Callable[..., list[str]]) -> None:
    text = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\nsimulation: lsoda\n"
    assert problems(text, simulation={"end": "2"}) == ["m.yaml:3:1: simulation: expected a block such as {end: 1} (got 'lsoda')"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".", ["is a folder, and a model is a file; it holds one.yaml"]),
        ("nowhere/x.yaml", ["there is no folder", "nowhere"]),
        ("pendulun", ["there is no such file in", "did you mean 'pendulum'?"]),
    ],
)
def test_where_a_model_was_looked_for(name: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["check", name])
    assert result.exit_code == 2
    assert all(word in result.output for word in words), result.output


MASSLESS = """parameters: {m: 0}
coordinates: [a, b, c]
energy: {kinetic: der(a)^2 + m*der(b)^2 + der(c)^2, potential: a + b + c}
constraints: {k: {type: holonomic, equation: c - sin(a)}}
simulation: {end: 1}
"""


def test_the_coordinate_without_inertia_is_named() -> None:
    with pytest.raises(ModelError) as caught:
        mbsim.assemble(load(MASSLESS, registry, file="m.yaml"))
    assert str(caught.value) == "m.yaml:3:19: energy.kinetic: the start cannot be assembled: nothing has inertia in der(b)"


def mbsim_to(stdout: Any, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from mbsim.cli import enter; enter()"
    return subprocess.run([sys.executable, "-c", code, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", ["models", "schema"])
def test_full_standard_output(command: str) -> None:
    with open("/dev/full", "w") as full:
        done = mbsim_to(full, command)
    assert (done.returncode, done.stderr) == (1, "Error: standard output: No space left on device\n")


def test_standard_output_that_nobody_reads() -> None:
    read, write = os.pipe()
    os.close(read)
    done = mbsim_to(write, "models")
    os.close(write)
    assert done.stderr == ""


def test_closed_standard_output() -> None:
    code = "import os; os.close(1); os.execv(os.sys.executable, [os.sys.executable, '-m', 'mbsim', 'models'])"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
