"""Rooms ask leaves what they are: the words of leaves stand in their own rooms, and where a word also means something else."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from mbsim import registry
from mbsim.model import symbols
from mbsim.model.leaves import Constraint, Coupling, Force, Joint

PACKAGE = Path(__file__).parents[2] / "mbsim"
ROOMS = ("observe", "plots", "scene", "view", "diagnosis", "march", "analyses")
WORDS = {word for kind in registry.KINDS for word in registry.names(kind)}
# What else a word means: the first part of a solid's name, a variable of results, a kind of number. File, word -> how often.
HOMONYMS = {
    ("march/recorded_equations.py", "force"): 1,  # the force of a reaction
    ("march/settings.py", "force"): 1,  # a keyword of `mbsim.simulate`
    ("analyses/static.py", "force"): 1,
    ("analyses/static.py", "torque"): 1,
    ("analyses/static.py", "joint_torque"): 1,  # a variable
    ("analyses/statespace.py", "force"): 2,  # an input is `force:NAME`
    ("observe/open_reactions.py", "force"): 1,
    ("observe/open_reactions.py", "torque"): 1,
    ("observe/quantities.py", "distance"): 1,  # a function of expressions
    ("plots/panels.py", "force"): 4,  # labels of axes
    ("plots/panels.py", "torque"): 3,
    ("plots/panels.py", "joint_torque"): 2,
    ("view/charts.py", "joint_torque"): 1,
    ("view/shows.py", "force"): 1,
    ("view/shows.py", "joint_torque"): 1,
    ("view/stage.py", "force"): 1,
}


def texts(tree: ast.Module) -> list[str]:
    """The texts of a file that are no docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    said = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and isinstance(node.body[0], ast.Expr)}
    return [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
    ]


def files() -> list[Path]:
    return [path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py")) if path.read_text(encoding="utf-8").strip()]


def test_no_room_knows_a_word_of_a_leaf() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for path in files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found.update((path.relative_to(PACKAGE).as_posix(), text) for text in texts(tree) if text in WORDS)
    assert found == HOMONYMS


def test_no_room_compares_the_type_of_a_block() -> None:
    """A type may be printed; what depends on it is asked of the leaf."""
    asked = []
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            tested: list[ast.expr] = []
            if isinstance(node, ast.Compare):
                tested = [node.left, *node.comparators]
            elif isinstance(node, ast.Subscript):
                tested = [node.slice]
            if any(isinstance(one, ast.Attribute) and one.attr == "type" for one in tested):
                asked.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert not asked


@pytest.mark.parametrize("kind", ["joints", "constraints", "forces", "controllers"])
def test_symbols_are_words_of_the_list(kind: str) -> None:
    for word in registry.names(kind):
        leaf = registry.leaf(kind, word)
        touching = symbols.CONTACTS | symbols.CABLES
        lists = {Joint: symbols.JOINTS, Coupling: symbols.COUPLINGS, Constraint: touching, Force: symbols.FORCES | touching}
        (known,) = [words for base, words in lists.items() if issubclass(leaf, base)]
        assert leaf.SYMBOL in known, word
