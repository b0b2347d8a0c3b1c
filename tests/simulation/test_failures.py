"""Runs that cannot go on: the result is kept up to there, and the message says when and where."""

from pathlib import Path

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS

import mbsim

SINGULAR = """
name: mass that vanishes
coordinates: [x, y]
energy: {kinetic: (der(x)^2*y^2 + der(y)^2)/2}
initial: {y: 1, der(y): -1}
simulation: {end: 2, step: 0.25}
"""
ESCAPE = """
name: finite escape time
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: -x^4}
initial: {x: 1, der(x): 1}
simulation: {end: 5, step: 0.01}
"""
ROOT_OF_FORCE = """
name: root of a negative number
coordinates: [x]
energy: {kinetic: der(x)^2/2}
forces: {pull: {type: generalized, coordinate: x, value: -sqrt(x) - 0.1}}
initial: {x: 1}
simulation: {end: 5, step: 0.01}
"""
ROOT_OF_BODY_FORCE = """
name: logarithm of a negative number
dimension: 2
bodies: {b: {mass: 1, inertia: 1, velocity: [-1, 0]}}
forces: {f: {type: force, body: b, value: [0, log(2 + b.x)]}}
simulation: {end: 5, step: 0.01}
"""
ROOT_IN_NONHOLONOMIC = """
name: root in a rolling constraint
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: x}
constraints: {blade: {type: nonholonomic, equation: der(y) - sqrt(x)*der(x)}}
initial: {x: 1}
simulation: {end: 5, step: 0.01}
"""
ROOT_IN_HOLONOMIC = """
name: root in a guide
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: x}
constraints:
  guide: {type: holonomic, equation: y - sqrt(x)}
initial: {x: 1, y: 1}
simulation: {end: 5, step: 0.01}
"""
VANISHING = """
name: a circle that shrinks to nothing
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2}
constraints: {circle: {type: holonomic, equation: x^2 + y^2 - 1 + t}}
initial: {x: 1}
simulation: {end: 5, step: 0.01}
"""
OUT_OF_REACH = """
name: crank that pulls its rod out of reach
dimension: 2
bodies:
  crank:  {mass: 1, inertia: 0.1, position: [0.5, 0]}
  rod:    {mass: 1, inertia: 0.1, position: [1.4, 0.3]}
  slider: {mass: 1, inertia: 0.1, position: [1.8, 0.6]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, rod], at: [1, 0]}
  B: {type: revolute, bodies: [rod, slider], at: [1.8, 0.6]}
  G: {type: prismatic, bodies: [ground, slider], at: [1.8, 0.6], axis: [1, 0]}
drivers: {motor: {joint: O, angle: -t}}
simulation: {end: 5, step: 0.01}
"""

# text, earliest and latest time at which it may stop, what the message holds (one of)
CASES: dict[str, tuple[str, float, float, tuple[str, ...]]] = {
    "singular_mass": (SINGULAR, 0.7, 1.0, ("the mass matrix is singular at der(x)",)),
    "finite_escape": (ESCAPE, 0.5, 1.0, ("der(x) is not finite", "iteration of a step did not converge")),
    "root_of_force": (ROOT_OF_FORCE, 1.2, 1.6, ("the equations of der(x) are not finite",)),
    "root_of_body_force": (ROOT_OF_BODY_FORCE, 1.9, 2.01, ("the equations of der(b.y) are not finite",)),
    "root_in_nonholonomic": (ROOT_IN_NONHOLONOMIC, 1.5, 2.2, ("blade",)),
    "root_in_holonomic": (ROOT_IN_HOLONOMIC, 1.7, 2.0, ("guide",)),
    "vanishing_circle": (VANISHING, 0.9, 1.02, ("circle",)),
    "out_of_reach": (OUT_OF_REACH, 0.35, 0.45, ("A[", "B[", "G[", "motor")),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", METHODS)
def test_stops_keeps_the_result_and_says_where(method: str, name: str, tmp_path: Path) -> None:
    text, earliest, latest, words = CASES[name]
    if method == "baumgarte" and name in ("vanishing_circle", "out_of_reach"):  # no projection notices that a constraint is lost
        latest, words = latest + 0.4, (*words, "is not finite", "double precision does not resolve", "an angle is known to less")
    path = tmp_path / "run.h5"
    for output in (None, path):
        with pytest.raises(mbsim.SimulationError) as caught:
            mbsim.simulate(mechanisms.model(text), method=method, output=output)
        error = caught.value
        message = str(error)
        assert earliest <= error.time <= latest
        assert message.startswith("stopped at t = ") and f"{error.time:.9g} s" in message
        assert any(word in message for word in words), message
        result = error.result
        assert result is not None
        assert result.time[0] == 0.0 and result.time[-1] == pytest.approx(error.time, abs=1e-9)
        assert np.isfinite(result["q"]).all() and np.isfinite(result["v"]).all()
        assert (result.attributes["status"], result.attributes["failure"]) == ("failed", message)
        result.close()
    with mbsim.open_result(path) as kept:
        assert kept.attributes["status"] == "failed"
        assert kept.time[-1] == pytest.approx(error.time, abs=1e-9)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("method", METHODS)
def test_last_accepted_state_between_two_output_times_is_kept(method: str) -> None:
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(mechanisms.model(ESCAPE), method=method, output_step=0.2)
    result = caught.value.result
    assert result is not None
    assert list(np.round(result.time[:-1], 9)) == [0.0, 0.2, 0.4, 0.6]
    assert result.time[-1] == caught.value.time


@pytest.mark.parametrize("method", METHODS)
def test_start_that_cannot_be_evaluated(method: str) -> None:
    """The first row already is not finite: nothing to keep, but a message and not a traceback of arrays."""
    text = ROOT_OF_FORCE.replace("x: 1}", "x: -1}")
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = 0 s: the equations of der\(x\) are not finite") as caught:
        mbsim.simulate(mechanisms.model(text), method=method)
    assert caught.value.time == 0.0


def test_residuals_are_not_finite_where_the_equations_are_not() -> None:
    """A residual that cannot be evaluated must not read as zero."""
    system = mbsim.callable_system(
        ["x"], lambda t, q: [[1.0]], lambda t, q, v: [0.0], lambda t, q: [[1.0]], lambda t, q, v: [0.0],
        phi=lambda t, q: [q[0]], rows=["row"],
    )  # fmt: skip
    from mbsim.march.formulation import allocate_for_observer
    from mbsim.observe.observer import Observer

    observer = Observer(system, allocate_for_observer(system))
    rows = np.array([[np.nan, np.nan, np.nan, 0.0, 0.0]])
    seen = observer.chunk(np.zeros(1), rows)
    assert all(np.isnan(seen[f"residual_{name}"][0]) for name in ("position", "velocity", "acceleration"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"end": -1}, "end must be after start"),
        ({"step": 0}, "step must be positive"),
        ({"output_step": -0.1}, "output_step must be positive"),
        ({"method": "lagrang"}, "unknown method 'lagrang'"),
        ({"integrator": "rk5"}, "unknown integrator 'rk5'"),
        ({"drift": "some"}, "unknown drift"),
        ({"step": float("nan")}, "step must be positive"),
    ],
)
def test_settings_that_do_not_fit(settings: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mbsim.simulate(mechanisms.shipped("pendulum"), **settings)


STIFF = """
name: arm with strong gains
dimension: 2
coordinates: joint
bodies:
  a: {mass: 1, inertia: 0.01, position: [0.25, 0]}
  b: {mass: 0.2, inertia: 1e-4, position: [0.6, 0]}
joints:
  A: {type: revolute, bodies: [ground, a], at: [0, 0]}
  B: {type: revolute, bodies: [a, b], at: [0.5, 0]}
forces:
  first: {type: joint_torque, joint: A, value: 200*(0.5 - A.angle) - 200*der(A.angle)}
  second: {type: joint_torque, joint: B, value: 200*(0.3 - B.angle) - 200*der(B.angle)}
simulation: {end: 0.05, step: 1e-3}
"""


def test_forces_that_explicit_steps_cannot_follow_are_named_with_what_can() -> None:
    """In joint coordinates, where no constraint shows that steps are too long; in absolute ones they are taken in parts."""
    model = mechanisms.model(STIFF)
    with pytest.raises(mbsim.SimulationError, match=r"the forces are stiff: they act at a rate of 1\.9e\+05 per second") as caught:
        mbsim.simulate(model, method="lagrange", integrator="rk4")
    assert "`integrator: radau` and `method: generalized_alpha` are implicit and can" in str(caught.value)
    made = mbsim.simulate(model, method="lagrange", integrator="radau")
    assert made.time[-1] == pytest.approx(0.05)
    other = mbsim.simulate(model, method="generalized_alpha")
    mechanisms.close(other["q"][-1], made["q"][-1], atol=1e-4)


def test_a_failure_that_is_not_of_stiff_forces_does_not_call_them_so() -> None:
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(mechanisms.model(ESCAPE))
    assert "stiff" not in str(caught.value)
