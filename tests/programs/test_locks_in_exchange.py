"""Units for model exchange with events that lock and unlock: the motions and events that a solver outside finds."""

from pathlib import Path

import mechanisms
import numpy as np
import pytest
from exported import needs_compiler
from outside import require_the_motion_of_a_run
from test_exchange import Solved
from test_indicators import exact
from test_phases import CASES, caught

from mbsim import export

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler
SHOWN = {
    "plane": ["arm.angle", "bob.x", "bob.angle"],
    "space": ["plate.x", "plate.qx", "rod.z"],
    "drivers and equations": ["crank.angle", "slider.x"],
    "joint coordinates": ["p.angle", "r.angle", "height"],
    "samples": ["arm.angle", "bob.x"],
}
DEFAULT = [("plane", 2)]
EVERY = [(case, fmi) for case in SHOWN for fmi in (2, 3)]


@pytest.mark.parametrize(("case", "fmi"), [one if one in DEFAULT else pytest.param(*one, marks=pytest.mark.slow) for one in EVERY])
def test_cvode_finds_the_motion_of_a_run(case: str, fmi: int, tmp_path: Path) -> None:
    """What is locked holds as it is at that moment; each event happens when it does in a run."""
    said, happened = require_the_motion_of_a_run(exact(CASES[case][0]), SHOWN[case], tmp_path, fmi, 1e-6)
    told = [(line.split("'")[1], float(line.split()[2])) for line in said]
    events = [(str(event["event"]), float(event["time"])) for event in happened]
    assert sorted(name for name, _ in told) == sorted(name for name, _ in events)
    np.testing.assert_allclose(sorted(at for _, at in told), sorted(at for _, at in events), rtol=0, atol=1e-6)


def test_rates_are_those_of_what_holds(tmp_path: Path) -> None:
    """Before and after an event in event mode; and again after a state of before is restored."""
    events = {"free": {"when": "t - 0.1", "do": {"unlock": "pin"}}}
    export(mechanisms.model(caught(events=events, forces={})), tmp_path / "it.fmu", kind="me", native=True)
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    x, place = it.states(), it.names.index("der(arm.y)")
    held, kept, later = it.rates(0.0, x), it.unit.getFMUState(), 0.1 + 1e-6
    assert held[place] > -8.0
    it.put(later, x)
    it.unit.enterEventMode()
    it.update()
    it.unit.enterContinuousTimeMode()
    assert it.rates(later, it.states())[place] == pytest.approx(-9.81, rel=1e-12)
    it.unit.setFMUState(kept)
    np.testing.assert_array_equal(it.rates(0.0, x), held)
    it.close()
