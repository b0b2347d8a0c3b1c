"""A system with a consistent start: what is marched."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from mbsim.hooks import show
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mbsim.assembly.lock_records import Locks
    from mbsim.assembly.unilaterals import Unilaterals
    from mbsim.model.events import Event
    from mbsim.observe.measures import Given, Measures
    from mbsim.system.beam_resultants import Resultant
    from mbsim.system.reactions import Reaction
    from mbsim.system.switches import LawText

SHOWN = 6  # coordinates


class Change(NamedTuple):
    """What assembling changed: the largest change of a position and of a speed, and what was given."""

    position: float  # m, rad
    speed: float  # m/s, rad/s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)


@dataclass(frozen=True, eq=False)
class Planned:
    """The events of a model, for runs of its system."""

    events: "tuple[Event, ...]"
    key: list[object]  # all that the code of what they watch depends on
    texts: "Callable[[], list[LawText]]"  # what they watch
    measure: str  # the kernel of `mbsim.system.bodies` that finds the relative coordinates that one reads; empty where none does
    values: "Given"  # what they set, as measures named by `value_name`, behind those of the model
    solved: "tuple[bool, ...]" = ()  # of each event, whether it watches what the equations of motion are solved for
    reactions: "tuple[Reaction | Resultant, ...]" = ()  # that they watch, in the order of their symbols

    @cached_property
    def has_unilaterals(self) -> bool:
        """Whether contacts, stops or dry friction are among them."""
        return any(event.do.unilateral for event in self.events)


def value_name(event: str, kind: str, target: str) -> str:
    """What the value of something that an event sets is called. No measure has such a name."""
    return f"{event}: {kind} {target}"


class Left:
    """What runs of a model leave for its next runs (`mbsim.march.repeated`); neither copied nor sent to other processes."""

    def __init__(self) -> None:
        self.parts: list[Any] = []

    def __reduce__(self) -> tuple[type["Left"], tuple[()]]:
        return Left, ()


@dataclass(frozen=True, eq=False)
class Coming:
    """What comes and goes in runs of a model."""

    whole: System  # where all of it holds: results have these rows
    locks: "Locks"
    change: "Callable[[Assembly, Locking], Assembly]"  # the same with other rows. Raises ValueError for what cannot be locked as it is
    restore: "Callable[[Assembly, Locks], Assembly]"  # the same with rows as they were in another run
    left: Left = field(default_factory=Left)


class Locking(NamedTuple):
    """What is locked and unlocked, and where the mechanism is then."""

    lock: Collection[str]
    unlock: Collection[str]
    time: float  # s
    q: Floats  # (n_q,)
    as_it_is: bool = False  # contacts hold the gaps that they have, where what else holds does not let all of them close


class Held(NamedTuple):
    """A model whose joints' speeds are driven (`mbsim.assembly.held_speeds`)."""

    made: "Assembly"
    drivers: Mapping[str, str]  # speed -> its driver
    borne: Mapping[str, str]  # speed -> the driver of the model that is kept and gives it


@dataclass(frozen=True)
class Assembly:
    """A system with a consistent start, ready to march."""

    system: System
    start: float  # s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    correction: tuple[float, float] | Change = (0.0, 0.0)  # largest change of a position and of a speed that the assembly made
    text: str = ""  # of the model file
    parameters: Mapping[str, float] = field(default_factory=dict)
    simulation: Any = None  # the model's block
    steady: Mapping[str, float] = field(default_factory=dict)  # speeds of the steady motion that its equilibrium is; none: rest
    # with drivers of speeds of joints, but for those that drivers to keep give; none in joint coordinates
    held: Callable[[Mapping[str, float], Collection[str]], Held] | None = None
    measures: "Measures | None" = None  # the model's, and its controllers', where it has any
    events: Planned | None = None  # the model's, where it has any
    coming: Coming | None = None  # what comes and goes, where anything does
    unilaterals: "Unilaterals | None" = None  # stops and dry friction, where there are any
    described: str | Callable[[], str] = ""  # the scene, or what makes it
    notes: tuple[str, ...] = ()  # what the user is to know of the start and the model, a sentence each
    folder: str = "."  # of the model's file: where the names of meshes begin
    files: tuple[str, ...] = ()  # other files that it depends on, besides those of tables
    warnings: tuple[str, ...] = ()  # likewise, what makes it doubtful that the model is the one that is meant

    def require_bilateral(self, what: str) -> None:
        """Raise ValueError where there are rigid stops, contacts or dry friction, which `what` does not know."""
        if self.unilaterals is not None:
            names = ", ".join(one.name for one in self.unilaterals.each)
            raise ValueError(
                f"{what} does not know rigid stops, contacts and dry friction ({names}): `mbsim run` does; "
                "joint_limit, contact and joint_friction among the forces are known everywhere"
            )

    def __repr__(self) -> str:
        system = self.system
        rows = f"{system.n_rows} constraint row{'s' * (system.n_rows != 1)}"
        lines = [f"<mbsim assembled model: {system.name}>", f"  {system.n_v} speeds, {rows}, start at {self.start:g} s"]
        shown = [f"{name} = {value:.6g}" for name, value in zip(system.coordinates[:SHOWN], self.q, strict=False)]
        more = f" and {system.n_q - SHOWN} more" if system.n_q > SHOWN else ""
        return "\n".join([*lines, f"  {', '.join(shown)}{more}"])

    def draw(self, camera: str | None = None, names: bool | None = None, as_drawn: bool = False) -> "Figure":
        """The schematic at the start; see `mbsim.model.schema.Model.draw`."""
        figure: Figure = show("draw model", self, camera, names, as_drawn)
        return figure

    @property
    def whole(self) -> System:
        """The system whose rows results have: that where all holds that comes and goes."""
        return self.system if self.coming is None else self.coming.whole

    @property
    def scene(self) -> str:
        """JSON: what the bodies look like (mbsim.scene); empty without bodies."""
        return self.described if isinstance(self.described, str) else self.described()
