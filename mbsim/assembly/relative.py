"""Relative coordinates: scalars between two bodies (a distance, a displacement along an axis, an angle about one) or coordinates of a tree.

Loads act along them and laws of forces read them by name. Each is made when it is first asked for.
"""

from collections.abc import Sequence

import numpy as np

from mbsim.assembly.records import RelativeCoordinate
from mbsim.assembly.reference import GLOBAL, Frames, ReferenceConfiguration
from mbsim.constraints._table import Place
from mbsim.elements.kinds import ABOUT, ALONG, IN_PLANE, LENGTH, RELATIVE_EFFORT, STATE
from mbsim.elements.primitives import Primitive, angle, distance
from mbsim.forces._table import Load


class RelativeCoordinates:
    """Those that were asked for; `named` is filled with the indices of those that laws of forces may read, such as O.angle."""

    def __init__(self, reference: ReferenceConfiguration, named: dict[str, int]) -> None:
        self.reference = reference
        self.named = named
        self.lines: list[RelativeCoordinate] = []

    def of_joint(self, joint: str, coordinate: str | None) -> int:
        """Index of a joint's coordinate (None: its only one) between its bodies. Raises ValueError where it has none of that name."""
        reference = self.reference
        block = reference.joints[joint]
        choices = block.driven(reference.dimension)
        if coordinate is None and len(choices) == 1:
            coordinate = choices[0]
        if coordinate is None or coordinate not in choices:
            what = f"no coordinate '{coordinate}'" if coordinate else "not one single coordinate"
            found = f"; give `coordinate`: {', '.join(choices)}" if choices else ""
            raise ValueError(f"joint {joint} ({block.type}) has {what}{found}")
        name = f"{joint}.{coordinate}"
        if name not in self.named:
            primitive = block.DRIVES[coordinate][reference.dimension]
            kind = ALONG if primitive.kind == IN_PLANE else ABOUT
            self.named[name] = self._between(kind, primitive, *reference.seat(block, coordinate))
        return self.named[name]

    def of_state(self, name: str, coordinate: int, speed: int) -> int:
        """Index of a coordinate of a tree, at these places in q and v."""
        if name not in self.named:
            ground = self.reference.ground
            self.named[name] = self._add(RelativeCoordinate(STATE, ground, ground, coordinate, speed))
        return self.named[name]

    def distance(self, first: Place, second: Place) -> int:
        """Index of the distance of two points, m."""
        return self._between(LENGTH, distance(), first, second, GLOBAL)

    def row(self, name: str, kind: int, primitive: Primitive, first: Place, second: Place, frames: Frames) -> int:
        """Index of what a row of this primitive keeps, of a relative kind, under a name that laws read; made once a name."""
        if name in self.named:
            return self.named[name]
        self.named[name] = self._between(kind, primitive, first, second, frames)
        return self.named[name]

    def line(self, name: str, line: RelativeCoordinate) -> int:
        """Index of this one, under a name that laws read; made once a name."""
        if name not in self.named:
            self.named[name] = self._add(line)
        return self.named[name]

    def add(self, line: RelativeCoordinate) -> int:
        """Index of this one, which no law reads."""
        return self._add(line)

    def angle(self, first: int, second: int) -> int:
        """Index of the angle of the second planar body against the first, rad; 0 in the reference configuration."""
        return self._between(ABOUT, angle(), (first, [0.0] * 3), (second, [0.0] * 3), GLOBAL)

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """A load along a joint's coordinate between its bodies. Raises ValueError as `of_joint`."""
        ground = self.reference.ground
        return Load(RELATIVE_EFFORT, ground, ground, law, [float(self.of_joint(joint, coordinate)), 1.0, 0.0, *constants, 0.0, 0.0, 0.0])

    def displacement(self, index: int) -> float:
        """The value in the reference configuration of one that is a displacement along an axis, m."""
        line, reference = self.lines[index], self.reference
        d = reference.dimension
        s_i, s_j, axis = (np.array([*line.data[k * d : (k + 1) * d], 0.0][:3]) for k in range(3))
        apart = reference.position((line.second, s_j)) - reference.position((line.first, s_i))
        return float(reference.rotations[line.first] @ axis @ apart)

    def _between(self, kind: int, primitive: Primitive, first: Place, second: Place, frames: Frames) -> int:
        reference = self.reference
        data = reference.geometry(primitive, first, second, frames)
        data += [0.0] * (24 - len(data))
        i, j = first[0], second[0]
        if kind == ABOUT and not reference.planar:  # the joint's axes in both bodies, with one sign: they are parallel here
            data[16:24] = np.concatenate(reference.axes_in_bodies(i, j, frames))
        return self._add(RelativeCoordinate(kind, i, j, data=data))

    def _add(self, line: RelativeCoordinate) -> int:
        self.lines.append(line)
        return len(self.lines) - 1
