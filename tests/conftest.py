"""Puts this folder on the import path, for `mechanisms`: the models and small helpers that the tests of several folders share.

Marks the tests of the ring `quick` (quick_ring.py), and what the default run leaves to the ring `slow` (thinned.py).
"""

import os
import signal
import threading
from pathlib import Path

import pytest
import quick_ring
import thinned

# Read by numpy when a test imports it: the threads of OpenBLAS spin between small factorisations, and tests may run side by side.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    # A job in the background is started with Ctrl-C ignored, and so is what it starts; tests send it to themselves and to others.
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # of numba, on a cold compile only: functions reached through pointers are how the kernels are joined
    config.addinivalue_line("filterwarnings", "ignore:First-class function type feature is experimental")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if quick_ring.left_out(collection_path, config) else None


@pytest.hookimpl(tryfirst=True)  # before pytest selects by `-m`
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    quick_ring.mark(config, items)
    thinned.mark(items)
