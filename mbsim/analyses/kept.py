"""Models that an earlier run read, checked and assembled: run again, the same file is neither read nor checked again.

Like Python's own compiled files: what is kept is the Assembly, in the folder of compiled code, under a hash of all that it depends on: the
text, what the command line sets, and the sources of mbsim. It is written as plain data (`mbsim.analyses.encoding`), and a model that holds
anything else is not kept. Reading YAML and checking it takes four times as long as all that a short run
does besides. There are SLOTS places; a model takes the one that its hash says, so that the folder does not grow.
"""

import importlib
import logging
import struct
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.util import source_hash
from pathlib import Path
from types import FunctionType
from typing import Any

from mbsim import registry
from mbsim.analyses.encoding import Encoding, EncodingError
from mbsim.assembly.assembled import Assembly, Change
from mbsim.contracts import Arrays, SystemFunctions
from mbsim.jit import CACHE_FOLDER, Kernel, entries, fastload, sources
from mbsim.jit.folder import derivation
from mbsim.jit.kernels import is_generated
from mbsim.march.settings import Asked
from mbsim.system.codegen import generated_module
from mbsim.system.corners import Corners
from mbsim.system.system import DriverRecord, JointRecord, SlipSizes, System

log = logging.getLogger("mbsim")

SLOTS = 256
LARGEST = 1_000_000  # bytes; a larger one takes longer to load, and much longer to march
_RECORDS: tuple[type, ...] = (Assembly, Asked, System, Arrays, SystemFunctions, Corners, JointRecord, DriverRecord, SlipSizes, Change)
_LENGTH = struct.Struct("<q")  # bytes of the assembly; what its measures are made of follows
_UNREADABLE = (LookupError, ImportError, OSError, TypeError, ValueError, struct.error)  # OSError: of a generated module


def key(path: Path, parameters: Mapping[str, str], settings: Mapping[str, str]) -> bytes:
    """All that the assembled model at `path` depends on, if it has no tables. Raises OSError."""
    given = repr((path.stem, sorted(parameters.items()), sorted(settings.items())))
    return b"\0".join([path.read_bytes(), given.encode(), *(source.facts.encode() for source in sources.own())])


def _slot(known: bytes) -> Path:
    return CACHE_FOLDER / "models" / f"{int.from_bytes(source_hash(known), 'little') % SLOTS:03}.model"


def find(known: bytes) -> Assembly | None:
    """The assembled model of this key, or None."""
    if not fastload.is_used():
        return None
    path = _slot(known)
    data = entries.read(path, known)
    if data is None:
        return None
    try:
        (length,) = _LENGTH.unpack_from(data)
        end = _LENGTH.size + length
        made: Assembly = _encoding().read(data[_LENGTH.size : end])
        return made if end == len(data) else _with_measures(made, data[end:])
    except _UNREADABLE as error:  # code generated for the model is gone
        log.debug("the assembled model cannot be read and is made anew: %r", error)
        entries.discard(path)
        return None


def keep(known: bytes, made: Assembly) -> None:
    """Keep an assembled model, where it can be: without events, and without what other files hold (tables, meshes, leaves)."""
    system = made.system
    others = system.tables or made.files or registry.has_used_others()
    if not fastload.is_used() or others or made.events is not None or made.coming is not None:
        return
    if system.samples is not None or system.failure is not None:
        return
    system = system if system.corners is None else replace(system, corners=system.corners(system))
    try:
        plain = replace(
            made,
            system=system,
            simulation=Asked.of(made.simulation),
            parameters=dict(made.parameters),
            measures=None,
            held=None,
            described=made.scene,
        )
        assembly = _encoding().write(plain)
        measures = b"" if made.measures is None else _of_measures().write(made.measures.given.plain())
        data = b"".join([_LENGTH.pack(len(assembly)), assembly, measures])
    except EncodingError as error:
        log.debug("the assembled model is not kept: %s", error)
        return
    if len(data) <= LARGEST:
        entries.write(_slot(known), known, data)


@cache
def _encoding() -> Encoding:
    return Encoding({cls.__name__: cls for cls in _RECORDS}, _where, _function)


@cache
def _of_measures() -> Encoding:
    """Of what measures are made of. Most models have none, and do not import this."""
    from mbsim.kernels.primitives import Motion
    from mbsim.model.expressions.parsed import Call, Name, Number
    from mbsim.observe.controllers import Led
    from mbsim.observe.facts import BodyFacts, Facts, Relative, Side
    from mbsim.observe.measures import Given, Term

    def nothing(*where: str) -> Any:
        raise LookupError(f"measures have no functions: {where}")

    records: tuple[type, ...] = (Given, Term, Led, Facts, BodyFacts, Relative, Side, Motion, Number, Name, Call)
    return Encoding({cls.__name__: cls for cls in records}, lambda value: None, nothing)


def _with_measures(made: Assembly, data: bytes) -> Assembly:
    from mbsim.observe.measures import Measures

    return replace(made, measures=Measures(_of_measures().read(data), made.system))


def _where(value: object) -> list[str] | None:
    """Module and name of a kernel that `_function` finds, and for a generated one what it was generated by."""
    if not isinstance(value, (Kernel, FunctionType)):
        return None
    where = [value.__module__, value.__qualname__]
    if is_generated(value.__module__):
        where.append(derivation())
    try:
        return where if _function(*where) is value else None
    except (LookupError, ImportError):
        return None


def _function(module: str, name: str, by: str = "") -> Any:
    """A kernel of a system, or of a module that was generated for one; nothing else is looked up. Raises LookupError or ImportError."""
    if is_generated(module) and by == derivation():
        found = getattr(generated_module(module), name, None)
    elif module.startswith("mbsim.system.") and module.count(".") == 2:
        found = getattr(importlib.import_module(module), name, None)
    else:
        raise LookupError(f"{module} has no kernels of systems")
    if not isinstance(found, (Kernel, FunctionType)):
        raise LookupError(f"{module} has no kernel {name}")
    return found
