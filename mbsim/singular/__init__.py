"""What counts at and near singular positions, and what is held over a step until the next accepted state.

`held_rows`: which rows of C count. `decomposition`, `basis`, `turning`: a held basis of the null space of C. `projection`, `correction`:
back onto the constraints, and how much of a step that may be. `passing`: through a singular position by elimination. `orientation`: whether
a step stayed on its branch. The tolerances are in `mbsim.kernels.ranks`.
"""
