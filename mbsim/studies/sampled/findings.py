"""What an optimisation, a fit or sensitivities found: run and written with their runs, and as lines of text."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mbsim.results.study_write import StudyWriter
from mbsim.studies.engine.journal import Progress, Say
from mbsim.studies.engine.pool import Pool
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.run import head_of
from mbsim.studies.sampled.study import Study

Goal = Callable[[Study, Evaluations], dict[str, Any]]


def find(study: Study, goal: Goal, output: Path, pool: Pool, force: bool, say: Say) -> tuple[dict[str, Any], Progress]:
    """The findings of a goal; its runs and the findings are in `output`. Raises what the goal and the writer raise."""
    writer = StudyWriter(output, head_of(study, {"goal": goal.__name__}, 0), force)
    evaluations = Evaluations(study, pool, writer, say)
    findings: dict[str, Any] | None = None
    try:
        findings = goal(study, evaluations)
    finally:
        writer.close("complete" if findings is not None else "interrupted", findings)
    return findings, evaluations.progress


def lines_of(found: Mapping[str, Any]) -> list[str]:
    """The findings as text."""
    return _LINES[found["kind"]](found)


def _optimum(found: Mapping[str, Any]) -> list[str]:
    value = found["outputs"][found["goal"]]
    lines = [f"{found['sense']} {found['goal']}: {_show(value)} by {found['method']}, {found['evaluations']} runs"]
    lines += [f"  {name} = {_show(x, 10)}{'  (at its limit)' * (name in found['at_limit'])}" for name, x in found["values"].items()]
    for name, x in found["outputs"].items():
        limit = found["limits"].get(name, {})
        words = " and ".join(f"{word} {limit[word]:g}" for word in ("min", "max") if limit.get(word) is not None)
        lines.append(f"  {name}: {_show(x, 10)}{f' ({words})' * bool(words)}")
    if found["violated"]:
        lines.append(f"  the limits are exceeded by {found['violated']:.3g}")
    return [*lines, f"  {'' if found['converged'] else 'not converged: '}{found['message']}"]


def _fit(found: Mapping[str, Any]) -> list[str]:
    lines = [f"fit to {found['residuals']} measured numbers, {found['evaluations']} runs"]
    for name, x in found["values"].items():
        low, high = found["interval"][name]
        limit = "  (at its limit)" * (name in found["at_limit"])
        inside = f"{100 * found['confidence']:g} %: {_show(low)} to {_show(high)}"
        lines.append(f"  {name} = {_show(x, 8)} +- {_show(found['std'][name], 3)}; {inside}{limit}")
    lines += [f"  residuals of {name}: {x:.4g} (root of the mean square)" for name, x in found["rms"].items()]
    for together in found.get("undetermined", []):
        if len(together) == 1:
            lines.append(f"  nothing that was measured depends on {next(iter(together))}")
        else:
            moves = ", ".join(f"{name} by {x:.4g}" for name, x in together.items())
            lines.append(f"  not determined: {moves} together change nothing that was measured")
    names = list(found["values"])
    pairs = [(names[i], names[j], found["correlation"][i][j]) for i in range(len(names)) for j in range(i)]
    lines += [f"  correlation of {a} and {b}: {_show(x, 3)}" for a, b, x in pairs]
    return lines if found["converged"] else [*lines, f"  not converged: {found['message']}"]


def _derivatives(found: Mapping[str, Any]) -> list[str]:
    how = "by direct differentiation" if found.get("method") == "direct" else f"{found['evaluations']} runs"
    lines = [f"derivatives at {', '.join(f'{name} = {x:g}' for name, x in found['at'].items())}, {how}"]
    for output, one in found["outputs"].items():
        lines.append(f"  {output} = {_show(one['value'])}")
        for name, row in one["by"].items():
            error = "" if row["error"] is None else f" +- {_show(row['error'], 2)}"
            lines.append(f"    by {name}: {_show(row['derivative'], 8)}{error}; elasticity {_show(row['elasticity'], 4)}")
    return lines


def _indices(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{found['kind']} indices, {found['evaluations']} runs"]
    for output, one in found["outputs"].items():
        lines.append(f"  {output}: mean {_show(one['mean'])}, variance {_show(one['variance'])}")
        for name, row in one["by"].items():
            parts = [
                f"{word.replace('_', ' ')} {_show(x, 4)}"
                + (f" +- {_show(row[f'{word}_interval'], 2)}" if f"{word}_interval" in row else "")
                for word, x in row.items()
                if not word.endswith("_interval")
            ]
            lines.append(f"    {name}: {', '.join(parts)}")
    return lines


def _show(value: float | None, digits: int = 6) -> str:
    return "none" if value is None else f"{value:.{digits}g}"


_LINES: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "optimize": _optimum, "fit": _fit, "derivatives": _derivatives, "sobol": _indices, "morris": _indices, "fast": _indices,
}  # fmt: skip
