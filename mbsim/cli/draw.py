"""Draw the schematic of a model or of a result."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli._errors import InputError
from mbsim.cli._number import Finite
from mbsim.cli._output import complaint, force_option
from mbsim.cli._scene import is_result, see
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.cli._scene import Seen


@click.command()
@click.argument("source", metavar="MODEL|RESULT")
@click.option("--at", type=Finite(), help="Time of the pose, s: the row nearest to it. Of a RESULT only. Default: the start.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--as-drawn", is_flag=True, help="The reference configuration of the model file, before assembly.")
@click.option("--camera", metavar="NAME|AZIMUTH,ELEVATION", help="iso, front, back, left, right, top, bottom, or two angles in degrees.")
@click.option(
    "--trace",
    "traced",
    multiple=True,
    metavar="POINT[:FILE]",
    help="Draw the way of a point, coupler.P, and points of a CSV file; of a RESULT.",
)
@click.option("--names/--no-names", default=None, help="Names of joints and bodies. Default: of mechanisms with up to 24 joints.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="A .svg, .pdf or .png file. Default: NAME.png in this folder.")
@force_option
def command(
    source: str,
    at: float | None,
    assignments: tuple[str, ...],
    as_drawn: bool,
    camera: str | None,
    traced: tuple[str, ...],
    names: bool | None,
    output: Path | None,
    force: bool,
) -> None:
    """Draw the schematic of MODEL (a file or the name of a shipped model) or of RESULT, and print the picture's path."""
    from mbsim.plots.drawing import schematic
    from mbsim.plots.panels import PlotError
    from mbsim.scene.read import SceneError
    from mbsim.scene.traces import traces

    if at is not None and not is_result(source):
        raise InputError("--at takes a time of a result; a model has its start only. Run it, and draw the result")
    output = output or Path(Path(source).name.removesuffix(".part")).with_suffix(".png")
    found: Seen = see(source, assignments, as_drawn)
    k = found.row(at)
    title = found.title if not is_result(source) else f"{found.title}   t = {found.motion.times[k]:.6g} s"
    folder = Path(source).parent if is_result(source) else find_model(source).parent
    try:
        ways = traces(found.scene, found.motion, traced)
        schematic(found.scene, found.motion, k, output, title, camera, names, force, folder, ways)
    except (PlotError, SceneError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise complaint(error) from error
    click.echo(output)
