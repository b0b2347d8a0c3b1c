"""Print the JSON schema of model files, for editors that check and complete YAML."""

import json
from pathlib import Path

import click

from mbsim.cli import InputError


@click.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of stdout.")
def command(output: Path | None) -> None:
    """Print the JSON schema of model files.

    An editor with a YAML language server uses it through a first line
    `# yaml-language-server: $schema=mbsim.schema.json` in the model.
    """
    from mbsim import registry
    from mbsim.model.load import json_schema

    text = json.dumps(json_schema(registry), indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from error
    click.echo(output)
