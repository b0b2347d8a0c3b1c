"""Convert a URDF robot to a model file in joint coordinates."""

# ruff: noqa: N999 (the file has the name of the command)
import logging
from pathlib import Path

import click

from mbsim.cli import InputError

log = logging.getLogger("mbsim")


@click.command()
@click.argument("robot", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--floating", is_flag=True, help="The root link floats; else it is the ground.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Model file; ROBOT.yaml here if not given.")
def command(robot: Path, floating: bool, output: Path | None) -> None:
    """Write the model of ROBOT, a URDF file, and print its path. Joint limits become comments; mimic joints are refused.

    What cannot be run is refused, with the names of links and joints. What the model does not have of the robot is said, and written
    into the model as comments.
    """
    from mbsim.urdf import UrdfError, conversion

    output = output or Path(robot.stem + ".yaml")
    try:
        made = conversion(robot, floating)
        output.write_text(made.text, encoding="utf-8")
    except UrdfError as error:
        raise InputError(str(error)) from None
    except OSError as error:
        raise InputError(f"{error.filename or robot}: {error.strerror or error}") from None
    for note in made.notes:
        log.info("%s: %s", robot.name, note)
    click.echo(output)
