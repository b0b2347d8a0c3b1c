"""Steady motions in absolute coordinates whose given speeds are those of joints: `der(O.angle)` is no speed of the system there.

For the steady motion alone the model gets a driver of each such speed: its row is one of the equations, and its multiplier the effort that
keeps the speed. What runs, or is linearised, is the model without them.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from mbsim.assembly.assembled import Assembly, Held

if TYPE_CHECKING:
    from mbsim.model.schema import Model
    from mbsim.system.system import System

DRIVER = "steady_{}"  # name of the driver of a joint's speed
MET = 1e-7  # of a speed: what that of a driver may differ from the one given


def rows_of(system: "System", drivers: Mapping[str, str]) -> dict[str, int]:
    """Speed -> the row of its driver."""
    rows = {record.name: record.row for record in system.drivers}
    return {speed: rows[name] for speed, name in drivers.items()}


def joint_speeds(model: "Model", names: Collection[str]) -> list[str]:
    """Those of the `names` that are speeds of joints between bodies in absolute coordinates."""
    if model.coordinates or model.in_joint_coordinates:
        return []
    dimension = model.dimension or 3
    joints = {name: block for name, block in model.joints.items() if name not in model.bodies}
    known = {f"der({name}.{part})" for name, joint in joints.items() for part in joint.driven(dimension)}
    return [name for name in names if name in known]


def hold_speeds(model: "Model", assemble: "Callable[[Model], Assembly]", steady: Mapping[str, float], keep: Collection[str] = ()) -> Held:
    """The model with drivers of those speeds in `steady` that are joints'. Raises ValueError for one that cannot be driven.

    A driver of the model that moves the same coordinate bears the speed if it is to `keep`; else the driver of the speed takes its place.
    """
    from mbsim.model.drivers import Driver
    from mbsim.model.expressions.expression import parse
    from mbsim.model.file.errors import ModelError

    drivers, named, borne = dict(model.drivers), dict[str, str](), dict[str, str]()
    for speed in joint_speeds(model, steady):
        joint, _, coordinate = speed.removeprefix("der(").removesuffix(")").partition(".")
        same = [name for name, d in model.drivers.items() if d.locked and {(joint, coordinate), (joint, None)} & {*d.targets()}]
        if same and {"all", same[0]} & {*keep}:
            borne[speed] = same[0]
            continue
        name = same[0] if same else DRIVER.format(joint)
        while not same and name in {*drivers, *model.joints, *model.bodies, *model.forces, *model.constraints}:
            name += "_"
        drivers[name] = Driver.model_construct(coordinate=speed, value=parse(repr(float(steady[speed]))))
        named[speed] = name
    simulation = model.simulation.model_copy(update={"start_from": "model"})
    try:
        made = assemble(replace(model, drivers=drivers, steady={}, simulation=simulation))
    except ModelError as error:
        first = error.problems[0]
        speed = next((speed for speed, name in named.items() if f"drivers.{name}" in first.path), next(iter(named)))
        raise ValueError(f"{speed} cannot be given: {first.message}") from None
    for speed, name in borne.items():
        row = rows_of(made.system, {speed: name})[speed]
        rate = -float(made.system.xi(made.start, made.q)[row])
        if abs(rate - steady[speed]) > MET * max(1.0, abs(rate)):
            raise ValueError(f"{speed} is {rate:.6g} by the driver {name}, which is kept, and not {steady[speed]:.6g}")
    return Held(made, named, borne)
