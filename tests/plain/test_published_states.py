"""Shipped models with published eigenvalues, borders of stability and equilibria meet them. The bicycle: test_modes.py."""

import runpy
from pathlib import Path

import pytest

from mbsim.studies.bench.cases import MET, read_case
from mbsim.studies.bench.measure import statics

ROOT = Path(__file__).parents[2]
NAMES = ["bistable_toggle", "catenary", "hanging_chain", "porter_governor", "tensegrity_prism", "whirling_rotor"]


@pytest.mark.parametrize("name", NAMES)
def test_shipped_models(name: str) -> None:
    _meets(ROOT / "models" / f"{name}.yaml")


@pytest.mark.parametrize("n", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_a_hinged_beam(n: int, tmp_path: Path) -> None:
    """The closed forms of the chain hold for any number of rods, and the tolerances to those of the beam follow from it."""
    path = tmp_path / "beam.yaml"
    path.write_text(runpy.run_path(str(ROOT / "scripts" / "rods.py"))["MODELS"]["hinged_beam"](n))
    _meets(path)


def _meets(path: Path) -> None:
    case = read_case(path)
    assert case is not None and not case.wanted
    found = statics(case)
    assert found.verdict == MET, found.reason
