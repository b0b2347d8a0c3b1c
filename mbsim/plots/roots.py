"""Pictures of eigenvalues: in the complex plane, or their real and imaginary parts over a parameter."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from mbsim.plots.style import COLOURS, GREY, STYLE
from mbsim.results import outputs
from mbsim.version import __version__


def draw(
    path: Path,
    title: str,
    eigenvalues: np.ndarray,
    values: np.ndarray | None,
    parameter: str,
    crossings: Sequence[float],
    force: bool = False,
) -> None:
    """Eigenvalues (k, N) complex in 1/s, over `values` (k,) of a parameter where given, into .png, .pdf or .svg. Raises OSError."""
    suffix = path.suffix.lower()
    with mpl.rc_context(STYLE), outputs.replacing(path, force) as part:
        figure = Figure(figsize=(7.0, 4.0) if values is None else (7.0, 6.0), layout="constrained")
        if values is None:
            axes = figure.add_subplot()
            axes.plot(eigenvalues.real, eigenvalues.imag, "x", color=COLOURS[0])
            axes.axvline(0.0, color=GREY, linewidth=0.8)
            axes.set_xlabel("real part (1/s)")
            axes.set_ylabel("imaginary part (1/s)")
        else:
            for row, (name, parts) in enumerate((("real part (1/s)", eigenvalues.real), ("imaginary part (1/s)", eigenvalues.imag))):
                axes = figure.add_subplot(2, 1, row + 1)
                axes.plot(values, parts, color=COLOURS[row], linewidth=1.0)
                axes.axhline(0.0, color=GREY, linewidth=0.8)
                for value in crossings:
                    axes.axvline(value, color=GREY, linewidth=0.8, linestyle="--")
                axes.set_ylabel(name)
            axes.set_xlabel(parameter)
        figure.suptitle(title.replace("$", r"\$"))
        metadata = {"Software" if suffix == ".png" else "Creator": f"mbsim {__version__}"}
        figure.savefig(part, format=suffix[1:], dpi=160, metadata=metadata)
        if suffix == ".svg":
            part.write_text(outputs.marked(part.read_text(encoding="utf-8"), suffix), encoding="utf-8", newline="")
