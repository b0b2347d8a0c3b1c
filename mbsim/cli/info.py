"""Print the contents of a result: how it was made, final values, drift, energies, variables."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._output import force_option, output_errors, wide_option
from mbsim.cli._result import list_events, open_or_exit, tell_change, warn_of_rows
from mbsim.results.represent import accuracy, clock

if TYPE_CHECKING:
    from mbsim.results import Result

NAMES_SHOWN = 12  # labels of one kind in the text; the JSON has all
ROOM_FOR_WORDS = 44  # columns for what variables mean, and for gaps
UNIQUENESS = {"joint": "joint_reaction_unique", "constraint": "multiplier_unique"}
KINDS = (
    "body", "joint", "driver", "force_element", "beam_element", "interface", "stress_point", "constraint", "coordinate", "speed", "state",
)  # fmt: skip
PARTS = (  # further dimensions
    "force_with_length", "force_on_body", "force_with_torque", "controller", "xyz", "quaternion", "stress",
    "equation_wrench", "equation_wrench_column", "equation_free", "equation_free_column", "equation_blocked", "equation_blocked_column",
)  # fmt: skip
COMPARED = (  # columns of a comparison, those first that are wanted most
    "method", "verdict", "step", "tolerance", "rms_error", "wall_time", "order", "integrator", "end_error", "max_phi", "energy_balance",
    "velocity_order", "evaluations",
)  # fmt: skip
PLURALS = {"body": "bodies", "force_element": "forces", "beam_element": "beam elements", "stress_point": "stress points"}


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "wanted",
    multiple=True,
    metavar="[NAME=]FUNCTIONAL",
    help="A number of the run, such as 'max(norm(joint_force:pin))'; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("-o", "table", type=click.Path(path_type=Path, dir_okay=False), help="Write the runs of a study as CSV.")
@force_option
@wide_option
def command(result: Path, wanted: tuple[str, ...], as_json: bool, table: Path | None, force: bool, wide: bool) -> None:
    """Print how the result file RESULT was made, its final values, drift, energies and variables.

    Of a study its statistics, of a comparison its table, of a file of modes or of a linear system what it holds.
    """
    from mbsim.results import ResultError
    from mbsim.results.study_read import is_study

    if is_study(result):
        _study(result, as_json, table, force)
        return
    if table is not None:
        raise InputError("-o writes the runs of a study, and this is no study")
    if _linear(result, wanted, as_json, wide) or _comparison(result, wanted, as_json, wide):
        return
    try:
        with open_or_exit(result) as data:
            if wanted:
                warn_of_rows(data)
                click.echo(_numbers(data, wanted, as_json))
                return
            facts = summary(data)
    except ResultError as error:  # of variables that turn out to be damaged when they are read
        raise InputError(str(error)) from error
    facts = {"file": str(result), **facts}
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else text(facts, terminal.room(wide)))


def _linear(path: Path, wanted: Sequence[str], as_json: bool, wide: bool) -> bool:
    """Whether this is a file of modes, of a root locus or of a linear system, which is then told. Raises InputError."""
    from mbsim.results import ResultError
    from mbsim.results.linear import read

    try:
        saved = read(path)
    except ResultError as error:
        raise InputError(str(error)) from error
    if saved is None:
        return False
    if wanted:
        raise InputError(f"--output takes numbers of a run, and {path} holds none")
    from mbsim.cli._linear import linear_facts, linear_text

    facts = linear_facts(path, saved)
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else linear_text(facts, terminal.room(wide)))
    return True


def _comparison(path: Path, wanted: Sequence[str], as_json: bool, wide: bool) -> bool:
    """Whether this is a file of `mbsim compare`, which is then told. Raises InputError."""
    from mbsim.results import ResultError
    from mbsim.results.sheets import comparison_in, of_comparison

    try:
        facts = comparison_in(path)
    except ResultError as error:
        raise InputError(str(error)) from error
    if facts is None:
        return False
    if wanted:
        raise InputError(f"--output takes numbers of a run, and {path} holds many")
    if as_json:
        click.echo(json.dumps({"file": str(path), **facts}, indent=2, ensure_ascii=False))
        return True
    limit = terminal.room(wide)
    lines = [f"{facts.get('command')}, on {facts.get('date')}, {facts.get('machine')}"]
    for model in facts["models"]:
        heads, rows, _ = of_comparison({"models": [model]}).readable()
        said = [str(line) for line in (model.get("advice") or {}).get("lines", [])]
        lines += ["", f"{model['name']}: {model.get('title')}", *(f"  {line}" for line in said)]
        lines = [terminal.fold(line, limit) for line in lines]
        cells = list(zip(*[[head.partition(" (")[0].replace("_", " ") for head in heads], *rows], strict=True))
        names = [head.partition(" (")[0] for head in heads]
        places = [names.index(name) for name in COMPARED if name in names]
        used = terminal.fitting([max(map(len, column)) for column in cells], places, limit, 2)
        lines += ["", *terminal.table([tuple(row) for row in zip(*(cells[i] for i in used), strict=True)], None, indent="  ")]
    click.echo("\n".join(lines))
    return True


def _study(path: Path, as_json: bool, table: Path | None, force: bool) -> None:
    """The statistics of a study, or its runs as CSV."""
    from mbsim.results import ResultError, outputs
    from mbsim.results.study_read import read_study_file
    from mbsim.studies.sampled import summary as of_study

    try:
        with read_study_file(path) as saved:
            if table is None:
                facts = of_study.summary(saved)
                click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else of_study.text(facts))
                return
            with output_errors():
                outputs.check_suffix(table, (".csv",))
                outputs.write_text(table, of_study.csv(saved), force, [path])
            click.echo(table)
    except ResultError as error:
        raise InputError(str(error)) from error


def _numbers(result: "Result", wanted: Sequence[str], as_json: bool) -> str:
    """The numbers that were asked for, one a line, or as one JSON object. Raises InputError, ResultError."""
    from mbsim.model.file.errors import ExpressionError
    from mbsim.results.functionals import split_name

    rows = []
    for given in wanted:
        name, text = split_name(given)
        try:
            value, units = result.evaluated(text)
        except ExpressionError as error:
            raise InputError(f"--output {text}: {error.message} (character {error.offset + 1})") from None
        rows.append((name, value, units))
    if as_json:
        return json.dumps({name: {"value": _number(value), "units": units} for name, value, units in rows}, indent=2, ensure_ascii=False)
    shown = [(name, "none" if _number(value) is None else f"{value:.12g}", _units(units)) for name, value, units in rows]
    return "\n".join(terminal.table(shown, None))


def summary(result: "Result") -> dict[str, Any]:
    """The output of `info`, as JSON types. Numbers that are not finite are None."""
    time, rows = result.time, len(result.time)
    sizes = {kind: len(result.labels(kind)) for kind in (*KINDS, *PARTS)} | {"time": rows}
    facts: dict[str, Any] = dict(result.attributes)
    facts |= {"rows": rows, "span": [_number(time[0]), _number(time[-1])] if rows else [], "parameters": result.parameters}
    facts["labels"] = {kind: result.labels(kind) for kind in KINDS if result.labels(kind)}
    facts["not_unique"] = {
        kind: [label for label, unique in zip(result.labels(kind), result[name], strict=True) if not unique]
        for kind, name in UNIQUENESS.items()
        if name in result
    }
    residuals = {level: f"residual_{level}" for level in ("position", "velocity", "acceleration")}
    facts["largest_residual"] = {level: _number(result[name].max()) for level, name in residuals.items() if rows and name in result}
    energies = [name for name in result.names() if name.startswith("energy_") and rows]
    facts["energy"] = {name.removeprefix("energy_"): _number(result[name][-1]) for name in energies}
    if rows and "energy_balance" in result:
        facts["energy"]["largest_balance"] = _number(abs(result["energy_balance"]).max())
    facts["final"] = {
        name: [
            {"label": label, "value": _number(value), "units": result.units(name, label)}
            for label, value in zip(result.labels(kind), result[name][-1], strict=True)
        ]
        for name, kind in (("q", "coordinate"), ("v", "speed"), ("states", "state"))
        if rows and name in result
    }
    if rows and result.measures():
        facts["measures"] = [{"name": name, "value": _number(result[name][-1]), "units": result.units(name)} for name in result.measures()]
    facts["variables"] = [
        {
            "name": name,
            "dimensions": list(result.dimensions(name)),
            "shape": [sizes[dimension] for dimension in result.dimensions(name)],
            "units": result.units(name),
            "long_name": result.long_name(name),
        }
        for name in result.names()
    ]
    return facts


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None


def text(facts: dict[str, Any], limit: int | None = None) -> str:
    """The facts as text of up to `limit` columns; with little room the dimensions of the variables are left out."""
    lines = [click.style(str(facts.get("title", "")), bold=True), *terminal.table(_overview(facts), limit, indent="  ", items=True)]
    if facts["final"]:
        name, unit = clock(facts)
        lines += ["", f"final values at {name} = {facts['span'][1]:g} {unit}"]
        entries = [(entry["label"], entry) for name in facts["final"].values() for entry in name]
        entries += [(entry["name"], entry) for entry in facts.get("measures", [])]
        lines += terminal.table([(label, _show(entry["value"]), _units(entry["units"])) for label, entry in entries], limit, indent="  ")
    lines += ["", "variables"]
    variables: list[tuple[str, ...]] = [
        (
            entry["name"],
            ", ".join(f"{name} {size}" for name, size in zip(entry["dimensions"], entry["shape"], strict=True)),
            _units(entry["units"]),
            entry["long_name"],
        )
        for entry in facts["variables"]
    ]
    before = sum(max(len(cell) for cell in column) for column in list(zip(*variables, strict=True))[:-1])
    if limit is not None and before + ROOM_FOR_WORDS > limit:
        lines[-1] += " (--wide shows their dimensions too)"
        variables = [(name, units, words) for name, _, units, words in variables]
    return "\n".join([*lines, *terminal.table(variables, limit, indent="  ")])


def _overview(facts: dict[str, Any]) -> list[tuple[str, str]]:
    status = facts.get("status", "unknown")
    if status == "running":
        status = "running, or killed before its end"
    rows = [("file", facts["file"]), ("status", ": ".join(part for part in (status, facts.get("failure", "")) if part))]
    rows += [(name, str(facts[name])) for name in ("method", "integrator") if name in facts]
    if facts.get("impacts") == "steps":
        rows[-1] = ("integrator", "steps of Moreau and Jean through contacts, of order 1")
    rows += [_accuracy(facts)] if "step" in facts else []
    rows += [("cycle", f"the time is the value of {facts['cycle']}, in {facts.get('cycle_unit', '1')}")] if "cycle" in facts else []
    unit = clock(facts)[1]
    rows.append(("span", f"{facts['span'][0]:g} to {facts['span'][1]:g} {unit}, {facts['rows']} rows" if facts["rows"] else "no rows"))
    rows += [("counts", ", ".join(f"{name} {count}" for name, count in facts["counts"].items()))] if facts.get("counts") else []
    rows += [("wall time", f"{facts['wall_time']:.3g} s")] if "wall_time" in facts else []
    rows.append(("made by", ", ".join([facts.get("source", "?"), *(f"{name} {v}" for name, v in facts.get("versions", {}).items())])))
    rows += [("parameters", ", ".join(f"{name} = {value:g}" for name, value in facts["parameters"].items()))] if facts["parameters"] else []
    for kind, labels in facts["labels"].items():
        if kind in ("coordinate", "speed", "state"):  # named with their final values
            continue
        more = f" and {len(labels) - NAMES_SHOWN} more" if len(labels) > NAMES_SHOWN else ""
        rows.append((PLURALS.get(kind, f"{kind}s"), f"{len(labels)}: {', '.join(labels[:NAMES_SHOWN])}{more}"))
    not_unique = [f"{kind} {label}" for kind, labels in facts["not_unique"].items() for label in labels]
    rows += [("not unique", f"reactions of {', '.join(not_unique)}")] if not_unique else []
    drift = ", ".join(f"{level} {_show(value, 3)}" for level, value in facts["largest_residual"].items())
    rows += [("drift", f"{drift} (largest residual)")] if drift else []
    energy = facts["energy"]
    final = ", ".join(f"{name} {_show(energy[name])}" for name in ("kinetic", "potential", "work") if name in energy)
    rows += [("energy", f"{final} J at the end")] if final else []
    rows += (
        [("balance", f"{_show(energy['largest_balance'], 3)} J (largest |kinetic + potential - work|, from its start)")]
        if "largest_balance" in energy
        else []
    )

    rows += [("events" if i == 0 else "", line) for i, line in enumerate(list_events(facts.get("events", [])))]
    rows += [("singular" if i == 0 else "", tell_change(change)) for i, change in enumerate(facts.get("rank_changes", []))]
    return rows


def _accuracy(facts: dict[str, Any]) -> tuple[str, str]:

    said = accuracy(facts)
    return ("step", said.removeprefix("step ")) if said.startswith("step ") else ("tolerances", said)


def _show(value: float | None, digits: int = 6) -> str:
    return "not finite" if value is None else f"{value:.{digits}g}"


def _units(units: str) -> str:
    return "" if units == "1" else units
