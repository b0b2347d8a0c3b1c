"""How far a point on a face of a box is beyond the edge of the face that is nearest; below zero within the face.

That is the second largest of its heights above faces. What the geometry holds says `mbsim/kernels/spatial_boxes.py`.
"""

from mbsim.jit import helper
from mbsim.kernels import spatial_boxes as boxes
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import along_eta, along_row

DIMENSIONS = (3,)


@helper
def spatial_measure(fi, fj, g, values, k):
    px, py, pz = boxes.centre(fi, fj, g)
    nx, ny, nz, _ = boxes.face(fi, fj, g, px, py, pz, True)
    hx = abs(px) - g[16] if nx == 0.0 else -1e300
    hy = abs(py) - g[17] if ny == 0.0 else -1e300
    hz = abs(pz) - g[18] if nz == 0.0 else -1e300
    along_x, along_z = hx >= hy and hx >= hz, hz > hx and hz >= hy
    x = boxes.side(px) if along_x else 0.0
    y = boxes.side(py) if not (along_x or along_z) else 0.0
    z = boxes.side(pz) if along_z else 0.0
    x, y, z = boxes.from_box(g, x, y, z)
    along_row(fi, fj, g, x, y, z, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = max(hx, hy, hz), along_eta(fi, fj, g, x, y, z)
