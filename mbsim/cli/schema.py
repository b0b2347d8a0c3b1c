"""Print the JSON schema of model files, for editors that check and complete YAML."""

import json
from pathlib import Path

import click

from mbsim.cli._output import force_option, output_errors


@click.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of stdout.")
@force_option
def command(output: Path | None, force: bool) -> None:
    """Print the JSON schema of model files.

    An editor with a YAML language server uses it if the first line of the model is
    `# yaml-language-server: $schema=mbsim.schema.json`.
    """
    from mbsim import registry
    from mbsim.model.load import json_schema
    from mbsim.results import outputs

    text = json.dumps(json_schema(registry), indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
        return
    with output_errors():
        outputs.write_text(output, text + "\n", force, suffix=".json")
    if not outputs.is_stream(output):
        click.echo(output)
