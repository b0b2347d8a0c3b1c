"""What the commands that write or read a result share: where it may be written, opening it, and words for what it holds."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._errors import InputError
from mbsim.cli._output import output_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbsim.results import Result


def require_result(output: Path, force: bool, *inputs: Path) -> None:
    """Raise InputError if a result may not be written there."""
    from mbsim.results import outputs

    with output_errors():
        outputs.check_suffix(output, outputs.RESULT_SUFFIXES)
        outputs.require(output, force, inputs)


def open_or_exit(path: Path, item_option: str = "") -> "Result":
    """The result at `path`. Raises InputError for a file that is missing or not a result; `item_option` takes what was given as a file."""
    from mbsim.results import ResultError, open_result, outputs

    try:
        return open_result(path)
    except FileNotFoundError as error:
        part = path.with_name(path.name + ".part")
        hint = f"; the run is not finished or was killed, {part} holds what it wrote" if part.is_file() else ""
        if item_option and path.suffix.lower() not in outputs.RESULT_SUFFIXES:
            hint = f"; what to draw of a result is told by {item_option} {path}"
        raise InputError(f"there is no result file {path}{hint}") from error
    except (ResultError, OSError) as error:
        raise InputError(str(error)) from error


def tell_change(change: dict[str, Any]) -> str:
    """A change of the rank, as recorded in a result, in one line."""
    what = f"passes a singular position, rank {change['rank']} instead of {change['before']}"
    if change["after"] != change["before"]:
        what = f"the rank of the constraints changes from {change['before']} to {change['after']}"
    return f"t = {change['time']:.6g} s: {what}: {', '.join(change['constraints'])}"


def list_events(events: "Sequence[dict[str, Any]]") -> list[str]:
    """The events of a run as recorded in a result, a line for each name and each thing that it did: contacts slip, stick and open."""
    lines = []
    for name, do in dict.fromkeys((str(event["event"]), str(event["do"])) for event in events):
        found = [event for event in events if event["event"] == name and event["do"] == do]
        times = f"at t = {found[0]['time']:.9g} s"
        if len(found) > 1:
            times = f"{len(found)} times, first {times}, last at t = {found[-1]['time']:.9g} s"
        energy = sum(event.get("energy", 0.0) for event in found)
        lines.append(f"{name} ({do}): {times}" + (f", energy {energy:+.6g} J" if energy else ""))
    return lines


def warn_of_rows(result: "Result") -> None:
    """Say on stderr where the rows of a result do not follow the motion."""
    from mbsim.results.reductions import SPANNED

    for text in [*result.attributes.get("warnings", []), *result.attributes.get("notes", [])]:
        if str(text).startswith(SPANNED):
            click.echo(f"warning: {text}", err=True)
