"""Words that users know from elsewhere for states and constants, and what these are called here. They are suggested, and not understood."""

import re
from collections.abc import Collection

_CONSTANTS = {"PI": "pi", "Pi": "pi"}
_TURNING = ("der({}.angle)", "{}.omega.z")
_SLIDING = ("der({}.displacement)", "der({}.x)")
# What stands behind the point of a name -> what is suggested, the first that the model has; {} is what stands before the point.
_BEHIND = {
    **dict.fromkeys(("omega", "w", "angular_velocity", "angular_speed", "omega.z", "theta_dot", "angle_dot"), _TURNING),
    **dict.fromkeys(("theta", "phi", "rotation", "orientation"), ("{}.angle",)),
    **dict.fromkeys(("velocity", "speed", "v"), _SLIDING),
    **dict.fromkeys(("rate",), (*_TURNING[:1], *_SLIDING[:1])),
    **dict.fromkeys(("position", "translation"), ("{}.displacement", "{}.x")),
    **{f"{word}{axis}": (f"der({{}}.{axis})",) for axis in "xyz" for word in ("v", "velocity.", "velocity_", "speed_", "d")},
    **{f"{axis}{word}": (f"der({{}}.{axis})",) for axis in "xyz" for word in ("dot", "_dot")},
    **{f"{word}{axis}": (f"{{}}.{axis}",) for axis in "xyz" for word in ("p", "position.", "position_", "pos_")},
}
_SOLVED = re.compile(r"joint_(force|torque)(_local)?|beam_(force|moment)|multiplier|driver_effort")
_RECORDED = re.compile(
    rf"{_SOLVED.pattern}|force_(effort|power|loss|length|rate|vector|torque)|beam_\w+|energy_(kinetic|potential|work|balance)"
    r"|controller_(target|error|saturation)"
)


def spelled(name: str) -> str:
    """A name of what is recorded as files write it: `beam_moment.boom.e3.z` is of the element `boom[3]`."""
    return re.sub(r"\.e0*(\d+)\b", r"[\1]", name) if name.startswith("beam_") else name


def usual_word(name: str, known: Collection[str]) -> str:
    """`; did you mean 'der(rod.angle)'?` of `rod.omega` where the `known` names have that; else nothing."""
    if name in _CONSTANTS:
        return f"; did you mean '{_CONSTANTS[name]}'?"
    what, _, word = name.partition(".")
    for form in _BEHIND.get(word, ()):
        if form.format(what) in known:
            return f"; did you mean '{form.format(what)}'?"
    if word in ("angular_velocity.x", "angular_velocity.y", "angular_velocity.z") and f"{what}.omega.{word[-1]}" in known:
        return f"; did you mean 'angular_velocity({what}).{word[-1]}'?"
    if _RECORDED.fullmatch(what) and not any(other.startswith(f"{what}.") for other in known):
        who = "measures and the `when` of events read" if _SOLVED.fullmatch(what) else "measures read"
        return f": it is found from what a run records, so that {who} it"
    return ""
