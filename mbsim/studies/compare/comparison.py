"""What `mbsim.compare` returns: the findings, which can show and write themselves."""

from pathlib import Path
from typing import Any

from mbsim.studies.compare import table
from mbsim.studies.compare.rows import Findings


class Comparison(Findings):
    """Everything that was computed. `ok` when at least one row ran, and each that ran agrees or is known to be wrong."""

    def table(self) -> str:
        """As the terminal shows it, without colours."""
        return table.text(self)

    def facts(self) -> dict[str, Any]:
        """As the JSON file has it."""
        return table.facts(self)

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write .html, .json, .h5, or a table (.csv, .xlsx, .md, .tex).

        Raises ValueError for another suffix or without openpyxl, OSError when it cannot be written.
        """
        from mbsim.studies.compare.store import save  # which needs h5py

        save(self, Path(path), force)
