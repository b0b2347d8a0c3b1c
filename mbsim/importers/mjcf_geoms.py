"""Geoms of MJCF: what bodies look like, and the mass that they give to bodies that have no <inertial>.

Sizes in the file are half lengths. A geom on a mesh stands where the file puts the mesh, as MuJoCo has it after moving the mesh's origin to
its centre of mass. What is drawn are geoms of the groups 0 to 2, which MuJoCo shows; the others are shapes for contacts.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from mbsim.importers.collision_hulls import convex
from mbsim.importers.mjcf_elements import MAIN, Keys, Mjcf, along, fill_numbers, flag, number, numbers, word
from mbsim.importers.mjcf_meshes import MESH_INERTIA, Mesh
from mbsim.importers.robot import Link
from mbsim.importers.urdf_elements import Floats, RobotError, list_numbers
from mbsim.importers.urdf_visuals import Visual
from mbsim.model import solids
from mbsim.model.rotations import matrix_from_quaternion, unit
from mbsim.model.solids import Solid

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}  # numbers of `size`
LINED = ("capsule", "cylinder", "ellipsoid", "box")  # `fromto` may give their length and direction
DENSITY = 1000.0  # kg/m^3, of a geom without density and mass
SHOWN = 2.0  # the last group that is drawn


@dataclass(frozen=True)
class Form:
    """A geom by which something is touched."""

    kind: str  # as of a `Collider`
    keys: str
    R: Floats = field(default_factory=lambda: np.eye(3))  # (3, 3) its frame -> the frame in which its keys place it
    place: Floats = field(default_factory=lambda: np.zeros(3))  # (3,)
    fault: str = ""
    edges: int = 0  # of the hull of a mesh
    said: str = ""  # what is missing of it


class Geoms:
    """What the geoms of a file come to; what is left out is added to `notes`."""

    def __init__(self, file: Mjcf, folder: Path, notes: list[str], contacts: bool = False) -> None:
        """`folder` is where names of meshes in the model begin; with `contacts` planes are drawn as what touches them."""
        self.file, self.folder, self.notes, self.contacts = file, folder, notes, contacts
        self.meshes = dict(self._meshes())
        low, high = numbers(file.compiler, "inertiagrouprange", "0 5", 2, "<compiler>")
        self.groups = (low, high)

    def _meshes(self) -> Iterator[tuple[str, Mesh | str]]:
        """Of each asset its mesh, or why there is none."""
        file = self.file
        for element in file.sections("asset"):
            if element.tag != "mesh":
                continue
            keys = file.keys(element, MAIN)
            name = keys.get("name") or PurePosixPath(keys.get("file", "").replace("\\", "/")).stem
            where = f"mesh '{name[:60]}'"
            if "file" not in keys:
                yield name, f"{where}: has no file; vertices in the XML are not read"
                continue
            folders = [file.compiler.get(key) for key in ("meshdir", "assetdir")]
            path = PurePosixPath(keys["file"])
            if flag(file.compiler, "strippath", False, "<compiler>"):
                path = PurePosixPath(path.name)
            inner = next((folder for folder in folders if folder), "")
            if path.is_absolute() or PurePosixPath(inner).is_absolute() or not keys["file"].isprintable():
                yield name, f"{where}: the path {keys['file'][:200]!r} is not relative to the folder of the file"
                continue
            place, home = file.folder / inner / path, file.folder.resolve()
            if not place.resolve().is_relative_to(home):  # as with <include>
                yield name, f"{where}: {str(PurePosixPath(inner) / path)[:200]!r} is not in the folder of the main file, {home}"
                continue
            R = np.array(matrix_from_quaternion(unit(numbers(keys, "refquat", "1 0 0 0", 4, where).tolist())))
            scale = fill_numbers(keys, "scale", "1 1 1", where)[:3]
            inertia = word(keys, "inertia", "legacy", MESH_INERTIA, where)
            yield name, Mesh(place, scale, numbers(keys, "refpos", "0 0 0", 3, where), R, inertia)

    def mass(self, keys: Keys, where: str) -> Link | None:
        """What a geom adds to its body, in the body's frame; None where it has no mass. Raises RobotError."""
        group = number(keys, "group", 0.0, where)
        if not self.groups[0] <= group <= self.groups[1]:
            return None
        given = number(keys, "mass", 0.0, where) if "mass" in keys else None
        density = number(keys, "density", DENSITY, where)
        if given == 0.0 or (given is None and density == 0.0):
            return None
        kind = self._kind(keys, where)
        if kind in ("plane", "hfield"):
            return None
        try:
            solid = self._solid(kind, keys, where)
        except ValueError as error:
            if isinstance(error, RobotError):
                raise
            raise RobotError(f"{where}: {error}; its body has no <inertial>") from None
        if given is not None:
            density = given / solid.volume
        if density < 0.0:
            raise RobotError(f"{where}: mass and density must not be negative")
        R, place, _ = self.frame(keys, kind, where)
        inertia = density * solid.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return Link(float(density * solid.volume), R, place + R @ solid.centre, inertia)

    def _kind(self, keys: Keys, where: str) -> str:
        return word(keys, "type", "sphere", TYPES, where)

    def _mesh(self, keys: Keys, where: str) -> Mesh:
        name = keys.get("mesh", "")
        mesh = self.meshes.get(name, f"{where}: there is no mesh '{name[:60]}'")
        if isinstance(mesh, str):
            raise RobotError(mesh)
        return mesh

    def _solid(self, kind: str, keys: Keys, where: str) -> Solid:
        """At density 1, in the geom's frame. Raises ValueError."""
        if kind == "mesh":
            return self._mesh(keys, where).solid
        if kind == "sdf" or "mesh" in keys or flag(keys, "shellinertia", False, where):
            what = "an sdf" if kind == "sdf" else "a primitive fitted to a mesh" if "mesh" in keys else "an inertia of the shell only"
            raise ValueError(f"{what} is not read")
        _, _, size = self.frame(keys, kind, where)
        if kind == "sphere":
            return solids.sphere(size[0])
        if kind == "capsule":
            return solids.capsule(size[0], 2.0 * size[1])
        if kind == "cylinder":
            return solids.cylinder(size[0], 2.0 * size[1])
        if kind == "box":
            return solids.box((2.0 * size).tolist())
        x, y, z = size * size / 5.0
        volume = 4.0 / 3.0 * np.pi * float(np.prod(size))
        return Solid(volume, np.zeros(3), volume * np.diag([y + z, z + x, x + y]))

    def frame(self, keys: Keys, kind: str, where: str) -> tuple[Floats, Floats, Floats]:
        """(3, 3) and (3,) of a geom in its body's frame, and its half lengths."""
        size = numbers(keys, "size", "", None, where)
        if "fromto" in keys and kind in LINED:
            ends = numbers(keys, "fromto", "", 6, where)
            line = ends[:3] - ends[3:]
            half = 0.5 * float(np.linalg.norm(line))
            size = np.array([*size[:1], half] if SIZES[kind] == 2 else [*size[:1], *size[:1], half])
            if not half > 0.0:
                raise RobotError(f"{where}: fromto: the two points are the same")
            R, place = along(line), 0.5 * (ends[:3] + ends[3:])
        else:
            R, place = self.file.orientation(keys, where), numbers(keys, "pos", "0 0 0", 3, where)
        count = SIZES.get(kind, 0) if "mesh" not in keys else 0
        if size.size < count or not (size[:count] > 0.0).all():
            raise RobotError(f"{where}: size: expected {count} numbers greater than 0 (got {keys.get('size', '')[:60]!r})")
        return R, place, size[:count]

    def visual(self, keys: Keys, where: str) -> Visual | None:
        """The shape of a geom in its body's frame; None, with a note, where it is not drawn."""
        try:
            if number(keys, "group", 0.0, where) > SHOWN:
                return None
            kind = self._kind(keys, where)
            if kind == "plane" and self.contacts:
                return None
            R, place, size = self.frame(keys, kind, where)
            return Visual(self._drawn(kind, keys, size, where), R, place)
        except (RobotError, ValueError) as error:
            text = str(error)
            self.notes.append(f"{'' if text.startswith(where) else f'{where}: '}{text}: it is not drawn")
        return None

    def touching(self, keys: Keys, where: str) -> Form:
        """By what a geom is touched, with what is wrong with it where it cannot be. Raises RobotError for sizes that cannot be."""
        kind = self._kind(keys, where)
        R, place, size = self.frame(keys, kind, where)
        if kind == "plane":
            return Form(kind, "", R, place)
        try:
            if kind != "mesh":
                return Form(kind, self._drawn(kind, keys, size, where), R, place)
            mesh = self._mesh(keys, where)
            hull = convex(mesh.vertices)
        except ValueError as error:
            return Form(kind, "", R, place, str(error).removeprefix(f"{where}: "))
        text = hull.keys
        if hull.is_whole:
            with suppress(ValueError):
                text = self._drawn(kind, keys, size, where)
        return Form("mesh", text, R, place, "", hull.edges, hull.said)

    def _drawn(self, kind: str, keys: Keys, size: Floats, where: str) -> str:
        """The keys of a shape in the model. Raises ValueError."""
        if kind == "mesh":
            mesh = self._mesh(keys, where)
            solids.check_mesh(mesh.path)
            if mesh.moved:
                raise ValueError("a mesh with refpos or refquat is not read as a shape")
            try:
                shown = os.path.relpath(mesh.path, self.folder)
            except ValueError:  # on another drive
                shown = str(mesh.path)
            scaled = f", scale: {list_numbers(mesh.scale)}" if (mesh.scale != 1.0).any() else ""
            return f"type: mesh, file: {json.dumps(Path(shown).as_posix())}{scaled}"
        if kind not in SIZES or kind == "ellipsoid" or "mesh" in keys:
            raise ValueError(
                "a primitive fitted to a mesh is no shape" if "mesh" in keys else f"a geom of type {kind} is no shape of a model"
            )
        if kind == "box":
            return f"type: box, size: {list_numbers(2.0 * size)}"
        length = f", length: {float(2.0 * size[1])!r}" if kind != "sphere" else ""
        return f"type: {kind}, radius: {float(size[0])!r}{length}"
