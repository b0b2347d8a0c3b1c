"""Damaged model files are read or refused with documented errors; the full size is run by hand (scripts/attack/mutate_models.py)."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "attack" / "mutate_models.py"


@pytest.fixture(scope="module")
def attack() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate_models", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_small_size(attack: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert attack.main(["--quick"]) == 0, capsys.readouterr().out
    assert f"{attack.QUICK} files, 0 findings" in capsys.readouterr().out


def test_a_seed_makes_its_file_again(attack: ModuleType) -> None:
    texts = attack.sources()
    assert attack.mutant(5, texts) == attack.mutant(5, texts) != attack.mutant(6, texts)


@pytest.mark.parametrize("text", ["a", "\n", "-", "€"])
def test_every_change_takes_any_text(attack: ModuleType, text: str) -> None:
    """Of a file that earlier changes left little of, too."""
    for change in attack.CHANGES:
        for seed in range(20):
            assert isinstance(change(text, np.random.default_rng(seed)), str)


def test_other_exceptions_are_found(attack: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness tells an undocumented exception from an error."""

    def broken(*arguments: object, **keys: object) -> None:
        raise KeyError("joint")

    monkeypatch.setattr(attack, "load", broken)
    counts, findings = attack.run(range(3))
    assert counts == {"FINDING: exception": 3}
    assert len(findings) == 3 and "KeyError" in findings[0]
