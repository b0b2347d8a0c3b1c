"""Runs filled into lanes, marched, and handed back: the output rows that the run's own method gives, to the last digits but a few."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.contracts import SETTING_TOLERANCE, WATCH_LIMIT, Work
from mbsim.jit import bound
from mbsim.jit.straight.emission import LANES, OTHER_CASE, OUT_OF_RANGE
from mbsim.march.between import ATOL
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import measured
from mbsim.march.settings import Settings
from mbsim.model.recorded import ENERGIES, REACTIONS
from mbsim.observe.observer import GENERALISED
from mbsim.straight.forms import Form
from mbsim.straight.implicit import STEPS
from mbsim.straight.implicit_forms import trace_steps
from mbsim.straight.programs import CUT_STEPS, INPUTS, SHARED, Known, Programs, Varied, aligned_zeros, empty_slots, known_of, trace
from mbsim.straight.traced import SCRATCH
from mbsim.studies.lanes.settling import FAR, judge, table_of
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.studies.lanes.filling import Filler
    from mbsim.studies.lanes.following import Look

ALIKE = 1e-9  # of the largest number of its kind, or of 1: how closely the first row of a lane is that of the method


LEFT = {
    OTHER_CASE: "a law changes its case",
    OUT_OF_RANGE: "rows of constraints come close to each other, a step would be cut, or a number is out of range",
    0.0: "the first row is another, or coordinates are not resolved",
}


class Numbers:
    """The numbers of a system's arrays as one vector, without what evaluations overwrite."""

    def __init__(self, system: System) -> None:
        found = system.arrays._asdict().items()
        self._kept = [(name, x.reshape(-1)) for name, x in found if x.dtype.kind == "f" and x.size and name not in SCRATCH]
        self._places = [(name, k) for name, x in self._kept for k in range(x.size)]

        self._arrays = [x for _, x in self._kept]
        self.count = len(self._places)

    def __call__(self) -> Floats:
        """As they are now."""
        return np.concatenate(self._arrays) if self._arrays else np.zeros(0)

    def take(self, out: Floats) -> None:
        """Put them into (count,) as they are now."""
        if self._arrays:
            np.concatenate(self._arrays, out=out)

    def place(self, name: str) -> int:
        """Where those of an array begin; 0 of one that has none."""
        return next((k for k, (array, _) in enumerate(self._places) if array == name), 0)

    def put(self, values: Floats) -> None:
        """Put them there again."""
        at = 0
        for _, x in self._kept:
            x[:] = values[at : at + x.size]
            at += x.size

    def varied(self, which: Sequence[int]) -> Varied:
        """The arrays and places of some of them."""
        return tuple(self._places[k] for k in which)


class Start(NamedTuple):
    """Of a run, whose numbers, lengths and basis are in the arrays and the work."""

    t: float
    q: Floats
    v: Floats
    z: Floats  # as the method begins with it
    row: Floats  # the first one
    limits: Floats  # (n_q,) how far coordinates may go


class Columns:
    """Puts what runs begin with into their lanes, as `known_of` has it."""

    def __init__(self, programs: Programs, form: Form, varied: NDArray[np.intp]) -> None:
        """`varied`: places among the numbers of a system of those that are inputs."""
        slots, self._form, self._varied = programs.slots, form, varied
        self._filled = slots.first["begin"]  # slots that a run gives; they come first, in the order of INPUTS
        self._column = np.zeros(self._filled)  # of a lane, and the parts of it by their names
        self._parts = {name: self._column[slots.place(name)] for name in INPUTS if slots.first[name] < self._filled}

    def fill(self, values: Floats, lane: int, numbers: Floats, start: Start, work: Work) -> None:
        """Fill a lane of the slots; `work` is measured, and has the basis, of this run."""
        parts = self._parts
        parts["t"][0], parts["tolerance"][0] = start.t, work.settings[SETTING_TOLERANCE]
        parts["varied"][:], parts["scales"][:], parts["row_scales"][:] = numbers[self._varied], work.scales, work.row_scales
        speeds = parts["speeds"]
        if self._form.keeps_basis:
            k = len(speeds)
            basis = parts["V2"].reshape(k, len(work.scales))
            basis[:, work.own.columns] = work.own.V2[:k]
            speeds[:] = start.z[:k]
        else:
            speeds[:] = start.v
        parts["q"][:], parts["W"][0] = start.q, start.row[-1]
        values[: self._filled, lane] = self._column


class Tile:
    """LANES runs at once of one system."""

    def __init__(
        self, formulation: Formulation, settings: Settings, form: Form, varied: Sequence[Floats], start: Start, times: Floats
    ) -> None:
        """`varied`: what `Numbers` gives of some runs; what differs between them is an input. Raises TraceError."""
        self._formulation, self._form, system = formulation, form, formulation.system
        self.numbers = Numbers(system)
        now, seen = self.numbers(), np.array(varied)
        differs = ((seen != now) & ~(np.isnan(seen) & np.isnan(now))).any(axis=0)  # NaN where tables were asked outside
        self._varied, self._same = np.flatnonzero(differs), np.flatnonzero(~differs)
        self._base = now[self._same]
        self._plain = self._base.tobytes()  # quicker to compare
        places, known = self.numbers.varied(self._varied.tolist()), self._known(start)
        explicit = form.implicit is None
        self.programs: Programs = trace(system, form, places, known) if explicit else trace_steps(formulation, form, places, known)
        self._slots = slots = self.programs.slots
        self._values, self._blank = empty_slots(slots), empty_slots(slots)
        self._width, self._ends = formulation.width, formulation.width + slots.sizes["reactions"]
        self._rows = aligned_zeros(len(times), self._ends + slots.sizes["energies"], LANES)
        self.rows = self._rows[:, : self._width]  # (k, width, LANES) the output rows
        self._farthest = self._values[slots.place("farthest")]  # (n_q, LANES) how far coordinates have been
        self.state = np.append(np.arange(slots.speeds), np.arange(system.n_v, formulation.size))  # of z; the rest of it is zero
        self._scales = aligned_zeros(len(self.state), LANES)
        self._scales[:] = 1.0
        self._filled_with = np.tile(now, (LANES, 1))  # the numbers of the run in each lane
        self.measured = np.tile(measured(formulation.work), (LANES, 1))  # of the run in each lane, as of `march.lengths`
        self._reacted: dict[str, Floats] = {}  # what joints transmit in all lanes, where it was asked for
        self._steps = np.zeros(LANES)  # that lanes have taken, where these choose theirs
        self.parts = self._blocks(system)
        self._limits = np.zeros((system.n_q, LANES))
        self._firsts = np.zeros((formulation.width, LANES))
        self._judged, begins = np.zeros(LANES, np.int64), np.array([part.start for part in self.parts], np.int64)
        first, guards = self._rows.reshape(-1, LANES)[: self._width], self._values[slots.first["guards"]]
        self._judge: Callable[[], None] = bound(
            judge, first, self._firsts, self._limits, self._farthest, guards, begins, ALIKE, self._judged
        )
        self.columns = Columns(self.programs, form, self._varied)
        self.keeps_basis = form.keeps_basis
        self._settings, self._times = settings, times
        self._look: Look | None = None

    def compile(self) -> None:
        """Make ready to march."""
        way, rows = float(self._formulation.work.watch[WATCH_LIMIT]), self._rows.reshape(-1, LANES)
        if self._form.implicit is not None:
            from mbsim.studies.lanes import implicit

            kernels, kept = self.programs.kernels(STEPS), aligned_zeros(implicit.KEPT, LANES)
            table = implicit.implicit_table(self.programs, self._formulation.system, self._form.implicit)
            self._march = bound(implicit.march, *kernels, table, self._times, self._settings.step, self._scales, self._values, kept, rows)
            return
        if self._form.pair is None:
            from mbsim.studies.lanes import march as equal

            kernels, kept = self.programs.kernels(CUT_STEPS), aligned_zeros(equal.KEPT, LANES)
            table, limit = table_of(self.programs, self._formulation.system), self._form.hold_limit**2
            self._march = bound(equal.march, *kernels, table, self._times, self._settings.step, limit, way, self._values, kept, rows)
            return
        times = np.repeat(self._times[:, None], LANES, 1)
        self._march, self._steps, _ = self.bound_controlled(way, times, np.full(LANES, len(times)), self._scales, self._values, rows)

    def bound_controlled(
        self, way: float, times: Floats, counts: NDArray[np.int64], scales: Floats, values: Floats, rows: Floats
    ) -> tuple[Callable[[], int], Floats, Floats]:
        """The march by chosen steps over these arrays, the steps that lanes have taken, and how many rows they have reached."""
        from mbsim.studies.lanes import controlled

        pair, formulation, n = self._form.pair, self._formulation, len(self.state)
        assert pair is not None
        kept = aligned_zeros(controlled.WEIGHTS + len(pair.P), LANES)
        rates, states = aligned_zeros(len(pair.c) * n, LANES), aligned_zeros(2 * n, LANES)
        call = bound(
            controlled.march, *self.programs.kernels(SHARED), table_of(self.programs, formulation.system), times, counts, *pair,
            formulation.work.settings, float(formulation.size), self._form.hold_limit**2, way, scales, values, rates, states, kept, rows,
        )  # fmt: skip
        return call, kept[controlled.STEPS], kept[controlled.REACHED]

    def misses(self) -> NDArray[np.bool_]:
        """(LANES,) bool: of which runs the rows may miss something of the motion between them."""
        if self._look is None:
            from mbsim.studies.lanes.following import Look

            atol = self._settings.tolerance("atol") or ATOL
            self._look = Look(self._formulation.system, self._times, self._rows, atol)
        return self._look()

    def steps(self, lane: int) -> int:
        """How many steps a run has taken, where it chooses them."""
        return int(self._steps[lane])

    @staticmethod
    def _blocks(system: System) -> list[slice]:
        """The parts of a row that are alike: q, v, v_dot, lam."""
        ends = np.cumsum([0, system.n_q, system.n_v, system.n_v, system.n_rows]).tolist()
        return [slice(a, b) for a, b in pairwise(ends) if b > a]

    def _known(self, start: Start) -> Known:
        return known_of(self._formulation, self._form, start.t, start.q, start.v, start.z)

    def told(self, lane: int, name: str) -> Floats | None:
        """A variable of a run that its rows have beside the state; None where it is not known here."""
        if name in (GENERALISED, REACTIONS[0]):
            return self._reactions(lane, name)
        return self.energy(name, lane)

    def told_of(self, rows: Floats, name: str) -> Floats | None:
        """As `told`, of rows (k, width and more) of one run."""
        if name not in (GENERALISED, REACTIONS[0]):
            return self._energy(rows, name)
        found = rows[None, :, self._width : self._ends]
        return self._of_joints(found, name)[0] if found.size else None

    def energy(self, name: str, lane: int | slice = slice(None)) -> Floats | None:
        """One of ENERGIES of a run (k,), or of all lanes (k, LANES); None where it is not known here."""
        return self._energy(self._rows[:, :, lane], name)

    def _energy(self, rows: Floats, name: str) -> Floats | None:
        if name not in ENERGIES or not self.programs.tells_energies:
            return None
        kinetic, potential, balance = (rows[:, self._ends + k] for k in range(3))
        work = rows[:, self._width - 1] if self._formulation.system.has_energy else np.full(balance.shape, np.nan)
        return np.asarray((kinetic, potential, work, balance - work - balance[0])[ENERGIES.index(name)])

    @property
    def reactions(self) -> Floats | None:
        """Generalised ones (k, n_joints, 3 or 6, LANES) of all joints and lanes, not copied; None where they are not known here."""
        found = self._rows[:, self._width : self._ends]
        return found.reshape(len(found), len(self._formulation.system.joints), -1, LANES) if found.size else None

    def _reactions(self, lane: int, name: str) -> Floats | None:
        """Of all joints generalised ones (k, n_joints, 3 or 6), or the forces on second bodies (k, n_joints, 3)."""
        if self._ends == self._width:
            return None
        if name not in self._reacted:  # of all lanes at once: they lie beside each other
            self._reacted[name] = self._of_joints(self._rows[:, self._width : self._ends].transpose(2, 0, 1), name)
        return np.asarray(self._reacted[name][lane])

    def _of_joints(self, found: Floats, name: str) -> Floats:
        """As of `_reactions`, from the reactions in rows (runs, k, ...)."""
        system = self._formulation.system
        found = found.reshape(*found.shape[:2], len(system.joints), -1)
        if name == GENERALISED:
            return found
        d = 2 if system.dimension == 2 else 3
        out = np.zeros((*found.shape[:3], 3))
        out[..., :d] = np.array([1.0 if joint.second >= 0 else -1.0 for joint in system.joints])[:, None] * found[..., :d]
        return out

    def numbers_of(self, lane: int) -> Floats:
        """The numbers of the run in a lane."""
        found: Floats = self._filled_with[lane]
        return found

    def wide(self, lane: int) -> Floats:
        """The rows (k, width and more) of a lane, with what they have beside the state."""
        return self._rows[:, :, lane]

    def put(self, lane: int) -> None:
        """Put the numbers of the run in a lane into the arrays again."""
        self.numbers.put(self._filled_with[lane])

    def filler(self, begins: tuple[Any, ...], memory: tuple[Floats, Floats], near: Floats) -> "Filler":
        """What begins runs and puts them into lanes, as `fill` does; `near`: their `Start.limits`, the rest as of `Filler`."""
        from mbsim.studies.lanes.filling import PLACED, Filled, Filler

        slots, work, n = self._slots, self._formulation.work, self._formulation.system.n_v
        places = [*(slots.first[name] for name in PLACED), slots.speeds if self.keeps_basis else 0]
        V2, columns = (work.own.V2, work.own.columns) if self.keeps_basis else (np.zeros((0, n)), np.zeros(0, np.int64))
        arrays = Filled(
            np.zeros(self.numbers.count), self._base, self._same, self._varied, np.array(places), V2, columns, near.copy(), self.state,
            self._filled_with, self._firsts, self._limits, self._scales, self.measured, self._values,
        )  # fmt: skip
        return Filler(begins, memory, arrays, self.numbers.take, self.numbers.place("parameters"))

    def clear(self) -> None:
        """Begin a new tile."""
        self._values[:] = self._blank

    def fill(self, lane: int, start: Start) -> bool:
        """Put a run into a lane; whether it is one of these runs."""
        now = self.numbers()
        same = now[self._same]
        if same.tobytes() != self._plain and (same != self._base).any():
            return False
        self._filled_with[lane] = now
        self.measured[lane] = measured(self._formulation.work)
        self.columns.fill(self._values, lane, now, start, self._formulation.work)
        self._firsts[:, lane], self._limits[:, lane] = start.row, start.limits
        self._scales[:, lane] = self._formulation.work.state_scales[self.state]
        return True

    def copy(self, lane: int, other: int) -> None:
        """Fill a lane like another one: of the last tile, where runs are fewer."""
        self._values[:, other] = self._values[:, lane]
        self._firsts[:, other], self._limits[:, other] = self._firsts[:, lane], self._limits[:, lane]
        self._scales[:, other] = self._scales[:, lane]

    @property
    def slots(self) -> Floats:
        """(slots, LANES) of the runs: as they are filled, and then as the march leaves them."""
        return self._values

    def snapshot(self) -> tuple[Floats, ...]:
        """What lanes are filled with, but for the slots."""
        return tuple(x.copy() for x in self._beside)

    def restore(self, snapshot: tuple[Floats, ...], slots: Floats, rows: Floats) -> None:
        """Have a tile again as if it had been marched: its slots (slots, LANES) and rows (k width, LANES)."""
        for mine, kept in zip(self._beside, snapshot, strict=True):
            mine[:] = kept
        self._values[:], self._rows.reshape(-1, LANES)[:] = slots, rows

    @property
    def _beside(self) -> tuple[Floats, ...]:
        return self._filled_with, self.measured, self._firsts, self._limits, self._scales

    def why_left(self, lane: int) -> str:
        """Why a run did not stay in its lane, in words."""
        return LEFT[float(self._values[self._slots.first["guards"], lane])]

    def march(self, limits_of: Callable[[int], Floats | None] = lambda lane: None) -> list[bool]:
        """Fill `rows`; which lanes came to their end on the way that the code knows.

        `limits_of` gives the limits of a run whose coordinates have gone beyond those that it began with, or None.
        """
        return self.judge(limits_of) if self._march() == len(self.rows) else [False] * LANES

    def judge(self, limits_of: Callable[[int], Floats | None]) -> list[bool]:
        """Of `march`, when `rows` are filled."""
        self._reacted.clear()
        self._judge()
        found: list[int] = self._judged.tolist()
        for lane in range(LANES):
            if found[lane] == FAR:
                limits = limits_of(lane)
                found[lane] = limits is not None and bool((self._farthest[:, lane] <= limits).all())
        return [bool(stayed) for stayed in found]
