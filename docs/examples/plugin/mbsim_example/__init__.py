"""Leaves for mbsim in a package of their own: a force, a joint, a method and an integrator."""
