"""A file that is changed in transactions: committed data survive whatever kills the process.

HDF5 changes its file in many places, and a process that is killed between two changes leaves an unreadable file. Therefore HDF5 writes
into a `JournalledFile`. Bytes beyond the last committed end go to the file at once, because nothing refers to them yet. Bytes that replace
committed bytes are held in memory. `commit` first writes these changes behind the end of the file (the journal: every change with its
address, then their length, a checksum and a mark), then in their places, and then cuts the journal off. A process that is killed before
the journal is complete leaves the last state, with meaningless bytes behind its end. A process that is killed later leaves a journal that
is read with the file (`journal`, `Overlaid`). Operating systems keep what a killed process wrote. `sync` protects against a loss of power.

A failed write (a full disk) is not reported to HDF5, which would lose the file. The data are held in memory too, and `commit` raises.
"""

import io
import os
import struct
import sys
import zlib
from contextlib import suppress
from pathlib import Path

from mbsim.results.outputs import HDF5_SIGNATURE, OutputError

MAGIC = b"mbsimjnl"
_TAIL = struct.Struct("<QI8s")  # length and checksum of the changes, the mark
_CHANGE = struct.Struct("<QQ")  # address and length of a change, before its bytes
ATTEMPTS = 20  # to become the writer of a part file while others remove the leftovers of a dead run


class _Overlay:
    """The bytes of a file after its changes, as a file object of h5py."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._raw = os.fdopen(os.dup(handle), "rb+" if self._writes() else "rb", buffering=0)
        self._changes: dict[int, bytes] = {}  # by address, in the order of writing: where two overlap the later one holds
        self._at = 0
        self._end = os.fstat(handle).st_size

    def _writes(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0 if whence == 0 else self._at if whence == 1 else self._end)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        buffer = bytearray(max(0, self._end - self._at) if size < 0 else size)
        return bytes(buffer[: self.readinto(buffer)])

    def readinto(self, buffer: bytearray | memoryview) -> int:
        view = memoryview(buffer).cast("B")
        first, last = self._at, self._at + len(view)
        self._raw.seek(first)
        count = 0
        while count < len(view):
            got = self._raw.readinto(view[count:])
            if not got:
                break
            count += got
        view[count:] = bytes(len(view) - count)
        for address, data in self._changes.items():
            low, high = max(address, first), min(address + len(data), last)
            if low < high:
                view[low - first : high - first] = data[low - address : high - address]
        self._at = last
        return len(view)

    def flush(self) -> None:
        """Does nothing: h5py calls it, but `commit` writes."""


class Overlaid(_Overlay):
    """A file that a killed run left in the middle of a commit, shown as after the commit. Read only."""

    def __init__(self, path: Path) -> None:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            super().__init__(handle)
        finally:
            os.close(handle)
        self._changes, self._end = journal(self._raw, self._end)

    def _writes(self) -> bool:
        return False

    def close(self) -> None:
        self._raw.close()


def has_journal(path: Path) -> bool:
    """Whether the file ends with a complete journal. Raises OSError."""
    with path.open("rb", buffering=0) as raw:
        return bool(journal(raw, os.fstat(raw.fileno()).st_size)[0])


def journal(raw: io.RawIOBase, size: int) -> tuple[dict[int, bytes], int]:
    """The changes in the journal at the end of a file of this size (none if it is not complete), and the end of the file before it."""
    if size < _TAIL.size:
        return {}, size
    raw.seek(size - _TAIL.size)
    length, checksum, magic = _TAIL.unpack(raw.read(_TAIL.size))
    start = size - _TAIL.size - length
    if magic != MAGIC or start < 0:
        return {}, size
    raw.seek(start)
    packed = raw.read(length)
    if len(packed) != length or zlib.crc32(packed) != checksum:
        return {}, size
    changes: dict[int, bytes] = {}
    at = 0
    while at < length:
        address, count = _CHANGE.unpack_from(packed, at)
        changes[address] = packed[at + _CHANGE.size : at + _CHANGE.size + count]
        at += _CHANGE.size + count
    return changes, start


class JournalledFile(_Overlay):
    """The file object into which HDF5 writes a result. Its process is the only one that writes the file."""

    def __init__(self, path: Path) -> None:
        """Create `path`; it replaces the leftovers of a killed run. Raises what `claim` raises."""
        self.path = path
        super().__init__(claim(path))
        self._committed = 0  # bytes of the file that a reader may see
        self._failure: OSError | None = None
        self._redo = False  # whether the file ends with a complete journal whose changes were not made

    @property
    def reason(self) -> str:
        """Why a write failed; empty if none did. After a failure nothing is committed any more."""
        return "" if self._failure is None else self._failure.strerror or str(self._failure)

    def write(self, buffer: bytes | bytearray | memoryview) -> int:
        view = memoryview(buffer).cast("B")
        first, self._at = self._at, self._at + len(view)
        self._end = max(self._end, self._at)
        # The first state is also held until it is complete, so every file of mbsim begins with HDF5's signature.
        if first < self._committed or not self._committed or self.reason or not self._put(first, view):
            self._changes.pop(first, None)
            self._changes[first] = bytes(view)
        return len(view)

    def truncate(self, size: int) -> int:
        self._end = size
        return size

    def _put(self, address: int, data: bytes | bytearray | memoryview) -> bool:
        """Write to the file itself. Returns False, with the reason in `_failure`, if that fails."""
        try:
            view = memoryview(data)
            while view:
                count = self._write_at(view, address)
                view, address = view[count:], address + count
        except OSError as error:
            self._failure = error
            return False
        return True

    def _write_at(self, data: memoryview, address: int) -> int:
        if hasattr(os, "pwrite"):  # not on Windows
            return os.pwrite(self._handle, data, address)
        self._raw.seek(address)
        return int(self._raw.write(data) or 0)

    def commit(self) -> None:
        """Add everything written since the last commit to the file, atomically. If it raises OSError, the file is unchanged."""
        if not self.reason and self._changes:
            if self._committed:
                self._replace()
            else:
                image = bytearray(self._end)
                for address, data in self._changes.items():
                    image[address : address + len(data)] = data
                self._put(0, image)
        if self._failure is None:
            self._committed, self._changes = self._end, {}
            if self._redo:
                self._redo = False
                self._cut()
            return
        if not self._redo:
            self._cut()
        raise self._failure

    def _replace(self) -> None:
        changes = b"".join(_CHANGE.pack(address, len(data)) + data for address, data in self._changes.items())
        behind = max(self._end, self._committed)
        if self._put(behind, changes + _TAIL.pack(len(changes), zlib.crc32(changes), MAGIC)):
            self._redo = True
            for address, data in self._changes.items():
                self._put(address, data)

    def _cut(self) -> None:
        """Truncate the file to its committed state. Readers ignore bytes behind it."""
        with suppress(OSError):
            self._raw.truncate(self._committed)

    def sync(self) -> None:
        """Flush the file to the disk. Raises OSError."""
        os.fsync(self._handle)

    def is_in_place(self) -> bool:
        """Whether the path still means this file."""
        return _is_same(self.path, self._handle)

    @property
    def handle(self) -> int:
        return self._handle

    def close(self) -> None:
        """Give the file up. Another process may then treat it as the leftover of a killed run."""
        self._raw.close()
        if self._handle >= 0:
            os.close(self._handle)  # also releases the lock
            self._handle = -1


def claim(part: Path) -> int:
    """A handle of `part`, created and locked. The leftovers of a killed run are removed.

    Raises BlockingIOError while another process writes it, OutputError if it is not a partial result, OSError.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for _ in range(ATTEMPTS):
        try:
            handle = os.open(part, flags, 0o666)
        except FileExistsError:
            _discard(part)
            continue
        except OSError as error:
            raise type(error)(error.errno, f"cannot write {part}: {error.strerror}") from error
        if _lock(handle) is not False and _is_same(part, handle):
            return handle
        os.close(handle)  # another start treated it as a leftover and has the name now
        break
    raise _busy(part)


def _busy(part: Path) -> BlockingIOError:
    return BlockingIOError(f"cannot write {part}: another run is writing it")


def _discard(part: Path) -> None:
    """Remove a part file that no process writes."""
    try:
        handle = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"cannot write {part}: what is there is no partial result ({error.strerror})") from error
    try:
        locked = _lock(handle)
        if locked is False:
            raise _busy(part)
        if locked is None:
            raise OutputError(
                f"cannot write {part}: it exists, and its file system does not say whether a run is writing it; remove it if not"
            )
        if os.read(handle, len(HDF5_SIGNATURE)) not in (b"", HDF5_SIGNATURE):
            raise OutputError(f"cannot write {part}: what is there is no partial result")
        if _is_same(part, handle):
            part.unlink(missing_ok=True)
    finally:
        os.close(handle)


if sys.platform == "win32":

    def _lock(handle: int) -> bool | None:
        """On Windows an open file cannot be removed, which has the same effect."""
        return True

else:
    import fcntl

    def _lock(handle: int) -> bool | None:
        """Lock the file for this process. False if another process has locked it; None if the file system has no locks."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True


def _is_same(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except OSError:
        return False
