"""Friction along a joint's coordinate that sticks: the LuGre model, in which bristles between the two parts bend before they slide.

    z_dot = x_dot - stiffness |x_dot| z / g(x_dot),   g = coulomb + (static - coulomb) exp(-(x_dot / stribeck_speed)^2)
    force = -(stiffness z + damping z_dot + viscous x_dot)

with the deflection z of the bristles, a state `force.deflection`. Canudas de Wit, Olsson, Astrom & Lischinsky, A new model for control of
systems with friction, IEEE Trans. Automatic Control 40 (1995) 419-425, eqs. 1-4. Stiff bristles vibrate quickly: with a mass m they need
steps below sqrt(m / stiffness).
"""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load, along
from mbsim.model.expressions.expression import parse
from mbsim.model.fields import JointName, NonNegativeNumber, PositiveNumber

DEFLECTION = "deflection"


class BristleFriction(BodyForce):
    """Friction of a joint that holds at rest; its work counts as work of non-conservative forces."""

    SYMBOL = "friction"
    STATES: ClassVar[tuple[str, ...]] = (DEFLECTION,)

    joint: JointName = Field(description="the joint it acts in")
    coordinate: str | None = Field(default=None, description="which of its coordinates, such as displacement; needed where it has several")
    coulomb: PositiveNumber = Field(description="friction of sliding, N along a displacement, N m about an angle")
    static: PositiveNumber | None = Field(default=None, description="friction that is overcome at rest, N or N m; `coulomb` when not given")
    stribeck_speed: PositiveNumber | None = Field(default=None, description="m/s or rad/s, with `static`: where static friction has faded")
    stiffness: PositiveNumber = Field(description="of the bristles, N/m or N m/rad")
    damping: NonNegativeNumber = Field(default=0.0, description="of the bristles, N s/m or N m s/rad")
    viscous: NonNegativeNumber = Field(default=0.0, description="N s/m or N m s/rad")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.static is None) != (self.stribeck_speed is None):
            raise ValueError("'static' and 'stribeck_speed' go together")
        if self.static is not None and self.static < self.coulomb:
            raise ValueError(f"static must not be less than coulomb (got {self.static:g} and {self.coulomb:g})")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        relative, z = geometry.relative_coordinate(self.joint, self.coordinate), geometry.own_name(DEFLECTION)
        angle = (self.coordinate or geometry.free_coordinates(self.joint)[0]).startswith("angle")
        numbers = {"coulomb": self.coulomb, "stiffness": self.stiffness, "damping": self.damping, "viscous": self.viscous}
        if self.static is not None and self.stribeck_speed is not None:
            numbers |= {"excess": self.static - self.coulomb, "stribeck": self.stribeck_speed}
        p = {name: geometry.number(name, value) for name, value in numbers.items()}
        slide = p["coulomb"] if self.static is None else f"({p['coulomb']} + {p['excess']}*exp(-(rate/{p['stribeck']})^2))"
        z_dot = f"(rate - {p['stiffness']}*abs(rate)*{z}/{slide})"
        geometry.state(DEFLECTION, parse(z_dot), 0.0, "rad" if angle else "m", ("x", relative))
        force = parse(f"{p['stiffness']}*{z} + {p['damping']}*{z_dot} + {p['viscous']}*rate")
        return along(geometry, relative, force, "x", (0.0, 0.0, 0.0))
