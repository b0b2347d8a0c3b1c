"""`mbsim check` on every shipped model."""

import json

import pytest
from click.testing import CliRunner
from mechanisms import MODELS

from mbsim.cli import main


@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("*.yaml")))
def test_every_shipped_model_is_examined(name: str) -> None:
    done = CliRunner().invoke(main, ["check", str(MODELS / f"{name}.yaml"), "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["rank"] + facts["degrees_of_freedom"] == facts["speeds"]
    assert facts["constraint_rows"] - facts["rank"] == facts["redundant"]
    assert facts["mass_matrix"] == "positive definite"
    assert facts["residual_position"] < 1e-9 and facts["residual_velocity"] < 1e-9
