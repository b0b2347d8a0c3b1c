"""A run says where its steps follow waves along beams that nothing damps."""

import mechanisms
import pytest

import mbsim
from mbsim.march import crawling, ringing
from mbsim.march.ringing import times_of_waves

ARM = """
dimension: 2
gravity: [0, 0]
bodies: {hub: {mass: 1, inertia: 0.1}}
beams:
  arm:
    {points: [[0.1, 0], [1.1, 0]], elements: 2, stiffness: {EA: 8e4, GA: 3e4, EI: 50}, mass: {line: 2, inertia: 1e-3}, damping: %s}
joints:
  axle: {type: revolute, bodies: [ground, hub], at: [0, 0]}
  root: {type: fixed, bodies: [hub, arm.start], at: [0.1, 0]}
drivers: {turn: {joint: axle, speed: 10}}
steady: {der(axle.angle): 10}
simulation: {end: 0.05, method: cfa, integrator: radau}
"""


@pytest.fixture(autouse=True)
def a_short_run_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ringing, "FEW", 20)


def test_a_beam_that_is_jerked(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end, and during a run that takes long. The arm is told to begin at rest, while its hub turns."""
    monkeypatch.setattr(crawling, "CRAWLING", 100)
    monkeypatch.setattr(crawling, "LITTLE", 1.0)
    jerked = ARM.replace("damping: %s}", "damping: %s, velocity: [0, 0]}")
    found = mbsim.simulate(mechanisms.model(jerked % "{stiffness: 0}"))
    said = [note for note in found.attributes["notes"] if "waves along the beam arm" in note]
    assert len(said) == 1 and "`damping: {stiffness: ...}`" in said[0] and "`start_from: equilibrium`" in said[0]
    assert any("waves along the beam arm" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(("damping", "start"), [("{stiffness: 1e-3}", "model"), ("{stiffness: 0}", "equilibrium")])
def test_nothing_is_said_of_one_that_is_damped_or_begins_in_its_steady_motion(damping: str, start: str) -> None:
    found = mbsim.simulate(mbsim.load_model(ARM % damping, simulation={"start_from": start}))
    assert not [note for note in found.attributes.get("notes", []) if "waves" in note]


def test_the_time_of_a_wave_through_an_element() -> None:
    """Its length over the speed of sound, sqrt(EA / line mass) = 200 m/s."""
    system = mbsim.assemble(mechanisms.model(ARM % "{stiffness: 0}")).system
    assert times_of_waves(system) == {"arm": pytest.approx(0.5 / 200.0, rel=1e-12)}


def test_where_a_run_begins_belongs_to_the_model() -> None:
    with pytest.raises(ValueError, match="where a run begins belongs to the model"):
        mbsim.simulate(mechanisms.model(ARM % "{stiffness: 0}"), start_from="equilibrium")


def test_steps_that_are_too_short_for_a_run() -> None:
    """A beam of a nanometre, for a second. Its elements would turn over in a step between rows, which no step comes to."""
    stuff = "section: {rectangle: [1e-10, 1e-10]}, material: {E: 1e11, density: 5e3}"
    beam = f"{{points: [[0, 0], [1e-9, 0]], elements: 2, clamped: [start], {stuff}}}"
    load = "{type: force, body: n.end, value: [0, 1e-12]}"
    with pytest.raises(mbsim.SimulationError, match="the step became too small to meet the tolerance"):
        mbsim.simulate(mechanisms.model(f"{{dimension: 2, beams: {{n: {beam}}}, forces: {{f: {load}}}, simulation: {{end: 1}}}}"))
