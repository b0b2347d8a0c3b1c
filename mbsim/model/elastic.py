"""The block of an elastic part: matrices of finite elements, the interfaces that hold it, and how many modes it keeps."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, PlainValidator, PrivateAttr, ValidationInfo, WithJsonSchema, model_validator

from mbsim.model.fields import AngularVelocity, Context, NonNegativeNumber, PositiveNumber, Vector, context_of, number_in
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.names import name_fault
from mbsim.model.orientation import Orientation
from mbsim.model.rotations import Matrix, matrix_from_quaternion
from mbsim.model.schemas import NAME, NUMBER, NUMBER_OR_LIST, named

if TYPE_CHECKING:  # reading other models does not need numpy
    from mbsim.model.elastic_reduction import Frame, Part, Reduced

MOST_MODES, MOST_STATIONS = 200, 50
PER_CARRIER = 3  # modal coordinates of a body that carries them
HDF5 = (".h5", ".hdf5")


def modes_in(context: Context, value: Plain) -> int:
    """The number of fixed-interface modes. Raises ValueError."""
    found = number_in(context, value)
    if found != int(found) or not 0 <= found <= MOST_MODES:
        raise ValueError(f"expected a whole number from 0 to {MOST_MODES} (got {found:g})")
    return int(found)


def stations_in(context: Context, value: Plain) -> int | list[list[int]]:
    """How many stations, or the nodes of each. Raises ValueError."""
    if isinstance(value, list):
        listed = [item if isinstance(item, list) else [item] for item in value]
        if not all(isinstance(node, int) and not isinstance(node, bool) for item in listed for node in item) or not all(listed):
            raise ValueError(f"expected a number, or lists of numbers of nodes (got {shown(value)})")
        if len(listed) > MOST_STATIONS:
            raise ValueError(f"expected at most {MOST_STATIONS} stations (got {len(listed)})")
        return [[node for node in item if isinstance(node, int)] for item in listed]
    found = number_in(context, value)
    if found != int(found) or not 0 <= found <= MOST_STATIONS:
        raise ValueError(f"expected a whole number from 0 to {MOST_STATIONS}, or lists of nodes (got {found:g})")
    return int(found)


def _stations(value: Plain, info: ValidationInfo) -> int | list[list[int]]:
    return stations_in(context_of(info), value)


def _modes(value: Plain, info: ValidationInfo) -> int:
    return modes_in(context_of(info), value)


def _interfaces(value: Plain) -> dict[str, list[int] | str]:
    if not isinstance(value, dict):
        raise ValueError(f"expected names with lists of nodes, such as {{hub: [1, 2, 3]}} (got {shown(value)})")
    found: dict[str, list[int] | str] = {}
    for name, nodes in value.items():
        if fault := name_fault(name, in_expressions=False):
            raise ValueError(fault)
        if isinstance(nodes, str):
            found[name] = nodes
            continue
        listed = nodes if isinstance(nodes, list) else [nodes]
        if not listed:
            raise ValueError(f"the interface {name} has no nodes")
        if not all(isinstance(node, int) and not isinstance(node, bool) for node in listed):
            raise ValueError(f"the interface {name}: expected numbers of nodes (got {shown(nodes)})")
        if len(set(map(str, listed))) < len(listed):
            raise ValueError(f"the interface {name} has a node twice")
        found[name] = [node for node in listed if isinstance(node, int)]
    return found


def _source(value: Plain) -> dict[str, str]:
    """A file, or several by what they hold."""
    found = {"all": value} if isinstance(value, str) else value
    keys = ("nodes", "mass", "stiffness", "dofs")
    if not isinstance(found, dict) or not all(isinstance(file, str) for file in found.values()):
        raise ValueError(f"expected a file, or the files {{nodes, mass, stiffness}} (got {shown(value)})")
    if "all" in found and isinstance(value, str):
        if Path(value).suffix.lower() not in HDF5:
            raise ValueError(f"expected a file {' or '.join(HDF5)}, or the files {{nodes, mass, stiffness}} (got {shown(value)})")
    else:
        unknown = [key for key in found if key not in keys]
        missing = [key for key in keys[:3] if key not in found]
        if unknown or missing:
            what = f"unknown key '{unknown[0]}'" if unknown else f"missing key '{missing[0]}'"
            raise ValueError(f"{what}; the files of a part are nodes, mass, stiffness and, where a row is not 3 or 6 a node, dofs")
    return {key: str(file) for key, file in found.items()}


Interfaces = Annotated[
    dict[str, list[int] | str], PlainValidator(_interfaces), WithJsonSchema(named({"type": ["integer", "array", "string"]}))
]
Source = Annotated[dict[str, str], PlainValidator(_source), WithJsonSchema({"anyOf": [NAME, {"type": "object"}]})]


def _poisson(value: Plain, info: ValidationInfo) -> float:
    found = number_in(context_of(info), value)
    if not -1.0 < found < 0.5:
        raise ValueError(f"expected a number between -1 and 0.5 (got {found:g})")
    return found


def _stress(value: Plain) -> str | bool:
    if not isinstance(value, str | bool):
        raise ValueError(f"expected true, or the name of a set of the mesh (got {shown(value)})")
    return value


class ModalDamping(Block):
    """The damping of the modes of an elastic part."""

    ratio: NonNegativeNumber = Field(default=0.0, description="of critical damping, the same for all modes")
    stiffness: NonNegativeNumber = Field(
        default=0.0, description="s: forces in proportion to the rates of strain, this times the stiffness"
    )


class MeshOfPart(Block):
    """A mesh of tetrahedra and its material, of which the matrices of an elastic part are made."""

    file: str = Field(description="what meshio reads (.msh, .inp ...); the path begins at the folder of the model file")
    E: PositiveNumber = Field(description="Young's modulus, Pa")
    nu: Annotated[float, PlainValidator(_poisson), WithJsonSchema(NUMBER)] = Field(
        default=0.3, description="Poisson's ratio, from -1 to less than 0.5"
    )
    density: PositiveNumber = Field(description="kg/m^3")
    stress: Annotated[str | bool, PlainValidator(_stress), WithJsonSchema({"type": ["boolean", "string"]})] = Field(
        default=False, description="true: stresses are recorded at all corners of the surface; or the name of a set: at its corners"
    )


class Elastic(Block):
    """A linear elastic part of finite elements, which moves by large rigid motions with small deformations; in absolute coordinates."""

    matrices: Source | None = Field(
        default=None, description="an HDF5 file, or files {nodes, mass, stiffness, dofs}; paths begin at the folder of the model file"
    )
    mesh: MeshOfPart | None = Field(default=None, description="in place of matrices: file, E, nu, density, stress")
    interfaces: Interfaces | None = Field(
        default=None,
        description="interfaces, each the numbers of nodes that move as one frame, or a set of the mesh; default: those of the file",
    )
    modes: Annotated[int, PlainValidator(_modes), WithJsonSchema(NUMBER)] = Field(
        default=0, description="how many fixed-interface modes are kept, besides the shapes that moving the interfaces makes"
    )
    stations: Annotated[int | list[list[int]], PlainValidator(_stations), WithJsonSchema(NUMBER_OR_LIST)] = Field(
        default=0, description="of a slender part that spins or is pulled: how many sections carry its mass, or the nodes of each"
    )
    damping: ModalDamping | None = Field(default=None, description="ratio, stiffness")
    mass: PositiveNumber | None = Field(default=None, description="kg: what the matrices have to give; checked to a thousandth")
    position: Vector | None = Field(default=None, description="of the origin of the nodes' coordinates at the start, global, m")
    orientation: Orientation | None = Field(default=None, description="how it is turned at the start")
    velocity: Vector | None = Field(default=None, description="of that origin at the start, global, m/s")
    angular_velocity: AngularVelocity | None = Field(default=None, description="at the start, global, rad/s")
    _reduced: Any = PrivateAttr(default=None)
    _frames: list[str] = PrivateAttr(default_factory=list)
    _seats: list[str] = PrivateAttr(default_factory=list)
    _lines: list[list[int]] = PrivateAttr(default_factory=list)
    _places: Any = PrivateAttr(default=None)
    _node_places: Any = PrivateAttr(default=None)
    _bodies: list[str] = PrivateAttr(default_factory=list)
    _folder: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _spatial(self, info: ValidationInfo) -> Self:
        if context_of(info).dimension == 2:
            raise ValueError("elastic parts are spatial: leave out `dimension: 2`")
        if (self.matrices is None) == (self.mesh is None):
            raise ValueError("give either matrices or a mesh")
        if self.interfaces is None and self.matrices is not None and "all" not in self.matrices:
            raise ValueError("missing key 'interfaces' (an HDF5 file may have them; these files have not)")
        if self.interfaces is not None and not self.interfaces:
            raise ValueError("a part needs an interface: interfaces are where it is held, and where forces act")
        self._folder = context_of(info).folder
        return self

    def files(self) -> list[str]:
        """The files that it is made of."""
        return [self.mesh.file] if self.mesh is not None else list((self.matrices or {}).values())

    def reduce(self) -> list[str]:
        """Read and reduce the part; returns the names of its interfaces. Raises ValueError."""
        files = {"mesh": self.mesh.file} if self.mesh is not None else self.matrices or {}
        paths = tuple(sorted((key, str(Path(self._folder) / file)) for key, file in files.items()))
        stamps = tuple(_stamp(path) for _, path in paths)
        chosen = None if self.interfaces is None else tuple((name, _chosen(nodes)) for name, nodes in self.interfaces.items())
        stations = self.stations if isinstance(self.stations, int) else tuple(map(tuple, self.stations))
        material = None if self.mesh is None else (self.mesh.E, self.mesh.nu, self.mesh.density, self.mesh.stress)
        part, frames, self._reduced = _reduced(paths, stamps, chosen, self.modes, stations, material)
        self._frames, self._lines = list(frames), part.lines.tolist()
        self._seats = self._frames + [f"station{k + 1}" for k in range(len(self._reduced.places) - len(frames))]
        self._places = dict(zip(self._seats, self._reduced.places, strict=True))
        self._node_places = part.nodes
        total = self._reduced.total
        if self.mass is not None and abs(total - self.mass) > 1e-3 * self.mass:
            raise ValueError(f"the matrices give a mass of {total:.6g} kg, and `mass` says {self.mass:g}: are the units those of SI?")
        return self._frames

    @property
    def reduced(self) -> "Reduced":
        """The reduced part, axes of the part."""
        found: Reduced = self._reduced
        return found

    @property
    def frames(self) -> list[str]:
        """Names of the interfaces."""
        return self._frames

    @property
    def seats(self) -> list[str]:
        """Names of the interfaces and of the stations, whose bodies the part carries."""
        return self._seats

    def name(self, bodies: list[str]) -> None:
        """Say which bodies of the model it is: its frame, its interfaces, what carries its modes."""
        self._bodies = bodies

    @property
    def bodies(self) -> list[str]:
        """The bodies of the model that it is."""
        return self._bodies

    def place(self, interface: str) -> list[float]:
        """(3,) of an interface or a station, axes of the part, m."""
        found: list[float] = self._places[interface].tolist()
        return found

    def drawn(self) -> tuple[Any, list[list[int]]]:
        """Places of the nodes (n, 3), axes of the part, m, and the lines between them."""
        return self._node_places, self._lines

    def rotation(self) -> Matrix:
        """(3, 3) from axes of the part to global ones at the start."""
        return matrix_from_quaternion([1.0, 0.0, 0.0, 0.0] if self.orientation is None else self.orientation.unit_quaternion())

    def damper(self, omega: float, heavier: float) -> float:
        """Damping of a modal coordinate of this frequency (rad/s), N s/m per kg; stations make it so many times heavier."""
        given = self.damping
        return 0.0 if given is None else 2.0 * given.ratio * omega * heavier**0.5 + given.stiffness * omega * omega


def _chosen(nodes: list[int] | str) -> tuple[int, ...] | str:
    return nodes if isinstance(nodes, str) else tuple(nodes)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = Path(path).stat()
    except OSError:
        raise ValueError(f"there is no file {path}") from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=16)
def _reduced(
    paths: tuple[tuple[str, str], ...],
    stamps: tuple[tuple[int, int], ...],
    chosen: tuple[tuple[str, tuple[int, ...] | str], ...] | None,
    modes: int,
    stations: int | tuple[tuple[int, ...], ...],
    material: tuple[float, float, float, str | bool] | None,
) -> "tuple[Part, dict[str, Frame], Reduced]":
    """The part in these files, its interfaces and its reduction; kept, because studies read a model many times. Raises ValueError."""
    import numpy as np

    from mbsim.model import elastic_files as files
    from mbsim.model.elastic_reduction import framed, reduce

    by_key = {key: Path(path) for key, path in paths}
    given: dict[str, Any] = {}
    if material is not None:
        from mbsim.model.elastic_mesh import assembled, read_mesh

        part, given = assembled(read_mesh(by_key["mesh"]), *material)
        index = {k: k for k in range(len(part.nodes))}
    elif "all" in by_key:
        part, given = files.read_hdf5(by_key["all"])
        index = {k: k for k in range(len(part.nodes))}
    else:
        nodes, numbers = files.read_nodes(by_key["nodes"])
        part = files.made(nodes, *files.read_matrices(by_key, numbers), None)
        index = {number: k for k, number in enumerate(numbers)}
    if chosen is not None:
        given = {name: _set(name, nodes, given, material is not None) for name, nodes in chosen}
    if not given:
        raise ValueError("a part needs an interface: interfaces are where it is held, and where forces act")

    def frame(what: str, listed: Any) -> "Frame":
        missing = [int(node) for node in listed if int(node) not in index]
        if missing:
            raise ValueError(f"{what}: there is no node {missing[0]}")
        if not len(listed):
            raise ValueError(f"{what} has no nodes")
        places = np.array([index[int(node)] for node in listed], np.int64)
        return framed(part, places)

    frames = {name: frame(f"the interface {name}", listed) for name, listed in given.items()}
    sections = stations if isinstance(stations, int) else [frame(f"the station {k + 1}", nodes) for k, nodes in enumerate(stations)]
    return part, frames, reduce(part, frames, modes, sections)


def _set(name: str, nodes: tuple[int, ...] | str, sets: Any, meshed: bool) -> Any:
    """The nodes of an interface, of which the name of a set may be given. Raises ValueError."""
    if not isinstance(nodes, str):
        if meshed:
            raise ValueError(f"the interface {name}: of a mesh it has the name of a set of nodes or of a surface (got numbers)")
        return nodes
    if not meshed:
        raise ValueError(f"the interface {name}: expected numbers of nodes (got {nodes!r}); names of sets are for a `mesh`")
    if nodes not in sets:
        raise ValueError(
            f"the interface {name}: the mesh has no set {nodes!r}{did_you_mean(nodes, sets)}; it has {', '.join(sets) or 'none'}"
        )
    return sets[nodes]
