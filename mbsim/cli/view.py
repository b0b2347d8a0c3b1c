"""Show a mechanism moving, in the browser or in a file."""

from contextlib import ExitStack, suppress
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

import click

from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors, pairs
from mbsim.cli._number import Finite, FiniteRange
from mbsim.cli._output import complaint, force_option
from mbsim.cli._result import open_or_exit
from mbsim.cli._scene import Seen, chosen_run, every_mode, is_result, modes_of, of_mode, of_model, of_result, of_study, runs_of
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from collections.abc import Callable

    import viser

    from mbsim.view.live import Page

SUFFIXES = (".html", ".gif", ".mp4", ".glb", ".png")
SMALLEST, LARGEST = 64, 4096  # pixels
POSES = 2000  # of a result that a page is made of, which shows some hundred of them


@click.command()
@click.argument("sources", metavar="RESULT|MODEL ...", nargs=-1, required=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write a .html, .gif, .mp4, .glb or .png file; no browser is opened.")
@click.option("--at", type=Finite(), help="Time of a .png, s: the row nearest to it. Default: the start.")
@click.option("--size", metavar="WIDTHxHEIGHT", help="Of a .gif, .mp4 or .png, pixels. Default: 640x480.")
@click.option("--fps", type=FiniteRange(1.0, 60.0), help="Frames per second of a .gif or .mp4. Default: 20.")
@click.option("--speed", type=FiniteRange(0.0, min_open=True), help="Of the motion, 1: real time. Default: so that it takes 3 to 10 s.")
@click.option("--camera", metavar="NAME|AZIMUTH,ELEVATION", help="iso, front, back, left, right, top, bottom, or two angles in degrees.")
@click.option(
    "--trace", "traced", multiple=True, metavar="POINT[:FILE]", help="Draw the way of a point, coupler.P, and points of a CSV file."
)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--mode", type=click.IntRange(1), help="Which mode of a file of `mbsim modes` is written. Default: pictures show all.")
@click.option("--run", type=click.IntRange(0), help="Which run of a study is shown first, or written. Default: what was found, or 0.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the page on this machine. Default: any free one.")
@click.option("--no-open", is_flag=True, help="Do not open a browser; only print the page's address.")
@force_option
def command(
    sources: tuple[str, ...],
    output: Path | None,
    at: float | None,
    size: str | None,
    fps: float | None,
    speed: float | None,
    camera: str | None,
    traced: tuple[str, ...],
    assignments: tuple[str, ...],
    mode: int | None,
    run: int | None,
    port: int | None,
    no_open: bool,
    force: bool,
) -> None:
    """Show the motion of RESULT, or MODEL with sliders of its parameters, in the browser; or write it into a file.

    Several results are shown over each other, and their differences are plotted. RESULT may also be a file of `mbsim modes`, whose modes
    then move, or of a study, of which a run is chosen on the page. The page is on this machine only; Ctrl-C ends it.
    """
    results = [is_result(source) for source in sources]
    if len(sources) > 1 and not all(results):
        raise InputError("several sources have to be results; give one model")
    if assignments and results[0]:
        raise InputError("--set: the parameters of a result are those of its run")
    is_of_study = results[0] and _of_study(sources)
    if run is not None and not is_of_study:
        raise InputError(f"--run goes with the file of a study ({sources[0]} is none)")
    if output is not None:
        _write(sources, _Film(output, at, size, fps, speed, camera, traced, assignments, mode, run, force))
        return
    for name, given in (("--mode", mode), ("--at", at), ("--size", size), ("--fps", fps), ("--speed", speed)):
        if given is not None:
            raise InputError(f"{name} goes with --output")
    with ExitStack() as stack, suppress(KeyboardInterrupt):
        _serve(stack, sources, results[0], camera, traced, assignments, run, port, no_open)


def _of_study(sources: tuple[str, ...]) -> bool:
    """Whether the source is the file of a study. Raises InputError where one is among several."""
    from mbsim.results.study_read import is_study

    found = [is_study(Path(source)) for source in sources]
    if any(found) and len(sources) > 1:
        raise InputError("a study is shown alone")
    return found[0]


# into a file


class _Film(NamedTuple):
    """What is written, as the options say."""

    output: Path
    at: float | None
    size: str | None
    fps: float | None
    speed: float | None
    camera: str | None
    traced: tuple[str, ...]
    assignments: tuple[str, ...]
    mode: int | None
    run: int | None
    force: bool


def _write(sources: tuple[str, ...], film: _Film) -> None:
    from mbsim.plots.panels import PlotError
    from mbsim.results import outputs
    from mbsim.scene.read import SceneError
    from mbsim.scene.traces import traces

    output, at, size, fps, camera, force = film.output, film.at, film.size, film.fps, film.camera, film.force
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"cannot write {output}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    if len(sources) > 1:
        raise InputError("a file shows one result; several over each other are shown in the browser, without --output")
    for name, given, where in (("--at", at, (".png",)), ("--size", size, (".gif", ".mp4", ".png")), ("--fps", fps, (".gif", ".mp4"))):
        if given is not None and suffix not in where:
            raise InputError(f"{name} goes with {', '.join(where)} (got {suffix})")
    pixels = _pixels(size) if size is not None else (640, 480)
    try:
        outputs.require(output, force)  # before anything is run
        if suffix == ".mp4":
            from mbsim.plots.moving import encoder

            encoder()
        beside = every_mode(Path(sources[0])) if _shows_modes(sources[0], film, suffix) else []
        if len(beside) > 1:
            from mbsim.plots.beside import side_by_side
            from mbsim.plots.moving import Wanted

            wanted = Wanted(pixels, fps or 20.0, film.speed, camera, Path(sources[0]).parent, clock=False)
            side_by_side([(one.scene, one.motion, one.title) for one in beside], output, wanted, force)
            click.echo(output)
            return
        found, folder = _see(sources[0], film, suffix)
        ways = tuple(traces(found.scene, found.motion, film.traced))
        if suffix == ".glb":
            if ways:
                raise InputError("--trace: a .glb file holds solids only")
            from mbsim.plots.gltf import export

            export(found.scene, found.motion, output, found.title, folder, force)
        elif suffix == ".html":
            from mbsim.plots.pace import choose_rows
            from mbsim.view.page import write

            pace = choose_rows(found.motion.times, 1.0, film.speed)[1] if film.speed is None else film.speed
            write(found.scene, found.motion, output, found.title, pace, camera, folder, force, ways, found.events)
        else:
            from mbsim.plots.moving import Wanted, moving, still  # imports Matplotlib and Pillow

            wanted = Wanted(pixels, fps or 20.0, film.speed, camera, folder, found.clock, found.over, ways, found.events)
            if suffix == ".png":
                k = found.row(at)
                name, unit = found.over
                title = f"{found.title}   {name} = {found.motion.times[k]:.6g} {unit}" if found.clock else found.title
                still(found.scene, found.motion, k, output, title, wanted, force)
            else:
                moving(found.scene, found.motion, output, found.title, wanted, force)
    except (PlotError, SceneError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise complaint(error) from error
    except ValueError as error:  # an unknown camera, a port
        raise InputError(str(error)) from error
    click.echo(output)


def _shows_modes(source: str, film: _Film, suffix: str) -> bool:
    """Whether all modes of a file are written side by side: a picture of a file of modes in which none is chosen."""
    chosen = film.mode is not None or film.at is not None or bool(film.traced)
    return suffix in (".gif", ".mp4", ".png") and not chosen and is_result(source) and not _of_study((source,))


def _see(source: str, film: _Film, suffix: str) -> tuple[Seen, Path]:
    """What is written, and the folder of its meshes: of a model the run, of which a picture needs the start only."""
    if is_result(source):
        if _of_study((source,)):
            return of_study(Path(source), film.run, film.mode)
        of_modes = of_mode(Path(source), film.mode or 1)
        if of_modes is None and film.mode is not None:
            raise InputError(f"--mode goes with a file of `mbsim modes` ({source} is none)")
        return of_modes or of_result(Path(source), most=POSES if suffix == ".html" else None), Path(source).parent
    if film.mode is not None:
        raise InputError("--mode goes with a file of `mbsim modes`")
    path = find_model(source)
    if suffix == ".png" and film.at is None and not film.traced:
        return of_model(source, film.assignments), path.parent
    return _run(source, film.assignments), path.parent


def _run(source: str, assignments: tuple[str, ...]) -> Seen:
    from mbsim.analyses.dynamic import simulate
    from mbsim.cli._model import prepared_to_run, read_model
    from mbsim.march.ending import SimulationError
    from mbsim.scene.moments import moments
    from mbsim.scene.motion import of_result as poses_of
    from mbsim.scene.read import SceneError, parse, scene_of

    made = prepared_to_run(read_model(find_model(source), assignments, {}))
    try:
        with model_errors():
            result = simulate(made)
        scene = parse(made.scene) if made.scene else scene_of(result)  # meshes of a model may be anywhere
    except SimulationError as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(1) from None
    except SceneError as error:
        raise InputError(f"{source}: {error}") from None
    return Seen(made.system.name, scene, poses_of(result), events=moments(result.events))


def _pixels(size: str) -> tuple[int, int]:
    width, _, height = size.lower().partition("x")
    if width.isdecimal() and height.isdecimal() and all(SMALLEST <= int(side) <= LARGEST for side in (width, height)):
        return int(width), int(height)
    raise InputError(f"--size takes WIDTHxHEIGHT in pixels, each from {SMALLEST} to {LARGEST} (got '{size[:40]}')")


# in the browser


def _serve(
    stack: ExitStack,
    sources: tuple[str, ...],
    of_results: bool,
    camera: str | None,
    traced: tuple[str, ...],
    assignments: tuple[str, ...],
    run: int | None,
    port: int | None,
    no_open: bool,
) -> None:
    """Open the page and go on until Ctrl-C."""
    from mbsim.scene.read import SceneError
    from mbsim.view.live import FRAME
    from mbsim.view.mechanism import MechanismPage
    from mbsim.view.server import PortError, address, browse, stop_server
    from mbsim.view.server import open_page as served

    path = None if of_results else find_model(sources[0])
    if traced and (path is not None or _of_study(sources)):
        raise InputError("--trace on a page is for results; run the model, or write a file with --output")
    try:
        title = Path(sources[0]).stem if len(sources) == 1 else "results"
        server = served(title, port)
    except PortError as error:
        raise InputError(str(error)) from None
    stack.callback(stop_server, server)

    def told() -> None:
        click.echo(address(server))
        if not no_open and not browse(server):
            click.echo("no browser could be opened here; open the address yourself", err=True)

    try:
        with server.atomic():  # the server's own thread is not woken for each message
            if path is not None:
                page = _model_page(server, path, assignments, camera)
                told()
            elif _of_study(sources):
                page = _study_page(server, stack, Path(sources[0]), run, camera)
                told()
            else:
                build = _results_page(stack, sources, camera, traced)
                told()  # the browser loads the page while it is built
                page = build(server)
    except SceneError as error:
        raise InputError(str(error)) from error
    wait = page.wait if isinstance(page, MechanismPage) else sleep
    while True:
        page.tick()
        wait(FRAME)


def _model_page(server: "viser.ViserServer", path: Path, assignments: tuple[str, ...], camera: str | None) -> "Page":
    from mbsim.view.model import ModelPage

    with model_errors():
        return ModelPage(server, path, pairs("--set", assignments), camera)


def _study_page(server: "viser.ViserServer", stack: ExitStack, path: Path, run: int | None, camera: str | None) -> "Page":
    from mbsim.results.study_read import read_study_file
    from mbsim.view.study import StudyPage

    saved = stack.enter_context(read_study_file(path))
    number, runs = chosen_run(saved, run), runs_of(saved)
    try:
        return StudyPage(server, saved, runs, runs.folder, number, camera)
    except ValueError as error:  # an unknown camera
        raise InputError(str(error)) from error


def _results_page(
    stack: ExitStack, sources: tuple[str, ...], camera: str | None, traced: tuple[str, ...]
) -> "Callable[[viser.ViserServer], Page]":
    """What builds the page. All that may be wrong is found here."""
    from mbsim.results import ResultError
    from mbsim.scene.camera import camera as camera_of
    from mbsim.view.live import prepare
    from mbsim.view.plots import NO_BODIES

    of_modes = [modes_of(Path(source)) for source in sources]
    if of_modes[0] is not None and len(sources) == 1:
        from mbsim.view.modes import ModesPage

        folder = Path(sources[0]).parent
        saved, scene = of_modes[0]
        try:
            camera_of(scene, camera)
        except ValueError as error:
            raise InputError(str(error)) from error
        return lambda server: ModesPage(server, saved, scene, folder, camera)
    if any(of_modes):
        raise InputError("a file of modes is shown alone")
    results = [stack.enter_context(open_or_exit(Path(source))) for source in sources]
    names = [Path(source).stem for source in sources]
    names = names if len(set(names)) == len(names) else list(sources)
    try:
        for source, result in zip(sources, results, strict=True):
            if not len(result.time):
                raise InputError(f"{source}: the result holds no rows: the run ended before its first output")
            if result.labels("body") != results[0].labels("body"):
                raise InputError(f"{source}: its bodies are not those of {sources[0]}; only results of one mechanism are shown together")
        if not results[0].labels("body"):
            click.echo(NO_BODIES, err=True)
        return prepare(results, names, camera, traced)
    except ResultError as error:
        raise InputError(str(error)) from error
    except ValueError as error:
        raise InputError(str(error)) from error
