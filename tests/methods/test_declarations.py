"""What files of methods declare for the dispatch: every condition is known, every file is there, and somebody reads what it says."""

import re
from pathlib import Path

import pytest

import mbsim
from mbsim import registry
from mbsim.formulations import CONDITIONS, conditions

PACKAGE = Path(mbsim.__file__).parent
CONTRACT = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8").partition("### What a method")[2].partition("## ")[0]
DECLARED = sorted(set(re.findall(r"`([A-Z][A-Z_]+)(?: = [^`]*)?`", "\n".join(re.findall(r"^\| (`[A-Z].*?) \|", CONTRACT, re.MULTILINE)))))
FILES = {path.relative_to(PACKAGE).with_suffix("").parts: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
READERS = "".join(text for parts, text in FILES.items() if parts[0] not in ("methods", "integrators"))
LEAVES = {".".join(parts[1:]): text for parts, text in FILES.items() if parts[0] in ("methods", "integrators")}
CHOSEN = {file for word in registry.names("methods") for _, file in registry.declaration("methods", word, "KERNELS") or [("always", word)]}


@pytest.mark.parametrize("method", registry.names("methods"))
def test_kernels_by_known_conditions(method: str) -> None:
    options = registry.options("methods", method)
    for when, file in registry.declaration("methods", method, "KERNELS") or ():
        option, equals, word = when.partition("=")
        assert word in options[option].choices if equals else when in CONDITIONS, when
        assert (PACKAGE / "methods" / f"{file.replace('.', '/')}.py").is_file()
    asked = conditions(method)
    assert "always" not in asked[:-1]  # nothing after it would ever be chosen


def test_conditions_that_nobody_asks() -> None:
    assert {when for word in registry.names("methods") for when in conditions(word) if "=" not in when} == set(CONDITIONS)


@pytest.mark.parametrize("name", DECLARED)
def test_a_declaration_of_the_contract_is_made_and_read(name: str) -> None:
    assert re.search(rf'"{name}"|\.{name}\b', READERS), "nobody reads it"
    assert any(re.search(rf"^{name} = ", text, re.MULTILINE) for text in LEAVES.values()), "nobody makes it"


@pytest.mark.parametrize("name", ["CROSSES", "DRIFT", "DRIFT_BY", "TANGENT", "INDEPENDENT_SPEEDS"])
def test_declarations_of_kernels_stand_in_files_that_are_chosen(name: str) -> None:
    declaring = {file for file, text in LEAVES.items() if re.search(rf"^{name} = ", text, re.MULTILINE)}
    assert declaring
    assert declaring <= CHOSEN


def test_the_contract_names_what_the_dispatch_reads() -> None:
    read = set(re.findall(r'declar(?:ation|es)\((?:[^()"]*|"methods", [^"]*|"integrators", [^"]*|\*kind, )"([A-Z_]+)"', READERS))
    assert read - {"ROWS", "LEVEL", "COMMON", "APART", "ON", "DIMENSIONS", "LAWS", "READS_VALUE"} <= set(DECLARED)
