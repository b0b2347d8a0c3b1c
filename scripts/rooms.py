"""Prints the rooms of mbsim with their files, lines and floors, and the arrows between them, from the imports of its files.

    python scripts/rooms.py            of this checkout
    python scripts/rooms.py --arrows   each arrow, with the number of files that it stands for

A room is a folder or a file of `mbsim`. A floor of a room is a step of the longest chain of imports inside it. Imports inside functions and
for type checkers count, imports by name do not (`tests/docs/test_arrows.py` reads those).
"""

import ast
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import command_line

import mbsim

PACKAGE = Path(mbsim.__file__).parent


def module_of(path: Path) -> str:
    """The name that a file is imported by."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_of(path): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


def room(module: str) -> str:
    """The room of a file; what is in no room, `mbsim/__init__.py` and `__main__.py`, is the house."""
    first = (module.split(".") + [""])[1]
    return "house" if first in ("", "__main__") else first


@cache
def imported(module: str) -> frozenset[str]:
    """The files that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(FILES[module])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {each if (each := f"{node.module}.{alias.name}") in FILES else node.module for alias in node.names}
    return frozenset(found & FILES.keys()) - {module}


@cache
def floor(module: str) -> int:
    """On which floor of its room a file is."""
    return 1 + max((floor(other) for other in imported(module) if room(other) == room(module)), default=0)


def main() -> None:
    given = command_line.parser(__doc__)
    given.add_argument("--arrows", action="store_true", help="print each arrow")
    wanted = given.parse_args()
    modules = [module for module in FILES if room(module) != "house"]
    arrows = Counter((room(one), room(other)) for one in modules for other in imported(one) if room(other) not in (room(one), "house"))
    below = {name: {other for one, other in arrows if one == name} for name in map(room, modules)}
    heights: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():  # raises CycleError where rooms import each other in a circle
        heights[name] = 1 + max((heights[other] for other in below[name]), default=0)
    print(f"{'room':<14}{'height':>7}{'files':>7}{'lines':>8}{'floors':>8}{'arrows':>8}")
    for name in sorted(heights, key=lambda name: (-heights[name], name)):
        own = [module for module in modules if room(module) == name]
        lines = sum(FILES[module].count("\n") for module in own)
        print(f"{name:<14}{heights[name]:>7}{len(own):>7}{lines:>8}{max(map(floor, own)):>8}{len(below[name]):>8}")
    total = sum(text.count("\n") for text in FILES.values())
    print(f"\n{len(heights)} rooms, {len(arrows)} arrows, {max(heights.values())} heights, {len(FILES)} files, {total} lines")
    for (one, other), count in sorted(arrows.items()) if wanted.arrows else ():
        print(f"{one} -> {other}: {count}")


if __name__ == "__main__":
    main()
