"""Draws the pictures of README.md and docs/ from shipped models with mbsim's own plotting.

    python scripts/figures.py

Runs each model into a temporary folder and writes `docs/images/<name>.png`; and `work_precision.svg` from a comparison of all methods.
"""

import tempfile
from pathlib import Path
from typing import NamedTuple

from PIL import Image

import mbsim
from mbsim.plots.figure import plot
from mbsim.studies.compare.pictures import work_precision

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
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


def draw(figure: Figure, folder: Path) -> Path:
    """Run the model and write the picture into `folder`; returns its path."""
    model = mbsim.load_model(ROOT / "models" / f"{figure.model}.yaml")
    picture = folder / f"{figure.name}.png"
    with tempfile.TemporaryDirectory() as scratch, mbsim.simulate(model, output=Path(scratch) / f"{figure.name}.h5") as result:
        plot(result, figure.what, picture)
    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)
    return picture


def compare(path: Path) -> None:
    """Every method on the rolling disk, with rk4 where a method takes an integrator, over a ladder of steps."""
    found = mbsim.compare([ROOT / "models" / "rolling_disk.yaml"], steps=[2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3])
    path.write_text(work_precision(found.cases[0]), encoding="utf-8")


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for figure in FIGURES:
        print(draw(figure, IMAGES).relative_to(ROOT))
    compare(IMAGES / "work_precision.svg")
