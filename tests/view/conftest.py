"""Results to look at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mbsim
from mbsim.cli.models import list_shipped
from mbsim.view import server as serving


@pytest.fixture(scope="session")
def four_bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of the four-bar, 1 s."""
    path = tmp_path_factory.mktemp("run") / "four_bar.h5"
    mbsim.simulate(mbsim.load_model(list_shipped()["four_bar"]), end=1.0, output=path)
    return path


@pytest.fixture(scope="session")
def own_coordinates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result without bodies."""
    path = tmp_path_factory.mktemp("run") / "double_pendulum.h5"
    mbsim.simulate(mbsim.load_model(list_shipped()["double_pendulum"]), end=0.05, output=path)
    return path


@pytest.fixture
def server() -> Iterator[Any]:
    """A server of pages that no browser looks at."""
    found = serving.open_page("test")
    yield found
    serving.stop_server(found)
