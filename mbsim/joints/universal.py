"""Universal joint (Hooke's, Cardan): the points coincide; the first axis, fixed in the first body, stays perpendicular to the second.

Seen from the first body the second axis turns about the first one by `angle1`; seen from the second, the first axis turns about the second
one backwards by `angle2`. So each is the angle of a plain hinge between two frames, and its rate that of omega_j - omega_i along its axis,
since the other axis is perpendicular to it.
"""

from mbsim.elements.primitives import perpendicular, point, turn
from mbsim.joints._table import CrossedJoint, Seat
from mbsim.kernels.primitives import turning
from mbsim.model.rotations import cross


class Universal(CrossedJoint):
    """Two perpendicular hinges in one point; `axes` are the first body's and the second body's, global at the start.

    Coordinates: `angle1` about the first axis and `angle2` about the second, of the second body against the first, zero as drawn.
    """

    SYMBOL = "cross"
    SUGGESTED = "usual"
    ROWS = {3: [point(), perpendicular("z", "z")]}
    DRIVES = {"angle1": {3: turn()}, "angle2": {3: turn()}}
    MOTIONS = {3: [turning("angle1"), turning("angle2", frame=1)]}

    def seat(self, coordinate: str, dimension: int, of_speed: bool = False) -> Seat:
        """A frame about the axis, its x along the other one; from the body that keeps the axis, for a speed to it."""
        first, second = self.axes
        z, x = (first, second) if coordinate == "angle1" else (second, first)
        back = (coordinate == "angle2") != of_speed
        if back:  # seen from the other body it turns the other way
            z = [-c for c in z]
        frame = [x, cross(z, x), z]
        return Seat((frame, frame), back)
