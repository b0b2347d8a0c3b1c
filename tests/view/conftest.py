"""Results to look at."""

from pathlib import Path

import pytest

import mbsim
from mbsim.cli.models import shipped


@pytest.fixture(scope="session")
def four_bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of the four-bar, 1 s."""
    path = tmp_path_factory.mktemp("run") / "four_bar.h5"
    mbsim.simulate(mbsim.load_model(shipped()["four_bar"]), end=1.0, output=path)
    return path


@pytest.fixture(scope="session")
def own_coordinates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result without bodies."""
    path = tmp_path_factory.mktemp("run") / "double_pendulum.h5"
    mbsim.simulate(mbsim.load_model(shipped()["double_pendulum"]), end=0.05, output=path)
    return path
