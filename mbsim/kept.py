"""Models that an earlier run read, checked and assembled: run again, the same file is neither read nor checked again.

Like Python's own compiled files: what is kept is the Assembly, in the folder of compiled code, under a hash of all that it depends on: the
text, what the command line sets, and the sources of mbsim. It is written as plain data (`mbsim.encoding`), and a model that holds
anything else is not kept. Reading YAML and checking it takes four times as long as all that a short run
does besides. There are SLOTS places; a model takes the one that its hash says, so that the folder does not grow.
"""

import importlib
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import source_hash
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

from mbsim import registry
from mbsim.analysis.start import Change
from mbsim.assembled import Assembly
from mbsim.encoding import Encoding, EncodingError
from mbsim.jit import CACHE_FOLDER, Arrays, Kernel, SystemFunctions, entries
from mbsim.jit.kernels import GENERATED
from mbsim.settings import Settings
from mbsim.system.codegen import generated_module
from mbsim.system.system import DriverRecord, JointRecord, System

log = logging.getLogger("mbsim")

SLOTS = 256
LARGEST = 1_000_000  # bytes; a larger one takes longer to load, and much longer to march
_RECORDS: tuple[type, ...] = (Assembly, System, Arrays, SystemFunctions, JointRecord, DriverRecord, Change)
_SYSTEMS = re.compile(r"mbsim\.system\.\w+")
_UNREADABLE = (LookupError, ImportError, OSError, TypeError, ValueError)  # OSError: of a generated module


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
    return CACHE_FOLDER / "models" / f"{int.from_bytes(source_hash(known), 'little') % SLOTS:03}.model"


def find(known: bytes) -> Assembly | None:
    """The assembled model of this key, or None."""
    path = _slot(known)
    data = entries.read(path, known)
    if data is None:
        return None
    try:
        made: Assembly = _encoding().read(data)
        return made
    except _UNREADABLE as error:  # code generated for the model is gone
        log.debug("the assembled model cannot be read and is made anew: %r", error)
        entries.discard(path)
        return None


def keep(known: bytes, made: Assembly) -> None:
    """Keep an assembled model, where it can be: without tables, which other files hold, and measures."""
    if made.measures is not None or made.system.tables or made.system.failure is not None:
        return
    names = Settings.__dataclass_fields__.keys() - {"options"}
    block = SimpleNamespace(**{name: getattr(made.simulation, name) for name in names}, options=dict(made.simulation.options))
    if block.stop is not None:
        block.stop = SimpleNamespace(text=block.stop.text)
    try:
        data = _encoding().write(replace(made, simulation=block, parameters=dict(made.parameters)))
    except EncodingError as error:
        log.debug("the assembled model is not kept: %s", error)
        return
    if len(data) <= LARGEST:
        entries.write(_slot(known), known, data)


@cache
def _encoding() -> Encoding:
    return Encoding({cls.__name__: cls for cls in _RECORDS}, _where, _function)


def _where(value: Any) -> list[str] | None:
    """Module and name of a kernel that `_function` finds."""
    if not isinstance(value, (Kernel, FunctionType)):
        return None
    where = [value.__module__, value.__qualname__]
    try:
        return where if _function(*where) is value else None
    except (LookupError, ImportError):
        return None


def _function(module: str, name: str) -> Any:
    """A kernel of a system, or of a module that was generated for one; nothing else is looked up. Raises LookupError or ImportError."""
    if GENERATED.fullmatch(module):
        found = getattr(generated_module(module), name, None)
    elif _SYSTEMS.fullmatch(module):
        found = getattr(importlib.import_module(module), name, None)
    else:
        raise LookupError(f"{module} has no kernels of systems")
    if not isinstance(found, (Kernel, FunctionType)):
        raise LookupError(f"{module} has no kernel {name}")
    return found
