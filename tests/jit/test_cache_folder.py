"""The folder of the cache: whose it must be, what takes its place, and what its names depend on."""

import logging
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import mbsim
from mbsim.jit import entries, folder, housekeeping, processor, sources

PACKAGE = Path(mbsim.__file__).parent


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own."""
    found = tmp_path / "tmp"
    found.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(found))
    monkeypatch.setattr(entries, "_said", [])
    monkeypatch.delenv("MBSIM_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    return found


def chosen(base: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MBSIM_CACHE_DIR", str(base))
    return folder._cache_folder()


def test_it_is_made_for_us_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    before = os.umask(0)
    try:
        found = chosen(tmp_path / "a" / "cache", monkeypatch)
    finally:
        os.umask(before)
    assert found.parent == tmp_path / "a" / "cache"
    assert mode(found) == mode(found.parent) == 0o700
    assert not caplog.records


def test_the_default_folder_is_made_private(tmp_path: Path) -> None:
    """Those of older versions have the mode that the umask left them."""
    base = tmp_path / "xdg" / "mbsim"
    base.mkdir(parents=True)
    base.chmod(0o777)
    assert folder._cache_folder().parent == base
    assert mode(base) == 0o700


def test_a_relative_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert chosen(Path("here"), monkeypatch).parent == tmp_path / "here"


@pytest.mark.parametrize("what", ["group", "all", "another's", "file", "unwritable", "foreign link", "foreign link on the way", "circle"])
def test_what_is_not_ours_alone_is_not_used(
    what: str, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    base, reason = (
        tmp_path / "cache",
        {"group": "others may write", "all": "others may write", "another's": "belongs to user"}.get(what, ""),
    )
    me = os.geteuid()
    if "link" in what:
        real = tmp_path / "real" / "inside"
        real.mkdir(mode=0o700, parents=True)
        base = base / "inside" if "way" in what else base
        link, reason = tmp_path / "cache", "is a link of user"
        link.symlink_to(real.parent if "way" in what else real)
        lstat = os.lstat

        def foreign(path: Any) -> os.stat_result:
            found = lstat(path)
            return os.stat_result((*found[:4], me + 7, *found[5:10])) if str(path) == str(link) else found

        monkeypatch.setattr(os, "lstat", foreign)
    elif what == "file":
        base.touch()
    elif what == "circle":
        base.symlink_to(base)
    else:
        base.mkdir(mode=0o700)
    if what in ("group", "all"):
        base.chmod(0o720 if what == "group" else 0o702)
    if what == "another's":
        real_stat = Path.stat

        def other(path: Path, **keywords: bool) -> os.stat_result:
            found = real_stat(path, **keywords)
            return os.stat_result((*found[:4], me + 7, *found[5:10])) if path == base else found

        monkeypatch.setattr(Path, "stat", other)
    if what == "unwritable":
        access = os.access
        monkeypatch.setattr(os, "access", lambda path, how: Path(path) != base and access(path, how))
        reason = "cannot be written"
    with caplog.at_level(logging.WARNING, "mbsim"):
        found = chosen(base, monkeypatch)
    assert found.parent == temporary / f"mbsim-cache-{me}"
    assert mode(found.parent) == 0o700
    (record,) = caplog.records
    assert str(base) in record.getMessage() and reason in record.getMessage() and str(found.parent) in record.getMessage()
    if what not in ("file", "circle"):
        assert not list(base.iterdir())
    caplog.clear()
    assert folder._cache_folder() == found  # processes of this program take the same, and say nothing
    assert not caplog.records


def test_links_of_our_own_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(tmp_path / "real")
    found = chosen(tmp_path / "one" / "cache", monkeypatch)
    assert found.is_dir() and found.resolve().is_relative_to(tmp_path / "real")


def test_a_file_in_place_of_the_folder_of_a_version_gives_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = chosen(tmp_path / "cache", monkeypatch)
    first.rmdir()
    first.touch()
    assert chosen(tmp_path / "cache", monkeypatch) == first and first.is_dir()


def test_a_planted_temporary_folder_is_not_used(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").touch()
    planted = temporary / f"mbsim-cache-{os.geteuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    found = chosen(tmp_path / "cache", monkeypatch)
    assert found.parent.parent == temporary and found.parent != planted
    assert mode(found.parent) == 0o700 and not list(planted.iterdir())
    shutil.rmtree(found.parent)


CODE = """
import os, subprocess, sys
from mbsim import jit
print(jit.CACHE_FOLDER.parent)
if len(sys.argv) == 1:
    print(subprocess.run([sys.executable, __file__, "x"], capture_output=True, text=True, check=True).stdout.strip())
"""


@pytest.mark.parametrize("planted", [False, True])
def test_one_temporary_folder_for_a_program_and_its_processes(planted: bool, tmp_path: Path, temporary: Path) -> None:
    """The user's own is used again; one that is nobody else's to find is removed at the end."""
    (tmp_path / "cache").touch()
    if planted:
        (temporary / f"mbsim-cache-{os.geteuid()}").mkdir()
        (temporary / f"mbsim-cache-{os.geteuid()}").chmod(0o777)
    (tmp_path / "program.py").write_text(CODE)
    variables = os.environ | {"MBSIM_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(temporary), "PYTHONPATH": str(PACKAGE.parent)}
    found = set()
    for _ in range(2):
        done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True, check=True, env=variables)
        found |= set(done.stdout.split())
        assert done.stderr.count("compiled code cannot be kept") == 1
    assert len(found) == 1 + planted
    assert {path.name for path in temporary.iterdir()} == {f"mbsim-cache-{os.geteuid()}"}


def test_no_home_and_no_temporary_folder(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is kept, and reading and writing say so like missing files."""

    def homeless(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    def full(*_: object, **__: object) -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setenv("XDG_CACHE_HOME", "relative/paths/do/not/count")
    monkeypatch.setattr(Path, "expanduser", homeless)
    monkeypatch.setattr(tempfile, "gettempdir", full)
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    found = folder._cache_folder()
    assert entries.read(found / "x.image", b"") is None
    assert not entries.write(found / "x.image", b"", b"") and not entries.write(found.parent / "x.digest", b"", b"")
    assert entries.read(found.parent / "x.digest", b"") is None
    assert housekeeping.survey(found.parent) == [] and housekeeping.clear(found.parent) == 0
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def copy(tmp_path: Path) -> Path:
    """The sources, to be changed."""
    made = tmp_path / "package"
    shutil.copytree(PACKAGE, made, ignore=shutil.ignore_patterns("__pycache__", "_models"))
    return made


def test_every_source_of_code_is_in_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of machine code or of the names of generated modules; a file that is touched and not changed makes no other key.

    All files are looked for, and the first and the last file of each folder are changed.
    """
    package, base = copy(tmp_path), tmp_path / "base"
    base.mkdir()
    monkeypatch.setattr(sources, "own", lambda: sources.scan(package))

    def keys() -> tuple[str, str]:
        return folder.digest(base, folder._COMPILED, ["python"]), folder.digest(base, folder._DERIVED, ())

    known = keys()
    assert keys() == known
    for kind in (*folder._COMPILED, "model"):
        files = sorted((package / kind).rglob("*.py"))
        assert files and {str(path) for path in files} <= {source.path for source in sources.of_rooms([kind])}
        together = {path.parent: [each for each in files if each.parent == path.parent] for path in files}
        for path in sorted({end for those in together.values() for end in (those[0], those[-1])}):
            text = path.read_bytes()
            path.write_bytes(text + b"# changed\n")
            changed = keys()
            assert (changed[0] != known[0]) == (kind != "model"), path
            assert (changed[1] != known[1]) == (kind in ("model", "system")), path
            path.write_bytes(text)
    assert keys() == known
    (package / "kernels" / "linalg.py").rename(package / "kernels" / "algebra.py")
    assert keys()[0] != known[0]


def test_nothing_else_takes_part_in_producing_code() -> None:
    """What the sources in the key import is in the key."""
    grimp = pytest.importorskip("grimp")  # of import-linter
    graph = grimp.build_graph("mbsim", exclude_type_checking_imports=True, cache_dir=None)

    def imported(folders: tuple[str, ...]) -> set[str]:
        starts = [name for name in graph.modules if name.split(".")[1:2] and name.split(".")[1] in folders]
        found = set().union(*(graph.find_upstream_modules(name) for name in starts))
        return {name.split(".")[1] for name in found if "." in name}

    compiled, derived = set(folder._COMPILED), set(folder._DERIVED)
    assert imported(("jit", "kernels", "saddle", "elements", "methods", "integrators")) <= compiled
    assert imported(("system",)) <= compiled | derived


@pytest.mark.parametrize("what", ["LLVMLITE_VERSION", "NUMBA_VERSION", "numpy", "python", "processor", "NUMBA_OPT"])
def test_versions_are_in_the_key(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = folder._surroundings()
    assert folder._surroundings() == before
    if what == "numpy":
        monkeypatch.setattr(folder.np, "__version__", "0.0")
    elif what == "python":
        monkeypatch.setattr(sys, "version", "0.0")
    elif what == "processor":
        monkeypatch.setattr(processor, "features", lambda: iter(["flags: none"]))
    elif what == "NUMBA_OPT":
        monkeypatch.setenv(what, "0")
    else:
        assert getattr(folder, what) not in ("", "none")  # it is found
        monkeypatch.setattr(folder, what, "0.0")
    assert folder._surroundings() != before


@pytest.mark.parametrize("name", ["NUMBA_CACHE_DIR", "NUMBA_ENABLE_CUDASIM"])
def test_what_changes_no_code_is_not_in_the_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study in the simulator of CUDA would compile each kernel of its model anew."""
    before = folder._surroundings()
    monkeypatch.setenv(name, "1")
    assert folder._surroundings() == before


@pytest.mark.parametrize("package", ["sympy", "mpmath"])
def test_what_derives_is_in_the_names_of_generated_modules(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "CACHE_FOLDER", tmp_path / "cache" / "version")
    (tmp_path / "cache").mkdir()
    before = folder.derivation.__wrapped__()
    real = folder._package_file
    assert real(package, folder._DERIVING[package])[1]
    monkeypatch.setattr(folder, "_package_file", lambda name, file: ("", "0.0") if name == package else real(name, file))
    assert folder.derivation.__wrapped__() != before


def test_swapped_hashes_of_sources_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / "base"
    base.mkdir()
    one, two = folder.digest(base, ["jit"], ()), folder.digest(base, ["model"], ())
    first, second = sorted(base.iterdir())
    texts = first.read_bytes(), second.read_bytes()
    first.write_bytes(texts[1])
    second.write_bytes(texts[0])
    assert (folder.digest(base, ["jit"], ()), folder.digest(base, ["model"], ())) == (one, two)
