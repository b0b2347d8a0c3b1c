"""Check a model: degrees of freedom, rank, redundant constraints by name, how its start was assembled."""

import json
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli.models import find_model
from mbsim.cli.run import assembled, read_model

if TYPE_CHECKING:
    from mbsim.assembly import Assembly

SHOWN = 1e-14  # smaller start values are round-off of the assembly and shown as 0


@click.command()
@click.argument("model")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
def command(model: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """Assemble the start of MODEL and say what its constraints leave free."""
    facts = examine(assembled(read_model(find_model(model), assignments, {})))
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else text(facts))


def examine(made: "Assembly") -> dict[str, Any]:
    """What `check` says, as JSON types."""
    import numpy as np

    from mbsim.analysis.redundancy import redundancy

    system = made.system
    found = redundancy(system, made.start, made.q)
    M, _, C, xi, _, _ = system.terms(made.start, made.q, made.v)
    blocks = M
    if system.bodies and not system.in_joint_coordinates:  # a block a body
        per_body = M.reshape(len(system.bodies), -1, len(system.bodies), system.n_v // len(system.bodies))
        blocks = np.einsum("ibic->ibc", per_body)
    phi = system.phi(made.start, made.q)
    sigma = found.singular_values[: found.rank]
    return {
        "name": system.name,
        "bodies": system.bodies,
        "coordinates": system.n_q,
        "speeds": system.n_v,
        "constraint_rows": system.n_rows,
        "holonomic": system.n_holonomic,
        "nonholonomic": system.n_rows - system.n_holonomic,
        "rank": found.rank,
        "degrees_of_freedom": found.degrees_of_freedom,
        "smallest_singular_value": float(sigma[-1]) if len(sigma) else None,
        "redundant": system.n_rows - found.rank,
        "dependent_groups": found.groups,
        "reactions_not_unique": [joint.name for joint in system.joints if not found.unique[joint.rows].all()],
        "cut_joints": system.cuts,
        "mass_matrix": "positive definite" if np.linalg.eigvalsh(blocks).min(initial=1.0) > 0 else "singular",
        "start": made.start,
        "correction_position": made.correction[0],
        "correction_velocity": made.correction[1],
        "residual_position": float(np.abs(phi).max(initial=0.0)),
        "residual_velocity": float(np.abs(C @ made.v + xi).max(initial=0.0)),
        "residuals": {name: float(value) for name, value in zip(system.rows, [*phi, *(C @ made.v + xi)[len(phi) :]], strict=True)},
        "q": dict(zip(system.coordinates, map(float, made.q), strict=True)),
        "v": dict(zip(system.speeds, map(float, made.v), strict=True)),
    }


def text(facts: dict[str, Any]) -> str:
    """The facts for a reader."""
    rows, rank = facts["constraint_rows"], facts["rank"]
    count = len(facts["bodies"])
    bodies = f"{count} {'body' if count == 1 else 'bodies'}, " if count else ""
    lines = [
        click.style(facts["name"], bold=True),
        f"  {bodies}{facts['speeds']} speeds",
        f"  constraint rows: {facts['holonomic']} holonomic and {facts['nonholonomic']} nonholonomic, rank {rank}",
        f"  degrees of freedom: {facts['degrees_of_freedom']}",
    ]
    if facts["cut_joints"]:
        lines.append(f"  loops are closed by the rows of: {', '.join(facts['cut_joints'])} (`cut: true` chooses another joint)")
    if facts["redundant"]:
        lines.append(f"  redundant rows: {facts['redundant']} (Gruebler's count would give {facts['speeds'] - rows} degrees of freedom)")
        lines += [f"    depend on each other: {', '.join(group)}" for group in facts["dependent_groups"]]
        if facts["reactions_not_unique"]:
            lines.append(f"    reactions not unique: {', '.join(facts['reactions_not_unique'])}")
    elif rows:
        smallest = facts["smallest_singular_value"]  # not known of a large system
        lines.append("  no redundant rows" + (f" (smallest singular value {smallest:.3g} of rows of length 1)" if smallest else ""))
    lines.append(f"  mass matrix: {facts['mass_matrix']}")
    moved = f"moved positions by at most {facts['correction_position']:.3g} and speeds by at most {facts['correction_velocity']:.3g}"
    lines.append(f"  start at t = {facts['start']:g} s: assembly {moved}")
    lines.append(f"  residuals there: position {facts['residual_position']:.1e}, velocity {facts['residual_velocity']:.1e}")
    lines += [f"    {name} = {value if abs(value) > SHOWN else 0.0:.9g}" for name, value in (facts["q"] | facts["v"]).items()]
    return "\n".join(lines)
