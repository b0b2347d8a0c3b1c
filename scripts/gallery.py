"""Draws every shipped model of bodies, at its start and moving, and writes docs/gallery.md.

    python scripts/gallery.py
    python scripts/gallery.py --quick    # two models, a few small frames; nothing is kept

Writes docs/images/gallery/NAME.png, the schematic, and NAME.gif, the motion of a run of the shipped file (its first seconds), and the
pictures of docs/view.md.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from command_line import command, output_folder, parser

import mbsim
from mbsim.cli.models import describe, list_shipped
from mbsim.march.ending import SimulationError
from mbsim.plots.drawing import schematic
from mbsim.plots.moving import Wanted, moving
from mbsim.results import Result
from mbsim.scene.motion import Motion, of_result
from mbsim.scene.read import scene_of

LARGEST = 15e6  # bytes of all pictures
LONGEST = 4.0  # s of a motion that are shown


class Size(NamedTuple):
    """How much of it is done."""

    models: tuple[str, ...] | None  # None: all
    pixels: tuple[int, int]
    fps: float
    end: float | None  # s; None: the model's own


FULL = Size(None, (320, 240), 12.5, None)
QUICK = Size(("four_bar", "heavy_top"), (80, 64), 2.0, 0.05)


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    size = QUICK if given.quick else FULL
    with output_folder(given) as folder:
        (folder / "images" / "gallery").mkdir(exist_ok=True)
        (folder / "images" / "view").mkdir(exist_ok=True)
        drawn, without = [], []
        for name, path in list_shipped().items():
            if size.models is not None and name not in size.models:
                continue
            model = mbsim.load_model(path)
            if model.coordinates:
                without.append(name)
                continue
            result = run(model, size.end)
            pictures(folder / "images" / "gallery", name, result, size)
            drawn.append((name, describe(path)))
            print(name, flush=True)
        write(folder, drawn, without)
        page_pictures(folder / "images" / "view", size)
        total = sum(path.stat().st_size for path in (folder / "images" / "gallery").iterdir())
        print(f"{len(drawn)} models, {total / 1e6:.1f} MB")
        if total > LARGEST:
            sys.exit(f"the gallery has {total / 1e6:.1f} MB, more than {LARGEST / 1e6:g}")


def run(model: object, end: float | None) -> Result:
    """The run of a model; what a failed one reached."""
    try:
        return mbsim.simulate(model, **({} if end is None else {"end": end}))  # type: ignore[arg-type]
    except SimulationError as error:
        if error.result is None:
            raise
        return error.result


def pictures(folder: Path, name: str, result: Result, size: Size) -> None:
    """The schematic of the start, and the motion."""
    scene, poses = scene_of(result), of_result(result)
    title = str(result.attributes["title"])
    schematic(scene, poses, 0, folder / f"{name}.png", title, force=True)
    k = poses.times <= poses.times[0] + LONGEST
    first = Motion(poses.times[k], poses.position[k], poses.quaternion[k], poses.rows[k])
    moving(scene, first, folder / f"{name}.gif", name, Wanted(size.pixels, size.fps), force=True)


def write(folder: Path, drawn: list[tuple[str, str]], without: list[str]) -> None:
    """gallery.md."""
    lines = [
        "# The shipped models",
        "",
        "What `mbsim draw NAME` and `mbsim view NAME -o NAME.gif` make of every shipped model with bodies. Nothing is said of",
        "shapes in most of these files: [how they are found](view.md#schematics). The motion is that of the file's own run, its",
        f"first {LONGEST:g} s. Written by `{command(__file__)}`.",
        "",
    ]
    for name, words in drawn:
        lines += [f"## {name}", "", *wrapped(words), "", f"![{name}, schematic](images/gallery/{name}.png)"]
        lines += ["", f"![{name}, moving](images/gallery/{name}.gif)", ""]
    if without:
        lines += [
            "## Without bodies",
            "",
            *wrapped("These are in coordinates of their own and have no shape to draw: " + ", ".join(without) + "."),
        ]
    (folder / "gallery.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def wrapped(text: str) -> list[str]:
    """Lines of up to 118 characters."""
    import textwrap

    return textwrap.wrap(text, 118)


def page_pictures(folder: Path, size: Size) -> None:
    """Those of docs/view.md: a schematic, a frame and a motion."""
    models = list_shipped()
    result = run(mbsim.load_model(models["quick_return"]), size.end or 3.0)
    scene, poses = scene_of(result), of_result(result)
    schematic(scene, poses, 0, folder / "quick_return.png", "quick-return mechanism", force=True)
    pixels = size.pixels if size is QUICK else (480, 360)
    moving(scene, poses, folder / "quick_return.gif", "quick-return mechanism", Wanted(pixels, size.fps), force=True)


if __name__ == "__main__":
    main()
