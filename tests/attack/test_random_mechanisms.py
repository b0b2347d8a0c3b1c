"""scripts/attack/random_mechanisms.py: 100 mechanisms for half their time here, 3000 as `slow`; methods take turns."""

import families
import pytest
import random_mechanisms as attack

COUNT, MANY = 100, 3000
EACH, MOST = (-(-count // len(families.FAMILIES)) for count in (COUNT, MANY))  # of a family
PARTS = 2  # of a family, which may run side by side


def found(family: str, seeds: range, slow: bool = False) -> list[str]:
    """What must not be, of these numbers of a family."""
    bad = []
    for seed in seeds:
        findings = list(
            attack.judge(family, seed, [attack.whose_turn(family, seed, attack.METHODS)], span=1.0 if slow else 0.5, twice=slow)
        )
        assert findings[0].method == "" and len(findings) > 1  # the freedoms were counted, a run was judged
        bad += [str(finding) for finding in findings if finding.verdict not in attack.GOOD]
    return bad


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("family", families.FAMILIES)
def test_mechanisms_are_right_or_said_not_to_be(family: str, part: int) -> None:
    assert found(family, range(part, EACH, PARTS)) == []


# what the full size has found: family, seed, method
FOUND = {
    "a march that looked at a turned configuration for ever": ("sarrus", 134, "svd"),
    "an error that the run estimates": ("graph", 146, "svd"),
    "an imbalance that a note tells": ("bennett", 24, "svd"),
    "an error of the reference that it estimates": ("wishbone", 79, "svd"),
}


@pytest.mark.parametrize("case", FOUND)
def test_what_was_found_is_repaired_or_said(case: str) -> None:
    family, seed, method = FOUND[case]
    findings = attack.bounded(family, seed, [method])
    assert len(findings) > 2 and [str(f) for f in findings if f.verdict not in attack.GOOD] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("family", families.FAMILIES)
def test_many_mechanisms_are_right_or_said_not_to_be(family: str, part: int) -> None:
    assert found(family, range(EACH + part, MOST, 10), slow=True) == []


@pytest.mark.parametrize("family", families.FAMILIES)
def test_the_same_seed_gives_the_same_mechanism(family: str) -> None:
    """And another seed another one: the findings name mechanisms by family and seed."""
    blocks = [families.mechanism(family, seed).block("absolute", **families.placed(family, seed)) for seed in (3, 3, 4)]
    assert blocks[0] == blocks[1] != blocks[2]


def test_a_wrong_motion_is_found() -> None:
    """The judge itself: a reference that is another mechanism's makes every run wrong."""
    other, made = (
        attack.mbsim.assemble(attack._model(families.mechanism("four_bar", seed).block("absolute", turn=None))) for seed in (0, 2)
    )
    reference, _ = attack._run(other, "lagrange")
    verdict, detail = attack._verdict(made, "svd", reference, 1.0)
    assert verdict == attack.WRONG and "lengths off" in detail
