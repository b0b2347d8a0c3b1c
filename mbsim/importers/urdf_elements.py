"""Numbers and frames of the elements of URDF, and how numbers are written."""

import math
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class UrdfError(ValueError):
    """A URDF file cannot be converted to a model. The message names the element."""


def numbers(element: ElementTree.Element | None, key: str, default: str, count: int, where: str) -> Floats:
    """The numbers (count,) of an attribute. Raises UrdfError, which names `where`."""
    text = element.get(key, default) if element is not None else default
    try:
        values = np.array([float(x) for x in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.size != count or not np.isfinite(values).all():
        raise UrdfError(f"{where}: {key}: expected {count} finite numbers (got {text[:60]!r})")
    return values


def frame(element: ElementTree.Element | None, where: str) -> tuple[Floats, Floats]:
    """R and the place of an <origin>: fixed-axis roll, pitch, yaw."""
    place = numbers(element, "xyz", "0 0 0", 3, where)
    r, p, y = numbers(element, "rpy", "0 0 0", 3, where)
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    R = np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip
    return R, place


def listed(values: "Floats | list[float]") -> str:
    """Numbers with all their digits."""
    return "[" + ", ".join(repr(float(x) + 0.0) for x in values) + "]"
