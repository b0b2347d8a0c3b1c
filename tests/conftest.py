"""Puts this folder on the import path, for `mechanisms`: the models and small helpers that the tests of several folders share."""

import os

import pytest

# Read by numpy when a test imports it: the threads of OpenBLAS spin between small factorisations, and tests may run side by side.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    # of numba, on a cold compile only: functions reached through pointers are how the kernels are joined
    config.addinivalue_line("filterwarnings", "ignore:First-class function type feature is experimental")
