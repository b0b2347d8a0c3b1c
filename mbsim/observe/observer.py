"""From output rows [q; v; v_dot; lam; work] to what is recorded: energies, residuals, joint reactions, body poses.

`mbsim.system.observe` runs compiled over a chunk of rows; turning generalised reactions into forces and torques at the joints
is plain numpy.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.redundancy import Redundancy, idle_multipliers
from mbsim.kernels import frame_columns as frame
from mbsim.kernels import observed_columns as columns
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.model.recorded import REACTIONS
from mbsim.observe.force_elements import beams_of, forces_of
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbsim.contracts import Work
    from mbsim.observe.applied import AppliedForces
    from mbsim.observe.beams import Beams
    from mbsim.observe.forces import Forces
    from mbsim.observe.measures import Measures


MOST_KNOWN = 16  # systems whose forces are known; those go that were left first
GENERALISED = "generalised reactions"  # of joints, under which rows in lanes tell them


class ContactForces(Protocol):
    """Forces of contacts that are neither rows nor loads of the system: of steps through them."""

    def multipliers(self, times: Floats, lam: Floats, whole: System) -> Floats:
        """Multipliers (k, m) of the whole system with those of contacts."""

    def acting(self, t: float) -> AbstractContextManager[None]:
        """Meanwhile they act as loads, as in the output row at t."""


def joint_table(system: System) -> np.ndarray:
    """The table of joints of the kernel `observe` (`mbsim.kernels.observed_columns`)."""
    if system.observed is not None:
        return system.observed
    b = 3 if system.dimension == 2 else 6
    rows = [(j.rows.start, j.rows.stop - j.rows.start, b if j.second >= 0 else 0, b) for j in system.joints]
    return np.array(rows, np.int64).reshape(-1, 4)


class _Known(NamedTuple):
    """What is known of a system whose rows are looked at."""

    system: System
    work: "Work"
    table: np.ndarray  # of `joint_table`
    joints: "_Joints"
    forces: "Forces | AppliedForces | None"
    beams: "Beams | None"
    rows: list[int] | None  # places of its rows among those of the whole, where these are not the same


class Observer:
    """Turns chunks of output rows into the variables of `mbsim.results` and the measures; remembers the energy at the start."""

    def __init__(self, system: System, work: "Work", measures: "Measures | None" = None, whole: System | None = None) -> None:
        """`whole`: the system whose rows and drivers the variables have; those that `system` lacks are zero."""
        self.whole = whole or system
        self._measures, self._turns = measures, dict[str, tuple[float, float, float]]()
        self._observe: Any = import_module(f"mbsim.system.observe{'_trees' * system.in_joint_coordinates}").observe  # compiles
        self._forces: Forces | AppliedForces | None = None
        self._known: dict[int, _Known] = {}  # of the last systems
        self._begun = system, work, measures
        self.go_on(system, work)
        self.mass_pivots: Floats = np.ones(0)  # (k,) of M at the rows of the last chunk: `columns.MASS_PIVOT`
        self._start_energy: float | None = None
        self._last_orientation: Floats | None = None

    def go_on(self, system: System, work: "Work") -> None:
        """From the next chunk on, rows are those of another system, which differs in its rows of C alone."""
        known = self._known.pop(id(system), None)
        if known is None or known.system is not system or known.work is not work:
            rows: list[int] | None = None
            if system.n_rows < self.whole.n_rows:
                wide = {name: k for k, name in enumerate(self.whole.rows)}
                rows = [wide[name] for name in system.rows]
            forces = forces_of(system, work, self._forces)
            known = _Known(system, work, joint_table(system), _joints(system), forces, beams_of(system), rows)
        self._known[id(system)] = known
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self.system, self._work, self._table, self._joints, self._forces, self._beams, self._rows = known
        self.contacts: ContactForces | None = None

    def begin(self) -> None:
        """Be as before the first chunk."""
        system, work, self._measures = self._begun
        self.go_on(system, work)
        self._start_energy = self._last_orientation = None
        self._turns.clear()

    def restart(self, system: System) -> None:
        """Begin with another run, of a system whose arrays are the same ones with other numbers in them."""
        self.system, self._joints, self._beams = system, _joints(system), beams_of(system)
        self._start_energy = self._last_orientation = None
        self._turns.clear()

    def switch(self, parameters: "Mapping[str, float]") -> None:
        """From the next chunk on, parameters that measures read have other values."""
        if self._measures is not None:
            self._measures = self._measures.with_parameters(parameters)

    def use(self, parameters: Floats) -> None:
        """From the next chunk on, parameters that measures read are the first of these (`Arrays.parameters`)."""
        if self._measures is not None:
            self._measures = self._measures.with_values(parameters)

    @property
    def work(self) -> "Work":
        """The work arrays with which it looks at rows."""
        return self._work

    def chunk(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """Variables by name; times (k,), rows (k, n_q + 2 n_v + m + 1)."""
        return self.finished(self.begun(times, rows))

    def begun(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """Of the variables of `chunk` those that need what the system is now; `finished` makes all of them."""
        system, n_q, n = self.system, self.system.n_q, self.system.n_v
        out = self._observed(times, rows)
        q, v, lam = rows[:, : system.n_c], rows[:, n_q : n_q + n], self._multipliers(rows[:, n_q + 2 * n : -1])
        if self.contacts is not None:
            lam = self.contacts.multipliers(times, lam, self.whole)
        self.mass_pivots = out[:, columns.MASS_PIVOT]
        variables = {
            "time": times, "q": q, "states": rows[:, system.n_c : n_q], "v": v,
            "acceleration": rows[:, n_q + n : n_q + 2 * n], "multiplier": lam, **self._energies(rows, out),
            "driver_effort": lam[:, [d.row for d in self.whole.drivers]],
        }  # fmt: skip
        if system.bodies:
            pose = self._poses(rows, out)
            variables |= pose
            variables |= self._reactions(pose, out)
        if self._forces is not None:
            variables |= self._forces.begun(times, rows, variables)
        if self._beams is not None:
            variables |= self._beams.chunk(variables, q.reshape(len(q), -1, 3)[..., 2] if system.dimension == 2 else None)
        return variables

    def finished(self, variables: dict[str, Floats]) -> dict[str, Floats]:
        """All variables of rows that follow each other, of one system or of several, of which `begun` gave those that it gives."""
        if self._forces is not None:
            variables = self._forces.finished(variables)
        if self._measures is not None:
            variables |= self._measures.chunk(variables, self._turns)
        return variables

    def energies(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """Of the variables of `chunk` the energies and residuals alone."""
        return self._energies(rows, self._observed(times, rows))

    def _energies(self, rows: Floats, out: Floats) -> dict[str, Floats]:
        work = rows[:, -1] if self.system.has_energy else np.full(len(rows), np.nan)
        if self._start_energy is None:  # the work is none yet, but for that of an impact or another event at the start
            self._start_energy = float(out[0, columns.BALANCE] - work[0])
        return {
            "energy_kinetic": out[:, columns.KINETIC], "energy_potential": out[:, columns.POTENTIAL], "energy_work": work,
            "energy_balance": out[:, columns.BALANCE] - work - self._start_energy,
            "residual_position": out[:, columns.POSITION_RESIDUAL], "residual_velocity": out[:, columns.VELOCITY_RESIDUAL],
            "residual_acceleration": out[:, columns.ACCELERATION_RESIDUAL],
        }  # fmt: skip

    def forces(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """Of the variables of `chunk` the forces of joints alone, where there are bodies in absolute coordinates."""
        d, out = 2 if self.system.dimension == 2 else 3, self._observed(times, rows)
        found = out[:, columns.REACTIONS : self._end].reshape(len(out), -1, columns.REACTION)[..., :d]
        forces = np.zeros((*found.shape[:2], 3))
        forces[..., :d] = np.where(self._joints.on_ground, -1.0, 1.0)[:, None] * found
        return {REACTIONS[0]: forces}

    def reactions(self, times: Floats, rows: Floats, generalised: Floats | None = None) -> dict[str, Floats]:
        """Of the variables of `chunk` the reactions of joints alone, where there are bodies.

        `generalised` (k, n_joints, 3 or 6): those that are known, in absolute coordinates.
        """
        if generalised is not None:
            q, v = rows[:, : self.system.n_c], rows[:, self.system.n_q : self.system.n_q + self.system.n_v]
            pose = {name: POSES[name](self.system.dimension, q, v) for name in ("body_position", "body_orientation")}
            return reactions(self.system, pose, generalised, self._joints)
        out = self._observed(times, rows)
        return self._reactions(self._poses(rows, out), out)

    def _multipliers(self, lam: Floats) -> Floats:
        """Of all rows (k, m) of the whole system; those that do not hold have none."""
        if self._rows is None:
            return lam
        wide = np.zeros((len(lam), self.whole.n_rows))
        wide[:, self._rows] = lam
        return wide

    def _observed(self, times: Floats, rows: Floats) -> Floats:
        """What the kernel makes of rows: `observed_columns`."""
        system = self.system
        width = self._end + (columns.FRAME * len(system.bodies) if system.in_joint_coordinates else 0)
        out = np.zeros((len(rows), width))
        if self.contacts is None or not system.in_joint_coordinates:
            self._observe(system.functions, system.arrays, self._work, self._table, times, rows, out)
            return out
        for k, t in enumerate(times):  # reactions there are what loads leave, and these are among them
            with self.contacts.acting(float(t)):
                self._observe(system.functions, system.arrays, self._work, self._table, times[k : k + 1], rows[k : k + 1], out[k : k + 1])
        return out

    @property
    def _end(self) -> int:
        """Of the reactions in what the kernel makes."""
        return columns.REACTIONS + columns.REACTION * len(self.system.joints)

    def _poses(self, rows: Floats, out: Floats) -> dict[str, Floats]:
        system = self.system
        if system.in_joint_coordinates:
            return self._placed(out[:, self._end :])
        return poses(system, rows[:, : system.n_c], rows[:, system.n_q : system.n_q + system.n_v])

    def _reactions(self, pose: dict[str, Floats], out: Floats) -> dict[str, Floats]:
        return reactions(self.system, pose, out[:, columns.REACTIONS : self._end].reshape(len(out), -1, columns.REACTION), self._joints)

    def unique_reactions(self, t: float, q: Floats, found: Redundancy) -> NDArray[np.bool_]:
        """Whether the reaction of each joint (n_joints,) is the same for all multipliers that the equations of motion allow.

        In absolute coordinates the multipliers of a joint's own rows are its reaction. In joint coordinates those of a cut joint reach the
        joints of its loop; there a reaction is unique where no multipliers that leave the motion alone change it.
        """
        system = self.system
        if found.unique.all():
            return np.ones(len(system.joints), bool)
        if not system.in_joint_coordinates:
            shared = np.concatenate([[0], np.cumsum(~found.unique)])  # rows before each that are not unique
            return np.array([shared[joint.rows.start] == shared[joint.rows.stop] for joint in system.joints], bool)
        idle = idle_multipliers(system, t, q).T
        idle /= np.abs(idle).max(axis=1, keepdims=True)
        base = self._reactions_at_rest(t, q, np.zeros((1, system.n_rows)))
        scale = 1.0 + np.abs(base).max(initial=0.0)  # so that the difference is not lost in what loads and gravity do
        change = np.abs(self._reactions_at_rest(t, q, scale * idle) - base).max(axis=2, initial=0.0)  # (k, n_joints)
        affected = change > np.maximum(1e-6 * change.max(axis=1, keepdims=True, initial=0.0), 1e-9 * scale)
        unique: NDArray[np.bool_] = np.logical_not(affected.any(axis=0))
        return unique

    def _reactions_at_rest(self, t: float, q: Floats, lam: Floats) -> Floats:
        """Generalised reactions (k, n_joints, 6) with no velocities and accelerations, for multipliers lam (k, m), in joint coordinates."""
        system = self.system
        rows = np.zeros((len(lam), system.n_q + 2 * system.n_v + system.n_rows + 1))
        rows[:, : system.n_q], rows[:, -1 - system.n_rows : -1] = q, lam
        out = self._observed(np.full(len(lam), t), rows)
        return out[:, columns.REACTIONS : self._end].reshape(len(lam), -1, columns.REACTION)

    def _placed(self, frames: Floats) -> dict[str, Floats]:
        """Poses from rows of `frames`; the sign of a quaternion is the one that makes it continuous."""
        f = frames.reshape(len(frames), -1, columns.FRAME)
        if self.system.dimension == 2:
            q = f[..., [frame.PLANE_POSITION, frame.PLANE_POSITION + 1, frame.PLANE_ANGLE]]
            v = f[..., [frame.PLANE_VELOCITY, frame.PLANE_VELOCITY + 1, frame.PLANE_SPIN]]
            return poses(self.system, q.reshape(len(f), -1), v.reshape(len(f), -1))
        A = f[..., frame.SPACE_ATTITUDE : frame.SPACE_ATTITUDE + 9].reshape(*f.shape[:2], 3, 3)
        orientation = quaternions(A)
        before = self._last_orientation if self._last_orientation is not None else orientation[0]
        turns = np.sign(np.einsum("tbi,tbi->tb", orientation, np.concatenate([before[None], orientation[:-1]])))
        orientation *= np.cumprod(np.where(turns < 0, -1.0, 1.0), axis=0)[..., None]
        self._last_orientation = orientation[-1]
        omega = np.einsum("tbij,tbj->tbi", A, f[..., frame.SPACE_SPIN : frame.SPACE_SPIN + 3])
        return {
            "body_position": f[..., frame.SPACE_POSITION : frame.SPACE_POSITION + 3], "body_orientation": orientation,
            "body_velocity": f[..., frame.SPACE_VELOCITY : frame.SPACE_VELOCITY + 3], "body_angular_velocity": omega,
        }  # fmt: skip


def poses(system: System, q: Floats, v: Floats) -> dict[str, Floats]:
    """Poses and velocities of the bodies at rows of q and v, in absolute coordinates."""
    return {name: of(system.dimension, q, v) for name, of in POSES.items()}


def _bodies_of(x: Floats, size: int) -> Floats:
    """(k, bodies, size) of coordinates or speeds (k, size bodies)."""
    return x.reshape(len(x), x.shape[1] // size, size)


def _position(dimension: int | None, q: Floats, _: Floats) -> Floats:
    return _in_plane(q) if dimension == 2 else _bodies_of(q, 7)[..., :3]


def _orientation(dimension: int | None, q: Floats, _: Floats) -> Floats:
    if dimension != 2:
        return _bodies_of(q, 7)[..., 3:]
    half = 0.5 * _bodies_of(q, 3)[..., 2]
    out = np.zeros((*half.shape, 4))
    out[..., 0], out[..., 3] = np.cos(half), np.sin(half)
    return out


def _velocity(dimension: int | None, _: Floats, v: Floats) -> Floats:
    return _in_plane(v) if dimension == 2 else _bodies_of(v, 6)[..., :3]


def _angular_velocity(dimension: int | None, q: Floats, v: Floats) -> Floats:
    if dimension != 2:
        return np.asarray(np.einsum("tbij,tbj->tbi", matrices(_orientation(dimension, q, v)), _bodies_of(v, 6)[..., 3:]))
    spin = _bodies_of(v, 3)[..., 2]
    out = np.zeros((*spin.shape, 3))
    out[..., 2] = spin
    return out


def _in_plane(x: Floats) -> Floats:
    """(k, bodies, 3), of which z is zero, of coordinates or speeds (k, 3 bodies)."""
    given = _bodies_of(x, 3)
    out = np.zeros(given.shape)
    out[..., :2] = given[..., :2]
    return out


# The variables of poses, each of bodies in 2 or 3 dimensions at rows of their q and v in absolute coordinates: most outputs need one or two
# of them, and of one body.
POSES: dict[str, Callable[[int | None, Floats, Floats], Floats]] = {
    "body_position": _position,
    "body_orientation": _orientation,
    "body_velocity": _velocity,
    "body_angular_velocity": _angular_velocity,
}


class _Joints(NamedTuple):
    """Where the reactions of a system's joints are found."""

    on_ground: NDArray[np.bool_]  # (n_joints,) the second body is the ground
    taken: NDArray[np.int64]  # (n_joints,) body on which the reaction is taken
    second_point: Floats  # (n_joints, 3, 1)
    second_axes: Floats  # (n_joints, 3, 3)


def _joints(system: System) -> _Joints:
    joints = system.joints
    first, second = np.array([(joint.first, joint.second) for joint in joints], int).reshape(-1, 2).T
    points = np.array([joint.second_point for joint in joints]).reshape(-1, 3, 1)
    axes = np.array([joint.second_axes for joint in joints]).reshape(-1, 3, 3)
    return _Joints(second < 0, np.where(second < 0, first, second), points, axes)


def reactions(system: System, pose: dict[str, Floats], generalised: Floats, joints: _Joints | None = None) -> dict[str, Floats]:
    """Force and torque on the second body of each joint, at the joint's point on it; global, and in the joint's axes carried by it."""
    joints = joints or _joints(system)
    if system.dimension == 2:
        return _planar_reactions(pose, generalised, joints)
    on_ground, taken, second_point, second_axes = joints
    R, centre = matrices(pose["body_orientation"])[:, taken], pose["body_position"][:, taken]
    g = np.where(on_ground, -1.0, 1.0)[:, None] * generalised
    # where the joint's point on the second body is, seen from the centre of mass of the body the reaction was taken on
    arm = np.where(on_ground[:, None], second_point[..., 0] - centre, (R @ second_point)[..., 0])
    force, about_centre = g[..., :3], (R @ g[..., 3:, None])[..., 0]
    torque = about_centre - np.cross(arm, force)
    axes = np.where(on_ground[:, None, None], second_axes, R @ second_axes)
    force_local, torque_local = (np.einsum("teji,tej->tei", axes, x) for x in (force, torque))
    return dict(zip(REACTIONS, (force, torque, force_local, torque_local), strict=True))


def _planar_reactions(pose: dict[str, Floats], generalised: Floats, joints: _Joints) -> dict[str, Floats]:
    """As `reactions`, in the plane: a third of a run's recording was products of matrices that turn about z only."""
    on_ground, taken, second_point, second_axes = joints
    w, z = pose["body_orientation"][:, taken, 0], pose["body_orientation"][:, taken, 3]
    c, s = 1.0 - 2.0 * (z * z), 2.0 * (w * z)
    sign = np.where(on_ground, -1.0, 1.0)
    fx, fy, about_centre = (sign * generalised[..., k] for k in range(3))
    (px, py), centre = second_point[:, :2, 0].T, pose["body_position"]
    arm_x, arm_y = c * px - s * py, s * px + c * py
    arm_x[:, on_ground] = px[on_ground] - centre[:, taken[on_ground], 0]
    arm_y[:, on_ground] = py[on_ground] - centre[:, taken[on_ground], 1]
    force, torque = np.zeros((*fx.shape, 3)), np.zeros((*fx.shape, 3))
    force[..., 0], force[..., 1] = fx, fy
    torque[..., 2] = about_centre - (arm_x * fy - arm_y * fx)
    # in the axes of the body that carries the joint's, which the ground does not turn
    bx, by = c * fx + s * fy, c * fy - s * fx
    bx[:, on_ground], by[:, on_ground] = fx[:, on_ground], fy[:, on_ground]
    force_local = bx[..., None] * second_axes[:, 0] + by[..., None] * second_axes[:, 1]
    torque_local = torque[..., 2:] * second_axes[:, 2]
    return dict(zip(REACTIONS, (force, torque, force_local, torque_local), strict=True))
