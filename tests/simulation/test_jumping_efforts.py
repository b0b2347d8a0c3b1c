"""Dry friction that gives way where a load begins at once: every integrator goes on from what is there after the jump."""

import numpy as np
import pytest

import mbsim
from mbsim import registry

# A disk on a pin with dry friction of 0.05 N m: a torque of 0.25 N m begins at 0.3 s, so it turns with (0.25 - 0.05)/0.1 = 2 rad/s^2.
DISK = """
dimension: 2
bodies: {disk: {mass: 1, inertia: 0.1}}
joints: {pin: {type: revolute, bodies: [ground, disk], at: [0, 0], friction: {torque: 0.05}}}
forces: {motor: {type: torque, body: disk, value: 0.25*step(t - 0.3)}}
simulation: {end: 1}
"""
CONTROLLED = [name for name in registry.names("integrators") if name not in ("rk4", "predictor_corrector")]  # the others have no rtol


@pytest.mark.parametrize("integrator", CONTROLLED)
def test_friction_gives_way_at_a_jump(integrator: str) -> None:
    """By hand: at rest until 0.3 s, then angle (t - 0.3)^2 and the torque -0.05 N m of friction."""
    if integrator == "ida":
        pytest.importorskip("sksundae")
    result = mbsim.simulate(DISK, integrator=integrator, rtol=1e-8, atol=1e-9)
    assert [(round(each["time"], 12), each["do"]) for each in result.events] == [(0.0, "sticks"), (0.3, "slips")]
    assert result.select("disk.angle")[-1] == pytest.approx(0.49, abs=1e-6)
    assert result.select("force_effort", "pin_friction")[-1] == -0.05
    assert np.ptp(result["energy_balance"]) < 1e-6


def test_a_driver_beyond_a_stop_is_not_said_to_jam() -> None:
    """By hand: 10 t reaches the stop of 0.3 rad at 0.03 s."""
    text = DISK.replace("friction: {torque: 0.05}", "stops: {upper: 0.3}") + 'drivers: {lead: {joint: pin, angle: "10*t"}}\n'
    with pytest.raises(mbsim.SimulationError, match=r"t = 0\.03 s: .*'pin_upper': no friction takes part, so a driver"):
        mbsim.simulate(text)
