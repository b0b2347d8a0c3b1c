"""Models that an earlier run read, checked and assembled: run again, the same file is neither read nor checked again.

Like Python's own compiled files: what is kept is the Assembly, in the folder of compiled code, under a hash of all that it depends on: the
text, what the command line sets, and the sources of mbsim. Reading YAML and checking it takes four times as long as all that a short run
does besides. There are SLOTS places; a model takes the one that its hash says, so that the folder does not grow.
"""

import logging
import os
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import source_hash
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mbsim import registry
from mbsim.assembled import Assembly
from mbsim.jit import CACHE_FOLDER
from mbsim.settings import Settings
from mbsim.system.codegen import PREFIX, generated_module

log = logging.getLogger("mbsim")

SLOTS = 256
LARGEST = 1_000_000  # bytes; a larger one takes longer to load, and much longer to march
_BROKEN = (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError, KeyError, TypeError, ValueError)


def key(path: Path, parameters: Mapping[str, str], settings: Mapping[str, str]) -> bytes:
    """All that the assembled model at `path` depends on, if it has no tables. Raises OSError."""
    given = repr((path.stem, sorted(parameters.items()), sorted(settings.items())))
    return b"\0".join([path.read_bytes(), given.encode(), *_sources()])


def _sources() -> Iterator[bytes]:
    """What tells versions of mbsim apart: for each of its files when it was written, its size and number."""
    folders = [Path(registry.__file__).parent]
    while folders:
        for entry in sorted(os.scandir(folders.pop()), key=lambda entry: entry.name):
            if entry.is_dir() and not entry.name.startswith(("_", ".")):
                folders.append(Path(entry.path))
            elif entry.name.endswith(".py"):
                found = entry.stat()
                yield f"{entry.name} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {found.st_ino}".encode()


def _slot(known: bytes) -> Path:
    return CACHE_FOLDER / "models" / f"{int.from_bytes(source_hash(known), 'little') % SLOTS:03}.pickle"


def find(known: bytes) -> Assembly | None:
    """The assembled model of this key, or None."""
    try:
        with _slot(known).open("rb") as file:
            if file.read(len(known)) != known:
                return None
            made: Assembly = _Unpickler(file).load()
            return made
    except _BROKEN as error:  # none, or one that was cut off
        log.debug("no assembled model is kept: %r", error)
        return None


def keep(known: bytes, made: Assembly) -> None:
    """Keep an assembled model, where it can be: without tables, which other files hold, and measures."""
    if made.measures is not None or made.system.tables or made.system.failure is not None:
        return
    names = Settings.__dataclass_fields__.keys() - {"options"}
    block = SimpleNamespace(**{name: getattr(made.simulation, name) for name in names}, options=dict(made.simulation.options))
    path = _slot(known)
    try:
        data = known + pickle.dumps(replace(made, simulation=block))
        if len(data) > LARGEST:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.part")
        partial.write_bytes(data)
        partial.replace(path)
    except (OSError, pickle.PicklingError, AttributeError, TypeError) as error:  # a full disk: the run itself goes on
        log.debug("the assembled model is not kept: %r", error)


class _Unpickler(pickle.Unpickler):
    """Finds the kernels of generated modules, which are not on Python's path."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(PREFIX):
            return getattr(generated_module(module), name)
        return super().find_class(module, name)
