"""Where the archives of units are unpacked: temporary folders, which are removed with what has asked for them.

A process that is killed, as the workers of a study are at their end, removes nothing. So what a unit does not need any more is removed as
soon as its library is loaded, and each folder is locked by the process that has made it: the next process that unpacks a unit removes
those whose process is gone.
"""

import os
import shutil
import sys
import tempfile
import time
import weakref
import zipfile
from contextlib import suppress
from pathlib import Path

from mbsim.model.file.fmu import check_paths
from mbsim.model.file.fmu_records import Description
from mbsim.system.sample_error import SampleError

PREFIX = "mbsim-fmu-"
LOCK = "lock"
RESOURCES = "resources"
MAX_BYTES = 2_000_000_000  # of an archive when it is unpacked
UNLOCKED = 3600.0  # s: younger folders without a lock may be about to get it


class Folder:
    """The libraries of a unit for this machine, and its resources, as long as this lives. Raises SampleError as `_unpack`."""

    def __init__(self, description: Description) -> None:
        _remove_left()
        self.path, lock = _made()
        owner = os.getpid()
        self._remove = weakref.finalize(self, _remove_own, self.path, owner, lock)
        self._files = _unpack(description, self.path)

    def loaded(self) -> None:
        """The library is loaded: where it is all that there is, no file is needed any more."""
        if self._files == 1 and sys.platform != "win32":
            self._remove()


def _made() -> tuple[Path, int | None]:
    """A folder, and its lock. One that another process has removed before it was locked is made anew."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = _locked(folder / LOCK)
        if folder.is_dir():
            return folder, lock
        if lock is not None:
            os.close(lock)


def _unpack(description: Description, folder: Path) -> int:
    """How many files there are. Raises SampleError for an archive that leads elsewhere or is too large."""
    binaries = description.library.rpartition("/")[0] + "/"
    with zipfile.ZipFile(description.path) as archive:
        wanted = [entry for entry in archive.infolist() if entry.filename.startswith((binaries, f"{RESOURCES}/"))]
        check_paths([entry.filename for entry in wanted])
        if sum(entry.file_size for entry in wanted) > MAX_BYTES:
            raise SampleError(f"{description.path}: unpacked it is larger than {MAX_BYTES} bytes")
        (folder / RESOURCES).mkdir()
        for entry in wanted:  # links are written as plain files, as `extract` does
            archive.extract(entry, folder)
    return sum(not entry.is_dir() for entry in wanted)


def _remove_own(folder: Path, owner: int, lock: int | None) -> None:
    """Remove a folder. A process that was forked from its owner leaves it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        with suppress(OSError):
            os.close(lock)


def _remove_left() -> None:
    """Remove the folders of this user whose processes are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # of folders of others, and of what another process removes now
            _remove_if_left(folder)


if sys.platform == "win32":

    def _locked(path: Path) -> int | None:
        """Nothing is locked: a library that is loaded cannot be removed."""
        return None

    def _remove_if_left(folder: Path) -> None:
        """Folders are left alone: none tells whether its process is there."""

else:
    import fcntl

    def _locked(path: Path) -> int | None:
        """A file that is locked as long as this process, or one that it has forked, lives; None where the file system has no locks."""
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)  # waits for a process that removes it
        except OSError:
            os.close(handle)
            return None
        return handle

    def _remove_if_left(folder: Path) -> None:
        """Remove a folder of this user that no process has locked. Raises OSError."""
        about = folder.lstat()
        if about.st_uid != os.getuid() or folder.is_symlink():
            return
        try:
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            if time.time() - about.st_mtime > UNLOCKED and not any(folder.iterdir()):
                folder.rmdir()
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)
