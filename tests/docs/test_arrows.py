"""Modules that are imported by name follow the arrows of pyproject.toml; import-linter does not see these imports."""

import ast
import fnmatch
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import product
from pathlib import Path

import mbsim

PACKAGE = Path(mbsim.__file__).parent
LAYERS = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
HEIGHT = {room.strip(): -k for k, layer in enumerate(LAYERS) for room in layer.split("|")}


def imported_by_name(text: str) -> Iterator[str]:
    """What `import_module` may be called with, of a text that begins with `mbsim.`; a `*` stands for what only the run knows."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "import_module" and node.args:
            yield from (name for name in spelled(node.args[0]) if name.startswith("mbsim."))


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
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in FILES)
        elif isinstance(node, ast.ImportFrom) and node.module in FILES:
            yield from (each if (each := f"{node.module}.{alias.name}") in FILES else node.module for alias in node.names)
    for name in imported_by_name(text):
        yield from fnmatch.filter(FILES, name)


def test_no_file_imports_itself_by_a_way_round() -> None:
    """import-linter looks for circles between the parts of a room; this looks at files, and at what is imported by name."""
    found = {name: {other for other in imported(text) if other != name} for name, text in FILES.items() if name != "mbsim"}
    assert sum(map(len, found.values())) > 2000
    TopologicalSorter(found).prepare()  # raises CycleError, which names the circle
