"""Options of the method and the integrator: keys of the `simulation` block, in the file, on the command line, in parentheses."""

import math

import pytest

import mbsim
from mbsim import registry
from mbsim.model.load import load

BODY = "dimension: 2\nbodies:\n  rod: {mass: 1, inertia: 1}\n"


def test_options_are_keys_of_the_block(load_text):
    simulation = load_text(BODY + "simulation: {end: 1, method: svd, hold: false, hold_limit: 3}").simulation
    assert simulation.options == {"hold": False, "hold_limit": 3.0}
    assert load_text(BODY + "simulation: {end: 1}").simulation.options == {}


def test_options_in_parentheses(load_text):
    simulation = load_text(BODY + "simulation: {end: 1, method: 'svd(hold=false, hold_limit=1e1)'}").simulation
    assert (simulation.method, simulation.options) == ("svd", {"hold": False, "hold_limit": 10.0})
    simulation = load_text(BODY + "simulation: {end: 1, method: svd(drift=none), drift: full}").simulation
    assert (simulation.method, simulation.drift, simulation.options) == ("svd", "none", {})


def test_the_command_line_wins(load_text):
    text = BODY + "simulation: {end: 1, method: svd, hold: false, hold_limit: 3}"
    assert load_text(text, simulation={"hold": "true"}).simulation.options == {"hold": True, "hold_limit": 3.0}
    assert load_text(text, simulation={"method": "svd(hold_limit=5)"}).simulation.options == {"hold": False, "hold_limit": 5.0}


def test_the_files_options_go_with_its_method(load_text):
    """What the command line replaces takes its options along."""
    text = BODY + "simulation: {end: 1, method: svd, hold: false, integrator: rk4}"
    assert load_text(text, simulation={"method": "lagrange"}).simulation.options == {}
    simulation = load_text(text, simulation={"method": "leap", "finder": "newton"}).simulation
    assert (simulation.integrator, simulation.options) == ("auto", {"finder": "newton"})


WRONG = [
    ("end: 1, hold: 3", {}, ["m.yaml:4:28: simulation.hold: expected true or false (got '3')"]),
    ("end: 1, hold_limit: -1", {}, ["m.yaml:4:34: simulation.hold_limit: expected a number greater than 0 (got '-1')"]),
    ("end: 1, method: leap, finder: bsf", {}, ["m.yaml:4:44: simulation.finder: expected bfs or newton (got 'bsf')"]),
    (
        "end: 1, method: lagrange, hold: true",
        {},
        ["m.yaml:4:40: simulation.hold: 'hold' is an option of the method 'svd', not of 'lagrange' and 'dop853'"],
    ),
    ("end: 1, dt: 0.1", {}, ["m.yaml:4:22: simulation.dt: unknown key 'dt'; did you mean 'step'?"]),
    ("end: 1, hodl: true", {}, ["m.yaml:4:22: simulation.hodl: unknown key 'hodl'; did you mean 'hold'?"]),
    (
        "end: 1, method: leap, integrator: rk4",
        {},
        ["m.yaml:4:48: simulation.integrator: leap makes its own steps (got rk4)"],
    ),
    ("end: 1, method: svd(hold", {}, ["m.yaml:4:30: simulation.method: expected NAME or NAME(option=value, ...) (got 'svd(hold')"]),
    ("end: 1, method: svd(drift=no)", {}, ["m.yaml:4:1: simulation.drift: unknown value 'no'; did you mean 'none'?"]),
    ("end: 1, method: svd(hold=4)", {}, ["m.yaml:4:30: simulation.method: hold: expected true or false (got '4')"]),
    ("end: 1", {"hold": "4"}, ["given settings: simulation.hold: expected true or false (got '4')"]),
    ("end: 1", {"method": "svd(hlod=true)"}, ["given settings: simulation.method: unknown key 'hlod'; did you mean 'hold'?"]),
    (
        "end: 1",
        {"method": "lagrange", "hold": "true"},
        ["given settings: simulation.hold: 'hold' is an option of the method 'svd', not of 'lagrange' and 'dop853'"],
    ),
    ("end: 1, stop: rod.z + 1", {}, ["m.yaml:4:28: simulation.stop: unknown name 'rod.z'; did you mean 'rod.y'?"]),
    ("hold: 3, step: 0", {}, [
        "m.yaml:4:1: simulation: missing key 'end'",
        "m.yaml:4:20: simulation.hold: expected true or false (got '3')",
        "m.yaml:4:29: simulation.step: must be greater than 0 (got 0)",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("block", "overrides", "lines"), WRONG)
def test_what_is_wrong_is_said_at_its_place(block, overrides, lines, problems):
    assert problems(BODY + f"simulation: {{{block}}}", simulation=overrides) == lines


UNCONTROLLED = "a relative tolerance of 1 or more controls no error: give less, or max_step, which then sets the steps (got 2)"


def test_a_tolerance_that_controls_nothing_is_refused(tmp_path):
    """In a file at its place, on the command line, in parentheses and from Python; with `max_step` it makes steps of one size."""
    path = tmp_path / "m.yaml"
    path.write_text(BODY + "simulation: {end: 1, integrator: dop853, rtol: 2, atol: 1}")
    with pytest.raises(mbsim.ModelError) as caught:
        load(path, registry)
    assert [str(problem) for problem in caught.value.problems] == [f"{path}:4:48: simulation.rtol: {UNCONTROLLED}"]
    path.write_text(BODY + "simulation: {end: 1}")
    with pytest.raises(mbsim.ModelError) as caught:
        load(path, registry, simulation={"integrator": "dop853(rtol=2)"})
    assert [str(problem) for problem in caught.value.problems] == [f"given settings: simulation.integrator: {UNCONTROLLED}"]
    with pytest.raises(ValueError, match="controls no error"):
        mbsim.simulate(path, integrator="radau", rtol=1.0)
    path.write_text(BODY + "simulation: {end: 1, integrator: dop853, rtol: 2, max_step: 0.1}")
    assert load(path, registry).simulation.options == {"rtol": 2.0, "max_step": 0.1}


def test_variants():
    assert registry.variant(" svd ") == ("svd", {})
    assert registry.variant("a(b=1,c = x )") == ("a", {"b": "1", "c": "x"})
    for wrong in ("a(b=1", "a(b)", "a(=1)", "a(b=)", "a(b=1, b=2)", "a(b=1)x"):
        with pytest.raises(ValueError, match=r"expected NAME or NAME\(option=value"):
            registry.variant(wrong)


def test_every_leaf_declares_its_options_in_literals():
    """They are read from the file, without importing it, and no option of an integrator is one of a method that takes one."""
    found = {kind: {n for word in registry.names(kind) for n in registry.options(kind, word)} for kind in ("methods", "integrators")}
    integrated = [word for word in registry.names("methods") if not registry.declaration("methods", word, "OWNS_STEP", False)]
    assert 1 < len(integrated) < len(registry.names("methods"))
    assert not {n for word in integrated for n in registry.options("methods", word)} & found["integrators"]
    for kind in found:
        for word in registry.names(kind):
            for option in registry.options(kind, word).values():
                assert option.help
                code = option.code(option.default)
                assert math.isnan(code) == (option.default is None)
                if option.default is not None:
                    assert option.read(option.default) == option.default
