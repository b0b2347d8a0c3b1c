"""The folder that keeps compiled code between runs: one for each version of the sources, of Python, Numba and processor.

Code is run from it, so it is used only if it belongs to this user and nobody else may write there (docs/cache.md).
"""

import logging
import os
import re
import stat
import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec, source_hash
from pathlib import Path

import numpy as np

from mbsim.jit import entries, processor, sources

log = logging.getLogger("mbsim")

PREFIX = "mbsim-"  # of what is ours in a folder that may hold other things too
_COMPILED = (
    "jit",
    "contracts",
    "kernels",
    "saddle",
    "singular",
    "unilateral",
    "elements",
    "system",
    "methods",
    "integrators",
    "straight",
    "studies/lanes",
)
_DERIVED = ("model", "system")
_DERIVING = {"sympy": "release.py", "mpmath": "__init__.py"}  # package -> its file that says which one it is
_WITHOUT_EFFECT = ("NUMBA_CACHE_DIR", "NUMBA_ENABLE_CUDASIM")  # variables of Numba's that do not change what it compiles for processors
_LINKS = 40  # to be followed, as in Linux


def _package_file(package: str, file: str, beside: str = "") -> tuple[str, str]:
    """A file of an installed package and its text. Importing the package, or reading its metadata, would take much longer.

    `beside`: a file of another package; its folder is searched first. Two empty texts if there is no such file.
    """
    try:
        if beside:
            path = os.path.join(os.path.dirname(beside), os.pardir, package, file)
            if os.path.exists(path):
                return path, Path(path).read_text(encoding="utf-8")
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            path = os.path.join(os.path.dirname(spec.origin), file)
            return path, Path(path).read_text(encoding="utf-8")
    except OSError:
        pass
    return "", ""


def _compiler() -> tuple[str, str]:
    """Version of Numba, and the text that holds that of llvmlite, which is installed with it."""
    path, text = _package_file("numba", "_version.py")
    beside = _package_file("llvmlite", "_version.py", path)[1]
    found = re.search(r'"version": "([^"]+)"', text)
    if found is not None:
        return found[1], beside
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("numba"), beside
    except PackageNotFoundError:
        return "none", beside


def _surroundings() -> list[str]:
    """Everything besides the sources of mbsim that machine code depends on."""
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_") and name not in _WITHOUT_EFFECT)
    return [sys.version, NUMBA_VERSION, LLVMLITE_VERSION, np.__version__, *processor.features(), *settings]


def digest(base: Path, rooms: Iterable[str], beside: Iterable[str]) -> str:
    """Hash of the files in these rooms (a cached caller does not notice that a callee in another file changed).

    The hash is stored in `base` under the file system's data on these files, so that they are not read at each start.
    """
    found = sources.of_rooms(rooms)
    name = source_hash("\0".join([*(source.facts for source in found), *beside]).encode()).hex()  # importing hashlib would take longer
    known, key = base / f"{PREFIX}{name}.digest", name.encode()
    kept = entries.read(known, key)
    if kept is not None:
        return kept.decode()
    texts = [*(source.name.encode() + b"\0" + Path(source.path).read_bytes() for source in found), *(x.encode() for x in beside)]
    made = source_hash(b"\0".join(texts)).hex()
    entries.write(known, key, made.encode())
    return made


@cache
def derivation() -> str:
    """Hash of everything that turns a model's expressions into source code, including SymPy: a part of the names of generated modules."""
    return digest(CACHE_FOLDER.parent, _DERIVED, [_package_file(*item)[1] for item in _DERIVING.items()])


def _default() -> Path:
    """The default folder. Raises RuntimeError if the user has no home."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "mbsim"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path("~/.cache").expanduser()) / "mbsim"


def check_links(path: str, left: int = _LINKS) -> None:
    """Raises PermissionError if a component of a path, or of the target of a link, is a link of a user other than this one and root."""
    at = os.sep
    parts = os.path.abspath(path).split(os.sep)
    for i, part in enumerate(parts):
        at = os.path.join(at, part)
        try:
            found = os.lstat(at)
        except OSError:
            return  # the rest is not there yet
        if stat.S_ISLNK(found.st_mode):
            if found.st_uid not in (0, os.geteuid()):
                raise PermissionError(0, f"{at} is a link of user {found.st_uid}")
            if left == 0:
                raise PermissionError(0, f"{at} leads to too many links")
            # A link's own way may lead over further links; what it leads to goes on with the rest of the path.
            check_links(os.path.join(os.path.dirname(at), os.readlink(at), *parts[i + 1 :]), left - 1)
            return


def usable(base: Path) -> None:
    """Make a folder for the cache if there is none. Raises OSError if it cannot be used."""
    if hasattr(os, "geteuid") and os.path.realpath(base) != str(base):
        check_links(str(base))
    try:
        base.parent.mkdir(parents=True, exist_ok=True)
        base.mkdir(0o700, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(0, f"{error.filename} is no folder") from None
    found = base.stat()
    if not entries.private(found):
        if found.st_uid != os.geteuid():
            raise PermissionError(0, f"it belongs to user {found.st_uid}")
        raise PermissionError(0, f"others may write there: its mode is {stat.S_IMODE(found.st_mode):o}, 700 is wanted")
    if not os.access(base, os.W_OK | os.X_OK):
        raise PermissionError(0, "it cannot be written")


def _within(base: Path) -> Path:
    """The folder of this version in a usable base folder. Raises OSError."""
    usable(base)
    folder = base / (PREFIX + digest(base, _COMPILED, _surroundings()))
    entries.own_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(0, f"{folder.name} in it cannot be written")
    return folder


def _cache_folder() -> Path:
    """`$MBSIM_CACHE_DIR`, else the user's cache folder, else a temporary one with a warning."""
    chosen = os.environ.get("MBSIM_CACHE_DIR")
    try:
        base = Path(os.path.abspath(chosen)) if chosen else _default()
        if not chosen and hasattr(os, "geteuid") and base.is_dir() and base.stat().st_uid == os.geteuid() and base.stat().st_mode & 0o022:
            base.chmod(0o700)  # it is for mbsim alone, and older versions left its mode to the umask
        return _within(base)
    except (OSError, RuntimeError) as error:
        where, reason = chosen or "the user's cache folder", getattr(error, "strerror", None) or str(error)
    folder = _temporary()
    if folder is None:
        entries.say(Path(where), reason)
        return Path(os.devnull) / "nowhere" / PREFIX  # where nothing can be: whatever is tried there fails as with a missing file
    log.warning("compiled code cannot be kept in %s (%s); it is kept in %s", where, reason, folder.parent)
    os.environ["MBSIM_CACHE_DIR"] = str(folder.parent)  # for this program's own processes, which then say nothing
    return folder


def _temporary() -> Path | None:
    """A temporary folder for each user, used again by later runs; else one for this program, removed at its end; else none."""
    import tempfile

    try:
        user = os.geteuid() if hasattr(os, "geteuid") else os.environ.get("USERNAME", "")
        return _within(Path(os.path.realpath(tempfile.gettempdir())) / f"mbsim-cache-{user}")
    except OSError:
        pass
    try:
        base, maker = Path(os.path.realpath(tempfile.mkdtemp(prefix="mbsim-cache-"))), os.getpid()
    except OSError:
        return None
    import atexit
    import shutil

    def remove() -> None:
        if os.getpid() == maker:  # not a process that it forked
            shutil.rmtree(base, ignore_errors=True)

    atexit.register(remove)
    try:
        return _within(base)
    except OSError:
        return None


def stands_for(module: str) -> bool:
    """Whether the name of the folder depends on the text of this module of mbsim."""
    return f"{module}.".startswith(tuple(f"mbsim.{part.replace('/', '.')}." for part in _COMPILED))


NUMBA_VERSION, LLVMLITE_VERSION = _compiler()
CACHE_FOLDER = _cache_folder()


def is_empty() -> bool:
    """True if nothing was compiled yet with these sources."""
    try:
        with os.scandir(CACHE_FOLDER) as found:  # as far as the first: the folder may hold tens of thousands
            if any(entry.name.endswith((".image", ".numba")) for entry in found):
                return False
    except OSError:
        return True
    return not any(CACHE_FOLDER.glob("stock/**/*.nbc"))
