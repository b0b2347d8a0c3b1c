"""A method that does not take the model is told of at its place in the file, and without one where the command line names it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from mbsim.cli import main

MODEL = """name: rubs
dimension: 2
bodies: {{rod: {{mass: 1, inertia: 0.1, position: [0.5, 0]}}}}
joints:
  pin: {{type: revolute, bodies: [ground, rod], at: [0, 0], friction: {{coefficient: 0.3, radius: 0.02}}}}
simulation: {{end: 0.5, step: 1e-3{more}}}
"""
BEAM = """name: beam
dimension: 2
beams: {b: {from: [0, 0], to: [1, 0], elements: 2, section: {circle: 0.01}, material: {E: 2e11, density: 7800}}}
simulation: {end: 1, method: rattle, step: 1e-3}
"""
GENERALIZED = "generalized_alpha makes its own steps: friction that depends on a reaction needs another method"


@pytest.mark.parametrize(
    ("more", "options", "said"),
    [
        (", method: generalized_alpha", (), "rubs.yaml:6:44: simulation.method: " + GENERALIZED),
        (", method: aba", (), "rubs.yaml:6:44: simulation.method: the method 'aba' is for trees in joint coordinates"),
        ("", ("--method", "generalized_alpha"), "Error: " + GENERALIZED),
        (", method: svd", ("--method", "generalized_alpha"), "Error: " + GENERALIZED),
    ],
)
def test_where_it_is_said(more: str, options: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rubs.yaml").write_text(MODEL.format(more=more), encoding="utf-8")
    done = CliRunner().invoke(main, ["run", "rubs.yaml", *options], prog_name="mbsim")
    assert done.exit_code == 2 and done.stderr.splitlines()[-1].startswith(said)


def test_the_place_is_that_of_the_key_and_not_of_a_word_in_the_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Explicit steps that are too long are told of at `step`; `radau` in the message is what would do."""
    monkeypatch.chdir(tmp_path)
    Path("beam.yaml").write_text(BEAM, encoding="utf-8")
    done = CliRunner().invoke(main, ["run", "beam.yaml"], prog_name="mbsim")
    assert done.exit_code == 2 and done.stderr.splitlines()[-1].startswith("beam.yaml:4:44: simulation.step: explicit steps of 0.001 s")
    done = CliRunner().invoke(main, ["run", "beam.yaml", "--step", "1e-4"], prog_name="mbsim")
    assert done.exit_code == 2 and done.stderr.splitlines()[-1].startswith("Error: explicit steps of 0.0001 s")
