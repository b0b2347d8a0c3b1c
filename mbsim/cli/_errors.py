"""How a command ends other than well."""

import click

NOT_GOOD_ENOUGH = 3  # the exit code of a run that ended, but with warnings or fewer digits than were asked for


class InputError(click.ClickException):
    """An input of the user is wrong: a file, a name, a model. Exits with 2."""

    exit_code = 2
