"""Modes on the page: which one moves, and the page of a file of modes."""

from collections.abc import Callable
from pathlib import Path

import viser

from mbsim.results.linear import SavedModes, choose_modes, tell_eigenvalue
from mbsim.scene.modes import FRAMES, mode_motion, rest
from mbsim.scene.motion import Motion
from mbsim.scene.read import Scene
from mbsim.view.playback import Playback
from mbsim.view.results import Cameras, Facts
from mbsim.view.shows import Shows
from mbsim.view.stage import Stage


def labels(saved: SavedModes) -> dict[str, int]:
    """`2: 1.6 Hz, damping 0.05` -> the place of its eigenvalue; the slowest first."""
    return {f"{number}: {tell_eigenvalue(complex(saved.values[k]))}": k for number, k in enumerate(choose_modes(saved), start=1)}


def words_of(label: str) -> Callable[[int], str]:
    """What is said of a pose of a mode."""
    return lambda k: f"**mode {label}**  \nat {360 * k // FRAMES}° of a period, displacements enlarged"


class ModesPage:
    """The modes of a file, one at a time."""

    def __init__(self, server: viser.ViserServer, saved: SavedModes, scene: Scene, folder: Path, view: str | None = None) -> None:
        """Raises SceneError for a shape that cannot be made, ValueError for an unknown camera."""
        self._server, self._saved, self._scene = server, saved, scene
        self._labels = labels(saved)
        at_rest = rest(saved)
        server.gui.add_markdown(f"**{saved.title}**" + ("" if self._labels else "  \nConstraints and drivers leave no motion."))
        with server.gui.add_folder("Modes"):
            self.choice = server.gui.add_dropdown("mode", [*self._labels] or ["(none)"])
        first = next(iter(self._labels.values()), None)
        self._poses: Motion = at_rest if first is None else mode_motion(scene, saved, first)
        self._stage = Stage(server, scene, self._poses, folder)
        self.playback = Playback(server, self._poses.times, self.show)
        self.shows = Shows(server, self._stage, at_rest, None, lambda: self.show(self.playback.k))
        self.cameras = Cameras(server, scene, self._poses, self._stage.solids.size.extent, view)
        self.facts = Facts(server)
        self.facts.attach(self._stage)
        self.choice.on_update(lambda _: self.choose(str(self.choice.value)))
        self.choose(str(self.choice.value))

    def choose(self, label: str) -> None:
        """Let a mode move."""
        if label not in self._labels:
            self.show(0)
            return
        self._poses = mode_motion(self._scene, self._saved, self._labels[label])
        self.playback.load(self._poses.times, words_of(label))
        self.playback.speed.value = "1"
        self.playback.play(True)
        self.show(self.playback.k)

    def show(self, k: int) -> None:
        """Show one pose of the mode."""
        with self._server.atomic():
            self._stage.show(self._poses, k)
        self.cameras.show(k)
        self.facts.show(self._scene, None, self._poses, k)

    def tick(self) -> None:
        self.playback.tick()
