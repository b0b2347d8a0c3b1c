"""Runs of a study in lanes: LANES runs of one model at once, marched by straight-line code of that model.

`forms.py` says which methods there are such equations of, `traced.py` runs a system over traced numbers, `linear.py` and `equations.py`
have the equations, `programs.py` their code, `march.py` and `controlled.py` the march by equal and by chosen steps, `settling.py` what
follows a step, and `tiles.py` fills lanes with runs. docs/studies.md.
"""
