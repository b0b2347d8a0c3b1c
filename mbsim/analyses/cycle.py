"""A cycle: a coordinate of a mechanism with one freedom takes every value of a range, at unit rate.

The coordinate gets a driver whose law is t, in the place of a driver of the model that it makes superfluous. So the time *is* the value of
the coordinate, velocities are derivatives by it, and dead points and branches are found as for any driven mechanism.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mbsim.assembly import Assembly
from mbsim.kernels.ranks import CONSISTENT, RANK_TOLERANCE
from mbsim.model.fields import LARGEST
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.drivers import Driver
    from mbsim.model.schema import Model

COUNT = 361  # rows when no number is given
MOST = 1_000_000
NAME = "cycle"  # of the driver
GUESSES = (0.0, 1.0)  # of the value at the start; from the first one Newton finds angles near the drawing
ITERATIONS = 50
LATER = (0.37, 1.7)  # s: the mechanism without its cycle must not move by itself
LOADS = "loads that change with the time take the value of the cycled coordinate for it; efforts and reactions follow from that"


@dataclass(frozen=True)
class Cycle:
    """The values of a coordinate: `count` of them, equally spaced, from `first` to `last`."""

    coordinate: str
    first: float
    last: float
    count: int = COUNT

    @classmethod
    def of(cls, text: str, parameters: Mapping[str, float]) -> "Cycle":
        """`crank.angle=0:2*pi:361`, the number being 361 when it is not given. Raises ValueError."""
        from mbsim.model.expressions.expression import ExpressionError, evaluate, parse

        name, _, rest = text.partition("=")
        parts = rest.split(":")
        if not name.strip() or len(parts) not in (2, 3):
            raise ValueError(
                f"a cycle is COORDINATE=FIRST:LAST or COORDINATE=FIRST:LAST:ROWS, such as crank.angle=0:2*pi:361 (got '{text}')"
            )
        values = []
        for part in parts:
            try:
                values.append(evaluate(parse(part.strip()), parameters))
            except (ExpressionError, KeyError, ArithmeticError) as error:
                raise ValueError(f"the cycle '{text}': '{part.strip()}': {error}") from None
        first, last = values[:2]
        count = values[2] if len(parts) == 3 else COUNT
        if first == last or not np.isfinite([first, last]).all():
            raise ValueError(f"the cycle '{text}' has no range: first and last value must differ")
        if max(abs(first), abs(last)) > LARGEST:
            raise ValueError(f"the cycle '{text}': first and last value must not be greater than {LARGEST:g} in size")
        if count != round(count) or not 2 <= count <= MOST:
            raise ValueError(f"the cycle '{text}': the number of rows must be an integer from 2 to {MOST} (got {count:g})")
        try:
            coordinate = parse(name.strip()).text
        except ExpressionError as error:
            raise ValueError(f"the cycle '{text}': {error}") from None
        return cls(coordinate.strip(), first, last, round(count))

    def values(self) -> Floats:
        """(count,)"""
        return np.linspace(self.first, self.last, self.count)


@dataclass(frozen=True)
class Cycled:
    """A mechanism whose coordinate is the time, at its place in the model's start."""

    made: Assembly
    model: "Model"  # with the driver
    unit: str  # of the coordinate: rad or m


def add_cycle(model: "Model", cycle: Cycle) -> Cycled:
    """The model with the cycle as a driver. Raises ModelError for the model, ValueError where the coordinate cannot be cycled."""
    from mbsim.assembly import assemble
    from mbsim.assembly.bodies import Bodies
    from mbsim.assembly.generalized import Generalized
    from mbsim.model.drivers import Driver
    from mbsim.model.expressions.expression import parse
    from mbsim.model.file.errors import ModelError
    from mbsim.observe.measures import Measures

    choices = coordinates(model)
    if cycle.coordinate not in choices:
        from mbsim.model.file.errors import did_you_mean

        raise ValueError(f"the model has no coordinate '{cycle.coordinate}' to cycle{did_you_mean(cycle.coordinate, choices)}")
    taken = _find_replaced(model.drivers, cycle.coordinate)
    rest = {name: driver for name, driver in model.drivers.items() if name != taken}
    still = replace(model, drivers=rest, measures={})
    made = assemble(still)
    _require_still(made, rest)
    driver = Driver.model_construct(coordinate=cycle.coordinate, value=parse("t"))
    name = taken or next(n for k in range(99) if (n := NAME + "_" * k) not in {*model.drivers, *model.joints, *model.bodies})
    driven = replace(still, drivers={**rest, name: driver}, measures=model.measures)
    try:
        system = (Generalized(driven) if driven.coordinates else Bodies(driven)).system()
    except ModelError as error:
        raise ValueError(f"{cycle.coordinate} cannot be cycled: {error.problems[0].message}") from None
    record = next(record for record in system.drivers if record.name == name)
    start = _value(system, record.row, made.q)
    _require_moving(system, record.row, start, made.q, cycle.coordinate, rest)
    notes = [f"time is the value of {cycle.coordinate}, which moves at the rate 1"]
    notes += [f"the cycle takes the place of the driver {taken}"] if taken else []
    notes += [LOADS] * _loads_change(system, start, made.q)
    turned = replace(made, system=system, start=start, measures=Measures.of(driven, system), notes=(*made.notes, *notes))
    return Cycled(turned, driven, _unit(system, cycle.coordinate, record.unit))


def coordinates(model: "Model") -> list[str]:
    """The coordinates of a model that a cycle may name: of bodies, of joints, of the user's own."""
    if model.coordinates:
        return list(model.coordinates)
    from mbsim.model.names import state_names

    dimension = model.dimension or 3
    of_bodies = [name for name in sorted(state_names(dimension, model.bodies, ())) if "(" not in name and "omega" not in name]
    of_joints = [f"{name}.{part}" for name, joint in model.joints.items() if name not in model.bodies for part in joint.driven(dimension)]
    return [*(name for name in of_bodies if name.rpartition(".")[2] not in ("qw", "qx", "qy", "qz")), *of_joints]


def _find_replaced(drivers: "Mapping[str, Driver]", coordinate: str) -> str:
    """The driver that the cycle takes the place of: that of the same coordinate, else the only one that moves; or none."""
    thing, dot, part = coordinate.partition(".")
    for name, driver in drivers.items():
        if any(of == thing and (not dot or its in (part, None)) for of, its in driver.targets()):
            return name
    moving = [name for name, driver in drivers.items() if _moves(driver)]
    return moving[0] if len(moving) == 1 else ""


def _moves(driver: "Driver") -> bool:
    from mbsim.model.expressions.parsed import Name, walk

    return any(isinstance(node, Name) and node.name == "t" for _, law in driver.laws() for node in walk(law.tree))


def _require_still(made: Assembly, drivers: "Mapping[str, Driver]") -> None:
    """Raise ValueError where something else than the cycle moves with t."""
    moving = [name for name, driver in drivers.items() if _moves(driver)]
    if not moving:
        system = made.system
        changes = np.max([np.abs(system.phi(made.start + t, made.q) - system.phi(made.start, made.q)) for t in LATER], axis=0)
        moving = [system.rows[k] for k in np.flatnonzero(changes > 1e-9)]
    if moving:
        raise ValueError(f"{', '.join(moving)} move with the time; in a cycle nothing moves but the cycled coordinate")


def _loads_change(system: System, t: float, q: Floats) -> bool:
    """Whether loads change with the time while nothing moves."""
    still = np.zeros(system.n_v)
    h = [system.h(t + later, q, still) for later in (0.0, *LATER)]
    return bool(max(np.abs(x - h[0]).max(initial=0.0) for x in h) > 1e-12 * (1.0 + np.abs(h[0]).max(initial=0.0)))


def _value(system: System, row: int, q: Floats) -> float:
    """The value of the cycled coordinate at q: the t at which its row holds."""
    for guess in GUESSES:
        t = guess
        for _ in range(ITERATIONS):
            slope = system.xi(t, q)[row]
            if slope == 0.0:
                break
            change = system.phi(t, q)[row] / slope
            t -= change
            if abs(change) <= 1e-14 * max(1.0, abs(t)):
                return float(t)
        if abs(system.phi(t, q)[row]) <= 1e-11:
            return float(t)
    raise ValueError("the value of the cycled coordinate at the start is not known")


def _require_moving(system: System, row: int, t: float, q: Floats, name: str, drivers: "Mapping[str, Driver]") -> None:
    """Raise ValueError where the rest of the mechanism holds the coordinate wherever it is, not in a dead point only."""
    C, xi = system.C(t, q), system.xi(t, q)
    if np.linalg.matrix_rank(np.delete(C, row, axis=0), RANK_TOLERANCE * np.linalg.norm(C, axis=1).max()) >= system.n_v:
        held = f"the drivers {', '.join(drivers)} hold it" if drivers else "the joints hold it"
        raise ValueError(f"{name} cannot be cycled: {held}")
    if np.abs(C @ np.linalg.lstsq(C, -xi, rcond=RANK_TOLERANCE)[0] + xi).max() > CONSISTENT:
        where = "draw the mechanism elsewhere, or say in `initial` where it starts"
        raise ValueError(f"{name} cannot be cycled: the start is a dead point, from which it cannot move; {where}")


def _unit(system: System, name: str, effort: str) -> str:
    """rad or m; of the user's own coordinates what they are said to be."""
    if name in system.coordinates:
        return system.coordinate_units[system.coordinates.index(name)]
    return "rad" if effort == "N m" else "m"
