"""Model with `coordinates: joint` -> System and start: the tree of its joints, rows for the joints that close loops, drivers, laws."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from mbsim.analysis.start import assemble_position, assemble_velocity, change
from mbsim.couplings import add_couplings
from mbsim.drivers import drive, drive_tree, refuse
from mbsim.elements.kinds import COORDINATE, EFFORT, STATE, acts_on
from mbsim.forces._table import Load
from mbsim.jit import Arrays, SystemFunctions
from mbsim.kernels import trees as columns
from mbsim.kernels.primitives import BALL, FREE
from mbsim.kernels.rotations import matrices
from mbsim.model.schema import Model
from mbsim.rows import add_contacts, add_equations, add_late, depend_on_time
from mbsim.system.laws import Laws
from mbsim.system.plain import no_event
from mbsim.system.system import Floats, JointRecord, System
from mbsim.system.trees import Link, Tree, build


class JointCoordinates:
    """Builds a tree system; `bodies` is the assembly's builder of bodies, which places points, forces and primitives."""

    def __init__(self, model: Model, bodies: Any) -> None:
        self.model, self.bodies = model, bodies
        self.planar = bodies.dimension == 2
        self._coupled = {joint for coupling in model.couplings.values() for joint in coupling.joints}
        self.links: dict[str, Link] = {name: self._link(name, joint) for name, joint in model.joints.items()}
        given = []
        for k, body in enumerate(model.bodies.values()):
            inertia = np.array(body.inertia_matrix)
            if self.planar:  # only turns about the normal occur; any other moments do, but they must not be zero for those who invert
                inertia = inertia[2, 2] * np.eye(3)
            given.append((body.mass, inertia, bodies.positions[k], bodies.rotations[k]))
        self.tree: Tree = build(bodies.names, given, list(self.links.values()), self.planar)
        for link in self.tree.order:
            if link is not self.links.get(link.name, link):
                bodies.refuse(f"joints.{link.name}", f"the body {link.name} floats and its coordinates would have the name of this joint")
        table = self.tree.table
        quaternions = [(int(r[columns.KIND]), int(r[columns.Q]), int(r[columns.V])) for r in table if r[columns.KIND] in (BALL, FREE)]
        bodies.coordinates, bodies.speeds = self.tree.coordinates, self.tree.speeds
        bodies.laws = Laws(bodies.dimension, list(model.parameters), bodies.coordinates, bodies.speeds, quaternions=quaternions)
        self._gauge_of_bodies, self._effort_on_bodies = bodies.gauge, bodies.effort
        self._free_of_bodies = bodies.free_coordinates
        bodies.gauge, bodies.effort, bodies.free_coordinates = self.gauge, self.effort, self.free_coordinates

    def _link(self, name: str, joint: Any) -> Link:
        (i, s_i), (j, s_j) = self.bodies.joint_points(joint)
        a, b = (np.array(frame, float) for frame in joint.frames(self.bodies.dimension))
        motions = joint.MOTIONS.get(self.bodies.dimension)
        pitch = getattr(joint, "pitch", 0.0)
        cut = joint.cut or motions is None  # without motions it can only be kept by its rows
        return Link(name, i, j, motions or [], (np.array(s_i), np.array(s_j)), (a, b), pitch, cut, joint.FLOATING, name in self._coupled)

    def gauge(self, joint: str, coordinate: str | None) -> int:
        """See mbsim.forces._table.Geometry: of a joint of the tree its coordinate, of one that is cut a gauge between its bodies."""
        if joint in {link.name for link in self.tree.cuts}:
            return int(self._gauge_of_bodies(joint, coordinate))
        q, v = self._state(joint, coordinate)
        bodies, ground = self.bodies, self.bodies.ground()
        name = self.tree.coordinates[q]
        if name not in bodies.laws.gauges:
            bodies.gauges.append([STATE, ground, ground, q, v])
            bodies.gauge_data.append([0.0] * 24)
            bodies.laws.gauges[name] = len(bodies.gauges) - 1
        return int(bodies.laws.gauges[name])

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """See mbsim.forces._table.Geometry."""
        if joint in {link.name for link in self.tree.cuts}:
            on_bodies: Load = self._effort_on_bodies(joint, coordinate, law, constants)
            return on_bodies
        ground, speed = self.bodies.ground(), self._state(joint, coordinate)[1]
        return Load(EFFORT, ground, ground, law, [float(speed), 0.0, 0.0, *constants, 0.0, 0.0, 0.0])

    def free_coordinates(self, joint: str) -> list[str]:
        """See mbsim.forces._table.Geometry."""
        if joint in {link.name for link in self.tree.cuts}:
            cut: list[str] = self._free_of_bodies(joint)
            return cut
        own = [n for n in self.tree.coordinates if n.startswith(f"{joint}.")]
        names = [n.partition(".")[2] for n in own if f"der({n})" in self.tree.speeds]
        return names if len(names) == len(own) else []  # those of a quaternion are no coordinates to load

    def _state(self, joint: str, coordinate: str | None) -> tuple[int, int]:
        """Indices of the coordinate and of the speed. Raises ValueError where the joint has none of that name."""
        names = self.free_coordinates(joint)
        if coordinate is None and len(names) == 1:
            coordinate = names[0]
        if coordinate not in names:
            found = f"; give `coordinate`: {', '.join(names)}" if names else ""
            raise ValueError(f"joint {joint} has {'no coordinate of that name' if coordinate else 'not one single coordinate'}{found}")
        name = f"{joint}.{coordinate}"
        return self.tree.coordinates.index(name), self.tree.speeds.index(f"der({name})")

    # the system

    def system(self) -> System:
        model, bodies, tree = self.model, self.bodies, self.tree
        bodies.table, bodies.geometry, bodies.rows, bodies.drivers, bodies.late = [], [], [], [], []
        bodies.row_count = 0
        n_b = len(bodies.names)
        records = {link.name: self._cut(link) for link in tree.cuts}
        for name, driver in model.drivers.items():
            self._driver(name, driver)
        add_contacts(bodies)
        add_couplings(bodies, tree.q, tree.coordinate_units)
        loads = self._loads()
        constraints_: dict[str, Any] = dict(model.constraints)
        for name, c in constraints_.items():
            if c.EQUATION:
                self._check(f"constraints.{name}.{'equation' if 'equation' in type(c).model_fields else 'terms'}", [c.equation])
        add_equations(bodies)
        n_holonomic = add_late(bodies)
        bodies.laws.extended = bodies.extended(loads)
        constraints, dynamics, residual, rheonomic = bodies.laws.compile()
        kernels = bodies.laws.module()
        for link in tree.order:
            if link.name in self.links:
                records[link.name] = self._record(link, slice(0, len(bodies.rows)))
        joints = [records[name] for name in model.joints]
        return System(
            name=model.name,
            functions=SystemFunctions(constraints, dynamics, residual, kernels.rates, kernels.move, kernels.energy, no_event),
            arrays=self._arrays(loads),
            coordinates=tree.coordinates,
            coordinate_units=tree.coordinate_units,
            speeds=tree.speeds,
            speed_units=tree.speed_units,
            rows=bodies.rows,
            n_holonomic=n_holonomic,
            skyline=self._skyline(),
            rheonomic=rheonomic or depend_on_time(bodies),
            dimension=bodies.dimension,
            tables=model.tables,
            bodies=bodies.names,
            joints=joints,
            drivers=bodies.drivers,
            cuts=[link.name for link in tree.cuts],
            loads=bodies.load_names,
            angles=bodies.angles,
            observed=np.array([self._observed(record, n_b) for record in joints], np.int64).reshape(-1, 4),
        )

    def _loads(self) -> list[Load]:
        forces: dict[str, Any] = dict(self.model.forces)
        for name, force in forces.items():
            for key, law in force.laws():
                self._check(f"forces.{name}.{key}", [law], self._cut_names() | force.LOCAL)
        loads: list[Load] = self.bodies.loads()
        return loads

    def _cut_names(self) -> set[str]:
        """The angles and displacements of cut joints, which laws of forces may read."""
        joints: dict[str, Any] = dict(self.model.joints)
        names = [f"{link.name}.{x}" for link in self.tree.cuts for x in joints[link.name].driven(self.bodies.dimension)]
        return {*names, *(f"der({name})" for name in names)}

    def _check(self, path: str, expressions: Sequence[Any], further: Collection[str] = ()) -> None:
        """Refuse names of states that the tree turned out not to have."""
        known = {*further, "t", *self.model.parameters, *self.tree.coordinates, *self.tree.speeds}
        for name in sorted({name for e in expressions for name in e.names} - known):
            self.bodies.refuse(path, f"{name} is no coordinate of this tree; it has: {', '.join(self.tree.coordinates)}")

    def _cut(self, link: Link) -> JointRecord:
        return self._record(link, self.bodies.joint_rows(link.name, self.model.joints[link.name]))

    def _record(self, link: Link, rows: slice) -> JointRecord:
        n_b = len(self.bodies.names)
        axes = self.bodies.rotations[link.j].T @ link.frames[1].T
        i, j = (-1 if b == n_b else b for b in (link.i, link.j))
        return JointRecord(link.name, rows, i, j, link.points[0], link.points[1], axes)

    def _observed(self, record: JointRecord, n_b: int) -> list[int]:
        """[last node, body the reaction is taken on, sign, nodes] of a tree's joint, [-1, first row, rows, side] of a cut one."""
        taken = record.second if record.second >= 0 else record.first
        if record.name not in self.tree.nodes:
            return [-1, record.rows.start, record.rows.stop - record.rows.start, int(record.second >= 0)]
        node = self.tree.nodes[record.name]
        row = self.tree.table[node]
        floating = self.links[record.name].floating
        return [node, taken, 0 if floating else 1 if row[columns.BODY] == taken else -1, int(row[columns.NODES])]

    def _driver(self, name: str, driver: Any) -> None:
        """Of a coordinate or speed of the tree a row by itself; everything else as in absolute coordinates."""
        bodies, tree = self.bodies, self.tree
        (key, law), *_ = driver.laws()
        joint = driver.joint
        if driver.coordinate in (*tree.coordinates, *tree.speeds):
            at = tree.coordinates.index(driver.coordinate) if driver.coordinate in tree.coordinates else None
            state = driver.coordinate if at is None else f"der({driver.coordinate})"
            speed = tree.speeds.index(state)
            drive_tree(bodies, name, (at, speed), tree.speed_units[speed], law, state.removeprefix("der(").partition(".")[0])
        elif joint is None or joint in {link.name for link in tree.cuts}:
            drive(bodies, name, driver)
        else:
            coordinate = driver.coordinate if key in ("speed", "value") else key
            link = self.links[joint]
            own = [] if link.floating and key not in ("speed", "value") else [n for n in tree.coordinates if n.startswith(f"{joint}.")]
            names = [n.partition(".")[2] for n in own if f"der({n})" in tree.speeds]
            if coordinate is None and len(names) == 1:
                coordinate = names[0]
            block: Any = self.model.joints[joint]
            further = [x for x in block.driven(bodies.dimension) if x not in names]
            if coordinate in further:  # a screw's displacement
                drive(bodies, name, driver)
                return
            if coordinate not in names:
                refuse(bodies, f"drivers.{name}.{key}", block.type, coordinate, [*names, *further])
            state = f"{joint}.{coordinate}"
            at, speed = tree.coordinates.index(state), tree.speeds.index(f"der({state})")
            drive_tree(bodies, name, (None if key == "speed" else at, speed), tree.speed_units[speed], law, joint)

    def _arrays(self, loads: Sequence[Any]) -> Arrays:
        bodies = self.bodies
        arrays: Arrays = bodies.system_arrays(loads)
        n_b, tree = len(bodies.names), self.tree
        row_bodies = arrays.row_bodies.copy()
        for kind, row, *_ in self.bodies.table:
            if kind == COORDINATE:
                row_bodies[row] = -1
        per = 3 if self.planar else 6
        laden = bodies.laws.extended or any(acts_on("loads", load.kind) == "bodies" for load in loads)  # efforts need no poses
        return arrays._replace(
            row_bodies=row_bodies,
            tree=tree.table,
            tree_data=tree.data,
            tree_work=np.zeros((len(tree.table), columns.WORK)),
            wrenches=np.zeros(per * n_b if laden else 0),
        )

    def _skyline(self) -> np.ndarray:
        """First column of each row of M: the first speed of the branch that begins at the ground."""
        first: list[int] = []
        out = np.zeros(len(self.tree.speeds), np.int64)
        for row in self.tree.table:
            first.append(first[row[columns.PARENT]] if row[columns.PARENT] >= 0 else int(row[columns.V]))
        ends = [*self.tree.table[1:, columns.V], len(out)]
        for k, row in enumerate(self.tree.table):
            out[row[columns.V] : ends[k]] = first[k]
        return out

    # the start

    def start(self, system: System, made: Any) -> Any:
        """Assemble from the pose that the file draws, `initial` and `fix`; `made` is the class of what is returned."""
        model, tree = self.model, self.tree
        q, v = tree.q.copy(), np.zeros(system.n_v)
        fixed_q, fixed_v = np.zeros(system.n_v, bool), np.zeros(system.n_v, bool)
        self._body_velocities(v)
        for name, value in model.initial.values.items():
            if name in tree.coordinates:
                q[tree.coordinates.index(name)] = value
            elif name in tree.speeds:
                v[tree.speeds.index(name)] = value
            else:
                self._refuse_state(f"initial.{name}", name)
        for k, name in enumerate(model.initial.fix):
            if name in tree.speeds:
                fixed_v[tree.speeds.index(name)] = True
            elif name in tree.coordinates:
                fixed_q[self._moved_by(tree.coordinates.index(name))] = True
            else:
                self._refuse_state(f"initial.fix.{k}", name)
        q = system.move(q, np.zeros(system.n_v))  # quaternions to unit length
        start = model.simulation.start
        found_q = assemble_position(system, start, q, fixed_q) if system.n_holonomic else q
        self.bodies.check_branches(system, start, found_q)
        found_v = assemble_velocity(system, start, found_q, v, fixed_v) if system.n_rows else v
        return made(system, start, found_q, found_v, change(q, found_q, v, found_v), model.text, model.parameters, model.simulation)

    def _refuse_state(self, path: str, name: str) -> None:
        self.bodies.refuse(path, f"{name} is no coordinate or speed of this tree; it has: {', '.join(self.tree.coordinates)}")

    def _moved_by(self, coordinate: int) -> slice:
        """The speeds that move a coordinate; of a quaternion all three."""
        for row in self.tree.table:
            kind, q, v = row[columns.KIND], row[columns.Q], row[columns.V]
            if kind == BALL and q <= coordinate < q + 4:
                return slice(v, v + 3)
            if kind == FREE and q <= coordinate < q + 7:
                return slice(v + coordinate - q, v + coordinate - q + 1) if coordinate < q + 3 else slice(v + 3, v + 6)
        speed = self.tree.speeds.index(f"der({self.tree.coordinates[coordinate]})")
        return slice(speed, speed + 1)

    def _body_velocities(self, v: Floats) -> None:
        """The velocities that floating bodies are given in `bodies`; other bodies' follow from their joints."""
        for b, (name, body) in enumerate(self.model.bodies.items()):
            if body.velocity is None and body.angular_velocity is None:
                continue
            row = self.tree.table[self.tree.table[b, columns.NODE_OF]]
            link = self.tree.order[row[columns.JOINT]]
            if not link.floating:
                message = f"in joint coordinates the velocity of {name} follows from joint {link.name}; give that one's speeds in initial"
                self.bodies.refuse(f"bodies.{name}.{'velocity' if body.velocity is not None else 'angular_velocity'}", message)
            first = int(row[columns.V]) - (2 if self.planar else 0)
            v[first : first + self.bodies.dimension] = body.velocity or [0.0] * self.bodies.dimension
            omega = np.array(body.angular_velocity or [0.0] * 3)
            if self.planar:
                v[first + 2] = omega[2]
            else:
                v[first + 3 : first + 6] = matrices(np.array(body.quaternion)).T @ omega
