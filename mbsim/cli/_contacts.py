"""What stops, contacts and dry friction do at the start, in words."""

from collections.abc import Mapping
from typing import Any

SHOWN = 8  # names in a line; `--json` has all
MODES = {"closed": "press", "sticks": "stick", "slips": "slip"}


def tell_contacts(found: Mapping[str, Any]) -> list[str]:
    """Lines on what `mbsim.analyses.touching` has found."""
    count = found["watched"]
    lines = [f"  stops, contacts and dry frictions: {count}; {_at_start(found)}"]
    lines += [f"    inside each other, or beyond a stop, by {depth:.3g}: {name}" for name, depth in found["inside"].items()]
    if found["refused"]:
        said = "WARNING: a run would stop" if found["stops"] else "steps through contacts take over, since by events a run would stop"
        return [*lines, f"    {said}: {found['refused']}"]
    if found["impacts"]:
        lines.append(f"    impact at the start: {_names(found['impacts'])}")
    for mode, verb in MODES.items():
        if names := [name for name, its in found["modes"].items() if its == mode]:
            lines.append(f"    {verb}: {_names(names)}")
    for group in found["dependent"]:
        lines.append(f"    share their loads, so that these forces are not unique: {_names(group)}")
    if found["idle"]:
        lines.append(f"    closed, but others carry: {_names(found['idle'])}")
    return lines


def _at_start(found: Mapping[str, Any]) -> str:
    if found["refused"]:
        return "the start is not possible" if found["stops"] else "the start is not possible by events"
    return f"{len(found['modes']) or 'none'} of them {'holds or slips' if len(found['modes']) == 1 else 'hold or slip'} at the start"


def _names(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more (--json lists them)" if more > 0 else "")
