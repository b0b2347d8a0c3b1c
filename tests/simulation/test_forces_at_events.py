"""What records the forces of a run knows them from one stretch to the next: only the rows that hold differ."""

import pytest

import mbsim
from mbsim.observe import forces

HOPPING = """
dimension: 2
gravity: [0, -9.81]
bodies:
  box: {mass: 1, inertia: 0.01, position: [0, 0.3], angle: 0.2, shape: {type: box, size: [0.4, 0.2, 0.2]}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.3, restitution: 0.3}}
simulation: {end: 0.5}
"""


def test_loads_are_listed_once_for_each_observer(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were listed anew at each event that opens or closes a contact, which took a sixth of a run of dominoes."""
    listed, listing = [], forces._loads
    monkeypatch.setattr(forces, "_loads", lambda *given: listed.append(1) or listing(*given))
    result = mbsim.simulate(HOPPING)
    assert len({line["time"] for line in result.events}) > 5
    assert len(listed) <= 4  # two observers, and twice the names of the result
