"""`generalized_alpha` as it is asked for, without options: stiff beams of many rods, and linkages far from the origin."""

from pathlib import Path

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.march.ending import join_names
from mbsim.results import Result

FAILING = Path(__file__).parents[1] / "failing"
# centre of the last of 50 rods at 0.3 s, in m: Richardson's extrapolation of steps of 2.5e-4 s and 1.25e-4 s, the same of both indices
TIP = np.array([0.79047429, -0.55748696])
GRAVITY = np.array([0.0, 0.0, -9.81])


def beam(rods: int, end: float, step: float, damping: float = 1e-3) -> str:
    """A clamped beam of 1 m, 1 kg and 1 N m2 as planar rods; dampers of `damping` (s) times the stiffness."""
    length = 1.0 / rods
    lines = ["dimension: 2", "gravity: [0, -9.81]", "bodies:"]
    lines += [f"  r{i}: {{mass: {length!r}, inertia: {length**3 / 12!r}, position: [{(i + 0.5) * length!r}, 0]}}" for i in range(rods)]
    pairs = [("ground" if i == 0 else f"r{i - 1}", f"r{i}") for i in range(rods)]
    lines += ["joints:", *(f"  j{i}: {{type: revolute, bodies: [{a}, {b}], at: [{i * length!r}, 0]}}" for i, (a, b) in enumerate(pairs))]
    spring = f"type: rotational_spring_damper, stiffness: {rods}, damping: {damping * rods!r}"
    lines += ["forces:", *(f"  k{i}: {{{spring}, bodies: [{a}, {b}]}}" for i, (a, b) in enumerate(pairs))]
    return "\n".join([*lines, f"simulation: {{end: {end}, step: {step}, output_step: {end}}}"])


def run(text: str, method: str, **words: float) -> tuple[Result, float]:
    """The result of a run, and its iterations a step."""
    result = mbsim.simulate(mechanisms.model(text), method=method, **words)
    counts = result.attributes["counts"]
    return result, counts["iterations"] / counts["steps"]


def test_the_default_follows_a_stiff_beam() -> None:
    errors = []
    for step, most in ((0.01, 3.6), (0.005, 2.7)):
        result, iterations = run(beam(50, 0.3, step), "generalized_alpha")
        assert iterations <= most
        errors.append(np.abs(result["q"][-1, -3:-1] - TIP).max())
        mechanisms.close(result["residual_velocity"], 0.0, atol=1e-12)
    assert errors[0] < 4e-4
    assert errors[1] < errors[0] / 3.0


def test_stiff_modes_that_ring_do_not_shorten_controlled_steps() -> None:
    result, _ = run(beam(50, 0.3, 0.01), "generalized_alpha(rtol=1e-4, atol=1e-6)")
    counts = result.attributes["counts"]
    assert counts["steps"] < 900 and counts["rejected"] < 0.05 * counts["steps"], counts
    assert np.abs(result["q"][-1, -3:-1] - TIP).max() < 1e-4


@pytest.mark.parametrize("damping", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("rods", [10, 200])
def test_it_takes_no_more_iterations_than_index_3(rods: int, damping: float) -> None:
    text = beam(rods, 0.2, 0.01, damping)
    ours, theirs = (run(text, method)[1] for method in ("generalized_alpha", "generalized_alpha(index=3)"))
    assert ours <= 1.15 * theirs


@pytest.mark.parametrize(("method", "most"), [("generalized_alpha", 2.2), ("generalized_alpha(index=3)", 2.2), ("rattle", 3.3)])
def test_far_from_the_origin(method: str, most: float) -> None:
    """Iterations end where positions are at their round-off. The centre of mass falls freely."""
    result, iterations = run((FAILING / "far_linkage.yaml").read_text(), method)
    assert iterations <= most
    masses = np.array([0.5499652124130903, 1.3602662139414385]) / (0.5499652124130903 + 1.3602662139414385)
    v = result["v"].reshape(len(result.time), 2, 6)
    centre = np.einsum("b,tbk->tk", masses, v[:, :, :3])
    mechanisms.close(centre, centre[0] + np.outer(result.time, GRAVITY), atol=1e-7)
    mechanisms.close(result["residual_position"], 0.0, atol=2e-8)


def test_auto_takes_it_where_a_step_is_given_that_no_explicit_one_follows() -> None:
    model = mechanisms.model(beam(50, 0.3, 0.01))
    result = mbsim.simulate(model)
    assert result.attributes["method"] == "generalized_alpha"
    assert result.attributes["choices"]["method"].startswith("generalized_alpha: forces act at a rate of")
    assert np.abs(result["q"][-1, -3:-1] - TIP).max() < 4e-4
    cut = mbsim.simulate(model, method="cfa", end=0.02)
    assert cut.attributes["counts"]["steps"] > 50 * cut.attributes["planned_steps"]
    assert "`integrator: radau` and `method: generalized_alpha` are implicit and can" in cut.attributes["notes"][-1]
    other = mbsim.simulate(model, method="cfa", integrator="radau")
    mechanisms.close(other["q"][-1, -3:-1], TIP, atol=1e-6)


def test_messages_name_a_few_of_many() -> None:
    assert join_names([f"j{k}" for k in range(50)]) == "j0, j1, j2 and 47 more"
    assert join_names(["a", "b"]) == "a, b"


def test_auto_keeps_explicit_steps_that_are_stable() -> None:
    result = mbsim.simulate(mechanisms.model(beam(4, 0.01, 1e-3)))
    assert (result.attributes["integrator"], result.attributes["choices"]["integrator"][:3]) == ("rk4", "rk4")


@pytest.mark.parametrize("integrator", ["bdf", "radau", "ida"])
def test_what_the_projection_moves_leaves_stiff_modes_at_rest(integrator: str) -> None:
    """The fastest mode of 200 rods takes 1e-5 s: steps that had to follow it would be 20,000, and accelerations of rows would show it."""
    if integrator == "ida":
        pytest.importorskip("sksundae")
    text = beam(200, 0.2, 0.01).replace("output_step: 0.2", "output_step: 0.01")
    result = mbsim.simulate(mechanisms.model(text), integrator=integrator)
    assert result.attributes["counts"]["steps"] < 700
    finer = mbsim.simulate(mechanisms.model(text), integrator="radau", rtol=1e-9, atol=1e-11)
    mechanisms.close(result["q"], finer["q"], atol=2e-6)
    a = finer["acceleration"]
    mechanisms.close(result["acceleration"], a, atol=0.02 * np.abs(a).max())
    mechanisms.close(result["residual_position"], 0.0, atol=1e-11)
    mechanisms.close(result["residual_velocity"], 0.0, atol=1e-9)
