"""Draws the pictures of README.md and docs/ from shipped models with mbsim's own plotting.

    python scripts/figures.py
    python scripts/figures.py --quick    # short runs, two methods; nothing is kept

Runs each model into a temporary folder and writes `docs/images/<name>.png`; and `work_precision.svg` from a comparison of all methods.
"""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from command_line import MODELS, output_folder, parser
from PIL import Image

import mbsim
from mbsim.plots.figure import plot
from mbsim.studies.compare.pictures import work_precision

COLOURS = 128  # of a picture: lines, text and their anti-aliasing need no more, and the files stay small


class Figure(NamedTuple):
    """A picture: what to draw of which model; nothing: the default picture of `mbsim plot`."""

    name: str
    model: str
    what: list[str] | None


FIGURES = (
    Figure("spatial_slider_crank", "spatial_slider_crank", None),
    Figure("rolling_disk", "rolling_disk", ["x~y", "multiplier"]),
)


QUICK_END = 0.1  # s


def draw(figure: Figure, folder: Path, quick: bool) -> Path:
    """Run the model and write the picture into `folder`; returns its path."""
    model = mbsim.load_model(MODELS / f"{figure.model}.yaml")
    settings: dict[str, Any] = {"end": QUICK_END} if quick else {}
    picture = folder / f"{figure.name}.png"
    with (
        tempfile.TemporaryDirectory() as scratch,
        mbsim.simulate(model, output=Path(scratch) / f"{figure.name}.h5", **settings) as result,
    ):
        plot(result, figure.what, picture)
    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)
    return picture


def compare(path: Path, quick: bool) -> Path:
    """Every method on the rolling disk, with rk4 where a method takes an integrator, over a ladder of steps."""
    settings: dict[str, Any] = {"steps": [2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3]}
    if quick:
        settings = {"steps": [2e-2, 1e-2], "methods": ["svd", "lagrange"], "end": QUICK_END}
    found = mbsim.compare([MODELS / "rolling_disk.yaml"], **settings)
    path.write_text(work_precision(found.cases[0]), encoding="utf-8")
    return path


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    with output_folder(given) as folder:
        for figure in FIGURES:
            print(draw(figure, folder / "images", given.quick).name)
        print(compare(folder / "images" / "work_precision.svg", given.quick).name)


if __name__ == "__main__":
    main()
