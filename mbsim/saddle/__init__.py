"""The linear system of bodies, their rows and laws, [M + c_v D + c_q K, -C'; C, 0]: who is eliminated when, and the elimination.

`structure.py` says what is asked of a system, as plain data; `columns.py` names the columns of the tables that `layout.py` makes of it.
`joints/` eliminates the rows of joints from C M^-1 C', with decisions on ranks; `bodies/` eliminates the bodies with their rows from the
whole matrix, with tangents. `trees/` writes a tree in joint coordinates for the latter.
"""
