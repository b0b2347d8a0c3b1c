"""Which method and integrator for which mechanism: the tables of docs/choosing.md, measured over all shipped models at equal error.

    python scripts/choosing.py                    # measures, and puts the tables into docs/choosing.md; takes half an hour
    python scripts/choosing.py --models pendulum,four_bar --output /tmp/here
    python scripts/choosing.py --quick            # two models for a moment, in seconds; nothing is kept

`choosing_runs.py` says what is measured. With `--output` the figures are also written as JSON, model by model, and `--from FILE` makes the
tables from such a file.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import inf, isfinite, isnan
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

from choosing_runs import IMPLICIT, METHODS, Cost, Ladder, combinations, ladders, subject
from command_line import DOCS, command, output_folder, parser, versions
from measuring import origin, table

from mbsim.march.wrong_settings import OWN
from mbsim.model.file.shipped import shipped

ERRORS = (1e-4, 1e-6, 1e-8)  # relative errors at which work is compared
SHOWN = 1e-6  # the one whose figures are in the tables
TWICE = 2.0
TURNS = 3
QUICK = ("pendulum", "rolling_disk")
BEGIN, END = "<!-- begin: printed by scripts/choosing.py -->", "<!-- end -->"
SAVED = "choosing.json"


@dataclass
class Measured:
    """A model and its ladders."""

    name: str
    kind: str  # coordinates: absolute, joint, own
    bodies: int
    speeds: int
    rows: int
    freedoms: int
    automatic: str
    ladders: list[Ladder]

    def of(self, choose: Callable[[Ladder], bool]) -> list[Ladder]:
        """Some of its ladders."""
        return [ladder for ladder in self.ladders if choose(ladder)]

    @property
    def methods(self) -> list[Ladder]:
        """With `dop853`."""
        return self.of(lambda ladder: ladder.integrator == "dop853")

    @property
    def integrators(self) -> list[Ladder]:
        """With the method that `auto` is, and the method with steps of its own."""
        return self.of(lambda ladder: ladder.method == self.automatic or ladder.integrator == OWN)

    @property
    def own(self) -> Ladder:
        """What `auto` is, without a step."""
        return next(ladder for ladder in self.methods if ladder.method == self.automatic)


def measure(name: str, shorter: float, turns: int, only: int | None) -> Measured | str:
    """A model, or why it is left out."""
    found = subject(name, shorter)
    if isinstance(found, str):
        return found
    system = found.made.system
    taken = ladders(found, combinations(found), turns, only)
    return Measured(name, found.kind, len(system.bodies), system.n_v, system.n_rows, found.freedoms, found.automatic, taken)


def best(among: Sequence[Ladder], error: float, what: str) -> float:
    """The least work for an error."""
    return min((ladder.at(error, what) for ladder in among), default=inf)


def ratio(one: Ladder, among: Sequence[Ladder], error: float, what: str = "seconds") -> float:
    """Work over the least; NaN where nothing reaches the error."""
    least = best(among, error, what)
    return one.at(error, what) / least if isfinite(least) and least > 0.0 else float("nan")


def number(x: float) -> str:
    """Two digits; a dash where there is none."""
    return "-" if not isfinite(x) else f"{x:.2f}" if x < 10 else f"{x:.0f}"


def milliseconds(x: float) -> str:
    """Three digits."""
    return "-" if not isfinite(x) else f"{1e3 * x:.3g}"


def worst(one: Ladder, among: Sequence[Ladder]) -> float:
    """The largest ratio over the errors that something reaches."""
    found = [ratio(one, among, error) for error in ERRORS]
    return max((r for r in found if not isnan(r)), default=float("nan"))


def methods_table(found: Sequence[Measured]) -> str:
    """Time of each method over the least, with dop853."""
    words = [word for word in METHODS if any(ladder.method == word for m in found for ladder in m.methods)]
    rows = []
    for m in found:
        by = {ladder.method: ladder for ladder in m.methods}
        cells = [number(ratio(by[word], m.methods, SHOWN)) if word in by else "" for word in words]
        cells = [f"**{cell}**" if word == m.automatic else cell for word, cell in zip(words, cells, strict=True)]
        size = f"{m.kind}, {m.bodies}" if m.bodies else m.kind
        rows.append((f"`{m.name}`", size, f"{m.speeds}, {m.rows}, {m.freedoms}", milliseconds(best(m.methods, SHOWN, "seconds")), *cells,
                     number(worst(m.own, m.methods))))  # fmt: skip
    heads = (
        "model",
        "coordinates, bodies",
        "speeds, rows, freedoms",
        "least, ms",
        *(f"`{word}`" for word in words),
        "`auto`, worst of three",
    )
    return table(heads, rows)


def evaluations_table(found: Sequence[Measured]) -> str:
    """Evaluations of each method at equal error."""
    words = [word for word in METHODS if any(ladder.method == word for m in found for ladder in m.methods)]
    rows = []
    for m in found:
        by = {ladder.method: ladder for ladder in m.methods}
        cells = [f"{x:.0f}" if word in by and isfinite(x := by[word].at(SHOWN, "evaluations")) else "-" * (word in by) for word in words]
        rows.append((f"`{m.name}`", *cells))
    return table(("model", *(f"`{word}`" for word in words)), rows)


def integrators_table(found: Sequence[Measured]) -> str:
    """Time of each integrator over the least, with the method that `auto` is."""
    words = list(dict.fromkeys(ladder.integrator for m in found for ladder in m.integrators if ladder.integrator != OWN))
    rows = []
    for m in found:
        by = {ladder.integrator: ladder for ladder in m.integrators}
        cells = [number(ratio(by[word], m.integrators, SHOWN)) if word in by else "" for word in [*words, OWN]]
        cells = [f"**{cell}**" if word == "dop853" else cell for word, cell in zip([*words, OWN], cells, strict=True)]
        steps = m.own.at(SHOWN, "evaluations")
        rows.append(
            (f"`{m.name}`", f"`{m.automatic}`", f"{steps:.0f}" if isfinite(steps) else "-", *cells, number(worst(m.own, m.integrators)))
        )
    heads = ("model", "method", "evaluations", *(f"`{word}`" for word in words), f"`{IMPLICIT}`", "`auto`, worst of three")
    return table(heads, rows)


def summary(found: Sequence[Measured], left_out: dict[str, str]) -> str:
    """How `auto` fares."""
    lines = []
    for title in ("method", "integrator"):
        ratios = {m.name: worst(m.own, m.methods if title == "method" else m.integrators) for m in found}
        known = {name: r for name, r in ratios.items() if isfinite(r)}
        if not known:  # short ladders of quick runs
            continue
        over = sorted((name for name, r in known.items() if r > TWICE), key=lambda name: -known[name])
        slower = ", ".join(f"`{name}` ({number(known[name])})" for name in over)
        lines.append(
            f"- The {title}: over {len(known)} models the time of `auto` is {median(known.values()):.2f} times that of the best in the "
            f"median, at most {max(known.values()):.2f} times. Slower than twice the best: {slower or 'none'}."
        )
        if beyond := [f"`{name}`" for name, r in ratios.items() if r == inf]:
            lines.append(f"- Another {title} reaches an error that `auto` does not reach at these tolerances: {', '.join(beyond)}.")
    if left_out:
        lines.append("- Left out: " + "; ".join(f"`{name}` ({why})" for name, why in left_out.items()) + ".")
    return "\n".join(fill(line, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) for line in lines)


def tables(found: Sequence[Measured], left_out: dict[str, str], head: str) -> str:
    """What stands between the marks."""
    return f"""{BEGIN}

{tidy(head)}

{summary(found, left_out)}

### Methods

With `dop853`. Processor time at a relative error of {SHOWN:.0e}, over that of the best method; in bold what `auto` is. A
dash: the error is not reached, or the march takes too long. The last column is the worst of the errors
{", ".join(f"{e:.0e}" for e in ERRORS)}.

{methods_table(found)}

Evaluations of the equations of motion, at the same error:

{evaluations_table(found)}

### Integrators

With the method that `auto` is. Processor time at a relative error of {SHOWN:.0e}, over that of the best; in bold what
`auto` takes without a `step`.

{integrators_table(found)}

{END}"""


def tidy(head: str) -> str:
    """The origin of the figures without the folder that they were kept in, in lines of a document."""
    lines = re.sub(r" --output \S+?(?=`|\s)", "", head).replace(",", ", ").replace(",  ", ", ").splitlines()
    return "\n".join(fill(line, 118, subsequent_indent="  " * line.startswith("- "), break_on_hyphens=False) for line in lines)


def load_averages() -> str:
    """Of the machine."""
    return ", ".join(f"{x:.1f}" for x in os.getloadavg())


def restored(path: Path) -> tuple[list[Measured], dict[str, str], str]:
    """What an earlier run has written. Raises OSError."""
    saved = json.loads(path.read_text(encoding="utf-8"))

    def ladder(one: dict[str, Any]) -> Ladder:
        return Ladder(one["method"], one["integrator"], [Cost(**cost) for cost in one["marches"]], one["reason"])

    return [Measured(**{**m, "ladders": [ladder(x) for x in m["ladders"]]}) for m in saved["models"]], saved["left_out"], saved["head"]


def save(folder: Path, found: Sequence[Measured], left_out: dict[str, str], head: str) -> None:
    """For `restored`."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = {"models": [asdict(m) for m in found], "left_out": left_out, "head": head}
    (folder / SAVED).write_text(json.dumps(saved), encoding="utf-8")


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--models", help="shipped models, separated by commas (default: all)")
    told = f"make the tables from what earlier runs wrote as {SAVED}"
    arguments.add_argument("--from", dest="saved", type=Path, nargs="+", metavar="FILE", help=told)
    given = arguments.parse_args()
    found: list[Measured] = []
    left_out: dict[str, str] = {}
    heads: list[str] = []
    if given.saved is not None:
        for path in given.saved:
            models, reasons, head = restored(path)
            found, left_out, heads = [*found, *models], left_out | reasons, [*heads, head]
        found, head = sorted(found, key=lambda m: m.name), "\n\n".join(dict.fromkeys(heads))
    else:
        names = given.models.split(",") if given.models else QUICK if given.quick else sorted(shipped())
        before = load_averages()
        for name in names:
            one = measure(name, *((0.2, 1, 3) if given.quick else (1.0, TURNS, None)))
            if isinstance(one, str):
                left_out[name] = one
                print(f"{name}: left out, {one}", flush=True)
            else:
                found.append(one)
                print(f"{name}: `{one.automatic}` takes {worst(one.own, one.methods):.2f} times the best method, "
                      f"{worst(one.own, one.integrators):.2f} times the best integrator", flush=True)  # fmt: skip
            if given.output:
                save(given.output, found, left_out, f"load {before}; {load_averages()}")
        head = origin(command(__file__), versions("numba", "numpy"))
        head += f"\n- Load of the machine before and after: {before}; {load_averages()}"
    text = tables(found, left_out, head)
    print(text)
    with output_folder(given) as folder:
        page = DOCS / "choosing.md"
        prose = page.read_text(encoding="utf-8")
        start, stop = prose.index(BEGIN), prose.index(END) + len(END)
        (folder / page.name).write_text(prose[:start] + text + prose[stop:], encoding="utf-8")
        if given.output and given.saved is None:
            save(folder, found, left_out, head)


if __name__ == "__main__":
    main()
