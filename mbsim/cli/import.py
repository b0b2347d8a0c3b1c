"""Convert a robot in URDF or MJCF, or a file that another package reads, to a model file."""

# ruff: noqa: N999 (the file has the name of the command)
import logging
from pathlib import Path

import click

from mbsim.cli._errors import InputError
from mbsim.cli._number import Finite, FiniteRange
from mbsim.cli._output import force_option, output_errors

log = logging.getLogger("mbsim")


@click.command()
@click.argument("robot", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--floating", is_flag=True, help="URDF: let the root link float. Default: it is the ground.")
@click.option("--limits", is_flag=True, help="Make the limits of joints stops (springs with dampers). Default: comments.")
@click.option(
    "--friction",
    type=FiniteRange(min=0.0, min_open=True),
    metavar="SPEED",
    help="Take the friction of joints; it is full from about this speed on, in rad/s or m/s. Default: it is left out.",
)
@click.option(
    "--rigid", is_flag=True, help="Make limits rigid stops, and take the friction of joints as dry. Without --limits, --friction."
)
@click.option(
    "--controllers",
    type=FiniteRange(min=0.0, min_open=True),
    metavar="HZ",
    help="Hold each joint that nothing drives with a PD controller of this frequency, within the effort of its limit. Default: none.",
)
@click.option(
    "--contacts",
    type=click.Choice(["floor", "all"]),
    help="Take contacts: with the floor and what else is fixed, or all. Default: none.",
)
@click.option(
    "--floor",
    type=Finite(),
    metavar="HEIGHT",
    help="With --contacts: a floor at this z, in m. Default: MJCF as the file says; URDF 0, with --floating the lowest point of the robot.",
)
@click.option(
    "--mu",
    type=FiniteRange(min=0.0),
    metavar="COEFFICIENT",
    help="With --contacts, URDF: coefficient of friction. Default: 0.8.",
)
@click.option("--keyframe", metavar="NAME", help="MJCF: the keyframe to start in. Default: the first one.")
@click.option("--format", "word", metavar="WORD", help="urdf, mjcf, or an importer of another package. Default: by the file.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Model file. Default: ./ROBOT.yaml.")
@force_option
def command(
    robot: Path,
    floating: bool,
    limits: bool,
    friction: float | None,
    rigid: bool,
    controllers: float | None,
    contacts: str | None,
    floor: float | None,
    mu: float | None,
    keyframe: str | None,
    word: str | None,
    output: Path | None,
    force: bool,
) -> None:
    """Write the model of ROBOT, a URDF or MJCF (MuJoCo) file, and print its path.

    Joints that mimic others become couplings. Visuals become shapes of the bodies; the model names their meshes where they are.
    Actuators of MJCF become controllers and forces; their controls are parameters ctrl_NAME of the model.
    Targets of controllers that --controllers adds are parameters target_JOINT.
    What touches what is written as contacts with --contacts; docs/importing.md says which pairs these are.
    Installed packages may read further formats (docs/plugins.md); the suffix of the file or --format chooses theirs.
    A robot that cannot be simulated is refused, with the names of links and joints. Features that the model cannot represent are
    reported and written into the model as comments. --force replaces a model file that was edited since or that mbsim did not write.
    """
    from mbsim.importers.formats import conversion
    from mbsim.importers.robot_model import Options
    from mbsim.importers.urdf_elements import RobotError, located
    from mbsim.results import outputs

    if rigid and (limits or friction is not None):
        raise InputError("--rigid makes stops and friction rigid: it does not go with --limits and --friction")
    if contacts is None and (floor is not None or mu is not None):
        raise InputError(f"--{'floor' if floor is not None else 'mu'} goes with --contacts")
    output = output or Path(robot.stem + ".yaml")
    with output_errors():
        try:
            options = Options(floating, limits, friction, keyframe, rigid, controllers, contacts, floor, mu)
            made = conversion(robot, options, "." if outputs.is_stream(output) else output.parent, word)
        except RobotError as error:
            raise InputError(located(robot, str(error))) from None
        outputs.write_text(output, made.text, force, [robot])
    for note in made.notes:
        log.info("%s: %s", robot.name, note)
    if not outputs.is_stream(output):
        log.info("%s: %s", robot.name, made.summary)
        click.echo(output)
