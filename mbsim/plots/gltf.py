"""`-o motion.glb`: the solids and their motion as binary glTF 2.0, which Blender, slides and system viewers open.

https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html: JSON and one buffer. A node for each body, animated; springs are nodes that are
scaled. Without normals viewers shade triangle by triangle. glTF is y up and in metres.
"""

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mbsim.model.file.plain import Mapped, Plain
from mbsim.results import outputs
from mbsim.scene.meshes import Mesh, join
from mbsim.scene.motion import Motion, evenly
from mbsim.scene.parts import Colour, place
from mbsim.scene.read import Floats, Scene
from mbsim.scene.solids import solids
from mbsim.scene.turns import along, product
from mbsim.version import __version__

FLOAT, INDEX = 5126, 5125  # of components: float32, uint32
VERTICES, INDICES = 34962, 34963  # what a view of the buffer is for
JSON_CHUNK, BUFFER_CHUNK = 0x4E4F534A, 0x004E4942
MOST = 600  # keys of an animation


def export(scene: Scene, poses: Motion, output: Path, title: str, folder: Path = Path(), force: bool = False) -> None:
    """Write a .glb file. Raises SceneError, OutputError, OSError."""
    rows = evenly(poses.times, MOST)
    poses = Motion(poses.times[rows], poses.position[rows], poses.quaternion[rows], poses.rows[rows])
    data = _Writer().scene(scene, poses, title, folder)
    with outputs.replacing(output, force) as part:
        part.write_bytes(data)


class _Writer:
    def __init__(self) -> None:
        self.buffer = bytearray()
        self.views: list[Plain] = []
        self.accessors: list[Plain] = []
        self.meshes: list[Plain] = []
        self.materials: list[Plain] = []
        self.nodes: list[Mapped] = []
        self.samplers: list[Plain] = []
        self.channels: list[Plain] = []
        self.colours: dict[Colour, int] = {}

    def scene(self, scene: Scene, poses: Motion, title: str, folder: Path) -> bytes:
        found = solids(scene, poses, folder)
        times = self._accessor((poses.times - poses.times[0]).astype(np.float32)) if len(poses.times) > 1 else None
        for b in range(-1, len(scene.bodies)):
            parts = [(part.mesh, part.colour) for part in found.parts if part.body == b]
            if not parts:
                continue
            node = self._node(scene.name_of(b), parts)
            if b >= 0:
                self._move(node, times, translation=poses.position[:, b], rotation=poses.quaternion[:, b])
        for stretch in found.stretches:
            node = self._node(stretch.name, [(stretch.mesh, stretch.colour)])
            position, quaternion, scale = place(stretch, poses)
            self._move(node, times, translation=position, rotation=quaternion, scale=scale)
        z, back = along(scene.up), np.array([np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0])
        upright = product(back, z * np.array([1.0, -1.0, -1.0, -1.0]))  # up to z, then z to y
        root: Mapped = {"name": title, "children": [*range(len(self.nodes))], "rotation": [*_xyzw(upright)]}
        document: Mapped = {
            "asset": {"version": "2.0", "generator": f"mbsim {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": [len(self.nodes)]}],
            "nodes": [*self.nodes, root],
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.buffer)}],
        }
        if self.channels:
            document["animations"] = [{"name": title, "samplers": self.samplers, "channels": self.channels}]
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(self.buffer))
        chunks = struct.pack("<II", len(text), JSON_CHUNK), text, struct.pack("<II", len(self.buffer), BUFFER_CHUNK), bytes(self.buffer)
        return b"".join([head, *chunks])

    def _node(self, name: str, parts: list[tuple[Mesh, Colour]]) -> int:
        primitives: list[Plain] = []
        for colour in dict.fromkeys(colour for _, colour in parts):
            mesh = join(*(mesh for mesh, tone in parts if tone == colour))
            vertices = self._accessor(mesh.vertices.astype(np.float32), VERTICES)
            faces = self._accessor(mesh.faces.astype(np.uint32).ravel(), INDICES)
            primitives.append({"attributes": {"POSITION": vertices}, "indices": faces, "material": self._material(colour)})
        self.meshes.append({"name": name, "primitives": primitives})
        self.nodes.append({"name": name, "mesh": len(self.meshes) - 1})
        return len(self.nodes) - 1

    def _material(self, colour: Colour) -> int:
        if colour not in self.colours:
            self.colours[colour] = len(self.materials)
            linear = [float((c / 255.0) ** 2.2) for c in colour]  # colours of glTF are linear
            shine: Mapped = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
            self.materials.append({"pbrMetallicRoughness": shine})
        return self.colours[colour]

    def _move(self, node: int, times: int | None, **paths: Floats) -> None:
        """The first pose of a node, and its animation along these paths where there is one."""
        for path, values in paths.items():
            values = _continuous(values)[:, [1, 2, 3, 0]] if path == "rotation" else values
            self.nodes[node][path] = [float(x) for x in values[0]]
            if times is None or np.ptp(values, axis=0).max() <= 0.0:
                continue
            self.samplers.append({"input": times, "output": self._accessor(values.astype(np.float32)), "interpolation": "LINEAR"})
            self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def _accessor(self, values: "NDArray[np.float32] | NDArray[np.uint32]", target: int | None = None) -> int:
        data = np.ascontiguousarray(values).tobytes()
        view: Mapped = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        self.views.append(view | ({"target": target} if target else {}))
        self.buffer += data + b"\0" * (-len(data) % 4)
        width = values.shape[1] if values.ndim == 2 else 1
        found: Mapped = {
            "bufferView": len(self.views) - 1,
            "componentType": INDEX if values.dtype == np.uint32 else FLOAT,
            "count": len(values),
            "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[width],
        }
        if values.dtype == np.float32 and (target == VERTICES or values.ndim == 1):
            flat = values.reshape(len(values), -1)
            found |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(found)
        return len(self.accessors) - 1


def _continuous(q: Floats) -> Floats:
    """Quaternions (k, 4) whose signs do not jump, so that what lies between two is the short way."""
    turns = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    found: Floats = q * np.concatenate([[1.0], np.cumprod(np.where(turns < 0.0, -1.0, 1.0))])[:, None]
    return found


def _xyzw(q: Floats) -> list[float]:
    return [float(x) for x in q[[1, 2, 3, 0]]]
