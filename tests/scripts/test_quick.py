"""Every command under scripts/ goes through all of its code at a small size (`--quick`) and leaves the documents alone."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mbsim

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
COMMANDS = sorted(path for path in SCRIPTS.rglob("*.py") if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8"))
PEERS = ("exudyn", "mujoco", "pinocchio", "jax")
# Where even a quick run is long and other tests run the rest of it: a part that still enters at the script's own `main`.
PART = {"random_mechanisms": ("--families", "four_bar", "--methods", "lagrange,svd")}
# Runs a script as if the peers were not installed; they are not where the project's checks run, and are on some machines.
WITHOUT_PEERS = f"""
import runpy, sys
sys.modules.update(dict.fromkeys({PEERS!r}))
sys.argv = sys.argv[1:]
sys.path.insert(0, {str(SCRIPTS)!r})
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def has_test_of_its_own(script: Path) -> bool:
    """Whether the tests of its folder run it with `--quick`."""
    folder = script.stem if script.parent == SCRIPTS else script.parent.name
    test = ROOT / "tests" / folder / f"test_{script.stem}.py"
    return test.is_file() and '"--quick"' in test.read_text(encoding="utf-8")


def call(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Python with the mbsim that is tested, in an empty folder that temporary files do not go to."""
    (work := folder / "work").mkdir()
    (scratch := folder / "scratch").mkdir()
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    variables = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(scratch), "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=variables, cwd=work, timeout=600)
    assert list(work.iterdir()) == [], "it wrote into the folder that it was called in"
    return done


def documents() -> dict[Path, tuple[int, int]]:
    """What would change where a file of docs/ or models/ is written."""
    paths = [path for name in ("docs", "models") for path in (ROOT / name).rglob("*")]
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


def cases() -> list[Any]:
    """The scripts without a test of their own."""
    marks = {"benchmark_view": [pytest.mark.slow]}  # most of a minute of waiting for a browser
    return [pytest.param(path, id=path.stem, marks=marks.get(path.stem, ())) for path in COMMANDS if not has_test_of_its_own(path)]


@pytest.mark.parametrize("script", cases())
def test_quick(script: Path, tmp_path: Path) -> None:
    before = documents()
    done = call(tmp_path, script, "--quick", *PART.get(script.stem, ()))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()
    assert documents() == before


def test_the_others_are_run_by_tests_of_their_own() -> None:
    """So that what `test_quick` leaves out is known by name."""
    left_out = {path.stem for path in COMMANDS if has_test_of_its_own(path)}
    assert left_out == {"damage_cache", "damage_results", "kill_runs", "kill_studies", "mutate_models", "mutations", "simultaneous_runs"}


@pytest.mark.parametrize(
    "script", [path for path in COMMANDS if re.search(r"\binstalled\(", path.read_text(encoding="utf-8"))], ids=lambda path: path.stem
)
def test_a_full_run_without_its_peer_is_refused(script: Path, tmp_path: Path) -> None:
    before = documents()
    done = call(tmp_path, "-c", WITHOUT_PEERS, script)
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.fullmatch(r"\w+ is not installed, and this comparison needs it: .*\n", done.stderr)
    assert documents() == before


def test_a_quick_run_without_its_peer_says_so(tmp_path: Path) -> None:
    done = call(tmp_path, "-c", WITHOUT_PEERS, SCRIPTS / "benchmark_chains.py", "--quick", "--output", tmp_path / "documents")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Exudyn is not installed: left out.\n")
    document = (tmp_path / "documents" / "benchmarks-chains.md").read_text(encoding="utf-8")
    assert "| 3 links, 0.5 s, march |  | mbsim " in document and "Exudyn / mbsim" not in document


def test_peers_are_asked_for_at_least_where_they_were() -> None:
    """Or the two tests above would have nothing to do."""
    asking = {path.stem for path in COMMANDS if re.search(r"\binstalled\(", path.read_text(encoding="utf-8"))}
    assert asking == {
        "benchmark_beams",
        "benchmark_chains",
        "benchmark_exudyn",
        "benchmark_iftomm",
        "benchmark_stages",
        "benchmark_stiff",
        "benchmark_studies",
        "benchmark_trees",
        "import_mjcf",
        "import_robots",
        "space_robot_figures",
    }


def test_no_script_reads_the_project_file_for_its_version() -> None:
    """It is not written there (`mbsim.__version__` has it), and an installed mbsim has no project file."""
    assert [path.name for path in SCRIPTS.rglob("*.py") if "tomllib" in path.read_text(encoding="utf-8")] == []


def test_the_version_in_documents_is_that_of_the_sources() -> None:
    script = "import measuring, mbsim; assert f', mbsim {mbsim.__version__}, numpy' in measuring.origin('command', 'numpy 2')"
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join([str(SCRIPTS), str(ROOT)])})
