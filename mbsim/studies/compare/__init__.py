"""The same model by several methods, integrators and steps, judged against an independent reference: `mbsim.compare`.

plan         the runs: ladders of steps or tolerances; refuses words that do not exist
    worker       one combination, run here or in a process of its own with a time limit
reference    the motion with which the others are compared, and its estimated error
    measures     distances between two motions
    verdict      a row's own error, the fitted order, and whether it agrees
study        the whole sequence: `compare` and the Comparison that it returns
    table, pictures, report, store    the same numbers as text and JSON, SVG, HTML, HDF5

This file imports nothing, so tables and pictures need no compiler.
"""
