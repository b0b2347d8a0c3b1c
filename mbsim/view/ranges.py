"""How far sliders of coordinates reach: between the limits that a model gives, which forces and stops of joints do."""

from math import inf, isfinite

from mbsim.forces._table import BodyForce
from mbsim.joints._table import TableJoint
from mbsim.model.schema import Model

Range = tuple[float, float]  # m or rad


def joint_bounds(model: Model) -> dict[str, Range]:
    """Coordinates of joints -> between which values something keeps them; infinite where nothing does on that side."""
    found: dict[str, Range] = {}
    joints = {name: block for name, block in model.joints.items() if isinstance(block, TableJoint)}
    kept = [one for force in model.forces.values() if isinstance(force, BodyForce) and (one := force.bounds()) is not None]
    for name, joint in joints.items():
        given = [(x.coordinate, -inf if x.lower is None else x.lower, inf if x.upper is None else x.upper) for x in joint.bounds()]
        given += [(coordinate, low, high) for of, coordinate, low, high in kept if of == name]
        choices = joint.bounded(model.dimension or 3) or [""]
        for coordinate, low, high in given:
            key = f"{name}.{coordinate or choices[0]}"
            before = found.get(key, (-inf, inf))
            found[key] = max(before[0], low), min(before[1], high)
    return found


def range_of(bounds: Range, value: float, reach: float) -> Range:
    """The ends of a slider at a value: the bounds, `reach` from the value where there are none, and not short of the value."""
    low, high = (x if isfinite(x) else other for x, other in zip(bounds, (value - reach, value + reach), strict=True))
    return (min(low, value), max(high, value)) if low < high else (value - reach, value + reach)
