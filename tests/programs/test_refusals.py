"""What no unit can have, and what is misspelt: everything that is wrong at once, with the way out, and exit code 2."""

import zipfile
from pathlib import Path
from typing import Any

import mechanisms
import pytest
from click.testing import CliRunner
from exported import CART, needs_compiler

from mbsim import export
from mbsim.cli import main
from mbsim.model.file.errors import ModelError

REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"outputs": ["cart.y", "pole.angel"]}, "unknown output 'pole.angel'; did you mean 'pole.angle'?"),
    ({}, {"outputs": ["cart.z"]}, "unknown output 'cart.z'; did you mean 'cart.y'"),
    ({}, {"outputs": ["event_count(wall)"]}, "unknown event 'wall' of an output"),
    ({}, {"inputs": ["pusch"]}, "unknown parameter 'pusch'; did you mean 'push'?"),
    ({}, {"inputs": ["pusch"], "outputs": ["tipp"]}, "unknown output 'tipp'; did you mean 'tip'?"),
    ({}, {"inputs": ["push"], "changeable": ["push"]}, "'push' is an input and a parameter"),
    ({}, {"outputs": ["force_effort.push"]}, "not shown by units"),
    (
        {"controllers": {"weight": {"type": "gravity_compensation", "joint": "pin", "sample": 0.01}}},
        {},
        "solves the equations of motion at its samples",
    ),
    ({}, {"integrator": "bdf"}, "the integrator 'bdf' takes its steps in Python: name rk4"),
    (
        {"events": {"on": {"when": "cart.x - 1", "do": {"switch": {"push": 1}}}}},
        {"inputs": ["push"]},
        "'push' is switched by the event 'on'",
    ),
    (
        {"events": {"on": {"when": "t - 1", "do": {"set": {"cart.x": "force_effort.push"}}}}},
        {},
        "the event 'on' sets 'cart.x' by force_effort.push, which a unit does not show",
    ),
    ({}, {"kind": "exchange"}, "kind: expected cs, me or both (got 'exchange')"),
    ({}, {"kind": "me", "integrator": "rk4"}, "is integrated by its importer"),
    ({}, {"kind": "me", "method": "svd"}, "name one of aba, cfa, kane, lagrange"),
    ({"simulation": {"end": 1, "method": "generalized_alpha"}}, {"kind": "both"}, "or makes its own steps"),
]


@pytest.mark.parametrize(("changed", "given", "message"), REFUSED, ids=lambda x: x if isinstance(x, str) else "")
def test_what_no_unit_can_have(changed: dict[str, Any], given: dict[str, Any], message: str, tmp_path: Path) -> None:
    text = mechanisms.yaml.safe_load(CART) | changed
    path = tmp_path / "cart.yaml"
    path.write_text(mechanisms.yaml.safe_dump(text))
    with pytest.raises(ValueError) as raised:
        export(path, tmp_path / "cart.fmu", **given)
    assert message in str(raised.value)
    assert not (tmp_path / "cart.fmu").exists()


def test_an_input_changes_laws_alone(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'length' cannot be an input"):
        export(mechanisms.model(CART), tmp_path / "cart.c", ["length"])


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    refused = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "x.fmu"), "--outputs", "cart.z", "--inputs", "pus"])
    assert refused.exit_code == 2 and "unknown parameter 'pus'; did you mean 'push'?" in refused.output
    for arguments in (["--what", "q"], ["--units"]):
        wrong = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "x.c"), *arguments])
        assert wrong.exit_code == 2 and "are for tables" in wrong.output
    for arguments in (["--integrator", "rk4"], ["--step", "0.1"], ["--rtol", "1e-5"]):
        wrong = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "x.fmu"), "--kind", "me", *arguments])
        assert wrong.exit_code == 2 and f"{arguments[0]}: a unit for model exchange is integrated by its importer" in wrong.output
    wrong = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "x.fmu"), "--step", "-1", "--end", "soon"])
    assert wrong.exit_code == 2 and "simulation.step" in wrong.output and "simulation.end" in wrong.output
    for arguments in (["--kind", "me"], ["--derivatives"]):
        wrong = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "x.c"), *arguments])
        assert wrong.exit_code == 2 and "are of .fmu files" in wrong.output
    table = CliRunner().invoke(main, ["export", "result.h5", "-o", str(tmp_path / "x.csv"), "--inputs", "push"])
    assert table.exit_code == 2 and "--inputs: only where a model is written as a program" in table.output


@needs_compiler
def test_the_command_takes_numbers_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    given = ["--step", "0.01", "--end", "2", "--output-step", "0.05", "--set", "stiffness=30"]
    done = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "cart.fmu"), *given])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(tmp_path / "cart.fmu") as archive:
        text = archive.read("modelDescription.xml").decode()
    assert 'stopTime="2.0" stepSize="0.05"' in text
