"""What a run says of impacts that have gained energy: Newton's law does so where there are friction and several contacts.

Kane and Levinson, Dynamics, 1985, section 3.2; `mbsim.unilateral.impacts`. Poisson's law gains none.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from mbsim.march.ending import join_names

SHOWN = 3  # contacts in a message
SMALL = 1e-7  # of the largest energy that an event of the run has changed: what is less is round-off of a contact that goes over an edge


def gained(table: Sequence[Mapping[str, object]]) -> list[str]:
    """A warning where impacts in a table of events have gained energy: how many, how much (J), when first, and at which contacts."""
    most = max((abs(_energy(line)) for line in table), default=0.0)
    hits = [line for line in table if line.get("gains") and not abs(_energy(line, most)) < SMALL * most]
    if not hits:
        return []
    times = [list(lines) for _, lines in groupby(hits, key=lambda line: line["time"])]
    energies = [float(str(line["energy"])) for line in hits if "energy" in line]
    names = list(dict.fromkeys(f"'{line['event']}'" for line in times[0]))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    count = f"{len(times)} impacts gain" if len(times) > 1 else "an impact gains"
    size = f" ({sum(energies):.3g} J in all)" if energies else ""
    when = f"{'the first ' if len(times) > 1 else ''}at t = {times[0][0]['time']:.6g} s"
    where = f"{join_names(names[:SHOWN])}{more}"
    why = "Newton's law does with friction and restitution; `impact_law: poisson` gains none"
    return [f"{count} energy{size}, {when} of {where}: {why}"]


def _energy(line: Mapping[str, object], without: float = 0.0) -> float:
    """What the mechanism has gained there, J; `without` where that is not known."""
    return float(str(line["energy"])) if "energy" in line else without
