"""A study in numbers: of every output mean, spread and percentiles, and with which of what varies it goes along."""

from collections import Counter
from typing import Any

import numpy as np

from mbsim.results.sheets import of_study
from mbsim.results.study_read import SavedStudy
from mbsim.results.study_statistics import spearman
from mbsim.studies.engine.journal import kind_of

PERCENTILES = (0.0, 5.0, 50.0, 95.0, 100.0)
FEWEST = 3  # runs for a correlation
WORDS = ("smallest", "5 %", "median", "95 %", "largest")
REASONS = 10


def summary(saved: SavedStudy) -> dict[str, Any]:
    """The keys of `mbsim info STUDY --json`. Numbers that there are not are None."""
    failed = saved.failed
    good = ~failed
    kinds, examples = Counter[str](), dict[str, str]()
    for reason in filter(None, saved.reasons):
        kinds[kind_of(reason)] += 1
        examples.setdefault(kind_of(reason), reason)
    facts: dict[str, Any] = {
        "file": str(saved.path), "title": saved.title, "model": saved.model, "status": saved.status, "runs": saved.planned,
        "done": saved.count, "failed": int(failed.sum()),
        "varied": {name: _span(saved[name]) for name in saved.varied},
        "outputs": {name: {"units": saved.units(name), **_statistics(saved[name][good])} for name in saved.outputs},
        "correlations": _correlations(saved, good), "reasons": {examples[kind]: count for kind, count in kinds.most_common(REASONS)},
        "histories": {"labels": saved.labels, "rows": len(saved.time)},
    }  # fmt: skip
    return facts | ({"findings": saved.findings} if saved.findings else {})


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _span(values: np.ndarray) -> dict[str, Any]:
    if not len(values):
        return {"from": None, "to": None, "distinct": 0}
    return {"from": float(values.min()), "to": float(values.max()), "distinct": len(np.unique(values))}


def _statistics(values: np.ndarray) -> dict[str, Any]:
    known = values[np.isfinite(values)]
    facts: dict[str, Any] = {"count": len(known), "none": len(values) - len(known)}
    if not len(known):
        return {**facts, "mean": None, "std": None, **dict.fromkeys(WORDS)}
    std = float(np.std(known, ddof=1)) if len(known) > 1 else None
    found = np.percentile(known, PERCENTILES)
    return {**facts, "mean": float(known.mean()), "std": std, **{word: float(x) for word, x in zip(WORDS, found, strict=True)}}


def _correlations(saved: SavedStudy, good: np.ndarray) -> dict[str, dict[str, float | None]]:
    """Spearman's, of ranks: 1 where an output only grows with a value."""
    found: dict[str, dict[str, float | None]] = {}
    for output in saved.outputs:
        y = saved[output]
        use = good & np.isfinite(y)
        if use.sum() < FEWEST:
            continue
        found[output] = {name: spearman(saved[name][use], y[use]) for name in saved.varied}
    return found


def text(facts: dict[str, Any]) -> str:
    """The summary as lines."""
    state = facts["status"] if facts["status"] == "complete" else f"{facts['status']}: --resume goes on"
    runs = f"{facts['done']} of {facts['runs']}" if facts["runs"] else str(facts["done"])
    lines = [facts["title"], f"  {runs} runs of {facts['model']}, {facts['failed']} failed ({state})", ""]
    lines += ["varied"] + _columns(
        [(name, _show(x["from"]), "to", _show(x["to"]), f"{x['distinct']} values") for name, x in facts["varied"].items()]
    )
    if facts["outputs"]:
        head = ("", "mean", "std", *WORDS, "", "")
        rows = [
            (name, *(_show(x[word]) for word in ("mean", "std", *WORDS)), "" if x["units"] == "1" else x["units"],
             f"{x['none']} without a number" if x["none"] else "")
            for name, x in facts["outputs"].items()
        ]  # fmt: skip
        lines += ["", "outputs", *_columns([head, *rows])]
    if facts["correlations"]:
        names = list(facts["varied"])
        rows = [(name, *(_show(found[other], 3) for other in names)) for name, found in facts["correlations"].items()]
        lines += ["", "correlation of ranks (Spearman)", *_columns([("", *names), *rows])]
    if facts["histories"]["labels"]:
        lines += ["", f"histories: {', '.join(facts['histories']['labels'])}; {facts['histories']['rows']} rows"]
    if facts["reasons"]:
        lines += ["", "reasons", *(f"  {count:8}  {reason}" for reason, count in facts["reasons"].items())]
    if "findings" in facts:
        from mbsim.studies.sampled.findings import lines_of

        lines += ["", *lines_of(facts["findings"])]
    return "\n".join(lines)


def _show(value: float | None, digits: int = 6) -> str:
    return "none" if value is None else f"{value:.{digits}g}"


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def csv(saved: SavedStudy) -> str:
    """All runs as CSV: run, what varies, outputs, whether it failed and why. Numbers have all their digits."""
    return of_study(saved).csv()
