"""The command line around results: listing, pictures, models; and that asking for help costs nothing."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import synthetic
from click.testing import CliRunner

from mbsim.cli import LazyGroup, first_line, main
from mbsim.cli import models as models_command
from mbsim.model.file import shipped as shipped_models
from mbsim.results import FileRecorder

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numpy", "numba", "pydantic", "yaml", "h5py", "matplotlib", "sympy", "scipy"}


def call(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="mbsim", **options)


def fresh(code):
    """What a new interpreter prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout


def test_help_lists_every_file_of_the_folder():
    result = call("--help")
    assert result.exit_code == 0
    for path in (ROOT / "mbsim" / "cli").glob("[!_]*.py"):
        assert f"\n  {path.stem} " in result.stdout
        assert first_line(path)[:20] in result.stdout


def test_a_command_says_once_that_it_derives_equations():
    call("models")
    (handler,) = logging.getLogger("mbsim").handlers
    said = [logging.LogRecord("mbsim", logging.INFO, f"{name}.py", 1, name, None, None) for name in ("codegen", "kernels")]
    assert [bool(handler.filter(record)) for record in (*said, *said)] == [True, True, False, True]
    call("models")
    assert logging.getLogger("mbsim").handlers[0].filter(said[0])  # the next command says it again


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_and_version_import_nothing_heavy(arguments):
    code = f"import sys\nfrom mbsim.cli import main\nmain({arguments}, 'mbsim', standalone_mode=False)\nprint('\\n', *sys.modules)"
    modules = {name.split(".")[0] for name in fresh(code).splitlines()[-1].split()}
    assert "click" in modules
    assert not modules & HEAVY


@pytest.mark.parametrize("command", ["info", "plot", "models"])
def test_reading_results_needs_no_compiler(file, command):
    arguments = {"info": ["info", str(file)], "plot": ["plot", str(file)], "models": ["models", __file__]}[command]
    code = f"import sys\nfrom mbsim.cli import main\nmain({arguments}, 'mbsim', standalone_mode=False)\nprint('\\n', *sys.modules)"
    modules = {name.split(".")[0] for name in fresh(code).splitlines()[-1].split()}
    assert not modules & {"numba", "sympy", "pydantic", "yaml", "scipy"}


def test_commands_are_click_commands():
    group = LazyGroup("mbsim")
    for name in ("info", "plot", "models", "schema"):
        assert group.get_command(None, name).callback is not None


def test_unknown_command():
    result = call("polt")
    assert result.exit_code == 2
    assert "there is no command 'polt'; did you mean 'plot'?" in result.stderr
    assert result.stdout == ""


def test_version():
    assert call("--version").stdout.startswith("mbsim ")


def test_no_color(file, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in call("info", file, color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    result = CliRunner().invoke(main, ["info", str(file)])
    assert "\x1b[" not in result.stdout


def test_info_says_how_it_was_made_and_what_it_holds(file):
    result = call("info", file)
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    for part in (
        "slider-crank file",
        "status complete",
        "method svd",
        "integrator rk4",
        "step 0.001 s",
        "span 0 to 0.199 s, 200 rows",
        "counts steps 400, evaluations 1600, svds 12",
        "wall time 0.25 s",
        "parameters r = 0.2, l = 0.5",
        "joints 4: O, A, B, guide",
        "not unique reactions of joint guide, constraint guide[0], constraint guide[1]",
        "final values at t = 0.199 s",
        "joint_force N force on the joint's second body",
    ):
        assert part in words
    assert max(len(line) for line in call("info", file).stdout.splitlines() if str(file) not in line) <= 80
    assert "joint_force time 200, joint 4, xyz 3 N force on" in " ".join(call("info", file, "--wide").stdout.split())


def test_info_as_json(file):
    facts = json.loads(call("info", file, "--json").stdout)
    expected = synthetic.rows(0, 200)
    assert facts["counts"]["steps"] == 400
    assert facts["labels"]["body"] == ["crank", "rod", "slider"]
    assert facts["final"]["q"][2] == {"label": "crank.angle", "value": expected["q"][-1, 2], "units": "rad"}
    assert facts["largest_residual"]["velocity"] == expected["residual_velocity"].max()
    assert facts["energy"]["largest_balance"] == abs(expected["energy_balance"]).max()
    assert {"name": "time", "dimensions": ["time"], "shape": [200], "units": "s", "long_name": "time"} in facts["variables"]
    assert facts["not_unique"] == {"joint": ["guide"], "constraint": ["guide[0]", "guide[1]"]}


def test_info_of_a_run_that_was_killed(tmp_path):
    recorder = FileRecorder(tmp_path / "x.h5", synthetic.LAYOUT, "", {}, {}, {})
    recorder.append(synthetic.rows(0, 2))
    assert "running, or killed before its end" in call("info", tmp_path / "x.h5.part").stdout
    result = call("info", tmp_path / "x.h5")
    assert result.exit_code == 2
    assert "there is no result file" in result.stderr
    assert "x.h5.part holds what it wrote" in result.stderr.replace("\n", "")


def test_info_without_rows(tmp_path):
    recorder = FileRecorder(tmp_path / "x.h5", synthetic.LAYOUT, "", {}, {}, {})
    recorder.close("failed", {"failure": "the start cannot be assembled"})
    result = call("info", tmp_path / "x.h5")
    assert result.exit_code == 0
    assert "failed: the start cannot be assembled" in result.stdout
    assert "no rows" in result.stdout


@pytest.mark.parametrize("command", ["info", "plot"])
def test_files_that_are_no_results(tmp_path, command):
    (tmp_path / "x.h5").write_text("no result")
    result = call(command, tmp_path / "x.h5")
    assert result.exit_code == 2
    assert "is not a result of mbsim" in result.stderr
    assert result.stdout == ""


def test_plot_puts_the_picture_beside_the_result(file):
    result = call("plot", file)
    assert result.exit_code == 0
    assert result.stdout == f"{file.with_suffix('.png')}\n"
    assert file.with_suffix(".png").stat().st_size > 10_000


def test_plot_of_what_is_no_file_names_the_option(file):
    result = call("plot", file, "crank.x")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: there is no result file crank.x; what to draw of a result is told by --what crank.x\n",
    )
    assert call("plot", file, "absent.h5").stderr == "Error: there is no result file absent.h5\n"


def test_plot_what_and_output(file, tmp_path):
    result = call("plot", file, "--what", "crank.x, energy", "--what", "drift", "-o", tmp_path / "some.svg")
    assert result.exit_code == 0
    picture = (tmp_path / "some.svg").read_text(encoding="utf-8")
    for title in ("crank.x", "Energy", "Constraint drift"):
        assert f">{title}</text>" in picture


def test_plot_errors(file, tmp_path):
    result = call("plot", file, "--what", "crank.xx")
    assert result.exit_code == 2
    assert "did you mean 'crank.x'?" in result.stderr
    result = call("plot", file, "-o", tmp_path / "absent" / "x.png")
    assert result.exit_code == 2
    assert "cannot write" in result.stderr


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder of models in place of the shipped ones."""
    root = tmp_path / "shipped"
    (root / "bench").mkdir(parents=True)
    (root / "pendulum.yaml").write_text("# A rod that swings.\nname: pendulum\n", encoding="utf-8")
    (root / "slider_crank.yaml").write_text("name: 'slider-crank'\n# later comment\n", encoding="utf-8")
    (root / "bench" / "seven_body.yaml").write_text("name: seven bodies\n", encoding="utf-8")
    monkeypatch.setattr(shipped_models, "folder", lambda: root)
    return root


def test_models_lists_names_and_descriptions(shipped):
    lines = call("models").stdout.splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == ["bench/seven_body", "pendulum", "slider_crank"]
    assert "A rod that swings." in lines[1]
    assert "slider-crank" in lines[2]
    assert call("models", "--wide").stdout.splitlines()[1].endswith(str(shipped / "pendulum.yaml"))


def test_every_line_of_the_listing_of_shipped_models_fits():
    for arguments in (["models"], ["bench", "--list"]):
        lines = call(*arguments).stdout.splitlines()
        assert len(lines) > 48 and max(map(len, lines)) <= 80, arguments
        assert max(map(len, call(*arguments, "--wide").stdout.splitlines())) > 80


@pytest.mark.parametrize("name", ["pendulum", "pendulum.yaml"])
def test_models_prints_a_path(shipped, name):
    assert call("models", name).stdout == f"{shipped / 'pendulum.yaml'}\n"


def test_a_file_wins_over_a_shipped_model(shipped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pendulum.yaml").write_text("name: mine\n", encoding="utf-8")
    assert models_command.find_model("pendulum.yaml") == Path("pendulum.yaml")
    assert models_command.find_model("pendulum") == shipped / "pendulum.yaml"


def test_unknown_models(shipped):
    result = call("models", "pendulm")
    assert result.exit_code == 2
    assert "'pendulm' is neither a file nor a shipped model (there is no such file in " in result.stderr
    assert "did you mean 'pendulum'?" in result.stderr


def test_the_shipped_models_are_found():
    assert call("models", "pendulum").stdout.strip().endswith("pendulum.yaml")


def test_schema_is_the_models_schema(tmp_path):
    result = call("schema")
    assert result.exit_code == 0
    schema = json.loads(result.stdout)
    assert schema["type"] == "object"
    assert call("schema", "-o", tmp_path / "schema.json").stdout == f"{tmp_path / 'schema.json'}\n"
    written = json.loads((tmp_path / "schema.json").read_text(encoding="utf-8"))
    assert written.pop("$comment").startswith("written by mbsim") and written == schema
