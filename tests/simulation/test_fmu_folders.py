"""Where units are unpacked: nothing is left behind, by processes that are killed either."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import mechanisms
import pytest
from simulation.test_fmu_controllers import ARM, DESCRIPTION, GAIN, LIBRARY, archive

import mbsim
from mbsim.assembly import fmu_folders
from mbsim.assembly.fmu_folders import PREFIX, Folder
from mbsim.model.file.fmu import read_fmu
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")
WAITS = """
import sys, time
from pathlib import Path
from mbsim.assembly.fmu_folders import Folder
from mbsim.model.file.fmu import read_fmu
kept = Folder(read_fmu(Path(sys.argv[1])))
kept.loaded()
print(kept.path, flush=True)
if sys.argv[2] == "wait":
    time.sleep(600)
"""


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary ones, and units in the folder above: `plain.fmu`, and `rich.fmu` that has a resource."""
    (tmp_path / "gain.c").write_text(GAIN)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", "gain.so", "gain.c"], cwd=tmp_path, check=True)
    library = (tmp_path / "gain.so").read_bytes()
    archive(tmp_path / "plain.fmu", DESCRIPTION, {LIBRARY: library})
    archive(tmp_path / "rich.fmu", DESCRIPTION, {LIBRARY: library, "resources/table.csv": b"1,2\n"})
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv(VARIABLE, "1")
    return folder


def there(folder: Path) -> list[str]:
    return [one.name for one in folder.glob(f"{PREFIX}*")]


def process(folder: Path, name: str, how: str) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", WAITS, str(folder.parent / name), how]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


@pytest.mark.skipif(sys.platform == "win32", reason="a library that is loaded cannot be removed")
def test_a_library_alone_is_removed_when_it_is_loaded(unpacked: Path) -> None:
    """So a process that is killed leaves nothing. The unit goes on, and new instances of it are made."""
    motor = "{type: fmu, file: FILE, sample: 0.1, inputs: {u: arm.angle}, outputs: [y], joint: shoulder}"
    model = mechanisms.model(ARM.replace("MOTOR", motor.replace("FILE", f"{unpacked.parent}/plain.fmu")))
    stepper = mbsim.Stepper(model)
    stepper.step(0.05)
    assert there(unpacked) == []
    stepper.reset()
    stepper.step(0.15)
    assert there(unpacked) == []


def test_resources_stay_as_long_as_they_may_be_read(unpacked: Path) -> None:
    folder = Folder(read_fmu(unpacked.parent / "rich.fmu"))
    folder.loaded()
    assert (folder.path / "resources" / "table.csv").read_text() == "1,2\n"
    path = folder.path
    del folder
    assert not path.exists()


def test_an_ended_process_leaves_nothing(unpacked: Path) -> None:
    done = process(unpacked, "rich.fmu", "end")
    said = done.communicate(timeout=100)[0]
    assert PREFIX in said
    assert done.returncode == 0
    assert there(unpacked) == []


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked there")
def test_the_next_process_removes_what_a_killed_one_has_left(unpacked: Path) -> None:
    """What a process that lives has unpacked stays."""
    lives, dies = (process(unpacked, "rich.fmu", "wait") for _ in range(2))
    try:
        paths = []
        for one in (lives, dies):
            assert one.stdout is not None
            paths.append(Path(one.stdout.readline().strip()))
        assert all(path.exists() for path in paths)
        dies.kill()
        assert dies.wait() == -signal.SIGKILL
        assert paths[1].exists()
        folder = Folder(read_fmu(unpacked.parent / "rich.fmu"))
        assert sorted(there(unpacked)) == sorted([paths[0].name, folder.path.name])
    finally:
        for one in (lives, dies):
            one.kill()
            one.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there")
def test_a_forked_process_leaves_the_folder_to_its_parent(unpacked: Path) -> None:
    folder = Folder(read_fmu(unpacked.parent / "rich.fmu"))
    child = os.fork()
    if child == 0:
        folder._remove()
        os._exit(0)
    os.waitpid(child, 0)
    assert folder.path.exists()


def test_a_folder_that_another_process_removes_before_it_is_locked_is_made_anew(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the file of the lock and the lock it looks as if its process were gone."""
    lock, taken = fmu_folders._locked, list[Path]()

    def late(path: Path) -> int | None:
        if not taken:
            taken.append(path.parent)
            shutil.rmtree(path.parent)
            return None
        return lock(path)

    monkeypatch.setattr(fmu_folders, "_locked", late)
    folder = Folder(read_fmu(unpacked.parent / "rich.fmu"))
    assert folder.path != taken[0] and (folder.path / "resources").is_dir()
