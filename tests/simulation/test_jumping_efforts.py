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


def _of_a_size(size: float, rate: float) -> dict[str, list[float]]:
    result = mbsim.simulate(f"""
dimension: 2
gravity: [0, -9.81]
bodies:
  disk: {{mass: {size}, inertia: {0.1 * size}}}
  box: {{mass: {0.5 * size / 9.81}, inertia: {size}, position: [1, 0.1], shape: {{type: cylinder, radius: 0.1, length: 0.1}}}}
joints: {{pin: {{type: revolute, bodies: [ground, disk], at: [0, 0], friction: {{torque: {0.5 * size}}}}}}}
contacts: {{floor: {{bodies: [box, ground], plane: {{normal: [0, 1]}}}}}}
forces:
  motor: {{type: torque, body: disk, value: {0.8 * size}*sin({rate}*t)}}
  lift: {{type: force, body: box, value: [0, {0.6 * size}*sin({rate}*t)]}}
simulation: {{end: 4.5}}
""")
    found: dict[str, list[float]] = {}
    for line in result.events:
        found.setdefault(f"{line['event']} {line['do']}", []).append(line["time"])
    return found


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e6])
@pytest.mark.parametrize("rate", [5.5, 8.5])
def test_efforts_of_a_watch_are_seen_as_those_of_a_crane(size: float, rate: float) -> None:
    """By hand: the torque 0.8 sin(rate t) breaks a friction of 0.5 away once in each half wave. The box leaves where 0.6 sin is 0.5."""
    found, beside = _of_a_size(size, rate), _of_a_size(1.0, rate)
    slips, half = found["pin_friction slips"], np.pi / rate
    assert slips == pytest.approx(np.arange(1 + int((4.5 - slips[0]) / half)) * half + np.arcsin(0.625) / rate, rel=1e-9)
    assert found["floor open"][0] == pytest.approx(np.arcsin(0.5 / 0.6) / rate, rel=1e-9)
    assert found.keys() == beside.keys() and all(found[each] == pytest.approx(beside[each], rel=1e-7) for each in found)
