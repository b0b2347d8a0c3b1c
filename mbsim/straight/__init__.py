"""The runs of one model as straight-line code: the equations of motion over numbers that record operations, and the parts of a step.

`forms.py` says which methods and steps there is such code of, `traced.py` runs a system over traced numbers, `linear.py` and `equations.py`
have the equations, and `programs.py` their code. `implicit.py` has the code of implicit steps, `elimination.py` solves for their
corrections, and `implicit_forms.py` has the matrix of trees in joint coordinates. `lookups.py` and `shortcuts.py` are helpers of kernels
that branch. `mbsim.studies.lanes` marches eight runs at once with it, `mbsim.programs` writes it as C.
"""
