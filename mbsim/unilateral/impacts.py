"""Laws of impact around the problem of contact.

    after = before + D p

Newton's law: of a contact that closes, w_N(after) + e w_N(before) takes the place of w_N. Of two contacts with different e and friction it
may gain energy, as Kane's pendulum shows (Kane and Levinson, Dynamics, 1985, section 3.2): `Impact.gains` says so.

Poisson's law: two phases. Compression is the problem with e = 0. In restitution each contact gets e times its normal impulse of
compression, and more where it would close: p_N >= e p_N(compression), friction within its own disk (Pfeiffer and Glocker, Multibody
Dynamics with Unilateral Contacts, 1996, sections 8.2 and 8.3, without restitution along the tangent).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbsim.unilateral.answer import Answer, answer, answer_of
from mbsim.unilateral.problem import NOT_CONVERGED, OPEN, SLIP, SOLVED, STICK, Contacts, Load, problem
from mbsim.unilateral.uniqueness import UNIQUE

NEWTON_LAW, POISSON_LAW = "newton", "poisson"
LAWS = (NEWTON_LAW, POISSON_LAW)
GAIN = 1e-10  # of the work of impulses without signs: an energy that grows by more than that is not round-off
STILL = 1e-9  # of the largest velocity before or after: a velocity below it is zero. It only names modes
MOST_IMPACTS = 5_000  # of a sequence


class Impact(NamedTuple):
    """What an impact does."""

    answer: Answer  # of the last phase, or of the one that failed: code, contact to blame, residual, uniqueness
    impulses: np.ndarray  # (N,) N s or N m s, of all phases together
    after: np.ndarray  # (N,) velocities of the rows after it
    modes: np.ndarray  # (n,) OPEN where no impulse acts, STICK where the contact does not slip after it, else SLIP
    leaves: np.ndarray  # (n,) bool: the normal velocity after it is above zero
    energy: float  # J, what the kinetic energy gains; not above zero but where `gains`
    gains: bool  # energy was gained beyond round-off
    phases: int  # problems that were solved


def impact(
    D: np.ndarray,
    before: np.ndarray,
    of: Contacts,
    law: str = NEWTON_LAW,
    loads: Sequence[Load] = (),
    duration: float = 0.0,
    method: str | None = None,
    start: np.ndarray | None = None,
    every: bool = True,
) -> Impact:
    """The impact of all contacts at once. D (N, N), `before` (N,) velocities of the rows.

    `duration` (s): what `of.fixed`, a force, acts for: zero in an impact, the step in a method of steps. `method`, `start`, `every`: as in
    `answer`. Raises ValueError for another law than `newton` and `poisson`, for other shapes, and for a duration with Poisson's law, whose
    phases have none.

    By Newton's law there may be no solution: where contacts squeeze a body, one cannot send it back that another stops. Poisson's law has
    one (and so has Newton's with e = 0).
    """
    if law not in LAWS:
        raise ValueError(f"the law of impact is {' or '.join(LAWS)} (got {law!r})")
    if law == POISSON_LAW and duration != 0.0:
        raise ValueError(f"the phases of Poisson's law have no duration (got {duration!r} s)")
    before = np.array(before, float)
    of = of._replace(fixed=of.fixed * duration)
    normals = of.first[:-1][of.normal == 1]
    restitution = of.restitution[of.normal == 1]
    if law == NEWTON_LAW:
        b = before.copy()
        b[normals] += restitution * np.minimum(before[normals], 0.0)
        found = answer(D, b, of, loads=loads, method=method, start=start, every=every)
        return _impact(found, of, D, before, found.p, 1)
    found = answer(D, before, of, loads=loads, method=method, start=start, every=every)
    if not restitution.any():
        return _impact(found, of, D, before, found.p, 1)
    compression = found.p
    given = np.zeros(len(before))
    given[normals] = restitution * compression[normals]
    fixed = np.zeros(len(of.normal))
    fixed[of.normal == 1] = of.friction[of.normal == 1] * given[normals]
    later = [load._replace(free=load.response @ given) for load in loads]
    second = answer_of(problem(D, found.w + D @ given, of._replace(fixed=fixed), loads=later), method, every=every)
    failed = found if found.code != SOLVED else second
    if found.code == SOLVED and found.impulses_unique != UNIQUE:  # nor is what restitution gives
        failed = second._replace(impulses_unique=found.impulses_unique)
    return _impact(failed, of, D, before, compression + given + second.p, 2)


def one_after_the_other(
    D: np.ndarray,
    before: np.ndarray,
    of: Contacts,
    law: str = NEWTON_LAW,
    loads: Sequence[Load] = (),
    closing_speed: float = 0.0,
) -> Impact:
    """Impacts of single contacts, as of balls in a cradle: always the contact that closes fastest, until none closes.

    Contacts without a normal row take part in each. What closes slower than `closing_speed` (m/s), and what closes after MOST_IMPACTS, is
    stopped by one impact of all contacts with e = 0. Without a closing speed, losses can make a sequence endless: then the code is
    NOT_CONVERGED. Raises ValueError as `impact`.
    """
    before = np.array(before, float)
    velocities, impulses = before.copy(), np.zeros(len(before))
    first, normals = of.first, np.flatnonzero(of.normal == 1)
    round_off = max(closing_speed, 4e-15 * float(np.abs(before).max(initial=0.0)))
    failed: Impact | None = None
    count = 0
    while len(normals):
        fastest = normals[np.argmin(velocities[first[normals]])]
        slow = not velocities[first[fastest]] < -round_off
        if slow or count == MOST_IMPACTS:
            break
        chosen = np.flatnonzero((of.normal == 0) | (np.arange(len(of.normal)) == fastest))
        rows = np.concatenate([np.arange(first[i], first[i + 1]) for i in chosen])
        among = [
            load._replace(contact=int(np.searchsorted(chosen, load.contact)), response=load.response[:, rows])
            for load in loads
            if load.contact in chosen
        ]
        part = Contacts(*(each[chosen] for each in of))
        made = impact(D[np.ix_(rows, rows)], velocities[rows], part, law, among, every=False)
        if made.answer.code != SOLVED and failed is None:
            failed = made._replace(answer=made.answer._replace(contact=int(chosen[made.answer.contact])))
        impulses[rows] += made.impulses
        velocities += D[:, rows] @ made.impulses
        count += 1
    last = impact(D, velocities, of._replace(restitution=np.zeros(len(of.normal))), law, loads)
    found = last.answer if failed is None else failed.answer
    if failed is None and count == MOST_IMPACTS:
        found = found._replace(code=NOT_CONVERGED, contact=int(fastest))
    return _impact(found, of, D, before, impulses + last.impulses, count + 1)


def _impact(found: Answer, of: Contacts, D: np.ndarray, before: np.ndarray, impulses: np.ndarray, phases: int) -> Impact:
    after = before + D @ impulses
    energy = 0.5 * float(impulses @ (before + after))
    work = float(np.abs(impulses) @ (np.abs(before) + np.abs(after)))
    still = STILL * float(max(np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0)))
    first = of.first
    modes, leaves = np.full(len(of.normal), STICK), np.zeros(len(of.normal), bool)
    for i in range(len(of.normal)):
        tangent = first[i] + of.normal[i]
        leaves[i] = bool(of.normal[i]) and after[first[i]] > still
        if of.normal[i] and not impulses[first[i]] > 0.0:
            modes[i] = OPEN
        elif np.linalg.norm(after[tangent : first[i + 1]]) > still:
            modes[i] = SLIP
    return Impact(found, impulses, after, modes, leaves, energy, energy > GAIN * work, phases)
