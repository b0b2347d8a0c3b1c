"""Contact and dry friction as inequalities between a few rows: w = D p + b, with impulses p or forces p.

`problem`: the arrays of the problem and its scratch. `natural_map`: what is zero at a solution. `enumeration`: every combination of modes,
for few contacts. `newton`, `gauss_seidel`: for many, and in space. `solution`: one call that chooses among them. `uniqueness`: whether
impulses and velocities are the only ones. `impacts`, `accelerations`: the laws around the problem.

The room knows arrays only: whose rows these are is known above.
"""
