"""The folder in which compiled code is kept from run to run: one for each version of the sources, of Python, Numba and processor."""

import hashlib
import os
import re
import sys
import tempfile
import warnings
from importlib.util import find_spec
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


def _digest() -> str:
    """Hash of every source that ends up in machine code (a cached caller does not notice that a callee in another file changed)."""
    sources = sorted(path for pattern in _COMPILED for path in _PACKAGE.glob(pattern))
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR")
    beside = [sys.version, NUMBA_VERSION, *image.processor(), *settings]
    return hashlib.sha256(b"\0".join([path.read_bytes() for path in sources] + [text.encode() for text in beside])).hexdigest()[:16]


def _cache_folder() -> Path:
    """`$MBSIM_CACHE_DIR`, else the user's cache folder, else a temporary one with a warning (Numba itself would raise at import)."""
    chosen = os.environ.get("MBSIM_CACHE_DIR")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "mbsim"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "mbsim"
    folder = base / _digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="mbsim-cache-"))
        warnings.warn(f"compiled code cannot be kept in {base} ({error.strerror}); it is compiled anew for this run", stacklevel=2)
    return folder


NUMBA_VERSION = _numba_version()
CACHE_FOLDER = _cache_folder()
os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)  # read by numba at import; another program's setting must not mix with ours


def is_empty() -> bool:
    """True when nothing was compiled yet with these sources."""
    return not any(any(CACHE_FOLDER.rglob(pattern)) for pattern in ("*.nbi", "*.image"))
