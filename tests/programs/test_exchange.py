"""FMUs for model exchange: rates, projection, samples and states, marched by solvers outside; directional derivatives."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from exported import SAMPLED, SHOWN, cart, needs_compiler
from scipy.integrate import solve_ivp

import mbsim
from mbsim import export
from mbsim.programs.unit import unit_of

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler
SHIPPED = [
    "four_bar",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("slider_crank", "space_robot", "rolling_disk", "whipple_bicycle")),
]
WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # of central differences of order 6


class Solved:
    """An FMU for model exchange, at its start and in continuous-time mode, by FMPy's bindings of either version."""

    def __init__(self, path: Path, folder: Path, start: float = 0.0, **parameters: float) -> None:
        from fmpy.fmi2 import FMU2Model
        from fmpy.fmi3 import FMU3Model

        description = fmpy.read_model_description(str(path))
        self.fmi = int(description.fmiVersion[0])
        fmpy.extract(str(path), str(folder))
        self.at = {variable.name: variable.valueReference for variable in description.modelVariables}
        rates = [unknown.variable for unknown in description.derivatives]
        self.rate_names, self.names = [rate.name for rate in rates], [rate.derivative.name for rate in rates]
        self.outputs = [variable.name for variable in description.modelVariables if variable.causality == "output"]
        self.size = description.numberOfContinuousStates
        its: Any = FMU2Model if self.fmi == 2 else FMU3Model
        identifier = description.modelExchange.modelIdentifier
        self.unit = its(guid=description.guid, unzipDirectory=str(folder), modelIdentifier=identifier, instanceName="it")
        self.unit.instantiate()
        if self.fmi == 2:
            self.unit.setupExperiment(startTime=start)
            self.unit.enterInitializationMode()
        else:
            self.unit.enterInitializationMode(startTime=start)
        self.set(**parameters)
        self.unit.exitInitializationMode()
        self.update()
        self.unit.enterContinuousTimeMode()

    def update(self) -> Any:
        return self.unit.newDiscreteStates() if self.fmi == 2 else self.unit.updateDiscreteStates()

    def set(self, **values: float) -> None:
        setter = self.unit.setReal if self.fmi == 2 else self.unit.setFloat64
        setter([self.at[name] for name in values], list(values.values()))

    def get(self, names: list[str]) -> np.ndarray:
        getter = self.unit.getReal if self.fmi == 2 else self.unit.getFloat64
        return np.array(getter([self.at[name] for name in names]))

    def states(self) -> np.ndarray:
        found = np.zeros(self.size)
        self.unit.getContinuousStates(pointer(found), self.size)
        return found

    def put(self, t: float, x: np.ndarray) -> None:
        given = np.array(x)
        self.unit.setTime(t)
        self.unit.setContinuousStates(pointer(given), self.size)

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        self.put(t, x)
        found = np.zeros(self.size)
        (self.unit.getDerivatives if self.fmi == 2 else self.unit.getContinuousStateDerivatives)(pointer(found), self.size)
        return found

    def along(self, of: list[str], by: list[str], seeds: list[float]) -> np.ndarray:
        return np.array(self.unit.getDirectionalDerivative([self.at[x] for x in of], [self.at[x] for x in by], seeds))

    def close(self) -> None:
        self.unit.terminate()
        self.unit.freeInstance()


def pointer(values: np.ndarray) -> Any:
    return values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_solver_outside_finds_the_motion(name: str, tmp_path: Path) -> None:
    """SciPy's DOP853 over the rates of the unit, against mbsim's with the method of the model; the constraints are not corrected."""
    path, output = mechanisms.MODELS / f"{name}.yaml", tmp_path / f"{name}.fmu"
    export(path, output, kind="me", native=True)
    from fmpy.validation import validate_fmu

    assert not validate_fmu(str(output))
    end = min(2.0, mbsim.load_model(path).simulation.end)
    result = mbsim.simulate(path, integrator="dop853", rtol=1e-10, atol=1e-10, end=end, output_step=end / 50)
    it = Solved(output, tmp_path / "it")
    found = solve_ivp(it.rates, (0.0, end), it.states(), method="DOP853", rtol=1e-10, atol=1e-10, t_eval=result.time)
    for k, coordinate in enumerate(result.labels("coordinate")):
        np.testing.assert_allclose(found.y[it.names.index(coordinate)], result["q"][:, k], rtol=1e-6, atol=1e-6)
    it.close()


@pytest.mark.parametrize("fmi", [2, 3])
def test_cvode_in_fmpy_with_corrections(fmi: int, tmp_path: Path) -> None:
    """The cart and its pole over a second by CVODE at 1e-8, which is told of corrections of the constraints and of samples."""
    text = cart()
    text["controllers"] = SAMPLED
    export(mechanisms.model(text), tmp_path / "cart.fmu", ["push"], ["cart.x", "pole.angle"], kind="me", fmi=fmi, native=True)
    result = mbsim.simulate(mechanisms.model(text), method="lagrange", integrator="dop853", rtol=1e-11, atol=1e-11)
    found = fmpy.simulate_fmu(
        str(tmp_path / "cart.fmu"), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.02, relative_tolerance=1e-8,
        record_events=False, output=["cart.x", "pole.angle"],
    )  # fmt: skip
    for name in ("cart.x", "pole.angle"):
        np.testing.assert_allclose(found[name], result["q"][:, result.labels("coordinate").index(name)], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("fmi", [2, 3])
def test_states_that_are_off_are_corrected_at_events(fmi: int, tmp_path: Path) -> None:
    export(mechanisms.model(cart()), tmp_path / "cart.fmu", ["push"], SHOWN, kind="me", fmi=fmi, native=True)
    it = Solved(tmp_path / "cart.fmu", tmp_path / "it", push=2.0)
    x, y = it.states(), it.names.index("cart.y")
    x[y] += 1e-6
    it.put(0.0, x)
    assert not it.unit.completedIntegratorStep()[0]  # less than the tolerance
    np.testing.assert_array_equal(it.states(), x)
    x[y] += 1e-3
    it.put(0.0, x)
    rates = it.rates(0.0, x)
    assert it.unit.completedIntegratorStep()[0]
    np.testing.assert_array_equal(it.states(), x)  # not before the event
    np.testing.assert_array_equal(it.rates(0.0, x), rates)
    it.unit.enterEventMode()
    told = it.update()
    assert told[3]  # the values of states have changed
    assert abs(it.states()[y]) < 1e-12
    it.unit.enterContinuousTimeMode()
    it.close()


def _differences(it: Solved, t: float, x: np.ndarray, direction: np.ndarray, push: float, of: list[str]) -> np.ndarray:
    """Of rates and outputs, along a direction of states, and by the input `push`, by central differences of order 6."""
    total, h = np.zeros(it.size + len(of)), 1e-3
    for k, weight in WEIGHTS:
        for sign in (1, -1):
            it.set(push=2.0 + sign * k * h * push)
            rates = it.rates(t, x + sign * k * h * direction)
            total += sign * weight / h * np.concatenate([rates, it.get(of)])
    it.set(push=2.0)
    it.put(t, x)
    return total


@pytest.mark.parametrize("fmi", [2, 3])
def test_derivatives_are_those_of_rates_and_outputs(fmi: int, tmp_path: Path) -> None:
    """Along random directions at random states, which need not satisfy the constraints; by the input; and to the digits of differences."""
    export(mechanisms.model(cart()), tmp_path / "cart.fmu", ["push"], SHOWN, ["stiffness"], kind="me", fmi=fmi, native=True)
    it, random = Solved(tmp_path / "cart.fmu", tmp_path / "it", push=2.0), np.random.default_rng(7)
    start = it.states()
    for k in range(5):
        x = start + 0.1 * random.normal(size=it.size)
        direction, push = random.normal(size=it.size) * (k != 3), random.normal() * (k != 4)
        it.put(0.3, x)
        found = it.along([*it.rate_names, *it.outputs], [*it.names, "push"], [*direction, push])
        wanted = _differences(it, 0.3, x, direction, push, it.outputs)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    with pytest.raises(Exception, match="GetDirectionalDerivative"):
        it.along(it.rate_names, ["tip"], [1.0])
    it.close()


@pytest.mark.parametrize("name", SHIPPED)
def test_derivatives_are_the_tangents(name: str, tmp_path: Path) -> None:
    """v_dot along speeds against the tangents of the system: M a_d - C' lam_d = -D v_d, C a_d = -eta_v v_d."""
    path = mechanisms.MODELS / f"{name}.yaml"
    export(path, tmp_path / "it.fmu", kind="me", native=True)
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    made = mbsim.assemble(path)
    system, n = made.system, made.system.n_v
    from mbsim.diagnosis.linearised import Solution, accelerations

    a, lam = accelerations(system, made.start, made.q, made.v)
    tangents = system.tangents(made.start, made.q, made.v, a, lam)
    wanted, _ = Solution(tangents.M, tangents.C)(-tangents.D, -tangents.eta_v)
    speeds = it.names[:n]
    found = np.column_stack([it.along(it.rate_names[:n], [speed], [1.0]) for speed in speeds])
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(wanted).max()))
    it.close()


TWO_PINS: dict[str, Any] = {
    "name": "pendulum held twice",
    "dimension": 2,
    "gravity": [0, -9.81],
    "bodies": {"rod": {"mass": 2, "inertia": 0.1, "position": [0.3, 0.1]}},
    "joints": {
        "first": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]},
        "again": {"type": "point_on_line", "bodies": ["ground", "rod"], "at": [0, 0], "axis": [1, 0]},
    },
    "simulation": {"end": 1},
}


def test_reactions_of_dependent_constraints_have_no_derivative(tmp_path: Path) -> None:
    """A second constraint holds what a pin holds already: how they share it is open, and the motion is not."""
    shown = ["rod.angle", "energy_kinetic", "joint_force:first"]
    export(mechanisms.model(TWO_PINS), tmp_path / "it.fmu", outputs=shown, kind="me", native=True)
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    x = it.states()
    x[it.names.index("der(rod.angle)")], x[it.names.index("der(rod.x)")], x[it.names.index("der(rod.y)")] = 2.0, -0.2, 0.6
    it.put(0.0, x)
    assert it.along(["energy_kinetic"], ["der(rod.angle)"], [1.0]) == pytest.approx(0.2, rel=1e-11)
    assert np.isfinite(it.along(it.rate_names, ["rod.angle"], [1.0])).all()
    assert it.along(["joint_force.first.x"], ["der(rod.angle)"], [1.0]).shape == (1,)  # nothing shares this one
    with pytest.raises(Exception, match="GetDirectionalDerivative"):
        it.along(["joint_force.first.y"], ["der(rod.angle)"], [1.0])
    it.close()


@pytest.mark.parametrize("fmi", [2, 3])
def test_both_kinds_in_one_unit(fmi: int, tmp_path: Path) -> None:
    """Co-simulation gives the bits of a unit for it alone with the same method; a derivative of outputs by an input is feedthrough."""
    from fmpy.fmi2 import FMU2Slave
    from fmpy.fmi3 import FMU3Slave

    settings = {"method": "lagrange", "integrator": "rk4"}
    found = []
    for kind in ("cs", "both"):
        path = tmp_path / f"{kind}.fmu"
        export(mechanisms.model(cart()), path, ["push"], SHOWN, kind=kind, fmi=fmi, native=True, derivatives=True, **settings)
        found.append(fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=0.5, step_size=0.02, output_interval=0.02))
    for name in found[0].dtype.names:
        np.testing.assert_array_equal(found[0][name], found[1][name])
    description = fmpy.read_model_description(str(path))
    assert description.modelExchange is not None and description.coSimulation is not None
    its: Any = FMU2Slave if fmi == 2 else FMU3Slave
    folder = fmpy.extract(str(path), str(tmp_path / "it"))
    unit = its(guid=description.guid, unzipDirectory=folder, modelIdentifier="both", instanceName="it")
    unit.instantiate()
    if fmi == 2:
        unit.setupExperiment(startTime=0.0)
        unit.enterInitializationMode()
    else:
        unit.enterInitializationMode(startTime=0.0)
    unit.exitInitializationMode()
    at = {variable.name: variable.valueReference for variable in description.modelVariables}
    (feedthrough, none) = unit.getDirectionalDerivative([at["distance"], at["cart.x"]], [at["push"]], [1.0])
    assert feedthrough == pytest.approx(np.hypot(0.11, 0.9), rel=1e-11) and none == 0.0
    unit.terminate()
    unit.freeInstance()


@pytest.mark.parametrize("fmi", [2, 3])
def test_states_are_kept_and_serialised(fmi: int, tmp_path: Path) -> None:
    text = cart()
    text["controllers"] = SAMPLED
    export(mechanisms.model(text), tmp_path / "cart.fmu", ["push"], SHOWN, kind="me", fmi=fmi, native=True)
    both = [Solved(tmp_path / "cart.fmu", tmp_path / name) for name in ("a", "b")]

    def march(it: Solved, first: int, last: int) -> list[list[float]]:
        """Euler's method, with a sample where one is due."""
        found = []
        for k in range(first, last):
            it.set(push=0.1 * k)
            x = it.states()
            it.put((k + 1) * 0.01, x + 0.01 * it.rates(k * 0.01, x))
            if (k + 1) % 5 == 0:
                it.unit.enterEventMode()
                it.update()
                it.unit.enterContinuousTimeMode()
            found.append([*it.states(), *it.get(it.outputs)])
        return found

    march(both[0], 0, 12)
    state = both[0].unit.getFMUState()
    kept = both[0].unit.serializeFMUstate(state) if fmi == 2 else both[0].unit.serializeFMUState(state)
    wanted = march(both[0], 12, 30)
    both[0].unit.setFMUState(state)
    assert march(both[0], 12, 30) == wanted
    other = both[1].unit
    other.setFMUState(other.deSerializeFMUstate(kept) if fmi == 2 else other.deserializeFMUState(kept))
    assert march(both[1], 12, 30) == wanted
    for it in both:
        it.close()


def test_the_description_has_states_rates_and_what_they_depend_on(tmp_path: Path) -> None:
    export(mechanisms.model(cart()), tmp_path / "cart.fmu", ["push"], ["cart.x", "energy_work"], kind="me", native=True)
    description = fmpy.read_model_description(str(tmp_path / "cart.fmu"))
    rates = {unknown.variable.name: unknown for unknown in description.derivatives}
    assert {rate.variable.derivative.name: name for name, rate in rates.items()}["cart.x"] == "der(cart.x)"
    assert rates["der(energy_work)"].variable.unit == "J s-1" and rates["der(der(cart.x))"].variable.unit == "m s-2"
    assert [x.name for x in rates["der(cart.x)"].dependencies] == ["der(cart.x)"]
    assert rates["der(der(cart.x))"].dependencies is None  # on everything
    assert description.modelExchange.providesDirectionalDerivative and description.coSimulation is None
    assert len(rates) == 2 * 6 + 1


def test_large_systems_give_no_derivatives(tmp_path: Path) -> None:
    """A chain of 220 rods has 1100 speeds and rows; their dense matrix would be 10 MB of each instance, and of each state that is kept."""
    bodies = {f"b{k}": {"mass": 1, "inertia": 0.1, "position": [k + 0.5, 0]} for k in range(220)}
    joints = {
        f"j{k}": {"type": "revolute", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": [k, 0]} for k in range(220)
    }  # fmt: skip
    text = {"name": "chain", "dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 1}}
    unit = unit_of(mechanisms.model(text), outputs=["b0.angle"], kind="me")
    assert unit.derivatives is None and unit.memory.size * 8 < 5e6
    with pytest.raises(ValueError, match=r"of 1000 speeds and constraint rows at most \(here 1100\)"):
        unit_of(mechanisms.model(text), outputs=["b0.angle"], kind="me", derivatives=True)


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_hundred_rollbacks_between_steps_of_a_solver_change_no_bit(fmi: int, tmp_path: Path) -> None:
    export(mechanisms.model(cart()), tmp_path / "cart.fmu", ["push"], SHOWN, kind="me", fmi=fmi, native=True)
    straight, back = (Solved(tmp_path / "cart.fmu", tmp_path / name) for name in ("a", "b"))
    random = np.random.default_rng(13)

    def step(it: Solved, t: float, h: float, push: float) -> list[float]:
        it.set(push=push)
        x = it.states()
        it.put(t + h, x + h * it.rates(t, x))
        if it.unit.completedIntegratorStep()[0]:
            it.unit.enterEventMode()
            it.update()
            it.unit.enterContinuousTimeMode()
        return [*it.states(), *it.get(it.outputs)]

    t = 0.0
    for _ in range(100):
        push, h = random.normal(), random.uniform(0.001, 0.02)
        wanted = step(straight, t, h, push)
        state = back.unit.getFMUState()
        later = t
        for _ in range(random.integers(1, 4)):
            way = random.uniform(0.001, 0.02)
            step(back, later, way, random.normal())
            later += way
        back.along(back.outputs, ["push"], [1.0])
        back.unit.setFMUState(state)
        back.unit.freeFMUState(state)
        assert step(back, t, h, push) == wanted
        t += h
    straight.close()
    back.close()
