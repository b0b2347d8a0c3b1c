"""What the shell offers for an argument of a command: models, methods, integrators, contents of a result (docs/shell.md)."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem


class _Names(click.types.StringParamType):
    """Any text, with names that are offered. A list is completed behind its last comma."""

    name = "text"

    def __init__(self, names: Callable[[click.Context], Iterable[str]], files: bool = False) -> None:
        self.names, self.files = names, files

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        found = [CompletionItem(before + comma + name) for name in self.names(ctx) if name.startswith(last)]
        return [*found, CompletionItem(incomplete, type="file")] if self.files and not found else found


def _models(ctx: click.Context) -> list[str]:
    from mbsim.model.file import shipped

    try:
        return list(shipped.shipped())
    except shipped.NoModelError:
        return []


def _leaves(kind: str) -> Callable[[click.Context], list[str]]:
    def names(ctx: click.Context) -> list[str]:
        from mbsim import registry

        return ["auto", *registry.names(kind)]

    return names


def _contents(ctx: click.Context) -> list[str]:
    """Variables and labels of the result that stands before on the line; of a file that is none, nothing."""
    from mbsim.results import ResultError, open_result
    from mbsim.results.schema import LABELLED

    # behind an option without its value click leaves what stands before it in `args`
    given = ctx.params.get("result") or next((word for word in ctx.args if not word.startswith("-")), "")
    try:
        with open_result(Path(str(given))) as result:
            return [*result.names(), *(label for dimension in LABELLED for label in result.labels(dimension))]
    except (ResultError, OSError):
        return []


_OF = {
    "model": _Names(_models, files=True),
    "models": _Names(_models, files=True),
    "method": _Names(_leaves("methods")),
    "methods": _Names(_leaves("methods")),
    "integrator": _Names(_leaves("integrators")),
    "integrators": _Names(_leaves("integrators")),
    "what": _Names(_contents),
}


def offering(command: click.Command) -> click.Command:
    """The command with names for its parameters; called only when a shell asks."""
    for parameter in command.params:
        if parameter.name in _OF and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _OF[parameter.name]
    return command
