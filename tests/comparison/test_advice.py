"""Which method for this model: sentences from rows whose errors and times are given."""

from typing import Any

import numpy as np
import pytest

from mbsim.results.read import in_memory
from mbsim.studies.compare.advice import Advice, advice
from mbsim.studies.compare.rows import Case, Reference, Row
from mbsim.studies.compare.verdict import Scale

STEPS = (0.01, 0.005, 0.0025)


def result(drift: float) -> Any:
    arrays = {"time": np.zeros(1), "residual_position": np.array([drift])}
    return in_memory(arrays, {}, {}, {}, "", {})


def case(**ladders: Any) -> Case:
    """A ladder is its errors and times, a drift, a verdict."""
    found = Case("x", "x", "", "", 0.0, 1.0, 0.1, Reference("a run", result(0.0)), scales={"position": Scale(1.0, 1e-9, 1e-11)})
    for name, given in ladders.items():
        method, _, integrator = name.partition("__")
        for i, step in enumerate(STEPS):
            verdict = given.get("verdict", "agrees")
            row = Row(method, integrator or "rk4", step, False, step, verdict=verdict, reason="a reason")
            if verdict in ("agrees", "disagrees"):
                row.result, row.march_times = result(given.get("drift", 1e-11)), [given["times"][i]] * given.get("repeats", 3)
                row.judgement.errors["position"] = given["errors"][i]
            found.rows.append(row)
    return found


EXACT = {"errors": (1e-4, 1e-5, 1e-6), "times": (0.01, 0.02, 0.04)}


def said(**ladders: Any) -> tuple[Advice, str]:
    found = advice(case(**ladders))
    return found, " ".join(found.lines)


def test_the_quickest_at_equal_error_is_named_with_its_settings() -> None:
    found, words = said(svd=EXACT, lagrange={"errors": EXACT["errors"], "times": (0.03, 0.06, 0.12)})
    assert words.startswith(
        "Use svd for errors from 1e-4 to 1e-6: step 0.01 gives an rms error of 1.0e-4 in 10 ms, step 0.0025 1.0e-6 in 40 ms."
    )
    assert "Slower or less exact than these in every run: lagrange." in words
    assert found.settings == {"method": "svd", "integrator": "rk4", "step": 0.01}


def test_a_method_with_smaller_errors_at_the_same_time_is_quicker() -> None:
    """Not the quickest run counts, but the quickest for an error."""
    _, words = said(rough={"errors": (1e-2, 5e-3, 2e-3), "times": (0.008, 0.016, 0.032)}, fine={**EXACT, "times": (0.02, 0.04, 0.08)})
    assert words.startswith("Use rough for errors up to 1e-2:")
    assert "fine for errors from 1e-3 to 1e-6: step 0.01 gives an rms error of 1.0e-4 in 20 ms" in words


def test_errors_of_round_off_are_alike() -> None:
    """As where drivers prescribe the motion: a method that is exact to 1e-15 was the only one named, although others are quicker."""
    exact = {"errors": (6e-15, 6e-15, 6e-15), "times": (0.03, 0.06, 0.12)}
    _, words = said(rattle=exact, svd={"errors": (8e-12, 6e-12, 1e-12), "times": (0.01, 0.02, 0.04)})
    assert words.startswith("Use svd for errors up to 1e-11: step 0.01 gives an rms error of 8.0e-12 in 10 ms.")
    assert "Slower or less exact than these in every run: rattle." in words


def test_an_error_of_a_rounded_power_of_ten_is_reached() -> None:
    """A body that turns at a constant speed: all errors were 1e-11 of its way, which was larger than the power of ten by its last digit."""
    least = float(np.nextafter(1e-11, 1.0))
    _, words = said(a={"errors": (least,) * 3, "times": (0.01, 0.02, 0.04)}, b={"errors": (least,) * 3, "times": (0.03, 0.06, 0.12)})
    assert words.startswith("Use a for errors up to 1e-11: step 0.01 gives an rms error of 1.0e-11 in 10 ms.")


def test_an_error_that_is_smaller_by_a_fraction_is_no_reason_to_name_a_method() -> None:
    """Steps of one formula end on errors that differ in the second digit."""
    _, words = said(a=EXACT, b={"errors": (0.9e-4, 0.9e-5, 0.8e-6), "times": (0.05, 0.1, 0.2)})
    assert words.startswith("Use a for errors from 1e-4 to 1e-6") and "Slower or less exact than these in every run: b." in words


def test_a_mechanism_that_stays_at_rest_tells_nothing() -> None:
    still = case(a=EXACT, b={**EXACT, "times": (1.0, 2.0, 4.0)})
    still.scales["position"] = Scale(0.0, 1e-9, 0.0)
    found = advice(still)
    assert found.lines[0].startswith("No recommendation: nothing moves") and not found.settings


def test_times_of_single_runs_tell_less() -> None:
    """A rough method is 1.6 times as quick: of repeated runs that counts, of single ones it does not."""
    rough = {"errors": (1e-3, 1e-4, 1e-5), "times": (0.01, 0.02, 0.04)}
    fine = {"errors": (1e-6, 1e-7, 1e-8), "times": (0.016, 0.032, 0.064)}
    assert said(rough=rough, fine=fine)[1].startswith("Use rough")
    once, words = said(rough={**rough, "repeats": 1}, fine={**fine, "repeats": 1})
    assert once.settings is not None and once.settings["method"] == "fine" and "Each run was timed once" in words


def test_where_nothing_tells_methods_apart_it_is_said() -> None:
    _, words = said(a=EXACT, b={**EXACT, "times": (0.011, 0.021, 0.043)}, c={**EXACT, "times": (0.0102, 0.02, 0.041)})
    assert words.startswith("Nothing here tells a, b and c apart at every accuracy measured")
    assert "Drift does not tell them apart: all keep the position constraints to 1.0e-11." in words


def test_times_between_the_runs_are_interpolated() -> None:
    """At 1e-5 the second needs the time between its runs at 1e-4 and 1e-6, 20 ms: as long as the first."""
    _, words = said(a=EXACT, b={"errors": (1e-4, 1e-6, 1e-6), "times": (0.01, 0.04, 0.05)})
    assert words.startswith("Nothing here tells a and b apart")


def test_methods_that_do_not_fit_are_named_and_never_recommended() -> None:
    wrong = {"errors": (1e-9, 1e-9, 1e-9), "times": (1e-4, 1e-4, 1e-4), "verdict": "disagrees"}
    _, words = said(svd=EXACT, wrong=wrong, aba={"verdict": "refused"}, slow={"verdict": "failed"})
    assert words.startswith("Only svd agrees with the reference")
    assert "Not in agreement with the reference: wrong." in words and "Not for this model: aba." in words and "Failed: slow." in words


def test_of_methods_that_are_as_quick_one_that_keeps_the_constraints_is_taken() -> None:
    found, words = said(baumgarte={**EXACT, "drift": 1e-4}, svd={**EXACT, "times": (0.012, 0.024, 0.048)})
    assert words.startswith("Use svd") or words.startswith("Nothing here tells svd and baumgarte apart")
    assert found.settings is not None and found.settings["method"] == "svd"


def test_drift_that_differs_is_named() -> None:
    _, words = said(svd=EXACT, baumgarte={**EXACT, "drift": 1e-4})
    assert "Positions leave the constraints: baumgarte by up to 1.0e-4 (the others by at most 1.0e-11)." in words


def test_without_a_run_that_agrees_nothing_is_recommended() -> None:
    found, words = said(svd={"verdict": "failed"})
    assert words.startswith("No recommendation: no run agrees with the reference.") and not found.settings


def test_names_say_the_integrator_where_there_are_several() -> None:
    finer = {"errors": (1e-5, 1e-7, 1e-8), "times": (0.1, 0.2, 0.4)}
    _, words = said(svd__rk4=EXACT, svd__dop853=finer, rattle__own={**EXACT, "times": (0.1, 0.2, 0.4)})
    assert words.startswith("Use svd with rk4 ") and "The next, svd with dop853, takes " in words
    assert "in every run: rattle." in words


def test_only_the_front_of_error_and_time_is_named() -> None:
    """Stabilised constraints are a tenth quicker and a thousand times less exact at every step; a variant is as good as the method."""
    rough = {"errors": (1e-1, 1e-2, 1e-3), "times": (0.009, 0.018, 0.036), "drift": 1e-2}
    found, words = said(baumgarte=rough, lagrange=EXACT, **{"svd(renew=paper)": {**EXACT, "times": (0.0099, 0.0199, 0.0399)}})
    assert words.startswith("Nothing here tells lagrange and svd(renew=paper) apart at every accuracy measured")
    assert words.count("baumgarte") == 1 and "Slower or less exact than these in every run: baumgarte." in words
    assert found.settings == {"method": "lagrange", "integrator": "rk4", "step": 0.01}


@pytest.mark.parametrize(("error", "row"), [((1e-1, 1e-2, 1e-3), 0.0025), ((1e-3, 1e-4, 1e-5), 0.005), ((1e-6, 1e-8, 1e-10), 0.01)])
def test_the_settings_keep_to_a_ten_thousandth_of_the_motion(error: tuple[float, ...], row: float) -> None:
    found, _ = said(svd={"errors": error, "times": (0.01, 0.02, 0.04)})
    assert found.settings["step"] == row
