"""Whether a beam stays straight in a run under a pressure at which it buckles: nothing bends it, so that the equations never say so.

Rows count in which a beam carries neither shear nor moments. Their pressure may oscillate about its mean, as after a load that begins at
once, so the row is looked at whose pressure is nearest to the mean. There a small displacement d moves by

    M d'' + K d = 0,   C d = 0,

with the stiffness K of elements, loads and reactions. A negative eigenvalue -r^2 is a bend that grows by a factor of e within 1/r. It
counts where it grows by more than GROWS factors of e in all the time for which the beam is straight, and where elements bend in it: what
falls over as a rigid body does so without a bend.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from mbsim.assembly import Assembly
from mbsim.elements.kinds import BEAM
from mbsim.system.system import Floats, System

STRAIGHT = 1e-9  # shear over the normal force, and moments over that times the length of an element: less is round-off
BEARS = 0.25  # E I / L^2: a beam under less pressure does not buckle, however it is held (a cantilever's load is 2.47 of it)
GROWS = 3.0  # factors of e
BENDS = 1e-3  # of the work that loads do along a bend: what elements store of it, else it is no bend
KEPT = ("q", "states", "multiplier", "beam_strain", "beam_curvature", "beam_force")
MOST_SPEEDS = 1500  # of larger systems the eigenvalues take too long


@dataclass
class _Straight:
    """What is known of one beam while it is straight."""

    length: float  # m
    bends: float  # E I, N m^2, the lesser one
    parts: slice  # its elements among all
    time: float = 0.0  # s, for which it is straight
    integral: float = 0.0  # of the mean normal force over that time, N s
    nearest: float = np.inf  # N: the mean normal force of the row that is kept
    kept: dict[str, Floats] = field(default_factory=dict)  # that row
    at: float = 0.0  # its time, s

    @property
    def mean(self) -> float:
        """N"""
        return self.integral / self.time if self.time > 0.0 else 0.0


class Buckling:
    """Looks at the beams of a run; memory does not grow with its rows."""

    def __init__(self, made: Assembly) -> None:
        system = made.whole
        steady = made.coming is None and system.bodies and not system.in_joint_coordinates  # rows that come and go may hold a beam
        self._system, self._beams = system, _beams(system) if steady else {}
        self._last = np.nan

    def chunk(self, times: Floats, variables: Mapping[str, Floats]) -> None:
        """Look at rows at times (k,) in s."""
        if not self._beams:
            return
        spans = np.diff(np.concatenate([[times[0] if np.isnan(self._last) else self._last], times]))
        self._last = float(times[-1])
        for one in self._beams.values():
            force, moment = variables["beam_force"][:, one.parts], variables["beam_moment"][:, one.parts]
            normal = np.abs(force[..., 0]).max(axis=1)
            element = one.length / force.shape[1]
            across = np.abs(force[..., 1:]).max(axis=(1, 2)) + np.abs(moment).max(axis=(1, 2)) / element
            straight = across <= STRAIGHT * normal
            if not straight.any():
                continue
            means = force[..., 0].mean(axis=1)
            one.time += float(spans[straight].sum())
            one.integral += float((means * spans)[straight].sum())
            k = int(np.argmin(np.where(straight, np.abs(means - one.mean), np.inf)))
            if abs(means[k] - one.mean) < abs(one.nearest - one.mean):
                names = [
                    name for name in ("q", "states", "v", "multiplier", "beam_strain", "beam_curvature", "beam_force") if name in variables
                ]
                one.nearest, one.at = float(means[k]), float(times[k])
                one.kept = {name: variables[name][k : k + 1].copy() for name in names}

    def warnings(self) -> list[str]:
        """Lines of beams that would buckle."""
        found = []
        for name, one in self._beams.items():
            if not one.kept or self._system.n_v > MOST_SPEEDS:
                continue
            if -float(one.kept["beam_force"][0, one.parts, 0].min()) * one.length**2 < BEARS * one.bends:
                continue
            rate = _growth(self._system, one.at, one.kept)
            if rate * one.time > GROWS:
                found.append(
                    f"the beam {name} stays straight under a pressure of {-one.nearest:.6g} N, at which it buckles: a small bend grows by "
                    f"a factor of e within {1.0 / rate:.3g} s, and nothing but round-off begins one in this run; give it a small load "
                    "across, or a shape that is a little off the straight line"
                )
        return found


def _beams(system: System) -> dict[str, _Straight]:
    """The beams of a system, whose elements are in the order of its loads."""
    rows = np.flatnonzero(system.arrays.loads[:, 0] == BEAM)
    if not len(rows):
        return {}
    from mbsim.elements.loads import beam as columns  # of runs with beams alone
    from mbsim.observe.beams import elements_of

    size, bending, column = (3, [2], columns.LENGTH_2) if system.dimension == 2 else (6, [4, 5], columns.LENGTH_3)
    found, first = dict[str, _Straight](), 0
    for name, nodes in elements_of(system).items():
        data = system.arrays.load_data[rows[first : first + len(nodes)]]
        K, lengths = data[:, : size * size].reshape(-1, size, size), data[:, column]
        bends = np.diagonal(K, axis1=1, axis2=2)[:, bending].min(axis=1) * lengths
        found[name] = _Straight(float(lengths.sum()), float(bends.min()), slice(first, first + len(nodes)))
        first += len(nodes)
    return found


def _growth(system: System, t: float, row: Mapping[str, Floats]) -> float:
    """The rate, 1/s, at which the fastest bend grows at a row; 0 where none does."""
    from scipy.linalg import eigh  # of runs with straight beams under pressure alone

    from mbsim.diagnosis.held import tangents_of
    from mbsim.diagnosis.linearised import free_directions
    from mbsim.observe.beams import stress_free

    states = row["states"][0] if "states" in row else np.zeros(0)
    q, still = np.concatenate([row["q"][0], states])[: system.n_q], np.zeros(system.n_v)
    found = tangents_of(system, t, q, still, None, row["multiplier"][0] if "multiplier" in row else None)
    Z, _ = free_directions(system, found.C[: system.n_holonomic])
    if not Z.shape[1]:
        return 0.0
    K, M = Z.T @ (found.K + found.K.T) @ Z / 2.0, Z.T @ found.M @ Z
    values, shapes = eigh(K, (M + M.T) / 2.0, subset_by_index=[0, 0])
    if not values[0] < 0.0:
        return 0.0
    relaxed = system.arrays._replace(load_data=stress_free(system, row))
    d = Z @ shapes[:, 0]
    stored = d @ tangents_of(replace(system, arrays=relaxed), t, q, still).K @ d
    return float(np.sqrt(-values[0])) if stored > BENDS * abs(d @ found.K @ d - stored) else 0.0
