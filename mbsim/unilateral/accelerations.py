"""Which closed contacts stick, slip or open: the problem on accelerations.

The rows are those of contacts that are closed, w_N = 0 in velocities; b are their accelerations without contact forces, p are forces. A
contact that slips already is given its direction, and only its normal force is unknown:

    w_N = (D_NN - mu D_NT d) p_N + ...

The matrix is no longer symmetric, and may have no solution or several: Painleve's paradox. `own_response` is the number in brackets of the
contact that is blamed: below zero, pressing makes the contact close faster.

Sources: Painleve 1895; Leine, Brogliato and Nijmeijer, Periodic motion and bifurcations induced by the Painleve paradox, European Journal
of Mechanics A 21, 2002; Glocker, Set-Valued Force Laws, 2001.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbsim.unilateral.answer import Answer, answer
from mbsim.unilateral.problem import NO_SOLUTION, NOT_CONVERGED, SEVERAL, SLIP, SOLVED, Contacts, Load


class Accelerations(NamedTuple):
    """Forces and accelerations of closed contacts."""

    answer: Answer  # `p` are forces (N, N m), `w` accelerations (m/s2, rad/s2)
    paradox: bool  # a contact that slips has no solution, or several, as far as enumeration says; code NOT_CONVERGED may be one, too
    friction: float  # coefficient of the contact that is blamed; NaN where there is none
    own_response: float  # D_NN - mu D_NT d of that contact; NaN where it does not slip


def accelerations(
    D: np.ndarray,
    b: np.ndarray,
    of: Contacts,
    direction: np.ndarray | None = None,
    loads: Sequence[Load] = (),
    method: str | None = None,
    start: np.ndarray | None = None,
) -> Accelerations:
    """Solve the problem on accelerations. D (N, N), b (N,), `direction` (N,) unit slip of contacts that slip, else zero.

    Contacts at rest stick up to the static coefficient. One that does not hold has the other coefficient from then on, and the problem is
    solved again: what it no longer holds may break others away. Raises ValueError for arrays of other shapes.
    """
    direction = np.zeros(len(b)) if direction is None else np.asarray(direction, float)
    static = of.static.copy()
    for _ in range(len(static) + 1):
        found = answer(D, b, of._replace(static=static), direction, loads, method, start, static=True)
        broken = (found.modes == SLIP) & (static > of.friction) & ~_sliding(of, direction)
        if found.code != SOLVED or not broken.any():
            break
        static[broken] = of.friction[broken]
    sliding = _sliding(of, direction)
    if found.code in (NO_SOLUTION, NOT_CONVERGED) and sliding.any():
        weakest = _weakest(D, of, direction, sliding)
        if found.code == NO_SOLUTION or own_response(D, of, direction, weakest) < 0.0:
            found = found._replace(contact=weakest)
    blamed = found.contact
    slides = blamed >= 0 and bool(sliding[blamed])
    return Accelerations(
        answer=found,
        paradox=found.code in (NO_SOLUTION, SEVERAL) and slides,
        friction=float(of.friction[blamed]) if blamed >= 0 else np.nan,
        own_response=own_response(D, of, direction, blamed) if slides else np.nan,
    )


def own_response(D: np.ndarray, of: Contacts, direction: np.ndarray, contact: int) -> float:
    """D_NN - mu D_NT d of a contact that slips along d; infinite for one without a normal row."""
    first, last = of.first[contact], of.first[contact + 1]
    if not of.normal[contact]:
        return np.inf
    return float(D[first, first] - of.friction[contact] * D[first, first + 1 : last] @ direction[first + 1 : last])


def _sliding(of: Contacts, direction: np.ndarray) -> np.ndarray:
    first = of.first
    return np.array([bool(direction[first[i] + of.normal[i] : first[i + 1]].any()) for i in range(len(of.normal))], bool)


def _weakest(D: np.ndarray, of: Contacts, direction: np.ndarray, sliding: np.ndarray) -> int:
    """The contact that slips with the least response of its own, for its size."""
    ratios = [
        own_response(D, of, direction, i) / max(float(D[of.first[i], of.first[i]]), 1e-300) if sliding[i] else np.inf
        for i in range(len(of.normal))
    ]
    return int(np.argmin(ratios))
