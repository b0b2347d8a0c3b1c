"""Nothing is lost: a command replaces its own outputs as long as nobody edited them, and nothing else."""

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import h5py
import pytest
import synthetic
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.results import FileRecorder, outputs

ROOT = Path(__file__).parents[2]
ROBOT = (
    '<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/><origin xyz="0 0 1"/>{}</inertial></link>{}</robot>'
)
URDF = ROBOT.format(
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>',
    '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint>',
)
# Every command that writes, with an output whose suffix it takes. Refusals come before anything is compiled.
WRITERS = {
    "run": ["run", "pendulum", "-o", "OUT.h5"],
    "inverse": ["inverse", "space_robot", "-o", "OUT.h5"],
    "kinematics": ["kinematics", "slider_crank", "--cycle", "crank.angle=0:1:5", "-o", "OUT.h5"],
    "assemble": ["assemble", "pendulum", "-o", "OUT.yaml"],
    "schema": ["schema", "-o", "OUT.json"],
    "import": ["import", "robot.urdf", "-o", "OUT.yaml"],
    "plot": ["plot", "result.h5", "-w", "energy", "-o", "OUT.png"],
    "plot svg": ["plot", "result.h5", "-w", "energy", "-o", "OUT.svg"],
    "plot pdf": ["plot", "result.h5", "-w", "energy", "-o", "OUT.pdf"],
    "compare": ["compare", "pendulum", "-o", "OUT.json"],
    "compare h5": ["compare", "pendulum", "-o", "OUT.h5"],
    "compare html": ["compare", "pendulum", "-o", "OUT.html"],
    "bench": ["bench", "pendulum_dae", "-o", "OUT.csv"],
}
CHEAP = ("schema", "import", "plot")  # what needs no compiler


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a robot and a result."""
    monkeypatch.chdir(tmp_path)
    Path("robot.urdf").write_text(URDF)
    recorder = FileRecorder("result.h5", synthetic.LAYOUT, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC)
    recorder.append(synthetic.rows(0, 20))
    recorder.close("complete", synthetic.FINAL)
    return tmp_path


def call(arguments, **options):
    return CliRunner().invoke(main, arguments, prog_name="mbsim", **options)


def target(writer):
    return Path(WRITERS[writer][-1])


def foreign(path):
    path.write_text("name: mine\n# days of work\n")


def hostile_hdf5(path):
    with h5py.File(path, "w") as file:
        file["mine"] = [1.0]


def dangling(path):
    path.symlink_to("absent")


def linked(path):
    Path("elsewhere").write_text("precious")
    path.symlink_to("elsewhere")


def linked_result(path):
    path.symlink_to("result.h5")


def folder(path):
    path.mkdir()


def pipe(path):
    os.mkfifo(path)


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("there", [foreign, hostile_hdf5, dangling, linked, linked_result, folder])
def test_what_is_not_ours_stays(here, writer, there):
    path = target(writer)
    there(path)
    before = {name: os.lstat(name).st_mode for name in os.listdir()}
    content = path.read_bytes() if path.is_file() else None
    found = call(WRITERS[writer])
    assert found.exit_code == 2, found.output
    assert str(path) in found.stderr and found.stdout == ""
    assert {name: os.lstat(name).st_mode for name in os.listdir()} == before
    assert content is None or path.read_bytes() == content


@pytest.mark.parametrize("writer", CHEAP)
def test_force_replaces_files_and_nothing_else(here, writer):
    path = target(writer)
    foreign(path)
    path.chmod(0o640)
    assert call([*WRITERS[writer], "--force"]).exit_code == 0
    assert b"days of work" not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.unlink()
    linked(path)
    assert call([*WRITERS[writer], "--force"]).exit_code == 2
    assert Path("elsewhere").read_text() == "precious" and path.is_symlink()


@pytest.mark.parametrize("writer", [*CHEAP, "plot svg", "plot pdf"])
def test_ours_is_replaced_until_somebody_edits_it(here, writer):
    path = target(writer)
    for _ in range(2):
        assert call(WRITERS[writer]).exit_code == 0
    assert not list(here.glob("*.part"))
    if writer in ("schema", "import", "plot svg"):
        text = path.read_text()
        path.write_text(f"{text[:200]} {text[200:]}")
        assert call(WRITERS[writer]).exit_code == 2
        path.write_text(text)
        assert call(WRITERS[writer]).exit_code == 0


def test_marks_do_not_disturb_the_format(here):
    call(WRITERS["schema"])
    schema = json.loads(Path("OUT.json").read_text())
    assert schema.pop("$comment").startswith("written by mbsim") and schema == json.loads(call(["schema"]).stdout)
    call(WRITERS["import"])
    assert call(["check", "--help"]).exit_code == 0
    from mbsim.assembly import load_model

    assert load_model("OUT.yaml").name == "one"


@pytest.mark.parametrize(
    "arguments", [["run", "pendulum", "-o", "x.csv"], ["inverse", "pendulum", "-o", "x"], ["run", "m.yaml", "-o", "m.yaml"]]
)
def test_a_result_is_hdf5_by_its_name(here, arguments):
    foreign(Path("m.yaml"))
    found = call(arguments)
    assert found.exit_code == 2 and "the suffix says the format, one of .h5, .hdf5, .nc" in found.stderr
    assert Path("m.yaml").read_text() == "name: mine\n# days of work\n"


def test_what_is_read_is_not_replaced_even_by_force(here):
    Path("model.h5").write_text((ROOT / "models" / "pendulum.yaml").read_text())
    Path("robot.yaml").write_text(URDF)
    for arguments in (["run", "model.h5", "-o", "model.h5"], ["import", "robot.yaml", "-o", "robot.yaml"]):
        before = Path(arguments[1]).read_bytes()
        found = call([*arguments, "--force"])
        assert found.exit_code == 2 and "it is what is read" in found.stderr
        assert Path(arguments[1]).read_bytes() == before


def test_devices_and_pipes_are_never_replaced(here):
    pipe(Path("pipe.h5"))
    for path in (Path("/dev/full"), Path("/dev/null"), Path("pipe.h5")):
        for force in (False, True):
            with pytest.raises(outputs.OutputError, match=r"a device|a pipe"):
                outputs.require(path, force)
    full = call(["schema", "-o", "/dev/full"])
    assert full.exit_code == 1 and "cannot write /dev/full: No space left on device" in full.stderr
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_texts_may_go_to_standard_output(here, name):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mbsim", "schema", "-o", name]
    piped = subprocess.run(command, capture_output=True, check=True, env=environment).stdout
    with open("caught", "wb") as file:
        subprocess.run(command, stdout=file, check=True, env=environment)
    assert json.loads(piped) == json.loads(Path("caught").read_bytes()) and "$comment" not in json.loads(piped)
    assert "written by mbsim" not in piped.decode()


@pytest.mark.parametrize(("writer", "number"), [("schema", errno.ENOSPC), ("import", errno.EDQUOT), ("plot", errno.ENOSPC)])
def test_a_full_disk_leaves_the_old_file(here, writer, number, monkeypatch):
    path = target(writer)
    call(WRITERS[writer])
    before = path.read_bytes()

    def full(handle):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    found = call(WRITERS[writer])
    assert found.exit_code == 1 and f"cannot write {path}: {os.strerror(number)}" in found.stderr
    assert path.read_bytes() == before and not list(here.glob("*.part"))


def test_what_comes_there_during_the_work_stays(here):
    replacing = outputs.replacing(Path("x.txt"))
    replacing.__enter__().write_text("ours")
    foreign(Path("x.txt"))
    with pytest.raises(outputs.OutputError):
        replacing.__exit__(None, None, None)
    assert Path("x.txt").read_text().startswith("name: mine") and not list(here.glob("*.part"))
    recorder = FileRecorder("y.h5", synthetic.LAYOUT, "", {}, {}, synthetic.STATIC)
    recorder.append(synthetic.rows(0, 5))
    foreign(Path("y.h5"))
    with pytest.raises(outputs.OutputError, match=r"the result is in y\.h5\.part"):
        recorder.close("complete", {})
    assert Path("y.h5").read_text().startswith("name: mine") and recorder.part.exists()


def test_an_empty_file_is_nothing(here):
    Path("OUT.json").touch()
    assert call(WRITERS["schema"]).exit_code == 0
