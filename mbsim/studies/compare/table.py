"""The numbers of a comparison as the terminal's table and as JSON. docs/compare.md documents the keys of the JSON; they must not change."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mbsim import terminal
from mbsim.studies.compare.advice import Advice, advice
from mbsim.studies.compare.rows import Case, Findings, Row
from mbsim.studies.compare.verdict import AGREES, ALARMS, Check
from mbsim.studies.compare.words import count, number, power, seconds, short

COUNTS = ("steps", "evaluations", "factorisations", "svds", "iterations", "corrections")
RESIDUALS = {
    "max_phi": "residual_position",
    "max_velocity_residual": "residual_velocity",
    "max_acceleration_residual": "residual_acceleration",
}


def facts(comparison: Findings) -> dict[str, Any]:
    """Everything but the motions, as JSON types. Unknown and non-finite numbers are None."""
    return {
        "ok": comparison.ok,
        "command": comparison.command,
        "date": comparison.date,
        "machine": comparison.machine,
        "versions": comparison.versions,
        "repeats": comparison.repeats,
        "models": [_case_facts(case) for case in comparison.cases],
    }


def _case_facts(case: Case) -> dict[str, Any]:
    reference = case.reference
    return {
        "name": case.name,
        "title": case.title,
        "file": case.file,
        "start": case.start,
        "end": case.end,
        "output_step": case.interval,
        "reference": {
            "description": reference.description,
            "reason": reference.reason,
            "errors": {measure: number(error) for measure, error in reference.errors.items()},
            "published": {"source": case.published, "values": [_check_facts(check) for check in case.checks]} if case.published else None,
        },
        "advice": vars(advice(case)),
        "notes": case.notes,
        "reach": {measure: number(scale.reach) for measure, scale in case.scales.items()},
        "rows": [row_facts(row) for row in case.rows],
    }


def row_facts(row: Row) -> dict[str, Any]:
    """One row, with the same keys for every outcome."""
    result, against = row.result, row.against
    counts = {} if result is None else result.attributes.get("counts", {})
    errors, own = row.judgement.errors, row.judgement.own
    reaction = None if against is None else against.reaction
    balance = None if result is None or "energy_balance" not in result else float(np.abs(result["energy_balance"]).max(initial=0.0))
    return {
        "method": row.method,
        "integrator": row.integrator,
        "source": row.source or None,
        "step": None if row.adaptive else number(row.level),
        "tolerance": number(row.level) if row.adaptive else None,
        "effective_step": number(row.step),
        "steps_cut": row.cut,
        "verdict": row.verdict,
        "reason": row.reason,
        "wrong": row.wrong or None,
        "end_error": number(None if against is None or not len(against.position) else against.position[-1]),
        "rms_error": number(errors.get("position")),
        "estimated_error": number(own.get("position")),
        "velocity_rms_error": number(errors.get("velocity")),
        "velocity_estimated_error": number(own.get("velocity")),
        "reaction_disagreement": number(None if reaction is None or not len(reaction) else reaction.max()),
        "reaction_rms_disagreement": number(errors.get("reaction")),
        "reaction_estimated_error": number(own.get("reaction")),
        "energy_rms_error": number(errors.get("energy")),
        "energy_estimated_error": number(own.get("energy")),
        "order": number(row.order),
        "order_points": row.order_points,
        "velocity_order": number(row.fitted.get("velocity", (None, 0))[0]),
        "velocity_order_points": row.fitted.get("velocity", (None, 0))[1],
        **{key: number(None if result is None or name not in result else result[name].max(initial=0.0)) for key, name in RESIDUALS.items()},
        "energy_balance": number(balance),
        **{name: counts.get(name) for name in COUNTS},
        "wall_time": number(row.wall_time),
        "wall_times": row.march_times,
        "published": [_check_facts(check) for check in row.checks],
    }


def _check_facts(check: Check) -> dict[str, Any]:
    return {
        "time": check.time,
        "of": check.of,
        "published": check.published,
        "tolerance": check.tolerance,
        "found": number(check.found),
        "deviation": number(check.deviation),
        "estimated_error": number(check.own_error),
    }


def _deviations(f: dict[str, Any]) -> list[float]:
    """From the published values, in units of their tolerances."""
    return [check["deviation"] / check["tolerance"] for check in f["published"] if check["deviation"] is not None]


def _order_cell(f: dict[str, Any], name: str) -> str:
    return "" if f[name] is None else f"{'~' * (f[f'{name}_points'] < 3)}{f[name]:.1f}"


def _level_cell(f: dict[str, Any]) -> str:
    """A step, with a star where some of the steps were taken in parts, or a tolerance."""
    if f["step"] is not None:
        return f"{f['step']:.3g}{'*' * f['steps_cut']}"
    return "" if f["tolerance"] is None else power(f["tolerance"])


# Heading (two lines), what it shows. Widths follow the contents.
_Cell = Callable[[dict[str, Any]], str]
COLUMNS: list[tuple[str, str, _Cell]] = [
    ("", "method", lambda f: f["method"]),
    ("", "integrator", lambda f: f["integrator"]),
    ("step/", "tol.", _level_cell),
    ("end", "error", lambda f: short(f["end_error"])),
    ("rms", "error", lambda f: short(f["rms_error"])),
    ("own", "est.", lambda f: short(f["estimated_error"])),
    ("", "order", lambda f: _order_cell(f, "order")),
    ("order", "of v", lambda f: _order_cell(f, "velocity_order")),
    ("max", "phi", lambda f: short(f["max_phi"])),
    ("max", "Cv+xi", lambda f: short(f["max_velocity_residual"])),
    ("max", "Ca+eta", lambda f: short(f["max_acceleration_residual"])),
    ("energy", "balance", lambda f: short(f["energy_balance"])),
    ("react.", "disagr.", lambda f: short(f["reaction_disagreement"])),
    ("publ.", "dev/tol", lambda f: short(max(_deviations(f), default=None))),
    ("", "evals", lambda f: count(f["evaluations"])),
    ("", "factor.", lambda f: count(f["factorisations"])),
    ("", "SVDs", lambda f: count(f["svds"])),
    ("", "iter.", lambda f: count(f["iterations"])),
    ("wall", "time", lambda f: seconds(f["wall_time"])),
    ("", "verdict", lambda f: f["verdict"]),
]
LEFT = ("method", "integrator", "verdict")  # the others are numbers, to the right


METHOD = 0  # the column of the method
FIRST = 6  # columns that a long method may not push out: itself, verdict, step, both errors, time
NARROWEST = 24  # characters, of the column of the method


WANTED = (  # where there is not room for all, the first of these
    "method", "verdict", "tol.", "error", "est.", "time", "order", "of v", "phi", "integrator", "balance", "dev/tol", "disagr.", "evals",
    "end error", "Cv+xi", "Ca+eta", "factor.", "iter.", "SVDs",
)  # fmt: skip


def heading(i: int) -> str:
    """Of a column, in one line."""
    return " ".join(filter(None, COLUMNS[i][:2])).replace("/ ", "/")


def text(comparison: Findings, style: Callable[[str, str], str] = lambda word, verdict: word, limit: int | None = None) -> str:
    """A block per model: what to take, and the table with the columns for which `limit` has room.

    `style` may colour a verdict, given the padded word and the verdict.
    """
    return "\n\n".join(_block(case, comparison.repeats, style, limit) for case in comparison.cases)


def _block(case: Case, repeats: int, style: Callable[[str, str], str], limit: int | None) -> str:
    lines = [f"{case.name}: {case.title}", *(f"  {line}" for line in about(case))]
    said = advice(case)
    lines += ["", *(f"  {line}" for line in said.lines)]
    lines += [f"  {settings(said)}"] if said.settings else []
    lines = [terminal.fold(line, limit) for line in lines]
    found = [row_facts(row) for row in case.rows]
    cells = [[cell(f) for _, _, cell in COLUMNS] for f in found]
    heads = [[column[0] for column in COLUMNS], [column[1] for column in COLUMNS]]
    filled = [i for i, (_, name, _) in enumerate(COLUMNS) if name in ("method", "verdict") or any(row[i] for row in cells)]
    widths = [max(len(row[i]) for row in [*heads, *cells]) for i in range(len(COLUMNS))]
    wanted = [i for i in _order_columns(case) if i in filled]
    if limit is not None:  # a long method leaves room for the columns that are wanted most
        others = [i for i in wanted[:FIRST] if i != METHOD]
        widths[METHOD] = min(widths[METHOD], max(limit - 2 - sum(widths[i] + 2 for i in others), NARROWEST))
    names = [_parts(row[METHOD], widths[METHOD]) for row in cells]
    widths[METHOD] = max(map(len, [heads[1][METHOD], *(part for parts in names for part in parts)]))
    used = terminal.fitting(widths, wanted, limit, 2)
    lines.append("")
    verdicts = [f["verdict"] for f in found]
    for row, parts, verdict in [*((head, [head[METHOD]], "") for head in heads), *zip(cells, names, verdicts, strict=True)]:
        row[METHOD] = parts[0]
        padded = [_pad(row[i], widths[i], COLUMNS[i][1] in LEFT) for i in used]
        padded[-1] = style(row[used[-1]], verdict) if verdict else padded[-1].rstrip()
        lines.append("  " + "  ".join(padded).rstrip())
        lines += [f"  {part}" for part in parts[1:]]
    for words, verdict, reason in reasons(found):
        lines.append(terminal.fold(f"  {words}: {verdict}: {reason}", limit).replace(f" {verdict}:", f" {style(verdict, verdict)}:", 1))
    lines += [terminal.fold(f"  {line}", limit) for line in below(case)]
    timed = f"median of up to {repeats} runs" if repeats > 1 else "one run"
    lines.append(terminal.fold(f"  wall time: of marching only, {timed}, after one that loads or compiles", limit))
    left_out = [heading(i) for i in filled if i not in used]
    if left_out:
        lines.append(terminal.fold(f"  not shown: {', '.join(left_out)} (--wide shows all)", limit, items=True))
    return "\n".join(lines)


def _parts(method: str, width: int) -> list[str]:
    """A method over several lines of that width where it is longer, broken between its options."""
    first, *options = method.replace(", ", ",\n").split("\n")
    lines = [first]
    for option in options:
        if len(lines[-1]) + 1 + len(option) <= width:
            lines[-1] += f" {option}"
        else:
            lines.append(f"  {option}")
    return lines


def _order_columns(case: Case) -> list[int]:
    """The columns in the order in which they are wanted. Of one integrator the name is not."""
    several = len({row.integrator for row in case.rows} - {"own"}) > 1
    order = ["integrator", *(name for name in WANTED if name != "integrator")] if several else list(WANTED)
    places = {name: [i for i, column in enumerate(COLUMNS) if column[1] == name] for name in order}
    places["error"], places["end error"] = places["error"][1:], places["error"][:1]
    return [i for name in order for i in places[name]]


def settings(said: Advice) -> str:
    """The block of the model file that the advice comes to."""
    words = [f"{key}: {value:g}" if isinstance(value, float) else f"{key}: {value}" for key, value in said.settings.items()]
    return f"simulation: {{{', '.join(words)}}}"


def reasons(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Rows that do not agree, in words, with verdict and reason; those of one method that say the same together."""
    said: dict[tuple[str, str, str, str], list[str]] = {}
    for f in found:
        if f["verdict"] != AGREES and f["reason"]:
            said.setdefault((f["method"], f["integrator"], f["verdict"], f["reason"]), []).append(_level(f))
    return [(f"{method}, {integrator}{_levels(levels)}", verdict, reason) for (method, integrator, verdict, reason), levels in said.items()]


def below(case: Case) -> list[str]:
    """What stands under a table: what a star says, and which paper and equations a method is."""
    star = "* some steps were taken in parts, where the drift was too large or a position singular; the order is fitted without these runs"
    sources = {row.method: row.source for row in case.rows if row.source}
    return [*([star] if any(row.cut for row in case.rows) else []), *(f"{method}: {source}" for method, source in sources.items())]


def _levels(levels: list[str]) -> str:
    """`, step 0.01`, or `, steps 0.01, 0.005`; empty of a method that refuses the model."""
    if not levels[0]:
        return ""
    return f", {levels[0].partition(' ')[0]}{'s' * (len(levels) > 1)} {', '.join(level.partition(' ')[2] for level in levels)}"


def about(case: Case) -> list[str]:
    """The reference of the rows, in a few sentences."""
    lines = [f"{case.start:g} to {case.end:g} s, a row every {case.interval:g} s"]
    reference = case.reference
    if reference.result is None:
        lines.append(f"no reference: {reference.reason}")
    else:
        errors = ", ".join(f"{measure} {short(number(error))}" for measure, error in reference.errors.items())
        lines.append(f"reference: {reference.description}" + (f": {errors}" if errors else ""))
    if case.published:
        lines.append(f"published: {case.published}")
        for check in case.checks:
            inside = "within" if check.deviation <= check.tolerance else "not within"
            value = f"{check.published:.9g} ± {short(check.tolerance)}"
            lines.append(f"  {check.of} at {check.time:g} s: {value}; the reference has {check.found:.9g}, {inside}")
    lines += case.notes
    return lines


def _level(f: dict[str, Any]) -> str:
    """In words: `step 0.001`; empty of a method that refuses the model."""
    if f["step"] is None and f["tolerance"] is None:
        return ""
    return f"step {f['step']:g}" if f["step"] is not None else f"tolerance {f['tolerance']:g}"


def summary(comparison: Findings) -> str:
    """`12 rows: 11 agree, 1 failed`."""
    verdicts = [row.verdict for case in comparison.cases for row in case.rows]
    counted = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    words = {AGREES: "agree", "disagrees": "disagree", "no reference": "without reference"}
    return f"{len(verdicts)} rows: {', '.join(f'{n} {words.get(verdict, verdict)}' for verdict, n in counted.items())}"


def alarming(verdict: str) -> bool:
    """Whether it makes the exit code 1."""
    return verdict in ALARMS


def _pad(cell: str, width: int, left: bool) -> str:
    return cell.ljust(width) if left else cell.rjust(width)
