"""Shared by commands: the options `--force` and `--wide`, and the error when a file cannot be written."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from mbsim.cli._errors import InputError
from mbsim.results.outputs import FULL, OutputError

wide_option = click.option("--wide", is_flag=True, help="All columns and whole lines, however wide the terminal is.")
force_option = click.option("--force", is_flag=True, help="Replace the output even if mbsim did not write it.")


class PlaceError(click.ClickException):
    """The device of an output failed: a full disk, a quota, a broken device. Exits with 1."""


def complaint(error: OSError) -> click.ClickException:
    """The error with which the command ends: exit code 2 if another choice of the user would help, 1 if the device failed."""
    if isinstance(error, OutputError) or error.strerror is None:
        return InputError(str(error))
    words = error.strerror
    if error.filename is not None and str(error.filename) not in words:
        words = f"{error.filename}: {words}"
    return PlaceError(words) if error.errno in FULL else InputError(words)


@contextmanager
def output_errors() -> Iterator[None]:
    """Turn errors of files and refused outputs into one line on stderr."""
    try:
        yield
    except OSError as error:
        raise complaint(error) from None
    except ValueError as error:
        raise InputError(str(error)) from None
