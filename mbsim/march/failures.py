"""What stopped a march, in the user's names."""

from typing import TYPE_CHECKING

import numpy as np

from mbsim import contracts
from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.contradiction import contradicting
from mbsim.diagnosis.crossing import Crossing
from mbsim.diagnosis.inertia import massless
from mbsim.diagnosis.redundancy import column_scales, decompose, redundancy, singular_values, unit_rows
from mbsim.elements.kinds import BEAM, BUSHING, HEIGHT, SLIP, STRAND
from mbsim.kernels.ranks import NEAR
from mbsim.kernels.rotations import matrices
from mbsim.march.ending import join_names
from mbsim.system.system import Floats, System
from mbsim.system.tables import complaint, forget

if TYPE_CHECKING:
    from mbsim.march.formulation import Formulation  # compiles the projection, which naming speeds without inertia does not need

DEAD_POINT = 2.0 * NEAR  # weakest singular value of C with unit rows, of the largest; above it a singular position is far
STUCK = 1e-2  # likewise, where it is the step that says that something is wrong
TAKES_PART = 0.05  # entry of the unit vector of the near dependency from which its row is named
SHOWN = 6  # coordinates of a position
TURNED = 0.7  # of the largest turn of a row: from there on a row is named
NEAREST = 20  # halvings of a step: how close to the last accepted state what cannot be evaluated is looked for
RUNAWAY = 1e50  # speed beyond which it is the motion that overflows, not an equation that cannot be evaluated

AXIS = slice(9, 12)  # of a disk, in the geometry of its rows (`mbsim/elements/rows/height.py`)
TIGHT, LOOSER = 1e-10, 100.0  # relative tolerance from which on round-off may be why a step fails; times which one is advised
STABLE = 2.78  # rate times step up to which rk4 is stable; Hairer & Wanner, Solving Ordinary Differential Equations II, IV.2
HOPELESS = 10  # times as many steps as asked for: forces may be stiff
STIFF_SPEEDS = 200  # of a system, up to which its rates are worked out for a message


def blame(formulation: "Formulation", step: float, at: float, z: Floats, refused: Crossing | None = None) -> str:
    """The reason in the work's status, about the last accepted state z at `at`; `step` (s): how far ahead the run looked at most.

    `refused` is where steps would have turned the configuration over.
    """
    system, work = formulation.system, formulation.work
    code, index = int(work.status[contracts.STATUS_CODE]), int(work.status[contracts.STATUS_INDEX])
    q = formulation.configuration(z)
    forget(system)
    tried = unknown_angle(system)  # where the step that failed looked last
    where = _not_finite(formulation, step, at, z)
    if where:
        why = complaint(system) or _law_not_finite(system, where)
        known = unknown_angle(system) or _turned_bushing(system) or _turned_element(system) or ("" if why else _flat_disk(system, where))
        return known or ": ".join(filter(None, [f"the equations of {where} are not finite", why]))
    if code == contracts.SINGULAR_MASS:
        names = without_inertia(system, at, q) or [system.speeds[index]]
        return f"the mass matrix is singular at {join_names(names)}"
    if code == contracts.DEPENDENT_CONSTRAINTS:
        found = redundancy(system, at, q)
        groups = "; ".join(map(join_names, found.groups[:SHOWN])) or join_names(system.rows)
        return f"the constraints became dependent (singular position): {groups}"
    if code == contracts.BASIS_LOST:
        basis = join_names([system.speeds[k] for k in dict.fromkeys(work.plan[:, 0].tolist())])
        return f"the speeds that 'basis' names, {basis}, no longer determine the motion; name others, or leave out 'basis'"
    if code == contracts.DRIFT_REMAINS:
        names, by = _contradicting(formulation, at, z)
        if names:
            return f"the constraints {join_names(names)} contradict each other: the accelerations that they ask for differ by {by:.3g}"
        lost = f"the position constraint {system.rows[index]} cannot be restored (residual {abs(work.phi[index]):.3g})"
        return f"{lost}; {_dead_point(system, at, q)}try a smaller step"
    if code == contracts.COARSE:
        turning = f"the constraints {_turning(system, work, at, q)} turn faster than the steps can follow"
        where = _refused_at(
            system, int(work.watch[contracts.WATCH_RANK]), work.orientation.weights, refused or Crossing(False, at, q.copy(), np.nan)
        )
        return f"{turning}{where}; {_dead_point(system, at, q)}try a smaller step"
    if code == contracts.NO_EFFORT:
        return "a friction that slips has no effort that fits the reactions that load it: it jams, or this is Painleve's paradox"
    if code == contracts.NO_CONVERGENCE:
        of = f"; the constraint {system.rows[index]} is left worst" if 0 <= index < system.n_rows else ""
        return f"the iteration of a step did not converge{of}; try a smaller step"
    names = [*system.speeds, *system.coordinates, "work", *system.rows]
    if code == contracts.STEP_TOO_SMALL:
        return f"the step became too small to meet the tolerance in {names[index]}{_near(system, at, q)}{_near_round_off(work)}"
    if code == contracts.NO_HEADWAY and formulation.work.settings[contracts.SETTING_CONTROLLED] == 0.0:
        return f"events are looked for without end within one step; try a smaller step{_near(system, at, q)}"
    if code == contracts.NO_HEADWAY:
        tiny = f"the steps that the tolerance in {names[index]} asks for are so small that the run would take days"
        return f"{tiny}{_near(system, at, q)}{_near_round_off(work)}"
    return tried or f"{names[index]} is not finite; the motion is unbounded or the step is too large"


def _contradicting(formulation: "Formulation", at: float, z: Floats) -> tuple[list[str], float]:
    """Rows that ask for different accelerations about the state z at `at`, and by how much; or none."""
    system, row = formulation.system, np.zeros(formulation.width)
    phi = formulation.work.phi.copy()
    found = formulation.expands(at, z, row)
    formulation.work.phi[:] = phi
    return contradicting(system, at, row[: system.n_q], row[system.n_q : system.n_q + system.n_v]) if found else ([], 0.0)


def _near_round_off(work: contracts.Work) -> str:
    """That the tolerance may be less than round-off permits, where it is so small; `; ...`, or empty."""
    tolerance = float(work.settings[contracts.SETTING_STEP_ERROR])
    if not work.settings[contracts.SETTING_CONTROLLED] or tolerance > TIGHT:
        return ""
    return f"; rtol {tolerance:g} may be less than round-off permits here: try {LOOSER * tolerance:g}"


def too_stiff(system: System, step: float, start: tuple[float, Floats, Floats]) -> str:
    """What to do where forces are so stiff at the start (t, q, v) that explicit steps (s) are unstable; else nothing."""
    if is_large(system) or system.n_v > STIFF_SPEEDS or system.failure is not None:
        return ""
    from mbsim.system.tangents import fastest

    with np.errstate(all="ignore"):
        rate = fastest(system, *start)
    if not STABLE < rate * step < np.inf:
        return ""
    return (
        f"; the forces are stiff: they act at a rate of {rate:.2g} per second, and explicit steps above {STABLE / rate:.1g} s"
        " cannot follow. `integrator: radau` and `method: generalized_alpha` are implicit and can"
    )


def in_parts(system: System, step: float, cut: int, taken: int, planned: int, start: tuple[float, Floats, Floats] | None) -> str:
    """That steps (s) of given size were cut; explicit ones with a `start`, where stiff forces may be why."""
    said = f"steps of {step:g} s were cut, {cut} times, because the constraints would have had to be corrected by too much"
    stiff = too_stiff(system, step, start) if start is not None and taken > HOPELESS * planned else ""
    return f"{said}: {taken} steps in place of {planned}{stiff}"


def without_inertia(system: System, at: float, q: Floats) -> list[str]:
    """The speeds in which the system has no inertia. Empty of a large system, whose mass matrix is not made."""
    return [] if is_large(system) else [system.speeds[k] for k in massless(system.M(at, q))]


def _near(system: System, at: float, q: Floats) -> str:
    """Which singular position is near, to be added to a message, or nothing."""
    dead = _dead_point(system, at, q, STUCK)
    return f"; {dead.removesuffix('; ')}" if dead else ""


def unknown_angle(system: System) -> str:
    """Which force needs an angle that is not known where the system was evaluated last, or nothing."""
    for k, (force, angle) in system.angles.items():
        if np.isnan(system.arrays.relative_values[k, 0]):
            if system.arrays.relative[k, 0] == STRAND:
                why = "one of its ends lies inside of the other's circle, or it leaves the plane of a circle by more than 60 degrees"
                why += ", or this part has turned by 0.75 pi since the drawing"
                return f"the straight part {angle} of the cable {force} is not known: {why}"
            needs = f"the force {force} needs the angle {angle}, which is known within"
            if system.in_joint_coordinates:
                return f"{needs} 0.95 pi of the drawing where the joint is cut; cut another joint of the loop (cut: true)"
            bent = ", while the joint's other angle is within 0.95 pi (where it is open, that between its axes)" if _bent(system, k) else ""
            return f"{needs} 1.9 pi of the drawing in absolute coordinates{bent}; use joint coordinates (coordinates: joint)"
    return ""


def _bent(system: System, k: int) -> bool:
    """Whether the axes of an angle are more than a quarter turn apart: of a universal or an open joint they may be."""
    arrays = system.arrays
    _, i, j, _, _ = arrays.relative[k]
    axes = [arrays.frames[b, 3:12].reshape(3, 3) @ matrices(arrays.relative_data[k, s : s + 4])[:, 2] for b, s in ((i, 16), (j, 20))]
    return bool(axes[0] @ axes[1] < 0.0)


def _dead_point(system: System, at: float, q: Floats, limit: float = DEAD_POINT) -> str:
    """The rows that depend on each other but for `limit`, where the mechanism may not go on."""
    if is_large(system):
        return ""
    C = system.C(at, q)
    U, sigma, _, _, rank = decompose(C * column_scales(system, C), system.arrays.row_shares)
    if rank == 0 or sigma[rank - 1] > limit * sigma[0]:
        return ""
    rows = [name for name, part in zip(system.rows, U[:, rank - 1], strict=True) if abs(part) > TAKES_PART]
    return f"near a dead point or another singular position of {join_names(rows)} it may have nowhere to go; "


def _refused_at(system: System, rank: int, weights: Floats, near: Crossing) -> str:
    """The smallest singular value of C where steps are refused, and where that is; nothing where it is not watched."""
    if not weights.any() or rank < 1:
        return ""
    value = near.singular_value
    if np.isnan(value):
        value = float(singular_values(system.C(near.t, near.q) * weights, system.arrays.row_shares)[rank - 1])
    at = ", ".join(f"{name} = {x:.6g}" for name, x in list(zip(system.coordinates, near.q, strict=True))[:SHOWN])
    return f" (smallest singular value {value:.2g} near t = {near.t:.9g} s, {at}{', ...' * (system.n_q > SHOWN)})"


def _turning(system: System, work: contracts.Work, at: float, q: Floats) -> str:
    """The rows whose directions have turned most since the orientation was taken; all where it is not watched."""
    unit, weights = work.orientation.unit, work.orientation.weights
    if not unit.any():
        return join_names(list(dict.fromkeys(row.partition("[")[0] for row in system.rows)))
    rows = unit_rows(system.C(at, q) * weights, system.arrays.row_shares)[0]
    turned = np.linalg.norm(rows - unit[:, work.orientation.places], axis=1)
    return join_names([name for name, far in zip(system.rows, turned, strict=True) if far >= TURNED * turned.max()])


def _turned_bushing(system: System) -> str:
    """Which bushing is turned about as far as a rotation vector goes where the system was evaluated last, or nothing."""
    from mbsim.elements.loads.bushing import KNOWN

    arrays = system.arrays
    for name, (kind, i, j, _), p in zip(system.loads, arrays.loads, arrays.load_data, strict=True):
        if kind == BUSHING and system.dimension == 3 and p[24] > 0.0:
            first, second = (p[s : s + 9].reshape(3, 3) @ arrays.frames[b, 3:12].reshape(3, 3).T for b, s in ((i, 6), (j, 15)))
            if np.vdot(first, second) < 1.0 + 2.0 * np.cos(KNOWN):
                return f"the bushing {name} is turned by more than 0.95 pi, where its rotation vector jumps"
    return ""


def _turned_element(system: System) -> str:
    """Which element of a beam is turned about as far as its screw is known where the system was evaluated last, or nothing."""
    from mbsim.elements.loads.beam import KNOWN

    count: dict[str, int] = {}
    for name, (kind, i, j, _) in zip(system.loads, system.arrays.loads, strict=True):
        if kind != BEAM:
            continue
        k = count[name] = count.get(name, -1) + 1
        first, second = system.arrays.frames[i], system.arrays.frames[j]
        if system.dimension == 2:
            turned = abs(second[4] - first[4]) > KNOWN
        else:
            turned = np.vdot(first[3:12], second[3:12]) < 1.0 + 2.0 * np.cos(KNOWN)
        if turned:
            return f"element {k} of the beam {name} is turned by more than 0.95 pi, where its screw jumps; give the beam more `elements`"
    return ""


def _flat_disk(system: System, where: str) -> str:
    """That the disk lies flat whose row is not finite, or nothing."""
    if system.dimension != 3:
        return ""
    for (kind, row, *_), geometry in zip(system.arrays.primitives, system.arrays.geometry, strict=True):
        if kind in (HEIGHT, SLIP) and system.rows[row] == where and geometry[AXIS].any():  # a ball has none
            return (
                f"the disk of {where.rpartition('.')[0]} lies flat on its plane, within 0.3 degrees: it has no one point of contact there"
            )
    return ""


def _not_finite(formulation: "Formulation", step: float, at: float, z: Floats) -> str:
    """The first speed or row whose equation is not finite at the last accepted state or, straight on, within the step from it."""
    system, work = formulation.system, formulation.work
    row = np.zeros(formulation.width)
    formulation.expand(at, z, row)
    q, v, a, _ = np.split(row[:-1], np.cumsum([system.n_q, system.n_v, system.n_v]))
    if not np.isfinite(row).all():
        q, v, a = formulation.configuration(z), work.v, np.zeros(system.n_v)
    # from the last accepted state on, to which error control has come as close as it can, and evenly over a step of a given size
    ahead = np.sort(np.concatenate([[0.0], step * 2.0 ** np.arange(-NEAREST, 0), step * np.linspace(0.125, 1.0, 8)]))
    steps = [0.0] if system.failure is not None else ahead
    for dt in steps:  # a user's callable is not called where the march did not go
        if np.abs(v + dt * a).max(initial=0.0) > RUNAWAY:
            break
        M, h, C, _, eta, _ = system.terms(at + dt, system.move(q, dt * v), v + dt * a)
        for x, names in ((M, system.speeds), (h, system.speeds), (C, system.rows), (eta, system.rows)):
            for name, entries in zip(names, x, strict=True):
                if not np.isfinite(entries).all():
                    return name
    return ""


def _law_not_finite(system: System, where: str) -> str:
    """Which force or driver has a law that is not finite where the system was evaluated last, or nothing."""
    if where in system.acting:  # the user's own coordinates: laws are part of the equations
        names = system.acting[where]
        return f"look at the energies and the force{'s' * (len(names) > 1)} {join_names(names)}"
    arrays = system.arrays
    wrong = np.flatnonzero(~np.isfinite(arrays.laws).all(axis=1))
    owners = {int(line[3]): f"the force {name}" for name, line in zip(system.loads, arrays.loads, strict=True) if line[3] >= 0}
    owners |= {int(line[4]): system.rows[line[1]] for line in arrays.primitives if line[4] >= 0}
    first = max((law for law in owners if wrong.size and law <= wrong[0]), default=-1)  # of several laws that follow each other
    return f"the law of {owners[first]} has no value" if first >= 0 else ""
