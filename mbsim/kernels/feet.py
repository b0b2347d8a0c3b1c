"""The foot of a point on a surface z = f(x, y), or on a line y = f(x): where it is nearest. Newton's method on the square of the distance.

    F = (|c - u|^2 + (z - f)^2) / 2,   H = [1 + f_1^2 - h f_11, f_1 f_2 - h f_12; ., 1 + f_2^2 - h f_22],   h = z - f

The search begins below the point and goes downhill. Where H is not positive definite, the terms with h are left out of it. A point that is
farther from a hollow than its radius of curvature has no foot that moves steadily with it: the result is NaN.

`surface(arrays, t, x, y)` returns f, f_1, f_2, f_11, f_12, f_22; of a line f, f_1, f_11.
"""

from math import isnan, nan

from mbsim.jit import helper

STEPS, HALVINGS = 60, 30
LAST_STEP = 1e-8  # of the distance to go: Newton's next step doubles the digits, and is the last
ROUNDED = 1.0 + 1e-12  # a step that changes the distance by less is not judged by it
NOT_ZERO = 1e-300  # against 0 / 0


@helper
def foot_of_line(surface, arrays, t, x, y):
    """u, of the point (x, y)."""
    u = x
    for _ in range(STEPS):
        f, slope, bend = surface(arrays, t, u)
        h, away = y - f, x - u
        curved = 1.0 + slope * slope - h * bend
        if isnan(curved):
            return nan
        step = (away + h * slope) / (curved if curved > 0.0 else 1.0 + slope * slope)
        if abs(step) <= LAST_STEP * (abs(away) + abs(h)) + NOT_ZERO:
            return u + step if curved > 0.0 else nan
        before, share = (away * away + h * h) * ROUNDED, 1.0
        for _ in range(HALVINGS):
            f, _, _ = surface(arrays, t, u + share * step)
            if (x - u - share * step) ** 2 + (y - f) ** 2 <= before:
                break
            share *= 0.5
        u += share * step
    return nan


@helper
def foot_of_surface(surface, arrays, t, x, y, z):
    """(u_1, u_2), of the point (x, y, z)."""
    u, w = x, y
    for _ in range(STEPS):
        f, fx, fy, fxx, fxy, fyy = surface(arrays, t, u, w)
        h, a, b = z - f, x - u, y - w
        gx, gy = a + h * fx, b + h * fy
        xx, xy, yy = 1.0 + fx * fx - h * fxx, fx * fy - h * fxy, 1.0 + fy * fy - h * fyy
        found = xx * yy - xy * xy
        curved = xx > 0.0 and found > 0.0
        if isnan(found):
            return nan, nan
        if not curved:
            xx, xy, yy = 1.0 + fx * fx, fx * fy, 1.0 + fy * fy
            found = 1.0 + fx * fx + fy * fy
        du, dw = (yy * gx - xy * gy) / found, (xx * gy - xy * gx) / found
        if abs(du) + abs(dw) <= LAST_STEP * (abs(a) + abs(b) + abs(h)) + NOT_ZERO:
            return (u + du, w + dw) if curved else (nan, nan)
        before, share = (a * a + b * b + h * h) * ROUNDED, 1.0
        for _ in range(HALVINGS):
            f, _, _, _, _, _ = surface(arrays, t, u + share * du, w + share * dw)
            if (x - u - share * du) ** 2 + (y - w - share * dw) ** 2 + (z - f) ** 2 <= before:
                break
            share *= 0.5
        u, w = u + share * du, w + share * dw
    return nan, nan


# for mbsim.jit.forward: rows derive the foot themselves (`given_surfaces.py`), from one that stays as it is
foot_of_line.derivative = "0.0"
foot_of_surface.derivative = "(0.0, 0.0)"
