"""The section `elastic` -> bodies of a model: the frame of each part, its interfaces, and what carries its modal coordinates.

The part `arm` with the interfaces hub and tip is the bodies arm, in its mean axes at the centre of mass, arm_hub and arm_tip, its stations
arm_station1 ..., and arm_m1, arm_m2 ..., of which each carries three modal coordinates as its place. A file writes arm.hub, arm.station1
and arm.mode1 for arm_hub, arm_station1 and arm_m1.x.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from mbsim.model.elastic import HDF5, PER_CARRIER, Elastic, modes_in, stations_in
from mbsim.model.fields import Context, Point
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.model.names import name_fault
from mbsim.model.rephrase import Fault, faults
from mbsim.model.report import Report
from mbsim.model.rotations import quaternion_from_matrix
from mbsim.model.schema import Body

if TYPE_CHECKING:
    from mbsim.model.schema import Model

LITERAL = ("name", "elastic", "parameters", "tables", "dimension", "gravity", "coordinates")  # sections that name no body
MODE = re.compile(r"mode([1-9]\d{0,3})")


class Parts(NamedTuple):
    """The data of a file with the names of bodies in place of those of interfaces and modes, and the bodies of each part."""

    data: Mapped
    bodies: dict[str, list[str]]
    frames: dict[str, list[str]]  # interfaces of each


def carrier(part: str, mode: int) -> tuple[str, str]:
    """The body that carries a modal coordinate, from 0 on, and the axis along which it does."""
    return f"{part}_m{mode // PER_CARRIER + 1}", "xyz"[mode % PER_CARRIER]


def carriers(parts: Mapping[str, Elastic]) -> set[str]:
    """The bodies that carry modal coordinates."""
    return {carrier(name, k)[0] for name, part in parts.items() for k in range(0, len(part.reduced.omegas), PER_CARRIER)}


def named(data: Mapped, context: Context, folder: Path, report: Report) -> Parts:
    """The data with bodies in place of what stands for interfaces and modes of elastic parts."""
    blocks = data.get("elastic")
    if not isinstance(blocks, dict) or not blocks:
        return Parts(data, {}, {})
    if data.get("coordinates") == "joint":
        needed = "elastic parts need absolute coordinates: their interfaces are free bodies; leave out `coordinates: joint`"
        report.add(Fault(("elastic",), needed, "key"))
    bodies: dict[str, list[str]] = {}
    words: dict[str, tuple[list[str], int]] = {}
    interfaces: dict[str, list[str]] = {}
    for name, block in blocks.items():
        if wrong := name_fault(name, in_expressions=False):
            report.add(Fault(("elastic", name), wrong, "key"))
        elif isinstance(block, dict):
            frames, modes = _frames(block, folder), _count(block, context)
            count = max(6 * len(frames) + modes - 6, 0)
            interfaces[name], frames = frames, frames + _stations(block, context)
            words[name] = frames, count
            carriers = [carrier(name, k)[0] for k in range(0, count, PER_CARRIER)]
            bodies[name] = [name, *(f"{name}_{frame}" for frame in frames), *carriers]
    for fault in _taken(bodies, data):
        report.add(fault)
    for name, made in bodies.items():
        report.document.made |= {("bodies", body): ("elastic", name) for body in made}
    if not words:
        return Parts(data, bodies, {})
    pattern = re.compile(rf"(?<![\w.])({'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})\.([A-Za-z_]\w*)")

    def text(given: str, key: bool) -> str:
        parts, at = list[str](), 0
        for found in pattern.finditer(given):
            part, word = found[1], found[2]
            new = _body(part, word, *words[part])
            if new == found[0] and not interfaces[part]:  # its file is not read, which is reported there: any word may be an interface
                new = f"{part}_{word}"
                bodies[part] += [] if new in bodies[part] else [new]
            whole = key or (found.start() == 0 and found.end() == len(given))
            parts += [given[at : found.start()], new, "" if whole else " " * (len(found[0]) - len(new))]
            at = found.end()
        return "".join([*parts, given[at:]])

    def walk(value: Plain) -> Plain:
        if isinstance(value, dict):
            return {text(key, True): walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return text(value, False) if isinstance(value, str) else value

    return Parts(
        {key: value if key in LITERAL else walk(value) for key, value in data.items()},
        bodies,
        interfaces,
    )


def _frames(block: Mapped, folder: Path) -> list[str]:
    """The interfaces of a block, of which it may be the file that names them."""
    given, file = block.get("interfaces"), block.get("matrices")
    if isinstance(given, dict):
        return [name for name in given if not name_fault(name, in_expressions=False)]
    if isinstance(file, str) and Path(file).suffix.lower() in HDF5:
        from mbsim.model.elastic_files import interface_names

        return [name for name in interface_names(folder / file) if not name_fault(name, in_expressions=False)]
    mesh = block.get("mesh")
    if isinstance(mesh, dict) and isinstance(mesh.get("file"), str):
        from mbsim.model.elastic_mesh import read_mesh

        try:
            return [name for name in read_mesh(folder / str(mesh["file"])).sets if not name_fault(name, in_expressions=False)]
        except ValueError:
            return []  # which is reported where the block is read
    return []


def _count(block: Mapped, context: Context) -> int:
    try:
        return modes_in(context, block.get("modes", 0))
    except ValueError:
        return 0  # which is reported where the block is read


def _stations(block: Mapped, context: Context) -> list[str]:
    """The names of the stations of a block."""
    try:
        found = stations_in(context, block.get("stations", 0))
    except ValueError:
        return []  # which is reported where the block is read
    return [f"station{k + 1}" for k in range(found if isinstance(found, int) else len(found))]


def _body(part: str, word: str, frames: list[str], count: int) -> str:
    """What stands in place of part.word: of other words, themselves."""
    if word in frames:
        return f"{part}_{word}"
    found = MODE.fullmatch(word)
    if found is not None and int(found[1]) <= count:
        return ".".join(carrier(part, int(found[1]) - 1))
    return f"{part}.{word}"


def _taken(bodies: Mapping[str, list[str]], data: Mapped) -> Iterator[Fault]:
    """Parts whose names, or whose bodies' names, others have."""
    own: dict[str, str] = {}
    for name, made in bodies.items():
        for section in ("bodies", "beams", "joints", "forces", "constraints", "drivers", "contacts"):
            block = data.get(section)
            if isinstance(block, dict) and (both := [body for body in made if body in block]):
                yield Fault(("elastic", name), f"its body '{both[0]}' has a name that {section} have", "key")
        if both := [body for body in made if body in own]:
            yield Fault(("elastic", name), f"its body '{both[0]}' is one of the part {own[both[0]]}, too", "key")
        if len(set(made)) < len(made):
            yield Fault(
                ("elastic", name),
                "an interface has the name of a station (station1 ...) or of a body that carries modes (m1, m2 ...)",
                "key",
            )
        own |= dict.fromkeys(made, name)


def read_parts(of: Parts, context: Context, report: Report) -> tuple[dict[str, Elastic], dict[str, Body]]:
    """The elastic parts and their bodies."""
    parts: dict[str, Elastic] = {}
    bodies: dict[str, Body] = {}
    blocks = of.data.get("elastic")
    for name, data in blocks.items() if isinstance(blocks, dict) else ():
        read = report.read(Elastic, ("elastic", name), data, context)
        if read is None or name not in of.bodies:
            report.skip(("elastic", name))
            continue
        try:
            read.reduce()
            made = _bodies(name, read, context)
        except ValidationError as error:
            what = "; ".join(fault.message for fault in faults(error, Body, {}))
            report.add(Fault(("elastic", name), f"its matrices give a body that cannot be: {what}", "key"))
            continue
        except ValueError as error:
            report.add(Fault(("elastic", name), str(error), "key"))
            continue
        read.name(list(made))
        parts[name] = read
        bodies |= made
    return parts, bodies


def _bodies(name: str, part: Elastic, context: Context) -> dict[str, Body]:
    import numpy as np

    found = part.reduced
    A = np.array(part.rotation())
    origin = np.zeros(3) if part.position is None else np.array(part.position)
    velocity = np.zeros(3) if part.velocity is None else np.array(part.velocity)
    spin = np.zeros(3) if part.angular_velocity is None else np.array(part.angular_velocity)
    moves = part.velocity is not None or part.angular_velocity is not None  # else speeds are left to the start
    turned: Plain = [*quaternion_from_matrix(A.tolist())]

    def body(mass: float, inertia: list[Plain], place: np.ndarray) -> Body:
        arm = A @ place
        data: Mapped = {
            "mass": mass, "inertia": inertia, "position": [*(origin + arm).tolist()], "orientation": {"quaternion": turned},
        }  # fmt: skip
        if moves:
            data |= {"velocity": [*(velocity + np.cross(spin, arm)).tolist()], "angular_velocity": [*spin.tolist()]}
        return Body.model_validate(data, context=context)

    # What is left beside stations need not be the inertia of any distribution of mass, but is positive.
    if len(found.curves):
        alike: list[Plain] = [float(np.trace(found.inertia)) / 3.0] * 3
        made = {name: body(found.mass, alike, found.centre).model_copy(update={"inertia": found.inertia.tolist()})}
    else:
        made = {name: body(found.mass, found.inertia.tolist(), found.centre)}
    for k, frame in enumerate(part.seats):
        inertia: list[Plain] = [float(found.interface_inertias[k])] * 3
        made[f"{name}_{frame}"] = body(float(found.interface_masses[k]), inertia, np.array(part.place(frame)))
    spread: list[Plain] = [float(np.trace(found.inertia)) / 3.0] * 3
    for k in range(0, len(found.omegas), PER_CARRIER):
        made[carrier(name, k)[0]] = Body.model_validate({"mass": found.mode_mass, "inertia": spread}, context=context)
    return made


def held_elsewhere(model: "Model") -> Iterator[Fault]:
    """What takes hold of a part beside its interfaces: of its frame, of what carries its modes, or, but for forces, of its stations."""
    wrong, stations = dict[str, str](), dict[str, str]()
    for name, part in model.elastic.items():
        stations |= dict.fromkeys((f"{name}_{seat}" for seat in part.seats[len(part.frames) :]), name)
        wrong |= dict.fromkeys([name, *(carrier(name, k)[0] for k in range(0, len(part.reduced.omegas), PER_CARRIER))], name)
    sections: dict[str, Mapping[str, Block]] = {
        "joints": model.joints, "forces": model.forces, "contacts": model.contacts, "constraints": model.constraints,
    }  # fmt: skip
    for section, blocks in sections.items() if wrong else ():
        for key, block in blocks.items():
            for body in _held(block):
                if body in wrong or (body in stations and section != "forces"):
                    of = wrong.get(body) or stations[body]
                    frames = ", ".join(f"{of}.{frame}" for frame in model.elastic[of].frames)
                    yield Fault((section, key), f"the elastic part {of} is held at its interfaces: {frames} (got {body})", "key")
                    break


def _held(block: Block) -> Iterator[str]:
    """The bodies that a block names outside of expressions."""
    waiting: list[object] = [block]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Block):
            waiting += [getattr(value, key) for key in type(value).model_fields]
        elif isinstance(value, Point):
            yield value.body
        elif isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            waiting += value
