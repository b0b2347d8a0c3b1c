"""The findings as text, CSV, JSON and Markdown, with the same facts and columns in each."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from mbsim import terminal
from mbsim.model.file.plain import Plain
from mbsim.results import outputs
from mbsim.studies.bench.cases import NONE, Case, Trial, ratio
from mbsim.studies.compare.words import number, power, seconds, short


class Worst(TypedDict):
    """The published value that a run is farthest from, and by how much."""

    of: str
    time: float | None  # s; None: of a state
    error: float | None
    required: float


class Value(TypedDict):
    """A published value and what was found."""

    time: float | None
    of: str
    published: float
    required: float
    found: float | None
    ratio: float | None


class Row(TypedDict):
    """A case and how one way of solving it did: SI units, None where there is no number."""

    case: str
    title: str
    source: str
    method: str
    integrator: str
    step: float | None
    tolerance: float | None
    options: dict[str, Plain]
    steps: int | None
    march_time: float | None
    run_time: float | None
    worst: Worst | None
    ratio: float | None
    verdict: str
    reason: str
    values: list[Value]


SUFFIXES = (".csv", ".json", ".md")


def _level(f: Row) -> str:
    if f["step"] is not None:
        return f"{f['step']:.3g} s"
    return power(f["tolerance"]) if f["tolerance"] is not None else ""


def _worst(f: Row) -> str:
    worst = f["worst"]
    if worst is None:
        return ""
    return worst["of"] + (f" at {worst['time']:.4g} s" if worst["time"] is not None else "")


COLUMNS: list[tuple[str, Callable[[Row], str]]] = [
    ("case", lambda f: f["case"]),
    ("method", lambda f: f["method"]),
    ("integrator", lambda f: f["integrator"]),
    ("step/tol.", _level),
    ("steps", lambda f: str(f["steps"] or "")),
    ("worst value", _worst),
    ("error", lambda f: "" if f["worst"] is None else short(f["worst"]["error"])),
    ("required", lambda f: "" if f["worst"] is None else short(f["worst"]["required"])),
    ("error/req.", lambda f: "" if f["ratio"] is None else f"{f['ratio']:.2g}"),
    ("march", lambda f: seconds(f["march_time"])),
    ("run", lambda f: seconds(f["run_time"])),
    ("verdict", lambda f: f["verdict"]),
]
LEFT = ("case", "method", "integrator", "worst value", "verdict")
WANTED = (  # where there is not room for all, the first of these
    "case", "verdict", "error/req.", "step/tol.", "method", "run", "integrator", "error", "required", "march", "steps", "worst value",
)  # fmt: skip


def facts(case: Case, trial: Trial) -> Row:
    """A row of the table and of the JSON."""
    setting, worst = trial.setting, trial.worst
    marched = trial.integrator != NONE
    return {
        "case": case.name,
        "title": case.title,
        "source": case.published.source,
        "method": trial.method or setting.method,
        "integrator": trial.integrator or setting.integrator,
        "step": setting.level if marched and not setting.adaptive else None,
        "tolerance": setting.level if marched and setting.adaptive else None,
        "options": dict(setting.options),
        "steps": trial.steps,
        "march_time": number(trial.march_time),
        "run_time": number(trial.run_time),
        "worst": None
        if worst is None
        else {"of": worst.of, "time": number(worst.time), "error": number(worst.deviation), "required": worst.tolerance},
        "ratio": number(trial.ratio),
        "verdict": trial.verdict,
        "reason": trial.reason,
        "values": [
            {
                "time": number(c.time),
                "of": c.of,
                "published": c.published,
                "required": c.tolerance,
                "found": number(c.found),
                "ratio": number(ratio(c)),
            }
            for c in trial.checks
        ],
    }


def text(rows: Sequence[Row], style: Callable[[str, str], str] = lambda word, verdict: word, limit: int | None = None) -> str:
    """The table for the terminal, with the columns for which `limit` has room. `style` may colour a verdict.

    Reasons for missed values stand below it.
    """
    cells = [[cell(f) for _, cell in COLUMNS] for f in rows]
    heads = [name for name, _ in COLUMNS]
    widths = [max(len(row[i]) for row in [heads, *cells]) for i in range(len(COLUMNS))]
    used = terminal.fitting(widths, [heads.index(name) for name in WANTED], limit)
    lines = []
    for row, f in [(heads, None), *zip(cells, rows, strict=True)]:
        padded = [row[i].ljust(widths[i]) if heads[i] in LEFT else row[i].rjust(widths[i]) for i in used]
        padded[-1] = row[-1] if f is None else style(row[-1], f["verdict"])
        lines.append(terminal.GAP.join(padded).rstrip())
    lines += [terminal.fold(f"{f['case']}: {f['verdict']}: {f['reason']}", limit) for f in rows if f["reason"]]
    left_out = [name for i, name in enumerate(heads) if i not in used]
    if left_out:
        lines.append(terminal.fold(f"not shown: {', '.join(left_out)} (--wide shows all)", limit))
    return "\n".join(lines)


def markdown(rows: Sequence[Row]) -> str:
    """A table in GitHub's Markdown."""
    rule = ["---" if name in LEFT else "---:" for name, _ in COLUMNS]
    lines = [[name for name, _ in COLUMNS], rule, *([cell(f) for _, cell in COLUMNS] for f in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def as_csv(rows: Sequence[Row]) -> str:
    """Numbers in full, a line a row."""
    keys = [key for key, value in rows[0].items() if not isinstance(value, (dict, list))] if rows else []
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*keys, "worst_of", "worst_time", "worst_error", "worst_required"])
    for f in rows:
        worst: Mapping[str, object] = f["worst"] or {}
        row: Mapping[str, object] = f
        writer.writerow([row[key] for key in keys] + [worst.get(key, "") for key in ("of", "time", "error", "required")])
    return out.getvalue()


def as_json(rows: Sequence[Row]) -> str:
    """Every fact."""
    return json.dumps({"ok": all(f["verdict"] == "met" for f in rows), "rows": list(rows)}, indent=2, ensure_ascii=False, allow_nan=False)


def save(rows: Sequence[Row], path: Path, force: bool = False) -> None:
    """Write to `path` in the format of its suffix. Raises ValueError for another suffix, OutputError for a foreign file, OSError."""
    outputs.check_suffix(path, SUFFIXES)
    write = {".csv": as_csv, ".json": lambda found: as_json(found) + "\n", ".md": markdown}[path.suffix.lower()]
    outputs.write_text(path, write(rows), force)


def recommendation(trial: Trial) -> str:
    """The keys of a `simulation` block for a trial."""
    setting = trial.setting
    level = f"rtol: {setting.level:g}" if setting.adaptive else f"step: {setting.level:g}"
    integrator = f", integrator: {setting.integrator}" if trial.integrator != "own" else ""
    return f"method: {setting.method}{integrator}, {level}"
