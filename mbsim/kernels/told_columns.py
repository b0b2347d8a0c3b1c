"""The table by which the kernel `tell` finds single numbers of an output row, and the numbers and the memory of each of its rows."""

KIND, FIRST, SECOND, THIRD = 0, 1, 2, 3  # of the table; what the last three are, the kinds say
COLUMNS = 4

TIME = 0
PARAMETER = 1  # FIRST: the parameter
ROW = 2  # FIRST: the place in the output row
OBSERVED = 3  # FIRST: the place in what `observe` writes (`observed_columns`)
POSITION = 4  # FIRST: a body, SECOND: an axis, of the point POINT
VELOCITY = 5  # likewise
SPIN = 6  # FIRST: a body, SECOND: an axis, THIRD: 1 in body axes, 0 in global ones
ANGLE = 7  # FIRST: a planar body; whole turns are counted
DIFFERENCE = 8  # FIRST less SECOND, values before this one (-1: none), less POINT
TURN = 9  # FIRST, SECOND: bodies, THIRD: an axis of FRAME and OTHER_FRAME; whole turns are counted
TURN_RATE = 10
SLIDE = 11  # likewise, of OTHER_POINT of the second body from POINT of the first
SLIDE_RATE = 12
DISTANCE = 13  # of POINT of FIRST and OTHER_POINT of SECOND
CORNER = 14  # the angle at OTHER_POINT of SECOND between the directions to POINT of FIRST and FRAME[:3] of THIRD
ROTATION = 15  # the angle of the rotation between FIRST and SECOND
KINETIC = 16  # FIRST: a body; its mass is POINT[0], its inertia FRAME
POTENTIAL = 17  # likewise; POINT[0] its mass
FORCE = 18  # FIRST: a row of REACTION numbers in `observed`, SECOND: the body on which it is taken, THIRD: an axis
TORQUE = 19  # FRAME[0]: 1 where the joint's second body is the ground; POINT: the joint's point on it
LOCAL_FORCE = 20  # likewise; OTHER_FRAME: the joint's axes on it
LOCAL_TORQUE = 21

# the numbers of a row: points in body axes, matrices by rows
POINT, OTHER_POINT, FRAME, OTHER_FRAME = 0, 3, 6, 15
NUMBERS = 24
# the memory of a row that counts turns: when it was last looked at (NaN: never), the angle and its rate then
LAST_TIME, LAST_ANGLE, LAST_RATE = 0, 1, 2
REMEMBERED = 3
COUNTS_TURNS = (ANGLE, TURN)
