"""Columns of `Arrays.frames`, a row a body and the last one for the ground: the bodies' poses and velocities at the last evaluation.

Global axes, m, m/s, rad, rad/s. A planar body has the first group, a spatial one the second.
"""

COLUMNS = 22  # of the array
# planar: position (2), cosine and sine of the angle, the angle, velocity (2), angular velocity
PLANE_POSITION, PLANE_COS, PLANE_SIN, PLANE_ANGLE, PLANE_VELOCITY, PLANE_SPIN = 0, 2, 3, 4, 5, 7
# spatial: position (3), body axes to global axes by rows (9), velocity (3), angular velocity in body axes (3), quaternion (4), which a tree
# has only where a TWIST asks for it
SPACE_POSITION, SPACE_ATTITUDE, SPACE_VELOCITY, SPACE_SPIN, SPACE_QUATERNION = 0, 3, 12, 15, 18
