"""The files of the cache. Each contains its length and its hash, so that a damaged file is removed and made anew and never run.

The hash detects damage and exchanged files. It has no secret and does not protect against an attacker. For that, the folders
(`mbsim.jit.folder`) and every file (here) are checked: nobody else may write to them.
"""

import logging
import os
import stat
import time
from contextlib import suppress
from importlib.util import source_hash
from pathlib import Path

log = logging.getLogger("mbsim")

VERSION = 1  # of the format
_BEGIN = b"# mbsim cache %d " % VERSION  # a comment, so that generated Python stays Python
_LENGTH = len(_BEGIN) + 34  # of the header: length and hash in 16 hexadecimal digits each
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe must not hold us up
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_DAY = 86400.0  # s: what was used within it is not marked as used again


def private(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and nobody else may write it. Always true on systems without users."""
    return not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)


def _header(key: bytes, payload: bytes) -> bytes:
    return b"%b%016x %b\n" % (_BEGIN, len(payload), source_hash(key + b"\0" + payload).hex().encode())


def read(path: Path, key: bytes) -> bytes | None:
    """The bytes that `write` stored there under the same `key`; None if there are none. Anything else in its place is removed."""
    try:
        file = os.open(path, _READ)
    except FileNotFoundError:
        return None
    except OSError:
        discard(path)
        return None
    try:
        found = os.fstat(file)
        data = os.read(file, found.st_size) if stat.S_ISREG(found.st_mode) and private(found) else b""
        if time.time() - found.st_mtime > _DAY:
            with suppress(OSError, TypeError, NotImplementedError):
                os.utime(file)  # when it was used last, by which the cache is pruned
    except OSError:
        data = b""
    finally:
        os.close(file)
    payload = data[_LENGTH:]
    if data[:_LENGTH] != _header(key, payload):
        log.debug("%s is damaged, or is something else: it is removed and made anew", path)
        discard(path)
        return None
    return payload


def write(path: Path, key: bytes, payload: bytes) -> bool:
    """Store bytes, completely or not at all; other processes may do the same at once. Returns whether they are stored; reports why not."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns():x}.part")
    try:
        file = _created(partial)
        try:
            with open(file, "wb", closefd=True) as stream:
                stream.write(_header(key, payload) + payload)
            os.replace(partial, path)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise
    except OSError as error:
        say(path.parent, error.strerror or str(error))
        return False
    return True


def _created(partial: Path) -> int:
    try:
        return os.open(partial, _WRITE, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        own_folder(partial.parent)
        return os.open(partial, _WRITE, 0o600)


def own_folder(path: Path) -> None:
    """Make a private folder of the cache; anything in its place is removed. Raises OSError, also if it belongs to someone else."""
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            discard(path)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        found = os.lstat(path)
        if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
            raise PermissionError(0, f"{path} belongs to user {found.st_uid}") from None
        if not private(found):  # what others put there is not ours, and not read; from now on they cannot
            os.chmod(path, 0o700)
    except FileNotFoundError:  # someone cleared the cache meanwhile
        os.makedirs(path, 0o700, exist_ok=True)


_said: list[str] = []


def say(folder: Path, reason: str) -> None:
    """Report once that nothing can be stored."""
    if not _said:
        _said.append(reason)
        log.warning("compiled code cannot be kept in %s (%s); it is compiled again in each run", folder, reason)


def discard(path: Path) -> None:
    """Remove a file, link or folder if possible."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        if os.path.isdir(path):
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        else:
            log.debug("%s cannot be removed: %s", path, error)
