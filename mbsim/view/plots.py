"""The page of results without bodies: plots only, and why."""

import numpy as np
import viser

from mbsim.results.read import Result
from mbsim.view.charts import Charts
from mbsim.view.happened import EventList
from mbsim.view.playback import Playback

NO_BODIES = "the model has no bodies: its own coordinates have no shape to draw; its variables are plotted"
POSES = 1500


class PlotsPage:
    """Variables over time, with a mark at the time shown."""

    def __init__(self, server: viser.ViserServer, results: list[Result], names: list[str]) -> None:
        server.gui.add_markdown(NO_BODIES[0].upper() + NO_BODIES[1:] + ".")
        rows = np.unique(np.linspace(0, len(results[0].time) - 1, POSES).astype(int))
        self._times = results[0].time[rows]
        self.playback = Playback(server, self._times, self.show)
        self.events = EventList(server, results[0].events, self.playback) if results[0].events else None
        self.charts = Charts(server, results, names)
        self.show(0)

    def show(self, k: int) -> None:
        """Put the mark at one time."""
        self.charts.mark(float(self._times[k]), not self.playback.playing)

    def tick(self) -> None:
        self.playback.tick()
