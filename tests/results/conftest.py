"""Runs to read, plot and list."""

from pathlib import Path

import pytest
import synthetic

from mbsim.results import FileRecorder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A complete result of the slider-crank, 200 rows."""
    path = tmp_path / "slider_crank.h5"
    recorder = FileRecorder(path, synthetic.LAYOUT, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC)
    for first in range(0, 200, 50):
        recorder.append(synthetic.rows(first, first + 50))
    recorder.close("complete", synthetic.FINAL)
    return path
