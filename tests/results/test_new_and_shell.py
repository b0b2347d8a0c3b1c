"""`mbsim new`, what shells complete, the manual page."""

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import LazyGroup, main
from mbsim.cli.new import KINDS, TEMPLATES


@pytest.mark.parametrize("kind", KINDS)
def test_new_models_are_sound(kind: str, tmp_path: Path) -> None:
    """Each assembles where it is drawn, moves, and says its own name."""
    run = CliRunner().invoke(main, ["new", str(tmp_path / "my-model"), "--kind", kind])
    path = tmp_path / "my-model.yaml"
    assert run.exit_code == 0 and run.output.strip() == str(path)
    assert "NAME" not in path.read_text().replace("NAME=VALUE", "")
    model = mbsim.load_model(path)
    made = mbsim.assemble(model)
    assert model.name == "my-model" and not made.warnings
    check = CliRunner().invoke(main, ["check", str(path)])
    assert check.exit_code == 0, check.output
    again = CliRunner().invoke(main, ["new", str(path), "--kind", kind])
    assert again.exit_code == 0  # unchanged, so replaced
    path.write_text(path.read_text() + "# mine\n")
    assert CliRunner().invoke(main, ["new", str(path)]).exit_code == 2


def test_every_template_is_offered() -> None:
    assert sorted(KINDS) == sorted(path.stem for path in TEMPLATES.glob("*.yaml"))


def test_new_takes_yaml_only(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["new", str(tmp_path / "a.txt")])
    assert run.exit_code == 2 and "a model is a file .yaml or .yml" in run.output


COMPLETED = [
    ("mbsim ex", 1, {"export"}),
    ("mbsim run four", 2, {"four_bar"}),
    ("mbsim run pendulum --method ri", 4, {"riemann"}),
    ("mbsim run pendulum --integrator dop", 4, {"dop853"}),
    ("mbsim compare --methods svd,ri", 3, {"svd,riemann"}),
    ("mbsim plot {result} --what rod.", 4, {"rod.x", "rod.y", "rod.angle"}),
    ("mbsim plot missing.h5 --what rod.", 4, set()),
]


@pytest.mark.parametrize(("words", "index", "expected"), COMPLETED)
def test_shells_complete(words: str, index: int, expected: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "{result}" in words:
        mbsim.simulate("pendulum", end=0.01, output=tmp_path / "a.h5")
    monkeypatch.setenv("_MBSIM_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words.format(result=tmp_path / "a.h5"))
    monkeypatch.setenv("COMP_CWORD", str(index))
    run = CliRunner().invoke(main, prog_name="mbsim")
    assert {line.partition(",")[2] for line in run.output.splitlines() if line} >= expected
    assert expected or not run.output.strip()


def test_the_manual_page_has_every_command(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["man", "-o", str(tmp_path / "mbsim.1")])
    assert run.exit_code == 0
    text = (tmp_path / "mbsim.1").read_text()
    assert isinstance(main, LazyGroup)
    for name in main.list_commands(None):  # type: ignore[arg-type]
        assert f".B mbsim {name}\n" in text
    if shutil.which("man"):
        shown = subprocess.run(["man", "--warnings", "-l", str(tmp_path / "mbsim.1")], capture_output=True, text=True, check=False)
        assert shown.returncode == 0 and not shown.stderr
