"""What the commands share that look for an equilibrium: equilibrium, modes, linearize."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from mbsim.cli._errors import InputError

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
