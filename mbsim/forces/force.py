"""Force on a body: a vector in global axes, constant or an expression of time and state, at the centre of mass or another point."""

from pydantic import Field

from mbsim.forces._table import Geometry, Load
from mbsim.kernels.primitives import FORCE
from mbsim.model.fields import PointRef, Vector, VectorLaw
from mbsim.model.leaves import Force as ForceBlock


class Force(ForceBlock):
    """A force (N); its work counts as work of non-conservative forces."""

    body: PointRef = Field(description="the body it acts on, at its centre of mass, or a point of it such as rod.B")
    at: Vector | None = Field(default=None, description="point of application, global at the start; it stays fixed in the body")
    value: VectorLaw = Field(description="components in global axes, N")

    def loads(self, geometry: Geometry) -> list[Load]:
        body, point = geometry.place(self.body, self.at)
        law, constants = geometry.law(self.value)
        return [Load(FORCE, body, body, law, [*point, *constants, 0.0, 0.0, 0.0])]
