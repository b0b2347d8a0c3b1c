"""How a command ends other than well."""

from functools import cache
from pathlib import Path

import click

WRITTEN = (".h5", ".png", ".svg", ".pdf", ".csv", ".gif", ".mp4", ".html", ".fmu", ".c", ".mat")  # endings of files that commands write
NOT_GOOD_ENOUGH = 3  # the exit code of a run that ended, but with warnings or fewer digits than were asked for


class InputError(click.ClickException):
    """An input of the user is wrong: a file, a name, a model. Exits with 2."""

    exit_code = 2

    def __init__(self, message: str, key: str = "") -> None:
        """`key`: of the `simulation` block of a model, where that is what does not fit."""
        super().__init__(message)
        self.key = key

    @classmethod
    def of(cls, error: ValueError) -> "InputError":
        """The same error, with its key."""
        return cls(str(error), getattr(error, "key", ""))


@cache
def refuse_more(command: click.Command) -> click.Command:
    """The same command, which says what it takes, and what may be meant, where more arguments are given than it takes."""
    parse = command.parse_args

    def parse_args(ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        try:
            further = parse(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(said, ctx) if (said := _of_solver(command, error.option_name)) else error from None
        if further and not ctx.resilient_parsing:
            takes = " and ".join(one.human_readable_name for one in command.params if isinstance(one, click.Argument))
            known = f"takes {takes} and no more (got also" if takes else "takes no argument (got"
            given = ", ".join(f"'{word[:60]}'" for word in further)
            raise click.UsageError(f"mbsim {ctx.info_name} {known} {given}){_meant(command, further)}", ctx)
        return further

    command.parse_args = parse_args  # type: ignore[method-assign]
    return command


def _of_solver(command: click.Command, word: str) -> str:
    """How an option of a method or an integrator is given to a command, which has none of this name; empty where it is none."""
    if not any("--option" in one.opts for one in command.params):
        return ""
    from mbsim import registry

    name = word.lstrip("-").replace("-", "_")
    kinds = ("methods", "integrators")
    owners = [one for kind in kinds for one in registry.names(kind) if name in registry.options(kind, one)]
    return f"'{name}' is an option of {', '.join(owners)}: write --option {name}=VALUE" if owners else ""


def _meant(command: click.Command, further: list[str]) -> str:
    """An option that the first of the words too many may belong to."""
    options = {name for one in command.params for name in one.opts}
    word = further[0]
    if "=" in word and "--set" in options:
        return f"; did you mean --set {word}?"
    if Path(word).suffix.lower() in WRITTEN and "-o" in options:
        return f"; did you mean -o {word}?"
    return ""
