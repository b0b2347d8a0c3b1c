"""Writing a comparison: JSON, HDF5 (a group per run, each laid out as a result file), HTML, a table (.csv, .xlsx, .md, .tex).

A file is written completely or not at all.
"""

import json
from pathlib import Path

import h5py

from mbsim.results import outputs, write_group
from mbsim.results.sheet import SUFFIXES as TABLES
from mbsim.results.sheets import of_comparison
from mbsim.results.write import say
from mbsim.studies.compare.rows import Findings
from mbsim.studies.compare.table import facts, row_facts
from mbsim.version import __version__

SUFFIXES = (".html", ".json", ".h5", *TABLES)
NOT_ATTRIBUTES = ("method", "integrator", "step", "published", "wall_times", "wall_time")  # the result has its own, or is not a number


def save(comparison: Findings, path: Path, force: bool = False) -> None:
    """Write to `path` in the format of its suffix. Raises ValueError for another suffix, OutputError for a foreign file, OSError."""
    outputs.check_suffix(path, SUFFIXES)
    if path.suffix.lower() == ".json":
        outputs.write_text(path, json.dumps(facts(comparison), indent=2, ensure_ascii=False, allow_nan=False) + "\n", force)
    elif path.suffix.lower() == ".h5":
        with outputs.replacing(path, force) as part:
            _write_hdf5(comparison, part)
    elif path.suffix.lower() in TABLES:
        of_comparison(facts(comparison)).write(path, force)
    else:
        from mbsim.studies.compare.report import page

        outputs.write_text(path, page(comparison), force)


def _write_hdf5(comparison: Findings, path: Path) -> None:
    # The format of the result files; see mbsim.results.record.
    with h5py.File(path, "w", libver=("v108", "v108")) as file:
        say(file, "Conventions", "CF-1.11")
        say(file, "source", f"mbsim {__version__}")
        say(file, "title", "mbsim comparison")
        say(file, "comparison", json.dumps(facts(comparison), allow_nan=False))
        for case in comparison.cases:
            if case.reference.result is not None:
                errors = {f"estimated_{measure}_error": error for measure, error in case.reference.errors.items()}
                extra = {"description": case.reference.description, **errors}
                write_group(file.create_group(f"{_group(case.name)}/reference"), case.reference.result, extra)
            for row in case.rows:
                group = file.require_group(f"{_group(case.name)}/{row.name}")
                found = {key: value for key, value in row_facts(row).items() if key not in NOT_ATTRIBUTES and value is not None}
                if row.result is not None:
                    found["median_march_time"] = row.wall_time  # s; the result's own is that of its run
                    write_group(group, row.result, found)
                else:
                    for key, value in found.items():
                        say(group, key, value)


def _group(name: str) -> str:
    return name.replace("/", "_")
