"""The files of mbsim, as the file system knows them: what tells one version of the sources from another without reading them."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Source(NamedTuple):
    """A file of Python."""

    name: str  # its path in the package, with slashes
    path: str
    facts: str  # the path, when it was written, its size and number


def scan(package: Path) -> list[Source]:
    """The files of Python in a folder, in the order of their names. Hidden and private folders are not looked into."""
    found: list[Source] = []
    folders = [("", str(package))]
    while folders:
        above, folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith(".py"):
                    s = entry.stat()
                    facts = f"{entry.path} {s.st_mtime_ns} {s.st_ctime_ns} {s.st_size} {s.st_ino}"
                    found.append(Source(above + name, entry.path, facts))
                elif not name.startswith(("_", ".")) and entry.is_dir():
                    folders.append((f"{above}{name}/", entry.path))
    return sorted(found)


@cache
def own() -> list[Source]:
    """The files of mbsim, as they were when this process asked first."""
    return scan(Path(__file__).parent.parent)


def of_rooms(rooms: Iterable[str]) -> list[Source]:
    """The files of mbsim that lie in these folders of it."""
    begin = tuple(f"{room}/" for room in rooms)
    return [source for source in own() if source.name.startswith(begin)]
