"""Puts this folder on the import path, for `mechanisms`: the models and small helpers that the tests of several folders share."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # of numba, on a cold compile only: functions reached through pointers are how the kernels are joined
    config.addinivalue_line("filterwarnings", "ignore:First-class function type feature is experimental")
