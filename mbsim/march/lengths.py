"""The length of a mechanism's links: what its displacements, speeds and residuals are measured in, whatever the unit of length."""

from collections.abc import Callable
from math import log2, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.diagnosis.extent import extent
from mbsim.jit import GIVEN, bound
from mbsim.kernels.beginning import ARMS, MOST, SHARE, SHORT, TURN
from mbsim.system.beam_nodes import beam_nodes
from mbsim.system.remembered import remembered
from mbsim.system.system import Floats, System

SHORTEST_ARM = 1e-3  # of the extent: a shorter arm of an equation is its slope where it has none, as of a cam that rests
ROD = sqrt(12.0)  # links by the radius of gyration of a rod that is one link long
MEASURED = ("length", "scales", "rate", "state_scales", "row_scales")  # of the work arrays


class Quick(NamedTuple):
    """Arguments of `kernels.beginning.begin`."""

    moves: Floats  # (m, 2) whether a body of a row moves
    slides: NDArray[np.int64]  # (n_v,) whether a speed slides
    lengths: NDArray[np.int64]  # (n_q,) whether a coordinate is a length
    arms: Floats  # scratch
    sliding: Floats  # (m,) scratch


def link_of(work: contracts.Work) -> float:
    """The length of the mechanism's links, m, as a power of two: to divide by it rounds nothing. 1 where it is not measured."""
    length = float(work.length[0])
    return float(2.0 ** round(log2(length))) if length > 0.0 else 1.0


def quick_kinds(system: System) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which speeds (n_v,) slide, and which coordinates (n_q,) are lengths, as kernels take it."""
    slides, lengths = _sliding(system)
    return slides.astype(np.int64), lengths.astype(np.int64)


def measured(work: contracts.Work) -> Floats:
    """The lengths of a mechanism and how fast it is, and what speeds, states and rows are measured in, as one vector."""
    return np.concatenate([getattr(work, name) for name in MEASURED])


def put_measured(work: contracts.Work, values: Floats) -> None:
    """Put there what `measured` gave."""
    at = 0
    for name in MEASURED:
        array = getattr(work, name)
        array[:] = values[at : at + array.size]
        at += array.size


class Lengths:
    """Sets Work.length, and from it the scales of speeds, states and rows, in the work arrays of one system.

    The length is the mean arm of the rows of C about the centres of mass; where there is none, the extent of the mechanism. Lengths
    of the user's own coordinates are not known: there all scales stay 1.
    """

    def __init__(self, system: System, work: contracts.Work) -> None:
        self._system, self._work, arrays = system, work, system.arrays
        self._has_rows = system.n_rows > 0 and bool(system.bodies) and system.failure is None
        self._slides, self._lengths = _sliding(system)
        self._constraints: Callable[[float], object] | None = None
        self._asked = False
        size = arrays.jacobian.shape[1] // 2
        self._axes = 2 if size == 3 else 3
        self._squares = np.zeros((system.n_rows, 2, size))
        self._nodes, self._turns = _beams(system)
        moves = (arrays.row_bodies >= 0) & (arrays.row_bodies < len(system.bodies))
        self._moves = moves.astype(float)  # the arm about the ground's origin says nothing
        others = np.flatnonzero(arrays.row_bodies[:, 0] < 0)  # equations and coordinates of joints
        self._others = others if len(work.C) == system.n_rows else others[:0]
        self._plain = not (self._has_rows or self._others.size or self._nodes.size)  # no row has an arm
        self._terms: tuple[Callable[[float], object], Callable[[float], object]] | None = None

    def _evaluate(self, t: float, q: Floats) -> None:
        """Leave C of (t, q) in the arrays: from the second time on by a call that is bound."""
        system, work = self._system, self._work
        if self._constraints is None:
            if not self._asked:
                self._asked = True
                system.functions.constraints(system.arrays, t, np.ascontiguousarray(q), work.C, work.xi)
                return
            self._q = np.zeros(system.n_q)
            self._constraints = bound(system.functions.constraints, system.arrays, GIVEN, self._q, work.C, work.xi)
        self._q[:] = q
        self._constraints(t)

    @property
    def are_plain(self) -> bool:
        """Whether no row has an arm."""
        return bool(self._plain)

    def quick(self) -> Quick | None:
        """What `kernels.beginning.begin` needs to measure such a mechanism; None where it does not."""
        system = self._system
        if not self._has_rows or self._others.size or self._nodes.size or max(2 * system.n_rows, len(system.bodies)) > MOST:
            return None
        scratch = np.zeros(max(2 * system.n_rows, len(system.bodies))), np.zeros(system.n_rows)
        return Quick(self._moves, *quick_kinds(system), *scratch)

    def _extent(self, t: float, q: Floats, size: Callable[[], float] | None) -> float:
        return size() if size is not None else extent(self._system, t, q, 0.0)

    def _turning(self, length: float) -> Floats:
        """(nodes, axes) how fast nodes of beams turn with the energy of a rod, one link long, that turns by 1 rad/s; at least 1."""
        masses = self._system.arrays.masses[self._nodes]  # which studies change in place
        inertias = masses[:, [1] if self._system.dimension == 2 else [1, 5, 9]]
        with np.errstate(divide="ignore"):
            found = length / ROD * np.sqrt(masses[:, :1] / inertias)
        return np.where(inertias > 0.0, np.maximum(1.0, found), 1.0)

    @staticmethod
    def _arms(slides: Floats, turns: Floats) -> Floats:
        both = (turns > SHORT * slides) & (slides > 0.0)
        found: Floats = turns[both] / slides[both]
        return found

    def _mass(self, t: float, q: Floats, inertia: Callable[[], float] | None) -> float:
        """The mean mass of the bodies; of the user's own coordinates the mean inertia, where steps go by the error of the work."""
        system, mass = self._system, 1.0
        if system.bodies:
            mass = float(np.add.reduce(system.arrays.masses[:, 0])) / len(system.arrays.masses)
        elif self._work.settings[contracts.SETTING_CONTROLLED] and system.failure is None:
            mass = inertia() if inertia is not None else self._inertia(t, q)
        return mass if 0.0 < mass < np.inf else 1.0

    def _inertia(self, t: float, q: Floats) -> float:
        """The mean of the diagonal of M: from the second time on, as events ask for it, by calls that are bound."""
        system, n = self._system, self._system.n_v
        if not self._asked:
            self._asked = True
            return float(np.diagonal(system.terms(t, q, np.zeros(n))[0]).mean())
        if self._terms is None:
            self._at, M, h, eta, power = np.zeros(system.n_q), np.zeros((n, n)), np.zeros(n), np.zeros(system.n_rows), np.zeros(1)
            self._results, held = (M, h, eta, power), (system.arrays, GIVEN, self._at)
            constraints = bound(system.functions.constraints, *held, np.zeros((system.n_rows, n)), np.zeros(system.n_rows))
            self._terms = constraints, bound(system.functions.dynamics, *held, np.zeros(n), M, h, eta, power)
        self._at[:] = q
        for array in self._results:
            array[...] = 0.0
        for call in self._terms:
            call(t)
        return float(np.add.reduce(self._results[0].diagonal())) / n  # as `mean`, without its checks

    def _measure_plain(self, t: float, q: Floats, length: float, inertia: Callable[[], float] | None) -> None:
        """What `measure` does where no row has an arm."""
        work, n = self._work, self._system.n_v
        work.length[0] = length
        work.scales[self._slides] = TURN * length
        scales = work.state_scales[:n]
        scales[:] = 1.0
        if not work.settings[contracts.SETTING_INDEPENDENT]:
            scales[self._slides] = length
        work.state_scales[n:-1][self._lengths] = length
        work.state_scales[-1] = self._mass(t, q, inertia) * length * length
        if work.rate[0]:
            _slow_down(work, n, float(work.rate[0]))
        work.row_scales[:] = 1.0

    def measure(
        self, t: float, q: Floats, evaluate: Callable[[], object] | None = None, size: Callable[[], float] | None = None,
        inertia: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        """Measure the mechanism at (t, q). `evaluate` leaves C of (t, q) in the arrays, `size` gives its extent in m, or 0; `inertia` the
        mean of the diagonal of M."""
        system, work = self._system, self._work
        if self._plain:
            length = self._extent(t, q, size) if system.bodies else 0.0
            self._measure_plain(t, q, length if 0.0 < length < np.inf else 1.0, inertia)
            return
        if self._has_rows:
            if evaluate is None:
                self._evaluate(t, q)
            else:
                evaluate()
            np.multiply(system.arrays.jacobian, system.arrays.jacobian, out=self._squares.reshape(system.n_rows, -1))
            slides = np.sqrt(self._squares[:, :, : self._axes].sum(axis=2)) * self._moves
            turns = np.sqrt(self._squares[:, :, self._axes :].sum(axis=2))
            arms = [self._arms(slides, turns)]
            if self._others.size:
                squares = work.C[self._others] ** 2
                found = self._arms(np.sqrt(squares @ self._slides), np.sqrt(squares @ ~self._slides))
                arms.append(found[found > SHORTEST_ARM * self._extent(t, q, size)])
            found = np.concatenate(arms)
            length = ARMS * float(found.mean()) if found.size else 0.0
        else:
            slides, length = np.zeros((system.n_rows, 2)), 0.0
        if not 0.0 < length < np.inf:
            length = (self._extent(t, q, size) if system.bodies else 0.0) or 1.0
        work.length[0] = length
        work.scales[self._slides] = TURN * length
        n = system.n_v
        work.state_scales[:n] = 1.0
        if not work.settings[contracts.SETTING_INDEPENDENT]:
            work.state_scales[:n][self._slides] = length
            if self._nodes.size:
                work.state_scales[:n][self._turns] = self._turning(length)
        work.state_scales[n:-1][self._lengths] = length
        work.state_scales[-1] = self._mass(t, q, inertia) * length * length
        if work.rate[0]:
            _slow_down(work, n, float(work.rate[0]))
        sliding = slides.max(axis=1, initial=0.0)
        scales = np.where((sliding > 0.0) & (sliding < np.inf), length * sliding, 1.0)
        if self._others.size:  # by their coefficients
            coefficients = np.abs(work.C[self._others] * np.where(self._slides, length, 1.0)).max(axis=1)
            scales[self._others] = np.where((coefficients > 0.0) & (coefficients < np.inf), coefficients, 1.0)
        work.row_scales[:] = scales


def set_rate(system: System, work: contracts.Work, row: Floats, span: float) -> None:
    """Measure speeds by how fast the mechanism is in `row`, the first output row of a march over `span` s; once a march.

    `atol` of a speed is that of a link a second, or a rad a second. A slow motion, as of planets, is below it altogether. So the unit of
    time is a second, or longer: a tenth of that in which the first speeds lead a link or a rad far, or the first accelerations do, or of
    the whole march if that is less. Then `atol` asks for about as much as an `rtol` ten times as large.
    """
    if work.rate[0] or span <= 0.0:
        return
    n_q, n = system.n_q, system.n_v
    sizes = np.where(_sliding(system)[0], work.length[0], 1.0)
    speed, acceleration = (float(np.abs(row[at : at + n] / sizes).max(initial=0.0)) for at in (n_q, n_q + n))
    work.rate[0] = rate = min(1.0, SHARE * max(speed, sqrt(acceleration), 1.0 / span))
    if rate < 1.0:
        _slow_down(work, n, rate)


def _slow_down(work: contracts.Work, n: int, rate: float) -> None:
    work.state_scales[:n] *= rate
    work.state_scales[-1] *= rate * rate


@remembered
def _beams(system: System) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The bodies (k,) that are nodes of beams, and the speeds (k, 1 or 3) that turn them."""
    nodes = beam_nodes(system.arrays)
    size, first = (3, 2) if system.dimension == 2 else (6, 3)
    return nodes, size * nodes[:, None] + np.arange(first, size)


@remembered
def _sliding(system: System) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which speeds (n_v,) slide, and which coordinates (n_q,) are lengths."""
    slides = np.array([unit.startswith("m") for unit in system.speed_units], bool)
    return slides, np.array([unit == "m" for unit in system.coordinate_units], bool)
