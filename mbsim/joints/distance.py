"""Distance joint: two points stay a fixed length apart, as if a massless rod with ball ends joined them."""

from pydantic import Field

from mbsim.joints._table import TableJoint
from mbsim.kernels.primitives import Primitive, distance
from mbsim.model.fields import PositiveNumber


class Distance(TableJoint):
    """A massless rod between a point of each body."""

    ROWS = {2: [distance()], 3: [distance()]}

    length: PositiveNumber | None = Field(default=None, description="m; the distance of the two points in the file when not given")

    def rows(self, dimension: int) -> list[Primitive]:
        return [distance(self.length or 0.0)]
