"""Write a commented model to start from."""

from pathlib import Path

import click

from mbsim.cli._errors import InputError
from mbsim.cli._output import force_option, output_errors

TEMPLATES = Path(__file__).parent / "_templates"
KINDS = ("plane", "space", "arm", "equations")


@click.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--kind", type=click.Choice(KINDS), default="plane", show_default=True, help="What the model is of.")
@force_option
def command(path: Path, kind: str, force: bool) -> None:
    """Write a commented model to the file PATH (.yaml), to be changed, and print its path.

    \b
    KIND is one of
      plane      a driven four-bar linkage with a spring
      space      a pendulum on a universal joint, with a mass from its shape
      arm        a robot arm in joint coordinates, with controllers
      equations  coordinates, energies and constraints of your own
    """
    from mbsim.model.file.shipped import SUFFIXES
    from mbsim.model.names import name_fault
    from mbsim.results import outputs

    if not path.name:
        raise InputError("PATH is empty: a model is a file such as four_bar.yaml")
    path = path if path.suffix else path.with_suffix(".yaml")
    if path.suffix not in SUFFIXES:
        raise InputError(f"cannot write {path}: a model is a file {' or '.join(SUFFIXES)}")
    name = path.stem
    shown = (
        name if not name_fault(name, in_expressions=False) else '"' + "".join(c for c in name if c.isprintable() and c not in '"\\') + '"'
    )
    text = (TEMPLATES / f"{kind}.yaml").read_text(encoding="utf-8").replace("name: NAME", f"name: {shown}").replace("NAME.", f"{name}.")
    with output_errors():
        outputs.write_text(path, text, force)
    click.echo(path)
