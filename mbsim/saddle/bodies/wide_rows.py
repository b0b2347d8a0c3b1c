"""Rows of C that may touch more than two bodies, in the elimination of implicit steps: they are read from C itself.

`columns.py` names the columns of the table, `WideRows` in `saddle/structure.py` tells which rows these are. They follow each other.
"""

from mbsim.jit import helper, index
from mbsim.saddle import columns as col
from mbsim.saddle.lines import after, first_line, lines_of, speeds_of_body


@helper
def place_wide(table, C, width, dropped, S):
    """C, added to what stands there, and -C' from these rows; nothing from a row that is left out (dropped[r] = 1).

    `width`: speeds of what they touch, of a body, or 1 of a tree, whose rows are about speeds of joints.
    """
    for k in range(first_line(table, col.WIDE), after(table, col.WIDE)):
        line = table[k]
        r, at, over = line[col.ROW], line[col.ROW_AT], line[col.COLUMN_AT]
        for c in range(width):
            x = C[r, width * line[col.TOUCHED] + c]
            S[at + c] = 0.0 if dropped[r] == 1 else S[at + c] + x
            S[over + c * line[col.COLUMN_STEP]] = 0.0 if dropped[r] == 1 else -x


@helper
def react_wide(table, C, lam, h):
    """h (n,) += C' lam of these rows."""
    b = speeds_of_body(table)
    for k in range(first_line(table, col.WIDE), after(table, col.WIDE)):
        r, o = index(table[k, col.ROW]), b * index(table[k, col.TOUCHED])
        for c in range(b):
            h[o + c] += C[r, o + c] * lam[r]


@helper
def rate_wide(table, C, v, out):
    """out[r] += C v of these rows."""
    b = speeds_of_body(table)
    for k in range(first_line(table, col.WIDE), after(table, col.WIDE)):
        r, o = index(table[k, col.ROW]), b * index(table[k, col.TOUCHED])
        for c in range(b):
            out[r] += C[r, o + c] * v[o + c]


@helper
def curve(table, slopes, lam, c_q, c_v, S):
    """What displacements change of the equations' rows: -d(C' lam)/dd times c_q, of rows at velocity level d(C v + xi)/dd times c_q / c_v.

    slopes (k,): the derivatives, behind those of the laws.
    """
    first = after(table, col.WIDE)
    for k in range(lines_of(table, col.CURVES)):
        line, slope = table[first + k], slopes[lines_of(table, col.READS) + k]
        S[line[col.CURVE_AT]] += c_q / c_v * slope if line[col.OF_RATE] == 1 else -c_q * lam[line[col.ROW]] * slope
