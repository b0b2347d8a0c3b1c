"""The contents of the cache, its size limit, and its pruning: least recently used files are removed first."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mbsim.jit import entries
from mbsim.jit.folder import PREFIX

LIMIT = 500.0  # MB
_OURS = re.compile(PREFIX + r"[0-9a-f]{16}(\.digest)?")
_FULL = 0.8  # of the limit: what is left when the cache was pruned
_HOUR = 3600.0  # s: a file that is written takes less


class Kept(NamedTuple):
    """A file of the cache."""

    path: Path
    size: int  # bytes
    used: float  # s since 1970; known to a day

    @property
    def kind(self) -> str:
        """Its suffix: image, numba, none, py, code, model, digest, part."""
        return self.path.suffix.removeprefix(".")


def limit() -> float:
    """The size limit of the cache in bytes, from MBSIM_CACHE_LIMIT in MB. Raises ValueError."""
    text = os.environ.get("MBSIM_CACHE_LIMIT") or str(LIMIT)
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not found >= 0.0:
        raise ValueError(f"MBSIM_CACHE_LIMIT: expected a number of MB (got {text[:60]!r})")
    return 1e6 * found


def survey(base: Path) -> list[Kept]:
    """Every file of mbsim in a cache folder, of all versions, except those that vanish meanwhile."""
    found = []
    for path in _files(base):
        try:
            state = path.lstat()
        except OSError:
            continue
        found.append(Kept(path, state.st_size, state.st_mtime))
    return found


def _files(base: Path) -> Iterator[Path]:
    try:
        ours = [path for path in base.iterdir() if _OURS.fullmatch(path.name)]
    except OSError:
        return
    for path in ours:
        if path.is_symlink() or not path.is_dir():
            yield path
            continue
        for folder, _, names in os.walk(path):  # does not follow links
            yield from (Path(folder, name) for name in names)


def prune(base: Path, most: float | None = None) -> int:
    """Remove leftovers of killed processes, and least recently used files until the cache is well below `most` bytes. The bytes removed."""
    try:
        most = limit() if most is None else most
    except ValueError as error:
        entries.log.warning("%s; the cache is not pruned", error)
        return 0
    files = sorted(survey(base), key=lambda kept: kept.used)
    debris = [kept for kept in files if kept.kind == "part" and time.time() - kept.used > _HOUR]
    total = sum(kept.size for kept in files)
    removed = 0
    for kept in debris:
        removed += _remove(kept)
    if total - removed > most:
        for kept in files:
            if total - removed <= _FULL * most:
                break
            removed += _remove(kept) if kept not in debris else 0
    _remove_empty(base)
    return removed


def clear(base: Path) -> int:
    """Remove all files of mbsim. The bytes removed."""
    removed = sum(_remove(kept) for kept in survey(base))
    _remove_empty(base)
    return removed


def _remove(kept: Kept) -> int:
    try:
        kept.path.unlink()
    except OSError:
        return 0
    return kept.size


def _remove_empty(base: Path) -> None:
    for path in base.glob(f"{PREFIX}*"):
        if _OURS.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            for folder, _, _ in os.walk(path, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:  # not empty
                    continue
