"""Models as FMUs: the standard's checks, the numbers of a run, rollback, states in other processes, instances beside each other."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from exported import CART, needs_compiler, simulated

import mbsim
from mbsim import export

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler
SHIPPED = [
    "four_bar",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("slider_crank", "space_robot", "rolling_disk", "whipple_bicycle")),
]
SHOWN = ["cart.x", "pole.angle", "tip", "joint_force:pin"]
COLUMNS = ["cart.x", "pole.angle", "tip", "joint_force.pin.x", "joint_force.pin.y"]


@pytest.fixture(scope="module")
def cart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cart and its pole, with an input and a parameter."""
    path: Path = tmp_path_factory.mktemp("fmu") / "cart.fmu"
    export(mechanisms.model(CART), path, ["push"], SHOWN, ["stiffness"], native=True)
    return path


class Instance:
    """An instance of an FMU, past its initialisation, by FMPy's bindings."""

    def __init__(self, path: Path, folder: Path, **start: float) -> None:
        from fmpy.fmi2 import FMU2Slave

        description = fmpy.read_model_description(str(path))
        self.references = {variable.name: variable.valueReference for variable in description.modelVariables}
        if not folder.exists():  # a library that is loaded is not written over
            fmpy.extract(str(path), str(folder))
        self.unit = FMU2Slave(
            guid=description.guid, unzipDirectory=str(folder), modelIdentifier=description.coSimulation.modelIdentifier, instanceName="it"
        )
        self.unit.instantiate()
        self.unit.setupExperiment(startTime=0.0)
        self.unit.enterInitializationMode()
        self.set(**start)
        self.unit.exitInitializationMode()
        self.time = 0.0

    def set(self, **values: float) -> None:
        self.unit.setReal([self.references[name] for name in values], list(values.values()))

    def get(self) -> list[float]:
        found: list[float] = self.unit.getReal([self.references[name] for name in COLUMNS])
        return found

    def step(self, h: float) -> list[float]:
        self.unit.doStep(currentCommunicationPoint=self.time, communicationStepSize=h)
        self.time += h
        return self.get()

    def close(self) -> None:
        self.unit.terminate()
        self.unit.freeInstance()


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", SHIPPED)
def test_steps_between_outputs_give_the_numbers_of_a_run(name: str, fmi: int, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    path, output = mechanisms.MODELS / f"{name}.yaml", tmp_path / f"{name}.fmu"
    export(path, output, fmi=fmi, native=True)
    assert not validate_fmu(str(output))
    result = mbsim.simulate(path)
    step = float(result.time[1] - result.time[0])
    found = fmpy.simulate_fmu(
        str(output), stop_time=float(result.time[-1]), step_size=step, output_interval=step, output=result.labels("coordinate")
    )
    assert len(found) == len(result.time)
    for k, coordinate in enumerate(result.labels("coordinate")):
        np.testing.assert_allclose(found[coordinate], result["q"][:, k], rtol=1e-12, atol=1e-12)


def test_the_description_has_names_units_and_starts(cart: Path) -> None:
    from fmpy.validation import validate_fmu

    assert not validate_fmu(str(cart))
    description = fmpy.read_model_description(str(cart))
    found = {variable.name: (variable.causality, variable.variability, variable.unit) for variable in description.modelVariables}
    assert found == {
        "push": ("input", "continuous", None), "stiffness": ("parameter", "tunable", None), "cart.x": ("output", "continuous", "m"),
        "pole.angle": ("output", "continuous", "rad"), "tip": ("output", "continuous", "m"),
        "joint_force.pin.x": ("output", "continuous", "N"), "joint_force.pin.y": ("output", "continuous", "N"),
    }  # fmt: skip
    assert {unit.name for unit in description.unitDefinitions} == {"m", "rad", "N"}
    assert (description.defaultExperiment.stopTime, description.defaultExperiment.stepSize) == ("1.0", "0.02")


def test_a_hundred_rollbacks_change_no_bit(cart: Path, tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    straight, back = Instance(cart, tmp_path / "a"), Instance(cart, tmp_path / "b")
    for _ in range(100):
        force, h = random.normal(), random.uniform(0.001, 0.02)
        straight.set(push=force)
        wanted = straight.step(h)
        state, time = back.unit.getFMUState(), back.time
        back.set(push=random.normal())
        for _ in range(random.integers(1, 4)):
            back.step(random.uniform(0.001, 0.02))
        back.unit.setFMUState(state)
        back.unit.freeFMUState(state)
        back.time = time
        back.set(push=force)
        assert back.step(h) == wanted
    straight.close()
    back.close()


GOES_ON = """
import sys
from pathlib import Path
sys.path[:0] = {paths!r}
from test_fmu import Instance
it = Instance(Path({fmu!r}), Path({folder!r}))
it.unit.setFMUState(it.unit.deSerializeFMUstate(Path({kept!r}).read_bytes()))
it.time = {time!r}
print([it.step(0.01) for _ in range(20)])
"""


def test_a_serialised_state_goes_on_in_another_process(cart: Path, tmp_path: Path) -> None:
    first = Instance(cart, tmp_path / "a", stiffness=33.0)
    first.set(push=2.0)
    for _ in range(20):
        first.step(0.01)
    kept = tmp_path / "state"
    state = first.unit.getFMUState()
    kept.write_bytes(bytes(first.unit.serializeFMUstate(state)))
    time = first.time
    wanted = [first.step(0.01) for _ in range(20)]
    here = str(Path(__file__).parent)
    text = GOES_ON.format(paths=[here, str(Path(here).parent)], fmu=str(cart), folder=str(tmp_path / "b"), kept=str(kept), time=time)
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == repr(wanted)
    other = first.unit.serializeFMUstate(state)
    spoilt = bytes(other).replace(bytes(other)[8:40], b"0" * 32)
    with pytest.raises(Exception, match="fmi2DeSerializeFMUstate"):
        first.unit.deSerializeFMUstate(spoilt)
    first.close()


def test_instances_share_nothing(cart: Path, tmp_path: Path) -> None:
    """Two instances of other parameters, step by step beside each other, are two runs."""
    values = (20.0, 55.0)
    both = [Instance(cart, tmp_path / "a", stiffness=value) for value in values]
    found = [[it.get() for it in both]] + [[it.step(0.02) for it in both] for _ in range(50)]
    for k, value in enumerate(values):
        result = mbsim.simulate(mechanisms.model(CART, parameters={"stiffness": value}))
        columns = np.array([row[k] for row in found])
        np.testing.assert_array_equal(columns[:, 0], result["q"][:, result.labels("coordinate").index("cart.x")])
        np.testing.assert_allclose(columns[:, 2], result["tip"], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(columns[:, 3:], result["joint_force"][:, 1, :2], rtol=1e-10, atol=1e-10)
    for it in both:
        it.close()


def test_states_of_fmi_3(tmp_path: Path) -> None:
    """Rolled back, and serialised into another instance, it goes on with the same bits."""
    from fmpy.fmi3 import FMU3Slave

    path = tmp_path / "cart.fmu"
    export(mechanisms.model(CART), path, ["push"], SHOWN, ["stiffness"], fmi=3, native=True)
    description = fmpy.read_model_description(str(path))
    at = {variable.name: variable.valueReference for variable in description.modelVariables}
    folder = fmpy.extract(str(path), str(tmp_path / "it"))
    both = [
        FMU3Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="cart", instanceName=name) for name in ("first", "second")
    ]
    for unit in both:
        unit.instantiate()
        unit.enterInitializationMode(startTime=0.0)
        unit.setFloat64([at["stiffness"]], [33.0])
        unit.exitInitializationMode()

    def march(unit: FMU3Slave, first: int, last: int) -> list[list[float]]:
        found = []
        for k in range(first, last):
            unit.setFloat64([at["push"]], [0.1 * k])
            unit.doStep(currentCommunicationPoint=k * 0.01, communicationStepSize=0.01)
            found.append(unit.getFloat64([*(at[name] for name in COLUMNS), at["time"]]))
        return found

    march(both[0], 0, 20)
    state = both[0].getFMUState()
    wanted = march(both[0], 20, 40)
    both[0].setFMUState(state)
    assert march(both[0], 20, 40) == wanted
    both[1].setFMUState(both[1].deserializeFMUState(both[0].serializeFMUState(state)))
    assert march(both[1], 20, 40) == wanted
    assert wanted[-1][-1] == pytest.approx(0.4, abs=1e-15)
    for unit in both:
        unit.terminate()
        unit.freeInstance()


def test_a_step_that_fails_says_why(tmp_path: Path) -> None:
    """The force is not finite from 0.5 s on. What the unit came to is told as FMI wants it."""
    text = mechanisms.yaml.safe_load(CART)
    text["forces"]["push"]["value"] = ["sqrt(0.5 - t)", 0]
    export(mechanisms.model(text), tmp_path / "cart.fmu", outputs=["cart.x"], native=True)
    said: list[str] = []

    def hear(component: Any, name: Any, status: Any, category: Any, message: bytes) -> None:
        said.append(message.decode())

    found = simulated(tmp_path / "cart.fmu", hear, stop_time=1.0, step_size=0.02, output_interval=0.02)
    assert 0.48 <= found["time"][-1] < 0.52
    assert "t = 0.5 s" in said[-1]


def test_the_same_model_gives_the_same_bytes(cart: Path, tmp_path: Path) -> None:
    export(mechanisms.model(CART), tmp_path / "cart.fmu", ["push"], SHOWN, ["stiffness"], native=True)
    assert (tmp_path / "cart.fmu").read_bytes() == cart.read_bytes()
    with zipfile.ZipFile(cart) as archive:
        (library,) = [name for name in archive.namelist() if name.startswith("binaries/")]
        archive.extract(library, tmp_path)
    shown = subprocess.run(["nm", "-D", "--defined-only", tmp_path / library], check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in shown.splitlines()]
    assert names
    assert all(name.startswith("fmi2") for name in names)
    if shutil.which("ldd"):
        needed = subprocess.run(["ldd", tmp_path / library], check=True, capture_output=True, text=True).stdout
        assert {line.split()[0].rpartition("/")[2].partition(".")[0].partition("-")[0] for line in needed.splitlines()} <= {
            "linux", "libm", "libc", "ld",
        }  # fmt: skip


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    ("settings", "coarse"), [({"integrator": "dop853"}, 1e-5), ({"method": "generalized_alpha"}, 1e-3)], ids=["dop853", "generalized_alpha"]
)
def test_own_steps_follow_the_tolerance_of_the_importer(settings: dict[str, str], coarse: float, fmi: int, tmp_path: Path) -> None:
    """A unit with error control goes by the importer's tolerance, and by its own where it hears of none, or of the same."""
    text = mechanisms.yaml.safe_load(CART)
    text["simulation"] = {"method": "lagrange", "output_step": 0.1, "end": 2.0, "rtol": 1e-6, "atol": 1e-7} | settings
    export(mechanisms.model(text), tmp_path / "cart.fmu", [], ["cart.x", "pole.angle"], fmi=fmi, native=True)
    description = fmpy.read_model_description(str(tmp_path / "cart.fmu"))
    assert float(description.defaultExperiment.tolerance) == 1e-6
    text["simulation"] = {"method": "lagrange", "integrator": "dop853", "output_step": 0.1, "end": 2.0, "rtol": 1e-12, "atol": 1e-13}
    wanted = mbsim.simulate(mechanisms.model(text))["pole.angle"]

    def found(tolerance: float | None) -> np.ndarray:
        its: np.ndarray = fmpy.simulate_fmu(str(tmp_path / "cart.fmu"), output_interval=0.1, relative_tolerance=tolerance)["pole.angle"]
        return its

    errors = [np.abs(found(tolerance) - wanted).max() for tolerance in (coarse, 1e-2 * coarse, 1e-4 * coarse)]
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]
    np.testing.assert_array_equal(found(None), found(1e-6))


def test_the_tolerance_is_that_of_a_run(tmp_path: Path) -> None:
    """With another tolerance from its importer a unit has the numbers of one that was exported with it."""
    text = mechanisms.yaml.safe_load(CART)
    rows = []
    for own, told in ((1e-4, 1e-8), (1e-8, None)):
        text["simulation"] = {"method": "lagrange", "integrator": "dop853", "output_step": 0.1, "rtol": own, "atol": own / 10.0, "end": 1}
        export(mechanisms.model(text), tmp_path / f"cart{own}.fmu", [], ["pole.angle"], native=True)
        rows.append(fmpy.simulate_fmu(str(tmp_path / f"cart{own}.fmu"), output_interval=0.1, relative_tolerance=told)["pole.angle"])
    np.testing.assert_allclose(rows[0], rows[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["both", "with derivatives", "with locks"])
def test_every_kind_of_unit_keeps_the_standard(kind: str, fmi: int, tmp_path: Path) -> None:
    """Those that other tests do not validate."""
    from fmpy.validation import validate_fmu
    from test_phases import CAUGHT

    source = CAUGHT if kind == "with locks" else CART
    given: dict[str, Any] = {"both": {"kind": "both"}, "with derivatives": {"derivatives": True}}.get(kind, {})
    export(mechanisms.model(source), tmp_path / "it.fmu", ["push"], fmi=fmi, native=True, **given)
    assert not validate_fmu(str(tmp_path / "it.fmu"))
