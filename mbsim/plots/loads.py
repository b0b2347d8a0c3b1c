"""The symbols of forces in a schematic: springs, dampers, arrows, friction, stops, drag."""

from collections.abc import Callable

import numpy as np

from mbsim.plots import symbols
from mbsim.plots.picture import Picture
from mbsim.plots.sheet import GROUND, INK, Sheet, unit
from mbsim.plots.symbols import LEVELS, TURNING
from mbsim.scene.figures import Rail, rails
from mbsim.scene.read import GROUND as ON_GROUND
from mbsim.scene.read import End, Floats, Force, Joint


def draw(picture: Picture, force: Force) -> None:
    """The symbol of one force, at its ends on bodies or in its joint."""
    if force.ends and force.symbol in AT_ENDS:
        AT_ENDS[force.symbol](picture, force)
    elif force.symbol in IN_JOINT and (joint := picture.scene.joint(force.joint)) is not None:
        IN_JOINT[force.symbol](picture, joint, picture.at(joint.ends[1]))


def _mount(picture: Picture, force: Force) -> None:
    sheet, at = picture.sheet, picture.at(force.ends[0])
    square = sheet.u * 1.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    sheet.area(at[:2] + square, LEVELS["pin"], "#8a8f98", INK, 1.0, float(at[2]) + sheet.u)
    if any(end.body == ON_GROUND for end in force.ends):
        symbols.wall(sheet, at + np.append(1.5 * sheet.u * picture.down, 0.0), -picture.down)


def _attraction(picture: Picture, force: Force) -> None:
    sheet, centre = picture.sheet, picture.at(force.ends[-1])
    if force.ends[-1].body == ON_GROUND:
        sheet.disk(centre, 2.0 * sheet.u, LEVELS["mass"], "#f4d35e", INK, 1.0, float(centre[2]))
    sheet.line(np.array([picture.at(end)[:2] for end in force.ends]), LEVELS["plane"], 0.7, GROUND, ":", float(centre[2]))


def _turning(picture: Picture, force: Force) -> None:
    """Draw the arrow about a joint of the body, where one turns."""
    body = force.ends[0].body
    hinges = [end for joint in picture.scene.joints for end in joint.ends if end.body == body and joint.symbol in TURNING]
    symbols.turning(picture.sheet, picture.at(hinges[0] if hinges else force.ends[0]), 2.4)


def _arrow(picture: Picture, force: Force) -> None:
    u, at, way = picture.sheet.u, picture.at(force.ends[0]), picture.camera.project(force.direction)
    if np.linalg.norm(way[:2]) > 0.1:
        symbols.arrow(picture.sheet, at, at[:2] + 6.0 * u * unit(way[:2]), depth=float(at[2]) + 3.0 * u)


def _rail(picture: Picture, joint: Joint) -> Rail | None:
    return next((one for one in rails(picture.scene, picture.size, picture.poses) if one.joint == joint.name), None)


def _along(picture: Picture, joint: Joint, at: Floats) -> None:
    """A spring from the end of a slide's rail to its block."""
    rail = _rail(picture, joint)
    if rail is not None:
        block = next(end for end in joint.ends if end.body != rail.body)
        a, b = picture.at(End(rail.body, rail.ends[0])), picture.at(block)
        symbols.spring(picture.sheet, a, b)
        symbols.wall(picture.sheet, a, (b - a)[:2], LEVELS["spring"])


def _motor(picture: Picture, joint: Joint, at: Floats) -> None:
    if joint.symbol in TURNING:
        symbols.turning(picture.sheet, at, 2.4)


def _at_pin_or_rail(
    at_pin: Callable[[Sheet, Floats], None], at_rail: Callable[[Sheet, Floats, Floats], None]
) -> Callable[[Picture, Joint, Floats], None]:
    """One symbol for joints that turn, another one for slides."""

    def drawn(picture: Picture, joint: Joint, at: Floats) -> None:
        rail = _rail(picture, joint)
        if rail is None:
            at_pin(picture.sheet, at)
        else:
            at_rail(picture.sheet, at, np.array([picture.at(End(rail.body, end)) for end in rail.ends]))

    return drawn


def _spring(picture: Picture, force: Force) -> None:
    if len(force.ends) < 2:
        return
    first, second = force.ends[:2]
    stiff, damped = force.stiffness > 0.0 or force.damping == 0.0, force.damping > 0.0
    a, b = picture.at(first), picture.at(second)
    if np.linalg.norm(b[:2] - a[:2]) < 2.0 * picture.size.link:
        return
    if force.law:
        symbols.muscle(picture.sheet, a, b)
    elif stiff and damped:
        symbols.spring(picture.sheet, a, b, 1.2)
        symbols.damper(picture.sheet, a, b, -1.2)
        for at in (a, b):
            symbols.yoke(picture.sheet, at, (b - a)[:2], 1.2)
    elif damped:
        symbols.damper(picture.sheet, a, b)
    else:
        symbols.spring(picture.sheet, a, b)
    joints = [end for joint in picture.scene.joints for end in joint.ends]
    for end, other, here in ((first, b, a), (second, a, b)):
        if end.body == ON_GROUND:
            symbols.wall(picture.sheet, here, (other - here)[:2], LEVELS["spring"])
        elif not any(one.body == end.body and np.linalg.norm(one.point - end.point) <= picture.size.same for one in joints):
            picture.sheet.disk(here, 0.4 * picture.size.link, LEVELS["pin"], INK, INK, 0.6, float(here[2]) + 1.5 * picture.size.link)


AT_ENDS: dict[str, Callable[[Picture, Force], None]] = {
    "spring": _spring,
    "mount": _mount,
    "attraction": _attraction,
    "turning": _turning,
    "arrow": _arrow,
    "stream": lambda picture, force: symbols.stream(picture.sheet, picture.at(force.ends[0])),
}
IN_JOINT: dict[str, Callable[[Picture, Joint, Floats], None]] = {  # with the place of the joint on the picture
    "spring": _along,
    "spiral": lambda picture, joint, at: symbols.spiral(picture.sheet, at),
    "turning": _motor,
    "friction": _at_pin_or_rail(symbols.brake, symbols.pads),
    "stops": _at_pin_or_rail(symbols.turn_stops, symbols.slide_stops),
}
