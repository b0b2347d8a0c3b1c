"""Play, pause, scrub, step, speed and loop: which pose of a motion is on the page."""

from collections.abc import Callable
from time import monotonic

import numpy as np
import viser

from mbsim.scene.read import Floats

SPEEDS = ("1/100", "1/30", "1/10", "1/3", "1", "3", "10")
LONGEST, SHORTEST = 15.0, 2.0  # s of a run that plays in real time from the start


def number(speed: str) -> float:
    """`1/10` as a number."""
    above, _, below = speed.partition("/")
    return float(above) / float(below or 1)


def fitting(span: float) -> str:
    """The speed at which a motion of `span` seconds is neither over at once nor endless."""
    wanted = span / float(np.clip(span, SHORTEST, LONGEST)) if span > 0.0 else 1.0
    return min(SPEEDS, key=lambda speed: abs(np.log(number(speed) / wanted)))


class Playback:
    """The controls of time. `show` is called with the pose's number whenever it changes."""

    def __init__(self, server: viser.ViserServer, times: Floats, show: Callable[[int], None]) -> None:
        self._show, self._clock = show, monotonic()
        gui = server.gui
        with gui.add_folder("Time"):
            self.words = gui.add_markdown("")
            self.slider = gui.add_slider("frame", min=0, max=1, step=1, initial_value=0)
            self.button = gui.add_button("Play", icon=viser.Icon.PLAYER_PLAY)
            self.steps = gui.add_button_group("step", ("first", "back", "next", "last"))
            self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
            self.loop = gui.add_checkbox("loop", True)
        self.playing = False
        self.t = 0.0
        self.button.on_click(lambda _: self.play(not self.playing))
        self.slider.on_update(lambda _: self._scrubbed())
        self.steps.on_click(lambda _: self._step(self.steps.value))
        self.load(times)
        self.speed.value = fitting(float(times[-1] - times[0]))

    def load(self, times: Floats, words: Callable[[int], str] | None = None) -> None:
        """Take another motion, at the same pose where it has one. `times` (k,) in s; `words` are said of a pose in place of its time."""
        self.times, self._words = times, words
        self.slider.max = max(len(times) - 1, 1)
        self.slider.disabled = self.button.disabled = len(times) < 2
        self.steps.visible = len(times) > 1  # viser does not disable groups of buttons
        if len(times) < 2:
            self.play(False)
        self.k = min(getattr(self, "k", 0), len(times) - 1)
        self.t = float(times[self.k])
        self._say()

    def play(self, on: bool) -> None:
        """Start or pause. At the end it starts from the beginning."""
        self.playing, self._clock = on and len(self.times) > 1, monotonic()
        self.button.label = "Pause" if self.playing else "Play"
        self.button.icon = viser.Icon.PLAYER_PAUSE if self.playing else viser.Icon.PLAYER_PLAY
        if self.playing and self.k == len(self.times) - 1:
            self.go(0)

    def go(self, k: int) -> None:
        """Show a pose."""
        self.t = float(self.times[k])
        self._go(k)

    def _go(self, k: int) -> None:
        if k != self.k:
            self.k = k
            self.slider.value = k
            self._say()
            self._show(k)

    def tick(self) -> None:
        """Called often: goes on with the time that has passed."""
        now = monotonic()
        passed, self._clock = now - self._clock, now
        if not self.playing:
            return
        self.t += passed * number(self.speed.value)
        if self.t > self.times[-1]:
            if not self.loop.value:
                self.go(len(self.times) - 1)
                self.play(False)
                return
            span = float(self.times[-1] - self.times[0])
            self.t = float(self.times[0]) + (self.t - float(self.times[0])) % span
        self._go(int(np.searchsorted(self.times, self.t, side="right")) - 1)

    def _scrubbed(self) -> None:
        if int(self.slider.value) != self.k:
            self.play(False)
            self.go(min(int(self.slider.value), len(self.times) - 1))

    def _step(self, way: str) -> None:
        self.play(False)
        last = len(self.times) - 1
        self.go({"first": 0, "back": max(self.k - 1, 0), "next": min(self.k + 1, last), "last": last}[way])

    def _say(self) -> None:
        if self._words is not None:
            self.words.content = self._words(self.k)
            return
        self.words.content = f"**t = {self.times[self.k]:.6g} s** of {self.times[0]:g} to {self.times[-1]:g} s"
