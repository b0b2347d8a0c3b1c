"""Print the JSON schema of model or study files, for editors that check and complete YAML."""

import json
from pathlib import Path

import click

from mbsim.cli._output import force_option, output_errors
from mbsim.model.file.plain import Mapped


@click.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of stdout.")
@click.option("--study", is_flag=True, help="The schema of study files.")
@force_option
def command(output: Path | None, study: bool, force: bool) -> None:
    """Print the JSON schema of model files, or with --study of study files.

    An editor with a YAML language server uses it if the first line of the model is
    `# yaml-language-server: $schema=mbsim.schema.json`.
    """
    from mbsim.results import outputs

    text = json.dumps(_study_schema() if study else _model_schema(), indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
        return
    with output_errors():
        outputs.write_text(output, text + "\n", force, suffix=".json")
    if not outputs.is_stream(output):
        click.echo(output)


def _model_schema() -> Mapped:
    from mbsim import registry
    from mbsim.model.load import json_schema

    return json_schema(registry)


def _study_schema() -> Mapped:
    from mbsim.studies.sampled.blocks import study_schema

    return study_schema()
