"""Pitch circles of gears and of pinions, from the ratio and the distance of the two axes."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mbsim.model.schema import Model

PARALLEL = 1e-6  # 1 - cosine of the angle between two axes
SMALLEST = 1e-9  # of the distance of the axes, m; gears on one axis have no pitch circles


class Placing(Protocol):
    """What is asked of the reference configuration."""

    positions: list[NDArray[np.float64]]
    rotations: list[NDArray[np.float64]]


def gears(model: Model, reference: Placing, joints: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The couplings: symbol, joints and circles of each, with body, centre and axis in body axes, radius. Belts and levers have none."""
    by_name = {joint["name"]: joint for joint in joints}
    found = []
    for name, coupling in model.couplings.items():
        first, second = (by_name[joint] for joint in coupling.joints)
        circles: list[dict[str, Any]] = []
        if coupling.SYMBOL == "wheels" and first["symbol"] == second["symbol"] == "hinge":
            circles = _pair(reference, first, second, coupling.pitch())
        elif coupling.SYMBOL == "rack" and first is not second:  # of one joint it is a screw
            circles = [_circle(first, _moving(first), coupling.pitch())]
        look = {"type": coupling.type, "symbol": coupling.SYMBOL}
        found.append({"name": name, **look, "joints": list(coupling.joints), "circles": circles})
    return found


def _pair(reference: Placing, first: dict[str, Any], second: dict[str, Any], ratio: float) -> list[dict[str, Any]]:
    """The circles of two gears that turn in a common body: r1 w1 = -r2 w2, or r1 w1 = r2 w2 with one inside of the other."""
    shared = set(first["bodies"]) & set(second["bodies"])
    if len(shared) != 1:
        return []
    (carrier,) = shared
    (place1, axis1), (place2, axis2) = (_global(reference, joint, carrier) for joint in (first, second))
    if abs(abs(float(axis1 @ axis2)) - 1.0) > PARALLEL:
        return []
    # Rates of the gears against the carrier; a joint counts from its first body to its second.
    signs = [1.0 if joint["bodies"][0] == carrier else -1.0 for joint in (first, second)]
    ratio *= signs[0] * signs[1] * float(np.sign(axis1 @ axis2))
    across = place2 - place1 - axis1 * float(axis1 @ (place2 - place1))
    distance = float(np.linalg.norm(across))
    if distance < SMALLEST or abs(ratio - 1.0) < SMALLEST:
        return []
    radius = distance / abs(1.0 - ratio)
    gears = [next(body for body in joint["bodies"] if body != carrier) for joint in (first, second)]
    return [_circle(first, gears[0], radius), _circle(second, gears[1], radius * abs(ratio))]


def _moving(joint: dict[str, Any]) -> int:
    """The body that turns: not the ground."""
    first, second = joint["bodies"]
    return int(first if second < 0 else second)


def _circle(joint: dict[str, Any], body: int, radius: float) -> dict[str, Any]:
    side = joint["bodies"].index(body)
    return {"body": body, "center": joint["points"][side], "axis": joint["axes"][side][2], "radius": radius}


def _global(reference: Placing, joint: dict[str, Any], body: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The joint's point and its axis, z of its frame, on one of its bodies, in the global frame; -1 is the last: the ground."""
    side = joint["bodies"].index(body)
    R = reference.rotations[body]
    return reference.positions[body] + R @ np.array(joint["points"][side]), R @ np.array(joint["axes"][side][2])
