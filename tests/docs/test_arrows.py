"""Modules that are imported by name follow the arrows of pyproject.toml; import-linter does not see these imports."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import mbsim

PACKAGE = Path(mbsim.__file__).parent
LAYERS = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
HEIGHT = {room.strip(): -k for k, layer in enumerate(LAYERS) for room in layer.split("|")}


def imported_by_name(text: str) -> Iterator[str]:
    """What `import_module` is called with, of a text: the constant beginning, at least up to the room."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "import_module" and node.args:
            given = node.args[0]
            first = given.values[0] if isinstance(given, ast.JoinedStr) else given
            if isinstance(first, ast.Constant) and str(first.value).startswith("mbsim."):
                yield str(first.value)


def test_it_finds_them() -> None:
    text = 'import_module("mbsim.plots.figure")\nimportlib.import_module(f"mbsim.cli.{name}").x\nimport_module(name)\nimport_module("os")'
    assert list(imported_by_name(text)) == ["mbsim.plots.figure", "mbsim.cli."]


def test_no_room_imports_one_above_by_name() -> None:
    found = [
        (path.relative_to(PACKAGE).parts[0], name.split(".")[1], path.name)
        for path in sorted(PACKAGE.glob("*/**/*.py"))
        for name in imported_by_name(path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 10
    assert [(room, other, file) for room, other, file in found if room != other and HEIGHT[other] >= HEIGHT[room]] == []
