"""Implicit steps of generalized_alpha, one for each structure of the system, and what SciPy's solvers take of them."""
