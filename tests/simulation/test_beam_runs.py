"""Runs of beams as they are typed: methods, refusals and stops by name, cables, prestress, offsets, drawings, studies."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.march.ending import SimulationError
from mbsim.march.settings import open_to_trial, resolve
from mbsim.plots.along import panel_along
from mbsim.plots.overview import overview
from mbsim.scene.motion import beam_curve, of_result
from mbsim.scene.read import scene_of
from mbsim.scene.solids import solids

RUBBER = {"section": {"rectangle": [0.02, 0.02]}, "material": {"E": 5e6, "nu": 0.3, "density": 1000}}


def model(beam: dict[str, Any], dimension: int = 2, end: float = 0.05, **more: Any) -> dict[str, Any]:
    return {"name": "beam", "dimension": dimension, "beams": {"boom": beam}, "simulation": {"end": end}, **more}


def falling(**keys: Any) -> dict[str, Any]:
    block = {"from": [0, 0], "to": [1, 0], "elements": 6, "clamped": ["start"], **RUBBER} | keys
    return model(block, gravity=[0, -9.81])


def test_auto_is_implicit() -> None:
    result = mbsim.simulate(falling())
    assert result.attributes["integrator"] == "radau" and result.attributes["status"] == "complete"
    assert "beams are stiff" in result.attributes["choices"]["integrator"]
    assert result.attributes["options"]["rtol"] == result.attributes["options"]["atol"] == 1e-6
    assert np.abs(result["energy_balance"]).max() < 1e-6 * np.ptp(result["energy_potential"])
    stepped = mbsim.simulate(falling(), step=1e-3)
    assert stepped.attributes["method"] == "generalized_alpha" and "rtol" not in stepped.attributes["options"]
    assert np.allclose(stepped["body_position"][-1], result["body_position"][-1], atol=2e-4)


def test_a_method_that_searches_for_its_multipliers_takes_explicit_steps() -> None:
    found = resolve(None, mbsim.assemble(mbsim.load_model(falling())).system, {"method": "broyden", "end": 1e-5})
    assert found.integrator == "dop853"
    assert mbsim.simulate(falling(elements=2), method="broyden", end=1e-5).attributes["integrator"] == "dop853"


def test_a_check_promises_no_trial() -> None:
    made = mbsim.assemble(falling())
    settings = resolve(made.simulation, made.whole)
    assert settings.integrator == "radau" and not open_to_trial(settings, made.system)


def test_a_check_foresees_what_states_change() -> None:
    """Many nodes beside a state: a run takes the method that goes by blocks, and `check` said `radau`."""
    from mbsim.cli.check import _run

    block = {"from": [0, 0], "to": [1, 0], "elements": 15, **RUBBER, "clamped": ["start"]}
    source = model(block, states={"lag": {"rate": "boom.end.y - lag"}})
    found = _run(mbsim.assemble(source))
    assert found["method"] == "generalized_alpha" and "states or laws keep" in found["choices"]["method"]
    assert _run(mbsim.assemble(falling()))["integrator"] == "radau"


def test_auto_finds_vibrations() -> None:
    """A column without damping under a load that begins at once: its waves against those by tolerances of 1e-10."""
    block = {"from": [0, 0], "to": [0, 1], "elements": 6, "clamped": ["start"], **RUBBER}
    source = model(block, end=0.1, forces={"load": {"type": "force", "body": "boom.end", "value": [0, -0.5]}})
    found, sharp = mbsim.simulate(source), mbsim.simulate(source, rtol=1e-10, atol=1e-12)
    assert sharp.attributes["integrator"] == "radau"
    known = np.isin(found["time"], sharp["time"])  # a run of long steps has rows between
    assert known.sum() == len(sharp["time"])
    assert np.abs(found["v"][known] - sharp["v"]).max() < 1e-4 * np.abs(sharp["v"]).max()


def test_states_leave_large_beams_to_a_method_that_goes_by_blocks() -> None:
    """The stages of `radau` go by blocks of bodies without states alone."""
    block = {"from": [0, 0], "to": [1, 0], "elements": 15, **RUBBER}
    source = model(block, joints={"J": {"type": "revolute", "bodies": ["ground", "boom.start"], "at": [0, 0]}})
    source["controllers"] = {"C": {"type": "pid", "joint": "J", "target": "0.1", "kp": 5, "ki": 1, "kd": 0.1}}
    result = mbsim.simulate(source)
    assert result.attributes["method"] == "generalized_alpha" and "states or laws" in result.attributes["choices"]["method"]
    assert result.attributes["options"]["rtol"] == 1e-5
    given = mbsim.simulate(source, method="cfa", end=0.01)
    assert (given.attributes["method"], given.attributes["integrator"]) == ("cfa", "radau")


def test_explicit_steps_that_are_too_long_are_refused() -> None:
    with pytest.raises(ValueError, match=r"explicit steps of 0.01 s are unstable for the beams, .* below .* `method: generalized_alpha`"):
        mbsim.simulate(falling(), integrator="rk4", step=1e-2)


def test_short_explicit_steps_give_the_same_motion() -> None:
    one, other = mbsim.simulate(falling(), end=0.01), mbsim.simulate(falling(), end=0.01, integrator="rk4", step=1e-5, output_step=1e-3)
    assert np.allclose(one["body_position"][-1], other["body_position"][-1], atol=1e-6)


def test_an_element_that_turns_too_far_is_named() -> None:
    """The end of a beam of one element is turned by a driver."""
    block = {"from": [0, 0], "to": [1, 0], "elements": 1, "clamped": ["start"], "damping": {"stiffness": 0.01}, **RUBBER}
    source = model(block, end=1.5, drivers={"turn": {"coordinate": "boom.end.angle", "value": "3*t"}})
    with pytest.raises(SimulationError, match=r"element 0 of the beam boom is turned by more than 0.95 pi"):
        mbsim.simulate(source, step=0.005)


def test_a_slack_cable_pushes_nothing() -> None:
    """Pressed together, a cable has no normal force and no energy of elongation; pulled, it has that of a beam."""
    for sign in (-1.0, 1.0):
        block = {"from": [0, 0], "to": [1, 0], "elements": 1, "cable": True, "damping": {"stiffness": 1e-3}, **RUBBER}
        made = mbsim.assemble(model(block))
        q = made.q.copy()
        q[3] += sign * 0.01
        h = made.system.terms(0.0, q, np.array([0, 0, 0, -sign, 0, 0.0]))[1]
        stiffness = 5e6 * 0.02**2
        if sign < 0:
            assert not h.any() and made.system.energy(0.0, q, np.zeros(6))[1] == 0.0
        else:
            assert np.isclose(h[0], stiffness * (0.01 - 1e-3)) and np.isclose(made.system.energy(0.0, q, np.zeros(6))[1], stiffness * 5e-5)


@pytest.mark.parametrize("damping", [1e-3, 1e-4])
def test_a_cable_falls_with_equal_steps(damping: float) -> None:
    """Where elements become taut the damper may not jump: a step that has to end between both cases had no solution (see `pulled`)."""
    block = {
        "from": [0, 0], "to": [1, 0], "elements": 200, "clamped": ["start"], "cable": True, "damping": {"stiffness": damping},
        "stiffness": {"EA": 1e5, "GA": 4e4, "EI": 0.01}, "mass": {"line": 1.0, "inertia": 1e-5},
    }  # fmt: skip
    result = mbsim.simulate(model(block, end=0.05, gravity=[0, -9.81]), step=2e-4)
    assert result.attributes["status"] == "complete" and result.attributes["counts"]["evaluations"] < 5 * 250
    fallen = result["energy_potential"][0] - result["energy_potential"][-1]
    assert fallen > 0.03 and np.abs(result["energy_balance"]).max() < 1e-4 * fallen


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_force_of_a_cable_is_continuous(dimension: int) -> None:
    """In strain and rate, also where it becomes taut while it is stretched."""
    rest = [0.0] * (dimension - 1)
    stiffness = {"EA": 2e3, "GA": 1e3, "EI": 0.05} | ({"GJ": 0.05} if dimension == 3 else {})
    block = {
        "from": [0.0, *rest], "to": [1.0, *rest], "elements": 1, "cable": True, "damping": {"stiffness": 1e-2}, "stiffness": stiffness,
        "mass": {"line": 1.0},
    }  # fmt: skip
    made = mbsim.assemble(model(block, dimension=dimension))
    n, found = made.system.n_v // 2, []
    for strain in np.linspace(-0.02, 0.02, 401):
        q, v = made.q.copy(), np.zeros(2 * n)
        q[len(q) // 2], v[n] = q[len(q) // 2] + strain, 1.0
        found.append(made.system.terms(0.0, q, v)[1][0])
    np.testing.assert_allclose(found, 2e3 * np.maximum(np.linspace(-0.02, 0.02, 401) + 1e-2, 0.0), atol=1e-9)


def test_prestress_tunes_a_string() -> None:
    """A string of length 1 with the tension 100 N and 0.04 kg/m: pi sqrt(T/m), less what lumped masses take."""
    block = {
        "from": [0, 0], "to": [1, 0], "elements": 16, "prestress": 100,
        "stiffness": {"EA": 1e5, "GA": 1e4, "EI": 1e-4}, "mass": {"line": 0.04, "inertia": 1e-7},
    }  # fmt: skip
    pins = {name: {"type": "revolute", "bodies": ["ground", f"boom.{name}"], "at": [x, 0]} for name, x in (("start", 0), ("end", 1))}
    source = model(block, joints=pins)
    assert np.allclose(mbsim.assemble(source).system.h(0.0, mbsim.assemble(source).q, np.zeros(51))[3:-3], 0.0, atol=1e-9)
    values = mbsim.modes(source).eigenvalues
    # Timoshenko's string: the tension also stiffens shear, by T/GA
    assert np.isclose(values.imag[values.imag > 1].min(), np.pi * np.sqrt(100 / 0.04), rtol=1e-2)


def test_a_load_through_the_shear_centre_does_not_twist() -> None:
    """At the tip of a cantilever whose shear centre is beside its centroid: through the centroid it twists, by F y L / GJ."""
    block = {
        "from": [0, 0, 0], "to": [1, 0, 0], "elements": 4, "clamped": ["start"],
        "section": {"rectangle": [0.02, 0.04], "shear_centre": [-0.01, 0]}, "material": {"E": 2e9, "nu": 0.25, "density": 1000},
    }  # fmt: skip
    force = 0.01
    torsion = (
        mbsim.assemble(model(block, 3)).system.arrays.load_data[0, 21] * 0.25
        - mbsim.assemble(model(block, 3)).system.arrays.load_data[0, 14] * 0.25 * 0.01**2
    )
    for y, twist in ((0.0, 0.01 * force / torsion), (-0.01, 0.0)):
        pull = {"type": "force", "body": "boom.end", "at": [1, y, 0], "value": [0, 0, force]}
        q = mbsim.equilibrium(model(block, 3, forces={"pull": pull})).q[-4:]
        assert np.isclose(2 * q[1] / q[0], twist, rtol=1e-3, atol=1e-3 * 0.01 * force / torsion)


def test_an_offset_moves_the_centroids() -> None:
    made = mbsim.assemble(falling(offset=0.05))
    assert np.allclose(made.q.reshape(-1, 3)[:, 1], 0.05, atol=1e-12)


def test_reactions_of_clamps_are_recorded() -> None:
    result = mbsim.simulate(falling(), end=0.001)
    assert result.labels("joint") == ["boom_clamp_start"] and result.labels("beam_element") == [f"boom[{k}]" for k in range(6)]
    mass = 1000 * 0.02**2
    start = np.argmin(result.time)
    assert np.allclose(result["beam_force"][start], 0.0, atol=1e-9)  # drawn without stress
    assert result["joint_force"][start, 0, 1] == pytest.approx(9.81 * mass / 12, rel=1e-6)  # that of half an element


@pytest.mark.parametrize("dimension", [2, 3])
def test_beams_are_drawn(dimension: int, tmp_path: Path) -> None:
    block = {"from": [0] * dimension, "to": [1] + [0] * (dimension - 1), "elements": 4, "clamped": ["start"], **RUBBER}
    result = mbsim.simulate(model(block, dimension, gravity=[0, -9.81, 0][:dimension]))
    scene, poses = scene_of(result), of_result(result)
    assert [(beam.name, beam.nodes) for beam in scene.beams] == [("boom", [0, 1, 2, 3, 4])]
    parts = [part for part in solids(scene, poses).parts if part.name == "beam/boom"]
    assert [part.body for part in parts] == [0, 1, 2, 3, 4]
    assert np.isclose(sum(np.ptp(part.mesh.vertices[:, 0]) for part in parts), 1.0)
    curve = beam_curve(poses.at(-1), 0, 1)
    assert np.allclose(curve[[0, -1]], poses.position[-1, [0, 1]])
    result.draw().savefig(tmp_path / "a.png")
    along = panel_along(result, "beam_moment:boom")
    assert along is not None and len(along.lines) == 5 and all(len(line.y) == 4 for line in along.lines)
    assert panel_along(result, "beam_moment:mast") is None and panel_along(result, "q:boom") is None
    assert any("along boom" in panel.title for panel in overview(result))


def test_a_study_varies_the_elements() -> None:
    source = falling(elements="n") | {"parameters": {"n": 2}}
    counts = [len(mbsim.simulate(source, parameters={"n": n}, end=0.001).labels("body")) for n in (2, 5)]
    assert counts == [3, 6]


def test_bdf_gives_the_same_motion() -> None:
    one, other = mbsim.simulate(falling(), rtol=1e-6, atol=1e-8), mbsim.simulate(falling(), integrator="bdf", rtol=1e-6, atol=1e-8)
    assert np.allclose(one["body_position"][-1], other["body_position"][-1], atol=2e-5)


def test_a_slack_cable_that_falls_over_a_peg_is_stiff_from_the_start() -> None:
    """Trials at the start, where it falls freely, see nothing stiff; explicit steps crawl from the first contact on."""
    text = """
dimension: 2
gravity: [0, -9.81]
beams:
  r:
    from: [-0.4, 0.12]
    to: [0.4, 0.12]
    elements: 8
    stiffness: {EA: 1e4, GA: 1e3, EI: 1e-2}
    mass: {line: 0.3, inertia: 1e-5}
    cable: true
    damping: {stiffness: 1e-2}
contacts: {peg: {bodies: [r.node(4), ground], radius: 0.01, ball: {at: [0, 0], radius: 0.1}, friction: 0.3}}
simulation: {end: 0.2, output_step: 0.1}
"""
    found = mbsim.simulate(mechanisms.model(text))
    assert "beams are stiff" in found.attributes["choices"]["integrator"]
    assert found.attributes["counts"]["steps"] < 300
    assert found["r_4.y"][-1] == pytest.approx(0.11, abs=1e-9)
    assert found["r_start.y"][-1] == pytest.approx(found["r_end.y"][-1], abs=1e-9)


@pytest.mark.parametrize(("damping", "integrator"), [(1e-3, "radau"), (1e-5, "radau"), (1e-3, "ida")])
def test_a_beam_in_space_begins_to_slip_across_and_along_a_floor(damping: float, integrator: str) -> None:
    """Slow slips turn by small speeds: derivatives by variations of 1e-7 m/s were wrong by a hundred times, and the steps became 1e-9 s.

    Slips slower than the tolerance turned with errors of the steps: with little damping, and by `ida`, they began and ended without end.
    """
    beam = {"from": [0, 0, 0], "to": [1, 0, 0], "elements": 2, "clamped": ["start"], "section": {"rectangle": [0.02, 0.03]}}
    beam |= {"material": {"E": 7e8, "nu": 0.33, "density": 2700}, "damping": {"stiffness": damping}}
    push = {"type": "force", "body": "boom.end", "value": ["20*t", "12*t", -15]}
    floor = {"bodies": ["boom.end", "ground"], "radius": 0.01, "plane": {"normal": [0, 0, 1], "through": [0, 0, -0.01]}, "friction": 0.3}
    pressed = model(beam, 3, 0.3, forces={"push": push}, contacts={"floor": floor})
    result = mbsim.simulate(pressed, integrator=integrator)
    assert [event["do"] for event in result.events] == ["sticks", "slips"]
    exact = mbsim.simulate(pressed, rtol=1e-8, atol=1e-9, jacobian="tangents")
    assert result.events[1]["time"] == pytest.approx(exact.events[1]["time"], abs=1e-8 if integrator == "radau" else 5e-7)
    assert np.allclose(result["body_position"][-1, -1], exact["body_position"][-1, -1], rtol=0, atol=2e-7)


def test_measures_read_what_elements_carry() -> None:
    read = {
        "root": "beam_moment.boom[0].z",
        "more": {"value": "2*root + beam_force.boom( 5 ).x", "unit": "N"},
        "held": "beam_energy.boom[3]",
    }
    block = falling() | {"measures": read}
    result = mbsim.simulate(block)
    root, pull = np.array(result.select("beam_moment", "boom[0]", "z")), np.array(result.select("beam_force", "boom[5]", "x"))
    assert np.array_equal(result["root"], root) and np.array_equal(result["more"], 2.0 * root + pull)
    assert np.array_equal(result["held"], result["beam_energy"][:, 3])
    assert [result.units(name) for name in ("root", "held")] == ["N m", "J"]
    for wrong, said in (
        ("boom[6].z", r"the beam boom has the elements 0 to 5 \(got 6\)"),
        ("boom[0].w", "unknown name"),
        ("boom.e9.z", r"boom\[9\]\.z is not known of this model; its elements of beams are boom\[0\] to boom\[5\]"),
    ):
        with pytest.raises(mbsim.ModelError, match=said):
            mbsim.simulate(block | {"measures": {"m": f"beam_moment.{wrong}"}})
