"""How long one waits for `mbsim view`, in a real Chromium, written to docs/benchmarks-view.md.

* From the release of a parameter's slider to the new picture, of the shipped four-bar: the mouse drags the slider in the page.
* From the command to the page that can be used, of a chain of 100 bodies with 20,000 rows.
* From the command to the file of its page (`-o page.html`), and from opening this file to the first picture.

    python scripts/benchmark_view.py
    python scripts/benchmark_view.py --quick    # a short chain and one drag; without Chromium nothing is measured

The browser is driven as the tests of tests/view do it, and draws without a graphics card. Beside the time of the wall clock stands that of
the processor in the process of mbsim: on a machine that does other things too, only the latter says something.
"""

import contextlib
import importlib
import json
import math
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_line import REFUSED, ROOT, command, output_folder, parser, versions
from measuring import origin, table

import mbsim
from mbsim import registry
from mbsim.model.load import load

SLIDER = "c"  # the rocker's length
DRAGS = (8, -6, 9, -7, 5)  # pixels, each a few hundredths of the slider
PATIENCE = 300.0  # s; a machine that does other things too is slow
MISSED = 20.0  # s after which a drag has missed the slider
ASKED = {"slider": 0.3, "page": 3.0}  # s


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    drags: int
    bodies: int
    rows: int
    openings: int


FULL = Size(len(DRAGS), 100, 20_000, 3)
QUICK = Size(1, 4, 50, 1)

# The thumb of a slider, by the label beside it: the middle of it on the screen.
THUMB = """(() => {
  for (const thumb of document.querySelectorAll('[role=slider]')) {
    let row = thumb;
    for (let i = 0; i < 7 && row; i++, row = row.parentElement) {
      if (row.innerText && row.innerText.trim().split('\\n')[0].trim() === %s) {
        thumb.scrollIntoView({block: 'center'});
        const r = thumb.getBoundingClientRect();
        return [r.x + r.width / 2, r.y + r.height / 2];
      }
    }
  }
  return null;
})()"""
# Notes when plots are drawn, which the page does in the frame that shows the new run, and when the frame after it begins. Reading the
# picture itself, frame by frame, would keep a machine without a graphics card busy.
NOTES = """(() => {
  const own = CanvasRenderingContext2D.prototype, stroke = own.stroke;
  window.shown = [];
  let asked = false;
  own.stroke = function (...given) {
    if (!asked && this.canvas.closest('.uplot')) {
      asked = true;
      requestAnimationFrame(() => { asked = false; window.shown.push(performance.now()); });
    }
    return stroke.apply(this, given);
  };
})()"""
SETTLED = 1.5  # s after which nothing more is drawn

# Whether the file of a page shows its playback bar and a picture.
PLAYS = "!!document.querySelector('input')?.value && !!document.querySelector('canvas')"


class Clock:
    """The wall clock and a process's processor time since a moment, s."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.restart()

    def restart(self) -> None:
        """From now on."""
        self._began, self._spent = time.perf_counter(), self._processor()

    def read(self) -> tuple[float, float]:
        """Wall clock and processor."""
        return time.perf_counter() - self._began, self._processor() - self._spent

    def _processor(self) -> float:
        try:
            fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # no Linux
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def environment() -> dict[str, str]:
    """Of a process that runs this tree's mbsim."""
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    return os.environ | {"PYTHONPATH": paths}


@contextlib.contextmanager
def served(*arguments: object) -> Iterator[tuple[str, "Clock"]]:
    """`mbsim view` in a process of its own: its address, and what it has taken since it was called."""
    words = [sys.executable, "-m", "mbsim", "view", *map(str, arguments), "--no-open"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())
    clock = Clock(process.pid)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), clock
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def opened(driver: Any, browser: Any, url: str) -> None:
    """Go to the page and wait until it can be used: its time and a plot are there, and the mechanism's canvas."""
    browser.open(url)
    ready = "/t = [-0-9.e]+ s of/.test(document.body.innerText) && !!document.querySelector('.uplot canvas')"
    driver.wait_for(lambda: browser.run(ready), "the page does not get ready", PATIENCE)


def slider(driver: Any, browser: Any, drags: int) -> list[tuple[float, float]]:
    """s from the release of the slider to the new picture, of each drag."""
    found = []
    with served("four_bar") as (url, clock):
        opened(driver, browser, url)
        time.sleep(5.0)  # the first pictures
        browser.run(NOTES)
        for pixels in DRAGS[:drags]:
            place = browser.run(THUMB % json.dumps(SLIDER))
            assert place, f"no slider {SLIDER}"
            x, y = place
            for kind, at in [("mouseMoved", x), ("mousePressed", x), *(("mouseMoved", x + pixels * i / 5.0) for i in range(1, 6))]:
                browser.call("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", buttons=int(kind != "mouseMoved" or at != x))
            clock.restart()
            released = browser.run("performance.now()")
            browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + pixels, y=y, button="left", clickCount=1)
            shown = _last(browser, released)
            if shown is None:
                print("a drag missed the slider and is not counted")
            else:
                found.append(((shown - released) / 1000.0, clock.read()[1]))
    assert found or drags == 1, "no drag changed the picture"
    return found


def _last(browser: Any, released: float) -> float | None:
    """When the last picture after the release was shown, ms: that of the value at which it was released. None where there is none."""
    end, before = time.monotonic() + MISSED, None
    while time.monotonic() < end:
        time.sleep(SETTLED)
        last = browser.run(f"Math.max(-1, ...window.shown.filter(t => t > {released}))")
        if last >= 0.0 and last == before:
            return float(last)
        before = last
    return None


def chain(folder: Path, size: Size) -> Path:
    """The result of a hanging chain that swings."""
    n = size.bodies
    bodies = "\n".join(f"  b{i}: {{mass: 1, inertia: 0.1, position: [{i + 0.5}, 0]}}" for i in range(n))
    joints = "\n".join(f"  j{i}: {{type: revolute, bodies: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0]}}" for i in range(n))
    head = "name: chain\ndimension: 2\ncoordinates: joint\ngravity: [0, -9.81]"
    text = f"{head}\nbodies:\n{bodies}\njoints:\n{joints}\nsimulation: {{end: {size.rows * 5e-4}, step: 5e-4, method: aba}}\n"
    path = folder / "chain.h5"
    mbsim.simulate(load(text, registry, file="chain.yaml"), output=path).close()
    return path


def saved(driver: Any, browser: Any, path: Path, openings: int) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """s from the command to the file of the page, and from opening it to the first picture, which takes no processor of mbsim."""
    written, shown = [], []
    target = path.with_suffix(".html")
    for _ in range(openings):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        words = [sys.executable, "-m", "mbsim", "view", str(path), "-o", str(target), "--force"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment())
        took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        written.append((took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        began = time.perf_counter()
        browser.open(target.as_uri())
        driver.wait_for(lambda: browser.run(PLAYS), "the file does not get ready", PATIENCE)
        shown.append((time.perf_counter() - began, 0.0))
        browser.open("about:blank")
    return written, shown


def page(driver: Any, browser: Any, path: Path, openings: int) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """s from the command to the address, and to the page that can be used."""
    found = []
    for _ in range(openings):
        with served(path) as (url, clock):
            said = clock.read()
            opened(driver, browser, url)
            found.append((said, clock.read()))
            browser.open("about:blank")
    return found


def main() -> int:
    """Measure, print and write."""
    given = parser(__doc__, writes=True).parse_args()
    size = QUICK if given.quick else FULL
    sys.path.insert(0, str(ROOT / "tests" / "view"))
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome")):
        print("no Chromium here (Debian's package `chromium`): nothing can be measured")
        return 0 if given.quick else REFUSED
    driver: Any = importlib.import_module("browser")
    driver.PATIENCE = PATIENCE
    before = others()
    with tempfile.TemporaryDirectory() as scratch:
        path = chain(Path(scratch), size)
        browser = driver.Browser(Path(scratch) / "profile")
        try:
            dragged = slider(driver, browser, size.drags)
            ready = page(driver, browser, path, size.openings)
            written, shown = saved(driver, browser, path, size.openings)
        finally:
            browser.close()
    wanted = max(before, others())
    rows = [
        ["four-bar: slider released to new picture", *_told(dragged), f"{ASKED['slider']:g}"],
        [f"{size.bodies} bodies, {size.rows} rows: command to address", *_told([said for said, _ in ready]), ""],
        [f"{size.bodies} bodies, {size.rows} rows: command to page ready", *_told([whole for _, whole in ready]), f"{ASKED['page']:g}"],
        [f"{size.bodies} bodies, {size.rows} rows: command to `page.html`", *_told(written), f"{ASKED['page']:g}"],
        ["that file opened to picture shown", *_told(shown)[:3], "", ""],
    ]
    lines = table(["what", "median", "shortest", "longest", "of the processor", "asked for"], rows)
    print(lines)
    text = f"""# Waiting for a page

{origin(command(__file__), versions("viser", "numba"))}

Seconds of the wall clock, {len(dragged)} drags and {len(ready)} openings in a headless Chromium that draws without a
graphics card, and the median seconds of the processor in the process of mbsim. The model runs anew from the first
movement of a slider on, and again for each later value; the browser sends one at most every 0.05 s. What is counted
is the frame after that with the picture of the value at which the slider was released.
The address is there when all is read and checked; the browser loads the page while it is built.
{busy(wanted)}

{lines}

The result of the chain holds all rows; the page shows up to 1500 poses and 800 points of a line.
"""
    with output_folder(given) as folder:
        (folder / "benchmarks-view.md").write_text(text, encoding="utf-8")
    return 0


def others() -> float:
    """How many other processes wanted a core during the last second, on average; NaN where it is not known."""
    found = []
    for _ in range(20):
        time.sleep(0.05)
        try:
            found.append(int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0]) - 1)  # without this one
        except OSError:  # no Linux
            return float("nan")
    return statistics.mean(found)


def busy(wanted: float) -> str:
    """Whether the machine did other things, too."""
    if math.isnan(wanted):
        return ""
    cores = os.cpu_count() or 1
    words = f"Before and after it at most {wanted:.1f} other processes wanted the {cores} cores"
    return f"{words}: the wall clock says little." if wanted > 0.5 * cores else f"{words}."


def _told(times: list[tuple[float, float]]) -> list[str]:
    if not times:
        return ["not measured", "", "", ""]
    walls, spent = [wall for wall, _ in times], [processor for _, processor in times]
    return [f"{x:.2f}" for x in (statistics.median(walls), min(walls), max(walls), statistics.median(spent))]


if __name__ == "__main__":
    sys.exit(main())
