"""Which runs have straight-line code: what a method keeps as its state, or why it has none."""

from collections.abc import Callable
from dataclasses import dataclass

from mbsim import registry
from mbsim.formulations import choose
from mbsim.march.output_times import OutputTimes
from mbsim.march.settings import Settings
from mbsim.system.system import System

# Of methods, by their file of kernels, that keep v, solve the equations of motion at every evaluation, and take q and v onto the
# constraints by the smallest correction in the metric of M.
KEEPS_SPEEDS = ("lagrange", "nullspace", "cfa", "aba", "kane", "_cfa_trees")
KEEPS_BASIS = "svd"  # independent speeds in a basis that is held
INTEGRATOR = "rk4"
LEAST = 100_000  # steps of all runs, below which nothing is recorded
PROBES = 64  # runs whose numbers are compared to find those that vary: some do by round-off in a few runs only


class LanesError(ValueError):
    """Why runs do not go in lanes."""


@dataclass(frozen=True)
class Form:
    """What the state of a run is, and what is corrected after a step."""

    keeps_basis: bool
    corrects_positions: bool
    corrects_speeds: bool
    hold_limit: float  # tangent of the angle at which a basis is renewed


def choose_form(system: System, settings: Settings, runs: int) -> tuple[Form, int]:
    """The form of so many runs, and the steps of one of them. Raises LanesError where they have none, or are too few to look further."""
    form = form_of(system, settings)
    if isinstance(form, str):
        raise LanesError(form)
    steps = OutputTimes(settings.start, settings.end, settings.interval).steps(settings.step, settings.end)
    if runs * steps < LEAST:
        raise LanesError(f"all runs together take {runs * steps:,} steps, and compiling takes as long as many more")
    return form, steps


def form_of(system: System, settings: Settings) -> Form | str:
    """The form of a run, or why it has none."""
    return next((why for holds, why in _REFUSED if holds(system, settings)), None) or _form(system, settings)


def _form(system: System, settings: Settings) -> Form | str:
    kernels = choose(system, settings.method, settings.options).file
    if kernels not in (*KEEPS_SPEEDS, KEEPS_BASIS):
        return f"the method {settings.method} has no straight-line equations here"
    keeps, options = kernels == KEEPS_BASIS and system.n_rows > 0, settings.options
    default = registry.options("methods", KEEPS_BASIS)["hold_limit"].default
    limit = options.get("hold_limit", default)
    assert isinstance(default, float) and isinstance(limit, float)
    if keeps and (not options["hold"] or options["renew"] != "tangent" or limit > default):
        return "the basis of the null space is renewed by another rule than the default"
    corrected = system.n_rows > 0 and settings.drift != "none"
    speeds = corrected and settings.drift == "full" and not keeps
    return Form(keeps, corrected and system.n_holonomic > 0, speeds, limit)


_REFUSED: list[tuple[Callable[[System, Settings], bool], str]] = [
    (lambda system, settings: settings.integrator != INTEGRATOR, f"the integrator is not {INTEGRATOR}"),
    (lambda system, settings: settings.controls_error, "the error of steps is controlled"),
    (lambda system, settings: system.failure is not None, "the system has Python functions"),
    (lambda system, settings: system.slips.n_slipping > 0, "dry friction depends on reactions"),
    (lambda system, settings: system.samples is not None, "states are held between samples"),
    (lambda system, settings: settings.locates_corners, "corners of laws are located"),
    (lambda system, settings: settings.stop is not None or system.n_events > 0, "events are looked for"),
    (
        lambda system, settings: 2.0 * settings.interval <= settings.step * (1.0 + 1e-9),
        "steps go over several output rows",
    ),
]
