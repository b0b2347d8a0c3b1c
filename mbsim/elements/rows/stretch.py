"""d/dt |d| = f(t), |d| > 0: the rate of a `distance`; the multiplier is the thrust between the points."""

from mbsim.elements.rows.distance import planar_eta, planar_row, spatial_eta, spatial_row

__all__ = ["planar_eta", "planar_row", "spatial_eta", "spatial_row"]
DIMENSIONS = (2, 3)
LEVEL = "velocity"
