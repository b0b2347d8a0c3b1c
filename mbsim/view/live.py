"""The page of results, and the same from Python: `result.view()` opens it and returns at once."""

import atexit
import logging
import threading
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Protocol, Self

import viser

from mbsim.results.read import Result, ResultError
from mbsim.scene.camera import camera as camera_of
from mbsim.scene.motion import of_result
from mbsim.scene.read import scene_of
from mbsim.scene.traces import traces
from mbsim.view.happened import event_times, rows_to_show
from mbsim.view.plots import PlotsPage
from mbsim.view.results import FRAMES, ResultsPage, Shown
from mbsim.view.server import address, browse, in_notebook, open_page, stop_server

log = logging.getLogger("mbsim")

FRAME = 1.0 / 40.0  # s between two looks at the clock
HEIGHT = 520  # pixels of the page within a notebook
PATIENCE = 5.0  # s that a page has to finish what it draws
_open: "set[Viewer]" = set()  # a page stays although nobody keeps its viewer


class Page(Protocol):
    """What is on the page."""

    def tick(self) -> None:
        """Called often."""


def prepare(
    results: Sequence[Result], names: Sequence[str], camera: str | None = None, traced: Sequence[str] = ()
) -> Callable[[viser.ViserServer], Page]:
    """What builds the page of results of one mechanism, which have rows; of results without bodies that of their plots.

    All that may fail is done here, so that the browser can open the page while it is built. Raises ResultError for a result without a
    pose that can be shown, SceneError, ValueError for an unknown camera.
    """
    if not results[0].labels("body"):
        return lambda server: PlotsPage(server, list(results), list(names))
    rows = rows_to_show(results[0].time, FRAMES, event_times(results[0].events))
    shown = [
        Shown(name, scene_of(x), x, of_result(x, None if i else rows), Path(x.folder))  # others: the rows next to these
        for i, (name, x) in enumerate(zip(names, results, strict=True))
    ]
    for one in shown:
        if not len(one.poses.times):
            raise ResultError(f"{one.name}: the result holds no row whose poses are finite")
    camera_of(shown[0].scene, camera)
    traces(shown[0].scene, shown[0].poses, traced)
    return lambda server: ResultsPage(server, shown, camera, traced)


class Viewer:
    """A page that is open: `url`, `stop()`. As a context manager it stops at the end of the block."""

    def __init__(self, server: viser.ViserServer, page: Page) -> None:
        self._server, self._page = server, page
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mbsim viewer", daemon=True)
        self.url = address(server)
        self._thread.start()
        _open.add(self)

    @property
    def running(self) -> bool:
        """Whether the page is there."""
        return not self._ended.is_set()

    def stop(self) -> None:
        """Close the page. Nothing happens where it is closed already."""
        if self in _open:
            _open.remove(self)
            self._ended.set()
            if self._thread is not threading.current_thread():
                self._thread.join(PATIENCE)
            stop_server(self._server)

    def _run(self) -> None:
        while not self._ended.wait(FRAME):
            try:
                self._page.tick()
            except Exception as error:  # there is nobody in this thread to whom it could be raised
                log.warning("the page at %s ended: %s", self.url, error)
                self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<mbsim viewer at {self.url}>" if self.running else "<mbsim viewer, stopped>"

    def _repr_html_(self) -> str:
        if not self.running:
            return escape(repr(self))
        link = f'<a href="{escape(self.url)}" target="_blank">{escape(self.url)}</a>'
        frame = f'<iframe src="{escape(self.url)}" style="width: 100%; height: {HEIGHT}px; border: 1px solid #ccc"></iframe>'
        return f"{frame}<br>{link} shows the motion, on this machine, until <code>stop()</code>"


@atexit.register
def _stop_all() -> None:
    for viewer in list(_open):
        viewer.stop()


def view(
    results: Sequence[Result], camera: str | None = None, port: int | None = None, browser: bool = True, traced: Sequence[str] = ()
) -> Viewer:
    """Open the page of results of one mechanism; see `Result.view`."""
    for result in results:
        if not len(result.time):
            raise ResultError("the result holds no rows: the run ended before its first output")
        if result.labels("body") != results[0].labels("body"):
            raise ResultError("the bodies of the results are not the same; only results of one mechanism are shown together")
    titles = [str(result.attributes.get("title") or "run") for result in results]
    names = titles if len(set(titles)) == len(titles) else [f"{title} {k}" for k, title in enumerate(titles, 1)]
    server = open_page(titles[0], port)
    try:
        with server.atomic():  # the server's own thread is not woken for each message
            page = prepare(results, names, camera, traced)(server)
        viewer = Viewer(server, page)
    except BaseException:
        stop_server(server)
        raise
    if browser and not in_notebook() and not browse(server):  # a notebook shows the page within itself
        log.warning("no browser could be opened here; open %s yourself", viewer.url)
    return viewer
