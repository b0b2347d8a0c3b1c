"""What a unit needs for events: what watches their expressions, the values that they set, and the way back onto the constraints.

`c/events.c` does with it what `mbsim.march.happenings` does in a run. The kernels are the same, but for the way onto the constraints
(`mbsim.system.meeting`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.assembly.unilaterals import Look
from mbsim.contracts import ARRAYS, SYSTEM, WORK
from mbsim.diagnosis.blocks import DENSE_ROWS, is_large
from mbsim.diagnosis.consistent import ACCEPTED, Units
from mbsim.march.actions import speed_of_each
from mbsim.march.event_lines import SENSES
from mbsim.march.rough_contacts import TOLD_OF
from mbsim.programs.memory import Call
from mbsim.programs.outputs import NotExportedError, Outputs, values_of
from mbsim.programs.quantities import Behind
from mbsim.system.displacement import FACTORS, Factors
from mbsim.system.meeting import MEETING, Meeting
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.events import Event
    from mbsim.model.schema import Model

COORDINATE, SPEED, PARAMETER = 0, 1, 2  # what is set
WAYS = 64  # onto the constraints: of events together, five that each hold something else have 31
DUES = 64  # delayed actions that may wait at a time
# Words that say where a unit is with its events.
FLAGS = ("ENDED_BY", "BEGINS", "PENDING", "DUES", "CROWD", "CROWD_EVENT", "CROWD_SHORTER", "KNOWN")
SHARED = (  # arrays of Events that all phases of a unit have in common
    "row_before", "seen", "just", "sides", "sizes", "counts", "margins", "rising", "found", "q", "v", "energy", "due", "flags", "times",
)  # fmt: skip
TIMES = ("CROWD_TIME", "CROWD_INTERVAL", "CROWD_LONGEST", "JUST_TIME")


class Assignment(NamedTuple):
    """What an event gives another value."""

    event: int  # its place among all
    kind: int  # one of the three above
    place: int  # in q, v or the parameters
    value: int  # the place of its new value


class Meet(NamedTuple):
    """How a state comes onto the constraints after an event; None where it has no such rows."""

    positions: Call | None
    speeds: Call | None


class Held(NamedTuple):
    """What stays as it is given on a way onto the constraints."""

    q: frozenset[int] = frozenset()  # places of displacements
    v: frozenset[int] = frozenset()  # of speeds
    positions: bool = False  # whether the rows of positions are to be met

    def with_those(self, other: "Held") -> "Held":
        """After events of both together."""
        return Held(self.q | other.q, self.v | other.v, self.positions or other.positions)


class Watched(NamedTuple):
    """An event, or the stop expression."""

    name: str
    sense: float
    once: bool
    after: float  # s
    stops: bool
    way: int  # its place among the ways onto the constraints; -1: it changes nothing
    word: str  # what it does
    stop: int = -1  # of which stop or contact it tells
    tells: int = 0  # and what: one of `mbsim.integrators._settling_arrays`
    releases: bool = False  # whether what is closed is let go before it


@dataclass(frozen=True)
class Events:
    """The events of a unit. k of them, the stop expression first where there is one."""

    each: list[Watched]
    ways: list[Meet]  # onto the constraints, after what events set
    both: list[list[int]]  # of two of these the one after events of both together; -1: there are too many
    assignments: list[Assignment]
    first: int  # the place of the first one of the model
    look: Call  # every expression at the output row
    look_before: Call  # and at the one before an event
    glance: Call | None  # every expression at z, for model exchange; None: one reads what the equations of motion are solved for
    begin: Call
    values: list[Call]  # what finds all values
    value_memory: Floats  # (rows, REMEMBERED) of these: what counted angles remember, which here is nothing
    start: Call  # the method's speeds of (q, v)
    energies: tuple[Call, Call]  # that balances, of the output row, and of (q, v)
    row_before: Floats  # (width,)
    seen: Floats  # (k, 2)
    just: np.ndarray  # (k,) which have just happened
    sides: Floats  # (k,) on which side of zero they were before
    sizes: Floats  # (k,) of the expressions then
    counts: np.ndarray  # (k,) how often each has happened
    margins: Floats  # (k,) for model exchange: how far beyond zero an expression is when its indicator changes its sign
    rising: Floats  # (k,) s, likewise: until when a gap that has just opened grows; -inf: it does not
    found: Floats  # (values,)
    q: Floats  # (n_q,) a state that is being made
    v: Floats  # (n_v,)
    energy: Floats  # (3,)
    due: Floats  # (DUES, 2) when a delayed action is due, s, and of which event
    flags: np.ndarray  # words by FLAGS
    times: Floats  # s, by TIMES
    begun: list[tuple[np.ndarray, np.ndarray]]  # arrays of the march, and what they are before it begins
    span: float  # s, of the run
    samples: bool  # whether states are held between samples

    @property
    def calls(self) -> list[Call]:
        """All that it needs."""
        meets = [call for way in self.ways for call in way if call is not None]
        glance = [] if self.glance is None else [self.glance]
        return [self.look, self.look_before, *glance, self.begin, *self.values, self.start, *self.energies, *meets]

    @property
    def arrays(self) -> list[np.ndarray]:
        """All that a snapshot has to hold and no call names."""
        held = [
            self.seen,
            self.just,
            self.sides,
            self.sizes,
            self.counts,
            self.margins,
            self.rising,
            self.found,
            self.q,
            self.v,
            self.energy,
        ]
        return [*held, self.row_before, self.due, self.flags, self.times, *(x for pair in self.begun for x in pair)]


def watched_name(event: str) -> str:
    """What a unit calls an event."""
    return f"the event '{event}'"


def problems_of(model: "Model", given: Sequence[str]) -> list[str]:
    """What events of a model no unit does, a sentence each; `given` are its inputs and parameters."""
    found = []
    for event in model.events.values():
        both = sorted({*event.do.switch} & {*given})
        found += [f"{x!r} is switched by the event {event.name!r}, so it is no input and no parameter" for x in both]
    return found


def events_of(
    model: "Model",
    inside: Inside,
    control: Floats,
    looking: Callable[[Outputs, Floats], list[Call]],
    exchanges: bool,
    like: Events | None = None,
    behind: Behind | None = None,
) -> Events | None:
    """`control` begins with the time; `looking` gives the calls that find outputs; `exchanges`: for model exchange. None: there are none.

    `like`: those of the first phase, whose arrays other phases share, `behind` what stands behind the longest output row. Raises
    NotExportedError.
    """
    system, settings = inside.formulation.system, inside.settings
    planned = () if inside.made.events is None else inside.made.events.events
    count = system.n_events
    if not count:
        return None
    changing = any(event.do.changes or event.do.unilateral for event in planned)
    if changing and is_large(system):
        raise NotExportedError(
            f"stops, and events that set, switch, lock and unlock take dense matrices, of {DENSE_ROWS} constraint rows or speeds at most "
            f"(here {min(system.n_rows, system.n_v)}): leave them out"
        )
    first = count - len(planned)
    shown = values_of(model, inside.made, planned, behind)
    time, row, z = control[:1], inside.row[0], inside.z
    own = (
        _arrays(system, count, len(shown.outputs), max(len(row), -1 if behind is None else behind.nothing))
        if like is None
        else {x: getattr(like, x) for x in SHARED}
    )
    values = looking(shown, own["found"])
    (memory,) = [call.arguments[3] for call in values if len(call.arguments) == 8]
    q, v, energy, seen = own["q"], own["v"], own["energy"], own["seen"]
    meets, speed_of = _Meets(inside, control, q, v), speed_of_each(system)
    holding = [_held(system, event, speed_of) if event.do.changes or event.do.unilateral else None for event in planned]
    held = _ways_of([one for one in holding if one is not None])
    each = [Watched("the stop expression", 0.0, False, 0.0, True, -1, "stop")] * first
    which = {} if inside.made.unilaterals is None else {one.name: i for i, one in enumerate(inside.made.unilaterals.each)}
    for event, its in zip(planned, holding, strict=True):
        each.append(_watched(event, -1 if its is None else held.index(its), which.get(event.do.unilateral, -1)))
    blocks = (SYSTEM, system.functions), (ARRAYS, system.arrays), (WORK, inside.formulation.work)
    solves = inside.made.events is not None and any(inside.made.events.solved)
    from mbsim.integrators._looks import begin_at_row, look_at_row, look_at_state  # compiles

    n_q, n, samples = system.n_q, system.n_v, system.samples is not None
    energies = [(ARRAYS, system.arrays), time]
    return Events(
        each=each,
        ways=[meets.after(one) for one in held],
        both=[[held.index(x) if (x := a.with_those(b)) in held else -1 for b in held] for a in held],
        assignments=_assignments(system, planned, first, list(inside.made.parameters)),
        first=first,
        look_before=Call(look_at_row, (*blocks, time, own["row_before"][: len(row)], int(solves), seen)),
        look=Call(look_at_row, (*blocks, time, row, int(solves), seen)),
        glance=Call(look_at_state, (*blocks, time, z, seen)) if exchanges and not solves and not which else None,
        begin=Call(begin_at_row, (*blocks, time, row, own["just"], own["sides"], own["sizes"], int(solves), int(samples))),
        values=values,
        value_memory=memory,
        start=Call(inside.formulation.functions.start, (*blocks, time, q, v, z)),
        energies=(
            Call(system.functions.energy, (*energies, row[:n_q], row[n_q : n_q + n], energy)),
            Call(system.functions.energy, (*energies, q, v, energy)),
        ),
        begun=inside.begun,
        span=settings.end - settings.start,
        samples=samples,
        **own,
    )


def _arrays(system: System, count: int, values: int, width: int) -> dict[str, Any]:
    """The arrays of `count` events by the names in SHARED: those of all phases."""
    return {
        "row_before": np.zeros(width), "seen": np.zeros((count, 2)), "just": np.zeros(count, np.int64), "sides": np.zeros(count),
        "sizes": np.zeros(count), "counts": np.zeros(count, np.int64), "margins": np.zeros(count), "found": np.zeros(values),
        "rising": np.full(count, -np.inf),
        "q": np.zeros(system.n_q), "v": np.zeros(system.n_v), "energy": np.zeros(3), "due": np.zeros((DUES, 2)),
        "flags": np.zeros(len(FLAGS), np.int64), "times": np.full(len(TIMES), -np.inf),
    }  # fmt: skip


def _held(system: System, event: "Event", speed_of: Mapping[int, int]) -> Held:
    """What an event gives."""
    speeds = frozenset(system.speeds.index(name) for name in event.do.set if name in system.speeds)
    places = [system.coordinates.index(name) for name in event.do.set if name not in system.speeds]
    coordinates = frozenset(speed_of[place] for place in places if place < system.n_c)
    return Held(coordinates, speeds, bool(event.do.switch or event.do.lock or event.do.unilateral or coordinates))


def _ways_of(each: Sequence[Held]) -> list[Held]:
    """Those and what several of them hold together, WAYS at most, those of fewer events first."""
    ways = list(dict.fromkeys(each))
    alone = list(ways)
    for one in ways:  # which grows
        for other in alone:
            if len(ways) < WAYS and (both := one.with_those(other)) not in ways:
                ways.append(both)
    return ways


def _watched(event: "Event", way: int, stop: int) -> Watched:
    made = Watched(watched_name(event.name), SENSES[event.direction], event.once, event.after, event.do.stops, way, event.do.word)
    tells = TOLD_OF.get(Look(event.name.rpartition(".")[2]), 0) if stop >= 0 else 0
    name = made.name if stop < 0 else "what stops, contacts and friction hold"
    return made._replace(name=name, stop=stop, tells=tells, releases=bool(event.do.set or event.do.lock))


def _assignments(system: System, planned: "Sequence[Event]", first: int, parameters: list[str]) -> list[Assignment]:
    """All that is set, in the order of the values."""
    found: list[Assignment] = []
    for k, event in enumerate(planned, first):
        for name in event.do.set:
            speed = name in system.speeds
            place = (system.speeds if speed else system.coordinates).index(name)
            found.append(Assignment(k, SPEED if speed else COORDINATE, place, len(found)))
        for name in event.do.switch:
            found.append(Assignment(k, PARAMETER, parameters.index(name), len(found)))
    return found


class _Meets:
    """The calls that move a state onto the constraints, whose arrays share memory: one is used at a time."""

    def __init__(self, inside: Inside, control: Floats, q: Floats, v: Floats) -> None:
        system = inside.formulation.system
        self._system, self._time, self._q, self._v = system, control[:1], q, v
        self._known: dict[tuple[int, frozenset[int], str], Call] = {}
        n, m = system.n_v, system.n_rows
        if not m:
            return
        units = Units.of(system, inside.made.start, inside.made.q)
        r = system.n_holonomic
        self._meeting = Meeting(
            phi=np.zeros(r), drawn=np.zeros(r), rows=units.rows, columns=units.columns,
            limits=np.array([units.reached, units.accepted, ACCEPTED]), kept_q=np.zeros(system.n_q), kept_v=np.zeros(n), turned=np.zeros(m),
        )  # fmt: skip
        self._shared = {"M": np.zeros((n, n)), "C": np.zeros((m, n)), "xi": np.zeros(m), "h": np.zeros(n), "eta": np.zeros(m)}
        self._shared |= {"power": np.zeros(1), "still": np.zeros(n), "d": np.zeros(n)}
        self._room = {"L": np.zeros(n * n), "Y": np.zeros(m * n), "G": np.zeros(m * m), "lengths": np.zeros(m), "b": np.zeros(m)}
        self._room |= {"x": np.zeros(n), "w": np.zeros(m)}
        self._order = np.zeros(m, np.int64)

    def after(self, held: Held) -> Meet:
        """Those that keep what is held."""
        system, positions = self._system, self._system.n_holonomic > 0 and held.positions
        from mbsim.system.meeting import meet_at_positions, meet_at_speeds  # compiles

        return Meet(
            self._call(meet_at_positions, system.n_holonomic, held.q) if positions else None,
            self._call(meet_at_speeds, system.n_rows, held.v) if system.n_rows else None,
        )

    def _call(self, kernel: object, rows: int, held: frozenset[int]) -> Call:
        key = rows, held, repr(kernel)
        if key not in self._known:
            places, room = np.array([j for j in range(self._system.n_v) if j not in held], np.int64), self._room
            k = len(places)
            L, Y, G = room["L"][: k * k].reshape(k, k), room["Y"][: rows * k].reshape(rows, k), room["G"][: rows * rows].reshape(rows, rows)
            factors = Factors(
                q=self._q, v=self._v, **self._shared, free=places, L=L, Y=Y, G=G, lengths=room["lengths"][:rows], order=self._order[:rows],
                dense=np.zeros(k, np.int64), b=room["b"][:rows], x=room["x"][:k], w=room["w"][:rows], time=self._time,
            )  # fmt: skip
            system = self._system
            blocks = (SYSTEM, system.functions), (ARRAYS, system.arrays), (FACTORS, factors), (MEETING, self._meeting)
            self._known[key] = Call(kernel, blocks)
        return self._known[key]
