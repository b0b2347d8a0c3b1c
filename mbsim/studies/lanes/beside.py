"""Marches beside the runs of a tile, eight at once: they give rows between those of a run, as `march/beside.py` does it for one run."""

from collections.abc import Callable

import numpy as np

from mbsim.contracts import EVENT_NONE, OK, SETTING_EVENT
from mbsim.jit.straight.emission import LANES
from mbsim.march.beside import Answer, Asked
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import put_measured
from mbsim.march.settings import Settings
from mbsim.straight.programs import aligned_zeros
from mbsim.studies.lanes.tiles import Start, Tile
from mbsim.system.system import Floats

WHOLE = 1e100  # of a correction, over the speed: it may be as large as it is
FEW = 64  # rows at first
MOST_BYTES = 64e6  # of the rows of all lanes


class LanesBeside:
    """Marches beside runs whose numbers a tile has."""

    def __init__(self, tile: Tile, formulation: Formulation, settings: Settings) -> None:
        self._tile, self._settings, self._run = tile, settings, formulation
        self._of: Formulation | None = None
        self._z, self._slots = np.zeros(formulation.size), tile.programs.slots
        self._values = aligned_zeros(self._slots.count, LANES)
        self._counts = np.zeros(LANES, np.int64)
        self._answers: list[Answer | None] = [None] * LANES
        self._hold(FEW)

    def _hold(self, count: int) -> None:
        """Make room for so many rows."""
        tile = self._tile
        self._times, self._scales = np.zeros((count, LANES)), aligned_zeros(len(tile.state), LANES)
        self._rows = aligned_zeros(count, tile.wide(0).shape[1], LANES)
        self._march, self._steps, self._reached = tile.bound_controlled(
            WHOLE, self._times, self._counts, self._scales, self._values, self._rows.reshape(-1, LANES)
        )

    def takes(self, asked: Asked) -> bool:
        """Whether a march has no more rows than are held."""
        return bool((len(asked.times) + 1) * self._rows[0].nbytes <= MOST_BYTES)

    def begin(self, most: int) -> None:
        """Have lanes ready for marches to `most` rows and fewer."""
        if most + 1 > len(self._times):
            self._hold(most + 1 + min(most, FEW))
        self._values[:], self._counts[:], self._scales[:], self._times[:] = 0.0, 0, 1.0, 0.0
        self._answers[:] = [None] * LANES

    def ask(self, lane: int, asked: Asked, measured: Floats, restore: Callable[[], None]) -> None:
        """Ask for a march beside the run in a lane; `measured` as of `march.lengths`, `restore` puts its numbers into the arrays."""
        if self._of is None:
            self._of = self._run.beside(self._settings)
            self._of.work.settings[SETTING_EVENT] = EVENT_NONE
        of, z, system = self._of, self._z, self._run.system
        put_measured(of.work, measured)
        n_q, n = system.n_q, system.n_v
        row, z[:n] = asked.row[: of.width], 0.0
        q, v = row[:n_q].copy(), row[n_q : n_q + n].copy()
        z[n:-1], z[-1] = q, row[-1]
        if self._tile.keeps_basis:  # which is found anew; other methods begin with v
            restore()
            of.work.status[:] = 0
            if of.start(asked.t, q, v, z) != OK:
                self._answers[lane] = Answer(None, 0)
                return
        self._tile.columns.fill(self._values, lane, self._tile.numbers_of(lane), Start(asked.t, q, v, z, row, row), of.work)
        self._scales[:, lane] = of.work.state_scales[self._tile.state]
        self._counts[lane] = 1 + len(asked.times)
        self._times[0, lane], self._times[1 : self._counts[lane], lane] = asked.t, asked.times

    def march(self) -> list[Answer | None]:
        """What the marches came to; None in a lane where the run's own method has to be asked."""
        counts = self._counts
        if counts.any():
            first = int(np.argmax(counts > 0))
            for lane in np.flatnonzero(counts == 0):
                self._values[:, lane] = self._values[:, first]
            self._march()
            stayed = (self._values[self._slots.first["guards"]] == 0.0) & (self._reached == counts)
            for lane in np.flatnonzero((counts > 0) & stayed):
                self._answers[lane] = Answer(self._rows[1 : counts[lane], :, lane].copy(), int(self._steps[lane]))
        return self._answers
