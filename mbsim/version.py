"""The version of mbsim, and the commit of a checkout that it runs from."""

from contextlib import suppress
from functools import cache
from pathlib import Path

__version__ = "0.2.0"
SHOWN = 12  # characters of a commit


@cache
def commit() -> str:
    """The commit that a checkout is on, whether its files were edited since or not; empty for an installed package.

    Git is not asked: its files are read, once in a process.
    """
    root = Path(__file__).resolve().parents[1] / ".git"
    with suppress(OSError, ValueError, IndexError):
        folder = root
        if root.is_file():  # a second work tree: "gitdir: FOLDER"
            folder = Path(root.read_text(encoding="utf-8").partition(":")[2].strip())
        head = (folder / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head[:SHOWN]
        common = folder / "commondir"
        shared = folder / common.read_text(encoding="utf-8").strip() if common.is_file() else folder
        name = head.partition(":")[2].strip()
        for place in (folder / name, shared / name):
            if place.is_file():
                return place.read_text(encoding="utf-8").strip()[:SHOWN]
        lines = (shared / "packed-refs").read_text(encoding="utf-8").splitlines()
        return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")[:SHOWN]
    return ""
