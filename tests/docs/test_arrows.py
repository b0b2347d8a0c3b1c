"""Modules that are imported by name follow the arrows of pyproject.toml; import-linter does not see these imports."""

import ast
import fnmatch
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from itertools import product
from pathlib import Path
from typing import NamedTuple

import mbsim

PACKAGE = Path(mbsim.__file__).parent
LAYERS = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
HEIGHT = {room.strip(): -k for k, layer in enumerate(LAYERS) for room in layer.split("|")}


class Imports(NamedTuple):
    """What a text imports."""

    plain: list[str]  # of `import a.b`
    parts: list[tuple[str, str]]  # of `from a import b`
    by_name: list[str]  # of `import_module`: each name that it may be called with; a `*` stands for what only the run knows


@cache
def imports(text: str) -> Imports:
    """At its top, inside functions and for type checkers."""
    found = Imports([], [], [])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.plain.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.parts.extend((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found.by_name.extend(spelled(node.args[0]) if called == "import_module" else ())
    return found


def imported_by_name(text: str) -> list[str]:
    """What `import_module` may be called with that begins with `mbsim.`."""
    return [name for name in imports(text).by_name if name.startswith("mbsim.")]


def spelled(node: ast.expr) -> list[str]:
    """The texts that an expression may be: of a constant, a choice between two, a constant or nothing, and texts put together."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp(body=one, orelse=other):
            return [*spelled(one), *spelled(other)]
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mult()):
            return ["", text]
        case ast.FormattedValue(value=value):
            return spelled(value)
        case ast.JoinedStr(values=values):
            return ["".join(parts) for parts in product(*map(spelled, values))]
    return ["*"]


def test_it_finds_them() -> None:
    text = 'import_module("mbsim.plots.figure")\nimportlib.import_module(f"mbsim.cli.{name}").x\nimport_module(name)\nimport_module("os")'
    assert list(imported_by_name(text)) == ["mbsim.plots.figure", "mbsim.cli.*"]
    text = """import_module(f"mbsim.kernels.{'planar' if planar else 'spatial'}_rows{'_all' * every}")"""
    assert len(list(imported_by_name(text))) == 4 and "mbsim.kernels.planar_rows_all" in imported_by_name(text)


def test_no_room_imports_one_above_by_name() -> None:
    found = [
        (path.relative_to(PACKAGE).parts[0], name.split(".")[1], path.name)
        for path in sorted(PACKAGE.glob("*/**/*.py"))
        for name in imported_by_name(path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 10
    assert [(room, other, file) for room, other, file in found if room != other and HEIGHT[other] >= HEIGHT[room]] == []


def module_of(path: Path) -> str:
    """The name that a file of mbsim is imported by."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_of(path): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.glob("**/*.py"))}


def imported(text: str) -> Iterator[str]:
    """The files of mbsim that a text imports: at its top, inside functions, for type checkers, and by name (all that a name may become)."""
    yield from (name for name in imports(text).plain if name in FILES)
    for module, name in imports(text).parts:
        if module in FILES:
            yield each if (each := f"{module}.{name}") in FILES else module
    for name in imported_by_name(text):
        yield from fnmatch.filter(FILES, name)


def test_no_file_imports_itself_by_a_way_round() -> None:
    """import-linter looks for circles between the parts of a room; this looks at files, and at what is imported by name."""
    found = {name: {other for other in imported(text) if other != name} for name, text in FILES.items() if name != "mbsim"}
    assert sum(map(len, found.values())) > 2000
    TopologicalSorter(found).prepare()  # raises CycleError, which names the circle
