"""Puts this folder on the import path, for `mechanisms`: the models and small helpers that the tests of several folders share.

Marks the tests of the ring `quick` (quick_ring.py), and what the default run leaves to the ring `slow` (slow_ring.py). Runs some families
as plain Python (plain_python.py). Shares the compiling of mbsim's own kernels among the processes (warm_up.py).
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import plain_python
import pytest
import quick_ring
import slow_ring
import warm_up

# Read by numpy when a test imports it: the threads of OpenBLAS spin between small factorisations, and tests may run side by side.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--compiled", action="store_true", help="compile what tests/plain_python.py names, too")


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(100_000, 20, 100)  # compilers leave a million living objects, which a search for dead ones goes through
    # A job in the background is started with Ctrl-C ignored, and so is what it starts; tests send it to themselves and to others.
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # of numba, on a cold compile only: functions reached through pointers are how the kernels are joined
    config.addinivalue_line("filterwarnings", "ignore:First-class function type feature is experimental")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if quick_ring.left_out(collection_path, config) else None


@pytest.hookimpl(wrapper=True)  # marks are there before pytest selects by `-m`, and it has tests of its own kinds only to order by fixtures
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    quick_ring.mark(config, items)
    slow_ring.mark(config, items)
    plain_python.note(config, items)
    yield
    plain_python.convert(config, items)


def pytest_collection_finish() -> None:
    if "mbsim" in sys.modules:  # tests replace parts of a run, which one that takes those of an earlier run would not make
        import_module("mbsim.analyses.at_hand").MOST = 0
    gc.freeze()  # all that was imported lives until the end; each search for dead objects, and pytest's own at the end, would go through it


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    warm_up.share(session.config)  # before test modules are imported, which import kernels
