"""Draws the figures of Shui's quick-return mechanism for several methods and prints by how much they differ.

    python scripts/quick_return_figures.py
    python scripts/quick_return_figures.py --quick    # the first turn, at coarser steps; nothing is kept

"Dynamic analysis of constrained multibody systems in Riemannian configuration space", figures 2 and 3: position, velocity and
acceleration of the ram (body 6), and the reaction of the rod (body 5) on it, at the paper's step. The dimensions are those of
models/quick_return.yaml, so the curves cannot be laid over the paper's. Writes docs/images/quick_return.png.
"""

from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from command_line import MODELS, output_folder, parser
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from PIL import Image

import mbsim
from mbsim.plots.style import COLOURS, GREY, STYLE
from mbsim.results import Result

METHODS = ("lagrange", "nullspace", "svd", "riemann")  # the first is drawn wide, the others as thin dashes on it
DASH = 5.0  # line widths
PANELS = (
    ("position of the ram", "m"),
    ("velocity of the ram", "m/s"),
    ("acceleration of the ram", "m/s²"),
    ("force of the rod on the ram, x", "kN"),
    ("force of the rod on the ram, y", "kN"),
)


class Size(NamedTuple):
    """How much of it is done."""

    end: float | None  # s; None: the model's own
    reference: float  # s, the step of lagrange
    finer: float  # s, the step at which the methods are compared once more


FULL = Size(None, 2.5e-4, 1e-3)  # a fortieth and a tenth of the paper's step
QUICK = Size(5.0, 2.5e-3, 5e-3)  # a little more than a turn of the crank
PALETTE = 96  # colours of the picture; lines and text need no more


def series(result: Result) -> list[NDArray[np.float64]]:
    """What the panels show, each (n_times,)."""
    force = result.select("joint_force", "C")  # on the joint's second body, the ram
    return [
        result.select("q", "ram.x"),
        result.select("v", "der(ram.x)"),
        result.select("acceleration", "der(ram.x)"),
        force[:, 0] / 1e3,
        force[:, 1] / 1e3,
    ]


def differences(model: Any, size: Size, own: dict[str, Any], exact: list[NDArray[np.float64]]) -> None:
    """Prints by how much each method's curves are off, at the paper's step and at the finer one."""
    print(f"Largest differences from lagrange with a step of {size.reference} s, over the largest value:")
    for step in (model.simulation.step, size.finer):
        for method in METHODS:
            result = mbsim.simulate(model, method=method, step=step, **own)
            errors = [np.abs(x - y).max() / np.abs(y).max() for x, y in zip(series(result), exact, strict=True)]
            shown = ", ".join(f"{title} {error:.1e}" for (title, _), error in zip(PANELS, errors, strict=True))
            print(f"  step {step} s, {method}: {shown}; decompositions {result.attributes['counts']['svds']}")


def draw(results: dict[str, Result], reference: Result, picture: Path) -> None:
    """The panels, one below the other."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(len(PANELS), 1, figsize=(7.2, 8.2), sharex=True, layout="constrained")
        for panel, (title, unit) in enumerate(PANELS):
            axis = axes[panel]
            for i, result in enumerate(results.values()):
                others = len(METHODS) - 1  # dashes that take turns, so that every method shows where the curves coincide
                style: Any = "-" if i == 0 else (DASH * (i - 1), (DASH, DASH * (others - 1)))
                width, colour = (2.8, GREY) if i == 0 else (1.4, COLOURS[i - 1])
                axis.plot(result.time, series(result)[panel], color=colour, lw=width, ls=style)
            axis.set_title(title)
            axis.set_ylabel(unit)
        turn = 2 * np.pi
        crank = reference.select("q", "crank.angle")
        for n in range(1, int(crank[-1] / turn) + 1):
            at = float(np.interp(n * turn, crank, reference.time))
            for axis in axes:
                axis.axvline(at, color="#999999", lw=0.6, ls=":")
            place = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
            axes[0].annotate(f"turn {n}", (at, 1.0), fontsize=7, color=GREY, **place)
        handles = [Line2D([], [], color=(GREY, *COLOURS)[i], lw=(2.8 if i == 0 else 1.4), label=m) for i, m in enumerate(METHODS)]
        axes[1].legend(handles=handles, loc="upper left", ncols=len(METHODS))
        axes[-1].set_xlabel("time, s")
        figure.align_ylabels(axes)
        figure.savefig(picture, dpi=110)
    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(PALETTE, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    size = QUICK if given.quick else FULL
    mpl.use("Agg")
    model = mbsim.load_model(MODELS / "quick_return.yaml")
    assert model.simulation is not None
    own: dict[str, Any] = {"end": size.end, "output_step": model.simulation.step}
    reference = mbsim.simulate(model, method="lagrange", step=size.reference, **own)
    differences(model, size, own, series(reference))
    results = {method: mbsim.simulate(model, method=method, end=size.end) for method in METHODS}
    with output_folder(given) as folder:
        draw(results, reference, folder / "images" / "quick_return.png")


if __name__ == "__main__":
    main()
