"""The numbers of a comparison as the terminal's table and as JSON. docs/compare.md documents the keys of the JSON; they must not change."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from mbsim.studies.compare.rows import Case, Findings, Row
from mbsim.studies.compare.verdict import AGREES, ALARMS, Check

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
        "step": None if row.adaptive else row.level,
        "tolerance": row.level if row.adaptive else None,
        "effective_step": number(row.step),
        "verdict": row.verdict,
        "reason": row.reason,
        "end_error": number(None if against is None or not len(against.position) else against.position[-1]),
        "rms_error": number(errors.get("position")),
        "estimated_error": number(own.get("position")),
        "velocity_rms_error": number(errors.get("velocity")),
        "velocity_estimated_error": number(own.get("velocity")),
        "reaction_disagreement": number(None if reaction is None or not len(reaction) else reaction.max()),
        "reaction_rms_disagreement": number(errors.get("reaction")),
        "reaction_estimated_error": number(own.get("reaction")),
        "order": number(row.order),
        "order_points": row.order_points,
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


def number(value: Any) -> float | None:
    """A finite float, or None."""
    return float(value) if value is not None and isfinite(value) else None


def _deviations(f: dict[str, Any]) -> list[float]:
    """From the published values, in units of their tolerances."""
    return [check["deviation"] / check["tolerance"] for check in f["published"] if check["deviation"] is not None]


# Heading (two lines), what it shows. Widths follow the contents.
_Cell = Callable[[dict[str, Any]], str]
COLUMNS: list[tuple[str, str, _Cell]] = [
    ("", "method", lambda f: f["method"]),
    ("", "integrator", lambda f: f["integrator"]),
    ("step/", "tol.", lambda f: f"{f['step']:.3g}" if f["step"] is not None else power(f["tolerance"])),
    ("end", "error", lambda f: short(f["end_error"])),
    ("rms", "error", lambda f: short(f["rms_error"])),
    ("own", "est.", lambda f: short(f["estimated_error"])),
    ("", "order", lambda f: "" if f["order"] is None else f"{'~' * (f['order_points'] < 3)}{f['order']:.1f}"),
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


def text(comparison: Findings, style: Callable[[str, str], str] = lambda word, verdict: word) -> str:
    """A block per model; `style` may colour a verdict, given the padded word and the verdict."""
    return "\n\n".join(_block(case, comparison.repeats, style) for case in comparison.cases)


def _block(case: Case, repeats: int, style: Callable[[str, str], str]) -> str:
    lines = [f"{case.name}: {case.title}", f"  {_about(case)}"]
    found = [row_facts(row) for row in case.rows]
    cells = [[cell(f) for _, _, cell in COLUMNS] for f in found]
    heads = [[column[0] for column in COLUMNS], [column[1] for column in COLUMNS]]
    used = [i for i, (_, name, _) in enumerate(COLUMNS) if name in ("method", "verdict") or any(row[i] for row in cells)]
    widths = {i: max(len(row[i]) for row in [*heads, *cells]) for i in used}
    for row, verdict in [(heads[0], ""), (heads[1], ""), *zip(cells, (f["verdict"] for f in found), strict=True)]:
        padded = [_pad(row[i], widths[i], COLUMNS[i][1] in LEFT) for i in used]
        padded[-1] = style(row[used[-1]], verdict) if verdict else padded[-1].rstrip()
        lines.append("  " + "  ".join(padded).rstrip())
    for f in found:
        if f["verdict"] != AGREES and f["reason"]:
            lines.append(f"  {label(f)}: {style(f['verdict'], f['verdict'])}: {f['reason']}")
    lines.append(f"  wall time: of marching only, median of up to {repeats} runs, after one that loads or compiles")
    return "\n".join(lines)


def _about(case: Case) -> str:
    return "\n  ".join(about(case))


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
    return lines


def label(f: dict[str, Any]) -> str:
    """A row in words: `svd, rk4, step 0.001`."""
    level = f"step {f['step']:g}" if f["step"] is not None else f"tolerance {f['tolerance']:g}"
    return f"{f['method']}, {f['integrator']}, {level}"


def summary(comparison: Findings) -> str:
    """`12 rows: 11 agree, 1 failed`."""
    verdicts = [row.verdict for case in comparison.cases for row in case.rows]
    counted = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    words = {AGREES: "agree", "disagrees": "disagree", "no reference": "without reference"}
    return f"{len(verdicts)} rows: {', '.join(f'{n} {words.get(verdict, verdict)}' for verdict, n in counted.items())}"


def alarming(verdict: str) -> bool:
    """Whether it makes the exit code 1."""
    return verdict in ALARMS


def short(value: float | None) -> str:
    """Two digits are enough for an error: `1.2e-6`."""
    return "" if value is None else "0" if value == 0.0 else f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e+")


def power(value: float) -> str:
    """A tolerance: `1e-6`, `2.5e-4`."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def count(value: int | None) -> str:
    """Up to six digits, then thousands."""
    return "" if value is None else f"{value}" if value < 1_000_000 else f"{value / 1e3:.0f}k" if value < 1e9 else f"{value:.2e}"


def seconds(value: float | None) -> str:
    """With its unit: `12 ms`."""
    if value is None:
        return ""
    return f"{value:.3g} s" if value >= 1.0 else f"{1e3 * value:.3g} ms" if value >= 1e-3 else f"{1e6 * value:.3g} us"


def _pad(cell: str, width: int, left: bool) -> str:
    return cell.ljust(width) if left else cell.rjust(width)
