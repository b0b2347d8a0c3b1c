"""The angle of an `about`, in space in (-pi, pi]: what reads it knows of whole turns, as the gap of gears with play."""

from mbsim.elements.relative.about import planar_measure, spatial_measure

__all__ = ["planar_measure", "spatial_measure"]
CONSTANT = (2,)
DIMENSIONS = (2, 3)
