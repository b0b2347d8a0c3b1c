"""The `initial` block: start values under the names of coordinates and body states, and the names to keep."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mbsim.model.fields import AlreadyReportedError, Context, number_in
from mbsim.model.file.errors import ExpressionError, did_you_mean, shown
from mbsim.model.file.plain import Plain
from mbsim.model.names import fix_names, initial_names
from mbsim.model.rephrase import Fault

SHOWN = 4  # names in a hint


@dataclass(frozen=True, slots=True)
class Initial:
    """Start values by name (`theta`, `der(theta)`, `crank.velocity` ...), and the names that assembly must keep."""

    values: dict[str, float | list[float]] = field(default_factory=dict)
    fix: list[str] = field(default_factory=list)


def read_initial(raw: Mapping[str, Plain], context: Context) -> tuple[Initial, list[Fault]]:
    """The start values and fixed names of a model, and their problems (paths below `initial`)."""
    names = initial_names(context.dimension, context.bodies, context.coordinates)
    if context.in_joint_coordinates:
        names = {name: (name,) for name in context.joint_states}
    values: dict[str, float | list[float]] = {}
    found: list[Fault] = []
    given: dict[str, str] = {}  # scalar name -> the key that gave it
    for key, value in raw.items():
        if key == "fix":
            continue
        if key not in names:
            hint = (
                "; an orientation is given at its body"
                if key.endswith(".orientation")
                else did_you_mean(key, (name for name in names if name not in context.absent))
            )
            if context.in_joint_coordinates and key.partition(".")[0].removeprefix("der(") in context.bodies:
                there = [name for name in context.joint_states if name not in context.absent][:SHOWN]
                hint = f"; in joint coordinates the start is given by joint coordinates, such as {', '.join(there)}"
            found.append(Fault((key,), f"unknown name '{key[:60]}'{hint}", "key"))
            continue
        for scalar in names[key]:
            if scalar in given:
                found.append(Fault((key,), f"already given by '{given[scalar]}'", "key"))
                break
        given |= dict.fromkeys(names[key], key)
        size = len(names[key])
        if size == 1:
            single = number((key,), value, context, found)
            if single is not None:
                values[key] = single
        elif not isinstance(value, list) or len(value) != size:
            found.append(Fault((key,), f"expected a list of {size} numbers (got {shown(value)})"))
        else:
            several = [number((key, index), item, context, found) for index, item in enumerate(value)]
            values[key] = [one for one in several if one is not None]
    return Initial(values, _fix(raw.get("fix"), context, found)), found


def number(path: tuple[str | int, ...], value: Plain, context: Context, found: list[Fault]) -> float | None:
    """The value of a number or an expression of the parameters; None, and a problem in `found`, where it is neither."""
    try:
        return number_in(context, value)
    except AlreadyReportedError:
        return None
    except ValueError as error:
        found.append(Fault(path, str(error), "value", error.offset if isinstance(error, ExpressionError) else None))
        return None


def _fix(raw: Plain, context: Context, found: list[Fault]) -> list[str]:
    allowed = fix_names(context.dimension, context.bodies, context.coordinates)
    if context.in_joint_coordinates:
        allowed = frozenset(context.joint_states)
    if raw is None:
        return []
    if not isinstance(raw, list):
        found.append(Fault(("fix",), f"expected a list of names (got {shown(raw)})"))
        return []
    fix: dict[str, None] = {}
    for index, name in enumerate(raw):
        if not isinstance(name, str):
            found.append(Fault(("fix", index), f"expected a name (got {shown(name)})"))
        elif name not in allowed:
            there = (other for other in allowed if other not in context.absent)
            found.append(Fault(("fix", index), f"unknown name '{name[:60]}'{did_you_mean(name, there)}"))
        elif name in fix:
            found.append(Fault(("fix", index), f"'{name}' is listed twice"))
        else:
            fix[name] = None
    return list(fix)
