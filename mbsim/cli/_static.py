"""What the commands share that look for an equilibrium: equilibrium, modes, linearize."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors, pairs, read_model

if TYPE_CHECKING:
    from mbsim.assembly import Assembly
    from mbsim.model.schema import Model

FROM_THE_MODEL = {"start_from": "model"}  # settings


class NotFound(click.ClickException):
    """There is no equilibrium, or it was not found. Exits with 1."""

    exit_code = 1


@contextmanager
def no_equilibrium() -> Iterator[None]:
    """Exit with 1 where no equilibrium is found, with 2 for wrong names and times."""
    from mbsim.diagnosis.equilibrium import NoEquilibriumError
    from mbsim.results import ResultError

    try:
        yield
    except NoEquilibriumError as error:
        raise NotFound(str(error)) from None
    except (ValueError, ResultError, OSError) as error:
        raise InputError(str(error)) from None


def number(option: str, name: str, text: str) -> float:
    """The number of `NAME=VALUE`, as large as one of a model may be. Raises InputError."""
    from mbsim.model.fields import LARGEST

    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{option} {name}: expected a number (got '{text}')") from None
    if not abs(value) <= LARGEST:
        raise InputError(f"{option} {name}: expected a number that is not greater than {LARGEST:g} in size (got '{text}')")
    return value


def varied(
    path: Path, assignments: tuple[str, ...], option: str, name: str, settings: dict[str, str] = FROM_THE_MODEL
) -> "tuple[Callable[[float], Assembly], Model]":
    """What assembles the model with a value of a parameter, and the model as it is. Raises InputError."""
    from mbsim.analyses.api import loading

    read_model(path, assignments, settings)  # says what is wrong with it
    try:
        load, model = loading(path, name, {**pairs("--set", assignments)}, settings)
    except ValueError as error:
        raise InputError(f"{option}: {error}") from None

    def assembled(value: float) -> "Assembly":
        with model_errors():
            return load(value)

    return assembled, model
