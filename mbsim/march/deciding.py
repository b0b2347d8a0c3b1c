"""How a run decides anew what its stops, contacts and dry friction hold, and goes on from there: a part of `mbsim.march.happenings`."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mbsim.assembly.assembled import Locking
from mbsim.diagnosis.consistent import StartError
from mbsim.march.actions import Placed, can_meet, meet
from mbsim.march.contact_modes import Settled
from mbsim.march.ending import Stopped, join_names
from mbsim.march.events import Events
from mbsim.march.formulation import Formulation
from mbsim.march.happened import Doors
from mbsim.march.placing import Placing
from mbsim.march.together import told
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.march.unilateral import Modes
    from mbsim.model.events import Event


class Deciding:
    """A part of `mbsim.march.happenings.Happenings`, whose attributes it reads."""

    table: list[dict[str, object]]
    _formulation: Formulation
    _events: Events
    _placing: Placing
    _doors: Doors
    _first: int
    _given: bool  # whether the march has been told all that holds and slips
    _may_break: bool  # whether an effort of the last row may not hold

    @property
    def _modes(self) -> "Modes | None":
        """What decides of stops and contacts at events; None where steps go through them."""
        raise NotImplementedError

    def _settled(self, at: float, z: Floats, row: Floats, fired: list[int]) -> Floats:
        """The row after stops and frictions have been decided anew, of which the events `fired` tell. Raises Stopped."""
        modes, system = self._modes, self._formulation.system
        assert modes is not None
        n_q, n = system.n_q, system.n_v
        q, v, held = row[:n_q].copy(), row[n_q : n_q + n].copy(), dict(zip(system.rows, row[n_q + 2 * n : -1], strict=True))
        energy = self._placing.energy(at, row)
        settled = modes.settle(at, q, v, {modes.which(self._first + k) for k in fired}, held, self._doors.open_now())
        if changes := settled.changes or not self._given:
            self._doors.part()
        if settled.lock or settled.unlock:
            self._go_on("stops and friction", settled.lock, settled.unlock, at, q, later=True)
        after = self._placed_quickly(modes, settled, changes, at, z, q, energy)
        if after is None:
            after = self._placed(modes, settled, changes, at, z, q, energy)
        self.table += settled.lines(at, float(after[-1] - row[-1]) if system.has_energy else None)
        return after

    def _placed_quickly(
        self, modes: "Modes", settled: Settled, changes: bool, at: float, z: Floats, q: Floats, energy: float
    ) -> Floats | None:
        """The row of what was decided, where one kernel puts it into the march; None where it leaves that to `_placed`."""
        now = self._doors.now()
        if now.quick is None:
            return None
        self._give(modes, changes)
        found = self._placing.place_quickly(now.quick, at, z, q, settled.v, bool(settled.lock), energy)
        if found is None:
            if self._formulation.work.length[0] == 0.0:
                now.precision.measure()
            return None
        after, self._may_break = found
        return after

    def _placed(self, modes: "Modes", settled: Settled, changes: bool, at: float, z: Floats, q: Floats, energy: float) -> Floats:
        """The row of what was decided. Raises Stopped."""
        n = self._formulation.system.n_v
        placed = Placed(q, settled.v, np.zeros(n, bool), np.zeros(n, bool))
        if settled.lock and not can_meet(self._formulation.system, at, placed):
            self._go_on("stops and friction", settled.lock, (), at, q, as_it_is=True)
        self._give(modes, changes)
        q, v = self._met("what holds at stops and by friction", at, placed, positions=bool(settled.lock))
        self._may_break = True
        return self._placing.place(at, z, q, v, energy, "what stops and frictions hold")

    def _release(self, events: "Sequence[Event]", at: float, q: Floats) -> None:
        """Let go what contacts, stops and dry friction hold, before events set or lock: they push and rub, and bear no such jump.

        What they do is decided after these, as at an impact. Raises Stopped.
        """
        if self._modes is None:
            return
        if rows := self._modes.release() - self._doors.open_now():
            self._doors.settle()
            self._go_on(told(events), (), sorted(rows), at, q)
        self._doors.part()  # rows that wait are those of what has slipped until now
        self._give(self._modes)

    def _give(self, modes: "Modes", changes: bool = True) -> None:
        """Tell the march what holds and slips; all of it, where it `changes`."""
        modes.give(self._formulation, changes)
        self._given = True

    def _go_on(
        self, why: str, lock: Collection[str], unlock: Collection[str], at: float, q: Floats, as_it_is: bool = False, later: bool = False
    ) -> None:
        """Go on with the system in which this is locked and unlocked; `later` as of `Doors.change`. Raises Stopped."""
        try:
            self._formulation, self._events = self._doors.change(Locking(lock, unlock, at, q.copy(), as_it_is), later)
        except ValueError as error:
            raise Stopped(f"{why}: {error}", at) from error
        self._given = False
        self._placing.go_to(self._formulation)

    def _met(self, why: str, at: float, placed: Placed, positions: bool) -> tuple[Floats, Floats]:
        """The state on the constraints with what is held. Raises Stopped."""
        try:
            return meet(self._formulation.system, at, placed, positions, None if placed.held_v.any() else self._formulation.smallest)
        except StartError as error:
            rows = join_names([name for name, _ in error.residuals])
            raise Stopped(f"{why} contradicts the constraints {rows}", at) from None
