"""What a result says of itself in an interpreter and in a notebook."""

from collections.abc import Mapping
from typing import Any

from mbsim.results.variables import Variables

SHOWN = 6  # labels of one kind


def text(result: Variables) -> str:
    """Two or three lines: what ran and how, how far, the coordinates."""
    coordinates = result.labels("coordinate")
    lines = [f"<mbsim result: {_title(result)}>", f"  {_span(result)}"]
    if coordinates:
        lines.append(f"  coordinates {_some(coordinates)}; variables: names()")
    return "\n".join(lines)


def html(result: Variables) -> str:
    """A line about the run and a table of its variables."""
    from html import escape

    rows = []
    for name in result.names():
        dimensions = result.dimensions(name)
        labels = [f"{dimension}: {_some(result.labels(dimension))}" for dimension in dimensions if result.labels(dimension)]
        units = result.units(name)
        cells = (name, " × ".join(dimensions), "" if units == "1" else units, result.long_name(name), "; ".join(labels))
        rows.append("<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th style='text-align:left'>{word}</th>" for word in ("variable", "dimensions", "units", "", "labels"))
    about = f"<b>{escape(_title(result))}</b><br>{escape(_span(result))}"
    return f"<div>{about}<details><summary>{len(rows)} variables</summary><table><tr>{head}</tr>{''.join(rows)}</table></details></div>"


def accuracy(facts: Mapping[str, Any]) -> str:
    """What a run was asked for, by its attributes: tolerances of an integrator that controls its error, else the step; empty if neither."""
    options = facts.get("options", {})
    if tolerances := [f"{name} {options[name]:g}" for name in ("rtol", "atol") if options.get(name) is not None]:
        return ", ".join(tolerances)
    return f"step {facts['step']:g} s" if isinstance(facts.get("step"), float) else ""


def _title(result: Variables) -> str:
    found = result.attributes
    how = [str(found[key]) for key in ("method", "integrator") if key in found]
    return ", ".join(filter(None, [str(found.get("title", "")), " with ".join(how)]))


def clock(facts: Mapping[str, object]) -> tuple[str, str]:
    """What the rows are over, and its unit: the time, or the coordinate that was cycled. `facts` are attributes."""
    return (str(facts["cycle"]), str(facts.get("cycle_unit", "1"))) if facts.get("cycle") else ("t", "s")


def _span(result: Variables) -> str:
    time, status = result.time, str(result.attributes.get("status", "complete"))
    name, unit = clock(result.attributes)
    over = f"{unit} of {name}" if name != "t" else unit
    rows = f"{len(time)} rows from {time[0]:.6g} to {time[-1]:.6g} {over}" if len(time) else "no rows"
    reason = str(result.attributes.get("failure", "")).partition("\n")[0]
    return rows if status == "complete" else f"{rows}; {status}{f': {reason}' if reason else ''}"


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:SHOWN]) + (f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else "")
