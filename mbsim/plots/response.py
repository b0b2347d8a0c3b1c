"""Frequency response: magnitude and phase from each input to each output (Bode)."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mbsim.plots.style import COLOURS, GREY, RESIDUAL_FLOOR, literal
from mbsim.results.linear import SavedResponse


def bode(figure: Figure, saved: SavedResponse, outputs: list[int]) -> None:
    """Draw a column for each output: magnitude above, phase below; a line for each input."""
    for column, k in enumerate(outputs):
        size = figure.add_subplot(2, len(outputs), 1 + column)
        turn = figure.add_subplot(2, len(outputs), 1 + len(outputs) + column, sharex=size)
        for number, name in enumerate(saved.inputs):
            values, colour = saved.response[:, k, number], COLOURS[number % len(COLOURS)]
            size.loglog(saved.frequencies, np.maximum(np.abs(values), RESIDUAL_FLOOR), color=colour, label=literal(name))
            turn.semilogx(saved.frequencies, _phase(values), color=colour)
        size.set_title(literal(saved.outputs[k]))
        units = {f"{saved.output_units[k]} / ({unit})" for unit in saved.input_units}
        unit = units.pop() if len(units) == 1 else f"{saved.output_units[k]} / unit of the input"
        size.set_ylabel(literal(f"magnitude ({unit})"))
        turn.set_ylabel("phase (degrees)")
        turn.set_xlabel("frequency (Hz)")
        turn.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 1.5, 3, 4.5, 9, 10]))
        turn.axhline(0.0, color=GREY, linewidth=0.6)
        size.margins(y=0.05)
        turn.margins(y=0.08)
        size.tick_params(labelbottom=False)
        size.legend(loc="lower left")


def _phase(values: np.ndarray) -> np.ndarray:
    """Continuous, in degrees, beginning between -180 and 180."""
    return np.asarray(np.degrees(np.unwrap(np.angle(values))))
