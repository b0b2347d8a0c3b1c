"""Runs of a study in lanes: LANES runs of one model at once, marched by straight-line code of that model (`mbsim.straight`).

`march.py` and `controlled.py` have the march by equal and by chosen steps, `implicit.py` that by implicit steps, `settling.py` what follows
a step, and `tiles.py` fills lanes with runs. docs/studies.md.
"""
