"""`-o motion.gif`, `motion.mp4`, `frame.png`: the solids of a mechanism in pictures, without a browser."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from mbsim.plots.frames import Stage, frame, stage
from mbsim.plots.pace import choose_rows
from mbsim.plots.panels import PlotError
from mbsim.results import outputs
from mbsim.scene.camera import camera
from mbsim.scene.moments import Moment, named
from mbsim.scene.motion import Motion
from mbsim.scene.read import Scene
from mbsim.scene.solids import solids
from mbsim.scene.traces import Trace
from mbsim.version import __version__

THREADS = 2
GIF_STEP = 0.01  # s, in which the times of a GIF count
MADE_BY = f"written by mbsim {__version__}"
MADE_BY_PNG = PngInfo()
MADE_BY_PNG.add_text("Software", f"mbsim {__version__}")


@dataclass(frozen=True)
class Wanted:
    """How a moving picture is made."""

    size: tuple[int, int] = (640, 480)  # pixels
    fps: float = 20.0
    speed: float | None = None  # of the motion to real time
    camera: str | None = None
    folder: Path = Path()  # of the files of meshes
    clock: bool = True  # whether the time stands above the frames
    over: tuple[str, str] = ("t", "s")  # what it is, and its unit: of a cycle its coordinate
    traces: tuple[Trace, ...] = ()
    events: tuple[Moment, ...] = ()  # of the motion, named for a while below its frames


class NoEncoderError(PlotError):
    """There is no program that writes MP4."""


def caption(title: str, t: float, digits: int, speed: float, over: tuple[str, str] = ("t", "s")) -> str:
    """What stands above a frame; `over` is what t is, and its unit."""
    pace = "" if speed == 1.0 else f"  × {speed:.2g}"  # of real time
    return f"{title}   {over[0]} = {t:.{digits}f} {over[1]}{pace}"


def moving(scene: Scene, poses: Motion, output: Path, title: str, wanted: Wanted, force: bool = False) -> int:
    """Write a .gif or .mp4; returns the number of frames. Raises PlotError, OutputError, OSError."""
    write = WRITERS[output.suffix.lower()]
    if output.suffix.lower() == ".mp4":
        encoder()
    rows, speed = choose_rows(poses.times, wanted.fps, wanted.speed)
    shown = set_up(scene, poses, wanted)
    span = float(poses.times[-1] - poses.times[0])
    digits = int(np.clip(np.ceil(-np.log10(max(span, 1e-12) / len(rows))), 0, 9))

    def above(k: int) -> str:
        return caption(title, float(poses.times[k]), digits, speed, wanted.over) if wanted.clock else title

    def below(i: int) -> str:
        t = float(poses.times[rows[i]])
        return named(wanted.events, float(poses.times[rows[i - 1]]) if i else -np.inf, t, speed)

    # Two at a time: NumPy lets go of the interpreter in most of what a frame costs.
    with outputs.replacing(output, force) as part, ThreadPoolExecutor(THREADS) as pool:
        write(part, pool.map(lambda i: frame(shown, poses, int(rows[i]), above(int(rows[i])), below(i)), range(len(rows))), wanted)
    return len(rows)


def still(scene: Scene, poses: Motion, k: int, output: Path, title: str, wanted: Wanted, force: bool = False) -> None:
    """Write one frame as a .png. Raises PlotError, OutputError, OSError."""
    picture = frame(set_up(scene, poses, wanted), poses, k, title)
    with outputs.replacing(output, force) as part:
        picture.save(part, format="PNG", pnginfo=MADE_BY_PNG)


def set_up(scene: Scene, poses: Motion, wanted: Wanted) -> Stage:
    """The frame of a motion. Raises PlotError for an unknown camera."""
    try:
        seen_from = camera(scene, wanted.camera)
    except ValueError as error:
        raise PlotError(str(error)) from None
    return stage(solids(scene, poses, wanted.folder), poses, seen_from, wanted.size, wanted.traces)


def _gif(part: Path, frames: Iterator[Image.Image], wanted: Wanted) -> None:
    """One palette for all frames, so that what does not move costs nothing."""
    pictures = list(frames)
    some = pictures[:: max(1, len(pictures) // 4)]
    palette = Image.new("RGB", (some[0].width, some[0].height * len(some)))
    for i, picture in enumerate(some):
        palette.paste(picture, (0, i * picture.height))
    colours = palette.quantize(96, method=Image.Quantize.MEDIANCUT)
    few = [picture.quantize(palette=colours, dither=Image.Dither.NONE) for picture in pictures]
    pause = max(2, round(1.0 / wanted.fps / GIF_STEP)) * 10
    few[0].save(part, format="GIF", save_all=True, append_images=few[1:], duration=pause, loop=0, optimize=False, comment=MADE_BY.encode())


def encoder() -> Callable[..., object]:
    """What writes frames as MP4. Raises NoEncoderError where it is not installed."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe, write_frames

        get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise NoEncoderError(
            "no encoder for .mp4 is installed: `pip install imageio-ffmpeg` (or `mbsim[video]`), or write a .gif, which needs none"
        ) from None
    found: Callable[..., object] = write_frames
    return found


def _mp4(part: Path, frames: Iterator[Image.Image], wanted: Wanted) -> None:
    size = (wanted.size[0] // 2 * 2, wanted.size[1] // 2 * 2)  # the format wants even numbers
    marks = ["-metadata", f"comment={MADE_BY}", "-f", "mp4"]
    writer: Any = encoder()(str(part), size, fps=wanted.fps, output_params=marks, macro_block_size=2, ffmpeg_log_level="error")
    writer.send(None)
    try:
        for picture in frames:
            writer.send(np.ascontiguousarray(np.asarray(picture.crop((0, 0, *size)))))
    finally:
        writer.close()


WRITERS: dict[str, Callable[[Path, Iterator[Image.Image], Wanted], None]] = {".gif": _gif, ".mp4": _mp4}
