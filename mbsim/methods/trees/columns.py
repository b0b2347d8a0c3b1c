"""Columns of the tables of the constraint force algorithm on a tree, which its methods allocate. Paper: Liu, Hu & Zhang 2016.

Matrices stand by rows; spatial vectors are (angular, linear) in the axes of the body's node, at its origin. A joint has up to six rows in
each of its tables: as many as directions that it blocks. A block begins at the column of its name; its size is in brackets.
"""

# `store`, a row a node that carries a body
INVERSE = 0  # (6 x 6) I^-1
PSI = 36  # (6 x 6) acceleration of the body for a force on it, with what hangs on it so far
Z, L, PIVOTS = 72, 108, 144  # (6 x 6) Z; (6 x 6) L; (6) 1 / D, of what the joint's unknowns were eliminated with
ZETA = 150  # (6) z; then the unknowns s
GAMMA = 156  # (6) acceleration of the body without a force on it, with what hangs on it so far
DRIVEN = 162  # (6) T (tau - b); in the dense forms then F = T (tau - b) + W s
RESULTANT = 168  # (6) G: F less those of the outer joints
MOTION = 174  # (6) V: acceleration of the body
STORE = 180
ROWS, MOVED = Z, L  # in the dense forms instead: W' X (6 x 6), W' X I_p^-1 (6 x 6)

# `joints`, a row a joint at its last node: E (9) and p (3) over all its nodes at ROTATION and POSITION, as in Arrays.tree_work
BLOCKED = 12  # (6 x 6) W'
FREED = 48  # (3 x 6) S'
COMPLIANCE = 66  # (6) of the rows of W': 1 / rotor of those that a rotor adds, else 0
LENT = 72  # (6) likewise, (tau - b) / rotor
JOINTS = 78

# `scratch`, a row each: X Psi (6 x 6), the A of a joint (6 x 6), R (6), Phi (6 x 6; of a joint whose S is a unit vector one row)
OF_X, OF_A, OF_R, OF_PHI, SCRATCH = 0, 1, 2, 3, 4

# `chains`, a row a joint of a chain: its equations with those of its neighbours
BLOCK = 0  # (6 x 6) A
NEXT = 36  # (6 x 6) B, to the outer neighbour
ENDS, ENDS_ROW, ENDS_OUTER = 72, 12, 6  # (6 x 12) D: to the node towards the base, then to the one outwards; length of a row; the latter
RIGHT = 144  # (6) x
ROOT = 150  # (6 x 6) L of A = L L' with inverted pivots; scratch before
CHAINS = 186

# `first`, integers, a node each: the place of its joint's unknowns in the dense matrix, or
CHAINED, ABSENT = -1, -2  # the joint belongs to a chain; the node carries no body, or its joint blocks nothing

NEIGHBOURS = 4  # integers a joint in `order`: see `_tree_odd_even.neighbours`
