"""What planes do to bodies that touch them: the forces of rigid contacts at every pose of a result, and where they act."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.scene.motion import Motion
from mbsim.scene.read import Contact, Floats, Scene

if TYPE_CHECKING:
    from mbsim.results.read import Result

STILL = 1e-12  # of the largest speed of slip: a slower one has no direction


class Pressure(NamedTuple):
    """A contact, and what acts there on the body that touches the plane."""

    contact: Contact
    place: Floats  # (k, 3) m, global
    force: Floats  # (k, 3) N, global; zero where the contact is open


def pressures(scene: Scene, poses: Motion, result: "Result") -> list[Pressure]:
    """The forces of the contacts of a result: normal forces, and the friction of what sticks and of what slips."""
    columns = {name: k for k, name in enumerate(result.labels("constraint"))}
    efforts = {name: k for k, name in enumerate(result.labels("force_element"))}
    found = []
    for contact in scene.contacts:
        if contact.plane is None or not contact.rows or not columns.keys() >= {*contact.rows}:
            continue
        body = contact.plane.at.body
        multipliers = np.nan_to_num(result["multiplier"][poses.rows][:, [columns[name] for name in contact.rows]])
        normal = poses.turn(body, contact.plane.normal)
        place = poses.place(contact.at) - contact.radius * normal
        force = multipliers[:, :1] * normal
        for k, tangent in enumerate(contact.plane.tangents[: len(contact.rows) - 1]):
            force += multipliers[:, k + 1, None] * poses.turn(body, tangent)
        if contact.name in efforts:
            effort = np.nan_to_num(result["force_effort"][poses.rows, efforts[contact.name]])[:, None]
            if scene.planar and contact.plane.tangents:
                force += effort * poses.turn(body, contact.plane.tangents[0])
            elif effort.any():
                force -= effort * _slip(contact, place, normal, poses, result)
        found.append(Pressure(contact, place, force))
    return found


def _slip(contact: Contact, place: Floats, normal: Floats, poses: Motion, result: "Result") -> Floats:
    """(k, 3) the directions in which the body slips along the plane; where it only begins to, that of the next pose."""
    assert contact.plane is not None
    found = np.zeros_like(place)
    for body, sign in ((contact.at.body, 1.0), (contact.plane.at.body, -1.0)):
        if body >= 0:
            v, omega = (result[name][poses.rows, body] for name in ("body_velocity", "body_angular_velocity"))
            found += sign * (v + np.cross(omega, place - poses.position[:, body]))
    found -= np.sum(found * normal, axis=1, keepdims=True) * normal
    speed = np.linalg.norm(found, axis=1)
    slips = speed > STILL * speed.max(initial=0.0)
    found[slips] /= speed[slips, None]
    for k in np.flatnonzero(~slips)[::-1]:
        found[k] = found[k + 1] if k + 1 < len(found) else 0.0
    return found
