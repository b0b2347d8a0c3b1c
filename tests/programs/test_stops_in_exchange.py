"""Units for model exchange with rigid stops, contacts and dry friction: the motions and events that a solver outside finds."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import needs_compiler
from outside import require_the_motion_of_a_run
from stopping import CASES as IN_THE_PLANE
from stopping_in_space import CASES as IN_SPACE
from test_event_mode import simulated
from test_exchange import Solved
from test_indicators import exact
from test_unit_events import rows_of

import mbsim
from mbsim import export
from mbsim.jit.signatures import Scalar
from mbsim.programs.unit import unit_of

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler
# bounces that end, loops and trees, a slip that turns, a roll, rows that depend on each other, two bodies
CASES = {
    "arm": 1e-5,
    "four-bar": 1e-6,
    "leg in joint coordinates": 1e-6,
    "disk": 1e-6,
    "ball": 1e-5,
    "friction and stops": 1e-6,
    "spheres": 1e-6,
    "box": 1e-6,
    "polygons": 1e-6,
}
DEFAULT = [("arm", 2), ("disk", 3)]
EVERY = [(case, fmi) for case in CASES for fmi in (2, 3)]


@pytest.mark.parametrize(("case", "fmi"), [one if one in DEFAULT else pytest.param(*one, marks=pytest.mark.slow) for one in EVERY])
def test_cvode_finds_the_motion_of_a_run(case: str, fmi: int, tmp_path: Path) -> None:
    """Another system takes over at an event, with the same states; what closes, opens, sticks and slips does so when it does in a run."""
    source, names = (IN_THE_PLANE | IN_SPACE)[case]
    text: dict[str, Any] = yaml.safe_load(source) if isinstance(source, str) else dict(source)
    for contact in [*text.get("contacts", {}).values(), *(joint["stops"] for joint in text.get("joints", {}).values() if "stops" in joint)]:
        contact["closing_speed"] = max(contact.get("closing_speed", 0.0), 1e-3)
    names = [name for name in names if not name.startswith(("multiplier", "energy", "der("))]
    said, happened = require_the_motion_of_a_run(exact(text), names, tmp_path, fmi, CASES[case])
    told = [(line.split("'")[1], line.rpartition("(")[2][:-1], float(line.split()[2])) for line in said]
    events = [(str(event["event"]), str(event["do"]), float(event["time"])) for event in happened if event["time"] > 0.0]
    assert sorted(one[:2] for one in told) == sorted(one[:2] for one in events)
    np.testing.assert_allclose(sorted(one[2] for one in told), sorted(one[2] for one in events), rtol=0, atol=1e-4)


# a solver leaves depths and speeds that are none for a run: flights lower than its error, slips along what a stop keeps
LOOSE: dict[str, tuple[float, list[float | None]]] = {
    "friction and stops": (100.0, [1e-4, 1e-5, 1e-6, None]), "spheres": (300.0, [1e-4, 1e-5, 1e-6, None]), "gears": (100.0, [1e-4, 1e-5]),
    "polygons": (1000.0, [1e-4, 1e-5, 1e-6, None]), "box in space": (5000.0, [3e-4, 1e-4, 1e-5, 1e-6, None]),
    "arm": (100.0, [1e-3, 1e-4, 1e-5]),
    "friction and stops in joint coordinates": (100.0, [1e-3, 1e-4, 1e-5]), "crank in joint coordinates": (100.0, [1e-4, 1e-5]),
    "spheres that rub": (100.0, [1e-3, 1e-4, 1e-5, 1e-6]),  # whose quaternions are not unit between two events
    "feet": (300.0, [1e-4, 1e-5, 1e-6, None]),  # four contacts of a chain whose hinge holds, and gaps that do not agree
}  # fmt: skip


@pytest.mark.parametrize("case", [case if case == "friction and stops" else pytest.param(case, marks=pytest.mark.slow) for case in LOOSE])
def test_solvers_that_resolve_less_find_the_motion(case: str, tmp_path: Path) -> None:
    """To so many times their tolerance; where none is given, the unit's own one is taken, at which all is found well."""
    source, names = (IN_THE_PLANE | IN_SPACE)[case]
    factor, tolerances = LOOSE[case]
    model = exact(source)
    names = [name for name in names if not name.startswith(("multiplier", "energy", "der("))]
    wanted = rows_of(mbsim.simulate(model), names, model.simulation.output_step)
    export(model, tmp_path / "it.fmu", outputs=names, kind="me", native=True)
    for tolerance in tolerances:
        found, _ = simulated(
            tmp_path / "it.fmu", fmi_type="ModelExchange", stop_time=model.simulation.end, output_interval=model.simulation.output_step,
            relative_tolerance=tolerance, record_events=False, output=names,
        )  # fmt: skip
        for k, name in enumerate(names):
            np.testing.assert_allclose(found[name], wanted[:, k], rtol=0, atol=factor * (tolerance or 1e-8))


def test_indicators_have_names_of_their_own(tmp_path: Path) -> None:
    """One for each expression that is watched, in FMI 3.0 as variables."""
    export(mechanisms.model(IN_THE_PLANE["arm"][0]), tmp_path / "it.fmu", kind="me", fmi=3, native=True)
    described = fmpy.read_model_description(str(tmp_path / "it.fmu"))
    names = [one.name for one in described.modelVariables if one.name.startswith("indicator of ")]
    assert "indicator of pin_lower.gap" in names and "indicator of pin_upper.press" in names and len({*names}) == len(names) == 6


def test_a_unit_of_both_kinds_keeps_its_closing_speeds_in_co_simulation(tmp_path: Path) -> None:
    """Only a solver outside does not resolve what rebounds slowly."""
    model = mechanisms.model(IN_THE_PLANE["arm"][0])
    export(model, tmp_path / "it.fmu", outputs=["arm.angle"], kind="both", native=True)
    result = mbsim.simulate(model)
    found, said = simulated(tmp_path / "it.fmu", stop_time=3.0, output_interval=0.02, step_size=0.02)
    np.testing.assert_allclose(found["arm.angle"], rows_of(result, ["arm.angle"], 0.02)[:, 0], rtol=1e-9, atol=1e-9)
    assert len(said) == len(result.events)


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_input_that_jumps_lets_go_what_it_pulls(fmi: int, tmp_path: Path) -> None:
    """A closed stop opens in event mode where an input has jumped so far that its reaction pulls."""
    text = yaml.safe_load(IN_THE_PLANE["arm"][0])
    text["joints"]["pin"]["stops"] = {"upper": 0}
    text["forces"]["push"]["value"] = "push + 15"
    export(mechanisms.model(text), tmp_path / "it.fmu", ["push"], ["arm.angle"], kind="me", fmi=fmi, native=True)
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    x = it.states()
    speed = it.names.index("der(arm.angle)")
    assert abs(it.rates(0.0, x)[speed]) < 1e-9
    it.unit.enterEventMode()
    it.set(push=-40.0)
    it.update()
    it.unit.enterContinuousTimeMode()
    assert it.rates(0.0, it.states())[speed] == pytest.approx((15.0 - 40.0 - 0.5 * 9.81) / (0.0833 + 0.25), rel=1e-9)
    it.close()


def test_quaternions_that_a_solver_leaves_longer_than_one() -> None:
    """A ball turns past where its axis points away from another one, beyond which there is no tangent for its slip."""
    unit = unit_of(exact(IN_SPACE["spheres that rub"][0]), kind="me")
    rates = unit.exchanges[0].rates
    pairs = zip(rates.kernel.signature.arguments, rates.arguments, strict=True)
    arguments = [float(x[0]) if isinstance(kind, Scalar) else x[1] if isinstance(x, tuple) else x for kind, x in pairs]
    z = unit.inside.z
    z[12:15], z[19:22] = [0.0, 0.0, 1.0], [0.7, 0.0, 1.0]
    for angle in np.linspace(0.0, 2.0 * np.pi, 721):
        for axis in np.eye(3):
            z[15:19] = 1.002 * np.concatenate([[np.cos(angle / 2.0)], np.sin(angle / 2.0) * axis])
            rates.kernel(*arguments)
            assert np.isfinite(unit.exchanges[0].z_dot).all(), (angle, axis)
