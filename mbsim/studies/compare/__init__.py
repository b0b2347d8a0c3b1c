"""The same model by several methods, integrators and steps, judged against an independent reference: `mbsim.compare`.

    plan         what is run: ladders of steps or tolerances; refuses words that do not exist
    worker       one combination, run here or in a process of its own with a time limit
    reference    the motion that the others are compared with, and how far it can be trusted
    measures     distances between two motions
    verdict      a row's own error, the fitted order, and whether it agrees
    study        all of it in order: `compare` and the Comparison it returns
    table, pictures, report, store    the same numbers as text and JSON, SVG, HTML, HDF5

This file imports nothing, so that tables and pictures need no compiler.
"""
