"""Model -> System and a consistent start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from mbsim import registry
from mbsim.analysis.measures import Measures
from mbsim.analysis.start import Change, StartError, assemble_position, assemble_velocity, change
from mbsim.constraints._table import Row
from mbsim.couplings import add_couplings
from mbsim.drivers import drive, driver_equation
from mbsim.forces._table import Load
from mbsim.jit import Arrays
from mbsim.joint_coordinates import JointCoordinates
from mbsim.kernels.primitives import (
    ABOUT,
    ALONG,
    COORDINATE,
    COUPLING,
    EXTENDED,
    GAUGE_LIMIT,
    GAUGE_SPRING,
    GAUGED,
    IN_PLANE,
    LENGTH,
    POINT,
    ROLL,
    TURN,
    TWIST,
    Primitive,
    angle,
    distance,
)
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.model.errors import ModelError
from mbsim.model.expressions import Expression, evaluate, parse, unknown_name
from mbsim.model.fields import Point
from mbsim.model.load import load
from mbsim.model.schema import Model
from mbsim.rows import add_contacts, add_equations, add_late, depend_on_time
from mbsim.system.equations import DerivationError
from mbsim.system.laws import Laws
from mbsim.system.plain import no_event
from mbsim.system.system import DriverRecord, Floats, JointRecord, System, no_tree
from mbsim.system.tables import TableError, complaint, table_rows

GROUND = "ground"
COINCIDENT = 1e-12  # m; a rod shorter than this has no direction
TREE_ARRAYS = ("tree", "tree_data", "tree_work", "wrenches")


@dataclass(frozen=True)
class Assembly:
    """A system with a consistent start, ready to march."""

    system: System
    start: float  # s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    correction: tuple[float, float] | Change = (0.0, 0.0)  # largest change of a position and of a speed that the assembly made
    text: str = ""  # of the model file
    parameters: Mapping[str, float] = field(default_factory=dict)
    simulation: Any = None  # the model's block
    measures: Measures | None = None  # the model's, where it has any


def load_model(
    source: str | Path,
    parameters: Mapping[str, float | str] | None = None,
    simulation: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
) -> Model:
    """Read and check a model file; `parameters`, keys of `simulation` and blocks of `tables` given here replace the file's.

    Raises mbsim.ModelError with every problem of the file, OSError when it cannot be read.
    """
    return load(source, registry, parameters=parameters, simulation=simulation, tables=tables)


def assemble(model: Model) -> Assembly:
    """The system of a model and its start. Raises ModelError for equations of the wrong form and starts that cannot be assembled."""
    try:
        builder = _builder(model)
        system = builder.system()
    except (DerivationError, TableError) as error:
        raise ModelError([model.problem(error.path, str(error))]) from None
    try:
        made: Assembly = builder.start(system, Assembly) if isinstance(builder, JointCoordinates) else builder.start(system)
    except StartError as error:
        reason = "; ".join(filter(None, [str(error), complaint(system)]))
        raise ModelError([model.problem(_place(model, error), reason)]) from error
    return replace(made, measures=Measures(model, system)) if model.measures else made


def _builder(model: Model) -> "_Coordinates | _Bodies | JointCoordinates":
    if model.coordinates:
        return _Coordinates(model)
    return JointCoordinates(model, _Bodies(model)) if model.in_joint_coordinates else _Bodies(model)


def _place(model: Model, error: StartError) -> str:
    """The block of the file to point at: the constraint that is violated most."""
    name = error.residuals[0][0].partition("[")[0].partition(".")[0] if error.residuals else ""
    sections: dict[str, Mapping[str, Any]] = {
        "joints": {**model.joints, **model.couplings},
        "drivers": model.drivers,
        "constraints": model.constraints,
    }
    return next((f"{section}.{name}" for section, blocks in sections.items() if name in blocks), "")


def assemble_system(system: System, start: float, q: ArrayLike, v: ArrayLike) -> Assembly:
    """A System made in Python with its start corrected to satisfy the constraints. Raises StartError."""
    given_q, given_v = np.array(q, float), np.array(v, float)
    free = np.zeros(system.n_v, bool)
    q = assemble_position(system, start, given_q, free) if system.n_holonomic else given_q
    v = assemble_velocity(system, start, q, given_v, free) if system.n_rows else given_v
    return Assembly(system, start, q, v, change(given_q, q, given_v, v))


def stop_expression(system: System, text: str, parameters: Sequence[str]) -> Expression:
    """The expression of a `stop` setting over t, the parameters, and the system's coordinates and speeds. Raises ValueError."""
    try:
        expression = parse(text, tables=system.tables)
    except ValueError as error:
        raise ValueError(f"stop: {error}") from None
    fault = unknown_name(expression, ["t"], parameters, system.coordinates, system.speeds)
    if fault is not None:
        raise ValueError(f"stop: {fault}")
    return expression


class _Coordinates:
    """A model in the user's own coordinates."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def system(self) -> System:
        from mbsim.system.generalized import Equations, generalized_system

        model = self.model
        assert model.coordinates is not None and model.energy is not None
        forces: dict[str, Any] = dict(model.forces)
        constraints: dict[str, Any] = dict(model.constraints)
        drivers = {name: (str(d.coordinate), driver_equation(d)) for name, d in model.drivers.items()}
        holonomic = {name: equation for name, (coordinate, equation) in drivers.items() if not coordinate.startswith("der(")}
        nonholonomic = {name: equation for name, (_, equation) in drivers.items() if name not in holonomic}
        equations = Equations(
            coordinates=model.coordinates,
            kinetic=model.energy.kinetic,
            potential=model.energy.potential,
            dissipation=model.energy.dissipation,
            forces=[(name, f.coordinate, f.value) for name, f in forces.items()],
            holonomic=holonomic | {n: c.equation for n, c in constraints.items() if c.EQUATION == "holonomic"},
            nonholonomic=nonholonomic | {n: c.equation for n, c in constraints.items() if c.EQUATION == "nonholonomic"},
        )
        found = generalized_system(model.name, equations, model.parameters, model.tables)
        return replace(found, drivers=[DriverRecord(name, found.rows.index(name), "1", "", COORDINATE) for name in drivers])

    def start(self, system: System) -> Assembly:
        model = self.model
        values, fix = model.initial.values, set(model.initial.fix)
        q = np.array([values.get(name, 0.0) for name in system.coordinates], float)
        v = np.array([values.get(name, 0.0) for name in system.speeds], float)
        fixed_q = np.array([name in fix for name in system.coordinates], bool)
        fixed_v = np.array([name in fix for name in system.speeds], bool)
        return _assembled(model, system, q, v, fixed_q, fixed_v)


def _assembled(model: Model, system: System, q: Floats, v: Floats, fixed_q: Any, fixed_v: Any) -> Assembly:
    start = model.simulation.start
    found_q = assemble_position(system, start, q, fixed_q) if system.n_holonomic else q
    found_v = assemble_velocity(system, start, found_q, v, fixed_v) if system.n_rows else v
    return Assembly(system, start, found_q, found_v, change(q, found_q, v, found_v), model.text, model.parameters, model.simulation)


class _Bodies:
    """A model of planar or spatial bodies; also the Geometry that forces are placed by."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.dimension: int = model.dimension or 3
        self.names = list(model.bodies)
        self.index = {name: i for i, name in enumerate(self.names)} | {GROUND: len(self.names)}
        planar = self.dimension == 2
        self.positions, self.rotations = [], []
        for body in model.bodies.values():
            self.positions.append(np.array([*body.position, 0.0][:3]))
            self.rotations.append(_about_z(body.angle or 0.0) if planar else matrices(np.array(body.quaternion)))
        self.positions.append(np.zeros(3))
        self.rotations.append(np.eye(3))
        per_body = ("x", "y", "angle") if planar else ("x", "y", "z", "qw", "qx", "qy", "qz")
        per_speed = [f"der({{}}.{c})" for c in per_body[:3]] + ([] if planar else [f"{{}}.omega.{c}" for c in "xyz"])
        self.coordinates = [f"{name}.{c}" for name in self.names for c in per_body]
        self.speeds = [s.format(name) for name in self.names for s in per_speed]
        self.laws = Laws(self.dimension, list(model.parameters), self.coordinates, self.speeds)
        self.gauges: list[list[int]] = []
        self.gauge_data: list[list[float]] = []
        self.load_names: list[str] = []
        self.angles: dict[int, tuple[str, str]] = {}  # gauge of an angle that is not known at every turn -> a force that needs it, its name

    # Geometry

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]:
        """See mbsim.forces._table.Geometry."""
        b = self.index[point.body]
        return b, [float(x) for x in self.rotations[b].T @ (np.array(self.locate(point, at)) - self.positions[b])]

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """See mbsim.forces._table.Geometry."""
        if at is not None:
            return [float(x) for x in [*at, 0.0][:3]]
        b = self.index[point.body]
        local = np.zeros(3)
        if point.point is not None:
            given = self.model.bodies[point.body].points[point.point]
            local[: len(given)] = given
        return [float(x) for x in self.positions[b] + self.rotations[b] @ local]

    def direction(self, body: int, vector: Sequence[float]) -> list[float]:
        """See mbsim.forces._table.Geometry."""
        return [float(x) for x in self.rotations[body].T @ np.array([*vector, 0.0][:3])]

    def drawn_angle(self, first: int, second: int) -> float:
        """See mbsim.forces._table.Geometry."""
        return self._angle(second) - self._angle(first)

    def ground(self) -> int:
        """See mbsim.forces._table.Geometry."""
        return len(self.names)

    def free_coordinates(self, joint: str) -> list[str]:
        """See mbsim.forces._table.Geometry."""
        block: Any = self.model.joints[joint]
        found: list[str] = block.driven(self.dimension)
        return found

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """See mbsim.forces._table.Geometry."""
        ground = self.ground()
        return Load(GAUGED, ground, ground, law, [float(self.gauge(joint, coordinate)), 0.0, 0.0, *constants, 0.0, 0.0, 0.0])

    def gauge(self, joint: str, coordinate: str | None) -> int:
        """See mbsim.forces._table.Geometry."""
        block: Any = self.model.joints[joint]
        choices = block.driven(self.dimension)
        if coordinate is None and len(choices) == 1:
            coordinate = choices[0]
        if coordinate not in choices:
            what = f"no coordinate '{coordinate}'" if coordinate else "not one single coordinate"
            found = f"; give `coordinate`: {', '.join(choices)}" if choices else ""
            raise ValueError(f"joint {joint} ({block.type}) has {what}{found}")
        name = f"{joint}.{coordinate}"
        if name not in self.laws.gauges:
            primitive = block.DRIVES[coordinate][self.dimension]
            first, second = self._joint_points(block)
            kind = ALONG if primitive.kind == IN_PLANE else ABOUT
            self.laws.gauges[name] = self._gauge(kind, primitive, first, second, block.frames(self.dimension))
        return self.laws.gauges[name]

    def length_gauge(self, first: tuple[int, Sequence[float]], second: tuple[int, Sequence[float]]) -> int:
        """See mbsim.forces._table.Geometry."""
        return self._gauge(LENGTH, distance(), first, second, (np.eye(3), np.eye(3)))

    def angle_gauge(self, first: int, second: int) -> int:
        """See mbsim.forces._table.Geometry."""
        return self._gauge(ABOUT, angle(), (first, [0.0] * 3), (second, [0.0] * 3), (np.eye(3), np.eye(3)))

    def _gauge(self, kind: int, primitive: Primitive, first: Any, second: Any, frames: Any) -> int:
        data = [*self._geometry(primitive, first, second, frames), *[0.0] * 8]
        i, j = first[0], second[0]
        if kind == ABOUT and self.dimension == 3:  # the joint's axes in both bodies, with one sign: they are drawn parallel
            a, b = (quaternions(self.rotations[k].T @ np.array(frame).T) for k, frame in ((i, frames[0]), (j, frames[1])))
            turned = [_product(self._quaternion(k), of) for k, of in ((i, a), (j, b))]
            data[16:20], data[20:24] = a, b if turned[0] @ turned[1] > 0.0 else -b
        self.gauges.append([kind, i, j, -1, -1])
        self.gauge_data.append(data)
        return len(self.gauges) - 1

    def law(self, values: Sequence[Expression], local: tuple[str, int] | None = None) -> tuple[int, list[float]]:
        """See mbsim.forces._table.Geometry."""
        if all(set(e.names) <= self.model.parameters.keys() for e in values):
            numbers = [evaluate(e, self.model.parameters) for e in values]
            return -1, [*numbers, 0.0, 0.0][:3]
        self._read_gauges(values)
        first = len(self.laws.time) + len(self.laws.state)
        padding = [parse(0)] * (3 - len(values))
        if local is not None:
            self.laws.local |= {len(self.laws.state) + k: local for k in range(len(values))}
        self.laws.state += [*values, *padding]
        return first, [0.0, 0.0, 0.0]

    def _read_gauges(self, values: Sequence[Expression]) -> None:
        """Make the gauges that laws name: O.angle, der(O.angle)."""
        for name in sorted({name.removeprefix("der(").removesuffix(")") for e in values for name in e.names} - set(self.coordinates)):
            joint, dot, coordinate = name.partition(".")
            if dot and joint in self.model.joints and coordinate in self.model.joints[joint].driven(self.dimension):
                self.gauge(joint, coordinate)

    # the system

    def system(self) -> System:
        model = self.model
        self.row_count = 0  # rows of the table so far
        self.table: list[list[int]] = []
        self.geometry: list[list[float]] = []
        self.rows: list[str] = []
        self.drivers: list[DriverRecord] = []
        self.late: list[tuple[str, Row]] = []
        records = [self._joint(name, joint) for name, joint in model.joints.items()]
        for name, driver in model.drivers.items():
            drive(self, name, driver)
        add_contacts(self)
        add_couplings(self)
        loads = self.loads()
        add_equations(self)
        n_holonomic = add_late(self)
        self.laws.extended = self.extended(loads)
        constraints, dynamics, residual, rheonomic = self.laws.compile()
        kernels = self.laws.module()
        planar = self.dimension == 2
        units = ["m", "m", "rad"] if planar else ["m"] * 3 + ["1"] * 4
        speed_units = ["m s-1", "m s-1", "rad s-1"] if planar else ["m s-1"] * 3 + ["rad s-1"] * 3
        return System(
            name=model.name,
            functions=(constraints, dynamics, residual, kernels.rates, kernels.move, kernels.energy, no_event),
            arrays=self._arrays(loads),
            coordinates=self.coordinates,
            coordinate_units=units * len(self.names),
            speeds=self.speeds,
            speed_units=speed_units * len(self.names),
            rows=self.rows,
            n_holonomic=n_holonomic,
            skyline=np.arange(len(self.speeds)) if planar else np.arange(len(self.speeds)) // 3 * 3,
            rheonomic=rheonomic or depend_on_time(self),
            dimension=self.dimension,
            tables=model.tables,
            bodies=self.names,
            joints=records,
            drivers=self.drivers,
            loads=self.load_names,
            angles=self.angles,
        )

    def loads(self) -> list[Load]:
        """The loads of all forces. Raises ModelError."""
        found: list[Load] = []
        forces: dict[str, Any] = dict(self.model.forces)
        for name, force in forces.items():
            try:
                loads: list[Load] = force.loads(self)
            except ValueError as error:
                self._refuse(f"forces.{name}.joint", str(error))
            self._note_angles(name, force, loads)
            self.load_names += [name] * len(loads)
            found += loads
        return found

    def _note_angles(self, name: str, force: Any, loads: Sequence[Load]) -> None:
        """Which force needs the angle of which joint, for the message of a run that turns farther than the angle is known."""
        read = {x for _, law in force.laws() for x in law.names}
        needed = {self.laws.gauges[x] for x in read & self.laws.gauges.keys()}
        for row in loads:
            if row.kind in (GAUGE_SPRING, GAUGE_LIMIT) or (row.kind >= GAUGED and "angle" in read):
                needed.add(int(row.data[0]))
        names = {k: gauge for gauge, k in self.laws.gauges.items()}
        for k in needed & names.keys():
            if self.dimension == 3 and self.gauges[k][0] == ABOUT:
                self.angles.setdefault(k, (name, names[k]))

    def extended(self, loads: Sequence[Load]) -> bool:
        """Whether the model has elements that the plain kernels do not know."""
        return bool(self.gauges) or any(row[0] >= EXTENDED for row in self.table) or any(load.kind >= EXTENDED for load in loads)

    def _joint(self, name: str, joint: Any) -> JointRecord:
        first, second = self._joint_points(joint)
        frames = joint.frames(self.dimension)
        rows = self.joint_rows(name, joint)
        i, j = first[0], second[0]
        ground = len(self.names)
        return JointRecord(
            name, rows, -1 if i == ground else i, -1 if j == ground else j,
            np.array(first[1]), np.array(second[1]), self.rotations[j].T @ np.array(frames[1]).T,
        )  # fmt: skip

    def joint_rows(self, name: str, joint: Any) -> slice:
        """Append a joint's rows; returns where they are."""
        first, second = self._joint_points(joint)
        law = self._length_law(name, joint.prescribed())
        start = len(self.rows)
        for primitive in joint.rows(self.dimension):
            if primitive.value is None and not np.linalg.norm(self._global(first) - self._global(second)) > COINCIDENT:
                self._refuse(
                    f"joints.{name}", f"the two points of a {joint.type} joint coincide in the file: draw them apart or give `length`"
                )
            self._primitive(primitive, first, second, joint.frames(self.dimension), law)
        self.rows += [f"{name}[{i}]" for i in range(self.row_count - start)]
        return slice(start, self.row_count)

    def _length_law(self, joint: str, length: Expression | None) -> int:
        """Index of the law of a rod's length, -1 where it is constant."""
        if length is None:
            return -1
        try:
            start = evaluate(length, {**self.model.parameters, "t": self.model.simulation.start})
        except ValueError as error:
            self._refuse(f"joints.{joint}.length", f"at the start: {error}")
        if not start > 0.0:
            self._refuse(f"joints.{joint}.length", f"must be greater than 0 (at the start it is {start:g})")
        self.laws.time.append(length)
        return len(self.laws.time) - 1

    def _joint_points(self, joint: Any) -> "tuple[tuple[int, list[float]], tuple[int, list[float]]]":
        if joint.points is not None:
            return self.place(joint.points[0], None), self.place(joint.points[1], None)
        first, second = joint.places()
        return self.place(Point(joint.first, None), first), self.place(Point(joint.second, None), second)

    def _primitive(self, primitive: Primitive, first: Any, second: Any, frames: Any, law: int) -> None:
        """One row of the tables; the axes are given in global axes at the start and stored in body axes."""
        self.table.append([primitive.kind, self.row_count, first[0], second[0], law])
        self.row_count += self.dimension if primitive.kind == POINT else 1
        self.geometry.append(self._geometry(primitive, first, second, frames))

    def _geometry(self, primitive: Primitive, first: Any, second: Any, frames: Any) -> list[float]:
        """A row of Arrays.geometry."""
        (i, s_i), (j, s_j) = first, second
        value = primitive.value
        if value is None:
            value = float(np.linalg.norm(self._global(first) - self._global(second)))
        axis = {name: k for k, name in enumerate("xyz")}
        a = self.rotations[i].T @ np.array(frames[0][axis[primitive.a]])
        b = self.rotations[j].T @ np.array(frames[1][axis[primitive.b]])
        data = np.zeros(16)
        if self.dimension == 2:
            data[0:2], data[2:4], data[4:6] = s_i[:2], s_j[:2], a[:2]
            data[6], data[7] = self._angle(j) - self._angle(i), value
            if primitive.kind == ROLL:
                data[8] = (self._global(second) - self._global(first)) @ np.array(frames[0][axis[primitive.a]])
        else:
            data[0:3], data[3:6], data[6:9], data[9:12] = s_i, s_j, a, b
            data[12:15], data[15] = self.rotations[i].T @ np.array(frames[0][1]), value
        if primitive.kind == TWIST:
            data[0:3], data[13:16] = data[12:15], self.rotations[j].T @ np.array(frames[1][1])
        return list(data)

    def _global(self, place: tuple[int, Sequence[float]]) -> Floats:
        """Where a body's point is drawn."""
        at: Floats = self.positions[place[0]] + self.rotations[place[0]] @ np.array(place[1])
        return at

    def _quaternion(self, body: int) -> Floats:
        return np.array(self.model.bodies[self.names[body]].quaternion if body < len(self.names) else [1.0, 0.0, 0.0, 0.0])

    def _angle(self, body: int) -> float:
        return (self.model.bodies[self.names[body]].angle or 0.0) if body < len(self.names) else 0.0

    # what drivers and contacts are told

    def constants(self, values: Sequence[Expression]) -> list[float] | None:
        """See mbsim.constraints._table.Geometry."""
        if not all(set(e.names) <= self.model.parameters.keys() for e in values):
            return None
        return [evaluate(e, self.model.parameters) for e in values]

    def at_start(self, values: Sequence[Expression]) -> list[float]:
        """See mbsim.constraints._table.Geometry."""
        return [evaluate(e, {**self.model.parameters, "t": self.model.simulation.start}) for e in values]

    def time_laws(self, values: Sequence[Expression]) -> int:
        """See mbsim.constraints._table.Geometry."""
        self.laws.time += values
        return len(self.laws.time) - len(values)

    def _refuse(self, path: str, message: str) -> NoReturn:
        raise ModelError([self.model.problem(path, message)])

    def _arrays(self, loads: Sequence[Any]) -> Arrays:
        model, n_b = self.model, len(self.names)
        masses = np.zeros((n_b, 10))
        for i, body in enumerate(model.bodies.values()):
            masses[i, 0] = body.mass
            masses[i, 1:] = np.reshape(body.inertia_matrix, -1) if self.dimension == 3 else [body.inertia_matrix[2][2], *[0.0] * 8]
        frames = np.zeros((n_b + 1, 18))  # the last row is the ground: at the origin, upright, at rest
        if self.dimension == 2:
            frames[n_b, 2] = 1.0
        else:
            frames[n_b, 3:12] = np.eye(3).reshape(-1)
        b = 3 if self.dimension == 2 else 6
        row_bodies = np.full((len(self.rows), 2), -1, np.int64)
        for kind, row, i, j, _ in self.table:
            if kind != COUPLING:  # up to four bodies
                row_bodies[row : row + (self.dimension if kind == POINT else 1)] = i, j
        return Arrays(
            parameters=np.array(list(model.parameters.values()), float),
            laws=np.zeros((len(self.laws.time) + len(self.laws.state), 3)),
            masses=masses,
            gravity=np.array([*model.gravity, 0.0][:3], float),
            frames=frames,
            primitives=np.array(self.table, np.int64).reshape(-1, 5),
            geometry=np.array(self.geometry, float).reshape(-1, 16),
            loads=np.array([load[:4] for load in loads], np.int64).reshape(-1, 4),
            load_data=_rectangle([load.data for load in loads], 9),
            jacobian=np.zeros((len(self.rows), 2 * b)),
            row_bodies=row_bodies,
            **dict(zip(TREE_ARRAYS, no_tree(), strict=True)),
            gauges=np.array(self.gauges, np.int64).reshape(-1, 5),
            gauge_data=_rectangle(self.gauge_data, 24),
            gauge_values=np.zeros((len(self.gauges), 5 + 2 * b)),
            tables=table_rows(model.tables),
        )

    # the start

    def start(self, system: System) -> Assembly:
        """Assemble from the pose the file draws, `initial` and `fix`."""
        model, planar = self.model, self.dimension == 2
        values, fix = model.initial.values, model.initial.fix
        q, fixed_q, fixed_v = np.zeros(system.n_q), np.zeros(system.n_v, bool), np.zeros(system.n_v, bool)
        n_per, b_per = (3, 3) if planar else (7, 6)
        given_v = np.zeros((len(self.names), 6))  # global: velocity, angular velocity
        for i, (name, body) in enumerate(model.bodies.items()):
            o, d = n_per * i, b_per * i
            q[o : o + self.dimension] = body.position
            q[o + self.dimension : o + n_per] = (body.angle or 0.0) if planar else body.quaternion
            if body.velocity is not None:
                given_v[i, : self.dimension] = body.velocity
            if body.angular_velocity is not None:
                given_v[i, 3:] = body.angular_velocity
            rotation = slice(d + self.dimension, d + b_per)
            for c, axis in enumerate("xyz"[: self.dimension]):
                q[o + c] = values.get(f"{name}.{axis}", q[o + c])
                given_v[i, c] = values.get(f"der({name}.{axis})", given_v[i, c])
                fixed_q[d + c] = f"{name}.{axis}" in fix or f"{name}.position" in fix
                fixed_v[d + c] = f"der({name}.{axis})" in fix or f"{name}.velocity" in fix
            if f"{name}.position" in values:
                q[o : o + self.dimension] = values[f"{name}.position"]
            if f"{name}.velocity" in values:
                given_v[i, : self.dimension] = values[f"{name}.velocity"]
            if planar:
                q[o + 2] = values.get(f"{name}.angle", q[o + 2])
                given_v[i, 5] = values.get(f"der({name}.angle)", given_v[i, 5])
            if f"{name}.angular_velocity" in values:
                given_v[i, 5 if planar else slice(3, 6)] = values[f"{name}.angular_velocity"]
            fixed_q[rotation] = f"{name}.angle" in fix or f"{name}.orientation" in fix
            fixed_v[rotation] = f"der({name}.angle)" in fix or f"{name}.angular_velocity" in fix
        start = model.simulation.start
        found_q = assemble_position(system, start, q, fixed_q) if system.n_holonomic else q
        self._check_branches(system, start, found_q)
        v = np.zeros(system.n_v)
        for i in range(len(self.names)):
            if planar:
                v[3 * i : 3 * i + 3] = given_v[i, [0, 1, 5]]
            else:  # angular velocities are given in global axes and integrated in body axes
                v[6 * i : 6 * i + 3] = given_v[i, :3]
                v[6 * i + 3 : 6 * i + 6] = matrices(found_q[7 * i + 3 : 7 * i + 7]).T @ given_v[i, 3:]
        found_v = assemble_velocity(system, start, found_q, v, fixed_v) if system.n_rows else v
        return Assembly(system, start, found_q, found_v, change(q, found_q, v, found_v), model.text, model.parameters, model.simulation)

    def _check_branches(self, system: System, start: float, q: Floats) -> None:
        """A spatial angle driver keeps sin(theta - f) = 0, which also holds half a turn off: refuse that."""
        system.phi(start, q)  # leaves the poses in `frames` and the laws' values in `laws`
        for driver in self.drivers:
            if driver.kind != TURN:
                continue
            e = next(k for k, row in enumerate(self.table) if row[1] == driver.row)
            _, _, i, j, law = self.table[e]
            g, frames = self.geometry[e], system.arrays.frames
            A_i, A_j = frames[i, 3:12].reshape(3, 3), frames[j, 3:12].reshape(3, 3)
            x, y = A_i @ g[6:9], A_i @ g[12:15]
            f = system.arrays.laws[law, 0]
            if (np.cos(f) * x + np.sin(f) * y) @ (A_j @ g[9:12]) < 0.0:
                message = f"at the start the angle is {f:.4g} rad, more than a quarter turn from where the file draws joint {driver.joint}"
                self._refuse(f"drivers.{driver.name}", f"{message}; draw the bodies nearer to it")


def _rectangle(rows: Sequence[Sequence[float]], width: int) -> Floats:
    """The rows one below the other, the shorter ones filled with zeros; `width` columns or more."""
    out = np.zeros((len(rows), max([width, *map(len, rows)])))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


def _product(p: Floats, r: Floats) -> Floats:
    """Of two quaternions."""
    return np.array([p[0] * r[0] - p[1:] @ r[1:], *(p[0] * r[1:] + r[0] * p[1:] + np.cross(p[1:], r[1:]))])


def _about_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


__all__ = ["Assembly", "ModelError", "assemble", "assemble_system", "load_model"]
