"""Impacts of contacts with friction, by Newton's or Poisson's law (`mbsim.unilateral.impacts`), in kernels."""

from mbsim.integrators._rubbing_arrays import AS_UNIT
from mbsim.integrators._rubbing_problem import IS_UNIQUE, NOT_TOLD, ask_along, is_solved, pose_taken, rubs, solve_posed, tell_unique
from mbsim.integrators._rubbing_touching import holds_normal
from mbsim.integrators._settling_arrays import (
    BLAMED,
    CLOSES,
    DRIFTS,
    GAIN,
    GAINS,
    NO_IMPACT,
    NO_IMPULSE,
    NOT_EVALUATED,
    NOT_KNOWN,
    POISSON,
    SETTLED,
    UNIQUE,
)
from mbsim.jit import helper
from mbsim.unilateral.problem import NO_SOLUTION, REPORT_CONTACT, SOLVED


@helper
def blame(s):
    """report <- the contact that a problem without a solution blames."""
    a = s.scratch.report[REPORT_CONTACT]
    s.report[BLAMED] = s.taking[a] if a >= 0 else -1


@helper
def how_unique(s, code, rows):
    """Of `tell_unique`, where anybody asks."""
    if s.law[AS_UNIT] != 0:
        return IS_UNIQUE
    return tell_unique(s, code, rows) if is_solved(code) else NOT_TOLD


@helper
def compress(s, count, rows, poisson, unique):
    """first_p <- impulses of all phases of an impact, whose problem is posed without b; returns the code. unique[0] <- of `tell_unique`."""
    of, it = s.problem, s.scratch
    for a in range(count):
        first, bounce = of.first[a], s.restitution[s.taking[a]] if s.stays[s.taking[a]] else 0.0
        for r in range(first, of.first[a + 1]):
            of.b[r] = s.speed[s.rows[r]] / s.units[s.rows[r]]
        if of.normal[a] != 0 and not poisson:
            of.b[first] += bounce * min(of.b[first], 0.0)
    code = solve_posed(s)
    unique[0] = how_unique(s, code, rows)
    elastic = False
    for r in range(rows):
        s.first_p[r] = it.p[r]
    for a in range(count):
        elastic = elastic or (of.normal[a] != 0 and s.stays[s.taking[a]] != 0 and s.restitution[s.taking[a]] > 0.0)
    if not poisson or not elastic:
        return code
    if code != SOLVED:
        return NO_SOLUTION
    for r in range(rows):  # restitution: at least so much of each normal impulse, and friction within its own disk
        s.first_p[r], of.b[r], it.trial[r] = it.p[r], it.w[r], 0.0
    for a in range(count):
        first, i = of.first[a], s.taking[a]
        if of.normal[a] != 0:
            it.trial[first] = (s.restitution[i] if s.stays[i] != 0 else 0.0) * s.first_p[first]
            of.fixed[a] = of.friction[a] * it.trial[first]
    for r in range(rows):
        s.first_p[r] += it.trial[r]
        for c in range(rows):
            of.b[r] += of.D[r, c] * it.trial[c]
    for part in range(of.free.shape[0]):
        for c in range(rows):
            of.free[part] += of.response[part, c] * it.trial[c]
    code = solve_posed(s)
    if unique[0] == IS_UNIQUE:  # else what restitution gives is not either
        unique[0] = how_unique(s, code, rows)
    for r in range(rows):
        s.first_p[r] += it.p[r]
    return code


@helper
def strike(functions, system, arrays, work, t, s, touched, scale):
    """v <- the speeds after an impact of what is touching, with its impulses; returns SETTLED or what is wrong."""
    n, most, count, poisson = s.normal.shape[0], -1e308, 0, s.law[POISSON] != 0
    for i in range(n):
        s.stays[i], s.leaves[i] = 0, 0
    for a in range(touched):
        i = s.touching[a]
        s.leaves[i] = 1  # it touches
        most = max(most, -s.restitution[i] * s.speed[s.first[i]])
    for a in range(touched):
        i = s.touching[a]
        rebound = most if poisson else -s.restitution[i] * s.speed[s.first[i]]  # what closes presses others, which rebound, too
        s.stays[i] = 1 if rebound > s.closing[i] else 0
    for i in range(n):
        if s.leaves[i] != 0 or (s.groups[i + 1] > s.groups[i] and rubs(s, i, s.leaves)):
            if count == s.problem.normal.shape[0]:
                return NOT_KNOWN
            s.taking[count] = i
            count += 1
    rows = pose_taken(functions, system, arrays, work, t, s, count, 0)
    if rows < 0:
        return NOT_EVALUATED
    unique = s.report[UNIQUE : UNIQUE + 1]
    code = compress(s, count, rows, poisson, unique)
    if not is_solved(code):
        blame(s)
        return NO_IMPACT
    if unique[0] == NOT_TOLD:
        return NOT_KNOWN
    gained, work_done, largest = 0.0, 0.0, 0.0
    for k in range(s.speeds.shape[0]):
        s.impulses[k], s.before[k] = 0.0, s.speed[k]
    for r in range(rows):
        before = s.speed[s.rows[r]] / s.units[s.rows[r]]
        after, p = before, s.first_p[r]
        for c in range(rows):
            after += s.problem.D[r, c] * s.first_p[c]
        gained += 0.5 * p * (before + after)
        work_done += abs(p) * (abs(before) + abs(after))
        s.impulses[s.rows[r]] = p / s.units[s.rows[r]]
        largest = max(largest, abs(s.impulses[s.rows[r]]))
        for j in range(s.v.shape[0]):
            s.v[j] += s.moves[s.rows[r], j] * s.impulses[s.rows[r]]
    s.report[GAINS] = 1 if gained > GAIN * work_done else 0
    if ask_along(functions, system, arrays, work, t, s) == 0:
        return NOT_EVALUATED
    hits = False  # else rows have drifted
    for a in range(touched):
        i = s.touching[a]
        hits = hits or s.before[s.first[i]] < -(DRIFTS if holds_normal(s, i) else CLOSES) * scale
    for i in range(n):
        strong = False
        for k in range(s.first[i], s.first[i + 1]):
            strong = strong or abs(s.impulses[k]) > NO_IMPULSE * largest
        for k in range(s.first[i], s.first[i + 1]):
            if s.normal[i] == 0 or not hits or not strong:
                s.impulses[k] = 0.0
    return SETTLED
