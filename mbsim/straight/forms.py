"""Which runs have straight-line code: what a method keeps as its state, or why it has none."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from mbsim import registry
from mbsim.formulations import choose
from mbsim.march.output_times import OutputTimes
from mbsim.march.settings import Settings
from mbsim.march.wrong_settings import OWN
from mbsim.straight.equations import APART, NEARBY
from mbsim.system.system import Floats, System

# Of methods, by their file of kernels, that keep v, solve the equations of motion at every evaluation, and take q and v onto the
# constraints by the smallest correction in the metric of M.
KEEPS_SPEEDS = ("lagrange", "nullspace", "cfa", "aba", "kane", "_cfa_trees")
TO_ROUND_OFF = ("lagrange", "nullspace", "cfa")  # of them those that take residuals to round-off near singular positions
KEEPS_BASIS = "svd"  # independent speeds in a basis that is held
EQUAL = "rk4"  # the integrator of equal steps
PAIRS = ("rk45", "dop853")  # those that control the error by an embedded formula
IMPLICIT = "generalized_alpha"  # the method of implicit steps, which are of equal size
# Files of its kernels: whether their matrix is near the tangent, whether the whole tangent may take its place, and whether displacements of
# bodies are sums of those of the coordinates (`mbsim.methods.implicit.form.Form`).
IMPLICIT_FORMS = {
    "generalized_alpha": (False, True, False),
    "implicit.alpha_bodies": (True, False, False),
    "implicit.alpha_tree": (True, True, True),
}
FEWEST_STEPS = 100_000  # steps of all runs, or rows where steps are not known beforehand, below which nothing is recorded
PROBES = 64  # runs at most whose numbers are compared to find those that vary: some do by round-off in a few runs only


class LanesError(ValueError):
    """Why runs do not go in lanes."""


class Pair(NamedTuple):
    """An embedded pair of formulas, as `integrators/dop853.py` has it."""

    A: Floats
    c: Floats
    E: Floats
    P: Floats
    exponent: float  # of the error, in the length of the next step


class Implicit(NamedTuple):
    """Which implicit step, and how its iteration goes (`mbsim.methods.implicit.step`)."""

    radius: float  # spectral radius at infinite frequency
    keeps_rates: bool  # index 2: whether a step ends with C v + xi = 0 in all rows
    kernels: str  # a file of IMPLICIT_FORMS

    @property
    def is_near(self) -> bool:
        """Whether the matrix is near the tangent, so that all parts of a correction shrink alike."""
        return IMPLICIT_FORMS[self.kernels][0]

    @property
    def has_tangent(self) -> bool:
        """Whether the whole tangent takes the place of a matrix that is slow."""
        return IMPLICIT_FORMS[self.kernels][1]

    @property
    def adds_up(self) -> bool:
        """Whether displacements of bodies are sums of those of the coordinates."""
        return IMPLICIT_FORMS[self.kernels][2]


@dataclass(frozen=True)
class Form:
    """What the state of a run is, what steps it makes, and what is corrected after one."""

    keeps_basis: bool
    corrects_positions: bool
    corrects_speeds: bool
    hold_limit: float  # tangent of the angle at which a basis is renewed
    pair: Pair | None = None  # None: equal steps
    least: float = APART  # of the pivots of the rows: below it a run is left to the march
    implicit: Implicit | None = None  # None: explicit steps
    cuts: bool = False  # whether equal steps whose corrections are too large are taken in parts, where the mass matrix allows it


def choose_form(system: System, settings: Settings, runs: int) -> Form:
    """The form of so many runs. Raises LanesError where they have none, or are too few to look further."""
    form = form_of(system, settings)
    if isinstance(form, str):
        raise LanesError(form)
    times = OutputTimes(settings.start, settings.end, settings.interval)
    if form.pair is None:
        steps, told = runs * times.steps(settings.step, settings.end), "take {:,} steps"
    else:
        steps, told = runs * times.intervals, "have {:,} rows"
    if steps < FEWEST_STEPS:
        raise LanesError(f"all runs together {told.format(steps)}, and compiling takes as long as many more")
    return replace(form, cuts=form.pair is None and form.implicit is None and form.corrects_positions)


def form_of(system: System, settings: Settings) -> Form | str:
    """The form of a run, or why it has none."""
    return next((why for holds, why in _REFUSED if holds(system, settings)), None) or _form(system, settings)


def _form(system: System, settings: Settings) -> Form | str:
    kernels = choose(system, settings.method, settings.options).file
    if settings.method == IMPLICIT:
        return _implicit(system, settings, kernels)
    if kernels not in (*KEEPS_SPEEDS, KEEPS_BASIS):
        return f"the method {settings.method} has no straight-line equations here"
    keeps, options = kernels == KEEPS_BASIS and system.n_rows > 0, settings.options
    default = registry.options("methods", KEEPS_BASIS)["hold_limit"].default
    limit = options.get("hold_limit", default)
    assert isinstance(default, float) and isinstance(limit, float)
    if keeps and (not options["hold"] or options["renew"] != "tangent" or limit > default):
        return "the basis of the null space is renewed by another rule than the default"
    corrected = system.n_rows > 0 and settings.drift != "none"
    least = NEARBY if kernels in TO_ROUND_OFF else APART
    speeds = corrected and settings.drift == "full" and not keeps
    return Form(keeps, corrected and system.n_holonomic > 0, speeds, limit, _pair(settings.integrator), least)


def _implicit(system: System, settings: Settings, kernels: str) -> Form | str:
    refused = next((why for holds, why in _REFUSED_IMPLICIT if holds(system, settings)), None)
    if refused is None and kernels not in IMPLICIT_FORMS:
        refused = "implicit steps have no straight-line code for large trees with constraints in joint coordinates"
    if refused is not None:
        return refused
    radius = settings.options["spectral_radius"]
    assert isinstance(radius, float)
    step = Implicit(radius, system.n_rows > 0 and settings.options["index"] != "3", kernels)
    return Form(False, False, False, 0.0, least=NEARBY, implicit=step)


def _pair(integrator: str) -> Pair | None:
    if integrator == EQUAL:
        return None
    return Pair(*registry.module("integrators", integrator).marcher().args)


def _has_corners(system: System, settings: Settings) -> bool:
    """Whether steps end where laws change."""
    if not settings.locates_corners:
        return False
    return system.n_corners > 0 or (system.corners is not None and system.corners(system) is not None)


def _takes_equal_steps(settings: Settings) -> bool:
    return settings.integrator == EQUAL or settings.method == IMPLICIT


_REFUSED: list[tuple[Callable[[System, Settings], bool], str]] = [
    (
        lambda system, settings: settings.integrator == OWN and settings.method != IMPLICIT,
        f"the method makes its own steps, and of such steps only those of {IMPLICIT} have straight-line code",
    ),
    (
        lambda system, settings: settings.integrator not in (EQUAL, *PAIRS, OWN),
        f"the integrator is none of {', '.join((EQUAL, *PAIRS))}",
    ),
    (lambda system, settings: system.units is not None, "the model has units for model exchange"),
    (lambda system, settings: system.failure is not None, "the system has Python functions"),
    (lambda system, settings: system.slips.known, "dry friction depends on reactions"),
    (lambda system, settings: system.samples is not None, "states are held between samples"),
    (_has_corners, "corners of laws are located"),
    (lambda system, settings: settings.stop is not None or system.n_events > 0, "events are looked for"),
    (
        lambda system, settings: _takes_equal_steps(settings) and 2.0 * settings.interval <= settings.step * (1.0 + 1e-9),
        "steps go over several output rows",
    ),
]
_REFUSED_IMPLICIT: list[tuple[Callable[[System, Settings], bool], str]] = [
    (lambda system, settings: settings.controls_error, "implicit steps are chosen by their error: give a step, and no rtol or atol"),
    (lambda system, settings: system.n_x > 0, "states of the model's own go along with implicit steps"),
    (lambda system, settings: settings.drift != "none", "the drift is corrected after implicit steps"),
]
