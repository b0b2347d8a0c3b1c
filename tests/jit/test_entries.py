"""Files of the cache: what was written is read, anything else in its place is removed."""

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from mbsim.jit import entries

PAYLOAD = bytes(range(256)) * 8
KEY = b"what it is"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "folder" / "x.image"
    assert entries.write(found, KEY, PAYLOAD)
    return found


@pytest.fixture(autouse=True)
def unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "_said", [])


def test_what_is_written_is_read(path: Path) -> None:
    for payload in (PAYLOAD, b"", b"\n"):
        entries.write(path, KEY, payload)
        assert entries.read(path, KEY) == payload
    assert list(path.parent.iterdir()) == [path]


def test_files_and_folders_are_ours_alone(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_every_changed_byte_is_seen(path: Path) -> None:
    whole = path.read_bytes()
    for i in range(len(whole)):
        for mask in (1, 0x80):
            path.write_bytes(whole[:i] + bytes([whole[i] ^ mask]) + whole[i + 1 :])
            assert entries.read(path, KEY) is None, i
            assert not path.exists()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").touch()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to(path.with_name("other"))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "empty": lambda path: path.write_bytes(b""),
    "header": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "folder": _folder,
    "pipe": _pipe,
    "link": _link,
    "dangling": lambda path: (path.unlink(), path.symlink_to("nothing")),
    "writable by others": lambda path: path.chmod(0o622),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_anything_else_is_removed_and_made_anew(path: Path, damage: str) -> None:
    DAMAGES[damage](path)
    assert entries.read(path, KEY) is None
    assert not path.exists() and not path.is_symlink()
    assert entries.write(path, KEY, PAYLOAD)
    assert entries.read(path, KEY) == PAYLOAD


def test_another_file_in_its_place_is_removed(path: Path) -> None:
    assert entries.read(path, b"another") is None
    assert not path.exists()


def test_a_file_of_another_user_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert entries.read(path, KEY) is None


def test_a_file_in_place_of_a_folder_gives_way(path: Path) -> None:
    entries.discard(path.parent)
    path.parent.write_bytes(b"x")
    assert entries.read(path, KEY) is None
    assert entries.write(path, KEY, PAYLOAD)
    assert entries.read(path, KEY) == PAYLOAD


def test_a_full_disk_is_said_once_and_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", refuse)
    with caplog.at_level(logging.WARNING, "mbsim"):
        for _ in range(3):
            assert not entries.write(path, KEY, b"new")
    assert list(path.parent.iterdir()) == [path] and path.read_bytes() == before
    assert [record.getMessage() for record in caplog.records] == [
        f"compiled code cannot be kept in {path.parent} (No space left on device); it is compiled again in each run"
    ]


def test_use_is_noted_to_the_day(path: Path) -> None:
    recent = path.stat().st_mtime - 3600.0
    os.utime(path, (recent, recent))
    entries.read(path, KEY)
    assert path.stat().st_mtime == pytest.approx(recent, abs=1.0)
    old = recent - 86400.0
    os.utime(path, (old, old))
    entries.read(path, KEY)
    assert path.stat().st_mtime > recent
