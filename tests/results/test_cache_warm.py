"""Compiling ahead: what is marched, what is counted and said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mbsim import jit
from mbsim.cli import _warm, main
from mbsim.cli._model import read_model
from mbsim.cli.models import find_model
from mbsim.jit import entries


@pytest.mark.parametrize(
    "trial", [trial for kind in _warm.KINDS.values() for trial in kind], ids=lambda trial: "-".join(map(str, trial[:1]))
)
def test_a_few_steps_of_each_model(trial: _warm.Trial) -> None:
    """Every trial has settings that its model takes, and ends soon after its start."""
    given = dict(trial.settings)
    whole = read_model(find_model(trial.model), (), given)
    short = read_model(find_model(trial.model), (), {**given, **_warm._short(whole)}).simulation
    step = whole.simulation.step
    assert short.start < short.end <= whole.simulation.end
    assert short.end - short.start <= (5.000001 * step if step else 0.0100001 * (whole.simulation.end - whole.simulation.start))


def test_kinds_are_told() -> None:
    """A word that is neither a kind nor a model is refused before anything is compiled, and names the kinds."""
    said = CliRunner().invoke(main, ["cache", "warm", "planar", "plannar"])
    assert said.exit_code == 2 and said.stdout == ""
    assert (
        "'plannar' is neither a file nor a shipped model" in said.stderr and "kinds are planar, spatial, joint, own, beams" in said.stderr
    )
    said = CliRunner().invoke(main, ["cache", "warm", "--clear"])
    assert said.exit_code == 2 and "give one of them" in said.stderr


def test_what_is_added_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own: other workers of pytest add to the common one meanwhile."""
    folder = tmp_path / "cache" / jit.CACHE_FOLDER.name
    path = folder / "test_cache_warm.image"
    monkeypatch.setattr(_warm, "_folder", lambda: folder)
    found: list[_warm.Added] = []
    with _warm._counted(found):
        assert entries.write(path, b"x", bytes(1000))
    with _warm._counted(found):
        pass
    assert [one.kernels for one in found] == [1, 0] and found[0].size == path.stat().st_size > 1000
    assert _warm._said(found[:1]).startswith("1 kernel compiled in ") and _warm._said(found[1:]).startswith("nothing to compile")


def test_a_warm_cache_has_nothing_to_compile() -> None:
    """A model that has run compiles nothing, and the command says so."""
    words = ["cache", "warm", "double_pendulum"]
    assert CliRunner().invoke(main, words).exit_code == 0
    for _ in range(5):  # other workers of pytest may add to the folder meanwhile
        said = CliRunner().invoke(main, words)
        if "kernel" not in said.stdout:
            break
    first, last = said.stdout.splitlines()
    assert first.startswith("double_pendulum lagrange with rk4: nothing to compile (")
    assert last.startswith("together nothing to compile (") and str(jit.CACHE_FOLDER) in last


@pytest.mark.slow
def test_an_empty_cache_is_filled(tmp_path: Path) -> None:
    """What the command compiles is what a run needs: the run after it compiles nothing."""
    environment = {**os.environ, "MBSIM_CACHE_DIR": str(tmp_path / "cache")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mbsim", *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)

    assert "kernels compiled in" in run("cache", "warm", "pendulum").stdout
    assert "Compiling" not in run("run", "pendulum", "--end", "1").stderr
