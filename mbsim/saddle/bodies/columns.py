"""Columns of the table of a block elimination of bodies with their rows (`mbsim.saddle.bodies.table`), a line of eight integers
each.

The unknowns are the bodies' speeds, the multipliers, the user's states and the laws that read the state of the system: a law is an unknown
of its own, so that a load that follows it is coupled to what it reads. A group is a body with the rows of the joint that holds it to the
body before it, or rows that close a loop, or one state or law. Lines 0 and 1 are the head. Then follow, each section where the head says:
groups, entries (a group that is eliminated later and is coupled to this one), products, rows, pairs of bodies of elements, loads of the
relative coordinates, what laws and rates of states read, loads that follow laws, the states and laws, rows that may touch more than two
bodies, how these change, couplings of relative coordinates, and which unknown of [speeds; multipliers; states; laws] stands where in the
order of the elimination.
"""

# the head
GROUPS, ENTRIES, PRODUCTS, ROWS, PAIRS, LOADS, SPEEDS, PLACES = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
)  # numbers of lines; speeds a body; numbers in the blocks
# line 1: numbers of lines; the first of the rows that may touch more than two bodies, and the one after the last
READS, PUSHES, EXTRAS, WIDE, CURVES, TIES, FIRST_WIDE, AFTER_WIDE = 0, 1, 2, 3, 4, 5, 6, 7
HEADS = 2
# a group: unknowns, of these seen by groups before it, place of the diagonal block, entries, products, place of its unknowns in the order
# of the elimination, body (-1: none)
SIZE, OUTER, DIAGONAL, BELOW, MEETINGS, FIRST, BODY = 0, 1, 2, 3, 4, 5, 6
# an entry: the first unknown of the later group, how many of them, places of the blocks (group, later) and (later, group)
LATER_FIRST, LATER_OUTER, RIGHT, LEFT = 0, 1, 2, 3
# a product: place and rows of (a, group), place and columns of (group, c), place of (a, c) and what is from row to row there
FROM_LEFT, LEFT_ROWS, FROM_RIGHT, RIGHT_COLUMNS, TARGET, STRIDE = 0, 1, 2, 3, 4, 5
# a row of C, of the first and of the second body: place of the row's block (-1: the ground), of its transpose, from row to row of that
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
# a coupling of a relative coordinate: its index, the element, whether it is the second one of the coupling
TIED, TIE_SIDE = 1, 2
WIDTH = 8
