"""Writing files: mbsim never destroys a file that it did not write, and a file is written completely or not at all.

A path may be written if it is free or holds a regular file that mbsim wrote. mbsim recognises HDF5 by its attribute `source`, pictures
(PNG, PDF, GIF, MP4, glTF), workbooks, FMUs and static libraries by their metadata, and texts by a line with a hash of all other lines, so
that a text that was edited since is not accepted. An empty file counts as free. Everything else is refused unless `force` is given.
Symbolic links, folders, pipes and devices are always refused: renaming a new file over a link would replace the link, writing through it
would change a file somewhere else, and renaming over a device would destroy the device. The input of a command is never replaced.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from mbsim.version import __version__

RESULT_SUFFIXES = (".h5", ".hdf5", ".nc")  # of HDF5 files
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
STREAMS = {"-": "stdout", "/dev/stdout": "stdout", "/dev/stderr": "stderr"}  # further targets of texts
LARGEST_PROPERTIES = 1 << 16  # bytes: what a workbook says of itself
LARGEST_TEXT = 1 << 28  # bytes: no text of mbsim is larger
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # failures of the device, not of the user's input
_MARK = re.compile(rb"written by mbsim [^ \n]+; unchanged while all other lines have the SHA-256 ([0-9a-f]{64})")
# Pictures that move, scenes, and tables for MATLAB: the first bytes, where they stand, and what mbsim writes into such files.
_MOVING = ((b"GIF8", 0, b"written by mbsim "), (b"ftyp", 4, b"written by mbsim "), (b"glTF", 0, b'"generator":"mbsim '),
           (b"MATLAB", 0, b"written by mbsim "))  # fmt: skip
_KINDS = (
    (stat.S_ISLNK, "a symbolic link, through which nothing is written"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


class OutputError(FileExistsError):
    """A path must not be written: mbsim did not write the file there, or it is not a regular file."""


def check_suffix(path: Path, suffixes: Sequence[str]) -> None:
    """Raise ValueError unless the suffix is one of these."""
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"cannot write {path}: the suffix says the format, one of {', '.join(suffixes)}")


def require(path: Path, force: bool = False, inputs: Sequence[Path] = ()) -> None:
    """Raise OutputError if the file may not be written, FileNotFoundError if its folder is missing.

    `inputs` are files that the command reads. They are not replaced, even with `force`.
    """
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: the folder {path.parent} does not exist")
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        fail(path, error)
    for is_kind, words in _KINDS:
        if is_kind(found.st_mode):
            raise OutputError(f"cannot write {path}: it is {words}")
    if any(_is_same(path, given) for given in inputs):
        raise OutputError(f"cannot write {path}: it is what is read")
    try:
        free = force or not found.st_size or is_ours(path)
    except OSError as error:
        fail(path, error)
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


def fail(path: Path, error: OSError) -> NoReturn:
    """Raise an error of the same class that names the file."""
    if isinstance(error, OutputError):
        raise error
    raise type(error)(error.errno, f"cannot write {path}: {error.strerror or error}") from error


def is_ours(path: Path) -> bool:
    """Whether mbsim wrote the file and, for a text, nobody edited it since. Raises OSError if it cannot be read."""
    with path.open("rb") as file:
        head = file.read(8)
        if head == HDF5_SIGNATURE:
            return _is_our_hdf5(path)
        if head.startswith(b"PK\x03\x04"):
            return _is_our_workbook(path) or _is_our_unit(path)
        if head == b"!<arch>\n":  # a static library, whose index has the names of kernels
            return b"mbsim_" in file.read(4096)
        if head == b"\x89PNG\r\n\x1a\n":
            return b"tEXtSoftware\0mbsim " in file.read(4096)
        if os.fstat(file.fileno()).st_size > LARGEST_TEXT:
            return False
        data = head + file.read()
    if head.startswith(b"%PDF"):
        return b"/Creator (mbsim " in data
    for start, where, words in _MOVING:
        if head[where : where + len(start)] == start:
            return words in data
    return _is_unchanged(data)


def _is_our_workbook(path: Path) -> bool:
    """Whether mbsim made an .xlsx file: a program that edits one leaves the name of its maker, but says that it was modified."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as book, book.open("docProps/core.xml") as properties:
            about = properties.read(LARGEST_PROPERTIES)
    except (OSError, zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, ValueError):
        return False
    return b">mbsim " in about and b"lastModifiedBy" not in about


def _is_our_unit(path: Path) -> bool:
    """Whether mbsim made an FMU."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive, archive.open("modelDescription.xml") as description:
            return b'generationTool="mbsim ' in description.read(LARGEST_PROPERTIES)
    except (OSError, zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, ValueError):
        return False


def _is_our_hdf5(path: Path) -> bool:
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            source = file.attrs.get("source", b"")
    except (OSError, RuntimeError, KeyError, ValueError, TypeError):  # raised by h5py for damaged files
        return False
    return (source if isinstance(source, bytes) else str(source).encode()).startswith(b"mbsim ")


def _is_unchanged(data: bytes) -> bool:
    marks = list(_MARK.finditer(data))
    if not marks:
        return False
    mark = marks[-1]
    first, end = data.rfind(b"\n", 0, mark.start()) + 1, data.find(b"\n", mark.end()) + 1
    return digest(data[:first] + data[end or len(data) :]) == mark[1].decode()


def digest(data: bytes) -> str:
    """The SHA-256 of data."""
    return str(_sha256()(data).hexdigest())


@cache
def _sha256() -> Any:
    """Python's own, where it is there: `hashlib` would load OpenSSL, which takes longer than the hash of a model."""
    for own in ("_sha2", "_sha256"):  # from Python 3.12 on, and before
        with suppress(ImportError):
            return import_module(own).sha256
    from hashlib import sha256

    return sha256


def mark_text(text: str, suffix: str) -> str:
    """A text with the mark of mbsim, as a comment of its format. CSV has no comments: it is unchanged."""
    suffix = suffix.lower()
    if suffix == ".csv":
        return text
    text = text if text.endswith("\n") else text + "\n"
    mark = f"written by mbsim {__version__}; unchanged while all other lines have the SHA-256 {digest(text.encode())}"
    if suffix == ".json":  # an object over several lines: the mark is its first member
        first, _, rest = text.partition("\n")
        return f'{first}\n  "$comment": "{mark}",\n{rest}'
    if suffix in (".html", ".md", ".svg"):
        return text + f"<!-- {mark} -->\n"
    if suffix in (".c", ".h"):
        return text + f"/* {mark} */\n"
    return text + f"{'%' if suffix == '.tex' else '#'} {mark}\n"


def write_text(path: Path, text: str, force: bool = False, inputs: Sequence[Path] = (), suffix: str | None = None) -> None:
    """Write a text with its mark, completely or not at all; into a stream (`-`, /dev/stdout, a pipe) without the mark.

    `suffix` is that of the format, if it differs from the path's. Raises OutputError, OSError.
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
            fail(path, error)
        return
    with replacing(path, force, inputs) as part:
        part.write_text(mark_text(text, path.suffix if suffix is None else suffix), encoding="utf-8", newline="")


def is_stream(path: Path) -> bool:
    """Whether the path is not a file but accepts text: standard output, a pipe, a terminal."""
    if str(path) in STREAMS:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


@contextmanager
def replacing(path: Path, force: bool = False, inputs: Sequence[Path] = ()) -> Iterator[Path]:
    """A new partial file beside `path`. It replaces `path` if the block ends without an error, else it is removed.

    Raises what `require` raises, before and after the block, and OSError with the name of the path.
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
        fail(path, error)
    finally:
        part.unlink(missing_ok=True)


def take_mode(handle: int, path: Path) -> None:
    """Give an open file the permissions of the file that it replaces, if there is one."""
    with suppress(OSError, AttributeError):  # AttributeError: not on Windows
        os.fchmod(handle, stat.S_IMODE(os.lstat(path).st_mode))


def sync_folder(path: Path) -> None:
    """Flush the name of a file to the disk, where the system supports it."""
    with suppress(OSError):
        handle = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
