"""Model of planar or spatial bodies -> System, in absolute or in joint coordinates."""

from collections.abc import Iterable

from mbsim.assembly.absolute import AbsoluteCoordinates
from mbsim.assembly.arrays import LoadLines, body_arrays
from mbsim.assembly.builder import Builder, Coordinates
from mbsim.assembly.couplings import add_couplings, add_sums
from mbsim.assembly.elastic import add_parts
from mbsim.assembly.fmu_order import put_in_order
from mbsim.assembly.kin import Laid, Tables
from mbsim.assembly.loads import add_beams, add_events, add_loads, add_rates, needs_all_elements
from mbsim.assembly.lock_records import Locks
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.assembly.rows import add_contacts, add_equations, add_joint, add_late, depend_on_time, record_of
from mbsim.assembly.start import Given
from mbsim.assembly.states import with_states
from mbsim.assembly.tree import TreeCoordinates
from mbsim.assembly.unilaterals import levers_of, slip_sizes
from mbsim.contracts import SystemFunctions
from mbsim.model.schema import Model
from mbsim.system.columns import columns
from mbsim.system.laws import Functions
from mbsim.system.plain import no_corners, no_event, no_slopes, no_tangent
from mbsim.system.system import JointRecord, System


class Bodies:
    """A model of bodies; see mbsim.assembly.start.Source."""

    def __init__(self, model: Model, locks: Locks | None = None, kin: "Iterable[Bodies]" = ()) -> None:
        """With `locks`, what they say of what comes and goes; else all of it holds.

        Loads are those of one of its `kin`, sources of the same model, where they would be the same.

        Raises ModelError for joints, drivers, forces and constraints that the mechanism does not allow.
        """
        reference = ReferenceConfiguration(model)
        chosen: Coordinates = TreeCoordinates(reference) if model.in_joint_coordinates else AbsoluteCoordinates(reference)
        kin = list(kin)
        self.builder: Builder = Builder(reference, chosen, locks or Locks(), kin[0].builder if kin else None)
        self.kin: Bodies | None = None  # whose loads it has
        self._functions: Functions | None = None
        self._lines: LoadLines | None = None
        self._add_rows()
        before = Tables.of(self.builder)
        self.kin = next((one for one in kin if one.laid is not None and one.laid.lay(before, self.builder)), None)
        if self.kin is None:
            self._add_loads()
        self.laid: Laid | None = Laid.of(before, self.builder) if self.kin is None else self.kin.laid
        self._add_equations()

    @property
    def functions(self) -> Functions:
        """Of its laws and equations. Raises DerivationError or UnusableError."""
        if self._functions is None:
            shared = self.kin is not None and self.builder.laws.same_code(self.kin.builder.laws)
            self._functions = self.kin.functions if shared and self.kin is not None else self.builder.laws.compile()
        return self._functions

    def system(self) -> System:
        """The system. Raises DerivationError, TableError or UnusableError."""
        builder, model, coordinates = self.builder, self.builder.model, self.builder.coordinates
        made, kernels, states = self.functions, builder.laws.module(), builder.states
        joints = self.joint_records()
        return System(
            name=model.name,
            functions=SystemFunctions(
                made.constraints,
                made.dynamics,
                made.residual,
                made.rates,
                kernels.move,
                kernels.energy,
                no_event,
                no_tangent,
                no_corners,
                no_slopes,
            ),
            arrays=coordinates.complete(builder, body_arrays(builder, self._loads)),
            coordinates=[*coordinates.names, *states.names],
            coordinate_units=[*coordinates.units, *states.units],
            states=states.names,
            speeds=coordinates.speeds,
            speed_units=coordinates.speed_units,
            rows=builder.rows.names,
            n_holonomic=builder.rows.n_holonomic,
            skyline=coordinates.skyline,
            rheonomic=made.rheonomic or depend_on_time(builder),
            dimension=builder.dimension,
            tables=model.tables,
            bodies=builder.reference.names,
            joints=joints,
            drivers=builder.rows.drivers,
            cuts=coordinates.cuts,
            loads=builder.loads.forces,
            load_types=self._loads.types,
            load_against=self._loads.against,
            angles=builder.loads.angles,
            relative=builder.relative.named,
            observed=coordinates.observed(joints),
            slips=slip_sizes(model.unilaterals, frozenset(builder.rows.names)),
            levers=levers_of(model.unilaterals),
            columns=columns,
        )

    def _add_rows(self) -> None:
        """The rows of joints, drivers and constraints that are no equations, in the order of C."""
        builder = self.builder
        for name in builder.coordinates.by_rows:
            add_joint(builder, name)
        for name, driver in builder.model.drivers.items():
            if name not in builder.locks.open:
                builder.coordinates.drive(builder, name, driver)
        add_contacts(builder)
        add_couplings(builder)
        add_sums(builder)
        add_parts(builder)
        builder.coordinates.check(builder)

    def _add_loads(self) -> None:
        """What acts, and what laws and events read."""
        add_loads(self.builder)
        add_beams(self.builder)
        add_rates(self.builder)
        add_events(self.builder)

    def _add_equations(self) -> None:
        """The rows behind those of the tables."""
        builder = self.builder
        add_equations(builder)
        add_late(builder)
        put_in_order(builder)
        builder.laws.extended = needs_all_elements(builder)

    @property
    def _loads(self) -> LoadLines:
        """The tables of its loads, with what is said of each."""
        if self._lines is None:
            self._lines = LoadLines.of(self.builder) if self.kin is None else self.kin._loads
        return self._lines

    def joint_records(self) -> list[JointRecord]:
        """Where the reactions of the joints are found."""
        return [record_of(self.builder, name) for name in self.builder.reference.joints]

    def given(self, system: System) -> Given:
        """The start that the model gives for its system. Raises ModelError."""
        return with_states(self.builder.coordinates.given(self.builder, system), self.builder.states.starts)
