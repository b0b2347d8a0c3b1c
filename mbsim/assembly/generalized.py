"""Model in the user's own coordinates -> System."""

from dataclasses import replace

import numpy as np

from mbsim.assembly.lock_records import Locks
from mbsim.assembly.locks import held_name, held_rows, less
from mbsim.assembly.own_forces import OwnForces, own_forces
from mbsim.assembly.start import Given
from mbsim.assembly.states import with_states
from mbsim.assembly.unilaterals import slip_sizes
from mbsim.constraints._table import EquationConstraint
from mbsim.elements.kinds import COORDINATE
from mbsim.forces._table import CoordinateForce
from mbsim.model.drivers import Driver
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.expressions.parsed import combine
from mbsim.model.schema import Model
from mbsim.system.generalized import Equations, generalized_system
from mbsim.system.system import DriverRecord, System


class Generalized:
    """A model of energies and equations; see mbsim.assembly.start.Source."""

    def __init__(self, model: Model, locks: Locks | None = None, kin: OwnForces | None = None) -> None:
        """With `locks`, what they say of what comes and goes; else all of it holds. `kin` are the forces of another one of this model.

        Raises ModelError for a controller whose target has no known rate.
        """
        forces = own_forces(model) if kin is None else replace(kin, numbers=dict(kin.numbers))
        self.model, self.forces, self._locks = model, forces, locks or Locks()
        self.forces.numbers |= {held_name(row): self._locks.values.get(row, 0.0) for row in held_rows(model)}

    def system(self) -> System:
        """The system. Raises DerivationError, TableError or UnusableError."""
        model, equations = self.model, self.equations
        forces, states, parameters = self.forces.laws, self.forces.states, self.forces.parameters
        found = generalized_system(model.name, equations, parameters, model.tables)
        acting: dict[str, list[str]] = {}
        for name, coordinate, _ in forces:
            acting.setdefault(f"der({coordinate})", []).append(name)
        records = [DriverRecord(name, found.rows.index(name), "1", "", COORDINATE) for name in model.drivers if name in found.rows]
        coordinates, units = [*found.coordinates, *states.names], [*found.coordinate_units, *states.units]
        # Laws of controllers and contacts hold derivatives, which no text says; contacts act along several coordinates.
        given = {name for name, force in model.forces.items() if isinstance(force, CoordinateForce)}
        applied = {
            name if name not in model.contacts else f"{name}.{coordinate}": (coordinate, law.text if name in given else law)
            for name, coordinate, law in forces
        }
        found = replace(found, applied=applied, parameter_names=list(parameters) if applied else [])
        return replace(
            found,
            drivers=records,
            acting=acting,
            coordinates=coordinates,
            coordinate_units=units,
            states=states.names,
            slips=slip_sizes(model.unilaterals, frozenset(found.rows)),
        )

    @property
    def equations(self) -> Equations:
        """What the model says, as expressions."""
        model = self.model
        assert model.coordinates is not None and model.energy is not None
        found, held = model.constraints.items(), set(held_rows(model))
        constraints = {name: c for name, c in found if isinstance(c, EquationConstraint) and name not in self._locks.open}
        drivers = {name: (str(d.coordinate), _driver_equation(d)) for name, d in model.drivers.items() if name not in self._locks.open}
        holonomic = {name: equation for name, (coordinate, equation) in drivers.items() if not coordinate.startswith("der(")}
        nonholonomic = {name: equation for name, (_, equation) in drivers.items() if name not in holonomic}
        holonomic |= {n: c.residual() for n, c in constraints.items() if c.EQUATION == "holonomic"}
        holonomic = {name: less(equation, name) if name in held else equation for name, equation in holonomic.items()}
        return Equations(
            coordinates=model.coordinates,
            kinetic=model.energy.kinetic,
            potential=model.energy.potential,
            dissipation=model.energy.dissipation,
            forces=self.forces.laws,
            holonomic=holonomic,
            nonholonomic=nonholonomic | {n: c.residual() for n, c in constraints.items() if c.EQUATION == "nonholonomic"},
            rates={name: rate.expression for name, rate in self.forces.states.rates.items()},
        )

    def given(self, system: System) -> Given:
        """What `initial` says; coordinates and speeds that it does not name are 0."""
        values, fix = self.model.initial.values, set(self.model.initial.fix)
        coordinates = system.coordinates[: system.n_c]
        q = np.array([values.get(name, 0.0) for name in coordinates], float)
        v = np.array([values.get(name, 0.0) for name in system.speeds], float)
        fixed_q = np.array([name in fix for name in coordinates], bool)
        fixed_v = np.array([name in fix for name in system.speeds], bool)
        held_q = np.array([name in fix or name in values for name in coordinates], bool)
        held_v = np.array([name in fix or name in values for name in system.speeds], bool)
        given = Given(self.model.simulation.start, q, lambda _: v, fixed_q, fixed_v, held_q, held_v)
        return with_states(given, self.forces.states.starts)


def _driver_equation(driver: Driver) -> Expression:
    """What a driver of one of the user's own coordinates, or of its rate, keeps zero."""
    return combine([(1.0, parse(driver.coordinate or "")), (-1.0, driver.laws()[0][1])])
