"""What a picture of a result shows where nothing is asked for: what matters to the model.

Its measures; the motion, of trees the coordinates of their joints; what drives it; reactions, energies and drift. Of many lines those that
change most are drawn.
"""

import numpy as np

from mbsim.plots.along import panel_along
from mbsim.plots.panels import MAX_LINES, PASSED_ON, TIME, Line, Panel, groups, panel, with_units
from mbsim.results.read import Result

PRESCRIBED = ("inverse", "kinematics")  # methods
MOST = 8  # panels
CONSTANT = 1e-6  # of the largest change of a line in the panel


def panels(result: Result, what: list[str] | None) -> list[Panel]:
    """The panels of the items of `what`, or the overview if there are none. Raises PlotError for an item that the result does not hold."""
    found = [panel_along(result, item) or panel(result, item) for item in what] if what else overview(result)
    if cycle := result.attributes.get("cycle"):
        for one in found:
            if one.x_label == TIME:
                one.x_label = with_units(str(cycle), str(result.attributes.get("cycle_unit", "1")))
    return found


def overview(result: Result) -> list[Panel]:
    """Measures, motion, efforts, errors of controllers, reactions, energies and drift, as far as the model has them.

    Of a motion that is prescribed, what its drivers do, or how it is passed on, in the place of the energies.
    """
    method = result.attributes.get("method")
    found = [_motion(result)]
    if method == "kinematics":
        passed = [name for name in result.measures() if name.partition(".")[0] in PASSED_ON]
        found += [panel(result, item) for item in (passed or ["v", "acceleration"]) if item in result]
    else:
        found += _of(result, ["driver_effort"]) or _changing(_of(result, ["force_effort"]))
        found += _of(result, ["controller_error"])
        found += [_along_largest(result)] if "beam_moment" in result and len(result.time) else []
        found += _strongest(_of(result, ["joint_force"]) or _of(result, ["multiplier"])) or _of(result, ["v"])
        if method not in PRESCRIBED:
            found += _of(result, ["energy"])
    found += _of(result, ["drift"] if result.labels("constraint") else [] if method in PRESCRIBED else ["energy_balance"])
    own = [name for name in result.measures() if name.partition(".")[0] not in PASSED_ON]
    return [*_measures(result, own, max(1, MOST - len(found))), *found]


def _of(result: Result, items: list[str]) -> list[Panel]:
    return [panel(result, item) for item in items if item in result or item in groups(result)]


def _along_largest(result: Result) -> Panel:
    """The bending moment along the beam that has the largest one."""
    moments = np.abs(result["beam_moment"]).max(axis=(0, 2))
    beam = result.labels("beam_element")[int(moments.argmax())].partition("[")[0]
    found = panel_along(result, f"beam_moment:{beam}")
    assert found is not None
    return found


def _motion(result: Result) -> Panel:
    """Coordinates of joints where they are the model's own, else positions of bodies, else the user's coordinates."""
    if "body_position" not in result:
        return _liveliest(panel(result, "q"))
    joints = set(result.labels("joint"))
    own = [name for name in result.labels("coordinate") if name.partition(".")[0] in joints and name.rpartition(".")[2] in RELATIVE]
    if own and not any(name.partition(".")[0] in result.labels("body") for name in own):
        time, q, places = result.time, result["q"], result.labels("coordinate")  # read once
        lines = [Line(name, time, q[:, places.index(name)], result.units("q", name)) for name in own]
        return _liveliest(Panel("Joint coordinates", "coordinate", lines))
    return _liveliest(panel(result, "body_position"))


RELATIVE = ("angle", "displacement", "angle1", "angle2")  # coordinates of joints that are not those of a free body


def _liveliest(found: Panel) -> Panel:
    """Without lines that stay where they are, and of many those that change most."""
    changes = np.array([float(np.ptp(line.y)) if len(line.y) else 0.0 for line in found.lines])
    live = [i for i, change in enumerate(changes) if change > CONSTANT * changes.max(initial=0.0)] or list(range(len(changes)))
    kept = sorted(sorted(live, key=lambda i: -changes[i])[:MAX_LINES])
    still = len(changes) - len(live)
    return _reduce(
        found, kept, [f"and {len(live) - len(kept)} that move less"] * (len(kept) < len(live)) + [f"{still} constant"] * (still > 0)
    )


def _changing(found: list[Panel]) -> list[Panel]:
    """Those with a line that is not constant: of forces that are, the model file says enough."""
    return [one for one in found if any(float(np.ptp(line.y)) > CONSTANT * float(np.abs(line.y).max(initial=0.0)) for line in one.lines)]


def _strongest(found: list[Panel]) -> list[Panel]:
    """The panels with those of many lines that have the largest values."""
    for one in found:
        peaks = [float(np.nanmax(np.abs(line.y), initial=0.0)) for line in one.lines]
        kept = sorted(sorted(range(len(peaks)), key=lambda i: -peaks[i])[:MAX_LINES])
        _reduce(one, kept, [f"and {len(peaks) - len(kept)} smaller"] * (len(kept) < len(peaks)))
    return found


def _reduce(found: Panel, kept: list[int], notes: list[str]) -> Panel:
    found.lines = [found.lines[i] for i in kept]
    found.notes += notes
    return found


def _measures(result: Result, names: list[str], room: int) -> list[Panel]:
    """The user's own variables, those of one unit in one panel; the last panel takes what is left."""
    by: dict[str, list[Line]] = {}
    for name in names:
        if result.dimensions(name) == ("time",):
            by.setdefault(result.units(name), []).append(Line(name, result.time, result[name], result.units(name)))
    kept = [*by.values()]
    kept = [*kept[: room - 1], [line for lines in kept[room - 1 :] for line in lines]] if len(kept) > room else kept
    return [Panel("Measures" if len(lines) > 1 else lines[0].label, "measure", lines) for lines in kept]
