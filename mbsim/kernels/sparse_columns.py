"""Columns of the table of a block elimination of bodies with their rows (`mbsim.methods._sparse_order`), a line of eight integers each.

The unknowns are the bodies' speeds and the multipliers. A group is a body with the rows of the joint that holds it to the body before it,
or rows that close a loop. Line 0 is the head. Then follow, each section where the head says: groups, entries (a group that is
eliminated later and is coupled to this one), products, rows, pairs of bodies of elements, loads of the relative coordinates,
and which unknown of [speeds; multipliers] stands where in the order of the elimination.
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
WIDTH = 8
