"""Units that several files of this folder run."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def exchanged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with units for model exchange (`exchanged_units.make`). Whoever adds files of other names may do so."""
    from simulation.exchanged_units import make

    return make(tmp_path_factory.mktemp("exchanged"))
