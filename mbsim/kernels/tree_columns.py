"""Columns of the tables of a tree, a row a node: `Arrays.tree` (integers), `tree_data` (constant) and `tree_work` (at the last evaluation).

A node is one motion of a joint; the last node of a joint carries the body (`mbsim.kernels.trees`). E is the rotation from the axes of the
parent node to those of the node, p the node's origin in the axes of the parent, m. Matrices stand by rows, spatial vectors as (angular,
linear) at the node's origin in node axes. A block begins at the column of its name; its size is in brackets.
"""

# Arrays.tree
KIND = 0  # of the motion, as in `primitives`
PARENT = 1  # parent node; -1: the ground
Q, V = 2, 3  # first coordinate, first speed
BODY = 4  # that the node carries; -1: none
JOINT = 5  # of a joint's last node: its place among the joints of the tree; -1 of the others, as the next three are 0, -1, 0
NODES = 6  # of the joint
INNER = 7  # the node of the body that is nearer to the ground; -1: the ground
SPEEDS = 8  # of all nodes of the joint
NODE_OF = 9  # in row b: the node that carries body b. The one column that does not belong to the row's node
UNKNOWNS = 10  # of the joint, forces that the constraint force algorithm looks for: as many as directions that it blocks; six with a rotor
COLUMNS = 11

# a FREE motion: position (3), global, and quaternion (4); velocity (3), global, and angular velocity (3), body axes
TURN = 3  # where the quaternion begins among its coordinates, the angular velocity among its speeds

# Arrays.tree_data
ROTATION_0, POSITION_0 = 0, 9  # E (9) and p (3) where the node's coordinates are zero
MASS, FIRST_MOMENT, INERTIA = 12, 13, 16  # of the body: kg; mass times centre (3), kg m; about the node's origin (6, symmetric), kg m2
AXES = 22  # (9) body axes in node axes: columns
CENTRE = 31  # (3) of mass, from the node's origin, node axes, m
PITCH = 34  # m/rad, of a HELICAL
SIGN = 35  # how the planar angle of the body counts the coordinate: -1, 0, 1
OFFSET = 36  # of the planar angle where the coordinates are zero, rad
BLUR = 37  # m: RANK_TOLERANCE of this length is the round-off of the coordinates in the reference configuration
ROTOR = 38  # of a rotor that turns with each of the node's speeds, beside the inertia of what it moves: kg m2; of a PRISMATIC kg
CONSTANTS = 39
RIGID_MOMENT, RIGID_INERTIA, RIGID = 1, 4, 10  # places in the inertia of a rigid body, which is ten numbers from its mass on

# Arrays.tree_work
ROTATION, POSITION = 0, 9  # E (9) and p (3)
VELOCITY = 12  # (6) rad/s, m/s
EXTERNAL = 18  # (6) wrench of the loads on the body: N m, N
ATTITUDE, ORIGIN = 24, 33  # node axes to global axes (9); the node's origin (3), global, m
ANGLE = 36  # of a planar tree: what the motions up to here add to the body's angle, rad
FORCE = 37  # (6) wrench through the node, from its parent: N m, N
ACCELERATION = 43  # (6) less gravity: rad/s2, m/s2
OWN = 49  # what a method keeps, from here on; two methods are never at work at once
WORK = 136

# tree_work of the articulated body algorithm. IA is [A B; B' C] with A, C symmetric (6) and B (9)
IA_A, IA_B, IA_C = OWN, OWN + 6, OWN + 15
PA, BIAS = OWN + 21, OWN + 27  # pA (6) N m, N; c (6) rad/s2, m/s2
STEPS = OWN + 33  # one block for each speed of the node, in the order in which they are eliminated
STEP_INVERSE, STEP_FORCE, STEP_SIZE = 6, 7, 8  # places in such a block, which begins with U (6): 1 / D, u; its size
STEP_ROOT = STEP_FORCE  # once the forces are used: D^-1/2

# tree_work of composite rigid bodies
COMPOSITE = OWN  # (10) inertia of the node with all that it carries
