"""Model of planar or spatial bodies -> System and start, in absolute coordinates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mbsim.analysis.redundancy import redundancy
from mbsim.analysis.start import assemble_position, assemble_velocity, change
from mbsim.assembled import Assembly
from mbsim.constraints._table import Row
from mbsim.couplings import add_couplings
from mbsim.drawing import Drawing
from mbsim.drivers import drive
from mbsim.elements.kinds import ABOUT, TURN, acts_on, is_common, reads_value, rows_of
from mbsim.elements.primitives import Primitive
from mbsim.forces._table import Load
from mbsim.jit import Arrays, SystemFunctions
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.model.errors import ModelError
from mbsim.model.expressions import Expression, evaluate
from mbsim.model.schema import Model
from mbsim.rows import add_contacts, add_equations, add_late, depend_on_time
from mbsim.system.plain import no_event
from mbsim.system.system import DriverRecord, Floats, JointRecord, System, no_tree
from mbsim.system.tables import table_rows

TREE_ARRAYS = ("tree", "tree_data", "tree_work", "wrenches")


class Bodies(Drawing):
    """Builds the rows, loads and arrays of a model of bodies."""

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
            functions=SystemFunctions(constraints, dynamics, residual, kernels.rates, kernels.move, kernels.energy, no_event),
            arrays=self.system_arrays(loads),
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
                self.refuse(f"forces.{name}.joint", str(error))
            self._note_angles(name, force, loads)
            self.load_names += [name] * len(loads)
            found += loads
        return found

    def _note_angles(self, name: str, force: Any, loads: Sequence[Load]) -> None:
        """Which force needs the angle of which joint, for the message of a run that turns farther than the angle is known."""
        read = {x for _, law in force.laws() for x in law.names}
        needed = {self.laws.gauges[x] for x in read & self.laws.gauges.keys()}
        for row in loads:
            if reads_value(row.kind) or (acts_on("loads", row.kind) == "relative" and "angle" in read):
                needed.add(int(row.data[0]))
        names = {k: gauge for gauge, k in self.laws.gauges.items()}
        for k in needed & names.keys():
            if self.dimension == 3 and self.gauges[k][0] == ABOUT:
                self.angles.setdefault(k, (name, names[k]))

    def extended(self, loads: Sequence[Load]) -> bool:
        """Whether the model has elements that the plain kernels do not know."""
        known = all(is_common("rows", row[0]) for row in self.table) and all(is_common("loads", load.kind) for load in loads)
        return bool(self.gauges) or not known

    def _joint(self, name: str, joint: Any) -> JointRecord:
        first, second = self.joint_points(joint)
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
        first, second = self.joint_points(joint)
        law = self._length_law(name, joint.prescribed())
        start = len(self.rows)
        for primitive in joint.rows(self.dimension):
            if primitive.value is None and self.coincide(first, second):
                self.refuse(
                    f"joints.{name}", f"the two points of a {joint.type} joint coincide in the file: draw them apart or give `length`"
                )
            self.add_primitive(primitive, first, second, joint.frames(self.dimension), law)
        self.rows += [f"{name}[{i}]" for i in range(self.row_count - start)]
        return slice(start, self.row_count)

    def _length_law(self, joint: str, length: Expression | None) -> int:
        """Index of the law of a rod's length, -1 where it is constant."""
        if length is None:
            return -1
        try:
            start = evaluate(length, {**self.model.parameters, "t": self.model.simulation.start})
        except ValueError as error:
            self.refuse(f"joints.{joint}.length", f"at the start: {error}")
        if not start > 0.0:
            self.refuse(f"joints.{joint}.length", f"must be greater than 0 (at the start it is {start:g})")
        self.laws.time.append(length)
        return len(self.laws.time) - 1

    def add_primitive(self, primitive: Primitive, first: Any, second: Any, frames: Any, law: int) -> None:
        """One row of the tables; the axes are given in global axes at the start and stored in body axes."""
        self.table.append([primitive.kind, self.row_count, first[0], second[0], law])
        self.row_count += rows_of(primitive.kind, self.dimension)
        self.geometry.append(self.geometry_of(primitive, first, second, frames))

    def system_arrays(self, loads: Sequence[Any]) -> Arrays:
        model, n_b = self.model, len(self.names)
        masses = np.zeros((n_b, 10))
        for i, body in enumerate(model.bodies.values()):
            masses[i, 0] = body.mass
            masses[i, 1:] = np.reshape(body.inertia_matrix, -1) if self.dimension == 3 else [body.inertia_matrix[2][2], *[0.0] * 8]
        frames = np.zeros((n_b + 1, 22))  # the last row is the ground: at the origin, upright, at rest
        if self.dimension == 2:
            frames[n_b, 2] = 1.0
        else:
            frames[n_b, 3:12], frames[n_b, 18] = np.eye(3).reshape(-1), 1.0
        b = 3 if self.dimension == 2 else 6
        row_bodies = np.full((len(self.rows), 2), -1, np.int64)
        for kind, row, i, j, _ in self.table:
            if acts_on("rows", kind) == "bodies":
                row_bodies[row : row + rows_of(kind, self.dimension)] = i, j
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
        self.check_branches(system, start, found_q)
        v = np.zeros(system.n_v)
        for i in range(len(self.names)):
            if planar:
                v[3 * i : 3 * i + 3] = given_v[i, [0, 1, 5]]
            else:  # angular velocities are given in global axes and integrated in body axes
                v[6 * i : 6 * i + 3] = given_v[i, :3]
                v[6 * i + 3 : 6 * i + 6] = matrices(found_q[7 * i + 3 : 7 * i + 7]).T @ given_v[i, 3:]
        found_v = assemble_velocity(system, start, found_q, v, fixed_v) if system.n_rows else v
        return Assembly(system, start, found_q, found_v, change(q, found_q, v, found_v), model.text, model.parameters, model.simulation)

    def check_branches(self, system: System, start: float, q: Floats) -> None:
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
                self.refuse(f"drivers.{driver.name}", f"{message}; draw the bodies nearer to it")


def absolute_freedoms(model: Model, system: System, t: float, q: Floats) -> int | None:
    """The degrees of freedom of the bodies at (t, q) of a system in joint coordinates, counted by the rows of all joints.

    None of a system that is not in joint coordinates, and where the file names these in what it drives or constrains.
    """
    named = any(d.coordinate is not None for d in model.drivers.values()) or any(
        getattr(c, "EQUATION", "") for c in model.constraints.values()
    )
    if not system.in_joint_coordinates or named:
        return None
    try:
        absolute = Bodies(replace(model, in_joint_coordinates=False, forces={}, measures={})).system()
    except ModelError:
        return None
    system.phi(t, q)  # leaves the poses in `frames`
    frames = system.arrays.frames[:-1]
    if system.dimension == 2:
        poses = frames[:, [0, 1, 4]]
    else:
        poses = np.hstack([frames[:, :3], quaternions(frames[:, 3:12].reshape(-1, 3, 3))])
    return redundancy(absolute, t, poses.ravel()).degrees_of_freedom


def _rectangle(rows: Sequence[Sequence[float]], width: int) -> Floats:
    """The rows one below the other, the shorter ones filled with zeros; `width` columns or more."""
    out = np.zeros((len(rows), max([width, *map(len, rows)])))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out
