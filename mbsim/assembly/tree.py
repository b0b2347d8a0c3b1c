"""Joint coordinates: those of a tree of joints; joints that close loops are cut and kept by rows."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from mbsim.assembly.builder import Builder
from mbsim.assembly.drivers import check_branches, drive, drive_tree, refuse_coordinate
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.assembly.relative import RelativeCoordinates
from mbsim.assembly.rows import equations
from mbsim.assembly.start import Given
from mbsim.contracts import Arrays
from mbsim.elements.kinds import COORDINATE, EFFORT, acts_on
from mbsim.forces._table import Load
from mbsim.kernels import tree_columns as columns
from mbsim.kernels.primitives import BALL, FREE
from mbsim.kernels.rotations import matrices
from mbsim.model.catalogue import place_names
from mbsim.model.drivers import Driver
from mbsim.model.expressions.expression import Expression
from mbsim.model.file.errors import ModelError
from mbsim.model.lockable import lockable
from mbsim.model.names import GROUND
from mbsim.system.arrays import zeros
from mbsim.system.system import Floats, JointRecord, System
from mbsim.system.trees import Link, Tree, build


class TreeCoordinates:
    """See mbsim.assembly.builder.Coordinates."""

    def __init__(self, reference: ReferenceConfiguration) -> None:
        """Raises ModelError where a floating body and a joint have one name."""
        self.reference = reference
        self.links = _links(reference)
        self.tree: Tree = build(reference.names, _inertias(reference), list(self.links.values()), reference.planar)
        for link in self.tree.order:
            if link is not self.links.get(link.name, link):
                message = f"the body {link.name} floats and its coordinates would have the name of this joint"
                raise ModelError([reference.model.problem(f"joints.{link.name}", message)])
        if turning := [link.name for link in self.tree.cuts if link.rotor]:
            message = f"the joint {turning[0]} is cut, because it closes a loop; cut another one of the loop: `cut: true`"
            if turning[0] in lockable(reference.model):
                message = f"the joint {turning[0]} comes and goes, so it is none of the tree that rotors turn with"
            raise ModelError([reference.model.problem(f"joints.{turning[0]}.rotor_inertia", message)])
        tree = self.tree
        self.names, self.units, self.q = tree.coordinates, tree.coordinate_units, tree.q
        self.speeds, self.speed_units = tree.speeds, tree.speed_units
        kinds = tree.table[:, [columns.KIND, columns.Q, columns.V]].tolist()
        self.quaternions: list[tuple[int, int, int]] | None = [(kind, q, v) for kind, q, v in kinds if kind in (BALL, FREE)]
        self.skyline = _skyline(tree)
        self.cuts = [link.name for link in tree.cuts]
        self.by_rows = self.cuts

    # joints' coordinates

    def free_coordinates(self, joint: str) -> list[str]:
        if joint in self.cuts:
            return self.reference.joints[joint].driven(self.reference.dimension)
        names = self._moving(joint)
        own = [name for name in self.names if name.startswith(f"{joint}.")]
        return names if len(names) == len(own) else []  # those of a quaternion are no coordinates to load

    def relative_coordinate(self, relative: RelativeCoordinates, joint: str, coordinate: str | None) -> int:
        """The coordinate of a joint of the tree; of one that is cut, a relative coordinate between its bodies."""
        if joint in self.cuts:
            return relative.of_joint(joint, coordinate)
        q, v = self._state(joint, coordinate)
        return relative.of_state(self.names[q], q, v)

    def effort(self, relative: RelativeCoordinates, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        if joint in self.cuts:
            return relative.effort(joint, coordinate, law, constants)
        ground, (_, speed) = self.reference.ground, self._state(joint, coordinate)
        return Load(EFFORT, ground, ground, law, [float(speed), 0.0, 0.0, *constants, 0.0, 0.0, 0.0])

    def _moving(self, joint: str) -> list[str]:
        """A joint's coordinates whose rates are speeds, without the joint's name."""
        own = [name for name in self.names if name.startswith(f"{joint}.")]
        return [name.partition(".")[2] for name in own if f"der({name})" in self.speeds]

    def _state(self, joint: str, coordinate: str | None) -> tuple[int, int]:
        """Places in q and v of a coordinate (None: the only one). Raises ValueError where the joint has none of that name."""
        names = self.free_coordinates(joint)
        if coordinate is None and len(names) == 1:
            coordinate = names[0]
        if coordinate not in names:
            found = f"; give `coordinate`: {', '.join(names)}" if names else ""
            raise ValueError(f"joint {joint} has {'no coordinate of that name' if coordinate else 'not one single coordinate'}{found}")
        return self._places(f"{joint}.{coordinate}")

    def _places(self, name: str) -> tuple[int, int]:
        """Places of a coordinate in q, and of its rate in v."""
        return self.names.index(name), self.speeds.index(f"der({name})")

    # rows

    def drive(self, builder: Builder, name: str, driver: Driver) -> None:
        """Add a row of its own for a coordinate or speed of the tree; drive everything else as in absolute coordinates."""
        (_, law), *_ = driver.laws()
        joint = driver.joint
        if driver.coordinate in self.names:
            at, speed = self._places(driver.coordinate)
            drive_tree(builder, name, (at, speed), self.speed_units[speed], law, driver.coordinate.partition(".")[0])
        elif driver.coordinate in self.speeds:
            speed = self.speeds.index(driver.coordinate)
            owner = driver.coordinate.removeprefix("der(").partition(".")[0]
            drive_tree(builder, name, (None, speed), self.speed_units[speed], law, owner)
        elif joint is None or joint in self.cuts:
            drive(builder, name, driver)
        else:
            self._drive_joint(builder, name, driver, joint)

    def _drive_joint(self, builder: Builder, name: str, driver: Driver, joint: str) -> None:
        """A coordinate of a joint of the tree."""
        key, law = driver.laws()[0]
        of_coordinate = key in ("speed", "value")
        coordinate = driver.coordinate if of_coordinate else key
        block = self.reference.joints[joint]
        names = [] if block.FLOATING and not of_coordinate else self._moving(joint)
        if coordinate is None and len(names) == 1:
            coordinate = names[0]
        further = [x for x in block.driven(self.reference.dimension) if x not in names]
        if coordinate in further:  # a screw's displacement
            drive(builder, name, driver)
            return
        if coordinate not in names:
            refuse_coordinate(builder, f"drivers.{name}.{key}", block.type, coordinate, [*names, *further])
        at, speed = self._places(f"{joint}.{coordinate}")
        drive_tree(builder, name, (None if key == "speed" else at, speed), self.speed_units[speed], law, joint)

    def check(self, builder: Builder) -> None:
        """Raise ModelError where laws of forces or equations name a state that the tree turned out not to have."""
        dimension = self.reference.dimension
        of_cuts = [f"{joint}.{x}" for joint in self.cuts for x in self.reference.joints[joint].driven(dimension)]
        measured = {*of_cuts, *(f"der({name})" for name in of_cuts)}  # between the bodies of a cut joint: laws of forces may read them
        model, planar = builder.model, self.reference.planar
        points = {GROUND: tuple(model.ground.points), **{body: tuple(block.points) for body, block in model.bodies.items()}}
        measured |= place_names(points, 2 if planar else 3, True)
        states = model.own_states()
        for name, force in builder.model.acting().items():
            for key, law in force.laws():
                self._check(builder, f"{force.SECTION}.{name}.{key}", law, measured | force.LOCAL | states)
        for name, state in builder.model.states.items():
            key, law = state.law
            self._check(builder, f"states.{name}.{key}", law, measured | states)
        for name, constraint in equations(builder).items():
            self._check(builder, f"constraints.{name}.{constraint.KEY}", constraint.residual(), ())

    def _check(self, builder: Builder, path: str, expression: Expression, further: Collection[str]) -> None:
        known = {*further, "t", *builder.model.parameters, *self.names, *self.speeds}
        for name in sorted(set(expression.names) - known):
            builder.refuse(path, f"{name} is no coordinate of this tree; it has: {', '.join(self.names)}")

    # what kernels and observers are told

    def complete(self, builder: Builder, arrays: Arrays) -> Arrays:
        tree, reference = self.tree, self.reference
        row_bodies = arrays.row_bodies.copy()
        for element in builder.rows.elements:
            if element.kind == COORDINATE:
                row_bodies[element.row] = -1
        laden = builder.laws.extended or any(
            acts_on("loads", load.kind) == "bodies" for load in builder.loads.lines
        )  # efforts need no poses
        work = zeros(n_nodes=len(tree.table), b=3 if reference.planar else 6, n_laden=reference.ground if laden else 0)
        return arrays._replace(
            row_bodies=row_bodies, tree=tree.table, tree_data=tree.data, tree_work=work.tree_work, wrenches=work.wrenches
        )

    def observed(self, joints: Sequence[JointRecord]) -> NDArray[np.int64] | None:
        """Return the table by which reactions are observed, a line for each joint.

        Of a joint of the tree: its last node, the body whose reaction is observed, the sign, the number of nodes. Of a cut joint: -1, its
        first row, the number of rows, the side.
        """
        return np.array([self._observed(record) for record in joints], np.int64).reshape(-1, 4)

    def _observed(self, record: JointRecord) -> list[int]:
        taken = record.second if record.second >= 0 else record.first
        if record.name not in self.tree.nodes:
            return [-1, record.rows.start, record.rows.stop - record.rows.start, int(record.second >= 0)]
        node = self.tree.nodes[record.name]
        row = self.tree.table[node]
        floating = self.links[record.name].floating
        return [node, taken, 0 if floating else 1 if row[columns.BODY] == taken else -1, int(row[columns.NODES])]

    # the start

    def given(self, builder: Builder, system: System) -> Given:
        """The reference configuration, and what `initial` and `fix` say."""
        initial = builder.model.initial
        q, v = self.q.copy(), np.zeros(system.n_v)
        fixed_q, fixed_v, held_q, held_v = (np.zeros(system.n_v, bool) for _ in range(4))
        self._body_velocities(builder, v, held_v)
        for name, value in initial.values.items():
            if name in self.names:
                q[self.names.index(name)] = value
                held_q[self._moved_by(self.names.index(name))] = True
            elif name in self.speeds:
                v[self.speeds.index(name)] = value
                held_v[self.speeds.index(name)] = True
            else:
                self._refuse_state(builder, f"initial.{name}", name)
        for k, name in enumerate(initial.fix):
            if name in self.speeds:
                fixed_v[self.speeds.index(name)] = True
            elif name in self.names:
                fixed_q[self._moved_by(self.names.index(name))] = True
            else:
                self._refuse_state(builder, f"initial.fix.{k}", name)
        system.functions.move(system.arrays, q, np.zeros(system.n_v))  # quaternions to unit length
        t = builder.model.simulation.start
        held_q, held_v = held_q | fixed_q, held_v | fixed_v
        return Given(t, q, lambda _: v, fixed_q, fixed_v, held_q, held_v, lambda found: check_branches(builder, system, t, found))

    def _refuse_state(self, builder: Builder, path: str, name: str) -> None:
        joint = name.removeprefix("der(").partition(".")[0]
        why = f" ({joint} comes and goes, and is none of its joints)" if joint in lockable(builder.model) else ""
        builder.refuse(path, f"{name} is no coordinate or speed of this tree{why}; it has: {', '.join(self.names)}")

    def _moved_by(self, coordinate: int) -> slice:
        """The speeds that move a coordinate; of a quaternion all three."""
        for kind, q, v in self.quaternions or ():
            if kind == BALL and q <= coordinate < q + 4:
                return slice(v, v + 3)
            if kind == FREE and q <= coordinate < q + 7:
                return slice(v + coordinate - q, v + coordinate - q + 1) if coordinate < q + 3 else slice(v + 3, v + 6)
        speed = self.speeds.index(f"der({self.names[coordinate]})")
        return slice(speed, speed + 1)

    def _body_velocities(self, builder: Builder, v: Floats, named: NDArray[np.bool_]) -> None:
        """Write into v (n_v,) the velocities that floating bodies are given in `bodies`, and into `named` (n_v,) which these are.

        Raises ModelError for bodies that joints carry.
        """
        planar, dimension = self.reference.planar, self.reference.dimension
        for b, (name, body) in enumerate(builder.model.bodies.items()):
            if body.velocity is None and body.angular_velocity is None:
                continue
            row = self.tree.table[self.tree.table[b, columns.NODE_OF]]
            link = self.tree.order[row[columns.JOINT]]
            if not link.floating:
                message = f"in joint coordinates the velocity of {name} follows from joint {link.name}; give that one's speeds in initial"
                builder.refuse(f"bodies.{name}.{'velocity' if body.velocity is not None else 'angular_velocity'}", message)
            first = int(row[columns.V]) - (2 if planar else 0)
            v[first : first + dimension] = body.velocity or [0.0] * dimension
            named[first : first + dimension] = body.velocity is not None
            named[first + dimension : first + (3 if planar else 6)] = body.angular_velocity is not None
            omega = np.array(body.angular_velocity or [0.0] * 3)
            if planar:
                v[first + 2] = omega[2]
            else:
                v[first + 3 : first + 6] = matrices(np.array(body.quaternion)).T @ omega


def _links(reference: ReferenceConfiguration) -> dict[str, Link]:
    """The joints as edges between bodies."""
    dimension = reference.dimension
    coming = lockable(reference.model)
    coupled = {joint for coupling in reference.model.couplings.values() for joint in coupling.joints}
    found = {}
    for name, joint in reference.joints.items():
        (i, s_i), (j, s_j) = reference.joint_points(joint)
        a, b = (np.array(frame, float) for frame in joint.frames(dimension))
        motions = joint.MOTIONS.get(dimension)
        found[name] = Link(
            name,
            i,
            j,
            motions or [],
            points=(np.array(s_i), np.array(s_j)),
            frames=(a, b),
            pitch=joint.advance(),
            rotor=joint.rotor(),
            cut=joint.cut or motions is None or name in coming,  # without motions it can only be kept by its rows
            floating=joint.FLOATING,
            coupled=name in coupled,
        )
    return found


def _inertias(reference: ReferenceConfiguration) -> list[tuple[float, Floats, Floats, Floats]]:
    """Mass (kg) of each body, inertia (3, 3) in body axes (kg m^2), position (3,) and attitude (3, 3)."""
    given = []
    for k, body in enumerate(reference.model.bodies.values()):
        inertia = np.array(body.inertia_matrix)
        if reference.planar:  # only turns about the normal occur; any other moments do, but they must not be zero for those who invert
            inertia = inertia[2, 2] * np.eye(3)
        given.append((body.mass, inertia, reference.positions[k], reference.rotations[k]))
    return given


def _skyline(tree: Tree) -> NDArray[np.int64]:
    """First column of each row of M: the first speed of the branch that begins at the ground."""
    first: list[int] = []
    out = np.zeros(len(tree.speeds), np.int64)
    for row in tree.table:
        first.append(first[row[columns.PARENT]] if row[columns.PARENT] >= 0 else int(row[columns.V]))
    ends = [*tree.table[1:, columns.V], len(out)]
    for k, row in enumerate(tree.table):
        out[row[columns.V] : ends[k]] = first[k]
    return out
