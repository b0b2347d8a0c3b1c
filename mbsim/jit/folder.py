"""The folder in which compiled code is kept from run to run: one for each version of the sources, of Python, Numba and processor."""

import os
import re
import sys
import warnings
from contextlib import suppress
from importlib.util import find_spec, source_hash
from pathlib import Path

from mbsim.jit import image

_PACKAGE = Path(__file__).parent.parent
_COMPILED = ("jit/*.py", "kernels/*.py", "system/*.py", "model/symbolic.py", "methods/*.py", "integrators/*.py")


def _numba_version() -> str:
    """Read off the file in which Numba keeps it, because importing Numba, or asking the installed package's metadata, takes long."""
    spec = find_spec("numba")
    if spec is None or spec.origin is None:
        return "none"
    try:
        found = re.search(r'"version": "([^"]+)"', (Path(spec.origin).parent / "_version.py").read_text(encoding="utf-8"))
    except OSError:
        found = None
    if found is not None:
        return found[1]
    from importlib.metadata import version

    return version("numba")


def _digest(base: Path) -> str:
    """Hash of every source that ends up in machine code (a cached caller does not notice that a callee in another file changed).

    It is kept in `base` under what the file system says of these files, so that they are not read at each start.
    """
    sources = sorted(path for pattern in _COMPILED for path in _PACKAGE.glob(pattern))
    stats = [f"{path} {s.st_mtime_ns} {s.st_ctime_ns} {s.st_size} {s.st_ino}" for path in sources for s in [path.stat()]]
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR")
    beside = [sys.version, NUMBA_VERSION, *image.processor(), *settings]
    known = base / f"{source_hash(chr(0).join([*stats, *beside]).encode()).hex()}.digest"  # importing hashlib would take longer
    try:
        kept = known.read_text(encoding="ascii")
    except (OSError, ValueError):
        kept = ""
    if re.fullmatch("[0-9a-f]{16}", kept):
        return kept
    texts = [*(path.read_bytes() for path in sources), *(text.encode() for text in beside)]
    found = source_hash(b"\0".join(texts)).hex()
    with suppress(OSError):
        base.mkdir(parents=True, exist_ok=True)
        partial = known.with_suffix(f".{os.getpid()}.part")
        partial.write_text(found, encoding="ascii")
        partial.replace(known)
    return found


def _cache_folder() -> Path:
    """`$MBSIM_CACHE_DIR`, else the user's cache folder, else a temporary one with a warning (Numba itself would raise at import)."""
    chosen = os.environ.get("MBSIM_CACHE_DIR")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "mbsim"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "mbsim"
    folder = base / _digest(base)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f"{os.getpid()}.part"
        trial.touch()
        trial.unlink(missing_ok=True)
    except OSError as error:
        import tempfile

        folder = Path(tempfile.mkdtemp(prefix="mbsim-cache-"))
        warnings.warn(f"compiled code cannot be kept in {base} ({error.strerror}); it is compiled anew for this run", stacklevel=2)
    return folder


NUMBA_VERSION = _numba_version()
CACHE_FOLDER = _cache_folder()
os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)  # read by numba at import; another program's setting must not mix with ours


def is_empty() -> bool:
    """True when nothing was compiled yet with these sources."""
    return not any(CACHE_FOLDER.glob("*.image")) and not any(CACHE_FOLDER.glob("*/*.nbi"))
