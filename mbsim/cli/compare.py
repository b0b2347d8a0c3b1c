"""Compare methods, integrators and steps on the same models against an independent reference."""

import logging
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors
from mbsim.cli._number import Finite, FiniteRange
from mbsim.cli._output import complaint, force_option, output_errors, wide_option
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.studies.compare.comparison import Comparison
    from mbsim.studies.compare.presets import Preset

log = logging.getLogger("mbsim")
DEFAULT_MODELS = ("rolling_disk", "pendulum_dae", "quick_return", "space_robot")  # the examples of the papers


class _Remembering(click.Command):
    """A command that keeps its arguments as typed, for the report."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["mbsim.arguments"] = list(args)
        return super().parse_args(ctx, args)


@click.command(cls=_Remembering)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--preset", metavar="NAME", help="A paper's example with its settings beside ours: paper:svd, riemann, broyden or cfa.")
@click.option("--methods", help="Methods, comma-separated, options in parentheses: svd,svd(hold=false). Default: every method.")
@click.option(
    "--integrators", help="Integrators, likewise. Default: rk4, radau for stiff models. Methods that make their own steps take none."
)
@click.option("--steps", help="Steps in s, comma-separated. Default: the model's, its half and its quarter.")
@click.option("--tolerances", help="Tolerances, comma-separated, in place of steps for integrators with error control.")
@click.option("--reference", default="auto", help="`auto` (published values and a converged run) or a result file.")
@click.option("--repeats", type=click.IntRange(1, 1000), default=3, show_default=True, help="Runs of each row, for the median wall time.")
@click.option("--timeout", type=FiniteRange(0.0, min_open=True), default=300.0, show_default=True, help="Time limit of a row, s.")
@click.option("--end", type=Finite(), help="Last time, s. Default: the model's.")
@click.option("--drift", metavar="WORD", help="What is corrected after each step: none, position or full. Default: the model's.")
@click.option(
    "-o", "--output", "outputs", multiple=True, type=click.Path(path_type=Path, dir_okay=False),
    help="A report (.html), the numbers (.json), the runs (.h5) or the table (.csv, .xlsx, .md, .tex); may be repeated.",
)  # fmt: skip
@wide_option
@force_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    models: tuple[str, ...],
    preset: str | None,
    methods: str | None,
    integrators: str | None,
    steps: str | None,
    tolerances: str | None,
    outputs: tuple[Path, ...],
    wide: bool,
    force: bool,
    **given: Any,
) -> None:
    """Run each MODEL with every combination of methods, integrators and steps, and judge each run against a reference.

    MODEL is a model file or the name of a shipped model. Default: the examples of the papers. The table goes to stdout, one row per
    combination. Exits with 1 when a row fails, differs from the reference by more than the errors of both explain, is of an order below
    its own where another method is not, or cannot be judged.
    """
    from mbsim.results import ResultError
    from mbsim.studies.compare.plan import PlanError, split
    from mbsim.studies.compare.study import compare

    ready = _preset(preset)
    paths = [find_model(name) for name in models or (ready.models if ready else DEFAULT_MODELS)]
    inputs = [*paths, *([Path(given["reference"])] if given["reference"] != "auto" else [])]
    for path in outputs:
        _check_output(path, force, inputs)
    words: dict[str, Any] = {"methods": methods, "integrators": integrators, "steps": steps, "tolerances": tolerances}
    chosen: dict[str, Any] = {name: None if text is None else split(text) for name, text in words.items()}
    if ready:
        chosen["methods"], chosen["integrators"] = chosen["methods"] or ready.methods, chosen["integrators"] or ready.integrators
    typed = f"mbsim compare {shlex.join(ctx.meta['mbsim.arguments'])}".strip()
    try:
        with model_errors():
            try:
                found = compare(paths, **chosen, **given, command=typed, progress=log.info)
            except PlanError as error:
                click.echo("\n".join(error.problems), err=True)
                raise click.exceptions.Exit(2) from None
            except (ResultError, FileNotFoundError) as error:
                raise InputError(str(error)) from error
    except KeyboardInterrupt:
        click.echo("interrupted; nothing was written", err=True)
        raise click.exceptions.Exit(1) from None
    _show(found, wide)
    for path in outputs:
        try:
            found.save(path, force)
        except OSError as error:
            raise complaint(error) from error
        log.info("%s", path)
    ctx.exit(0 if found.ok else 1)


def _preset(name: str | None) -> "Preset | None":
    """What is asked for by name, with or without `paper:`."""
    from mbsim.model.file.errors import did_you_mean
    from mbsim.studies.compare.presets import PRESETS

    if name is None:
        return None
    found = PRESETS.get(name if name.startswith("paper:") else f"paper:{name}")
    if found is None:
        raise InputError(f"unknown preset '{name[:60]}'{did_you_mean(name, PRESETS)}")
    return found


def _check_output(path: Path, force: bool, inputs: list[Path]) -> None:
    """Before hours of runs, not after them."""
    from mbsim.results import outputs
    from mbsim.studies.compare.store import SUFFIXES

    with output_errors():
        outputs.check_suffix(path, SUFFIXES)
        outputs.require(path, force, inputs)


def _show(found: "Comparison", wide: bool) -> None:
    from mbsim.studies.compare.table import alarming, summary, text

    def style(word: str, verdict: str) -> str:
        return click.style(word, fg="green" if verdict == "agrees" else "red" if alarming(verdict) else "yellow")

    click.echo(text(found, style, terminal.room(wide)))
    log.info("%s", summary(found))
