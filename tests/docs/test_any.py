"""How often `Any` stands in annotations: where user data is read, where libraries have no types, and in `jit`, among Numba's objects.

Arrays are `Floats` or `np.ndarray`, compiled functions `Compiled`, work arrays and functions of a system their contracts, generated modules
`ModuleType`, and what is only passed on or looked at by `isinstance` is `object`.
"""

import ast
from pathlib import Path

import pytest

import mbsim

PACKAGE = Path(mbsim.__file__).parent
MOST = {
    "__init__": 3,
    "analyses": 36,
    "assembly": 38,
    "cli": 76,
    "contracts": 4,
    "controllers": 1,
    "diagnosis": 3,
    "elements": 10,
    "forces": 11,
    "formulations": 1,
    "gym": 6,
    "hooks": 3,
    "importers": 5,
    "integrators": 25,
    "jit": 523,
    "joints": 1,
    "march": 28,
    "methods": 1,
    "model": 77,
    "observe": 9,
    "plots": 6,
    "programs": 44,
    "registry": 4,
    "results": 55,
    "scene": 42,
    "singular": 1,
    "straight": 14,
    "studies": 135,
    "system": 32,
    "view": 17,
}


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else path.stem


def uses(room: str) -> list[str]:
    """Where `Any` stands in a room, as file:line."""
    return [
        f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if room_of(path) == room
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and node.id == "Any"
    ]


@pytest.mark.parametrize("room", sorted({room_of(path) for path in PACKAGE.rglob("*.py")}))
def test_no_room_says_any_more_often(room: str) -> None:
    """A new one needs a reason; where one goes, the bound goes down with it."""
    found = uses(room)
    assert len(found) <= MOST.get(room, 0), f"{room}: {len(found)} uses of Any, {MOST.get(room, 0)} allowed: {', '.join(found)}"
