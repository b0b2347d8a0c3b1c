"""What the distribution promises: versions, entry point, shipped models, and the README's two commands."""

import importlib.metadata
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import mbsim

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMMANDS = runpy.run_path(str(ROOT / ".ci" / "readme_command.py"))
FILES = (path for path in (ROOT / "models").rglob("*") if path.suffix in (".yaml", ".csv"))
MODELS = sorted(path.relative_to(ROOT / "models").as_posix() for path in FILES)  # with the tables that they read


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The built wheel. Made with the build backend directly, so that no index is asked for it."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_installed_version_is_the_projects():
    assert importlib.metadata.version("mbsim") == mbsim.__version__


def test_entry_point_is_the_command():
    (entry,) = [e for e in importlib.metadata.entry_points(group="console_scripts") if e.name == "mbsim"]
    assert callable(entry.load())


def test_numba_is_pinned_to_one_series():
    (numba,) = [d for d in PROJECT["dependencies"] if d.startswith("numba")]
    lower, upper = re.fullmatch(r"numba>=(0\.\d+),<(0\.\d+)", numba).groups()
    assert int(upper[2:]) == int(lower[2:]) + 1


def test_there_are_models_to_ship():
    assert {"pendulum.yaml", "cam_lift.csv"} <= set(MODELS)


def test_wheel_holds_every_model(wheel):
    shipped = {name for name in wheel.namelist() if name.startswith("mbsim/_models/")}
    assert {f"mbsim/_models/{model}" for model in MODELS} <= shipped
    for model in MODELS:
        assert wheel.read(f"mbsim/_models/{model}") == (ROOT / "models" / model).read_bytes()


def test_wheel_holds_every_module_and_the_licence(wheel):
    names = set(wheel.namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mbsim").rglob("*.py")}
    assert modules <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_wheel_holds_nothing_else(wheel):
    assert {name.split("/")[0] for name in wheel.namelist()} == {"mbsim", f"mbsim-{mbsim.__version__}.dist-info"}
    assert not [name for name in wheel.namelist() if "__pycache__" in name or name.endswith((".h5", ".part"))]


def test_readme_opens_with_the_two_commands():
    first, second = COMMANDS["readme_commands"]((ROOT / "README.md").read_text(encoding="utf-8"))[:2]
    assert "mbsim run" in first
    assert "pip install" in first
    assert "[test]" in second
    assert second.endswith("pytest -n auto")


def test_readme_command_must_be_one_line():
    with pytest.raises(ValueError, match="one line"):
        COMMANDS["readme_commands"]("```sh\nfirst\nsecond\n```\n")


def test_readme_command_must_be_on_the_first_screen():
    assert COMMANDS["readme_commands"]("\n" * 50 + "```sh\nlate\n```\n") == []


def test_changelog_has_an_unreleased_section():
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
