"""Find the static equilibrium of a model, or a steady motion with given speeds."""

import json
from pathlib import Path
from typing import Any

import click

from mbsim import terminal
from mbsim.cli._beams import BETWEEN, resultants, without_nodes
from mbsim.cli._errors import NOT_GOOD_ENOUGH, InputError
from mbsim.cli._model import assemble_or_exit, pairs, read_model
from mbsim.cli._output import complaint, force_option, output_errors, wide_option
from mbsim.cli._result import require_result
from mbsim.cli._static import FROM_THE_MODEL, no_equilibrium, number
from mbsim.cli.models import find_model

TINY = 1e-12  # of the largest of its kind: smaller components are round-off and shown as 0


@click.command()
@click.argument("model")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--keep", multiple=True, metavar="DRIVER", help="A driver that holds its coordinate; may be repeated; all: every driver.")
@click.option(
    "--steady", multiple=True, metavar="SPEED=VALUE", help="A speed of a steady motion, such as wheel.omega.y=5; may be repeated."
)
@click.option(
    "--vary",
    metavar="NAME=FROM:TO[:STEPS]",
    help="A parameter of the model: the equilibria over it along their curve, with limit points and bifurcations.",
)
@click.option("--branch", type=click.IntRange(1), metavar="K", help="With --vary: follow the curve that crosses at bifurcation K.")
@click.option("--holding", metavar="NAME", help="The values of a parameter for which friction and contacts hold the start.")
@click.option("--rest", is_flag=True, help="The static equilibrium, whatever the block `steady` of the model says.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option(
    "--write", "block", type=click.Path(path_type=Path, dir_okay=False), help="Write the coordinates as YAML, to be put into the model."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Result file with one row; with --vary a row a point, or a picture: .png, .pdf, .svg.",
)
@wide_option
@force_option
@click.pass_context
def command(
    context: click.Context,
    model: str,
    assignments: tuple[str, ...],
    keep: tuple[str, ...],
    steady: tuple[str, ...],
    vary: str | None,
    branch: int | None,
    holding: str | None,
    rest: bool,
    as_json: bool,
    block: Path | None,
    output: Path | None,
    wide: bool,
    force: bool,
) -> None:
    """Find the equilibrium that the start of MODEL leads to. Print coordinates, reactions, forces and stability.

    Drivers are let go unless they are kept. The speeds that --steady or the block `steady` of the model give stay, and nothing
    accelerates. Exits with 1 where no equilibrium is found, with 3 where it is unstable.
    """
    path = find_model(model)
    if rest and steady:
        raise InputError("--rest and --steady exclude each other")
    if vary is not None or branch is not None:
        from mbsim.cli._curve import show_curve

        if vary is None:
            raise InputError("--branch says which curve --vary follows; give --vary")
        for option, given in {"--steady": steady, "--write": block}.items():
            if given:
                raise InputError(f"--vary and {option} exclude each other")
        if holding is not None:
            raise InputError("--vary and --holding exclude each other")
        show_curve(path, assignments, vary, branch or 0, keep, as_json, output, wide, force)
        return
    if holding is not None:
        from mbsim.cli._curve import show_holding

        for option, given in {"--steady": steady, "--write": block, "--output": output}.items():
            if given:
                raise InputError(f"--holding and {option} exclude each other")
        show_holding(path, assignments, holding, keep, as_json)
        return
    speeds = {name: number("--steady", name, text) for name, text in pairs("--steady", steady).items()}
    if output is not None:
        require_result(output, force, path)
    if block is not None:
        from mbsim.results import outputs

        with output_errors():
            outputs.require(block, force, [path])
    read = read_model(path, assignments, FROM_THE_MODEL)  # not from the equilibrium that is looked for
    from mbsim.analyses import static
    from mbsim.march.kernels import observer_modules

    made = assemble_or_exit(read, beside=observer_modules(read.in_joint_coordinates))
    with no_equilibrium():
        found = static.balance(made, keep, {} if rest else {**made.steady, **speeds})
    facts = static.facts(found)
    shown = json.dumps(facts, indent=2, ensure_ascii=False) if as_json else text(made.system.name, facts, terminal.room(wide))
    click.echo(shown)
    try:
        if output is not None:
            static.record(found, output, force)
            click.echo(output, err=True)
        if block is not None:
            outputs.write_text(block, static.initial_block(found), force, [path])
            click.echo(block, err=True)
    except OSError as error:
        raise complaint(error) from None
    if facts["warnings"]:
        context.exit(NOT_GOOD_ENOUGH)


def text(name: str, facts: dict[str, Any], limit: int | None = None) -> str:
    """The equilibrium as lines of up to `limit` columns."""
    growing = facts["growing"]
    stability = "stable" if facts["stable"] else f"unstable: {growing} {'motion grows' if growing == 1 else 'motions grow'}"
    what = "steady motion" if facts["v"] else "equilibrium"
    lines = [f"warning: {warning}" for warning in facts["warnings"]]
    lines += [f"{name}: {what} at t = {facts['time']:g} s, {stability}"]
    lines.append(f"  largest unbalanced force {facts['residual']:.2g} in {facts['residual_at']}, {facts['steps']} steps")
    beams = facts["beams"]
    lines += _values("coordinates", without_nodes(facts["q"], beams) | facts["states"])
    lines += _values("speeds", without_nodes({key: value for key, value in facts["v"].items() if value}, beams))
    vectors = {f"{joint} {kind}": vector for joint, both in facts["reactions"].items() for kind, vector in both.items() if any(vector)}
    if vectors:
        largest = max(abs(x) for vector in vectors.values() for x in vector)
        lines.append("  reactions, on the second body of each joint, global axes (N, N m)")
        lines += [f"    {key}: {', '.join(_show(x, largest) for x in vector)}" for key, vector in vectors.items()]
    if facts.get("contacts"):
        lines.append("  what touches: normal force, friction (N, N m)")
        lines += [f"    {name}: {_touching(told)}" for name, told in facts["contacts"].items()]
    if beams:
        lines += [f"  beams, largest at a part of the way (N, N m); {BETWEEN}", *resultants(beams)]
    forces = {key: parts for key, parts in facts["forces"].items() if key not in beams}
    if forces:
        lines.append("  generalised forces (N, N m)")
        lines += [f"    {key}: {', '.join(f'{s} {x:.6g}' for s, x in parts.items()) or '0'}" for key, parts in forces.items()]
    lines += _values("efforts of drivers (N, N m)", facts["driver_efforts"])
    lines += _values("efforts that keep the speeds (N, N m)", facts["steady_efforts"])
    lines += _values("measures", facts["measures"])
    lines = [terminal.fold(line, limit, items=True) for line in lines]
    return "\n".join([*lines, *(terminal.fold(f"  note: {note}", limit) for note in facts["notes"])])


def _values(title: str, values: dict[str, float]) -> list[str]:
    largest = max(map(abs, values.values()), default=0.0)
    return [f"  {title}", *(f"    {key} = {_show(x, largest)}" for key, x in values.items())] if values else []


def _touching(told: dict[str, Any]) -> str:
    """The forces of what touches."""
    parts = [] if told["normal"] is None else [f"{told['normal']:.9g}"]
    if told["sticks"]:
        parts.append(f"sticks with {', '.join(f'{x:.9g}' for x in told['friction'])}, {100.0 * told['used']:.3g} % of its bound")
    return ", ".join(parts)


def _show(value: float, largest: float) -> str:
    return f"{value:.9g}" if abs(value) > TINY * largest else "0"
