"""Columns of the tables of the eliminations (`joints/table.py`, `bodies/table.py`), a line of eight integers each, and of what they fill.

A table is a head and sections. Two lines of the head say how many lines each section has, two where it begins, one holds facts. The first
three sections are those of every elimination: groups of unknowns in their order, for each group the later ones that it is coupled to, and
the products when it is eliminated. `lines.py` reads the head, `layout.py` makes a table.
"""

WIDTH = 8
COUNTS, BEGINS, FACTS, HEADS = 0, 2, 4, 5  # lines of the head: of section k the number k % WIDTH of line COUNTS + k // WIDTH; their number
SPEEDS = 0  # a fact: speeds of a body, 3 planar, 6 spatial; 0: there is no elimination

GROUPS, ENTRIES, PRODUCTS = 0, 1, 2
# a group: place of its unknowns, their number, place of the diagonal block, entries below it, products when it is eliminated
FIRST, SIZE, DIAGONAL, BELOW, UPDATES = 0, 1, 2, 3, 4
# an entry: the first unknown of the later group, how many of them are coupled to this one, place of the block (later, group)
LATER_FIRST, LATER_SIZE, LEFT = 0, 1, 2
# a product: place and rows of (a, group), place and columns of (group, c), place of (a, c)
FROM_LEFT, LEFT_ROWS, FROM_RIGHT, RIGHT_COLUMNS, TARGET = 0, 1, 2, 3, 4

# By joints: a group is a joint, a driver, or all equations of the user's, the last. The matrix is symmetric
MEETINGS = 3  # a section: where two groups share a body
EQUATIONS, FIRST_EQUATION, FILLS = 1, 2, 3  # facts: rows of the equations; the first of them in C; entries where S has no block of its own
BODIES, PIN = 5, 7  # of a group: its two bodies, n_b: the ground; 1: two points of planar bodies held together
LATER_DIAGONAL = 3  # of an entry: the diagonal block of the later group
FILLED = 4  # numbers in the block where it fills in, else 0
SIDES = 5  # (2) side of the later group that has the first, the second body of the group; -1: none
BOTH_PINS = 7  # 1: two pins with one body in common
ON_DIAGONAL = 5  # of a product: 1 where a is c
# a meeting, S += Y_a Y_b': first row, rows and side (0, 1: body of the group) of a; of b; place in S; 1: not the first one in this block
ROW_A, SIZE_A, SIDE_A, ROW_B, SIZE_B, SIDE_B, MEETING_PLACE, MEETING_LATER = 0, 1, 2, 3, 4, 5, 6, 7

# By bodies: the unknowns are the bodies' speeds, the multipliers, the user's states and the laws that read the state of the system: a law
# is an unknown of its own, so that a load that follows it is coupled to what it reads. A group is a body with the rows of the joint that
# holds it to the body before it, or rows that close a loop, or one state or law
OUTER, BODY = 5, 6  # of a group: unknowns seen by groups before it, its body (-1: none)
RIGHT = 3  # of an entry: place of (group, later)
STRIDE = 5  # of a product: what is from row to row in (a, c)
# Sections: rows of C, pairs of bodies of elements, loads of relative coordinates, what laws and rates read, loads that follow laws, states
# and laws, rows that may touch more than two bodies, how these change, couplings of relative coordinates, and which unknown of [speeds;
# multipliers; states; laws] stands where in the order of the elimination
ROWS, PAIRS, LOADS, READS, PUSHES, EXTRAS, WIDE, CURVES, TIES, SLOTS = 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
# a row, of the first and of the second body: place of the row's block (-1: the ground), of its transpose, from row to row of that
ROW_PLACE, COLUMN_PLACE, COLUMN_STRIDE, SIDE = 0, 1, 2, 3  # of the first body; SIDE further on of the second; then the row's own diagonal
OWN_PLACE = 6
# a pair of bodies (i, j) of an element: places of the blocks (i, i), (i, j), (j, i), (j, j), -1: none; then what is from row to row in each
II, IJ, JI, JJ, STRIDES = 0, 1, 2, 3, 4
# the loads on a relative coordinate: its index (the pairs of these follow those of the rows' and the loads' elements), the load
COORDINATE, LOAD = 0, 1
# what a law or the rate of a state reads, in the order of their slopes: which of the five below, its index, whether it is a rate, places of
# the blocks (law, body) of its body, or of both bodies of a relative coordinate (-1: none)
WHAT, READ, OF_STATE, READ_PLACE, OTHER_PLACE = 0, 1, 2, 3, 4
READ_COORDINATE, READ_SPEED, READ_STATE, READ_VALUE, READ_RATE = 0, 1, 2, 3, 4
# a load that follows a law: the load, the law, places of the blocks (body, law) of its two bodies (-1: none) and from row to row there
PUSHED, LAW, PUSH_PLACE, PUSH_STRIDE, PUSH_SIDE = 0, 1, 2, 3, 2  # PUSH_SIDE further on of the second body
# a row that may touch more than two bodies, and one of them: the row, the body, places of the blocks (row, body) and (body, row), from row
# to row of the latter
ROW, TOUCHED, ROW_AT, COLUMN_AT, COLUMN_STEP = 0, 1, 2, 3, 4
# how such a row changes with a displacement: the row, whether it is its C v + xi that changes, the place
OF_RATE, CURVE_AT = 1, 2
# a coupling of a relative coordinate: its index, the element, which one of the coupling's it is
TIED, TIE_PLACE = 1, 2

# Arrays.masses, a row a body: kg; about the centre of mass in body axes, kg m2 (9 by rows; planar: 1)
BODY_MASS, BODY_INERTIA = 0, 1
# W, M^-1 = W W', a row a body: of each translation (3), of the rotation (3 x 3 by rows, upper triangular); planar: of x, y and the angle
ROOT, ROOT_ROTATION, ROOTS = 0, 3, 12
# `bodies` of `joints/planar.py`, a row a planar body: the diagonal of M^-1 (3), the acceleration (3), of x, y and the angle
INVERSE_MASS, INVERSE_X, INVERSE_Y, INVERSE_ANGLE = 0, 0, 1, 2
ACCELERATION, ACCELERATION_X, ACCELERATION_Y, ACCELERATION_ANGLE = 3, 3, 4, 5
PLANAR_BODY = 6
# a planar row of Arrays.jacobian: the angle of the first body; where the second body begins, and its angle
ANGLE, SECOND, SECOND_ANGLE = 2, 3, 5
