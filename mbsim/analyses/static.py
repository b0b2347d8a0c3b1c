"""The equilibrium or the steady motion of a model, and what acts there: reactions, forces, efforts, stability.

Drivers are let go unless they are kept: a driver that is kept holds its coordinate where it has it at the start.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.analyses.begun import with_units_begun
from mbsim.analyses.buckling import buckled
from mbsim.analyses.left_out import left_out
from mbsim.analyses.let_go import rows_kept
from mbsim.analyses.resting import Touching, rest
from mbsim.analyses.resting import facts as touching_facts
from mbsim.assembly import Assembly
from mbsim.assembly.held_speeds import rows_of
from mbsim.diagnosis.equilibrium import Equilibrium, NoEquilibriumError, equilibrium
from mbsim.diagnosis.redundancy import redundancy
from mbsim.diagnosis.turning import Turning, has_bodies_alone, of_speeds
from mbsim.march.blas_threads import one_thread
from mbsim.march.formulation import allocate_for_observer
from mbsim.march.recording import recorder
from mbsim.observe.beams import beam_sizes, section_forces
from mbsim.observe.observer import Observer
from mbsim.results import Result
from mbsim.system.system import Floats, System

TINY = 1e-12  # of the largest component: a smaller one of a force is round-off and is not shown
SHOWN = 6  # coordinates, in a repr
UNFOUND = "; a stable one was looked for on both sides of it and not found"


@dataclass(frozen=True)
class Balance:
    """An equilibrium or a steady motion of a model: coordinates, states, speeds, reactions, forces, efforts and measures by their names."""

    made: Assembly
    found: Equilibrium
    released: list[str]  # drivers that were let go
    steady: Mapping[str, float]  # the speeds given
    holding: frozenset[str] = frozenset()  # drivers that hold those of joints, and that the model does not have
    touching: tuple[Touching, ...] = ()  # stops, contacts and frictions that hold
    said: tuple[str, ...] = ()  # of these

    @property
    def moves(self) -> bool:
        """Whether it is a steady motion."""
        return bool(self.steady) or bool(self.found.v.any())

    @property
    def stable(self) -> bool:
        """Whether no small motion about it grows."""
        return self.found.stable

    @property
    def residual(self) -> float:
        """The largest force that is not balanced, N or N m."""
        return self.found.residual

    @property
    def q(self) -> Floats:
        """(n_q,) coordinates, then states, in the order of `system.coordinates`: a start of `simulate`."""
        return self.found.q

    @property
    def v(self) -> Floats:
        """(n_v,) speeds, in the order of `system.speeds`; zero at rest."""
        return self.found.v

    @property
    def reactions(self) -> dict[str, dict[str, list[float]]]:
        """Of each joint `force` (3,), N, and `torque` (3,), N m, on its second body, in global axes."""
        return dict(self._facts["reactions"])

    @property
    def forces(self) -> dict[str, dict[str, float]]:
        """Of each force its generalised force by speed, N or N m."""
        return dict(self._facts["forces"])

    @property
    def efforts(self) -> dict[str, float]:
        """What the drivers that are kept, and the speeds that are given, need, N or N m."""
        return {**self._facts["driver_efforts"], **self._facts["steady_efforts"]}

    @property
    def measures(self) -> dict[str, float]:
        """The measures of the model."""
        return dict(self._facts["measures"])

    def __getitem__(self, name: str) -> float:
        """A coordinate, a state, a speed or a measure by its name. Raises KeyError, which suggests one."""
        system = self.made.system
        known = dict(zip([*system.coordinates, *system.speeds], [*self.q.tolist(), *self.v.tolist()], strict=True))
        if self.made.measures is not None:
            known |= self.measures
        if name not in known:
            from mbsim.model.file.errors import did_you_mean

            raise KeyError(f"unknown name '{name}'{did_you_mean(name, known)}")
        return float(known[name])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim equilibrium --json`."""
        return dict(self._facts)

    def to_result(self, output: "str | Path | None" = None, force: bool = False) -> Result:
        """A result of one row with all variables of a run, in memory or in a file. Raises OSError."""
        return record(self, output, force)

    def to_yaml(self) -> str:
        """The coordinates as YAML to put into the model file, as `mbsim equilibrium --write`."""
        return initial_block(self)

    @property
    def warning(self) -> str:
        """What is wrong with an answer that is unstable; empty of one that is stable."""
        if self.stable:
            return ""
        what = "steady motion" if self.moves else "equilibrium"
        said = f"this {what} is unstable: the mechanism does not stay in it"
        if self.moves:
            return said
        return said + ("" if self.found.beside is not None else UNFOUND) + (f"; {self.buckling}" if self.buckling else "")

    @cached_property
    def buckling(self) -> str:
        """Which beam buckles where this equilibrium is unstable, and under which part of its loads; empty where none does."""
        if self.stable or self.moves or not beam_sizes(self.made.system):
            return ""
        kept = np.ones(self.made.system.n_rows, bool)
        kept[[driver.row for driver in self.made.system.drivers if driver.name.partition(".")[0] in self.released]] = False
        return buckled(self.made.system, self.made.start, self.found, kept, _observe(self))

    def _beside(self) -> str:
        """The coordinates of the stable equilibrium beside that changed most."""
        assert self.found.beside is not None
        system, there = self.made.system, self.found.beside
        changes = np.abs(there - self.found.q)[: system.n_c]
        most = [k for k in np.argsort(-changes, kind="stable") if changes[k] > 0.1 * changes.max()][:SHOWN]
        return ", ".join(f"{system.coordinates[k]} = {there[k]:.6g}" for k in most)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        return facts(self)

    def __repr__(self) -> str:
        system, what = self.made.system, "steady motion" if self.moves else "equilibrium"
        found = self.found
        shown = [f"{name} = {value:.6g}" for name, value in zip(system.coordinates[:SHOWN], self.q, strict=False)]
        more = f" and {system.n_q - SHOWN} more" if system.n_q > SHOWN else ""
        return "\n".join([
            f"<mbsim {what}: {system.name}>",
            f"  {'stable' if found.stable else 'unstable'}, largest unbalanced force {found.residual:.2g} in {found.where}",
            f"  {', '.join(shown)}{more}",
        ])  # fmt: skip

    def notes(self) -> list[str]:
        """What the user is to know, a sentence each."""
        found, said = self.found, [*self.made.notes, *self.made.warnings]
        if self.released:
            said.append(f"drivers let go: {', '.join(self.released)}")
        if found.turning is not None:
            said += circles(self.made.system, found.turning)
        said += left_out(self.made, found.q, found.v)
        said += [*self.said, *(told for told in (found.relaxed, found.unsure) if told)]
        if found.beside is not None:
            said.append(
                f"the start is all but in this unstable equilibrium; the mechanism leaves it for the stable one at {self._beside()}"
            )
        said += [f"{name} stays only with an effort of {effort:.6g}" for name, effort in found.needed().items()]
        return said


def balance(made: Assembly, keep: Collection[str] = (), steady: Mapping[str, float] | None = None, moving: bool = False) -> Balance:
    """The equilibrium that the start of `made` leads to, or with `steady` (speed -> value) the steady motion.

    Without `steady` the speeds are those of the model's block, where it has one; an empty one asks for rest. `keep` names
    drivers that hold their coordinates; `all` keeps all. Raises NoEquilibriumError, ValueError for names that are unknown and for
    constraints that forbid rest.
    """
    made = with_units_begun(made)
    if made.unilaterals is not None:
        if made.steady if steady is None else steady:
            made.require_bilateral("a steady motion")
        with one_thread():
            resting = rest(made, keep)
        return Balance(resting.made, resting.found, resting.released, {}, touching=resting.touching, said=tuple(resting.notes))
    system, steady = made.system, dict(made.steady if steady is None else steady)
    drivers: Mapping[str, str] = {}
    borne: Mapping[str, str] = {}
    replaced: list[str] = []
    if made.held is not None and not steady.keys() <= {*system.speeds}:  # speeds of joints, which drivers hold
        holder, names = made.held(steady, keep), [driver.name for driver in system.drivers]
        drivers, borne = holder.drivers, holder.borne
        if drivers:
            made = replace(holder.made, notes=made.notes)  # of the redundant rows of the model, without those of the speeds
            system, replaced = made.system, [name for name in drivers.values() if name in names]
    own = {name: value for name, value in steady.items() if name not in drivers and name not in borne}
    kept, released = rows_kept(system, keep, drivers.values())
    released, moving = [*replaced, *released], moving or bool(borne)
    try:
        with one_thread():
            begun = of_speeds(system, made.q, made.v) if moving and has_bodies_alone(system) else None
            found = equilibrium(system, made.start, made.q, kept, own, rows_of(system, drivers), moving, begun)
            found = replace(found, efforts={**dict.fromkeys(borne, 0.0), **found.efforts})  # their drivers' are among those of drivers
        return Balance(made, found, released, steady, frozenset(drivers.values()))
    except NoEquilibriumError as error:
        if released:  # a mechanism that only its drivers hold falls
            error.args = (f"{error}; drivers let go: {', '.join(released)} (--keep all keeps them)",)
        raise


def circles(system: System, turning: Turning) -> list[str]:
    """Which bodies of a steady motion go on circles, a sentence for each axis."""
    said = []
    for bodies in turning.groups():
        names = [system.bodies[b] for b in bodies]
        told = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        said.append(f"{told} {turning.told(bodies)}")
    return said


def facts(at: Balance) -> dict[str, Any]:
    """The equilibrium as plain data; the keys of `mbsim equilibrium --json`. Forces and torques global, on the second body of a joint."""
    system, found = at.made.system, at.found
    n_c = system.n_c
    touching = {name for one in at.made.unilaterals.each for name in (one.name, one.normal, one.tangent)} if at.made.unilaterals else set()
    seen, let_go = _observe(at), {*at.released, *at.holding, *touching}
    reactions = {
        joint.name: {"force": seen["joint_force"][0, k].tolist(), "torque": seen["joint_torque"][0, k].tolist()}
        for k, joint in enumerate(system.joints)
    }
    return {
        "q": dict(zip(system.coordinates[:n_c], found.q[:n_c].tolist(), strict=True)),
        "states": dict(zip(system.states, found.q[n_c:].tolist(), strict=True)),
        "v": dict(zip(system.speeds, found.v.tolist(), strict=True)) if at.moves else {},
        "residual": found.residual,
        "residual_at": found.where,
        "stable": found.stable,
        "growing": found.growing,
        "warnings": [at.warning] if at.warning else [],
        "reactions": reactions,
        **({"contacts": touching_facts(at.touching)} if at.made.unilaterals is not None else {}),
        "beams": section_forces(system, seen),
        "forces": {name: x for name, x in forces(system, at.made.start, found.q, found.v).items() if name not in touching},
        "driver_efforts": {d.name: float(found.lam[d.row]) for d in system.drivers if d.name.partition(".")[0] not in let_go},
        "steady_efforts": found.efforts,
        "measures": {name: float(seen[name][0]) for name in (at.made.measures.series if at.made.measures is not None else {})},
        "steps": found.steps,
        "time": at.made.start,
        "notes": at.notes(),
    }


def forces(system: System, t: float, q: Floats, v: Floats) -> dict[str, dict[str, float]]:
    """Of each force by name its generalised force (N, N m) by speed; none where the user's own equations hold them."""
    if not system.loads:
        return {}
    arrays, loads = system.arrays, np.array(system.loads)
    C, xi = np.zeros((system.n_rows, system.n_v)), np.zeros(system.n_rows)

    def applied(chosen: np.ndarray) -> Floats:
        part = arrays._replace(loads=np.ascontiguousarray(arrays.loads[chosen]), load_data=np.ascontiguousarray(arrays.load_data[chosen]))
        h, M = np.zeros(system.n_v), np.zeros((system.n_v, system.n_v))
        system.functions.constraints(part, t, q, C, xi)
        system.functions.dynamics(part, t, q, v, M, h, np.zeros(system.n_rows), np.zeros(1))
        return h

    bare, found = applied(np.zeros(len(loads), bool)), {}
    for name in dict.fromkeys(system.loads):
        h = applied(loads == name) - bare
        largest = float(np.abs(h).max(initial=0.0))
        found[name] = {s: float(x) for s, x in zip(system.speeds, h, strict=True) if abs(x) > TINY * largest}
    return found


def record(at: Balance, output: "str | Path | None" = None, force: bool = False) -> Result:
    """The equilibrium as a result of one row, with all variables of a run. Raises OSError."""
    made, system = at.made, at.made.system
    observer = _observer(at)
    found = redundancy(system, made.start, at.found.q)
    attributes = {"method": "equilibrium", "integrator": "none", "start": made.start, "end": made.start}
    result = recorder(made, observer, found, (made.start, at.found.q), attributes, output, rows=1, force=force)
    status = "failed"
    try:
        result.append(observer.chunk(np.array([made.start]), _row(at)))
        status = "complete"
    finally:
        result.close(status, {"counts": {}, "wall_time": 0.0, "notes": at.notes()})
    return result.result()


def initial_block(at: Balance) -> str:
    """The equilibrium as YAML to put into the model: `initial`, or the positions and orientations of bodies in space."""
    system, q = at.made.system, at.found.q
    lines: list[str] = [f"# {'steady motion' if at.moves else 'equilibrium'} of {system.name}"]
    if system.bodies and system.dimension == 3 and not system.in_joint_coordinates:
        lines.append("bodies:")
        motion = _observe(at) if at.moves else {}
        for b, name in enumerate(system.bodies):
            pose = q[7 * b : 7 * b + 7].tolist()
            moves = "".join(f", {key}: {motion[f'body_{key}'][0, b].tolist()!r}" for key in ("velocity", "angular_velocity") if motion)
            lines.append(f"  {name}: {{position: {pose[:3]!r}, orientation: {{quaternion: {pose[3:]!r}}}{moves}}}")
    else:
        lines.append("initial:")
        lines += [f"  {name}: {float(x)!r}" for name, x in zip(system.coordinates[: system.n_c], q, strict=False)]
        lines += [f"  {name}: {float(x)!r}" for name, x in zip(system.speeds, at.found.v, strict=True) if x]
    lines += [f"# state {name}: start {float(x)!r}" for name, x in zip(system.states, q[system.n_c :], strict=True)]
    return "\n".join(lines) + "\n"


def _observer(at: Balance) -> Observer:
    return Observer(at.made.system, allocate_for_observer(at.made.system), at.made.measures, at.made.whole)


def _row(at: Balance) -> Floats:
    system, found = at.made.system, at.found
    a = np.zeros(system.n_v) if found.turning is None else found.turning.accelerations(found.q)
    return np.concatenate([found.q, found.v, a, found.lam, [np.nan]])[None]


def _observe(at: Balance) -> dict[str, Floats]:
    return _observer(at).chunk(np.array([at.made.start]), _row(at))
