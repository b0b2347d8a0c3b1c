"""Panels of several results: the same items, the lines of each result under its name."""

from collections.abc import Sequence
from dataclasses import replace

from mbsim.plots.overview import panels
from mbsim.plots.panels import Panel, PlotError
from mbsim.results.read import Result

MOST = 6  # results; more cannot be told apart


def together(results: Sequence[Result], what: list[str] | None, names: Sequence[str] = ()) -> list[Panel]:
    """The panels of the items, or of the overview. Raises PlotError where a result has no rows or not what is asked for."""
    if len(results) > MOST:
        raise PlotError(f"a picture holds at most {MOST} results (got {len(results)})")
    names = names or distinct([str(result.attributes.get("title") or "run") for result in results])
    for name, result in zip(names, results, strict=True):
        if not len(result.time):
            which = f"{name}: " if len(results) > 1 else ""
            raise PlotError(f"{which}the result holds no rows: the run ended before its first output")
    if len(results) == 1:
        return panels(results[0], what)
    found: list[Panel] = []
    for run, (name, result) in enumerate(zip(names, results, strict=True)):
        try:
            made = panels(result, what)
        except PlotError as error:
            raise PlotError(f"{name}: {error}") from error
        for number, panel in enumerate(made):
            many = len(panel.lines) > 1
            lines = [replace(line, run=run, label=f"{line.label}, {name}" if many else name) for line in panel.lines]
            same = found[number] if what and run else next((one for one in found if one.title == panel.title), None)
            if same is None:
                found.append(replace(panel, lines=lines, notes=list(panel.notes)))
            else:
                same.lines += lines
                same.notes += [note for note in panel.notes if note not in same.notes]
    return found


def distinct(names: Sequence[str]) -> list[str]:
    """Names that differ: those that stand more than once get a number."""
    return [name if names.count(name) == 1 else f"{name} {k}" for k, name in enumerate(names, 1)]


def shared_title(results: Sequence[Result]) -> str:
    """The title of a result, or of all where they have one."""
    titles = list(dict.fromkeys(str(result.attributes.get("title", "")) for result in results))
    return titles[0] if len(titles) == 1 else " and ".join(filter(None, titles))
