"""Functions of a body's orientation, written out in the names of its states: `yaw(car)`, `axis(wheel, y).z`, `angular_velocity(top).x`.

They are abbreviations: the parser puts the terms in their place, so that they are known, differentiated and compiled wherever the states of
bodies are. With the unit quaternion (w, x, y, z) of a body the columns of the rotation matrix to global axes are its axes. Yaw, pitch and
roll turn about z, then about the new y, then about the new x (the order of vehicles, ISO 8855): R = R_z(yaw) R_y(pitch) R_x(roll).
"""

from dataclasses import dataclass

AXES = "xyz"
_MATRIX = (
    ("1 - 2*({b}.qy^2 + {b}.qz^2)", "2*({b}.qx*{b}.qy - {b}.qw*{b}.qz)", "2*({b}.qx*{b}.qz + {b}.qw*{b}.qy)"),
    ("2*({b}.qx*{b}.qy + {b}.qw*{b}.qz)", "1 - 2*({b}.qx^2 + {b}.qz^2)", "2*({b}.qy*{b}.qz - {b}.qw*{b}.qx)"),
    ("2*({b}.qx*{b}.qz - {b}.qw*{b}.qy)", "2*({b}.qy*{b}.qz + {b}.qw*{b}.qx)", "1 - 2*({b}.qx^2 + {b}.qy^2)"),
)
_PLANE = (("cos({b}.angle)", "-sin({b}.angle)"), ("sin({b}.angle)", "cos({b}.angle)"))


@dataclass(frozen=True)
class Abbreviation:
    """What a function of a body takes, and whether it is a vector, of which a component is asked for."""

    takes: str
    count: int = 1
    vector: bool = False


ABBREVIATIONS = {
    "yaw": Abbreviation("the name of a body"),
    "pitch": Abbreviation("the name of a body"),
    "roll": Abbreviation("the name of a body"),
    "axis": Abbreviation("the name of a body and x, y or z", 2, vector=True),
    "angular_velocity": Abbreviation("the name of a body", vector=True),
}


def write_out(function: str, body: str, axis: str, component: str, planar: bool) -> str:
    """The text that an abbreviation stands for; `axis` and `component` where it takes them. Raises ValueError for what a plane has not."""
    return (_in_plane if planar else _in_space)(function, axis, component).replace("{b}", body)


def _in_space(function: str, axis: str, component: str) -> str:
    R = _MATRIX
    if function == "yaw":
        return f"atan2({R[1][0]}, {R[0][0]})"
    if function == "pitch":
        return f"atan2(-({R[2][0]}), sqrt(({R[0][0]})^2 + ({R[1][0]})^2))"
    if function == "roll":
        return f"atan2({R[2][1]}, {R[2][2]})"
    row = R[AXES.index(component)]
    if function == "axis":
        return row[AXES.index(axis)]
    return " + ".join(f"({entry})*{{b}}.omega.{part}" for entry, part in zip(row, AXES, strict=True))


def _in_plane(function: str, axis: str, component: str) -> str:
    if function == "yaw":
        return "{b}.angle"
    if function == "axis" and "z" not in (axis, component):
        return _PLANE[AXES.index(component)][AXES.index(axis)]
    if function == "angular_velocity" and component == "z":
        return "der({b}.angle)"
    raise ValueError(f"{function} is of bodies in space; in the plane there are yaw, axis in x and y, angular_velocity in z")


# The rate of a unit quaternion (w, x, y, z) from body to global axes, by the angular velocity in body axes: q (0, omega) / 2.
_QUATERNION = {
    "qw": "-0.5*({b}.qx*{b}.omega.x + {b}.qy*{b}.omega.y + {b}.qz*{b}.omega.z)",
    "qx": "0.5*({b}.qw*{b}.omega.x + {b}.qy*{b}.omega.z - {b}.qz*{b}.omega.y)",
    "qy": "0.5*({b}.qw*{b}.omega.y + {b}.qz*{b}.omega.x - {b}.qx*{b}.omega.z)",
    "qz": "0.5*({b}.qw*{b}.omega.z + {b}.qx*{b}.omega.y - {b}.qy*{b}.omega.x)",
}


def is_speed(name: str) -> bool:
    """Whether the name of a state is that of a speed."""
    return name.startswith("der(") or ".omega." in name


def rate_of_state(name: str) -> str:
    """The text of the rate of a part of a quaternion, `rod.qx`; empty of other names."""
    body, _, part = name.rpartition(".")
    return _QUATERNION[part].replace("{b}", body) if body and part in _QUATERNION else ""
