"""Writes docs/code_map.md: every file of the package with the first sentence of its docstring, room by room.

    python scripts/code_map.py
    python scripts/code_map.py --quick    # to a temporary folder

A test compares the page with the files.
"""

import ast
import re
from pathlib import Path

from command_line import ROOT, output_folder, parser

PACKAGE = ROOT / "mbsim"
NAME = "code_map.md"
INTRODUCTION = """\
# Code map

Every file of the package, room by room, with the first sentence of its docstring. [Architecture](architecture.md) says
what the rooms are for, which of them may import which, and where something new goes. `python scripts/code_map.py`
writes this page.
"""


def sentence(path: Path) -> str:
    """The first sentence of the file's docstring; empty where it has none."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=[.?!])\s+(?=[A-Z`])", first)[0].replace("|", "\\|")


def rooms() -> list[Path]:
    """The package, then its folders with source files, by name."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    return sorted(folders, key=lambda folder: folder.relative_to(PACKAGE).parts)


def page() -> str:
    """The whole page in Markdown."""
    parts = [INTRODUCTION]
    for room in rooms():
        name = room.relative_to(ROOT).as_posix()
        files = sorted(path for path in room.glob("*.py") if path.name != "__init__.py")
        about = sentence(room / "__init__.py") if (room / "__init__.py").exists() else ""
        parts.append(f"## {name}\n")
        if about:
            parts.append(f"{about}\n")
        if files:
            rows = [f"| `{path.name}` | {sentence(path)} |" for path in files]
            parts.append("\n".join(["| file | |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    arguments = parser(__doc__, writes=True).parse_args()
    with output_folder(arguments) as folder:
        (folder / NAME).write_text(page(), encoding="utf-8")
        print(f"{folder / NAME}: {sum(1 for _ in PACKAGE.rglob('*.py'))} files in {len(rooms())} folders")


if __name__ == "__main__":
    main()
