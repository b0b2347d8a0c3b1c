"""One HDF5 file that grows in transactions and gets its name when it is complete: results of runs and of studies.

It is written as `<name>.part` (`journal.py`). A process that is killed leaves everything that was committed, and an older file of that name
stays until the new one is complete. SWMR was tried instead and rejected: a killed writer leaves a file that has to be repaired first.
"""

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import h5py

from mbsim.results import outputs
from mbsim.results.journal import JournalledFile, Overlaid, has_journal


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block: a transaction must be complete, and an exception inside HDF5 destroys the file."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    handler: Callable[..., Any] = before
    heard: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *given: heard.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if heard:
            handler(*heard[-1])


def part_of(path: Path) -> Path:
    """Where a file is written until it is complete."""
    return path.with_name(path.name + ".part")


class Dataset:
    """See the module. `file` is what is written; nothing of it is there for others before a `commit`."""

    def __init__(self, path: Path, noun: str, force: bool, cache: int) -> None:
        """`noun` names it in messages, `cache` is HDF5's in bytes.

        Raises BlockingIOError while another run writes it, OutputError, OSError.
        """
        self.path, self.part, self._noun, self._force = path, part_of(path), noun, force
        self._held = JournalledFile(self.part)
        self._is_whole = False  # all of it was committed
        try:
            with uninterrupted():
                # Format of HDF5 1.8: from 1.10 on a file is marked as open for writing, and a killed run would have to be repaired.
                self.file = h5py.File(self._held, "w", libver=("v108", "v108"), rdcc_nbytes=cache)
        except BaseException:
            self.release(keep=False)
            raise

    @property
    def has_failed(self) -> bool:
        """Whether a write failed. Nothing is committed any more."""
        return bool(self._held.reason)

    def commit(self, write: Callable[[], None] = lambda: None, flush: bool = True, kept: Callable[[], str] = str) -> None:
        """Write, and with `flush` add all that was written to the file. Raises OSError, which tells what is `kept`."""
        try:
            write()
            if flush:
                self.file.flush()
                self._held.commit()
        except (OSError, RuntimeError) as error:  # HDF5 raises either
            number = getattr(error, "errno", None) or errno.EIO
            raise OSError(number, f"cannot write the {self._noun} {self.path}: {self._held.reason or error}{kept()}") from error

    def finish(self) -> None:
        """Close the file and give it its name. Raises OutputError where something else has the name meanwhile, OSError."""
        self.file.close()
        try:
            self._held.commit()
            self._is_whole = True
            outputs.take_mode(self._held.handle, self.path)
            self._held.sync()
            outputs.require(self.path, self._force)  # the path may have changed meanwhile
            if not self._held.is_in_place():
                raise FileNotFoundError(errno.ENOENT, "it was removed or replaced by another program", str(self.part))
            if os.name == "nt":  # an open file cannot be renamed there
                self._held.close()
            os.replace(self.part, self.path)
            outputs.sync_folder(self.path)
        except outputs.OutputError as error:
            raise outputs.OutputError(f"{error}; the {self._noun} is in {self.part}") from error
        except OSError as error:
            raise OSError(
                error.errno, f"cannot write the {self._noun} {self.path}: {error.strerror}; what was written is in {self.part}"
            ) from error

    def release(self, keep: bool) -> None:
        """Close everything. A part file that is of no use is removed: one that nobody wants to `keep`, and that is not whole."""
        file: Any = getattr(self, "file", None)
        if file:
            with suppress(OSError, RuntimeError):
                file.close()  # what this writes is not committed
        if not keep and not self._is_whole and self._held.is_in_place():
            self.part.unlink(missing_ok=True)
        self._held.close()


def open_to_read(path: Path) -> tuple[h5py.File, Callable[[], None]]:
    """Open a file of a run or a study without a lock, because a run may still write it; returns the file, and what closes it."""
    if not has_journal(path):
        file = h5py.File(path, "r", locking=False)
        return file, file.close
    held = Overlaid(path)
    try:
        file = h5py.File(held, "r")
    except BaseException:
        held.close()
        raise

    def close() -> None:
        file.close()
        held.close()

    return file, close
