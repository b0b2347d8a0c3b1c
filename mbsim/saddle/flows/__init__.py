"""What solvers of z_dot = f(t, z) take of the linear system, to solve with its blocks."""
