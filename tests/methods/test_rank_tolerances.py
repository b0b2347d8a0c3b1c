"""The tolerances of ranks and singular positions: few, each with its question, each used, none with a second value elsewhere."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.kernels import ranks

PACKAGE = Path(mbsim.__file__).parent
TEXT = Path(ranks.__file__).read_text(encoding="utf-8")
OF_PIVOTS = ("RANK_TOLERANCE", "BLOCK_TOLERANCE", "LANDED", "FOLDED", "TOUCHING", "NEAR")
NAMES = (*OF_PIVOTS, "CONSISTENT", "ROUND_OFF")
OF_RANKS_ONLY = ("RANK_TOLERANCE", "BLOCK_TOLERANCE", "LANDED", "FOLDED", "TOUCHING")  # the others are words of other fields, too


def assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """The names of a module and what they are assigned at its level."""
    return {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}


def test_there_are_eight_and_each_has_a_question() -> None:
    assert tuple(assigned(ast.parse(TEXT))) == NAMES
    for name in NAMES:
        comment = re.search(rf"((?:^#[^\n]*\n)+){name} = ", TEXT, re.MULTILINE)
        assert comment, name
        assert "?" in comment[1] or "Likewise" in comment[1], name


def test_those_of_pivots_rise_from_dependent_to_near() -> None:
    values = [getattr(ranks, name) for name in OF_PIVOTS]
    assert values == sorted(values)


def test_each_is_used_and_has_no_second_value() -> None:
    used, doubled = set(), []
    for path in PACKAGE.rglob("*.py"):
        if path == Path(ranks.__file__):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "mbsim.kernels.ranks":
                used |= {alias.name for alias in node.names}
        literals = (name for name, value in assigned(tree).items() if isinstance(value, ast.Constant))
        doubled += [(path.name, name) for name in literals if name in OF_RANKS_ONLY]
    assert used == set(NAMES)
    assert doubled == []


def test_what_steers_stays_where_the_list_says() -> None:
    listed = re.findall(r"`([a-z_/]+\.py)` ([A-Z_]+(?:, [A-Z_]+)*)", TEXT)
    assert len(listed) >= 8
    for file, names in listed:
        there = assigned(ast.parse((PACKAGE / file).read_text(encoding="utf-8")))
        assert set(names.split(", ")) <= set(there), file


def test_what_follows_from_them_has_no_value_of_its_own() -> None:
    for file, name in (("singular/projection.py", "REDUNDANT"), ("diagnosis/redundancy.py", "SURELY"), ("march/failures.py", "DEAD_POINT")):
        assert not isinstance(assigned(ast.parse((PACKAGE / file).read_text(encoding="utf-8")))[name], ast.Constant), name


def test_positions_that_satisfy_a_fold_to_the_drift_tolerance_count_as_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """LANDED is what residuals leave of a position along the direction that the rows do not hold; one of a step is well above it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    import rank_tolerances

    on, beside = list(rank_tolerances.folded(1e-10)), list(rank_tolerances.folded(1e-6))
    assert len(on) > 20
    assert max(on) < ranks.LANDED
    assert min(beside) > ranks.FOLDED > ranks.LANDED


@pytest.mark.parametrize("n", [2, 5, 20])
def test_a_matrix_without_inertia_in_a_direction_has_a_pivot_of_round_off(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    import rank_tolerances

    rng = np.random.default_rng(n)
    A, x = rng.standard_normal((n, 2 * n)), rng.choice([-1.0, 1.0], n)
    M = A @ A.T
    unit = M / np.sqrt(np.outer(np.diag(M), np.diag(M)))
    assert rank_tolerances.of_symmetric(unit) > 1e6 * ranks.ROUND_OFF
    assert rank_tolerances.of_symmetric(unit - np.outer(unit @ x, unit @ x) / (x @ unit @ x)) < ranks.ROUND_OFF
