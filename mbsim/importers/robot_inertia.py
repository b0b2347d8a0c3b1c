"""The mass matrix of a robot in its reference configuration, plainly: what moves with a sum of coordinates there."""

from collections.abc import Mapping

import numpy as np

from mbsim.importers.robot import Joint, Robot
from mbsim.importers.urdf_elements import Floats


def moved_along(robot: Robot, factors: Mapping[str, float]) -> float:
    """The inertia 1 / (j M^-1 j') against a force along the sum of factors times coordinates of joints: kg, kg m^2.

    Other joints are free to give way. 0 where nothing with mass moves.
    """
    M, first = _mass_matrix(robot)
    j = np.zeros(len(M))
    for joint, factor in factors.items():
        j[first[joint]] = factor
    mobility = float(j @ np.linalg.lstsq(M, j, rcond=None)[0])
    return 1.0 / mobility if mobility > 0.0 else 0.0


def _mass_matrix(robot: Robot) -> tuple[Floats, dict[str, int]]:
    """M (n, n) with the joints' rotors, and the place of the first speed of each joint, as composite rigid bodies at the global origin."""
    composite = {name: np.zeros((6, 6)) for name in robot.order}
    for name in reversed(robot.order):
        if (link := robot.links[name]) is not None:
            placed = link.moved(*robot.pose[name])
            I, P = placed.R @ placed.matrix @ placed.R.T, _skew(placed.centre)
            composite[name] += np.block([[I - placed.mass * P @ P, placed.mass * P], [-placed.mass * P, placed.mass * np.eye(3)]])
        if name != robot.root:
            composite[robot.inner[name].parent] += composite[name]
    columns = {name: _columns(robot, robot.inner[name]) for name in robot.order[1:]}
    first, n = {}, 0
    for name, S in columns.items():
        first[robot.inner[name].name] = n
        n += S.shape[1]
    M = np.zeros((n, n))
    for name, S in columns.items():
        at = first[robot.inner[name].name]
        own = slice(at, at + S.shape[1])
        momentum, inside = composite[name] @ S, name
        M[own, own] = S.T @ momentum + robot.inner[name].rotor * np.eye(S.shape[1])
        while (inside := robot.inner[inside].parent) != robot.root:
            place = first[robot.inner[inside].name]
            outer = slice(place, place + columns[inside].shape[1])
            M[outer, own] = columns[inside].T @ momentum
            M[own, outer] = M[outer, own].T
    return M, first


def _columns(robot: Robot, joint: Joint) -> Floats:
    """(6, speeds) of a joint: angular and linear velocity at the global origin, global axes."""
    R, at = robot.pose[joint.child]
    axis = R @ (joint.axis / np.linalg.norm(joint.axis))
    if joint.kind == "revolute":
        return np.concatenate([axis, np.cross(at, axis)])[:, None]
    if joint.kind == "prismatic":
        return np.concatenate([np.zeros(3), axis])[:, None]
    turns = np.vstack([np.eye(3), _skew(at)])
    slides = np.vstack([np.zeros((3, 3)), np.eye(3)])
    return {"spherical": turns, "free": np.hstack([slides, turns])}.get(joint.kind, np.zeros((6, 0)))


def _skew(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
