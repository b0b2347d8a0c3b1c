"""Words that users know from elsewhere for states and constants, and what these are called here. They are suggested, and not understood."""

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
    return ""
