"""Elimination of rows by blocks of joints: `cfa` in absolute coordinates."""
