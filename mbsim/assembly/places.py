"""Places and velocities of named points in equations of bodies: `rod.B.y` in terms of the states of the body, which are differentiated."""

from mbsim.assembly.builder import Builder
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.fields import Point
from mbsim.model.names import GROUND

# The place and the velocity along the global axis k of a point (X, Y, Z) in the axes of body b.
_SPACE = (
    "{b}.{k} + axis({b}, x).{k}*X + axis({b}, y).{k}*Y + axis({b}, z).{k}*Z",
    "der({b}.{k}) + axis({b}, x).{k}*({b}.omega.y*Z - {b}.omega.z*Y) + axis({b}, y).{k}*({b}.omega.z*X - {b}.omega.x*Z)"
    " + axis({b}, z).{k}*({b}.omega.x*Y - {b}.omega.y*X)",
)
_PLANE = (
    "{b}.{k} + axis({b}, x).{k}*X + axis({b}, y).{k}*Y",
    "der({b}.{k}) + der({b}.angle)*(axis({b}, y).{k}*X - axis({b}, x).{k}*Y)",
)


def with_places(builder: Builder, constraint: str, equation: Expression) -> Expression:
    """The equation of a constraint with the names of points written out; where they are on their bodies stands behind the parameters."""
    model, found = builder.model, dict[str, Expression]()
    builder.acting = constraint
    for name in sorted(equation.names):
        is_rate = name.startswith("der(")
        body, *inner = (name[4:-1] if is_rate else name).split(".")
        if len(inner) != 2:
            continue
        if body == GROUND and inner[0] in model.ground.points:
            found[name] = parse(0.0 if is_rate else _number(builder, name, model.ground.points[inner[0]]["xyz".index(inner[1])]))
        elif body in model.bodies and inner[0] in model.bodies[body].points:
            found[name] = _written_out(builder, body, inner[0], inner[1], is_rate)
    return substitute(equation, found)


def _written_out(builder: Builder, body: str, point: str, axis: str, is_rate: bool) -> Expression:
    planar = builder.reference.planar
    text = (_PLANE if planar else _SPACE)[is_rate].format(b=body, k=axis)
    at, numbers = builder.place(Point(body, point), None)[1], dict[str, Expression]()
    for letter, value in zip("XYZ"[: builder.dimension], at, strict=False):
        numbers[letter] = parse(_number(builder, f"{body}.{point}.{letter}", value))
    return substitute(parse(text, planar=planar), numbers)


def _number(builder: Builder, name: str, value: float) -> str:
    """The name of a constant of the constraint; it is kept once."""
    own = builder.own_name(name)
    return own if own in builder.laws.parameters else builder.number(name, value)
