"""Rules between the sections of a model file: which belong together, which names are free, and that everything declared is read."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.file.positions import Path
from mbsim.model.leaves import Block
from mbsim.model.names import GROUND, name_fault
from mbsim.model.reference import OF_STATES
from mbsim.model.rephrase import Fault
from mbsim.model.schema import Model
from mbsim.model.sections import SECTIONS

_NAMED = {key: section for key, section in SECTIONS.items() if section.names}


def mapping(block: Plain, key: str) -> Mapped:
    """The mapping below `key` of something that should be a mapping; empty if there is none."""
    value = block.get(key) if isinstance(block, dict) else None
    return value if isinstance(value, dict) else {}


def name_of(data: Mapped, otherwise: str) -> tuple[str, list[Fault]]:
    """The name that a file gives its model, and what is wrong with it."""
    name = data.get("name")
    if name is None:
        return otherwise, []
    if not isinstance(name, str):
        return "", [Fault(("name",), f"expected text (got {shown(name)}); quote it")]
    wrong = not name.strip().isprintable()
    return name.strip(), [Fault(("name",), f"expected one line of text without control characters (got {shown(name)})")] * wrong


def own_coordinates(data: Mapped) -> tuple[list[str] | None, list[Fault]]:
    """The user's own coordinates, None of a model of bodies; and what is wrong with the list."""
    value = data.get("coordinates")
    if value is None or value in ("absolute", "joint"):
        return None, []
    if not isinstance(value, list) or not value:
        hint = did_you_mean(value, ("absolute", "joint")) if isinstance(value, str) else ""
        return None, [Fault((), f"expected a list of names, 'absolute' or 'joint' (got {shown(value)}){hint}")]
    names, faults = list[str](), list[Fault]()
    for index, name in enumerate(value):
        if not isinstance(name, str):
            faults.append(Fault((index,), f"expected a name (got {shown(name)})"))
        elif name in names:
            faults.append(Fault((index,), f"the coordinate '{name}' is listed twice"))
        elif fault := name_fault(name, in_expressions=True):
            faults.append(Fault((index,), fault))
        else:
            names.append(name)
    return names, faults


def misfits(data: Mapped, coordinates: Sequence[str] | None) -> Iterator[Fault]:
    """Sections that the kind of model lacks or cannot have; `coordinates` are the user's own, None for bodies."""
    given = [key for key, value in data.items() if value not in (None, {})]
    if coordinates is not None:
        if "energy" not in given:
            yield Fault((), "missing key 'energy' (a model with a list of 'coordinates' needs energy.kinetic)")
        return
    made = "beams" in given or "elastic" in given
    if not isinstance(data.get("coordinates"), list) and "bodies" not in data and not made:
        yield Fault((), "missing key 'bodies' (or 'coordinates' with a list, and 'energy')")
    elif "bodies" in data and "bodies" not in given and not made:
        yield Fault(("bodies",), "a model needs at least one body")
    if "energy" in given and not isinstance(data.get("coordinates"), list):
        yield Fault(("energy",), "'energy' belongs to a model with a list of 'coordinates'; bodies have theirs", "key")


def of_bodies(data: Mapped) -> Iterator[Fault]:
    """The sections that a model in the user's own coordinates cannot have."""
    for key, section in SECTIONS.items():
        if section.of_bodies and data.get(key) not in (None, {}):
            hint = "; put it into energy.potential" if key == "gravity" else ""
            yield Fault((key,), f"a model with a list of 'coordinates' has no '{key}'{hint}", "key")


def find_misnamed(data: Mapped, parameters: Set[str], coordinates: Sequence[str]) -> Iterator[Fault]:
    """Invalid names, and names that are given twice."""
    used: dict[tuple[str, str], str] = {}
    for key in (key for key, section in _NAMED.items() if section.names == "before_a_dot"):
        apart = SECTIONS[key].apart
        for name in mapping(data, key):
            if fault := name_fault(name, in_expressions=False):
                yield Fault((key, name), fault, "key")
            if apart and used.setdefault((apart, name), key) != key:
                yield Fault((key, name), f"the name '{name}' is already used in {used[apart, name]}", "key")
    with_points: dict[Path, Any] = {("bodies", body): block for body, block in mapping(data, "bodies").items()}
    for path, block in {(GROUND,): data.get(GROUND), **with_points}.items():
        for point in mapping(block, "points"):
            if fault := name_fault(point, in_expressions=False):
                yield Fault((*path, "points", point), fault, "key")
    given = data.get("coordinates")
    listed = given if isinstance(given, list) else []
    for name in coordinates:
        if name in parameters:
            yield Fault(("coordinates", listed.index(name)), f"the name '{name}' is already used in parameters")


def left_out(data: Mapped, model: Model) -> Iterator[Path]:
    """Declarations of the file that are not in the model. There are none, unless the reading of a block has an error."""
    for section in (*_NAMED, "steady"):
        read = {**model.joints, **model.couplings} if section == "joints" else getattr(model, section)
        for name, raw in mapping(data, section).items():
            if name not in read:
                yield (section, name)
            else:
                yield from _keys_left_out((section, name), raw, read[name])
    yield from _keys_left_out((GROUND,), data.get(GROUND), model.ground)
    yield from _keys_left_out(("energy",), data.get("energy"), model.energy)
    yield from _keys_left_out(("reference",), data.get("reference"), model.reference)
    for key in ("values", *OF_STATES):
        count = len(getattr(model.reference, key)) if model.reference else 0
        yield from (("reference", key, k) for k in range(count, _size(data, "reference", key)))
    simulation = mapping(data, "simulation")
    # The file's integrator is dropped if a method of the command line makes its own steps.
    keys = [key for key in type(model.simulation).model_fields if key != "integrator" and simulation.get(key) is not None]
    yield from (("simulation", key) for key in keys if key not in model.simulation.model_fields_set)
    initial = mapping(data, "initial")
    yield from (("initial", name) for name in initial if name != "fix" and name not in model.initial.values)
    yield from (("initial", "fix", k) for k in range(len(model.initial.fix), _size(data, "initial", "fix")))
    gravity = data.get("gravity")
    if isinstance(gravity, list) and any(isinstance(x, float | int) and x and not y for x, y in zip(gravity, model.gravity, strict=False)):
        yield ("gravity",)
    if isinstance(data.get("coordinates"), list) and data["coordinates"] != model.coordinates:
        yield ("coordinates",)


def _size(data: Mapped, section: str, key: str) -> int:
    values = mapping(data, section).get(key)
    return len(values) if isinstance(values, list) else 0


def _keys_left_out(path: Path, raw: Plain, read: object) -> Iterator[Path]:
    """The keys of a block, and of the blocks and mappings in it, that were not read."""
    if raw is None or not isinstance(raw, dict):
        return
    if isinstance(read, Block):
        for key, value in raw.items():
            if key not in read.model_fields_set:
                yield (*path, key)
            else:
                yield from _keys_left_out((*path, key), value, getattr(read, key))
    elif read is None:
        yield path
    elif isinstance(read, dict) and len(read) < len(raw):
        yield from ((*path, key) for key in raw if key not in read)
