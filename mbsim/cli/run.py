"""Run a model and write its motion, reactions and energies to an HDF5 file."""

import logging
import math
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._errors import NOT_GOOD_ENOUGH, InputError
from mbsim.cli._model import kept_or_assembled, pairs, settings_at_their_place
from mbsim.cli._number import FiniteRange
from mbsim.cli._output import complaint, force_option
from mbsim.cli._result import list_events, require_result, tell_change
from mbsim.cli.models import find_model
from mbsim.results.represent import accuracy
from mbsim.system.native import allowing

if TYPE_CHECKING:
    from mbsim.assembly import Assembly
    from mbsim.results import Result

log = logging.getLogger("mbsim")
EVENTS_SHOWN = 12  # names
CHANGES_SHOWN = 10  # of the rank


@click.command()
@click.argument("model")
@click.option("--method", help="Method for the constrained equations: auto, svd, cfa, lagrange, 'svd(hold=false)' ...")
@click.option("--integrator", help="Time integrator: rk4, dop853 ...")
@click.option("--step", help="Largest step of the integrator, s. Default: error control chooses the steps.")
@click.option("--rtol", help="Relative tolerance of the error, of integrators and methods that control it.")
@click.option("--atol", help="Absolute tolerance of the error, likewise: links of the mechanism, rad, and these per s.")
@click.option("--end", help="Last time, s.")
@click.option("--output-step", help="Time between rows of the result, s. Default: the step, else a thousandth of the span.")
@click.option("--start-from", help="model, or equilibrium: the one that the model's start leads to, or its steady motion.")
@click.option("--drift", help="What is corrected after each step: none, position or full.")
@click.option("--drift-tolerance", help="Residual above which drift is corrected.")
@click.option("--corners", help="Where laws change: locate (steps end there) or step_over.")
@click.option("--impacts", help="Contacts: events (located), steps (through them, order 1) or auto (steps where events crowd).")
@click.option("--impact-law", help="What restitution is a ratio of: newton (speeds) or poisson (impulses).")
@click.option("--simultaneous", help="Impacts at one time: true (all at once) or false (one after the other).")
@click.option("--stop", help="Expression of t and the state. The run ends where it crosses zero.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the method or integrator; may be repeated.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--allow-wrong", is_flag=True, help="Run a published variant whose motion is known to be wrong, as riemann(equations=paper).")
@click.option("--allow-native", is_flag=True, help="Run the native code of the units (type: fmu) that the model names.")
@click.option("--record", multiple=True, type=click.Choice(["equations"]), help="Record the constraint force equations of a tree, too.")
@click.option("--certify", is_flag=True, help="Repeat the run with finer steps and by another method, and print how many digits are right.")
@click.option("--digits", type=FiniteRange(0.0, 15.0), help="As --certify, and exit with 3 when fewer digits are right.")
@click.option("--strict", is_flag=True, help="Exit with 3 when the run gives a warning.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Result file. Default: MODEL.h5 in the current folder."
)
@force_option
def command(
    model: str,
    assignments: tuple[str, ...],
    options: tuple[str, ...],
    output: Path | None,
    force: bool,
    certify: bool,
    digits: float | None,
    strict: bool,
    allow_wrong: bool,
    allow_native: bool,
    record: tuple[str, ...],
    **given: str | None,
) -> None:
    """Run MODEL, a model file or the name of a shipped model, and print the path of the result.

    Options override the `simulation` block of the file.
    """
    began = perf_counter()
    click.get_current_context().with_resource(allowing(allow_native))
    path = find_model(model)
    settings = {name: value for name, value in given.items() if value is not None} | pairs("--option", options)
    output = output or Path(path.stem + ".h5")
    require_result(output, force, path)  # before anything is compiled
    cold = log.isEnabledFor(logging.DEBUG) and _cold()
    if certify or digits is not None:
        from mbsim.cli._certificate import beside, writable

        writable(output, beside(output), force)
    with settings_at_their_place(path, assignments, settings):
        made = kept_or_assembled(path, assignments, settings)
        prepared = perf_counter() - began
        result = _run(made, output, force, allow_wrong, record)
    _summarise(result, prepared, cold)
    click.echo(output)
    if certify or digits is not None:
        from mbsim.cli._certificate import require, write_certificate

        certificate = write_certificate(output, beside(output), force)
        click.echo(certificate.verdict)
        require(certificate, digits)
    if strict and result.attributes.get("warnings"):
        raise click.exceptions.Exit(NOT_GOOD_ENOUGH)


def _cold() -> bool:
    """Whether no earlier run compiled anything."""
    from mbsim import jit

    return jit.is_cold()


def _run(made: "Assembly", output: Path, force: bool, allow_wrong: bool, record: tuple[str, ...]) -> "Result":
    from mbsim.analyses.dynamic import simulate
    from mbsim.march.ending import SimulationError

    span = made.simulation.end - made.start
    how: dict[str, Any] = {"output": output, "force": force, "allow_wrong": allow_wrong, "record": record}
    try:
        if sys.stderr.isatty() and log.isEnabledFor(logging.INFO):
            with click.progressbar(length=1000, label=made.system.name, file=sys.stderr) as bar:
                return simulate(made, **how, progress=lambda t: bar.update(round(1000 * (t - made.start) / span) - bar.pos))
        return simulate(made, **how)
    except SimulationError as error:
        for said in (
            () if error.result is None else (*error.result.attributes.get("notes", []), *error.result.attributes.get("warnings", []))
        ):
            log.warning("  %s", said)  # it may be the reason
        click.echo(f"{error}; the result up to there is in {output}", err=True)
        raise click.exceptions.Exit(1) from None
    except KeyboardInterrupt as stop:
        click.echo(f"{str(stop) or 'interrupted'}; the result up to there is in {output}", err=True)
        raise click.exceptions.Exit(1) from None
    except OSError as error:
        raise complaint(error) from None
    except ValueError as error:  # settings that do not go together, or need a package that is missing
        raise InputError.of(error) from None


def _noun(name: str, count: int) -> str:
    """`SVDs`, `1 SVD`; `rejected` has no plural."""
    name = "SVDs" if name == "svds" else name
    return name.removesuffix("s") if count == 1 else name


def _summarise(result: "Result", prepared: float, cold: bool) -> None:
    """A few lines on stderr: what was done, how well the constraints and the energy held, how long it took.

    `prepared` are the seconds before the run: reading, assembling, compiling; `cold`: nothing was compiled before it.
    """
    from mbsim import jit

    if log.isEnabledFor(logging.INFO):
        _tell(result)
    for warning in result.attributes.get("warnings", []):
        log.warning("  warning: %s", warning)
    took, step = _times(result.attributes)
    if jit.has_compiled():  # maybe while it marched, which would be said of the steps
        log.info("  %.3g s, with what was compiled for it; a second run tells the time per step", took)
    else:
        log.info("  %.3g s, %.3g us per step", took, step)
    if log.isEnabledFor(logging.DEBUG):
        from mbsim.cli._verbose import explain

        for line in explain(result, prepared, cold):
            log.debug("  %s", line)


def _times(facts: dict[str, Any]) -> tuple[float, float]:
    """The time of the whole run in s, and of a step in microseconds."""
    return facts["wall_time"], 1e6 * facts["march_time"] / max(facts["counts"]["steps"], 1)


def _tell(result: "Result") -> None:
    """What was done, and how well constraints and energy held."""
    from mbsim.march.quality import NO_DIGIT, no_digit

    facts: dict[str, Any] = result.attributes
    counts = facts["counts"]
    drift = ", ".join(f"{level} {result[f'residual_{level}'].max():.1e}" for level in ("position", "velocity", "acceleration"))
    span = result.time[-1] - result.time[0]
    log.info("%s: %g s of motion with %s and %s, %s", facts["title"], span, facts["method"], facts["integrator"], accuracy(facts))
    if chosen := [facts["choices"][name] for name in ("method", "integrator") if name in facts["choices"]]:
        log.info("  chosen: %s", "; ".join(chosen))
    done = {name: count for name, count in counts.items() if count or name in ("steps", "evaluations")}
    log.info("  %s", ", ".join(f"{count} {_noun(name, count)}" for name, count in done.items()))
    if "stopped" in facts:
        log.info("  stopped at t = %.9g s: %s", result.time[-1], facts["stopped"])
    for line in list_events(result.events)[:EVENTS_SHOWN]:
        log.info("  event %s", line)
    log.info("  largest residual: %s", drift)
    changes = facts.get("rank_changes", [])
    for change in changes[:CHANGES_SHOWN]:
        log.info("  %s", tell_change(change))
    if len(changes) > CHANGES_SHOWN:
        log.info("  and %d more changes of the rank; `mbsim info` lists them", len(changes) - CHANGES_SHOWN)
    error = float(result["error_estimate"].max()) if "error_estimate" in result else math.nan
    if math.isfinite(error):  # none is made of steps through contacts
        q = result["q"]
        said = (
            NO_DIGIT
            if no_digit(error, float(abs(q - q[0]).max(initial=0.0)))
            else f"estimated error of the positions: {error:.1e} (m or rad)"
        )
        log.info("  %s", said)
    balance = abs(result["energy_balance"]).max()
    ends = [result[f"energy_{kind}"][-1] for kind in ("kinetic", "potential")]
    if math.isfinite(balance):
        log.info("  energy: kinetic %.6g J, potential %.6g J at the end; largest imbalance %.1e J", *ends, balance)
    else:
        log.info("  energy: kinetic %.6g J at the end; the potential energy is not known or not finite", ends[0])
    for note in facts.get("notes", []):
        log.info("  note: %s", note)
