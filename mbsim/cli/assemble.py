"""Assemble the start of a model: residuals before and after, what moved, and the start as an `initial` block."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._model import assemble_or_exit, read_model
from mbsim.cli._output import force_option, output_errors
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.assembly import Assembly

SHOWN = 1e-12  # m, rad, m/s, rad/s: smaller changes and residuals are round-off and left out of the text


@click.command()
@click.argument("model")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the `initial` block to this file as well.")
@force_option
def command(model: str, assignments: tuple[str, ...], as_json: bool, output: Path | None, force: bool) -> None:
    """Assemble the start of MODEL. Print the residuals before and after, what moved, and the start as an `initial` block."""
    from mbsim.results import outputs

    path = find_model(model)
    if output is not None and not outputs.is_stream(output):
        with output_errors():
            outputs.require(output, force, [path])
    read = read_model(path, assignments, {})
    facts = examine(assemble_or_exit(read), read.initial.fix)
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else text(facts))
    if output is not None:
        with output_errors():
            outputs.write_text(output, block(facts) + "\n", force, [path])


def examine(made: "Assembly", fixed: list[str]) -> dict[str, Any]:
    """The output of `assemble`, as JSON types. `fixed` are the names that the model pins."""
    import numpy as np

    system, t, n_c = made.system, made.start, made.system.n_c
    given_q, given_v = made.correction[2:] if len(made.correction) > 2 else (made.q, made.v)
    C, xi = system.C(t, made.q), system.xi(t, made.q)
    residuals = {
        "position": (system.rows[: system.n_holonomic], system.phi(t, given_q), system.phi(t, made.q)),
        "velocity": (system.rows, C @ given_v + xi, C @ made.v + xi),
    }
    changes = {
        "coordinates": (system.coordinates[:n_c], system.coordinate_units[:n_c], given_q[:n_c], made.q[:n_c]),
        "speeds": (system.speeds, system.speed_units, given_v, made.v),
    }
    facts: dict[str, Any] = {"name": system.name, "start": t, "fixed": fixed}
    for level, (names, before, after) in residuals.items():
        facts[f"residuals_{level}"] = [
            {"constraint": name, "before": float(b), "after": float(a)} for name, b, a in zip(names, before, after, strict=True)
        ]
    for kind, (names, units, given, found) in changes.items():
        facts[kind] = [
            {"name": name, "units": unit, "given": float(g), "found": float(f)}
            for name, unit, g, f in zip(names, units, given, found, strict=True)
        ]
    facts["initial"], facts["turned"] = _initial(made, np.asarray(given_q))
    return facts


def _initial(made: "Assembly", given_q: Any) -> tuple[dict[str, Any], list[str]]:
    """The start as keys of an `initial` block, and the spatial bodies whose orientation changed (`initial` has no key for it)."""
    from mbsim.kernels.rotations import matrices

    system = made.system
    if system.dimension != 3 or system.in_joint_coordinates:
        names, start = [*system.coordinates[: system.n_c], *system.speeds], [*made.q[: system.n_c], *made.v]
        return dict(zip(names, map(float, start), strict=True)), []
    values: dict[str, Any] = {}
    turned = []
    for i, name in enumerate(system.bodies):
        q, v = made.q[7 * i : 7 * i + 7], made.v[6 * i : 6 * i + 6]
        values[f"{name}.position"] = [float(x) for x in q[:3]]
        values[f"{name}.velocity"] = [float(x) for x in v[:3]]
        values[f"{name}.angular_velocity"] = [float(x) for x in matrices(q[3:]) @ v[3:]]
        if abs(q[3:] - given_q[7 * i + 3 : 7 * i + 7]).max() > SHOWN:
            turned.append(name)
    return values, turned


def block(facts: dict[str, Any]) -> str:
    """The `initial` block."""
    lines = ["initial:"]
    for name in facts["turned"]:
        lines.append(f"  # the orientation of {name} is drawn at the body; assembly turns it on from there")
    lines += [f"  {name}: {value!r}" for name, value in facts["initial"].items()]
    if facts["fixed"]:
        lines.append(f"  fix: [{', '.join(facts['fixed'])}]")
    return "\n".join(lines)


def text(facts: dict[str, Any]) -> str:
    """The facts for a reader."""
    lines = [f"{click.style(facts['name'], bold=True)}: start at t = {facts['start']:g} s"]
    for level in ("position", "velocity"):
        shown = [r for r in facts[f"residuals_{level}"] if max(abs(r["before"]), abs(r["after"])) > SHOWN]
        quiet = len(facts[f"residuals_{level}"]) - len(shown)
        lines.append(f"{level} residuals" + (f" ({quiet} constraint rows are satisfied as given)" if quiet else ""))
        lines += _table([("", "before", "after"), *((r["constraint"], _number(r["before"]), _number(r["after"])) for r in shown)])
    for kind in ("coordinates", "speeds"):
        moved = [c for c in facts[kind] if abs(c["found"] - c["given"]) > SHOWN]
        lines.append(f"{kind} changed: {len(moved)} of {len(facts[kind])}")
        lines += _table([("", "given", "found"), *((c["name"], f"{c['given']:.9g}", f"{c['found']:.9g}") for c in moved)])
    lines.append(f"pinned by `fix`: {', '.join(facts['fixed']) or 'none'}")
    return "\n".join([*lines, "", block(facts)])


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) > SHOWN else "0"


def _table(rows: list[tuple[str, str, str]]) -> list[str]:
    if len(rows) == 1:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  " + f"{a:{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]
