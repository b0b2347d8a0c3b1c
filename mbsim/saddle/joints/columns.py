"""Columns of the table of a block elimination (`mbsim.saddle.joints.table`, `Work.plan`) and of the tables that the elimination fills.

The table has a first row of sizes, then a row for each node (a joint or a driver, whose rows of C make one block), in the order of their
elimination, for each meeting of two blocks in S = C M^-1 C', for each entry below a node, for each product of two such entries.
"""

# the first row
NODE_COUNT, MEETING_COUNT, ENTRY_COUNT, PRODUCT_COUNT = 0, 1, 2, 3
BODY_SPEEDS = 4  # speeds of a body: 3 planar, 6 spatial; 0: the system has no blocks
EQUATIONS, FIRST_EQUATION = 5, 6  # rows of the user's equations, the last node; the first of them in C
FILLS = 7  # entries where S has no block of its own
# a node
FIRST, SIZE = 0, 1  # its first row of C, its number of rows
BLOCK = 2  # place of its diagonal block in S
BELOW, PRODUCTS = 3, 4  # entries below it, products when it is eliminated
BODIES = 5  # (2) its bodies; n_b: the ground
PIN = 7  # 1: two points of planar bodies held together
# a meeting, S += Y_a Y_b'
ROW_A, SIZE_A, SIDE_A, ROW_B, SIZE_B, SIDE_B = 0, 1, 2, 3, 4, 5  # first row, rows and side (0, 1: body of the node) of a; of b
MEETING_PLACE, MEETING_LATER = 6, 7  # place of the block in S; 1: not the first meeting in this block
# an entry below a node: the block of S between the node and a later one
PLACE, ENTRY_SIZE, ENTRY_ROW, ENTRY_DIAGONAL = 0, 1, 2, 3  # its place; rows, first row of C and diagonal block of the later node
FILLED = 4  # numbers in the block where it fills in, else 0
SIDES = 5  # (2) side of the later node that has the first, the second body of the node; -1: none
BOTH_PINS = 7  # 1: two pins with one body in common
# a product, block -= X_a X_b'
PLACE_A, ROWS_A, PLACE_B, ROWS_B, TARGET, ON_DIAGONAL = 0, 1, 2, 3, 4, 5  # place and rows of a, of b; place of the block; 1: a diagonal one
COLUMNS = 8

# Arrays.masses, a row a body: kg; about the centre of mass in body axes, kg m2 (9 by rows; planar: 1)
BODY_MASS, BODY_INERTIA = 0, 1
# W, M^-1 = W W', a row a body: of each translation (3), of the rotation (3 x 3 by rows, upper triangular); planar: of x, y and the angle
ROOT, ROOT_ROTATION, ROOTS = 0, 3, 12
# `bodies` of `planar.py`, a row a planar body: the diagonal of M^-1 (3), the acceleration (3), of x, y and the angle
INVERSE_MASS, INVERSE_X, INVERSE_Y, INVERSE_ANGLE = 0, 0, 1, 2
ACCELERATION, ACCELERATION_X, ACCELERATION_Y, ACCELERATION_ANGLE = 3, 3, 4, 5
PLANAR_BODY = 6
# a planar row of Arrays.jacobian: the angle of the first body; where the second body begins, and its angle
ANGLE, SECOND, SECOND_ANGLE = 2, 3, 5
