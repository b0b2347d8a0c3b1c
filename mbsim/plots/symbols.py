"""The symbols of kinematic diagrams, each a function that draws on a sheet at projected points (right, up, depth)."""

import numpy as np

from mbsim.plots.sheet import ACCENT, GROUND, INK, PAPER, Sheet, hull, round_about, side, stadium, unit
from mbsim.scene.read import Floats

MUSCLE = "#8e2f2b"
TURNING = ("hinge", "cross", "pin", "sleeve", "screw")  # symbols of joints that an arrow can go round
LETTERS = {"sleeve": "C", "screw": "S"}  # in the diamond of a joint
LEVELS = {"plane": 0.0, "support": 1.0, "circle": 1.5, "rail": 1.8, "link": 3.0, "mass": 4.0, "block": 5.0, "spring": 6.0, "pin": 8.0}


def hatching(sheet: Sheet, a: Floats, b: Floats, away: Floats, level: float, depth: float = 0.0) -> None:
    """Strokes along the line from a to b on its side `away`: the ground."""
    along = b[:2] - a[:2]
    length = float(np.linalg.norm(along))
    if length <= 0.0:
        return
    along, u = along / length, sheet.u
    count = max(3, min(80, round(length / (0.85 * u))))
    places = (np.arange(count) + 0.5) / count * length
    stroke = 0.95 * u * (unit(away) - 0.75 * along)
    for place in places:
        start = a[:2] + along * place
        sheet.line(np.array([start, start + stroke]), level - 0.2, 0.7, GROUND, depth=depth)


def ground_line(sheet: Sheet, a: Floats, b: Floats, away: Floats, level: float, depth: float = 0.0) -> None:
    """A line with hatching on one side."""
    sheet.line(np.array([a[:2], b[:2]]), level, 1.3, INK, depth=depth)
    hatching(sheet, a, b, away, level, depth)


def support(sheet: Sheet, at: Floats, down: Floats) -> None:
    """The triangle and hatched line below a pin on the ground."""
    u, level = sheet.u, LEVELS["support"]
    down, across = unit(down, (0.0, -1.0)), side(unit(down, (0.0, -1.0)))
    foot = at[:2] + 2.9 * u * down
    corners = np.array([at[:2], foot + 1.7 * u * across, foot - 1.7 * u * across])
    sheet.area(corners, level, "#eceff2", INK, 1.1, depth=at[2])
    ground_line(sheet, foot + 2.5 * u * across, foot - 2.5 * u * across, down, level, depth=float(at[2]))


def wall(sheet: Sheet, at: Floats, towards: Floats, level: float = 1.0) -> None:
    """A short hatched wall square to a direction that something leaves it in."""
    along, u = unit(towards), sheet.u
    across = side(along)
    ground_line(sheet, at[:2] + 2.0 * u * across, at[:2] - 2.0 * u * across, -along, level, depth=float(at[2]))


def pin(sheet: Sheet, at: Floats, size: float = 0.72) -> None:
    """A hinge seen along its axis."""
    sheet.disk(at, size * sheet.u, LEVELS["pin"], PAPER, INK, 1.3, depth=float(at[2]) + 1.5 * sheet.u)


def barrel(sheet: Sheet, at: Floats, axis: Floats, radius: float = 0.8, half: float = 1.9, fill: str = PAPER) -> None:
    """A hinge seen from the side: a cylinder about its axis (3,), projected."""
    u = sheet.u
    tilt = float(np.linalg.norm(axis[:2]))
    if tilt < 0.25:
        pin(sheet, at, 1.0)
        return
    along = unit(axis[:2])
    circle = radius * u * (round_about(40)[:, :1] * side(along) + abs(axis[2]) * round_about(40)[:, 1:] * along)
    shift = half * u * axis[:2] * (1.0 if axis[2] >= 0.0 else -1.0)
    depth = float(at[2]) + 1.2 * u
    sheet.area(hull(np.concatenate([at[:2] + shift + circle, at[:2] - shift + circle])), LEVELS["pin"], fill, INK, 1.2, depth)
    sheet.area(at[:2] + shift + circle, LEVELS["pin"] + 0.1, fill, INK, 1.0, depth + 0.1 * u)


def ball_joint(sheet: Sheet, at: Floats, along: Floats) -> None:
    """A ball in a socket that opens to one side."""
    u, depth = sheet.u, float(at[2]) + 1.5 * sheet.u
    sheet.disk(at, 1.25 * u, LEVELS["pin"] - 0.2, PAPER, INK, 1.2, depth)
    gap = np.arctan2(*unit(along)[::-1])
    turn = np.linspace(gap - 0.55, gap + 0.55, 12)
    mouth = at[:2] + 1.25 * u * np.column_stack([np.cos(turn), np.sin(turn)])
    sheet.line(mouth, LEVELS["pin"] - 0.1, 2.4, PAPER, depth=depth + 0.01 * u)
    sheet.disk(at, 0.8 * u, LEVELS["pin"], INK, INK, 0.8, depth + 0.02 * u)


def cross_joint(sheet: Sheet, at: Floats, axes: tuple[Floats, Floats]) -> None:
    """A universal joint: a circle with its two axes."""
    u, depth = sheet.u, float(at[2]) + 1.5 * sheet.u
    sheet.disk(at, 1.3 * u, LEVELS["pin"], PAPER, INK, 1.2, depth)
    for axis in axes:
        reach = 1.3 * u * axis[:2]
        sheet.line(np.array([at[:2] - reach, at[:2] + reach]), LEVELS["pin"] + 0.1, 1.6, INK, depth=depth + 0.01 * u)


def draw_mark(sheet: Sheet, at: Floats, words: str = "") -> None:
    """Any other joint: a diamond, with a letter."""
    u, depth = sheet.u, float(at[2]) + 1.5 * sheet.u
    corners = at[:2] + 1.3 * u * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    sheet.area(corners, LEVELS["pin"], PAPER, INK, 1.2, depth)
    if words:
        sheet.text(at, words, 6.0)


def weld(sheet: Sheet, at: Floats) -> None:
    """A joint that leaves nothing free."""
    u = sheet.u
    sheet.area(at[:2] + 0.8 * u * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]), LEVELS["pin"], INK, INK, 0.8, float(at[2]) + 1.5 * u)


def link(sheet: Sheet, a: Floats, b: Floats, fill: str, edge: str, half: float = 0.85) -> None:
    """A rod."""
    sheet.area(stadium(a, b, half * sheet.u), LEVELS["link"], fill, edge, 1.1, depth=float(a[2] + b[2]) / 2.0)


def coil(a: Floats, b: Floats, half: float, turns: int) -> Floats:
    """A zigzag (k, 2) of a spring from a to b, of any length."""
    along = b[:2] - a[:2]
    across = side(unit(along))
    lead = 0.12
    steps = np.linspace(lead, 1.0 - lead, 2 * turns + 1)
    swing = np.concatenate([[0.0], half * np.where(np.arange(1, 2 * turns) % 2, 1.0, -1.0), [0.0]])
    inner = a[:2] + steps[:, None] * along + swing[:, None] * across
    return np.vstack([a[:2], inner, b[:2]])


def spring(sheet: Sheet, a: Floats, b: Floats, shift: float = 0.0, colour: str = INK) -> None:
    """A zigzag; `shift` to the side, in widths of a link, for one beside a damper."""
    a, b = _beside(sheet, a, b, shift)
    turns = int(np.clip(np.linalg.norm((b - a)[:2]) / (2.4 * sheet.u), 4, 14))
    sheet.line(coil(a, b, 1.1 * sheet.u, turns), LEVELS["spring"], 1.2, colour, depth=float(a[2] + b[2]) / 2.0 + sheet.u)


def muscle(sheet: Sheet, a: Floats, b: Floats) -> None:
    """What pulls along a line by a law of its own: a belly between two tendons."""
    depth, along = float(a[2] + b[2]) / 2.0 + sheet.u, b[:2] - a[:2]
    share = np.linspace(0.12, 0.88, 25)
    belly = 1.2 * sheet.u * np.sin(np.pi * (share - 0.12) / 0.76) ** 1.5
    middle, across = a[:2] + share[:, None] * along, side(unit(along))
    sheet.line(np.array([a[:2], b[:2]]), LEVELS["spring"] - 0.1, 1.6, MUSCLE, depth=depth)
    outline = np.concatenate([middle + belly[:, None] * across, (middle - belly[:, None] * across)[::-1]])
    sheet.area(outline, LEVELS["spring"], "#efc4c0", MUSCLE, 1.1, depth)


def damper(sheet: Sheet, a: Floats, b: Floats, shift: float = 0.0) -> None:
    """A dashpot."""
    a, b = _beside(sheet, a, b, shift)
    depth, level, u = float(a[2] + b[2]) / 2.0 + sheet.u, LEVELS["spring"], sheet.u
    along = b[:2] - a[:2]
    across, length = side(unit(along)), float(np.linalg.norm(along))
    half = min(0.9 * u, 0.25 * length)
    cup, mouth, piston = a[:2] + 0.36 * along, a[:2] + 0.66 * along, a[:2] + 0.52 * along
    sheet.line(np.array([a[:2], cup]), level, 1.2, depth=depth)
    sheet.line(np.array([mouth + half * across, cup + half * across, cup - half * across, mouth - half * across]), level, 1.2, depth=depth)
    sheet.line(np.array([piston + 0.8 * half * across, piston - 0.8 * half * across]), level, 2.0, depth=depth)
    sheet.line(np.array([piston, b[:2]]), level, 1.2, depth=depth)


def _beside(sheet: Sheet, a: Floats, b: Floats, shift: float) -> tuple[Floats, Floats]:
    across = np.append(side(unit(b[:2] - a[:2])), 0.0) * shift * sheet.u
    return a + across, b + across


def yoke(sheet: Sheet, at: Floats, along: Floats, width: float) -> None:
    """The bar that joins a spring and a damper at one end."""
    reach = side(unit(along)) * width * sheet.u
    sheet.line(np.array([at[:2] - reach, at[:2] + reach]), LEVELS["spring"], 1.2, depth=float(at[2]) + sheet.u)


def spiral(sheet: Sheet, at: Floats) -> None:
    """A torsion spring about a joint."""
    u = sheet.u
    turn = np.linspace(0.3, 0.3 + 4.6 * np.pi, 90)
    radius = np.linspace(0.8, 2.5, 90)[:, None] * u
    sheet.line(at[:2] + radius * np.column_stack([np.cos(turn), np.sin(turn)]), LEVELS["pin"] - 0.5, 1.0, depth=float(at[2]) + u)


def turning(sheet: Sheet, at: Floats, start: float = 0.6, radius: float = 2.7) -> None:
    """The curved arrow of a driven joint or of a torque."""
    u = sheet.u
    turn = np.linspace(start, start + 1.35 * np.pi / 1.5, 40)
    arc = at[:2] + radius * u * np.column_stack([np.cos(turn), np.sin(turn)])
    sheet.line(arc, LEVELS["pin"] + 1.0, 1.5, ACCENT, depth=float(at[2]) + 3.0 * u)
    head(sheet, arc[-1], arc[-1] - arc[-4], float(at[2]) + 3.0 * u)


def head(sheet: Sheet, tip: Floats, along: Floats, depth: float, colour: str = ACCENT, size: float = 0.9) -> None:
    """The head of an arrow."""
    along = unit(along)
    back = tip[:2] - 0.2 * size * sheet.u * along
    corners = np.array(
        [back + size * 1.2 * sheet.u * along, back + 0.62 * size * sheet.u * side(along), back - 0.62 * size * sheet.u * side(along)]
    )
    sheet.area(corners, LEVELS["pin"] + 1.1, colour, None, depth=depth)


def arrow(sheet: Sheet, start: Floats, end: Floats, colour: str = ACCENT, depth: float = 0.0) -> None:
    """A straight arrow."""
    sheet.line(np.array([start[:2], end[:2]]), LEVELS["pin"] + 1.0, 1.5, colour, depth=depth)
    head(sheet, end, end[:2] - start[:2], depth, colour)


def brake(sheet: Sheet, at: Floats) -> None:
    """Friction in a hinge: two shoes at the pin."""
    u, depth = sheet.u, float(at[2]) + 2.0 * sheet.u
    for middle in (0.0, np.pi):
        turn = np.linspace(middle - 0.6, middle + 0.6, 12)
        rim = np.column_stack([np.cos(turn), np.sin(turn)])
        sheet.area(np.concatenate([at[:2] + 1.0 * u * rim, at[:2] + 1.45 * u * rim[::-1]]), LEVELS["pin"] + 0.3, GROUND, INK, 0.7, depth)


def pads(sheet: Sheet, at: Floats, rail: Floats) -> None:
    """Friction in a slide: a pad at each side of the rail, at the block."""
    along = unit(rail[1][:2] - rail[0][:2])
    u, depth = sheet.u, float(at[2]) + 2.0 * sheet.u
    for s in (-1.0, 1.0):
        middle = at[:2] + 1.75 * s * u * side(along)
        corners = [middle + i * 1.3 * u * along + j * 0.25 * u * side(along) for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        sheet.area(np.array(corners), LEVELS["block"] + 0.3, GROUND, INK, 0.7, depth)


def turn_stops(sheet: Sheet, at: Floats) -> None:
    """The limits of a hinge: an arc between two stops."""
    u, depth = sheet.u, float(at[2]) + 2.0 * sheet.u
    turn = np.linspace(0.75 * np.pi, 1.35 * np.pi, 30)
    rim = np.column_stack([np.cos(turn), np.sin(turn)])
    sheet.line(at[:2] + 2.3 * u * rim, LEVELS["pin"] - 0.4, 1.0, depth=depth)
    for end in (rim[0], rim[-1]):
        sheet.line(np.array([at[:2] + 1.7 * u * end, at[:2] + 2.9 * u * end]), LEVELS["pin"] - 0.4, 2.2, depth=depth)


def slide_stops(sheet: Sheet, at: Floats, rail: Floats) -> None:
    """The limits of a slide: a stop at each end of its rail."""
    along = unit(rail[1][:2] - rail[0][:2])
    for end in rail:
        reach = 1.5 * sheet.u * side(along)
        sheet.line(np.array([end[:2] - reach, end[:2] + reach]), LEVELS["rail"] + 0.2, 2.2, depth=float(end[2]) + sheet.u)


def stream(sheet: Sheet, at: Floats) -> None:
    """Drag: waves of what flows about a body."""
    u, depth = sheet.u, float(at[2]) + 3.0 * sheet.u
    x = np.linspace(-2.2, 2.2, 40)
    for height in (-1.0, 0.0, 1.0):
        wave = np.column_stack([x, height + 0.28 * np.sin(2.2 * x)])
        sheet.line(at[:2] + u * wave, LEVELS["pin"] + 0.6, 0.9, "#2b77a3", depth=depth)
