"""The blocks of a model file that do not depend on the existing joints, forces or methods; and the Model that contains them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, PrivateAttr, ValidationInfo, WithJsonSchema, model_validator
from pydantic_core import PydanticKnownError

from mbsim.model import represent
from mbsim.model.beams import Beam
from mbsim.model.catalogue import OptionValue
from mbsim.model.contacts import ContactBlock
from mbsim.model.crossed import CrossedLaw
from mbsim.model.drivers import Driver
from mbsim.model.elastic import Elastic
from mbsim.model.events import Event
from mbsim.model.expressions.parsed import Expression
from mbsim.model.expressions.tables import Table
from mbsim.model.fields import (
    LARGEST,
    NOT_GIVEN,
    AngularVelocity,
    IntegratorName,
    ItemError,
    Law,
    MethodName,
    Number,
    PositiveNumber,
    Vector,
    context_of,
    number,
    numbers,
)
from mbsim.model.file.errors import Problem, shown
from mbsim.model.file.overrides import Overrides
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.file.positions import Document
from mbsim.model.initial import Initial
from mbsim.model.leaves import Block, Constraint, Controller, Coupling, Force, Joint
from mbsim.model.measures import Measure
from mbsim.model.names import GROUND
from mbsim.model.orientation import Orientation
from mbsim.model.reference import Reference
from mbsim.model.resolution import step_fault
from mbsim.model.rotations import Matrix, check_inertia, dot, matrix_from_quaternion, not_tiny, quaternion_from_axis
from mbsim.model.schemas import NUMBER, NUMBER_OR_LIST
from mbsim.model.shapes import DRAWN, Mesh, Shapes, homogeneous
from mbsim.model.states import State

_SYMMETRIC = 1e-9  # relative; entries typed twice may differ in the last digit


_AS_POINT_MASS = "; in a model with `coordinates: joint` a point mass has `unchecked_inertia: true`"


def _left_to_the_density(value: Plain, info: ValidationInfo, key: str) -> bool:
    """Whether a key is not given because the density gives it. Raises ValueError where both or neither do."""
    density = info.data.get("density", True)  # True: one that is wrong, which is reported
    if value is NOT_GIVEN:
        if density is None:
            raise PydanticKnownError("missing")
        return True
    if density is not None:
        raise ValueError(f"a body with a `density` has its {key} from its shape; give either `density`, or `mass` and `inertia`")
    return False


def _may_be_point(info: ValidationInfo) -> bool:
    """Whether a body may be a point mass without a word: in absolute coordinates, where it then does not turn."""
    return not context_of(info).in_joint_coordinates


def _inertia(value: Plain, info: ValidationInfo) -> Matrix:
    """A planar body's moment, or a spatial body's 3 or 6 numbers or 3x3 matrix -> a checked 3x3 matrix."""
    if _left_to_the_density(value, info, "inertia"):
        return []
    if context_of(info).dimension == 2:
        if isinstance(value, list):
            raise ValueError(f"expected one number for a planar body: the moment about its centre of mass (got {shown(value)})")
        moment = number(value, info)
        if (moment < 0.0 or (moment == 0.0 and not _may_be_point(info))) and not info.data.get("unchecked_inertia"):
            raise ValueError(f"must be greater than 0 (got {moment:g})" + _AS_POINT_MASS * (moment == 0.0))
        return [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, not_tiny(moment)]]
    if isinstance(value, int | float) and not isinstance(value, bool) and value == 0.0:
        value = [0.0, 0.0, 0.0]
    items = value if isinstance(value, list) else []
    rows = [row for row in items if isinstance(row, list)]
    if len(items) not in (3, 6) or (rows and [len(row) for row in rows] != [3] * 3) or len(rows) not in (0, len(items)):
        raise ValueError(f"expected [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or a 3x3 matrix (got {shown(value)})")
    if rows:
        matrix = [numbers(row, info, i) for i, row in enumerate(rows)]
        scale = max(abs(entry) for row in matrix for entry in row)
        if any(abs(matrix[i][j] - matrix[j][i]) > _SYMMETRIC * scale for i in range(3) for j in range(i)):
            raise ValueError("an inertia matrix is symmetric")
        matrix = [[(matrix[i][j] + matrix[j][i]) / 2.0 for j in range(3)] for i in range(3)]
    else:
        xx, yy, zz, xy, xz, yz = [*numbers(items, info), 0.0, 0.0, 0.0][:6]
        matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    if not info.data.get("unchecked_inertia"):
        if not any(map(any, matrix)):
            if _may_be_point(info):
                return matrix
            raise ValueError(f"must be greater than 0 (got {shown(value)}){_AS_POINT_MASS}")
        check_inertia(matrix)
        not_tiny(min(matrix[k][k] for k in range(3)))
    return matrix


Inertia = Annotated[list[list[float]], PlainValidator(_inertia), WithJsonSchema(NUMBER_OR_LIST)]


def _mass(value: Plain, info: ValidationInfo) -> float:
    """A mass: greater than zero. In joint coordinates it may be zero, because an inertia suffices there."""
    if _left_to_the_density(value, info, "mass"):
        return 0.0
    mass = number(value, info)
    if mass < 0.0 or (mass == 0.0 and not context_of(info).in_joint_coordinates):
        hint = "; only with `coordinates: joint` may a body have inertia and no mass" if mass == 0.0 else ""
        raise ValueError(f"must be greater than 0 (got {mass:g}){hint}")
    return not_tiny(mass)


Mass = Annotated[float, PlainValidator(_mass), WithJsonSchema(NUMBER)]


def _unchecked(value: bool, info: ValidationInfo) -> bool:
    """Raise ValueError where a body needs an inertia of its own: in absolute coordinates its block of the mass matrix is inverted."""
    if value and not context_of(info).in_joint_coordinates:
        raise ValueError("only with `coordinates: joint` may a body have any inertia")
    return value


Unchecked = Annotated[bool, AfterValidator(_unchecked)]


class Body(Block):
    """A rigid body. Position is that of its centre of mass; everything but `inertia`, `points` and `shape` is in the global frame.

    With a density, the file's `position`, `points` and `shape` are from the origin of the body's axes on. Here they are from the centre of
    mass on, in either case.
    """

    density: PositiveNumber | None = Field(
        default=None, description="kg/m^3: mass, centre of mass and inertia are those of `shape`, in place of `mass` and `inertia`"
    )
    unchecked_inertia: Unchecked = Field(
        default=False,
        description="with `coordinates: joint`: take any `mass` and `inertia`, also a point mass, none, or an inertia that no body has",
    )
    mass: Mass = Field(default=NOT_GIVEN, validate_default=True, description="kg; with `coordinates: joint` it may be 0")
    inertia: Inertia = Field(
        default=NOT_GIVEN,
        validate_default=True,
        description="about the centre of mass in body axes, kg m^2: one number (planar), [Ixx, Iyy, Izz], "
        "[Ixx, Iyy, Izz, Ixy, Ixz, Iyz] (entries of the matrix, so Ixy = -integral x y dm) or a 3x3 matrix; 0: a point mass",
    )
    position: Vector = Field(default_factory=list, description="centre of mass at the start, global frame, m")
    angle: Number | None = Field(default=None, description="planar body: angle of its axes to the global ones at the start, rad")
    orientation: Orientation | None = Field(default=None, description="spatial body: how it is turned at the start")
    velocity: Vector | None = Field(default=None, description="of the centre of mass at the start, global frame, m/s")
    angular_velocity: AngularVelocity | None = Field(default=None, description="at the start, global, rad/s; a number for a planar body")
    points: dict[str, Vector] = Field(
        default_factory=dict,
        description="named points of the body, in body axes from its centre of mass (with `density` from the origin of its axes), m",
    )
    shape: Shapes | None = Field(default=None, description="what it looks like: a box, cylinder, sphere, capsule, plate, mesh, or a list")
    _centre: list[float] = PrivateAttr(default_factory=lambda: [0.0, 0.0, 0.0])

    @model_validator(mode="before")
    @classmethod
    def _origin(cls, data: Plain, info: ValidationInfo) -> Plain:
        if isinstance(data, dict) and "position" not in data:
            return {**data, "position": [0.0] * (context_of(info).dimension or 3)}
        return data

    @model_validator(mode="after")
    def _fits_dimension(self, info: ValidationInfo) -> Self:
        dimension = context_of(info).dimension
        if dimension == 2 and self.orientation is not None:
            raise ValueError("a planar body has 'angle', not 'orientation'")
        if dimension == 3 and self.angle is not None:
            raise ValueError("a spatial body has 'orientation', not 'angle'")
        return self

    @model_validator(mode="after")
    def _of_density(self, info: ValidationInfo) -> Self:
        if self.density is None:
            return self
        if self.shape is None:
            raise ValueError("a `density` needs a `shape`, whose mass it gives")
        planar = context_of(info).dimension == 2
        try:
            mass, centre, inertia = homogeneous(self.shape, self.density)
        except ItemError as error:
            raise ItemError(("shape", *(error.path if len(self.shape) > 1 else ())), error.error) from None
        moments = [inertia[2][2]] if planar else [inertia[k][k] for k in range(3)]
        if not (0.0 < mass < LARGEST and 0.0 < min(moments) <= max(moments) < LARGEST):
            what = f"the mass would be {mass:g} kg, and the moments of inertia {', '.join(f'{x:g}' for x in moments)} kg m^2"
            raise ItemError(("shape",), ValueError(what))
        if planar:
            matrix = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, inertia[2][2]]]
        else:
            matrix = inertia
            check_inertia(matrix)
        d = 2 if planar else 3
        turned = [dot(row, centre) for row in matrix_from_quaternion(self.quaternion)][:d]
        changed = self.model_copy(
            update={
                "mass": mass,
                "inertia": matrix,
                "position": [x + c for x, c in zip(self.position, turned, strict=True)],
                "points": {name: [x - c for x, c in zip(point, centre, strict=False)] for name, point in self.points.items()},
            }
        )
        changed._centre = [*centre[:d], 0.0][:3]
        return changed

    def shapes(self) -> list[Mapped]:
        """Its shapes as plain data: the keys of the file with numbers, `position` (3,) from the centre of mass, `rotation` a quaternion."""
        return [shape.drawn(self._centre) for shape in self.shape or ()]

    def drawn(self) -> list[Mapped]:
        """Those that are drawn."""
        return [shape.drawn(self._centre) for shape in self.shape or () if shape.role in DRAWN]

    def files(self) -> list[str]:
        """The files of meshes that its mass depends on."""
        return [shape.file for shape in self.shape or () if isinstance(shape, Mesh)] if self.density is not None else []

    @property
    def is_point_mass(self) -> bool:
        """Whether it has no inertia."""
        return not any(map(any, self.inertia))

    @property
    def inertia_matrix(self) -> Matrix:
        """3x3, body axes, kg m^2; for a planar body only the zz entry is not zero."""
        return self.inertia

    @property
    def quaternion(self) -> list[float]:
        """[w, x, y, z] at the start, body to global, unit; for a planar body the rotation about z."""
        if self.orientation is not None:
            return self.orientation.unit_quaternion()
        return quaternion_from_axis([0.0, 0.0, 1.0], self.angle or 0.0)


class Ground(Block):
    """The fixed body: at the origin, its axes the global ones."""

    points: dict[str, Vector] = Field(default_factory=dict, description="named points of the ground, global frame, m")
    shape: Shapes | None = Field(default=None, description="what it looks like, in the global frame: one shape, or a list")

    def shapes(self) -> list[Mapped]:
        """Its shapes as plain data; see `Body.shapes`."""
        return [shape.drawn() for shape in self.shape or ()]

    def drawn(self) -> list[Mapped]:
        """Those that are drawn."""
        return [shape.drawn() for shape in self.shape or () if shape.role in DRAWN]


class Energy(Block):
    """The energies of a system in the user's own coordinates."""

    kinetic: Law = Field(description="kinetic energy in J, over coordinates and their der()")
    potential: Law | None = Field(default=None, description="potential energy in J, over coordinates")
    dissipation: Law | None = Field(default=None, description="Rayleigh function in W: the force is -d/d(der(q))")


class Simulation(Block):
    """The settings of a run."""

    start: Number = Field(default=0.0, description="first time, s")
    end: Number = Field(description="last time, s")
    start_from: Literal["model", "equilibrium"] = Field(
        default="model",
        description="model: the start that the model gives; equilibrium: at rest in the static equilibrium that it leads to",
    )
    step: PositiveNumber | None = Field(default=None, description="step of the integrator, s; default: error control chooses the steps")
    output_step: PositiveNumber | None = Field(
        default=None, description="time between rows of the result file, s; default: every step, or a thousandth of the span"
    )
    method: MethodName = Field(
        default="auto", description="how the constrained equations are solved; auto: by what an evaluation costs (docs/choosing.md)"
    )
    integrator: IntegratorName = Field(
        default="auto", description="the integrator; auto: rk4 with a step, else dop853, implicit for stiff forces, or a method's own steps"
    )
    drift: Literal["auto", "none", "position", "full"] = Field(
        default="auto", description="what is corrected after each step; auto: full, unless the method stabilises the constraints itself"
    )
    drift_tolerance: PositiveNumber = Field(default=1e-10, description="residual above which the drift is corrected")
    stop: CrossedLaw | None = Field(default=None, description="expression of t and state; the run ends where it crosses zero")
    corners: Literal["auto", "locate", "step_over"] = Field(
        default="auto", description="where laws change: locate ends steps there; auto: so it is where the integrator chooses its steps"
    )
    impact_law: Literal["newton", "poisson"] = Field(default="newton", description="restitution: ratio of speeds, or of impulses (poisson)")
    simultaneous: bool = Field(
        default=True, description="impacts at one time: all at once; false: one after the other, fastest first, as in a cradle"
    )
    share: Literal["auto", "minimum_norm", "unique"] = Field(
        default="auto",
        description="friction by a reaction that redundant rows leave open: minimum_norm takes the shortest, auto warns, unique refuses",
    )
    impacts: Literal["auto", "events", "steps"] = Field(
        default="auto", description="contacts: events located; steps through them, of order 1; auto: events, and steps where events crowd"
    )
    _options: dict[str, OptionValue] = PrivateAttr(default_factory=dict)
    _unused: list[str] = PrivateAttr(default_factory=list)

    @property
    def options(self) -> dict[str, OptionValue]:
        """Options of the method and the integrator, as given: further keys of the block."""
        return self._options

    @property
    def unused(self) -> list[str]:
        """Options of a method or integrator of the file in whose place another one is given."""
        return self._unused

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"end must be later than start (got end {self.end:g}, start {self.start:g})")
        for key in ("step", "output_step"):
            if fault := step_fault(getattr(self, key), self.start, self.end):
                raise ItemError((key,), ValueError(fault))
        if self.impacts == "steps" and not self.simultaneous:
            raise ItemError(("simultaneous",), ValueError("steps through contacts solve all impacts of a step together (got false)"))
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A checked model. Leaves are instances of the classes in mbsim/joints, mbsim/forces and mbsim/constraints."""

    name: str
    dimension: int | None  # 2 or 3; None when the file has its own coordinates
    gravity: list[float]  # (dimension,), m/s^2
    parameters: dict[str, float]
    tables: Mapping[str, Table]
    let: Mapping[str, Expression]
    coordinates: list[str] | None  # None: coordinates of the bodies or of the joints
    in_joint_coordinates: bool
    ground: Ground
    bodies: dict[str, Body]
    joints: dict[str, Joint]
    couplings: dict[str, Coupling]  # gears: given in the section of the joints
    drivers: dict[str, Driver]
    forces: dict[str, Force]
    constraints: dict[str, Constraint]
    energy: Energy | None
    initial: Initial
    simulation: Simulation
    text: str = field(repr=False)  # the YAML source
    file: str
    document: Document = field(repr=False)
    states: Mapping[str, State] = field(default_factory=dict)
    controllers: Mapping[str, Controller] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    events: Mapping[str, Event] = field(default_factory=dict)
    contacts: Mapping[str, ContactBlock] = field(default_factory=dict)
    unilaterals: tuple[Any, ...] = ()  # what assembling makes of these, and of stops and friction (`mbsim.assembly.unilateral`)
    inputs: frozenset[str] = frozenset()  # parameters of laws that are given from outside while a run goes on
    beams: Mapping[str, Beam] = field(default_factory=dict)  # whose nodes are among the bodies, and clamped ends among the joints
    elastic: Mapping[str, Elastic] = field(default_factory=dict)  # whose frames, interfaces and modes are among the bodies
    steady: Mapping[str, float] = field(default_factory=dict)  # speeds of the steady motion that an equilibrium is then, m/s, rad/s
    reference: Reference | None = None
    overrides: Overrides = field(default_factory=Overrides, repr=False)  # what replaced values of the file
    __repr__, _repr_html_, draw = represent.text, represent.html, represent.draw

    def own_states(self) -> set[str]:
        """Names of all states: of the block, of forces and of controllers."""
        return {
            *self.states,
            *(f"{name}.{state}" for name, force in self.acting().items() for state in force.own_states()),
        }

    def acting(self) -> dict[str, Force]:
        """The forces, then the controllers, by name."""
        return {**self.forces, **self.controllers}

    def point(self, body: str, point: str) -> list[float]:
        """A named point (dimension,) of a body or of the ground, in its axes from its centre of mass (ground: the origin), m."""
        return (self.ground if body == GROUND else self.bodies[body]).points[point]

    def problem(self, path: str | Sequence[str | int], message: str, offset: int | None = None) -> Problem:
        """An error found later (at assembly), at its place in the file. `offset` is a character of an expression there."""
        return self.document.problem(path, message, offset)
