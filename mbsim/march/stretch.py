"""The parts of a run that belong to one system. A run has another one wherever joints, drivers or constraints come and go."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim import contracts, registry
from mbsim.assembly import Assembly
from mbsim.assembly.assembled import Locking, Planned
from mbsim.assembly.lock_records import APART, Locks
from mbsim.diagnosis.crossing import Settled
from mbsim.diagnosis.ranks import MANY_ROWS, ONE_TIME, RankMonitor
from mbsim.diagnosis.redundancy import Redundancy, find_rank, redundancy
from mbsim.march import estimate
from mbsim.march.back import back
from mbsim.march.between import Following
from mbsim.march.conditioning import Beside, Conditioning, Other
from mbsim.march.estimate import ErrorEstimate
from mbsim.march.events import Events, with_events
from mbsim.march.formulation import Formulation, formulate
from mbsim.march.kernels import Stepper, stepper
from mbsim.march.orders import order_with
from mbsim.march.passages import Passages
from mbsim.march.pieces import Interrupts, March
from mbsim.march.precision import Precision
from mbsim.march.quick_placing import QuickPlacing, quick_placing
from mbsim.march.renewed import renewed
from mbsim.march.settings import Settings
from mbsim.march.snapshots import Snapshot
from mbsim.march.soundness import Soundness
from mbsim.march.through import Through
from mbsim.march.wrong_settings import OWN
from mbsim.model.names import owner
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.march.moreau_march import Steps
    from mbsim.march.unilateral import Modes


class Watch(NamedTuple):
    """What looks at the recorded rows of a stretch."""

    soundness: Soundness
    conditioning: Conditioning
    estimate: ErrorEstimate | None  # None where the integrator controls the error


class Own(NamedTuple):
    """What a stretch has of its assembly."""

    system: System
    locks: Locks
    events: Planned | None


class Stretch:
    """A system as a run marches it from a state at one time (s) on."""

    precision: Precision
    passages: Passages
    watch: Watch

    def __init__(
        self,
        made: Assembly,
        settings: Settings,
        interrupts: Interrupts,
        dense: bool = False,
        other: Other | None = None,
        through: Through | None = None,
    ) -> None:
        """It begins at the start of `made`; `dense` and `other` as of `mbsim.analyses.dynamic.Run`. With `through` it goes through contacts
        by steps. Raises ValueError for a method or a basis that the system does not take."""
        system, looking = with_events(made.system, settings, made.parameters, made.events)
        self.made = made
        self._found = (
            redundancy(made.system, made.start, made.q, shown=False) if made.coming is None else None
        )  # of many stretches the rank is enough
        if named := settings.options.get("basis"):
            from mbsim.march.chosen_basis import require_basis

            require_basis(made.system, str(named), made.start, made.q, self.found)
        self._settings, self._interrupts = settings, interrupts
        self.formulation = formulate(system, settings)
        self.through = None if through is None else _steps(made, self.formulation, settings, through)
        self._steps = stepper(settings, system) if self.through is None else Stepper(self.through.march, 0, 1.0, True)
        new_march = partial(March.of_run, self.formulation, self._steps, settings, interrupts)
        self.march = new_march()
        self.events = Events(self.formulation, new_march, looking, settings.stop, made.events)
        self._fresh = Snapshot(self.formulation.work, np.zeros(0))
        self.march.lands, self.march.pauses, self.events.goes_on = back(self._lands), self.events.take_notes, back(self._passes)
        self._keep_numbers()
        self._beside: estimate.Kept = {}
        self._observing: list[contracts.Work] = []
        self.last_row = np.zeros((1, self.formulation.width))  # which a quick march fills, always the same array
        self._begin(made, find_rank(made.system, made.start, made.q) if self._found is None else self._found.rank, other)
        self.following = Following(self.formulation, self._steps, settings, dense)
        self._kept, self.is_parted = self.following.kept, False

    def _begin(self, made: Assembly, rank: int, other: Other | None = None, before: RankMonitor | None = None, later: bool = False) -> None:
        """Look at the run from its state in `made` on, whose system this is, where the constraints have this rank.

        `before`: what has looked at its rank when it was left. `later`: the mechanism is measured by who places the state.
        """
        if self.through is not None:
            self.through.begin()
        self.made, system, settings = made, self.formulation.system, self._settings
        self.precision = Precision(self.formulation, settings, made.q) if before is None else self.precision.again(made.q, later)
        self._rank, self.monitor = rank, RankMonitor(system, settings.end)
        self.monitor.begin(made.start, made.q, rank, before)
        begun = renewed(settings, start=made.start)
        if before is None:
            self.passages = Passages(self.formulation, begun, rank, self.monitor, self.march.try_step)
        else:
            self.passages = self.passages.again(begun, rank, self.monitor)
        slipping, through = self.formulation.work.slipping, self.through is not None
        of_steps = settings.integrator != OWN and registry.declaration("integrators", settings.integrator, "OF_STEPS", False)
        beside = Beside(self.formulation, settings) if of_steps and not through else None
        if before is None:
            conditioning = Conditioning(system, settings, other, means=through, slipping=slipping, beside=beside)
        else:
            conditioning = self.watch.conditioning.again(beside)
        self.watch = Watch(
            Soundness(system, made.start, self.precision, self.monitor),
            conditioning,
            error_estimate(self.formulation, begun, self._steps, (made.q, rank), self._interrupts, self._beside, self.passages.settled),
        )

    def begins_again(self, made: Assembly) -> bool:
        """Whether it goes on from another state, with the numbers of another system that has the same rows."""
        mine = self.made.system.arrays
        if any(array.shape != new.shape for array, new in zip(mine, made.system.arrays, strict=True)):
            return False
        for array, new in zip(mine, made.system.arrays, strict=True):
            array[...] = new
        self._keep_numbers()
        self._begin_at(renewed(made, system=self.made.system))
        return True

    @cached_property
    def quick(self) -> QuickPlacing | None:
        """What puts a decided state into its march by a kernel."""
        return quick_placing(self.formulation, self._settings) if self.through is None else None

    def begins_at(self, event: Locking, before: Assembly, later: bool = False) -> bool:
        """Whether it goes on from where contacts alone lock and unlock rows of the system `before`, with the numbers that it had itself:
        where these rows close gaps, and where they are closed. `later`: as of `_begin`, if a kernel can do it."""
        made, found = self.made, before.unilaterals
        assert found is not None and made.coming is not None and before.coming is not None
        system, changed = made.system, {*event.lock, *event.unlock}
        if not (before.coming.locks.without(changed).same_values(made.coming.locks) and found.rows >= changed):
            return False
        for array, number in zip(system.arrays, self._numbers, strict=True):
            array[...] = number
        count = len(made.parameters)
        system.arrays.parameters[:count] = before.system.arrays.parameters[:count]
        rows = [k for k, name in enumerate(system.rows[: system.n_holonomic]) if owner(name) in changed]
        if rows:
            near = found.near_of_normals
            most = np.array([near.get(owner(system.rows[k]), -1.0) for k in rows])
            if not (np.abs(system.phi(event.time, event.q)[rows]) <= APART * most).all():
                return False
        self._begin_at(renewed(made, start=event.time, q=event.q), later and self.quick is not None and self.quick.measures)
        return True

    def _keep_numbers(self) -> None:
        """Keep what is in the arrays of its system, to begin with again."""
        self._numbers = [array.copy() for array in self.made.system.arrays] if self.made.coming is not None else []

    def _begin_at(self, made: Assembly, later: bool = False) -> None:
        self._fresh.restore()
        self.march.begin_anew()
        self._found, many = None, self.made.system.n_rows > MANY_ROWS  # else rows tell the rank, all along
        rank = find_rank(self.made.system, made.start, made.q) if many or self.is_parted else self._rank
        before, self.is_parted = None if self.is_parted else self.monitor, False
        self._begin(made, rank, None, before, later)

    def part(self) -> Own:
        """Know nothing any more of the run that has been, nor of the assembly; `join` and `anew` tell it of the next one."""
        made = self.made
        assert made.coming is not None
        own, self.is_parted = Own(made.system, made.coming.locks, made.events), True
        for name in ("made", "watch", "passages", "precision", "monitor"):  # most are not there if the run did not come to it
            vars(self).pop(name, None)
        self.march.restart()
        self.events.forget_notes()
        return own

    def join(self, made: Assembly, own: Own) -> None:
        """Be one of the next run, of the assembly `made`, in which it was not yet."""
        assert made.coming is not None
        self.made = renewed(made, system=own.system, events=own.events, coming=renewed(made.coming, locks=own.locks))

    def anew(self, made: Assembly, other: Other | None) -> None:
        """Be the first one of the next run, as when it was made; `other` as before."""
        self.made, self._found, self.is_parted = made, None, False
        self._fresh.restore()
        self.formulation.work.counts[:] = 0
        self.march.begin_anew()
        self._begin(made, find_rank(made.system, made.start, made.q), other)
        self.following.go_on(self.formulation, self._steps, self._kept)
        self.following.restart()

    @property
    def found(self) -> Redundancy:
        """What is redundant of its rows where it began last."""
        if self._found is None:
            self._found = redundancy(self.made.system, self.made.start, self.made.q, shown=False)
        return self._found

    def observing(self, k: int) -> contracts.Work:
        """The work arrays of observer k of the run."""
        while len(self._observing) <= k:
            self._observing.append(self.formulation.beside(self._settings).work._replace(events=self.formulation.work.events))
        return self._observing[k]

    def _lands(self, at: float, z: Floats) -> None:
        """After a step that ended on a singular position."""
        self.passages.lands(at, z)

    def _passes(self, at: float, z: Floats) -> bool:
        """Whether a march that locates an event goes on from z at `at`, through a singular position, which is noted once."""
        known = len(self.monitor.changes)
        found = self.passages.resumes(at, z) or self.passages.crosses(at, z)
        new, times = self.monitor.changes[known:], [change.time for change in self.monitor.changes[:known]]
        self.monitor.changes[known:] = [change for change in new if all(abs(change.time - t) > ONE_TIME for t in times)]
        return found

    def require_no_steps(self, what: str) -> None:
        """Raise ValueError where steps go through contacts: they remember what no array holds."""
        if self.through is not None:
            raise ValueError(f"{what} while it goes through contacts by steps: take `impacts: events`")

    @property
    def open_now(self) -> frozenset[str]:
        """What does not hold of what comes and goes."""
        return frozenset() if self.made.coming is None else self.made.coming.locks.open

    def follow(self, before: "Stretch") -> None:
        """Go on counting where the stretch before ended."""
        work, its = self.formulation.work, before.formulation.work
        work.counts[:] = its.counts
        for kept in (contracts.EVENT_ACTIVE, contracts.EVENT_LARGEST, contracts.EVENT_FASTEST):
            work.events[:, kept] = its.events[:, kept]
        self.march.time, self.march.cpu_time = before.march.time, before.march.cpu_time
        self.monitor.changes = before.monitor.changes
        self.following = before.following
        self.following.go_on(self.formulation, self._steps, self._kept)


def modes_of(made: Assembly, settings: Settings, events: int, base: Callable[[], Formulation]) -> "Modes | None":
    """What decides which stops are closed and which frictions stick, of so many events; None of a model without any."""
    if made.unilaterals is None or made.events is None:
        return None
    from mbsim.march.contact_problems import coarseness
    from mbsim.march.unilateral import Modes

    first = events - len(made.events.events) + made.unilaterals.first
    atol = settings.tolerance("atol") if settings.controls_error and not settings.explicit else None
    coarse = 1.0 if atol is None else coarseness(atol)
    return Modes(made.unilaterals, first, base, settings.impact_law, settings.simultaneous, coarse)


def _steps(made: Assembly, formulation: Formulation, settings: Settings, through: Through) -> "Steps":
    """The steps of a stretch, with the rows of all contacts beside it."""
    from mbsim.march.moreau_march import Steps

    coming, found, system = made.coming, made.unilaterals, formulation.system
    assert coming is not None and found is not None and made.events is not None
    locks = coming.locks
    full = coming.restore(made, replace(locks, open=locks.open - found.rows)).system
    first = system.n_events - len(made.events.events) + found.first
    return Steps(formulation, full, found, first, through, locks.open - found.rows)


MOST_KNOWN = 16  # stretches that are kept; those go that were left first, but for steps through contacts, whose notes are told at the end


class Stretches:
    """Those of a run behind its first one, by what does not hold in them: rows that were seen before need no new system.

    The arrays of the first one are those of the assembly that was given, which other runs read. So it is not among them.
    """

    def __init__(self, settings: Settings, interrupts: Interrupts, dense: bool) -> None:
        self._new = partial(Stretch, settings=settings, interrupts=interrupts, dense=dense)
        self._settings, self._known = settings, dict[tuple[frozenset[str], bool], Stretch]()  # with whether steps go through contacts
        self._last = self._bare = Locks()  # of the last stretch, and without what contacts hold
        self._zero = set[str]()  # whose rows keep zero wherever they are locked: some keep what they are off by there
        self._free: tuple[Locks, Formulation, Snapshot] | None = None  # for which locks, the system, and its work before anything

    def without_contacts(self, now: Stretch) -> Formulation:
        """The system of a stretch without what its stops, contacts and dry friction hold, with work of its own."""
        made, coming = now.made, now.made.coming
        assert made.unilaterals is not None and coming is not None
        rows = made.unilaterals.rows
        if self._last is not coming.locks:
            self._last, self._bare = coming.locks, coming.locks.without(rows)
        locks = self._bare
        if self._free is None or not locks.same_as(self._free[0]):
            bare = coming.restore(made, locks)  # with arrays of its own: what is decided in them leaves those of the stretch alone
            free = formulate(with_events(bare.system, self._settings, made.parameters, bare.events)[0], self._settings)
            self._free = locks, free, Snapshot(free.work, np.zeros(0))
        _, free, fresh = self._free
        fresh.restore()
        count = len(made.parameters)
        free.system.arrays.parameters[:count] = made.system.arrays.parameters[:count]  # which events may have switched
        return free

    def part(self) -> dict[tuple[frozenset[str], bool], Own]:
        """Know nothing any more of the run that has been; what the stretches have of their assembly."""
        self._known = {key: one for key, one in self._known.items() if one.through is None}
        return {key: one.part() for key, one in self._known.items()}

    def join(self, made: Assembly, own: Mapping[tuple[frozenset[str], bool], Own]) -> None:
        """Be those of the next run, of the assembly `made`."""
        for key, one in self._known.items():
            one.join(made, own[key])

    def told_of_steps(self, now: Stretch) -> list[str]:
        """Notes on steps through contacts, of the stretch that the run is in and of those before."""
        each = dict.fromkeys(one.through for one in (now, *self._known.values()) if one.through is not None)
        return [note for through in each for note in through.notes()]

    def keeps_numbers(self, made: Assembly, through: Through | None) -> bool:
        """Whether the stretch that goes on with `made` has the numbers that it had before, but for what contacts are told."""
        assert made.coming is not None
        known = self._known.get((made.coming.locks.open, False))
        return through is None and (known is None or (known.made.coming is not None and known.made.coming.locks.same_as(made.coming.locks)))

    def again(self, before: Stretch, event: Locking, later: bool = False) -> Stretch | None:
        """The known one that goes on from where contacts alone lock and unlock, `later` as of `Stretch.begins_at`; None where none does."""
        made = before.made
        assert made.coming is not None
        remembers = made.system.units is not None or made.system.samples is not None
        if made.unilaterals is None or event.as_it_is or before.through is not None or remembers:
            return None
        key = (made.coming.locks.open - {*event.lock}) | {*event.unlock}, False
        known = self._known.get(key)
        unlike = known is None or known is before or (known.is_parted and not self._zero.issuperset(event.lock))
        if known is None or unlike or not known.begins_at(event, made, later):
            return None
        del self._known[key]
        self._known[key] = known  # the last one now
        known.follow(before)
        return known

    def _learn(self, locked: frozenset[str], made: Assembly) -> None:
        """Learn which rows of what was locked in `made`, where they were off, keep zero nevertheless."""
        assert made.coming is not None
        if new := locked - {owner(row) for row in made.coming.locks.values} - self._zero:
            system, phi = made.system, made.system.phi(made.start, made.q)
            self._zero |= new - {owner(row) for row, x in zip(system.rows, phi, strict=False) if x == 0.0}

    def after(self, before: Stretch, made: Assembly, through: Through | None = None) -> Stretch:
        """The one that goes on from the state in `made`, by steps `through` contacts or not. Raises ValueError as `Stretch`."""
        assert made.coming is not None
        locks, steps = made.coming.locks, through is not None
        self._learn(before.open_now - locks.open, made)
        known = self._known.get((locks.open, steps))
        if known is None or known is before or (steps and locks.poses) or not known.begins_again(made):
            known = self._new(made, through=through)
        self._known.pop((locks.open, steps), None)
        self._known[locks.open, steps] = known  # the last one now
        while len(self._known) > MOST_KNOWN and any(one.through is None for one in self._known.values()):
            del self._known[next(key for key, one in self._known.items() if one.through is None)]
        known.follow(before)
        if through is not None and known.through is not None:
            known.through.hush(through)
        return known


def error_estimate(
    formulation: Formulation,
    settings: Settings,
    of: Stepper,
    start: tuple[Floats, int],
    interrupts: Interrupts,
    kept: estimate.Kept | None = None,
    settled: Sequence[Settled] = (),
) -> ErrorEstimate | None:
    """What estimates the error of a march with a fixed step.

    None where the integrator controls it, where samples call Python, and where units run.
    """
    if settings.controls_error or of.through_contacts:
        return None
    system = formulation.system
    if system.units is not None or (system.samples is not None and system.samples.calls_python):  # they are not asked beside the run
        return None
    order = order_with(settings.method, settings.integrator, settings.options)
    of = of if order is None else replace(of, order=order)
    switches = system.corners is not None and system.corners(system) is not None
    return ErrorEstimate(formulation, of, settings, start, switches, kept, lambda: interrupts.asked, settled)
