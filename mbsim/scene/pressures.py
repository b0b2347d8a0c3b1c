"""What bodies do to each other where they touch by rigid contacts: the forces at every pose of a result, and where they act."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.scene.meetings import Meeting
from mbsim.scene.motion import Motion
from mbsim.scene.nearest import nearest
from mbsim.scene.places import Place
from mbsim.scene.read import Floats, Scene

if TYPE_CHECKING:
    from mbsim.results.read import Result

STILL = 1e-12  # of the largest speed of slip: a slower one has no direction


class Pressure(NamedTuple):
    """A contact, and what acts there on its second body."""

    meeting: Meeting
    place: Floats  # (k, 3) m, global
    normal: Floats  # (k, 3) from the first body to the second
    force: Floats  # (k, 3) N, global; zero where the contact is open


def pressures(scene: Scene, poses: Motion, result: "Result") -> list[Pressure]:
    """The forces of the contacts that close in a result: normal forces, and the friction of what sticks and of what slips."""
    columns = {name: k for k, name in enumerate(result.labels("constraint"))}
    efforts = {name: k for k, name in enumerate(result.labels("force_element"))}
    found = []
    multipliers = np.nan_to_num(result["multiplier"][poses.rows]) if columns else np.zeros((len(poses.times), 0))
    slipping = np.nan_to_num(result["force_effort"][poses.rows]) if efforts else np.zeros((len(poses.times), 0))
    for meeting in scene.meetings:
        if not columns.keys() >= {*meeting.rows}:
            continue
        held = multipliers[:, [columns[name] for name in meeting.rows]]
        effort = slipping[:, efforts[meeting.name], None] if meeting.name in efforts else np.zeros((len(held), 1))
        if not (held.any() or effort.any()):
            continue
        place = nearest(meeting, poses, scene.planar)
        force = held[:, :1] * place.normal
        for k, tangent in enumerate(place.tangents[: len(meeting.rows) - 1]):
            force += held[:, k + 1, None] * tangent
        if effort.any():
            force += effort * place.tangents[0] if scene.planar else -effort * _slip(meeting, place, poses, result)
        found.append(Pressure(meeting, place.at, place.normal, force))
    return found


def _slip(meeting: Meeting, place: Place, poses: Motion, result: "Result") -> Floats:
    """(k, 3) the directions in which the second body slips on the first; where it only begins to, that of the next pose."""
    found = np.zeros_like(place.at)
    for body, sign in zip(meeting.bodies, (-1.0, 1.0), strict=True):
        if body >= 0:
            v, omega = (result[name][poses.rows, body] for name in ("body_velocity", "body_angular_velocity"))
            found += sign * (v + np.cross(omega, place.at - poses.position[:, body]))
    found -= np.sum(found * place.normal, axis=1, keepdims=True) * place.normal
    speed = np.linalg.norm(found, axis=1)
    slips = speed > STILL * speed.max(initial=0.0)
    found[slips] /= speed[slips, None]
    for k in np.flatnonzero(~slips)[::-1]:
        found[k] = found[k + 1] if k + 1 < len(found) else 0.0
    return found
