"""d/dt (a_i . d) = f(t): the rate of an `in_plane`; the multiplier is the force along a."""

from mbsim.elements.rows.in_plane import planar_eta, planar_row, spatial_eta, spatial_row

__all__ = ["planar_eta", "planar_row", "spatial_eta", "spatial_row"]
DIMENSIONS = (2, 3)
LEVEL = "velocity"
