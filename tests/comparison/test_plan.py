"""Which combinations are run, and what is refused before anything runs."""

import pytest

import mbsim
from mbsim import registry
from mbsim.formulations import Traits
from mbsim.studies.compare.plan import OWN, PlanError, interval, make_plan, split

FOUR_BAR = Traits.of_model(mbsim.load_model("four_bar"))


def test_a_comma_in_parentheses_parts_options():
    assert split("svd, svd(hold=false, hold_limit=3) ,lagrange,") == ["svd", "svd(hold=false, hold_limit=3)", "lagrange"]
    assert split("") == []
    assert split("a),b") == ["a)", "b"]


def test_defaults_are_every_method_with_rk4_at_three_steps():
    ladders = make_plan(None, None, None, None).ladders(0.01, FOUR_BAR)
    assert {ladder.method for ladder in ladders} == set(registry.names("methods"))
    lagrange = next(ladder for ladder in ladders if ladder.method == "lagrange")
    assert (lagrange.integrator, lagrange.levels, lagrange.beyond, lagrange.adaptive) == ("rk4", (0.01, 0.005, 0.0025), (0.00125,), False)
    assert lagrange.order == 4.0
    assert lagrange.settings(0.005, 0.01) == {"method": "lagrange", "integrator": "rk4", "step": 0.005, "output_step": 0.01}


def test_beams_are_compared_by_an_implicit_integrator():
    """rk4 was refused for each method: equal explicit steps along a beam are too many. Where steps are given, they are asked for."""
    traits = Traits.of_model(mbsim.load_model("spin_up"))
    ladders = make_plan(["svd", "generalized_alpha"], None, None, None).ladders(5e-3, traits, stiff=True)
    assert [(ladder.method, ladder.integrator, ladder.adaptive) for ladder in ladders] == [
        ("svd", "radau", True), ("generalized_alpha", OWN, False),
    ]  # fmt: skip
    assert ladders[0].levels == (1e-4, 1e-6, 1e-8) and ladders[0].beyond == pytest.approx((1e-9,))  # 1e-10 is that of the reference
    assert make_plan(["svd"], None, None, [1e-10]).ladders(5e-3, traits, stiff=True)[0].levels == (1e-10,)
    assert make_plan(["svd"], None, [5e-3], None).taken(stiff=True) == ("rk4",)
    assert make_plan(["svd"], ["bdf"], None, None).taken(stiff=True) == ("bdf",)


def test_steps_are_sorted_and_each_once():
    assert make_plan(["svd"], None, ["1e-3", 1e-2, "0.01"], None).steps == (0.01, 0.001)


def test_the_step_that_is_taken_fills_the_interval():
    ladder = make_plan(["svd"], None, [0.01, 0.003], None).ladders(1.0, FOUR_BAR)[0]
    assert ladder.effective(0.003, 0.01) == pytest.approx(0.0025)
    assert ladder.effective(0.01, 0.01) == 0.01


@pytest.mark.usefixtures("fakes")
def test_a_method_with_its_own_steps_appears_once():
    ladders = make_plan(["own_step", "svd"], ["rk4", "adaptive"], [0.01], None).ladders(1.0, FOUR_BAR)
    assert [(ladder.method, ladder.integrator) for ladder in ladders] == [("own_step", OWN), ("svd", "rk4"), ("svd", "adaptive")]
    assert ladders[0].settings(0.01, 0.01)["integrator"] == "auto"


@pytest.mark.usefixtures("fakes")
def test_an_integrator_with_tolerances_has_a_ladder_of_them():
    plan = make_plan(["svd"], ["adaptive", "adaptive(rtol=1e-5)", "adaptive(rtol=1e-4, atol=1e-6)"], [0.01], [1e-3, "1e-6"])
    ladder, one, both = plan.ladders(1.0, FOUR_BAR)
    assert (ladder.adaptive, ladder.levels, ladder.beyond) == (True, (1e-3, 1e-6), (pytest.approx(1e-7),))
    assert ladder.settings(1e-3, 0.5) == {
        "method": "svd",
        "integrator": "adaptive(rtol=0.001, atol=0.001)",
        "step": 0.5,
        "output_step": 0.5,
    }
    assert (one.levels, one.beyond) == ((1e-5,), (pytest.approx(1e-6), pytest.approx(1e-7))) and ladder.order == 1.0
    assert registry.variant(both.settings(1e-5, 0.5)["integrator"])[1] == {"rtol": "1e-05", "atol": "1e-07"}


@pytest.mark.usefixtures("fakes")
def test_every_problem_is_said_at_once():
    with pytest.raises(PlanError) as caught:
        make_plan(
            ["svdd", "own_step(x=1)", "svd(drift=none)", "svd(drift=nona)"],
            ["rk", "adaptive(rtol=-1)", "adaptive(rtoll=1)", "rk4("],
            ["1e-2", "0", "x"],
            [],
        )
    assert caught.value.problems == [
        "unknown method 'svdd'; did you mean 'svd'?",
        "method own_step(x=1): unknown option 'x'; 'own_step' has no options",
        "method svd(drift=nona): drift: expected auto or none or position or full (got 'nona')",
        "unknown integrator 'rk'; did you mean 'rk4'?",
        "integrator adaptive(rtol=-1): rtol: expected a number greater than 0 (got '-1')",
        "integrator adaptive(rtoll=1): unknown option 'rtoll'; did you mean 'rtol'?",
        "integrator: expected NAME or NAME(option=value, ...) (got 'rk4(')",
        "a step is a number greater than 0 (got '0')",
        "a step is a number greater than 0 (got 'x')",
        "no tolerances are given",
    ]


def test_rows_are_shared_and_not_too_many():
    assert interval(10.0, 0.01, None) == 0.01
    assert interval(10.0, 0.001, None) == 0.01
    assert interval(10.0, 0.001, 0.05) == 0.05
    assert interval(1.0, 5.0, None) == 1.0


def test_auto_is_the_method_of_a_run_and_stands_once():
    """`compare --methods auto` was refused as an unknown method."""
    plan = make_plan(["auto", "svd"], ["rk4", "dop853"], [0.01], [1e-6])
    found = [(ladder.method, ladder.integrator) for ladder in plan.ladders(1.0, FOUR_BAR)]
    assert found == [("svd", "rk4"), ("cfa", "dop853"), ("svd", "dop853")]
    assert plan.notes(FOUR_BAR) == [
        "auto with rk4 is svd: fewer than 8 bodies",
        "auto with dop853 is cfa: bodies in the plane without drivers, and error control",
    ]
    assert make_plan(["auto"], None, [0.01], None).notes(FOUR_BAR) == ["auto is svd: fewer than 8 bodies"]
    assert make_plan(["svd"], None, [0.01], None).notes(FOUR_BAR) == []
    chosen = mbsim.simulate("four_bar", end=0.01, step=0.005).attributes["method"]
    assert chosen == "svd"


def test_an_integrator_auto_says_what_to_give():
    with pytest.raises(PlanError, match="an integrator 'auto' cannot be compared: give the names of integrators"):
        make_plan(["auto"], ["auto"], None, None)
