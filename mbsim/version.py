"""The version of mbsim."""

__version__ = "0.2.0"
