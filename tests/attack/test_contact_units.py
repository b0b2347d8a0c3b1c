"""scripts/attack/contact_units.py: what stopped, or moved in another way, in small units."""

import contact_units as attack
import pytest


@pytest.mark.parametrize("name", ["crank", "still_crank"])
def test_a_slide_that_rubs_passes_its_dead_points_in_any_unit_of_length(name: str) -> None:
    findings = attack.judge(name, "events", (1e-5, 1e5), ("m",))
    assert [finding.verdict for finding in findings] == ["right", "right"], findings


@pytest.mark.parametrize("name", [pytest.param("spatial", marks=pytest.mark.slow), "table"])
def test_slips_in_space_begin_alike_in_small_units(name: str) -> None:
    """They began with 1e-9 m/s in any unit, which is 5e-5 of a speed here."""
    block = attack.yaml.safe_load(attack.MODELS[name])
    first, second = (attack.run(attack.rescaled(block), scale, "events") for scale in ({}, {"m": 1e-5}))
    assert attack.apart(first, second)[0] < 1e-6


def test_steps_do_not_let_a_slide_stick_near_its_dead_points() -> None:
    (finding,) = attack.judge("crank", "steps", (1e-3,), ("m",))
    assert finding.verdict == "right", finding.detail


def test_the_comparison_tells_motions_apart() -> None:
    first, second = (
        attack.run(attack.rescaled({**attack.yaml.safe_load(attack.CRANK), "gravity": [0, g]}), {}, "events") for g in (-9.81, -9.8)
    )
    off, _ = attack.apart(first, second)
    assert 1e-4 < off < 1.0
