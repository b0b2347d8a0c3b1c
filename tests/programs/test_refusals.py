"""What no unit can have, and what is misspelt: everything that is wrong at once, with the way out, and exit code 2."""

from pathlib import Path
from typing import Any

import mechanisms
import pytest
from click.testing import CliRunner
from exported import CART

from mbsim import export
from mbsim.cli import main
from mbsim.model.file.errors import ModelError

REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"outputs": ["cart.y", "pole.angel"]}, "unknown output 'pole.angel'; did you mean 'pole.angle'?"),
    ({}, {"inputs": ["pusch"]}, "unknown parameter 'pusch'; did you mean 'push'?"),
    ({}, {"inputs": ["push"], "changeable": ["push"]}, "'push' is an input and a parameter"),
    ({}, {"outputs": ["force_effort.push"]}, "not shown by units"),
    ({}, {"integrator": "radau"}, "'radau' has arrays of its own, which no unit has: name rk4"),
    ({"events": {"wall": {"when": "cart.x - 1", "do": "stop"}}}, {}, "events"),
    ({"simulation": {"end": 1, "stop": "cart.x - 1"}}, {}, "stop"),
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
    table = CliRunner().invoke(main, ["export", "result.h5", "-o", str(tmp_path / "x.csv"), "--inputs", "push"])
    assert table.exit_code == 2 and "--inputs: only where a model is written as a program" in table.output
