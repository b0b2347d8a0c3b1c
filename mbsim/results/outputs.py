"""Which files may be written, and how: nothing is lost that mbsim did not write, and a file is there whole or not at all.

A path may be written where nothing is, and where a regular file is that mbsim wrote: HDF5 by its attribute `source`, PNG and PDF by their
metadata, texts by a line that says so and holds a hash of all other lines, so that one that was edited since is not taken for ours. An
empty file is nothing. Everything else is refused unless `force` is given. Symbolic links, folders, pipes and devices are refused in any
case: renaming a new file over a link would replace the link, writing through it would change a file somewhere else, and over a device it
would destroy the device. What a command reads is never replaced.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from mbsim.version import __version__

RESULT_SUFFIXES = (".h5", ".hdf5", ".nc")  # of what is written as HDF5
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
STREAMS = {"-": "stdout", "/dev/stdout": "stdout", "/dev/stderr": "stderr"}  # where texts may go, too
LARGEST_TEXT = 1 << 28  # bytes: no text of ours is larger
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # the place failed, not what the user gave
_MARK = re.compile(rb"written by mbsim [^ \n]+; unchanged while all other lines have the SHA-256 ([0-9a-f]{64})")
_KINDS = (
    (stat.S_ISLNK, "a symbolic link, through which nothing is written"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


class OutputError(FileExistsError):
    """A path that is not to be written: what is there is not ours, or no regular file."""


def check_suffix(path: Path, suffixes: Sequence[str]) -> None:
    """Raise ValueError unless the suffix is one of these."""
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"cannot write {path}: the suffix says the format, one of {', '.join(suffixes)}")


def require(path: Path, force: bool = False, inputs: Sequence[Path] = ()) -> None:
    """Raise OutputError unless the file may be written, FileNotFoundError where its folder is missing.

    `inputs` are files that are being read: they are not replaced, not even with `force`.
    """
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: the folder {path.parent} does not exist")
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        failed(path, error)
    for is_kind, words in _KINDS:
        if is_kind(found.st_mode):
            raise OutputError(f"cannot write {path}: it is {words}")
    if any(_is_same(path, given) for given in inputs):
        raise OutputError(f"cannot write {path}: it is what is read")
    try:
        free = force or not found.st_size or is_ours(path)
    except OSError as error:
        failed(path, error)
    if not free:
        raise OutputError(
            f"cannot write {path}: what is there was not written by mbsim, or was edited since; "
            "choose another name, or replace it with --force (in Python force=True)"
        )


def _is_same(path: Path, other: Path) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def failed(path: Path, error: OSError) -> NoReturn:
    """Raise an error of the same class that names the file."""
    if isinstance(error, OutputError):
        raise error
    raise type(error)(error.errno, f"cannot write {path}: {error.strerror or error}") from error


def is_ours(path: Path) -> bool:
    """Whether mbsim wrote the file and, of a text, nobody edited it since. Raises OSError where it cannot be read."""
    with path.open("rb") as file:
        head = file.read(8)
        if head == HDF5_SIGNATURE:
            return _is_our_hdf5(path)
        if head == b"\x89PNG\r\n\x1a\n":
            return b"tEXtSoftware\0mbsim " in file.read(4096)
        if os.fstat(file.fileno()).st_size > LARGEST_TEXT:
            return False
        data = head + file.read()
    if head.startswith(b"%PDF"):
        return b"/Creator (mbsim " in data
    return _is_unchanged(data)


def _is_our_hdf5(path: Path) -> bool:
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            source = file.attrs.get("source", b"")
    except (OSError, RuntimeError, KeyError, ValueError, TypeError):  # what h5py makes of damage
        return False
    return (source if isinstance(source, bytes) else str(source).encode()).startswith(b"mbsim ")


def _is_unchanged(data: bytes) -> bool:
    marks = list(_MARK.finditer(data))
    if not marks:
        return False
    mark = marks[-1]
    first, end = data.rfind(b"\n", 0, mark.start()) + 1, data.find(b"\n", mark.end()) + 1
    return _digest(data[:first] + data[end or len(data) :]) == mark[1].decode()


def _digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def marked(text: str, suffix: str) -> str:
    """A text with the line that says that mbsim wrote it, as a comment of its format. CSV has no comments: it stays as it is."""
    suffix = suffix.lower()
    if suffix == ".csv":
        return text
    text = text if text.endswith("\n") else text + "\n"
    mark = f"written by mbsim {__version__}; unchanged while all other lines have the SHA-256 {_digest(text.encode())}"
    if suffix == ".json":  # an object over several lines: the mark is its first member
        first, _, rest = text.partition("\n")
        return f'{first}\n  "$comment": "{mark}",\n{rest}'
    return text + (f"<!-- {mark} -->\n" if suffix in (".html", ".md", ".svg") else f"# {mark}\n")


def write_text(path: Path, text: str, force: bool = False, inputs: Sequence[Path] = (), suffix: str | None = None) -> None:
    """Write a text with its mark, whole or not at all; into a stream (`-`, /dev/stdout, a pipe) as it is.

    `suffix` is that of the format, where it is not the path's. Raises OutputError, OSError.
    """
    if is_stream(path):
        try:
            if str(path) in STREAMS:
                stream = getattr(sys, STREAMS[str(path)])
                stream.write(text)
                stream.flush()
            else:
                with path.open("w", encoding="utf-8") as file:
                    file.write(text)
        except OSError as error:
            failed(path, error)
        return
    with replacing(path, force, inputs) as part:
        part.write_text(marked(text, path.suffix if suffix is None else suffix), encoding="utf-8", newline="")


def is_stream(path: Path) -> bool:
    """Whether a text can be sent there though it is no file: standard output, a pipe, a terminal."""
    if str(path) in STREAMS:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


@contextmanager
def replacing(path: Path, force: bool = False, inputs: Sequence[Path] = ()) -> Iterator[Path]:
    """A new partial file beside `path`, which takes its place when the block has ended well and is removed when it has not.

    Raises what `require` does, before and after the block, and OSError with the path's name.
    """
    require(path, force, inputs)
    part = path.with_name(f"{path.name}.{os.urandom(4).hex()}.part")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield part
        with part.open("rb+") as file:
            take_mode(file.fileno(), path)
            os.fsync(file.fileno())
        require(path, force, inputs)  # something may have come there meanwhile
        os.replace(part, path)
        sync_folder(path)
    except OSError as error:
        failed(path, error)
    finally:
        part.unlink(missing_ok=True)


def take_mode(handle: int, path: Path) -> None:
    """Give an open file the permissions of the one whose place it takes, if there is one."""
    with suppress(OSError, AttributeError):  # AttributeError: not on Windows
        os.fchmod(handle, stat.S_IMODE(os.lstat(path).st_mode))


def sync_folder(path: Path) -> None:
    """Let the name of a file outlast a loss of power, where the system can say so."""
    with suppress(OSError):
        handle = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
