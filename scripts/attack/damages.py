"""What `damage_results.py` does to files: a sound result with everything that one may hold, and the ways to damage it."""

import json
import math
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from mbsim import registry
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.model.load import load
from mbsim.results import SERIES, FileRecorder, Layout, measure
from mbsim.results.schema import ControllerLabels, ForceLabels
from mbsim.scene.describe import describe

ROWS = 700
BODIES = ("crank", "rod", "slider")
LAYOUT = Layout(
    "damaged", [f"{b}.{c}" for b in BODIES for c in ("x", "y", "angle")], ["m", "m", "rad"] * 3,
    [f"der({b}.{c})" for b in BODIES for c in ("x", "y", "angle")], ["m s-1", "m s-1", "rad s-1"] * 3,
    ["O[0]", "O[1]", "A[0]", "A[1]"], list(BODIES), ["O", "A"], ["motor"], ["N m"], ["integral"], ["rad s"],
    {"swing": measure("rad", "O.angle")},
    ForceLabels(
        ["spring", "motor", "push"], ["N", "N m", "N"], ["spring", "motor"], ["m", "rad"], ["m s-1", "rad s-1"], ["push"], ["motor"]
    ),
    ControllerLabels(["motor"], ["rad"]),
)  # fmt: skip
# What the scene is of: every kind of thing that is drawn.
MODEL = """
dimension: 2
ground: {points: {C: [2, 0]}, shape: {type: box, size: [3, 0.1, 0.1]}}
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {tip: [0.5, 0]}, shape: {type: capsule, radius: 0.02, length: 0.9}}
  rod: {mass: 2, inertia: 0.2, position: [1.5, 0]}
  slider: {mass: 1, inertia: 0.01, position: [2, 0]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, rod], at: [1, 0]}
  B: {type: revolute, bodies: [rod, slider], at: [2, 0]}
  guide: {type: prismatic, bodies: [ground, slider], at: [2, 0], axis: [1, 0]}
  rack: {type: rack_and_pinion, joints: [O, guide], radius: 0.3}
drivers: {motor: {coordinate: O.angle, value: t}}
forces:
  spring: {type: spring_damper, bodies: [ground, rod], points: [C, rod], stiffness: 10, damping: 1}
  push: {type: force, body: slider, value: [1, 0]}
  pad: {type: contact, body: slider, radius: 0.1, plane: ground, normal: [0, 1], stiffness: 100}
simulation: {end: 1}
"""

Damage = Callable[[Path, random.Random], None]


def scene() -> str:
    """What the bodies look like."""
    model = load(MODEL, registry, file="damaged.yaml")
    return describe(model, ReferenceConfiguration(model))


def sound(path: Path) -> None:
    """A result with every kind of variable, attribute and text."""
    rng, labels = np.random.default_rng(0), LAYOUT.labels()
    static = {"joint_reaction_unique": np.array([True, False]), "multiplier_unique": np.array([True] * 4)}
    tables = {"lift": {"points": [[0.0, 1.0], [1.0, 2.0]]}}
    recorder = FileRecorder(
        path, LAYOUT, "name: damaged\n" * 40, {"l": 1.0}, {"method": "svd", "step": 1e-3}, static, tables, ROWS, scene=scene()
    )
    rows: dict[str, np.ndarray] = {
        name: rng.standard_normal([ROWS, *(len(labels[d]) for d in series.dimensions[1:])])
        for name, series in {**SERIES, **LAYOUT.measures}.items()
        if series.dimensions[0] == "time" and labels.keys() >= {*series.dimensions[1:]}
    }
    rows["time"] = np.arange(ROWS) * 1e-3
    rows["body_orientation"] /= np.linalg.norm(rows["body_orientation"], axis=-1, keepdims=True)
    for first, last in ((0, 300), (300, ROWS)):
        recorder.append({name: values[first:last] for name, values in rows.items()})
    change = {"time": 0.1, "before": 4, "rank": 3, "after": 4, "singular_value": 1e-9, "constraints": ["A[0]"]}
    final = {"counts": {"steps": ROWS}, "wall_time": 0.1, "march_time": 0.05, "end": 0.7, "integrator": "rk4", "rank_changes": [change]}
    recorder.close("complete", final)


def place(data: bytearray, rng: random.Random) -> int:
    """Anywhere, or among the headers at the start."""
    return rng.randrange(len(data) if rng.random() < 0.4 else min(len(data), 40_000))


def flip(path: Path, rng: random.Random) -> None:
    """One to eight bits."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[place(data, rng)] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def overwrite(path: Path, rng: random.Random) -> None:
    """A block of zeros, of ones, of noise, or of bytes from elsewhere in the file."""
    data = bytearray(path.read_bytes())
    size = rng.choice([4, 8, 64, 512, 4096])
    first, other = place(data, rng), place(data, rng)
    block = rng.choice([bytes(size), b"\xff" * size, rng.randbytes(size), bytes(data[other : other + size])])
    data[first : first + size] = block[: len(data) - first]
    path.write_bytes(data)


def truncate(path: Path, rng: random.Random) -> None:
    """Cut off somewhere."""
    os.truncate(path, rng.randrange(path.stat().st_size))


def lengthen(path: Path, rng: random.Random) -> None:
    """Something behind the end; now and then what looks like a journal."""
    with path.open("ab") as file:
        noise = rng.randbytes(rng.randrange(1, 5000))
        file.write(rng.choice([noise, noise + b"mbsimjnl", bytes(8) + b"\0\0\0\0" + b"mbsimjnl"]))


def pick(file: h5py.File, rng: random.Random) -> str:
    """A dataset."""
    names: list[str] = sorted(file)
    return rng.choice(names)


def swap(path: Path, rng: random.Random) -> None:
    """Two datasets change their names."""
    with h5py.File(path, "r+") as file:
        a, b = pick(file, rng), pick(file, rng)
        if a != b:
            file.move(a, "other")
            file.move(b, a)
            file.move("other", b)


def remove(path: Path, rng: random.Random) -> None:
    """A dataset is gone, or an attribute."""
    with h5py.File(path, "r+") as file:
        if rng.random() < 0.5:
            del file[pick(file, rng)]
        else:
            del file.attrs[rng.choice(sorted(file.attrs))]


def retype(path: Path, rng: random.Random) -> None:
    """A dataset has another type or another shape."""
    vlen = h5py.string_dtype()
    with h5py.File(path, "r+") as file:
        name = pick(file, rng)
        shape = file[name].shape
        del file[name]
        kind = rng.randrange(9)
        if kind == 0:
            file.create_dataset(name, data=np.zeros(shape, dtype=rng.choice(["i8", "f4", "u1", "c16", ">f8"])))
        elif kind == 1:
            file.create_dataset(name, data=np.zeros((*shape, 2)))
        elif kind == 2:
            file.create_dataset(name, data=np.zeros(tuple(n + 1 for n in shape)))
        elif kind == 3:
            file.create_dataset(name, data=["text"] * 3, dtype=vlen)
        elif kind == 4:
            file.create_dataset(name, data=h5py.Empty("f8"))
        elif kind == 5:
            file.create_dataset(name, data=np.zeros(3, dtype=[("a", "f8"), ("b", "S3")]))
        elif kind == 6:
            file[name] = np.dtype("f8")
        elif kind == 7:
            file.create_dataset(name, data=np.array([b"\xff\xfe", b"\x1b[2J"] * 3, dtype="S5"))
        else:
            file.create_dataset(name, data=b"[" * 100_000)


def huge(path: Path, rng: random.Random) -> None:
    """More numbers are declared than there are bytes."""
    with h5py.File(path, "r+") as file:
        name = pick(file, rng)
        shape = tuple(n or 1 for n in file[name].shape) or (1,)
        del file[name]
        wide = tuple(n * rng.choice([10**6, 10**9, 10**12]) if i == 0 else n for i, n in enumerate(shape))
        packed = {"compression": "gzip"} if rng.random() < 0.5 else {}
        file.create_dataset(name, shape=wide, dtype=rng.choice(["f8", "S8"]), chunks=tuple(min(n, 1024) for n in wide), **packed)


def link(path: Path, rng: random.Random) -> None:
    """A name leads elsewhere: to another file, to itself, to a group that holds itself, to nothing."""
    other = path.with_name("other.h5")
    with h5py.File(other, "w") as file:
        file["secret"] = np.zeros((ROWS, 9))
    with h5py.File(path, "r+") as file:
        name = pick(file, rng)
        shape = file[name].shape or (1,)
        del file[name]
        kind = rng.randrange(6)
        if kind == 0:
            file[name] = h5py.ExternalLink("other.h5", "secret")
        elif kind == 1:
            file[name] = h5py.SoftLink(f"/{name}")
        elif kind == 2:
            group = file.create_group(name)
            group[name] = group
        elif kind == 3:
            virtual = h5py.VirtualLayout(shape=(ROWS, 9), dtype="f8")
            virtual[:] = h5py.VirtualSource("other.h5", "secret", shape=(ROWS, 9))
            file.create_virtual_dataset(name, virtual)
        elif kind == 4:
            size = 8 * math.prod(shape)
            file.create_dataset(name, shape=shape, dtype="f8", external=[("other.h5", 0, size)])
        else:
            file[name] = h5py.SoftLink("/nowhere")


def lie(path: Path, rng: random.Random) -> None:
    """An attribute, or a text of JSON, holds something else."""
    values = [
        "",
        "x",
        "{",
        "[]",
        "null",
        '{"a": []}',
        '{"steps": "many"}',
        "[" * 50_000,
        "1e999",
        -1,
        math.nan,
        [1, 2],
        ["a", "b"],
        b"\xff\xfe",
    ]
    with h5py.File(path, "r+") as file:
        value = rng.choice(values)
        if rng.random() < 0.6:
            name = rng.choice(sorted(file.attrs))
            del file.attrs[name]
            file.attrs[name] = np.bytes_(value) if isinstance(value, (str, bytes)) else value
        else:
            name = rng.choice(["parameters", "tables", "rank_changes", "model_yaml", "scene"])
            del file[name]
            text = value if isinstance(value, bytes) else json.dumps(value).encode() if rng.random() < 0.5 else str(value).encode()
            file.create_dataset(name, data=np.array(text or b"\0", dtype=f"S{max(1, len(text))}"))


def repaint(path: Path, rng: random.Random) -> None:
    """The scene is JSON, but says something else: a value of another kind or size, a name that is not there, something twice or none."""
    values: list[object] = [
        None, True, "", "x", "\x1b[2J", -1, 0, 1e-300, 1e300, -1e9, 2**70, math.nan, math.inf, [], {}, [1, 2], [[1, 2, 3]] * 3, ["a"] * 3,
        {"type": "mesh", "file": "../../secret.stl"}, {"type": "box", "size": [0, 0, 0]}, {"type": "sphere", "radius": 1e200}, [0.0] * 1000,
    ]  # fmt: skip
    with h5py.File(path, "r+") as file:
        data = json.loads(bytes(file["scene"][()]).decode())
        for _ in range(rng.choice([1, 1, 2, 5])):
            holder, key = chosen(data, rng)
            what = rng.randrange(4)
            if what == 0:
                del holder[key]
            elif what == 1 and isinstance(holder, list):
                holder.append(holder[key])
            else:
                holder[key] = rng.choice(values)
        text = json.dumps(data).encode()
        del file["scene"]
        file.create_dataset("scene", data=np.array(text, dtype=f"S{len(text)}"))


def chosen(data: Any, rng: random.Random) -> tuple[Any, Any]:
    """A place anywhere in nested lists and mappings: its holder, and its key there."""
    places = []
    waiting = [data]
    while waiting:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return rng.choice(places) if places else ({"a": 1}, "a")


def unorder(path: Path, rng: random.Random) -> None:
    """A time that is not a number; rows that end early."""
    with h5py.File(path, "r+") as file:
        name = rng.choice([name for name in file if name in SERIES and file[name].ndim and file[name].maxshape[0] is None])
        if rng.random() < 0.5:
            file[name].resize(rng.randrange(ROWS), axis=0)
        else:
            file[name][rng.randrange(ROWS)] = rng.choice([np.nan, np.inf])


BYTES: tuple[Damage, ...] = (flip, overwrite, truncate, lengthen)  # what must not change a number
HOSTILE: tuple[Damage, ...] = (swap, remove, retype, huge, link, lie, unorder, repaint, repaint)
