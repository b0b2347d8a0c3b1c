"""What the commands that read a model share: reading, assembling, compiling ahead, and how errors of a model are printed."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli._errors import InputError

if TYPE_CHECKING:
    from mbsim.assembly import Assembly
    from mbsim.march.settings import Settings
    from mbsim.model.schema import Model

PROBLEMS_SHOWN = 200  # of a model file


def read_model(path: Path, assignments: tuple[str, ...], settings: dict[str, str]) -> "Model":
    """The checked model with `--set` and the command line's settings applied. Every problem is printed; exits with 2."""
    from mbsim.assembly import load_model

    parameters = pairs("--set", assignments)
    with model_errors():
        return load_model(path, parameters, settings)


def kept_or_assembled(path: Path, assignments: tuple[str, ...], settings: dict[str, str]) -> "Assembly":
    """The assembled model, as an earlier run left it or anew."""
    from mbsim.analyses import kept

    try:
        known = kept.key(path, pairs("--set", assignments), settings)
    except OSError:  # reading the model says why
        return prepared_to_run(read_model(path, assignments, settings))
    found = kept.find(known)
    if found is None:
        found = prepared_to_run(read_model(path, assignments, settings))
        kept.keep(known, found)
    return found


def pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE`, repeated, as a dictionary."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"{option} takes NAME=VALUE (got '{text}')")
        found[name.strip()] = value.strip()
    return found


@contextmanager
def model_errors() -> Iterator[None]:
    """Turn the errors of a model file, and settings that do not fit, into one line each on stderr and exit code 2."""
    from mbsim.model.file.errors import ModelError

    try:
        yield
    except ModelError as error:
        from mbsim.model.report import PARAMETER_SOURCE, SIMULATION_SOURCE

        options = {PARAMETER_SOURCE: "--set", SIMULATION_SOURCE: "command line"}  # where a command has them from
        for problem in error.problems[:PROBLEMS_SHOWN]:
            click.echo(str(replace(problem, file=options.get(problem.file, problem.file))), err=True)
        if len(error.problems) > PROBLEMS_SHOWN:
            click.echo(f"and {len(error.problems) - PROBLEMS_SHOWN} more problems", err=True)
        raise click.exceptions.Exit(2) from None
    except OSError as error:
        raise InputError(f"{error.filename or ''}: {error.strerror or error}") from None
    except ValueError as error:  # settings that do not go together, an integrator that needs a package which is missing
        raise InputError.of(error) from None


@contextmanager
def settings_at_their_place(path: Path, assignments: tuple[str, ...], settings: dict[str, str]) -> Iterator[None]:
    """Give an error of a setting that does not go with the model its place, where the file has the setting."""
    try:
        yield
    except InputError as error:
        from mbsim.assembly import load_model

        if not error.key or error.key in settings:
            raise
        try:
            model = load_model(path, pairs("--set", assignments), {})
        except (ValueError, OSError):  # a file that needs the settings of the command line
            raise error from None
        if error.key not in model.simulation.model_fields_set:
            raise
        click.echo(str(model.problem(("simulation", error.key), error.message)), err=True)
        raise click.exceptions.Exit(2) from None


def assemble_or_exit(model: "Model", beside: Collection[str] = ()) -> "Assembly":
    """The system and its start. Errors of the model are printed; exits with 2.

    On a first run ever a second process compiles the modules `beside` meanwhile.
    """
    from mbsim import jit
    from mbsim.assembly import assemble

    with model_errors(), jit.compiling_beside(*beside) if beside else nullcontext():
        return assemble(model)


def prepared_to_run(model: "Model") -> "Assembly":
    """The same for a run. On a first run ever, with contacts or with stages, kernels that it needs are compiled here, on two cores."""
    from mbsim import jit
    from mbsim.formulations import Traits, choose, deciding_module, stages_module

    deciding, stages = ([name] if name and not jit.is_kept(name) else [] for name in (deciding_module(model), stages_module(model)))
    if not (jit.is_cold() or deciding or stages):
        return assemble_or_exit(model)
    from mbsim.march import kernels
    from mbsim.march.settings import resolve

    settings = _foreseen(model)
    beside = [choose(Traits.of_model(model), settings.method, settings.options).module_name] if settings is not None else []
    with jit.compiling_beside(*beside, *stages, *deciding):
        kernels.compile_shared()
        made = assemble_or_exit(model)
        with model_errors():
            kernels.compile_stepper_and_observer(resolve(made.simulation, made.whole, allow_wrong=True), made.system)
        if deciding:
            kernels.compile_for_events()
    return made


def _foreseen(model: "Model") -> "Settings | None":
    """The settings of the run, before the model is assembled. None of those that do not go together; assembling comes before saying so."""
    from mbsim.march.settings import foreseen

    try:
        return foreseen(model)
    except ValueError:
        return None
