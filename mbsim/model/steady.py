"""The `steady` block: the speeds of a steady motion under their names, each a number or an expression of the parameters."""

from collections.abc import Mapping

from mbsim.model.expressions.poses import is_speed
from mbsim.model.fields import Context
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.plain import Plain
from mbsim.model.initial import number
from mbsim.model.names import der
from mbsim.model.rephrase import Fault


def read_steady(raw: Mapping[str, Plain], context: Context) -> tuple[dict[str, float], list[Fault]]:
    """The speeds of a steady motion (m/s, rad/s) by name, and their problems (paths below `steady`).

    In joint coordinates the assembly finds which of the speeds exist.
    """
    of_joints = frozenset() if context.in_joint_coordinates else context.relative_names
    speeds = frozenset(name for name in context.state_names | of_joints if is_speed(name))
    values: dict[str, float] = {}
    found: list[Fault] = []
    for name, value in raw.items():
        if name not in speeds:
            found.append(Fault((name,), _unknown(name, speeds, context), "key"))
        elif (speed := number((name,), value, context, found)) is not None:
            values[name] = speed
    return values, found


def _unknown(name: str, speeds: frozenset[str], context: Context) -> str:
    if der(name) in speeds:
        return f"'{name[:60]}' is no speed; its speed is {der(name)}"
    return f"unknown speed '{name[:60]}'{did_you_mean(name, speeds)}"
