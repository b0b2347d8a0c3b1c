"""A comparison as one HTML page that needs nothing else: pictures are embedded as data, and everything that a user wrote is escaped.

First what the comparison says, then a table of a width that a page has; all columns stand in a part that opens.
"""

import base64
from html import escape

from mbsim.studies.compare import pictures
from mbsim.studies.compare.advice import advice
from mbsim.studies.compare.rows import Case, Findings
from mbsim.studies.compare.table import COLUMNS, about, alarming, below, reasons, row_facts, settings, summary
from mbsim.studies.compare.verdict import AGREES

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1d1d1f; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .3rem; border-top: 1px solid #ddd; padding-top: 1.4rem; }
p, ul { margin: .3rem 0 .7rem; }
.quiet { color: #666; font-size: .88rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; margin: .6rem 0; white-space: nowrap; }
th { text-align: right; font-weight: 600; color: #444; border-bottom: 1px solid #999; padding: .15rem .45rem; vertical-align: bottom; }
td { text-align: right; padding: .12rem .45rem; border-bottom: 1px solid #eee; }
th.left, td.left { text-align: left; }
tr.first td { border-top: 1px solid #bbb; }
.advice { background: #f1f6fa; border-left: 4px solid #0072B2; padding: .6rem 1rem; margin: .8rem 0; }
.advice p { margin: .25rem 0; }
.advice p:first-child { font-weight: 600; }
.mechanism { max-width: 34rem; max-height: 26rem; }
summary { cursor: pointer; }
.good { color: #006b4b; }
.bad { color: #b3261e; font-weight: 600; }
.open { color: #8a5a00; }
img { max-width: 100%; height: auto; display: block; margin: .8rem 0; }
pre { background: #f6f6f7; padding: .8rem; overflow-x: auto; font-size: .82rem; }
"""
MAIN = ("method", "integrator", "tol.", "error", "est.", "order", "of v", "phi", "balance", "disagr.", "dev/tol", "time", "verdict")
LEFT_OUT = ("end",)  # first lines of headings whose second line is in MAIN
_MEANINGS = """
<p class="quiet">Errors are distances from the reference, the largest over all coordinates (m and rad alike; a spatial orientation
counts as one angle): at the end, and as root of the mean square over time. The own estimate is what the row's ladder says of itself. The
order is fitted to the errors of the ladder; with ~ to two points only. Residuals, energy balance (J) and reactions (relative to the
largest, and not beside singular positions) are the largest over time. Wall time is that of marching, the median of the repeats, after a
run that loads or compiles. A row agrees when its error is within three times the sum of its own estimate and the reference's; it is
unresolved when its own error cannot be estimated at these steps; it is of low order when its errors shrink more slowly than the method and
the integrator declare, and those of another method do not.</p>
"""


def page(comparison: Findings) -> str:
    """The whole document."""
    title = "Comparison: " + ", ".join(case.name for case in comparison.cases)
    command = f"<p><code>{escape(comparison.command)}</code></p>" if comparison.command else ""
    versions = ", ".join(f"{name} {version}" for name, version in comparison.versions.items())
    head = f'<meta charset="utf-8">\n<title>{escape(title)}</title>\n<style>{_STYLE}</style>'
    made = f'<p class="quiet">{escape(comparison.date)} · {escape(comparison.machine)} · {escape(versions)}</p>'
    body = [f"<h1>{escape(title)}</h1>", f"<p>{escape(summary(comparison))}.</p>"]
    body += [_section(case) for case in comparison.cases]
    body += ["<h2>About this report</h2>", command, made, _MEANINGS]
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{chr(10).join(body)}\n</body>\n</html>\n'


def _section(case: Case) -> str:
    ran = any(row.result is not None for row in case.rows)
    parts = [
        f"<h2>{escape(case.name)}: {escape(case.title)}</h2>",
        _advice(case),
        *_mechanism(case),
        f"<p>{'<br>'.join(escape(line) for line in about(case))}</p>",
        _table(case),
        _reasons(case),
    ]
    if any(row.against is not None for row in case.rows):
        parts.append(_picture(pictures.work_precision(case), f"Error of {case.name} against wall time and against evaluations"))
    if ran:
        parts.append(_picture(pictures.histories(case), f"Error, drift and energy of {case.name} over time"))
    parts.append(f"<details><summary>All columns</summary>{_table(case, every=True)}</details>")
    if case.text:
        parts.append(f"<details><summary>The model file {escape(case.file)}</summary><pre>{escape(case.text)}</pre></details>")
    return "\n".join(parts)


def _advice(case: Case) -> str:
    said = advice(case)
    lines = "".join(f"<p>{escape(line)}</p>" for line in said.lines)
    return f'<div class="advice">{lines}{f"<p><code>{escape(settings(said))}</code></p>" if said.settings else ""}</div>'


def _mechanism(case: Case) -> list[str]:
    """A schematic at the start, of a model with bodies."""
    svg = pictures.mechanism(case)
    return [_picture(svg, f"Schematic of {case.name} at its start", "mechanism")] if svg else []


def _table(case: Case, every: bool = False) -> str:
    found = [row_facts(row) for row in case.rows]
    columns = [column for column in COLUMNS if every or (column[1] in MAIN and column[0] not in LEFT_OUT)]
    used = [(column, [column[2](f) for f in found]) for column in columns]
    used = [(column, cells) for column, cells in used if any(cells)]
    head = "".join(f"<th{_side(c[1])}>{escape(c[0])}{'<br>' * bool(c[0])}{escape(c[1])}</th>" for c, _ in used)
    lines = []
    for index, f in enumerate(found):
        before = found[index - 1] if index else None
        first = before is not None and (before["method"], before["integrator"]) != (f["method"], f["integrator"])
        cells = "".join(f"<td{_side(c[1], f['verdict'])}>{escape(column[index])}</td>" for c, column in used)
        opening = '<tr class="first">' if first else "<tr>"
        lines.append(f"{opening}{cells}</tr>")
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{chr(10).join(lines)}\n</tbody></table></div>'


def _reasons(case: Case) -> str:
    notes = "".join(
        f'<li>{escape(words)}: <span class="{_class(verdict)}">{escape(verdict)}</span>: {escape(reason)}</li>'
        for words, verdict, reason in reasons([row_facts(row) for row in case.rows])
    ) + "".join(f"<li>{escape(line)}</li>" for line in below(case))
    return f'<ul class="quiet">{notes}</ul>' if notes else ""


def _class(verdict: str) -> str:
    return "good" if verdict == AGREES else "bad" if alarming(verdict) else "open"


def _side(name: str, verdict: str = "") -> str:
    if name == "verdict":
        return f' class="left {_class(verdict)}"' if verdict else ' class="left"'
    return ' class="left"' if name in ("method", "integrator") else ""


def _picture(svg: str, words: str, of: str = "plot") -> str:
    """A separate image: the names inside one SVG must not clash with those of another."""
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f'<img class="{of}" alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'
