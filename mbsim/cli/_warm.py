"""Compiling ahead what models of a kind need: a few steps of shipped models are marched, and what the cache has more then is counted."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import click

from mbsim.cli._errors import InputError
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.model.schema import Model

CODE = ("image", "numba", "nbc")  # of files of the cache, those that are kernels
STEPS = 5  # of a march
SHARE = 0.01  # of the file's span that is marched where error control chooses the steps
CONTROL = {"integrator": "dop853", "rtol": "1e-6"}
MODES = "modes"


class Trial(NamedTuple):
    """A shipped model and how it is solved: settings of its run, or the word of an analysis."""

    model: str
    settings: tuple[tuple[str, str], ...] = ()
    analysis: str = ""


_CONTROLLED = tuple(CONTROL.items())
# For each kind the methods that `auto` takes, with equal steps and with error control, and small motions about an equilibrium.
KINDS: dict[str, tuple[Trial, ...]] = {
    "planar": (
        Trial("four_bar"), Trial("four_bar", _CONTROLLED), Trial("pendulum"), Trial("slider_crank"), Trial("pendulum", analysis=MODES),
    ),
    "spatial": (
        Trial("spatial_slider_crank"), Trial("spatial_slider_crank", _CONTROLLED), Trial("heavy_top"), Trial("free_body"),
        Trial("chrono_spherical", analysis=MODES),
    ),
    "joint": (
        Trial("hanging_chain"), Trial("space_robot"), Trial("flyball_governor"), Trial("hanging_chain", analysis=MODES),
    ),
    "own": (Trial("double_pendulum"), Trial("rolling_disk"), Trial("double_pendulum", analysis=MODES)),
    "beams": (Trial("spin_up"), Trial("bend_45")),
}  # fmt: skip


class Added(NamedTuple):
    """What a trial added to the cache."""

    kernels: int
    size: int  # bytes
    seconds: float


def warm(words: tuple[str, ...]) -> None:
    """Compile what kinds of models, or models of files, need; all kinds without words. Raises InputError for a word that is none."""
    trials = [(word, trial) for word in words or KINDS for trial in KINDS.get(word) or (Trial(word),)]
    for word, trial in trials:  # before anything is compiled
        if word not in KINDS:
            _path(trial.model)
    total: list[Added] = []
    for word, trial in trials:
        found: list[Added] = []
        click.echo(f"{word:8} " + f"{trial.model}, " * (word in KINDS), nl=False)  # it may take a minute until there is more to say
        with _counted(found):
            how = _run(trial)
        total += found
        click.echo(f"{how}: {_said(found)}")
    click.echo(f"together {_said(total)}, {sum(one.size for one in total) / 1e6:.1f} MB; kept in {_folder()}")


def _path(model: str) -> Path:
    try:
        return find_model(model)
    except InputError as error:
        raise InputError(f"{error.format_message()}; kinds are {', '.join(KINDS)}") from None


def _said(found: list[Added]) -> str:
    kernels, seconds = sum(one.kernels for one in found), sum(one.seconds for one in found)
    return f"{kernels} kernel{'s' * (kernels != 1)} compiled in {seconds:.1f} s" if kernels else f"nothing to compile ({seconds:.1f} s)"


def _folder() -> Path:
    from mbsim.jit import CACHE_FOLDER

    return Path(CACHE_FOLDER)


@contextmanager
def _counted(found: list[Added]) -> Iterator[None]:
    """Append what the block adds to the cache. What compiling says elsewhere is said here in figures."""
    from mbsim.jit import housekeeping

    def code() -> dict[Path, int]:
        return {kept.path: kept.size for kept in housekeeping.survey(_folder().parent) if kept.kind in CODE}

    log = logging.getLogger("mbsim")
    before, began, level = code(), perf_counter(), log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(level)
    added = {path: size for path, size in code().items() if path not in before}
    found.append(Added(len(added), sum(added.values()), perf_counter() - began))


def _run(trial: Trial) -> str:
    """March a few steps, or do the analysis; returns what was done. Raises click.ClickException for a model that is wrong."""
    from mbsim.cli._model import assemble_or_exit, prepared_to_run, read_model

    path = find_model(trial.model)
    if trial.analysis == MODES:
        from mbsim.analyses.linear import modes

        modes(assemble_or_exit(read_model(path, (), {})))
        return "equilibrium and modes"
    given = dict(trial.settings)
    model = read_model(path, (), {**given, **_short(read_model(path, (), given))})
    made = prepared_to_run(model)
    from mbsim.analyses.dynamic import simulate
    from mbsim.march.ending import SimulationError
    from mbsim.march.wrong_settings import OWN

    try:
        result = simulate(made)
    except SimulationError as error:
        raise click.ClickException(f"{trial.model}: {error}") from None
    except ValueError as error:
        raise InputError(f"{trial.model}: {error}") from None
    method, integrator = result.attributes["method"], result.attributes["integrator"]
    return method if integrator == OWN else f"{method} with {integrator}"


def _short(model: "Model") -> dict[str, str]:
    """Settings with which only the beginning of a motion is marched."""
    block = model.simulation
    span = STEPS * block.step if block.step is not None else SHARE * (block.end - block.start)
    span = min(span, block.end - block.start)
    return {"end": repr(block.start + span), "output_step": repr(span if block.step is None else block.step)}
