"""The pieces of a scene: meshes in the axes of a body, meshes between two points, planes under what touches them; and where they are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbsim.scene.elastic import Elastic
from mbsim.scene.meshes import Mesh
from mbsim.scene.motion import Motion
from mbsim.scene.read import Cable, Contact, End, Floats
from mbsim.scene.spans import spans
from mbsim.scene.turns import along, matrices

Colour = tuple[int, int, int]
PALE: Colour = (226, 230, 235)


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh in the axes of its body; -1 is the ground."""

    name: str  # body/what, joint/name, force/name ...
    body: int
    mesh: Mesh
    colour: Colour


@dataclass(frozen=True, eq=False)
class Stretch:
    """A mesh about z from the first end to the second: of length 1 and scaled to their distance, or of its own length."""

    name: str
    ends: tuple[End, End]
    mesh: Mesh
    colour: Colour
    scaled: bool


@dataclass(frozen=True, eq=False)
class Lifted:
    """A mesh in global axes that moves along a direction, as high as what touches it: a plane that functions of time move."""

    name: str
    contact: Contact
    normal: Floats  # (3,) global
    mesh: Mesh  # where the plane goes through the origin
    colour: Colour
    scaled: bool = False


@dataclass(frozen=True, eq=False)
class Strand:
    """A mesh of length 1 about z along the straight part of a cable from one of its stations to the next, scaled to its length."""

    name: str
    cable: Cable
    number: int  # of the straight part
    mesh: Mesh
    colour: Colour
    z: float  # how high it is drawn in a planar mechanism, m
    scaled: bool = True


@dataclass(frozen=True, eq=False)
class Edge:
    """A mesh of length 1 about z along a line between two nodes of an elastic part, scaled to its length."""

    name: str
    part: Elastic
    number: int  # of the line
    mesh: Mesh
    colour: Colour
    scaled: bool = True


Piece = Stretch | Lifted | Strand | Edge


def place(piece: Piece, poses: Motion) -> tuple[Floats, Floats, Floats]:
    """Where a piece is: position (k, 3), quaternion (k, 4) and scale (k, 3)."""
    if isinstance(piece, Lifted):
        k = len(poses.times)
        height = poses.place(piece.contact.at) @ piece.normal - clearance(piece.contact, piece.normal, poses)
        return height[:, None] * piece.normal, np.tile([1.0, 0.0, 0.0, 0.0], (k, 1)), np.ones((k, 3))
    if isinstance(piece, Strand):
        first, second = (end + [0.0, 0.0, piece.z] for end in spans(piece.cable, poses)[piece.number])
    elif isinstance(piece, Edge):
        first, second = piece.part.ends(piece.number, poses.position, matrices(poses.quaternion[:, piece.part.bodies[0]]))
    else:
        first, second = (poses.place(end) for end in piece.ends)
    length = np.linalg.norm(second - first, axis=1)
    scale = np.ones((len(length), 3))
    if piece.scaled:
        scale[:, 2] = np.maximum(length, 1e-9)
    return first, along(second - first), scale


def places(pieces: Sequence[Piece], pose: Motion) -> tuple[Floats, Floats, Floats]:
    """Where all pieces are at one pose: positions (n, 3), quaternions (n, 4) and scales (n, 3). Those between two points go together."""
    n, stretches = len(pieces), {i: piece for i, piece in enumerate(pieces) if isinstance(piece, Stretch)}
    found, together = (np.zeros((n, 3)), np.zeros((n, 4)), np.ones((n, 3))), list(stretches)
    turned = pose.rotation[0]
    ends = [[piece.ends[side] for piece in stretches.values()] for side in (0, 1)]
    first, second = (
        pose.position[0, bodies] + np.einsum("kij,kj->ki", turned[bodies], np.array([end.point for end in side], float).reshape(-1, 3))
        for side in ends
        for bodies in [np.array([end.body for end in side], int)]
    )
    found[0][together], found[1][together] = first, along(second - first)
    stretched = np.array([piece.scaled for piece in stretches.values()], bool)
    found[2][np.array(together, int)[stretched], 2] = np.maximum(np.linalg.norm(second - first, axis=1)[stretched], 1e-9)
    for i in set(range(n)).difference(together):
        for array, one in zip(found, place(pieces[i], pose), strict=True):
            array[i] = one[0]
    return found


def clearance(contact: Contact, normal: Floats, poses: Motion) -> Floats:
    """How far (k,) the point of a contact stands above its plane, m; `normal` is global. A disk that leans touches with its rim."""
    if contact.symbol != "wheel" or contact.axis is None:
        return np.full(len(poses.times), contact.radius)
    lean = poses.turn(contact.at.body, contact.axis) @ normal
    return np.asarray(contact.radius * np.sqrt(np.maximum(0.0, 1.0 - lean**2)))
