"""The files of the cache: each says how long it is and what it hashes to, so that a damaged one is removed and made anew, never run.

The hash finds damage and files that stand in each other's place. It has no secret in it and keeps no attacker away: that no one else can
write here is checked of the folders (`mbsim.jit.folder`) and, file by file, here.
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
    """Whether a file or folder is ours and nobody else may write it. Systems without users have no say in this."""
    return not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)


def _header(key: bytes, payload: bytes) -> bytes:
    return b"%b%016x %b\n" % (_BEGIN, len(payload), source_hash(key + b"\0" + payload).hex().encode())


def read(path: Path, key: bytes) -> bytes | None:
    """What `write` put there under the same `key`; None where there is nothing. Anything else in its place is removed."""
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
    """Keep something, whole or not at all; other processes may do the same at once. Whether it is there now; a reason why not is said."""
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
    """Make a folder of the cache for us alone; what is in its place is removed. Raises OSError, also where it belongs to someone else."""
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
    """Tell once that nothing can be kept."""
    if not _said:
        _said.append(reason)
        log.warning("compiled code cannot be kept in %s (%s); it is compiled again in each run", folder, reason)


def discard(path: Path) -> None:
    """Remove what is there, file, link or folder, where that is possible."""
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
