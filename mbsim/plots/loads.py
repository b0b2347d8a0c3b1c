"""The symbols of forces in a schematic: springs, dampers, arrows, friction, stops, drag."""

import numpy as np

from mbsim.plots import symbols
from mbsim.plots.picture import Picture
from mbsim.plots.sheet import GROUND, INK, unit
from mbsim.plots.symbols import LEVELS, TURNING
from mbsim.scene.figures import rails
from mbsim.scene.read import GROUND as ON_GROUND
from mbsim.scene.read import End, Force, Joint


def draw(picture: Picture, force: Force) -> None:
    """The symbol of one force."""
    sheet = picture.sheet
    if force.type == "spring_damper" and len(force.ends) == 2:
        _spring(picture, force.ends[0], force.ends[1], force.stiffness > 0.0 or force.damping == 0.0, force.damping > 0.0)
    elif force.type == "bushing" and force.ends:
        at = picture.at(force.ends[0])
        square = sheet.u * 1.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        sheet.area(at[:2] + square, LEVELS["pin"], "#8a8f98", INK, 1.0, float(at[2]) + sheet.u)
        if any(end.body == ON_GROUND for end in force.ends):
            symbols.wall(sheet, at + np.append(1.5 * sheet.u * picture.down, 0.0), -picture.down)
    elif force.type == "point_gravity" and len(force.ends) == 2:
        centre = picture.at(force.ends[1])
        if force.ends[1].body == ON_GROUND:
            sheet.disk(centre, 2.0 * sheet.u, LEVELS["mass"], "#f4d35e", INK, 1.0, float(centre[2]))
        sheet.line(np.array([picture.at(end)[:2] for end in force.ends]), LEVELS["plane"], 0.7, GROUND, ":", float(centre[2]))
    elif force.type == "torque" and force.ends:
        body = force.ends[0].body
        hinges = [end for joint in picture.scene.joints for end in joint.ends if end.body == body and joint.type in TURNING]
        symbols.turning(sheet, picture.at(hinges[0] if hinges else force.ends[0]), 2.4)
    elif force.type == "drag" and force.ends:
        at = picture.at(force.ends[0])
        symbols.stream(sheet, at)
    elif force.type == "force" and force.ends:
        at, way = picture.at(force.ends[0]), picture.camera.project(force.direction)
        if np.linalg.norm(way[:2]) > 0.1:
            symbols.arrow(sheet, at, at[:2] + 6.0 * sheet.u * unit(way[:2]), depth=float(at[2]) + 3.0 * sheet.u)
    elif force.joint and (joint := picture.scene.joint(force.joint)) is not None:
        _in_joint(picture, force.type, joint)


def _in_joint(picture: Picture, kind: str, joint: Joint) -> None:
    at = picture.at(joint.ends[1])
    if kind == "rotational_spring_damper":
        symbols.spiral(picture.sheet, at)
    elif kind == "translational_spring_damper":
        rail = next((one for one in rails(picture.scene, picture.size, picture.poses) if one.joint == joint.name), None)
        if rail is not None:
            block = next(end for end in joint.ends if end.body != rail.body)
            a, b = picture.at(End(rail.body, rail.ends[0])), picture.at(block)
            symbols.spring(picture.sheet, a, b)
            symbols.wall(picture.sheet, a, (b - a)[:2], LEVELS["spring"])
    elif kind in ("joint_torque", "pd", "pid") and joint.type in TURNING:
        symbols.turning(picture.sheet, at, 2.4)
    elif kind in ("joint_friction", "bristle_friction", "joint_limit"):
        rail = next((one for one in rails(picture.scene, picture.size, picture.poses) if one.joint == joint.name), None)
        ends = None if rail is None else np.array([picture.at(End(rail.body, end)) for end in rail.ends])
        stops = kind == "joint_limit"
        if ends is None:
            (symbols.turn_stops if stops else symbols.brake)(picture.sheet, at)
        else:
            (symbols.slide_stops if stops else symbols.pads)(picture.sheet, at, ends)


def _spring(picture: Picture, first: End, second: End, stiff: bool, damped: bool) -> None:
    a, b = picture.at(first), picture.at(second)
    if np.linalg.norm(b[:2] - a[:2]) < 2.0 * picture.size.link:
        return
    if stiff and damped:
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
