"""Importer of a chain of rods: a line for each, `name, length in m, mass in kg`, hung one below the other from the ground."""

import csv
from pathlib import Path
from typing import Any

SUFFIXES = (".rods",)


def read(path: Path, folder: Path) -> dict[str, Any]:
    """The model as a dictionary with the keys of a model file. Raises ValueError for a line that is none of a rod, OSError."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    above, height = "ground", 0.0
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.reader(file), 1):
            if not row or row[0].startswith("#"):
                continue
            try:
                name, length, mass = row[0].strip(), float(row[1]), float(row[2])
            except (IndexError, ValueError):
                raise ValueError(f"line {number}: expected a name, a length and a mass (got {', '.join(row)!r})") from None
            bodies[name] = {"mass": mass, "inertia": mass * length**2 / 12, "position": [0.0, height - length / 2]}
            joints[f"{name}_hinge"] = {"type": "revolute", "bodies": [above, name], "at": [0.0, height]}
            above, height = name, height - length
    return {
        "name": path.stem,
        "dimension": 2,
        "gravity": [0.0, -9.81],
        "coordinates": "joint",
        "bodies": bodies,
        "joints": joints,
        "simulation": {"end": 1.0},
    }
