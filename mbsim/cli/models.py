"""List the shipped models, or print the path of one."""

from pathlib import Path

import click

from mbsim.cli import InputError


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the shipped models with descriptions and paths, or print the path of the model NAME.

    `mbsim run NAME` accepts these names too.
    """
    if name is not None:
        click.echo(find_model(name))
        return
    found = shipped()
    titles = {key: describe(path) for key, path in found.items()}
    columns = [max((len(cell) for cell in cells), default=0) for cells in (found, titles.values())]
    for key, path in found.items():
        click.echo(f"{key:{columns[0]}}  {titles[key]:{columns[1]}}  {path}")


def shipped() -> dict[str, Path]:
    """Name -> path of the shipped models. Raises InputError."""
    from mbsim.model import shipped

    try:
        return shipped.shipped()
    except shipped.NoModelError as error:
        raise InputError(str(error)) from None


def find_model(name_or_path: str | Path) -> Path:
    """The file at that path, else the shipped model of that name, with or without `.yaml`. Raises InputError."""
    from mbsim.model import shipped

    try:
        return shipped.find(name_or_path)
    except shipped.NoModelError as error:
        raise InputError(str(error)) from None


def describe(path: Path) -> str:
    """The opening comment of the file, else its `name:`, read as text: a listing needs no YAML reader."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") and line.strip("# "):
            return line.strip("# ")
        if line.startswith("name:"):
            return line.removeprefix("name:").strip().strip("\"'")
    return ""
