"""What a mechanism looks like: its bodies, joints, forces and contacts as plain data, and their places at every row of a result.

`describe` makes the data from a model (assembly calls it, runs write it into the result). `read` checks it and makes a `Scene` of it, from
a result alone. `Motion` has the poses of the bodies. Nothing here draws: pictures are in `mbsim.plots`, pages in `mbsim.view`.
"""
