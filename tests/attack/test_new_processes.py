"""Commands in new processes, by `scripts/attack/new_processes.py`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "attack"))
from new_processes import COMMANDS, QUICK, ends_badly

from mbsim.model.file.shipped import shipped


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("model", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in sorted({*shipped()} - {*QUICK}))])
def test_no_command_ends_with_a_traceback(model: str, command: tuple[str, ...], tmp_path: Path) -> None:
    assert not ends_badly(model, command, tmp_path)


def test_a_command_that_ends_badly_is_told(tmp_path: Path) -> None:
    """An interpreter that ends before mbsim begins."""
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit(7)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path))
        assert "exit code" in ends_badly("pendulum", ("check",), tmp_path)
