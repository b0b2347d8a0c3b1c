"""What acts along a beam, at some times: `beam_moment:boom:z`, or `beam_moment:boom` for the component that is largest."""

import numpy as np

from mbsim.plots.panels import Line, Panel
from mbsim.results.read import Result

TIMES = 5  # lines in one panel
COMPONENTS = {
    "beam_force": ("normal force", "shear force y", "shear force z"),
    "beam_moment": ("twisting moment", "bending moment y", "bending moment z"),
    "beam_strain": ("elongation", "shear strain y", "shear strain z"),
    "beam_curvature": ("twist", "curvature y", "curvature z"),
    "beam_energy": ("elastic energy",),
}


def panel_along(result: Result, item: str) -> Panel | None:
    """The panel of an item over the place on its beam, 0 at the start and 1 at the end; None where the item is no beam's."""
    variable, *labels = item.split(":")
    if variable not in COMPONENTS or variable not in result or not 1 <= len(labels) <= 2:
        return None
    elements = [k for k, name in enumerate(result.labels("beam_element")) if name.partition("[")[0] == labels[0]]
    axes = result.labels("xyz")
    if not elements or (len(labels) == 2 and labels[1] not in axes):
        return None
    values = result[variable][:, elements].reshape(len(result.time), len(elements), -1)
    component = axes.index(labels[1]) if len(labels) == 2 else int(np.abs(values).max(axis=(0, 1)).argmax())
    place = (np.arange(len(elements)) + 0.5) / len(elements)
    rows = np.unique(np.linspace(0, len(result.time) - 1, TIMES).round().astype(int))
    units = result.units(variable)
    lines = [Line(f"t = {result.time[k]:.4g} s", place, values[k, :, component], units) for k in rows]
    quantity = COMPONENTS[variable][component]
    return Panel(
        f"{quantity[:1].upper()}{quantity[1:]} along {labels[0]}", quantity, lines, x_label=f"place on {labels[0]}, 0: start, 1: end"
    )
