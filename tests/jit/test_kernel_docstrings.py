"""Each kernel says in a sentence what it fills or does."""

import ast
from pathlib import Path

import pytest

import mbsim

PACKAGE = Path(mbsim.__file__).parent
SENTENCE = 4  # words


def is_kernel(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    made_by = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return any(isinstance(each, ast.Name) and each.id == "kernel" for each in made_by)


KERNELS = {
    f"{path.relative_to(PACKAGE).as_posix()}:{node.name}": ast.get_docstring(node) or ""
    for path in sorted(PACKAGE.rglob("*.py"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef) and is_kernel(node)
}


def test_kernels_are_found() -> None:
    assert len(KERNELS) > 100


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_has_a_docstring(name: str) -> None:
    first = KERNELS[name].partition("\n\n")[0]
    assert len(first.split()) >= SENTENCE and first.endswith("."), f"{name}: {first!r}"
