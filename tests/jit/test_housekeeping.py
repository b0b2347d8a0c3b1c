"""The size of the cache: what was used longest ago goes first, and nothing that is not ours."""

import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.jit import entries, housekeeping

VERSION = "mbsim-0123456789abcdef"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Ten files of 1000 bytes and a header, the first used last, among others that are not ours."""
    now = time.time()
    for i in range(10):
        path = tmp_path / VERSION / ("" if i % 2 else "models") / f"{i}.image"
        assert entries.write(path, b"x", bytes(1000))
        os.utime(path, (now - 1000 * i, now - 1000 * i))
    for name in ("mine.image", "mbsim-notes/x.image", "0123456789abcdef/x.image"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(bytes(5000))
        os.utime(tmp_path / name, (0, 0))
    return tmp_path


def left(base: Path) -> list[str]:
    return sorted(kept.path.name for kept in housekeeping.survey(base))


def others(base: Path) -> int:
    return len([path for path in base.rglob("*.image") if path.stat().st_size == 5000])


def test_what_was_used_longest_ago_goes(base: Path) -> None:
    size = sum(kept.size for kept in housekeeping.survey(base))
    assert housekeeping.prune(base, size) == 0
    removed = housekeeping.prune(base, size // 2)
    assert left(base) == ["0.image", "1.image", "2.image", "3.image"]
    assert removed == size * 6 // 10
    assert others(base) == 3


def test_what_killed_processes_left_goes_after_an_hour(base: Path) -> None:
    for name, age in (("old.part", 7200.0), ("new.part", 60.0)):
        path = base / VERSION / name
        path.touch()
        os.utime(path, (time.time() - age, time.time() - age))
    housekeeping.prune(base)
    assert "new.part" in left(base) and "old.part" not in left(base)
    assert len(left(base)) == 11


def test_clearing_leaves_what_is_not_ours(base: Path) -> None:
    (base / "mbsim-0123456789abcdef.digest").write_text("x")
    (base / "mbsim-fedcba9876543210").symlink_to(base / "mbsim-notes")
    assert housekeeping.clear(base) > 10_000
    assert left(base) == [] and not (base / VERSION).exists()
    assert others(base) == 3


def test_the_limit_is_read_and_checked(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert housekeeping.limit() == 500e6
    monkeypatch.setenv("MBSIM_CACHE_LIMIT", "0.001")
    housekeeping.prune(base)
    assert left(base) == []
    for wrong in ("much", "-1", "nan"):
        monkeypatch.setenv("MBSIM_CACHE_LIMIT", wrong)
        with pytest.raises(ValueError, match="expected a number of MB"):
            housekeeping.limit()
        assert housekeeping.prune(base) == 0


def test_the_command_says_what_is_there_and_clears_it(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.jit.CACHE_FOLDER", base / VERSION)
    shown = CliRunner().invoke(main, ["cache"])
    assert shown.exit_code == 0
    assert str(base) in shown.output and "of at most 500 MB, 10 files" in shown.output and "kernels, as machine code" in shown.output
    assert CliRunner().invoke(main, ["cache", "--info"]).output == shown.output
    cleared = CliRunner().invoke(main, ["cache", "--clear"])
    assert cleared.exit_code == 0 and cleared.output == f"0.0 MB removed from {base}\n"
    assert left(base) == [] and others(base) == 3
    monkeypatch.setenv("MBSIM_CACHE_LIMIT", "x")
    assert CliRunner().invoke(main, ["cache"]).exit_code == 2
