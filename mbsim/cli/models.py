"""List the shipped models, or print the path of one."""

import re
from pathlib import Path

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._output import wide_option


@click.command()
@click.argument("name", required=False)
@wide_option
def command(name: str | None, wide: bool) -> None:
    """List the shipped models with descriptions, or print the path of the model NAME.

    `mbsim run NAME` accepts these names too.
    """
    if name is not None:
        click.echo(find_model(name))
        return
    found = list_shipped()
    rows = [[key, describe(path), *([str(path)] if wide else [])] for key, path in found.items()]
    click.echo("\n".join(terminal.table(rows, terminal.room(wide))))


def list_shipped() -> dict[str, Path]:
    """Name -> path of the shipped models. Raises InputError."""
    from mbsim.model.file import shipped

    try:
        return shipped.shipped()
    except shipped.NoModelError as error:
        raise InputError(str(error)) from None


def find_model(name_or_path: str | Path) -> Path:
    """The file at that path, else the shipped model of that name, with or without `.yaml`. Raises InputError."""
    from mbsim.model.file import shipped

    try:
        return shipped.find(name_or_path)
    except shipped.NoModelError as error:
        raise InputError(str(error)) from None


def describe(path: Path) -> str:
    """The first sentence of the file's opening comment, else its `name:`, read as text: a listing needs no YAML reader."""
    comment: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.strip("# ")
        if line.startswith("#") and words:
            comment.append(words)
            if words.endswith("."):
                break
        elif comment:
            break
        elif line.startswith("name:"):
            return line.removeprefix("name:").strip().strip("\"'")
    sentence = re.match(r".*?[.](?=\s+[A-Z]|$)", " ".join(comment))
    return sentence[0] if sentence else " ".join(comment)
