"""Columns of what the kernels `observe` write of each output row, and of the table by which they do it (of a tree: `System.observed`)."""

KINETIC, POTENTIAL, BALANCE = 0, 1, 2  # energies, J
POSITION_RESIDUAL, VELOCITY_RESIDUAL, ACCELERATION_RESIDUAL = 3, 4, 5  # the largest entries of phi, C v + xi, C v_dot + eta
MASS_PIVOT = 6  # the smallest pivot of M over its diagonal, in the user's own coordinates; else 1, as M of bodies hardly changes
# generalised reactions of each joint: REACTION numbers from REACTIONS on (force, torque in body axes; planar: two and one)
REACTIONS, REACTION = 7, 6
FRAME = 18  # numbers of each body's row of Arrays.frames, which follow the reactions of a tree

# the table, a row a joint, absolute coordinates: first row and number of rows of C, first column in Arrays.jacobian and number of speeds of
# the body that the reaction is taken on
ROW, ROWS, COLUMN, SPEEDS = 0, 1, 2, 3
# joint coordinates, a joint of the tree: its last node, the body that the reaction is taken on, the sign (0: floats), its number of nodes
NODE, TAKEN, SIGN, NODES = 0, 1, 2, 3
# a joint that is cut: -1 in NODE, its first row, its number of rows, the side (0, 1) of the body that the reaction is taken on
CUT_ROW, CUT_ROWS, SIDE = 1, 2, 3

# the kernels `forces`. The table, a row a load: what it is on, the index of its relative coordinate or of its speed in v, where its numbers
# begin in the row and how many they are
ON, INDEX, PLACE, COUNT = 0, 1, 2, 3
ON_BODIES, ALONG_RELATIVE, ALONG_SPEED = 0, 1, 2
# of a load: its power, and the part of it that is not of a potential energy, W; along a coordinate its effort, the coordinate (of a speed:
# not filled) and its rate
LOAD_POWER, LOAD_WORK, LOAD_EFFORT, LOAD_VALUE, LOAD_RATE, EFFORTS = 0, 1, 2, 3, 4, 5
# or on bodies, from WRENCHES on, for the first and the second body: force, torque about the centre of mass in body axes (planar: two
# and one)
WRENCHES, WRENCH = 2, 6
