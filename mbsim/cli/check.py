"""Check a model: degrees of freedom, rank, redundant constraints by name, assembly of the start."""

import json
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._beams import BETWEEN, without_nodes
from mbsim.cli._contacts import tell_contacts
from mbsim.cli._model import assemble_or_exit, model_errors, prepared_to_run, read_model
from mbsim.cli._result import tell_change
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.assembly import Assembly
    from mbsim.diagnosis.redundancy import Redundancy

ROUND_OFF = 1e-15  # m, rad, and by s: less was not moved
CONSISTENT = 1e-8  # m/s, rad/s, m/s2, rad/s2: what is left where rows agree
CHOICES = 6  # of freer joints shown for a group
SHOWN = 1e-14  # smaller start values are round-off of the assembly and shown as 0


@click.command()
@click.argument("model")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("--motion", is_flag=True, help="Run the model and report where the rank of its constraints changes.")
def command(model: str, assignments: tuple[str, ...], as_json: bool, motion: bool) -> None:
    """Assemble the start of MODEL. Print its degrees of freedom, rank and redundant constraints.

    The exit code is 1 where a run would stop at its start, because of stops, contacts or dry friction, and 2 where it would be refused.
    """
    from mbsim.assembly import absolute_freedoms

    read = read_model(find_model(model), assignments, {})
    made = prepared_to_run(read) if motion else assemble_or_exit(read)
    facts = examine(made, {name: joint.type for name, joint in read.joints.items()})
    facts["degrees_of_freedom_absolute"] = absolute_freedoms(read, made.system, made.start, made.q)
    if motion:
        facts |= along_the_motion(made)
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else text(facts))
    if refused := facts["run"].get("refused"):
        key = facts["run"]["setting"]
        placed = read.problem(("simulation", key), refused) if key in read.simulation.model_fields_set else refused
        click.echo(str(placed), err=True)
        raise SystemExit(2)
    if facts["contacts"] and facts["contacts"]["stops"]:
        raise SystemExit(1)


def along_the_motion(made: "Assembly") -> dict[str, Any]:
    """Where the rank changes in a run of the model, and the reason if the run stopped early."""
    from mbsim.analyses.dynamic import simulate
    from mbsim.march.ending import SimulationError

    facts: dict[str, Any] = {"motion_failure": None}
    try:
        with model_errors():
            result = simulate(made)
    except SimulationError as error:
        facts["motion_failure"] = str(error)
        if error.result is None:
            return facts | {"motion_end": error.time, "rank_changes": []}
        result = error.result
    return facts | {"motion_end": result.attributes["end"], "rank_changes": result.attributes.get("rank_changes", [])}


def examine(made: "Assembly", types: dict[str, str]) -> dict[str, Any]:
    """The output of `check`, as JSON types. `types` are the YAML words of the joints."""
    import numpy as np

    from mbsim.diagnosis.freer import suggestions
    from mbsim.diagnosis.redundancy import contradictions, redundancy
    from mbsim.march.failures import without_inertia
    from mbsim.observe.beams import beam_sizes
    from mbsim.observe.open_reactions import open_components

    system = made.system
    found = redundancy(system, made.start, made.q)
    M, _, C, xi, _, _ = system.terms(made.start, made.q, made.v)
    blocks = M
    if system.bodies and not system.in_joint_coordinates:  # a block a body
        per_body = M.reshape(len(system.bodies), -1, len(system.bodies), system.n_v // len(system.bodies))
        blocks = np.einsum("ibic->ibc", per_body)
    phi = system.phi(made.start, made.q)
    sigma = found.singular_values[: found.rank]
    bare = without_inertia(system, made.start, made.q)
    positive = not bare and np.linalg.eigvalsh(blocks).min(initial=1.0) > 0
    return {
        "name": system.name,
        "bodies": system.bodies,
        "coordinates": system.n_c,
        "speeds": system.n_v,
        "constraint_rows": system.n_rows,
        "holonomic": system.n_holonomic,
        "nonholonomic": system.n_rows - system.n_holonomic,
        "rank": found.rank,
        "degrees_of_freedom": found.degrees_of_freedom,
        "smallest_singular_value": float(sigma[-1]) if len(sigma) else None,
        "redundant": system.n_rows - found.rank,
        "gruebler": system.n_v - system.n_rows,
        "dependent_groups": found.groups,
        "contradictions": contradictions(system, made.start, made.q, made.v, found.groups),
        "freer_joints": [
            {"rows": rows, "choices": [[exchange._asdict() for exchange in choice] for choice in choices]}
            for rows, choices in suggestions(system, made.start, made.q, found, types)
        ],
        "reactions_not_unique": _not_unique(made, found),
        "reaction_components_not_unique": open_components(system, made.start, made.q),
        "cut_joints": system.cuts,
        "mass_matrix": "positive definite" if positive else "singular",
        "speeds_without_inertia": [] if positive else bare,
        "start": made.start,
        "correction_position": made.correction[0],
        "correction_velocity": made.correction[1],
        "residual_position": float(np.abs(phi).max(initial=0.0)),
        "residual_velocity": float(np.abs(C @ made.v + xi).max(initial=0.0)),
        "residuals": {name: float(value) for name, value in zip(system.rows, [*phi, *(C @ made.v + xi)[len(phi) :]], strict=True)},
        "q": dict(zip(system.coordinates[: system.n_c], map(float, made.q), strict=False)),
        "states": dict(zip(system.states, map(float, made.q[system.n_c :]), strict=True)),
        "v": dict(zip(system.speeds, map(float, made.v), strict=True)),
        "beams": {name: {"elements": count} for name, count in beam_sizes(system).items()},
        "contacts": _contacts(made),
        "run": _run(made),
        "notes": list(made.notes),
        "warnings": list(made.warnings),
    }


def _not_unique(made: "Assembly", found: "Redundancy") -> list[str]:
    """The joints whose reactions the equations of motion leave open at the start."""
    from mbsim.march.formulation import allocate_for_observer
    from mbsim.observe.observer import Observer

    system = made.system
    if found.unique.all():
        return []
    unique = Observer(system, allocate_for_observer(system)).unique_reactions(made.start, made.q, found)
    return [joint.name for joint, known in zip(system.joints, unique, strict=True) if not known]


def _contacts(made: "Assembly") -> dict[str, Any] | None:
    """What stops, contacts and dry friction do at the start; None of a model without any, or whose run is refused."""
    if made.unilaterals is None:
        return None
    from mbsim.analyses.touching import contacts_at_start
    from mbsim.march.settings import resolve

    try:
        found = contacts_at_start(made, resolve(made.simulation, made.whole))
    except ValueError:  # `run` says why
        return None
    return None if found is None else found._asdict()


def _run(made: "Assembly") -> dict[str, Any]:
    """How `mbsim run` would run the model: settings, and what was chosen and why; `refused` says why it would not."""
    from mbsim.march.settings import bound_to_step, open_to_trial, resolve

    try:
        settings = resolve(made.simulation, made.whole)
        if "integrator" in settings.choices and not settings.explicit:
            from mbsim.march.trial import foreseen

            settings = foreseen(made, settings) or settings
    except ValueError as error:
        return {"refused": str(error), "setting": getattr(error, "key", "")}
    plain = {"options": dict(settings.options), "choices": dict(settings.choices)}
    return {**vars(settings), **plain, "trial": open_to_trial(settings, made.system) or bound_to_step(settings, made.system)}


def _contradiction(left: dict[str, float]) -> str:
    return ", ".join(f"their {level}s differ by {value:.3g}" for level, value in left.items() if value > CONSISTENT)


def _exchange(exchange: dict[str, Any]) -> str:
    return f"{exchange['joint']} {exchange['new']} instead of {exchange['old']} ({', '.join(exchange['freed'])})"


def _choices(run: dict[str, Any]) -> str:
    """What a run would be integrated with: what is chosen, with the reason, and what is given."""
    if "refused" in run:
        return f"refused: {run['refused']}"
    trial = "; a short trial before the run takes an implicit one if the forces are stiff" if run["trial"] else ""
    chosen = "; ".join(run["choices"].get(name, f"{run[name]}: as given") for name in ("method", "integrator"))
    return f"{chosen}; drift {run['drift']}{trial}"


def text(facts: dict[str, Any]) -> str:
    """The facts as text."""
    rows, rank = facts["constraint_rows"], facts["rank"]
    count = len(facts["bodies"])
    bodies = f"{count} {'body' if count == 1 else 'bodies'}, " if count else ""
    gruebler = f" (Gruebler's count: {facts['gruebler']})" if facts["gruebler"] != facts["degrees_of_freedom"] else ""
    lines = [
        click.style(facts["name"], bold=True),
        f"  {bodies}{facts['speeds']} speeds",
        f"  constraint rows: {facts['holonomic']} holonomic and {facts['nonholonomic']} nonholonomic, rank {rank}",
        f"  degrees of freedom: {facts['degrees_of_freedom']}{gruebler}",
    ]
    absolute = facts.get("degrees_of_freedom_absolute")
    if absolute is not None and absolute != facts["degrees_of_freedom"]:
        lines.append(f"  WARNING: in absolute coordinates there are {absolute}; one of the two counts is wrong, and the motion with it")
    if facts["cut_joints"]:
        lines.append(f"  loops are closed by the rows of: {', '.join(facts['cut_joints'])} (`cut: true` chooses another joint)")
    if facts["redundant"]:
        lines.append(f"  redundant rows: {facts['redundant']}")
        for group, left in zip(facts["dependent_groups"], facts["contradictions"], strict=True):
            lines.append(f"    depend on each other: {', '.join(group)}")
            lines.append("      consistent" if max(left.values()) <= CONSISTENT else f"      contradictory: {_contradiction(left)}")
        for suggestion in facts["freer_joints"]:
            choices = suggestion["choices"]
            lines += [f"    independent with {' and '.join(map(_exchange, choice))}" for choice in choices[:CHOICES]]
            if len(choices) > CHOICES:
                lines.append(f"    and {len(choices) - CHOICES} more choices (--json lists them)")
        parts = facts["reaction_components_not_unique"]
        for name in facts["reactions_not_unique"]:
            lines.append(f"    reaction not unique: {name}" + (f" ({', '.join(parts[name])} in its axes)" if name in parts else ""))
    elif rows:
        smallest = facts["smallest_singular_value"]  # not known of a large system
        lines.append("  no redundant rows" + (f" (smallest singular value {smallest:.3g} of rows of length 1)" if smallest else ""))
    bare = f": nothing has inertia in {', '.join(facts['speeds_without_inertia'])}" if facts["speeds_without_inertia"] else ""
    lines.append(f"  mass matrix: {facts['mass_matrix']}{bare}")
    position, velocity = (x if x > ROUND_OFF else 0.0 for x in (facts["correction_position"], facts["correction_velocity"]))
    moved = f"moved positions by at most {position:.3g} and speeds by at most {velocity:.3g}"
    lines.append(f"  start at t = {facts['start']:g} s: assembly {moved}")
    lines.append(f"  residuals there: position {facts['residual_position']:.1e}, velocity {facts['residual_velocity']:.1e}")
    values = without_nodes(facts["q"], facts["beams"]) | facts["states"] | without_nodes(facts["v"], facts["beams"])
    lines += [f"    {name} = {value if abs(value) > SHOWN else 0.0:.9g}" for name, value in values.items()]
    lines += [f"    {name}: {beam['elements']} elements; {BETWEEN}" for name, beam in facts["beams"].items()]
    lines += tell_contacts(facts["contacts"]) if facts["contacts"] is not None else []
    lines.append(f"  run: {_choices(facts['run'])}")
    lines += [f"  note: {note}" for note in facts["notes"]]
    lines += [f"  warning: {warning}" for warning in facts["warnings"]]
    if "rank_changes" in facts:
        count = len(facts["rank_changes"])
        lines.append(f"  motion to t = {facts['motion_end']:.6g} s: {count or 'no'} {'change' if count == 1 else 'changes'} of the rank")
        lines += [f"    {tell_change(change)}" for change in facts["rank_changes"]]
        if facts["motion_failure"]:
            lines.append(f"    {facts['motion_failure']}")
    return "\n".join(lines)
