"""Convex polyhedra, as a solid that a ball or a corner touches (`spatial_solids.py`), in their own axes.

g[22] is the number of faces, g[23] that of edges (none where only corners touch it), g[24] the size. Then follow the faces, four numbers
each: the unit normal n out of it and its height h, n . p = h; and the edges, seven numbers each: the middle M, the direction a, half the
length l.
"""

from mbsim.jit import helper

FACES, EDGES, SIZE, FIRST = 22, 23, 24, 25  # places in g


@helper
def above(g, f, px, py, pz):
    """The height of p above a face."""
    o = 25 + 4 * f
    return g[o] * px + g[o + 1] * py + g[o + 2] * pz - g[o + 3]


@helper
def hull_face(g, px, py, pz, x, y, z, even, kept):
    """As `spatial_solids.face`; x, y, z is the centre of the other body."""
    faces = int(g[22])
    over, highest = 0, above(g, 0, x, y, z)
    for f in range(1, faces):
        height = above(g, f, x, y, z)
        if height > highest:
            over, highest = f, height
    best, most = 0, -1e300
    for f in range(faces):
        height = above(g, f, px, py, pz)
        near = 2.0 * even * g[24] if kept else even * g[24]
        deep = max(even * g[24], g[20]) if height <= near else even * g[24]
        value = (-abs(height) if kept else height) - (0.0 if f == over else deep)
        if value > most:
            best, most = f, value
    o = 25 + 4 * best
    return g[o], g[o + 1], g[o + 2], above(g, best, px, py, pz)


@helper
def hull_next(g, px, py, pz, nx, ny, nz):
    """As `spatial_solids.next_face`; n is the normal of the face that p is in."""
    best, most = 0, -1e300
    for f in range(int(g[22])):
        o = 25 + 4 * f
        if g[o] != nx or g[o + 1] != ny or g[o + 2] != nz:
            height = above(g, f, px, py, pz)
            if height > most:
                best, most = f, height
    o = 25 + 4 * best
    return g[o], g[o + 1], g[o + 2], most


@helper
def nearest_of_hull(g, px, py, pz):
    """r from the nearest point of the hull to p, zero within it; the direction of the edge on which that is, zero elsewhere; and 1 on an
    edge or a corner, where r turns as p moves, 0 on a face."""
    faces, edges = int(g[22]), int(g[23])
    for f in range(faces):
        height = above(g, f, px, py, pz)
        if height > 0.0:
            o = 25 + 4 * f
            nx, ny, nz = g[o], g[o + 1], g[o + 2]
            qx, qy, qz = px - height * nx, py - height * ny, pz - height * nz
            inside = True
            for k in range(faces):
                if k != f and above(g, k, qx, qy, qz) > 0.0:
                    inside = False
            if inside:
                return height * nx, height * ny, height * nz, 0.0, 0.0, 0.0, 0.0
    outside = False
    for f in range(faces):
        if above(g, f, px, py, pz) > 0.0:
            outside = True
    if not outside:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    least, rx, ry, rz, ex, ey, ez = 1e300, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for e in range(edges):
        o = 25 + 4 * faces + 7 * e
        ax, ay, az, l = g[o + 3], g[o + 4], g[o + 5], g[o + 6]
        dx, dy, dz = px - g[o], py - g[o + 1], pz - g[o + 2]
        t = dx * ax + dy * ay + dz * az
        on = t > -l and t < l
        t = -l if t < -l else (l if t > l else t)
        dx, dy, dz = dx - t * ax, dy - t * ay, dz - t * az
        squared = dx * dx + dy * dy + dz * dz
        if squared < least:
            least, rx, ry, rz = squared, dx, dy, dz
            ex, ey, ez = (ax, ay, az) if on else (0.0, 0.0, 0.0)
    return rx, ry, rz, ex, ey, ez, 1.0
