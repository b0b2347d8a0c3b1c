"""What the pages of a model and of a study share: a mechanism with its run, which another run of it replaces."""

from pathlib import Path
from threading import Event

import numpy as np
import viser

from mbsim.results.read import Result
from mbsim.scene.motion import Motion, motion
from mbsim.scene.read import Scene
from mbsim.view.charts import Charts
from mbsim.view.happened import event_times
from mbsim.view.playback import Playback
from mbsim.view.results import Cameras, Facts, thin
from mbsim.view.shows import Shows
from mbsim.view.stage import Stage

POSES = 1500  # of a run without bodies: times at which its plots are marked
NO_SHAPE = "The model has no bodies: its own coordinates have no shape to draw."


class MechanismPage:
    """A page of one mechanism: `_put`, `_add_time` and `_add_looks` build it, `_put` and `_follow` show another run."""

    charts: Charts | None = None
    shows: Shows | None = None
    cameras: Cameras | None = None

    def __init__(self, server: viser.ViserServer, folder: Path, camera: str | None) -> None:
        """`folder` is where files of meshes are."""
        self._server, self._folder, self._camera = server, folder, camera
        self._generation = 0
        self._woken = Event()
        self._scene: Scene | None = None
        self._stage: Stage | None = None
        self._extent = 1.0

    def _put(self, scene: Scene | None, poses: Motion | None, result: Result | None, faulty: frozenset[str] = frozenset()) -> None:
        """Take a run as what is shown. `poses` of one with bodies; `faulty` are joints in red. Raises SceneError for a shape."""
        if scene is not None and poses is not None:
            shown, old = thin(poses, event_times(result.events if result is not None else [])), self._stage
            if old is None or not old.takes(scene, shown, self._folder, faulty):
                self._generation += 1
                self._stage = Stage(self._server, scene, shown, self._folder, f"/model{self._generation % 2}", faulty=faulty)
                if old is not None:
                    old.remove()
            assert self._stage is not None
            self._extent = self._stage.solids.size.extent
        else:
            assert result is not None
            rows = np.unique(np.linspace(0, len(result.time) - 1, POSES).astype(int))
            shown = motion(result.time[rows], np.zeros((len(rows), 0, 3)), np.zeros((len(rows), 0, 4)), rows)
        self._scene, self._poses, self._result = scene, shown, result

    def _add_time(self, name: str) -> None:
        """The controls of time, and the plots of a run that has rows."""
        self.playback = Playback(self._server, self._poses.times, self.show)
        if self._result is not None and len(self._result.time) > 1:
            self.charts = Charts(self._server, [self._result], [name])

    def _add_looks(self) -> None:
        """The controls of what is seen of a mechanism with bodies, and from where. Raises ValueError for an unknown camera."""
        if self._stage is not None and self._scene is not None:
            self.shows = Shows(self._server, self._stage, self._poses, self._result, lambda: self.show(self.playback.k))
            self.cameras = Cameras(self._server, self._scene, self._poses, self._extent, self._camera)
        self.facts = Facts(self._server)
        if self._stage is not None:
            self.facts.attach(self._stage)

    def _follow(self) -> None:
        """Let the controls take the run that was put on the page."""
        self.playback.load(self._poses.times)
        if self.shows is not None and self._stage is not None:
            self.shows.load(self._stage, self._poses, self._result)
            self.facts.attach(self._stage)
        if self.cameras is not None:
            self.cameras.load(self._poses)
        if self.charts is not None and self._result is not None:
            self.charts.load([self._result])

    def show(self, k: int) -> None:
        """Show one pose of the run."""
        k = min(k, len(self._poses.times) - 1)
        if self._stage is not None and self.shows is not None:
            with self._server.atomic():
                self._stage.show(self._poses, k)
                self.shows.show(k)
            if self.cameras is not None:
                self.cameras.show(k)
        if self.charts is not None:
            self.charts.mark(float(self._poses.times[k]), not self.playback.playing)
        if self._scene is not None:
            self.facts.show(self._scene, self._result, self._poses, k)

    def tick(self) -> None:
        """Called often: go on with the motion."""
        self.playback.tick()

    def wake(self) -> None:
        """Let `wait` end: something was asked for."""
        self._woken.set()

    def wait(self, seconds: float) -> None:
        """Wait so long, or until something is asked for."""
        self._woken.wait(seconds)
        self._woken.clear()
