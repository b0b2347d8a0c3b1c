"""Distances and angles of points and bodies, written out in the names of places and states: `distance(rod.B, ground.O)`.

They are abbreviations, as those of `poses`: laws, events and constraints then know, differentiate and compile them. Measures call
functions of the same names instead, which know poses in all coordinates.
"""

from collections.abc import Sequence

from mbsim.model.expressions.poses import AXES

SEPARATIONS = ("distance", "angle")
_GROUND = "ground"
_PARTS = ("qw", "qx", "qy", "qz")


def write_separation(function: str, names: Sequence[str], planar: bool) -> str:
    """The text that `distance(p, q)`, `angle(p, q, r)` of points or `angle(a, b)` of bodies stands for; see docs/model-file/measures.md."""
    axes = AXES[: 2 if planar else 3]
    if function == "distance":
        return _norm([_difference(names[0], names[1], axis) for axis in axes])
    if len(names) == 3:
        p, vertex, q = names
        a, b = ([_difference(point, vertex, axis) for axis in axes] for point in (p, q))
        return f"atan2({_norm(_cross(a, b))}, {_sum(a, b)})"
    first, second = names
    return _turn_in_plane(first, second) if planar else _turn_in_space(first, second)


def _turn_in_plane(first: str, second: str) -> str:
    """Of the first body against the second, counting turns."""
    a, b = ("0" if body == _GROUND else f"{body}.angle" for body in (first, second))
    return f"{a} - {b}"


def _turn_in_space(first: str, second: str) -> str:
    """The angle of the rotation between two bodies, 0 to pi, from the quaternion of the one in the axes of the other."""
    (aw, *a), (bw, *b) = (["1", "0", "0", "0"] if body == _GROUND else [f"{body}.{part}" for part in _PARTS] for body in (first, second))
    turned = [f"{bw}*{x} - {aw}*{y} - ({c})" for x, y, c in zip(a, b, _cross(b, a), strict=True)]
    return f"2*atan2({_norm(turned)}, abs({_sum([aw, *a], [bw, *b])}))"


def _difference(p: str, q: str, axis: str) -> str:
    a, b = ("0" if point == _GROUND else f"{point}.{axis}" for point in (p, q))
    return f"({a} - {b})"


def _sum(a: Sequence[str], b: Sequence[str]) -> str:
    return " + ".join(f"{x}*{y}" for x, y in zip(a, b, strict=True))


def _norm(parts: Sequence[str]) -> str:
    return f"abs({parts[0]})" if len(parts) == 1 else "sqrt(" + " + ".join(f"({part})^2" for part in parts) + ")"


def _cross(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """The components of a x b: one in the plane."""
    places = [(0, 1)] if len(a) == 2 else [(1, 2), (2, 0), (0, 1)]
    return [f"({a[i]}*{b[j]} - {a[j]}*{b[i]})" for i, j in places]
