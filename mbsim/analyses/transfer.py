"""How a mechanism passes motion and force on: transfer functions, mechanical advantage, transmission angles.

Of an output y and an input s, which moves at the rate 1:

    first order   y' = dy/ds,   second order   y'' = d2y/ds2,   mechanical advantage   F_y / F_s = 1 / y'

the last one without inertia, friction and loads in between (virtual work). The transmission angle at a joint of two links, each with one
joint more, is the angle mu in [0, pi/2] between the lines from the joint to these; with a slide, mu to the normal of its axis.
A coupler that carries no load pushes along its line, and sin(mu) of its force drives the output (Hain 1967).
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.analyses.prescribed import Motion, rows_of
from mbsim.kernels.rotations import matrices
from mbsim.model.names import der
from mbsim.observe.facts import Facts
from mbsim.observe.quantities import Quantities, Quantity
from mbsim.results.schema import Series
from mbsim.system.system import Floats, JointRecord, System

if TYPE_CHECKING:
    from mbsim.model.schema import Model

DIFFERENCE = 1e-5  # m, rad, of the fastest coordinate: central differences of exact rates
ADVANTAGES = 1e12  # of y' at which 1 / y' is infinite
Variables = dict[str, tuple[Series, Floats]]


def transfer_functions(model: "Model", system: System, motion: Motion, outputs: Iterable[str], unit: str) -> Variables:
    """`transfer.NAME`, `transfer_second.NAME` and `mechanical_advantage.NAME` (k,) of each output by the cycled coordinate.

    Outputs are names of coordinates whose rates a measure may name, and lengths of forces, `force_length.NAME`. Raises ValueError for
    another one. `unit` is that of the input.
    """
    quantities = Quantities(Facts.of(model), system)
    chosen = {name: _with_rate(quantities, model, system, name) for name in outputs}
    if not chosen:
        return {}
    here = rows_of(system, motion)
    fastest = np.abs(motion.v).max(axis=1, initial=0.0)
    h = DIFFERENCE / np.maximum(fastest, 1.0)
    ahead, behind = (rows_of(system, _shift(system, motion, sign * h)) for sign in (1.0, -1.0))
    found: Variables = {}
    for name, (quantity, rate) in chosen.items():
        first = np.broadcast_to(rate.of(here), h.shape).astype(float)
        second = (rate.of(ahead) - rate.of(behind)) / (2.0 * h)
        with np.errstate(divide="ignore"):
            advantage = np.where(np.abs(first) > 1.0 / ADVANTAGES, 1.0 / first, np.inf)
        per, of = unit if unit != "1" else "", quantity.units if quantity.units != "1" else ""
        found[f"transfer.{name}"] = _series(_ratio(of, per), f"d({name})/d(input)"), first
        found[f"transfer_second.{name}"] = (
            _series(_ratio(of, f"{per}2" if per else ""), f"second derivative of {name} by the input"),
            second,
        )
        found[f"mechanical_advantage.{name}"] = (
            _series(_ratio(per, of), f"effort along {name} that one unit of the input's effort gives"),
            advantage,
        )
    return found


def transmission_angles(model: "Model", system: System, motion: Motion, asked: Iterable[str]) -> Variables:
    """`transmission_angle.JOINT` (k,) in rad of each joint that is asked for.

    `B`: the joint, whose two bodies have one joint more each; `A:B:C`: the joint B with those two. Raises ValueError.
    """
    lines = {text: _lines(model, system, text) for text in asked}
    if not lines:
        return {}
    variables = rows_of(system, motion).variables
    found: Variables = {}
    for text, (joint, sides) in lines.items():
        u, v = (_direction(variables, joint, side) for side in sides)
        across = np.linalg.norm(np.cross(u, v), axis=1)
        along = np.abs(np.sum(u * v, axis=1))
        mu = np.arctan2(along, across) if bool(sides[0].slide) != bool(sides[1].slide) else np.arctan2(across, along)
        name = text.split(":")[1] if ":" in text else text
        found[f"transmission_angle.{name}"] = _series("rad", f"transmission angle at {joint.name}"), mu
    return found


class _Side(NamedTuple):
    """One of the two links at a joint."""

    other: JointRecord
    body: int
    slide: str  # the axis, x, y or z, along which the other joint slides; empty: it does not


def _lines(model: "Model", system: System, text: str) -> tuple[JointRecord, list[_Side]]:
    joints = {joint.name: joint for joint in system.joints}
    names = [name.strip() for name in text.split(":")]
    unknown = [name for name in names if name not in joints]
    if unknown or len(names) not in (1, 3):
        has = f"; the joints are {', '.join(joints)}"
        raise ValueError(f"a transmission angle is asked for as JOINT or FIRST:JOINT:SECOND (got '{text}'){has if unknown else ''}")
    joint = joints[names[len(names) // 2]]
    if min(joint.first, joint.second) < 0:
        raise ValueError(f"the joint {joint.name} is on the ground; a transmission angle is that of two moving links")
    given = [joints[name] for name in names[::2]] if len(names) == 3 else []
    sides = []
    for body in (joint.first, joint.second):
        choices = [other for other in (given or system.joints) if other is not joint and body in (other.first, other.second)]
        if len(choices) != 1:
            has = ", ".join(other.name for other in choices) or "none"
            raise ValueError(
                f"the transmission angle at {joint.name}: {system.bodies[body]} must have one joint more (it has {has}); "
                f"ask for FIRST:{joint.name}:SECOND"
            )
        slides = model.joints[choices[0].name].slides(system.dimension or 3)
        sides.append(_Side(choices[0], body, slides if len(slides) == 1 else ""))
    return joint, sides


def _direction(variables: Mapping[str, Floats], joint: JointRecord, side: _Side) -> Floats:
    """The unit vectors (k, 3) on a link from a joint to its other one; of one that slides, its axis."""
    R, (other, body, slide) = matrices(variables["body_orientation"]), side
    if slide:
        axis = other.second_axes[:, "xyz".index(slide)]
        d = R[:, other.second] @ axis if other.second >= 0 else np.broadcast_to(axis, (len(R), 3))
    else:
        near, far = (j.first_point if j.first == body else j.second_point for j in (joint, other))
        d = R[:, body] @ (far - near)
    length = np.linalg.norm(d, axis=1, keepdims=True)
    unit: Floats = d / np.where(length > 0.0, length, 1.0)
    return unit


def _with_rate(quantities: Quantities, model: "Model", system: System, name: str) -> tuple[Quantity, Quantity]:
    try:
        length, dot, force = name.partition(".")
        its_rate = f"force_rate.{force}" if dot and length == "force_length" else der(name)
        quantity, rate = quantities.find(name), quantities.find(its_rate)
    except (ValueError, KeyError):  # a name that only looks like one of a reaction
        quantity = rate = None
    if quantity is None or rate is None:
        from mbsim.analyses.cycle import coordinates
        from mbsim.model.file.errors import did_you_mean

        raise ValueError(f"'{name}' is no coordinate whose transfer function is known{did_you_mean(name, coordinates(model))}")
    return quantity, rate


def _shift(system: System, motion: Motion, h: Floats) -> Motion:
    """The motion h (k,) later, by its Taylor polynomial."""
    d = h[:, None] * motion.v + 0.5 * h[:, None] ** 2 * motion.a
    q = np.array([system.move(x, y) for x, y in zip(motion.q, d, strict=True)])
    return Motion(motion.times + h, q, motion.v + h[:, None] * motion.a, motion.a, motion.lam)


def _series(units: str, name: str) -> Series:
    return Series(("time",), units, name)


def _ratio(above: str, below: str) -> str:
    """`m rad-1`; "1" of a pure number."""
    if above == below:
        return "1"
    if below == f"{above}2":
        return f"{above}-1"
    power = f"{below}-1" if below and not below[-1].isdigit() else f"{below[:-1]}-{below[-1]}" if below else ""
    return " ".join(filter(None, (above, power))) or "1"
