"""One implicit step of generalized_alpha, and a form of the equations for each structure of the system."""
