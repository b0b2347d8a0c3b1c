"""Whether the matrices that a method factors leave its accelerations the digits that a run asks for.

`lagrange` and `cfa` factor M. Where M is next to singular in a direction that the constraints do not let pass, they lose as many digits as
its condition has, and N' M N, which `svd` factors, N a basis of the null space of C, loses none. A run is looked at twice:

- At the start, `choose_conditioning`: `auto` takes `svd` where M is next to singular there and N' M N is not, and where rows of C are
  next to dependent in the metric of M, as a body is very light, and not as they are.
- At output rows, `Conditioning`: the accelerations of one row of each chunk are put into the equations,

      d_1 = -C^+ (C v_dot + eta),   d_2 = N (N' M N)^-1 N' (h - M (v_dot + d_1)),

  and d = d_1 + d_2 is what is lost of them. The row is that with the smallest pivot of M or the largest residual C v_dot + eta. Where
  neither leaves a doubt it is looked at in joint coordinates only, in which rows do not have M. Where d is more than the run's tolerance,
  and once more the same with v_dot + d leaves less, `svd` is better: `auto` begins the run anew with it. Else a note says what is lost.

With steps of equal size, `svd` and `riemann` are of order one where the acceleration that a driver gives jumps: what a step over the jump
errs by is along M^-1 C', which the projection of all speeds after a step takes away, and that of independent speeds cannot. There `auto`
takes `lagrange`.

In joint coordinates M itself is next to singular where bodies have gone far from the root of their tree. `svd` forms it, `aba` does not.
Which one loses less is not known, as there the equations are not known to better than M. So a note names `aba`, and where `svd` comes to a
stop, `auto` begins anew with `aba`. Of methods that go by the bodies' own inertias only d_1 is counted.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbsim import formulations, registry
from mbsim.assembly.assembled import Assembly
from mbsim.contracts import OK, SLIP_PLACE
from mbsim.diagnosis.blocks import DENSE_ROWS, is_large
from mbsim.diagnosis.redundancy import column_scales, decompose, unit_rows
from mbsim.kernels.ranks import BLOCK_TOLERANCE, CONSISTENT, TOUCHING
from mbsim.march.formulation import Formulation
from mbsim.march.renewed import renewed
from mbsim.march.settings import Settings, resolve
from mbsim.system.system import Floats, System

LOST = 1e-7  # smallest eigenvalue of a mass matrix with diagonal 1: below it accelerations have less than nine digits
HIDDEN = 3.0 * BLOCK_TOLERANCE  # smallest singular value of unit rows in the metric of M: below it they soon count as dependent
GAIN = 100.0  # by so much the other matrix has to be better
OF_EQUAL_STEPS = 1e-6  # of the largest acceleration: what a run without a tolerance may lose
RESOLVED = 1e-10  # the same, at any tolerance
Other = Callable[[str], Settings | None]  # the settings that `auto` changes to for a reason, None where there are none


class Unfit(Exception):
    """A run by a method that `auto` took loses its tolerance; `settings` are better ones."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("the run begins anew")
        self.settings = settings


class Loss(NamedTuple):
    """What accelerations are off at a state, of the largest so far."""

    share: float  # of those of the method
    least: float  # of what N' M N makes of them
    time: float  # s

    @property
    def is_of_method(self) -> bool:
        """Whether N' M N is better than what the method factors."""
        return bool(self.share > GAIN * self.least)


def choose_conditioning(made: Assembly, settings: Settings, given: Mapping[str, object], allow_wrong: bool = False) -> Settings:
    """The settings that `resolve` gave for `given`, or those with `svd` where that factors a better matrix at the start.

    In place of `svd` those with `lagrange`, where what is prescribed over time may jump within steps of equal size.
    """
    if (over_jumps := _over_jumps(made, settings, given, allow_wrong)) is not None:
        return over_jumps
    system, other = made.system, alternative(made, settings, given, allow_wrong)
    if other is None or system.in_joint_coordinates:
        return settings
    M, C = system.M(made.start, made.q), system.C(made.start, made.q)
    if _mass_hides_rows(system, M, C):
        return other(f"rows that {settings.method} eliminates all but depend on each other in the metric of the masses") or settings
    least = _smallest(M)
    if not least < LOST:
        return settings
    N = _null_space(system, C).T
    if not _smallest(N.T @ M @ N) > GAIN * max(least, 0.0):
        return settings
    return other(f"{settings.method} would factor a mass matrix that is next to singular at the start ({least:.0e})") or settings


def goes_over_jumps(made: Assembly, settings: Settings) -> bool:
    """Whether speeds of a method's own go by equal steps over what rows prescribe over time, which may jump as laws have cases."""
    system = made.system
    if not (settings.explicit_steps and system.rheonomic and registry.declaration("methods", settings.method, "INDEPENDENT_SPEEDS", False)):
        return False
    if system.corners is None or system.corners(system) is None:
        return False
    C = system.C(made.start, made.q)  # where drivers and constraints give all speeds, nothing is left to be wrong
    return bool(np.isfinite(C).all()) and decompose(C * column_scales(system, C), system.arrays.row_shares).rank < system.n_v


def note_of_jumps(made: Assembly, settings: Settings) -> str:
    """What a run by a method that was asked for says of that; empty where there is nothing to say."""
    if "method" in settings.choices or not goes_over_jumps(made, settings):
        return ""
    return (
        f"laws have cases: where such a law drives or prescribes something over time, steps of equal size by {settings.method} are of "
        f"order one, and the estimated error does not tell; `method: {formulations.OVER_JUMPS}` keeps the order"
    )


def _over_jumps(made: Assembly, settings: Settings, given: Mapping[str, object], allow_wrong: bool) -> Settings | None:
    """The settings with `lagrange` where `auto` took `svd` and what rows prescribe over time may jump within equal steps; else None."""
    reference = formulations.OVER_JUMPS
    if "method" not in settings.choices or not goes_over_jumps(made, settings):
        return None
    try:
        found = resolve(made.simulation, made.whole, {**given, "method": reference}, allow_wrong)
    except ValueError:  # options that only `svd` has
        return None
    why = f"{reference}: laws have cases, and steps of equal size go over jumps of what is prescribed"
    return replace(found, choices={**settings.choices, **found.choices, "method": why})


def alternative(made: Assembly, settings: Settings, given: Mapping[str, object], allow_wrong: bool = False) -> Other | None:
    """What makes the settings with `svd`, or `aba`, of those that `resolve` gave for `given`; None where `auto` took no worse method."""
    system = made.system
    tree = system.in_joint_coordinates
    better = formulations.ARTICULATED if tree else formulations.WITHOUT_MASS
    worse = settings.method == formulations.FORMS_MASS if tree else settings.method in formulations.FACTOR_MASS
    chosen = worse and "method" in settings.choices
    if not chosen or not system.n_rows or is_large(system) or system.failure is not None:
        return None

    def other(why: str) -> Settings | None:
        try:
            found = resolve(made.simulation, made.whole, {**given, "method": better}, allow_wrong)
        except ValueError:  # options that only the first one has
            return None
        return replace(found, choices={**settings.choices, **found.choices, "method": f"{better}: {why}"})

    return other


class Beside:
    """What the method of a run finds at states, by arrays of its own."""

    def __init__(self, of: Formulation, settings: Settings) -> None:
        self._run, self._settings = of, settings
        self._of: Formulation | None = None

    def accelerations(self, t: float, q: Floats, v: Floats) -> Floats | None:
        """(n_v,) at (t, q, v); None where they cannot be found."""
        of = self._of = self._of or self._run.beside(self._settings)
        z, row, n, n_q = np.zeros(of.size), np.zeros(of.width), of.system.n_v, of.system.n_q
        z[n : n + n_q] = q
        if of.start(t, q, v, z) != OK or not of.expands(t, z, row):
            return None
        return row[n_q + n : n_q + 2 * n]


class Conditioning:
    """Looks at the rows of a run for accelerations that what the method factors has taken digits from."""

    def __init__(
        self,
        system: System,
        settings: Settings,
        other: Other | None = None,
        means: bool = False,
        slipping: Floats | None = None,
        beside: Beside | None = None,
    ) -> None:
        """`other` as of `alternative`; `means`: accelerations are means over steps, and tell nothing of what is factored.

        `beside` is there where rows have the accelerations of their steps, not those of their state. `slipping` is that of the run's
        Work: while what reactions load slips, the efforts of a row are not known any more, and nothing is looked at.
        """
        self._system, self._settings, self._other = system, settings, other
        self._tree = system.in_joint_coordinates
        self._by_inertias = self._tree and settings.method in formulations.BY_INERTIAS
        large = is_large(system) or (self._by_inertias and not 0 < system.n_rows <= system.n_v <= DENSE_ROWS)  # of a tree only d_1 counts
        self._looks = not (large or settings.wrong or means) and system.failure is None
        rtol = settings.tolerance("rtol")
        self._tolerance = OF_EQUAL_STEPS if rtol is None else max(rtol, RESOLVED)
        self._atol = settings.tolerance("atol") or settings.drift_tolerance
        self._slipping = np.zeros((0, SLIP_PLACE + 1)) if slipping is None else slipping
        self._beside = beside
        self._largest, self._worst = 0.0, Loss(0.0, 0.0, settings.start)

    def again(self, beside: Beside | None) -> "Conditioning":
        """That of other rows of the same stretch, of which nothing is known yet; settings that are better are not asked for then."""
        return renewed(self, _beside=beside, _other=None, _largest=0.0, _worst=Loss(0.0, 0.0, self._settings.start))

    def chunk(self, times: Floats, variables: Mapping[str, Floats], pivots: Floats) -> None:
        """Look at the row of most doubt, of those at times (k,); `pivots` (k,) of M. Raises Unfit where other settings are better."""
        a = np.abs(variables["acceleration"])
        if not self._looks or not len(times) or not np.isfinite(a).all() or (self._slipping[:, SLIP_PLACE] >= 0.0).any():
            return
        k = int(np.argmin(pivots))
        if pivots[k] > LOST:
            left = variables["residual_acceleration"]
            k = len(times) - 1 - int(np.argmax(left[::-1]))
            if not self._tree and not left[k] > self._tolerance * a.max(initial=0.0):
                return
        q = np.concatenate([variables["q"][k], variables["states"][k]])
        at, v, v_dot = float(times[k]), variables["v"][k], variables["acceleration"][k]
        if self._beside is not None and (v_dot := self._beside.accelerations(at, q, v)) is None:
            return
        found = self._loss(at, q, v, v_dot, a.max(axis=0))
        if found is None or not found.share > self._tolerance:
            return
        if self._other is not None and found.is_of_method and not self._tree:
            why = f"the mass matrix that {self._settings.method} factors becomes next to singular at t = {found.time:.3g} s"
            settings = self._other(f"{why} ({found.share:.0e} of the accelerations lost)")
            if settings is not None:
                raise Unfit(settings)
        self._worst = max(self._worst, found)

    def _loss(self, t: float, q: Floats, v: Floats, a: Floats, largest: Floats) -> Loss | None:
        """What `a` (n_v,) is off at a state, where the largest of the chunk are `largest`; None near a singular position."""
        M, h, C, _, eta, _ = self._system.terms(t, q, v)
        scales = column_scales(self._system, C)
        U, sigma, V, norms, rank = decompose(C * scales, self._system.arrays.row_shares)
        if rank and sigma[rank - 1] < TOUCHING * sigma[0]:
            return None
        outside = U[:, rank:].T @ (eta / norms)
        if np.abs(outside).max(initial=0.0) > CONSISTENT * (1.0 + np.abs(eta / norms).max(initial=0.0)):
            return None  # rows that contradict each other leave nothing to be right
        N, M, h, a = V[rank:], scales[:, None] * M * scales, scales * h, a / scales
        heavy = float(np.abs(np.diag(M)).max())
        self._largest = max(
            self._largest, float((largest / scales).max(initial=0.0)), float(np.abs(h).max()) / heavy if heavy > 0.0 else 0.0
        )
        span = self._settings.end - self._settings.start
        lost = []
        for _ in range(2):
            across = -V[:rank].T @ (U[:, :rank].T @ (((C * scales) @ a + eta) / norms) / sigma[:rank])
            d = across if self._by_inertias else across + N.T @ _solve(N @ M @ N.T, N @ (h - M @ (a + across)))
            size = float(np.abs(d).max(initial=0.0))
            lost.append(size / self._largest if self._largest > 0.0 and size * span * span > self._atol else 0.0)
            a = a + d
        return Loss(lost[0], lost[1], t) if np.isfinite(lost).all() else None

    @property
    def has_lost(self) -> bool:
        """Whether accelerations have lost the run's tolerance so far."""
        return self._worst.share > 0.0

    def notes(self) -> list[str]:
        """A line where the accelerations have lost the run's tolerance."""
        found, method = self._worst, self._settings.method
        if not self.has_lost:
            return []
        cause = "" if self._by_inertias else f": what it {'forms' if self._tree else 'factors'} is next to singular there"
        other = found.is_of_method and method != formulations.WITHOUT_MASS
        better = f"; `method: {formulations.WITHOUT_MASS}` loses {found.least:.0e}" if other else ""
        if self._tree:
            better = "" if self._by_inertias else f"; `method: {formulations.ARTICULATED}` does not form M"
        return [
            f"the accelerations of {method} are off by {found.share:.1g} of the largest at t = {found.time:.4g} s, more than the tolerance "
            f"of the run ({self._tolerance:.0e}){cause}{better}"
        ]


def _mass_hides_rows(system: System, M: Floats, C: Floats) -> bool:
    """Whether rows seem to depend on each other where they are weighed by M^-1, as a body is very light, and do not as they are."""
    masses = np.diag(M)
    if not (np.isfinite(C).all() and (masses > 0.0).all()):
        return False
    found = decompose(C * column_scales(system, C))
    if not found.rank:
        return False
    weighed = np.linalg.svd(unit_rows(C / np.sqrt(masses))[0], compute_uv=False)[found.rank - 1]
    return bool(weighed < HIDDEN and found.sigma[found.rank - 1] > GAIN * weighed)


def _null_space(system: System, C: Floats) -> Floats:
    """A basis of the null space of C, its rows (k, n_v), with slides in arms of the mechanism."""
    scales = column_scales(system, C)
    found = decompose(C * scales, system.arrays.row_shares)
    return found.V[found.rank :] * scales


def _solve(K: Floats, b: Floats) -> Floats:
    """K^-1 b for a symmetric K (k, k), with its diagonal made 1."""
    size = np.sqrt(np.abs(np.diag(K)))
    size[size == 0.0] = 1.0
    try:
        x: Floats = np.linalg.solve(K / np.outer(size, size), b / size) / size
    except np.linalg.LinAlgError:
        return np.full(len(b), np.nan)
    return x


def _smallest(M: Floats) -> float:
    """The smallest eigenvalue of M (n, n) with its diagonal made 1; 1 where n is 0 or M is not finite."""
    size = np.sqrt(np.abs(np.diag(M)))
    size[size == 0.0] = 1.0
    scaled = M / np.outer(size, size)
    return float(np.linalg.eigvalsh(scaled)[0]) if len(M) and np.isfinite(scaled).all() else 1.0
