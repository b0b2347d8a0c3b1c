"""What is printed of beams: their ends, and what the sections carry; the nodes between are those of the discretisation."""

from collections.abc import Mapping
from typing import Any

BETWEEN = "the nodes between its ends are in --json"


def without_nodes(values: Mapping[str, float], beams: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The values of coordinates or speeds by name, without those of nodes between the ends of beams."""
    between = {f"{name}_{k}" for name, beam in beams.items() for k in range(1, beam["elements"])}
    return {name: value for name, value in values.items() if name.removeprefix("der(").partition(".")[0] not in between}


def resultants(beams: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each beam: its normal force, and the largest of the others with the part of the way where it is."""
    lines = []
    for name, beam in beams.items():
        low, high = beam["normal_force"]
        parts = [f"normal force {low:.6g} to {high:.6g}"]
        for key in ("shear_force", "bending_moment", "torsional_moment"):
            if key in beam:
                parts.append(f"{key.replace('_', ' ')} {beam[key]['largest']:.6g} at {beam[key]['at']:.3g}")
        lines.append(f"    {name}: {'; '.join(parts)}")
    return lines
