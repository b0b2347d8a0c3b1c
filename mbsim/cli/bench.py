"""Run the models that have published values and compare each with these values."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors
from mbsim.cli._number import FiniteRange
from mbsim.cli._output import complaint, force_option, output_errors, wide_option
from mbsim.cli.models import find_model, list_shipped

if TYPE_CHECKING:
    from mbsim.studies.bench.cases import Case
    from mbsim.studies.bench.table import Row

log = logging.getLogger("mbsim")


@click.command()
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--list", "listing", is_flag=True, help="Only list the benchmarks with their sources.")
@click.option("--search", "searching", is_flag=True, help="Find the fastest setting that meets the values with half of their tolerances.")
@click.option("--methods", help="Methods for --search, comma-separated, options in parentheses. Default: every method.")
@click.option("--integrators", help="Integrators for --search, likewise. Default: every integrator.")
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="Number of settings that --search shows for a model.")
@click.option("--repeats", type=click.IntRange(1, 1000), default=3, show_default=True, help="Runs of each benchmark; times are the median.")
@click.option("--timeout", type=FiniteRange(0.0, min_open=True), default=300.0, show_default=True, help="Time limit of a model, s.")
@click.option("--json", "as_json", is_flag=True, help="Print every number as JSON.")
@wide_option
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the table as .csv, .json or .md.")
@force_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    models: tuple[str, ...],
    listing: bool,
    searching: bool,
    methods: str | None,
    integrators: str | None,
    top: int,
    repeats: int,
    timeout: float,
    as_json: bool,
    wide: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Run each MODEL at its own setting and compare it with the published values in its file.

    MODEL is a model file or the name of a shipped model. Default: every shipped model that has a `reference` block.
    The table goes to stdout. Exits with 1 when a value is missed.
    """
    from mbsim.results import outputs
    from mbsim.studies.bench import table

    _check(searching, methods, integrators)
    cases = _cases(models)
    if output is not None:
        with output_errors():
            outputs.check_suffix(output, table.SUFFIXES)
            outputs.require(output, force, [find_model(name) for name in models])
    if listing:
        listed = [[case.name, f"{case.published.count} values", case.published.source] for case in cases]
        click.echo("\n".join(terminal.table(listed, terminal.room(wide), numbers=(1,))))
        return
    try:
        with model_errors():
            rows, ok = _search(cases, methods, integrators, top, timeout) if searching else _bench(cases, repeats, timeout)
    except KeyboardInterrupt:
        click.echo("interrupted; nothing was written", err=True)
        raise click.exceptions.Exit(1) from None
    colours = {"met": "green", "missed": "red", "failed": "red"}
    shown = table.as_json(rows) if as_json else table.text(rows, lambda word, v: click.style(word, fg=colours.get(v)), terminal.room(wide))
    click.echo(shown)
    met = sum(row["verdict"] == "met" for row in rows)
    log.info("%d %s, %d met", len(rows), "settings" if searching else "benchmarks", met)
    if output is not None:
        try:
            table.save(rows, output, force)
        except OSError as error:
            raise complaint(error) from error
        log.info("%s", output)
    ctx.exit(0 if ok else 1)


def _check(searching: bool, methods: str | None, integrators: str | None) -> None:
    """Check the arguments before anything is read. Exits with 2."""
    from mbsim.studies.compare.plan import PlanError, make_plan, split

    if not searching and (methods or integrators):
        raise InputError("--methods and --integrators go with --search; a benchmark runs at its file's setting")
    try:
        make_plan(methods and split(methods), integrators and split(integrators), None, None)
    except PlanError as error:
        click.echo("\n".join(error.problems), err=True)
        raise click.exceptions.Exit(2) from None


def _cases(models: tuple[str, ...]) -> "list[Case]":
    """The requested models, or the shipped ones with published values. Reports every model with errors and exits with 2."""
    from mbsim.model.file.errors import ModelError
    from mbsim.studies.bench.cases import read_case

    paths = [find_model(name) for name in models] or list(list_shipped().values())
    found, problems = [], []
    with model_errors():
        for path in dict.fromkeys(paths):
            try:
                case = read_case(path)
            except ModelError as error:
                problems += error.problems
                continue
            if case is not None:
                found.append(case)
            elif models:
                raise InputError(f"{path} has no `reference` block: no published values to hold a run against")
        if problems:
            raise ModelError(problems)
    if not found:
        raise InputError("no shipped model has a `reference` block")
    return found


def _bench(cases: "list[Case]", repeats: int, timeout: float) -> "tuple[list[Row], bool]":
    """A row for each case, and whether all values are met."""
    from mbsim.studies.bench.measure import bench
    from mbsim.studies.bench.table import facts

    trials = bench(cases, repeats=repeats, timeout=timeout, progress=log.info)
    return [facts(case, trial) for case, trial in zip(cases, trials, strict=True)], all(trial.verdict == "met" for trial in trials)


def _search(cases: "list[Case]", methods: str | None, integrators: str | None, top: int, timeout: float) -> "tuple[list[Row], bool]":
    """The `top` settings that meet each case, the fastest first, and whether there is one for all."""
    from mbsim.studies.bench.search import search
    from mbsim.studies.bench.table import facts, recommendation
    from mbsim.studies.compare.plan import split

    rows, ok = [], True
    words = [None if text is None else split(text) for text in (methods, integrators)]
    for case in cases:
        if not case.wanted:
            log.info("%s: no published values of the motion, so that there is nothing to search", case.name)
            continue
        trials = search(case, *words, timeout=timeout, progress=log.info)
        rows += [facts(case, trial) for trial in trials[:top]]
        ok = ok and bool(trials)
        log.info("%s: %s", case.name, f"the fastest is {recommendation(trials[0])}" if trials else "no setting meets the values")
    return rows, ok
