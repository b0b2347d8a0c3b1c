"""Mode shapes: the bodies as lines, displaced; or bars, of a system without bodies."""

import numpy as np
from matplotlib.axes import Axes

from mbsim.plots.schematic import draw
from mbsim.plots.style import COLOURS, GREY, literal
from mbsim.results.linear import SavedModes, tell_eigenvalue
from mbsim.scene.camera import camera
from mbsim.scene.figures import figures, outlines
from mbsim.scene.modes import FRAMES, mode_motion, rest, scene_of_modes
from mbsim.scene.read import End
from mbsim.scene.sizes import sizes

LARGEST = 0.18  # of the size of the drawing: the largest displacement that is drawn
DISPLACED = {True: ("displaced", "opposite"), False: ("at one time", "a quarter period later")}  # whether all moves in step
REAL = 0.02  # of a shape: with less of an imaginary part all of it moves in step, to the eye
AZIMUTH, ELEVATION = np.radians(-60.0), np.radians(25.0)  # of the eye, of a drawing in space
BARS = 16  # coordinates; more cannot be told apart
FEWEST = 5  # places for bars, so that two are not blocks
BAR = 0.38  # thickness
ARROW, ORIGIN = 0.16, (0.09, 0.09)  # of the drawing: the axes in a corner

TO_THE_NAME = {"arrowstyle": "<-", "color": GREY, "linewidth": 0.6, "shrinkA": 2, "shrinkB": 0}


def shape(axes: Axes, saved: SavedModes, number: int, k: int) -> None:
    """The k-th mode, with its `number`, as the user counts."""
    axes.set_title(literal(f"mode {number}: {tell_eigenvalue(complex(saved.values[k]))}"))
    if saved.dimension is None or not len(saved.lines):
        _bars(axes, saved, k)
    else:
        _bodies(axes, saved, k)


def _bodies(axes: Axes, saved: SavedModes, k: int) -> None:
    """The mechanism at rest in grey, and displaced: as a schematic where the file holds what it looks like, else as lines."""
    moved = saved.moved[k]
    ends, owners = saved.lines, saved.owners
    arms = ends - saved.places[owners][:, None]
    away = moved[owners][:, None, 0] + np.cross(moved[owners][:, None, 1], arms)  # (lines, 2, 3) complex
    size = float(np.linalg.norm(np.ptp(ends.reshape(-1, 3), axis=0))) or 1.0
    largest = float(np.linalg.norm(np.abs(away), axis=-1).max(initial=0.0))
    away = away * (LARGEST * size / largest if largest else 0.0)
    step = bool(np.abs(away.imag).max(initial=0.0) <= REAL * np.abs(away).max(initial=1e-300))
    if saved.scene:
        _schematic(axes, saved, k, step)
        return
    right, up = _view(saved.dimension)

    def lines(x: np.ndarray, colour: str, style: str, width: float, label: str) -> None:
        for number, (a, b) in enumerate(x):
            across, high = [float(a @ right), float(b @ right)], [float(a @ up), float(b @ up)]
            axes.plot(across, high, style, color=colour, linewidth=width, label=label if number == 0 else None, solid_capstyle="round")

    lines(ends, "#bbbbbb", "-", 1.0, "at rest")
    lines(ends + away.real, COLOURS[0], "-", 1.8, DISPLACED[step][0])
    lines(ends - away.real if step else ends - away.imag, COLOURS[1], "--", 1.0, DISPLACED[step][1])
    axes.plot(saved.places @ right, saved.places @ up, "o", color="#888888", markersize=3)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.1)
    axes.grid(visible=False)
    axes.tick_params(labelbottom=False, labelleft=False, length=0)
    _triad(axes, right, up, saved.dimension)
    _legend(axes)


def _schematic(axes: Axes, saved: SavedModes, k: int, step: bool) -> None:
    """The displaced mechanism as a schematic, with lines of its rest, and of a quarter of a period later where it does not move in step."""
    scene = scene_of_modes(saved)
    seen, poses = camera(scene), mode_motion(scene, saved, k)
    draw(axes, scene, poses, 0, seen)
    pale, later = rest(saved), poses.at(FRAMES // 4)
    shapes = [(pale, "#9aa5b1", "-", 1.2, "at rest")]
    if not step:
        shapes.append((later, COLOURS[1], "--", 1.0, DISPLACED[False][1]))
    size = sizes(scene, pale)
    for pose, colour, style, width, label in shapes:
        ways = [(b, way) for b, found in enumerate(figures(scene, size)) for way in outlines(found)]
        for n, (b, way) in enumerate(ways):
            at = seen.project(np.array([pose.place(End(b, point))[0] for point in way]))
            axes.plot(at[:, 0], at[:, 1], style, color=colour, linewidth=width, label=None if n else label, zorder=1.5)
    axes.margins(0.06)
    axes.autoscale_view()
    _triad(axes, seen.right, seen.up, saved.dimension)
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Below the drawing, where it hides none of it."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=3, frameon=False, fontsize=7)


def _view(dimension: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The directions to the right and up of the drawing."""
    if dimension == 2:
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    c, s, high, level = np.cos(AZIMUTH), np.sin(AZIMUTH), np.sin(ELEVATION), np.cos(ELEVATION)
    return np.array([-s, c, 0.0]), np.array([-c * high, -s * high, level])


def _triad(axes: Axes, right: np.ndarray, up: np.ndarray, dimension: int | None) -> None:
    """The global axes, in a corner."""
    for name, axis in zip("xyz"[: dimension or 3], np.eye(3), strict=False):
        tip = (ORIGIN[0] + ARROW * 0.8 * float(axis @ right), ORIGIN[1] + ARROW * float(axis @ up))
        axes.annotate(name, ORIGIN, tip, xycoords="axes fraction", textcoords="axes fraction", fontsize=6.5, color=GREY, ha="center",
                      va="center", arrowprops=TO_THE_NAME)  # fmt: skip


def _bars(axes: Axes, saved: SavedModes, k: int) -> None:
    """Real and imaginary parts of the largest components, the largest 1."""
    whole = saved.shapes[k]
    largest = whole[int(np.argmax(np.abs(whole)))] if len(whole) else 1.0
    whole = whole / (largest if largest else 1.0)
    order = sorted(sorted(range(len(whole)), key=lambda i: -abs(whole[i]))[:BARS])
    places = np.arange(len(order))
    step = np.abs(whole.imag).max(initial=0.0) <= REAL
    parts = (("real part", whole.real, COLOURS[0], -BAR / 2), ("imaginary part", whole.imag, COLOURS[1], BAR / 2))
    for label, part, colour, offset in parts[: 1 if step else 2]:
        axes.barh(places + (0.0 if step else offset), part[order], BAR * (2 if step else 1), color=colour, label=label)
    axes.axvline(0.0, color=GREY, linewidth=0.8)
    axes.set_yticks(places, [literal(saved.names[i]) for i in order])
    axes.set_ylim(max(len(order), FEWEST) - 0.5, -0.5)  # the first coordinate on top
    axes.set_xlim(-1.1, 1.1)
    axes.set_xlabel("component, the largest 1")
    if not step:
        axes.legend(loc="lower right")
