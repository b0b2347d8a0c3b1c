"""The natural map of contact and friction: F(p) = p - proj(p - r w(p)), which is zero exactly at solutions, and its derivative.

    F_N = p_N - max(0, p_N - r w_N)
    F_T = p_T - proj(p_T - r w_T),   proj: onto the disk of radius s,   s = fixed + mu max(0, p_N - r w_N) + loads

For a contact that slides, F_T = p_T + s d. r > 0 of a row is the reciprocal of its diagonal entry of D, one number for the tangential rows
of a contact. F is an impulse, whatever the rows are.

Sources: Alart and Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods, CMAME 92, 1991. The
zeros are those of De Saxce's map p - proj_K(p - r (w + mu |w_T| e_N)), K Coulomb's cone (De Saxce and Feng 1998), which tests evaluate in
plain NumPy. This form knows bounds that are not mu p_N, too.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.unilateral.problem import OPEN, SLIP, STICK, TOLERANCE

WEAKEST = 1e-12  # of the largest diagonal entry of D: a row below it does not respond
TOUCHES = 1e-9  # of the largest impulse: below it a rate, times r, is zero. It only names modes


@helper
def scale_rows(problem, scale):
    """scale (N,) <- r of each row."""
    rows, largest = scale.shape[0], 0.0
    for k in range(rows):
        largest = max(largest, problem.D[k, k])
    if not largest > 0.0:
        largest = 1.0
    for i in range(problem.normal.shape[0]):
        first, last = problem.first[i], problem.first[i + 1]
        tangent = first + problem.normal[i]
        if tangent > first:
            scale[first] = 1.0 / (problem.D[first, first] if problem.D[first, first] > WEAKEST * largest else largest)
        most = 0.0
        for k in range(tangent, last):
            most = max(most, problem.D[k, k])
        for k in range(tangent, last):
            scale[k] = 1.0 / (most if most > WEAKEST * largest else largest)


@helper
def find_rates(problem, p, w):
    """w (N,) <- D p + b."""
    for i in range(w.shape[0]):
        s = problem.b[i]
        for j in range(w.shape[0]):
            s += problem.D[i, j] * p[j]
        w[i] = s


@helper
def load_bound(problem, i, p, along):
    """The part of the bound of contact i that is fixed or from loads. along (s,) <- unit vectors of its reactions."""
    s = problem.fixed[i]
    for g in range(problem.loads[i], problem.loads[i + 1]):
        first, last = problem.load_rows[g], problem.load_rows[g + 1]
        square = 0.0
        for k in range(first, last):
            along[k] = problem.free[k]
            for j in range(p.shape[0]):
                along[k] += problem.response[k, j] * p[j]
            square += along[k] * along[k]
        length = sqrt(square)
        for k in range(first, last):
            along[k] = along[k] / length if length > 0.0 else 0.0
        s += problem.factor[g] * length
    return s


@helper
def find_map(problem, scale, p, w, bound, along, F):
    """F (N,), bound (n,) and along (s,) <- those at p and w."""
    for i in range(problem.normal.shape[0]):
        first, last = problem.first[i], problem.first[i + 1]
        tangent, pressed = first + problem.normal[i], 0.0
        if tangent > first:
            pressed = max(0.0, p[first] - scale[first] * w[first])
            F[first] = p[first] - pressed
        bound[i] = 0.0
        if tangent == last:
            continue
        s = load_bound(problem, i, p, along) + problem.friction[i] * pressed
        bound[i] = s
        if problem.sliding[i]:
            for k in range(tangent, last):
                F[k] = p[k] + s * problem.direction[k]
            continue
        length = 0.0
        for k in range(tangent, last):
            y = p[k] - scale[k] * w[k]
            length += y * y
        length = sqrt(length)
        shorter = s / length if length > s else 1.0
        for k in range(tangent, last):
            F[k] = p[k] - shorter * (p[k] - scale[k] * w[k])


@helper
def largest_miss(problem, F):
    """The largest entry of F, and the contact that it belongs to; infinite where an entry is not finite."""
    worst, at = 0.0, -1
    for i in range(problem.normal.shape[0]):
        for k in range(problem.first[i], problem.first[i + 1]):
            size = abs(F[k])
            if not size <= 1e300:
                return 1e308, i
            if size > worst or at < 0:
                worst, at = size, i
    return worst, at


@helper
def largest_impulse(problem, scale, p):
    """What residuals are compared with: the largest entry of p, or what the largest b needs if its row were alone."""
    size = 0.0
    for k in range(p.shape[0]):
        size = max(size, abs(p[k]), scale[k] * abs(problem.b[k]))
    return size


@helper
def measure(problem, scratch, p, w):
    """w, F, bounds of p; returns the residual of the natural map, what it is compared with, and the contact with the largest one."""
    find_rates(problem, p, w)
    if scratch.soft[0] > 0.0:
        for k in range(p.shape[0]):
            w[k] += scratch.soft[0] * p[k] / scratch.scale[k]
    find_map(problem, scratch.scale, p, w, scratch.bound, scratch.along, scratch.F)
    worst, at = largest_miss(problem, scratch.F)
    return worst, largest_impulse(problem, scratch.scale, p), at


@helper
def solves(residual, size):
    """Whether a residual is round-off of the largest impulse."""
    return residual <= TOLERANCE * size


@helper
def find_bound_rise(problem, scale, soft, i, pressed, along, rise):
    """rise (N,) <- derivative of the bound of contact i by p."""
    n = rise.shape[0]
    for j in range(n):
        rise[j] = 0.0
    if problem.normal[i] and pressed > 0.0:
        k = problem.first[i]
        c = problem.friction[i]
        for j in range(n):
            rise[j] = -c * scale[k] * problem.D[k, j]
        rise[k] += c * (1.0 - soft)
    for g in range(problem.loads[i], problem.loads[i + 1]):
        for k in range(problem.load_rows[g], problem.load_rows[g + 1]):
            c = problem.factor[g] * along[k]
            if c != 0.0:
                for j in range(n):
                    rise[j] += c * problem.response[k, j]


@helper
def find_derivative(problem, scratch, p, w, J):
    """J (N, N) <- an element of the generalised derivative of F at p, after `find_map`."""
    scale, soft, n = scratch.scale, scratch.soft[0], p.shape[0]
    for i in range(problem.normal.shape[0]):
        first, last = problem.first[i], problem.first[i + 1]
        tangent, pressed = first + problem.normal[i], 0.0
        if tangent > first:
            pressed = p[first] - scale[first] * w[first]
            for j in range(n):
                J[first, j] = scale[first] * problem.D[first, j] if pressed > 0.0 else 0.0
            J[first, first] = J[first, first] + soft if pressed > 0.0 else 1.0
        if tangent == last:
            continue
        s, length = scratch.bound[i], 0.0
        for k in range(tangent, last):
            y = p[k] - scale[k] * w[k]
            length += y * y
        length = sqrt(length)
        if not problem.sliding[i] and length <= s and s > 0.0:  # sticks
            for k in range(tangent, last):
                for j in range(n):
                    J[k, j] = scale[k] * problem.D[k, j]
                J[k, k] += soft
            continue
        find_bound_rise(problem, scale, soft, i, pressed, scratch.along, scratch.rise)
        for k in range(tangent, last):
            if problem.sliding[i]:
                u = -problem.direction[k]
            else:
                u = (p[k] - scale[k] * w[k]) / length if length > 0.0 else 0.0
            for j in range(n):
                J[k, j] = -u * scratch.rise[j]
            J[k, k] += 1.0
        if not problem.sliding[i] and s > 0.0:
            turn_with_slip(problem, scale, soft, tangent, last, p, w, s / length, length, J)


@helper
def turn_with_slip(problem, scale, soft, tangent, last, p, w, ratio, length, J):
    """Subtract s / |y| (I - u u') dy from rows of J, y = p_T - r w_T and u = y / |y|: the impulse turns with the slip."""
    for k in range(tangent, last):
        u = (p[k] - scale[k] * w[k]) / length
        for l in range(tangent, last):
            across = (1.0 if k == l else 0.0) - u * (p[l] - scale[l] * w[l]) / length
            c = ratio * across
            if c != 0.0:
                for j in range(p.shape[0]):
                    J[k, j] += c * scale[l] * problem.D[l, j]
                J[k, l] -= c * (1.0 - soft)


@helper
def name_modes(problem, scratch):
    """modes (n,), slip (N,) <- those of the solution p, w."""
    w, scale, size = scratch.w, scratch.scale, max(scratch.residual[1], 1e-300)
    for i in range(problem.normal.shape[0]):
        first, last = problem.first[i], problem.first[i + 1]
        tangent = first + problem.normal[i]
        for k in range(first, last):
            scratch.slip[k] = 0.0
        if tangent > first and scale[first] * w[first] > TOUCHES * size:
            scratch.modes[i] = OPEN
            continue
        scratch.modes[i] = STICK
        if tangent == last:
            continue
        if problem.sliding[i]:
            scratch.modes[i] = SLIP
            for k in range(tangent, last):
                scratch.slip[k] = problem.direction[k]
            continue
        length = 0.0
        for k in range(tangent, last):
            length += w[k] * w[k]
        length = sqrt(length)
        if scale[tangent] * length > TOUCHES * size:
            scratch.modes[i] = SLIP
            for k in range(tangent, last):
                scratch.slip[k] = w[k] / length
