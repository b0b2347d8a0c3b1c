"""Several motions of one mechanism side by side in a moving picture: the modes of its small motions."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from mbsim.plots.frames import PAPER, frame
from mbsim.plots.moving import MADE_BY_PNG, THREADS, WRITERS, Wanted, encoder, set_up
from mbsim.plots.pace import choose_rows
from mbsim.results import outputs
from mbsim.scene.motion import Motion
from mbsim.scene.read import Scene

WIDE = 4.0 / 3.0  # of a cell


def side_by_side(films: Sequence[tuple[Scene, Motion, str]], output: Path, wanted: Wanted, force: bool = False) -> None:
    """Write motions that have the same times, each with its title above, as a .gif, .mp4 or .png.

    Raises PlotError, OutputError, OSError.
    """
    suffix = output.suffix.lower()
    if suffix == ".mp4":
        encoder()
    columns, rows = layout(len(films), wanted.size)
    cell = wanted.size[0] // columns, wanted.size[1] // rows
    stages = [set_up(scene, poses, replace(wanted, size=cell)) for scene, poses, _ in films]
    times = films[0][1].times
    chosen = np.zeros(1, np.int64) if suffix == ".png" else choose_rows(times, wanted.fps, wanted.speed or 1.0)[0]

    def picture(k: int) -> Image.Image:
        whole = Image.new("RGB", wanted.size, PAPER)
        for n, (stage, (_, poses, title)) in enumerate(zip(stages, films, strict=True)):
            whole.paste(frame(stage, poses, k, title), (n % columns * cell[0], n // columns * cell[1]))
        return whole

    with outputs.replacing(output, force) as part, ThreadPoolExecutor(THREADS) as pool:
        if suffix == ".png":
            picture(0).save(part, format="PNG", pnginfo=MADE_BY_PNG)
        else:
            WRITERS[suffix](part, pool.map(picture, chosen.tolist()), wanted)


def layout(count: int, size: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows in which cells are as large as can be."""
    best = max(range(1, count + 1), key=lambda columns: (min(size[0] / columns, WIDE * size[1] / -(-count // columns)), columns))
    return best, -(-count // best)
