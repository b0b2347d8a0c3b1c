"""The version of mbsim."""

__version__ = "0.1.0"
