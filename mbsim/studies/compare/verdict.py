"""Whether a row agrees with the reference: its error, its own estimated error, the fitted order, and the verdict by these alone.
What only other methods at the same steps can tell is in `control`.

The own error of a row comes from its ladder alone and is independent of the reference. With y_0 ... y_n the motions of a ladder
from coarse to fine (the last one or two of them beyond the last row) and d_k = |y_k - y_k+1|, the triangle inequality gives

    |y_k - y_exact|  <=  d_k + d_k+1 + ... + d_n-1 + tail,      tail = d_n-1 s / (1 - s)

where s is the factor by which the last differences shrink, the slower of the observed one and that of the claimed order. It holds for a
coarse step outside the asymptotic range too, as long as the finer runs converge. If they do not (s > SLOWEST, as with a step that is too
coarse everywhere, or a chaotic motion), the error of the row is unknown and the verdict is `unresolved`: nothing speaks for the method, and
what speaks against it `control` finds out. The same holds if the last steps taken are nearly equal (ALIKE), or if the own error or that of
the reference is of the size of the motion (VAGUE): two runs that are both far off may be near each other by chance. Small differences
(PLATEAU) that do not shrink are left by the drift correction, and no step makes them smaller: then the tail is the larger of the last two.

A row disagrees if its error exceeds SAFETY times the sum of its own error and the reference's, plus a floor for round-off and for
the tolerance of the drift correction. A method that converges to a wrong motion disagrees from some step on, because its
differences shrink and its error does not. It passes only if it is wrong by less than its own error at every step of the ladder. The test
is made for positions, speeds, unique reactions and the balance of energy separately, each as the root mean square over time (a norm, so
the inequality holds; an error at one instant may vanish by chance).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isfinite, isnan, log

import numpy as np

from mbsim.studies.compare.measures import JUDGED

SAFETY = 3.0  # an estimate may be off by this factor
PLATEAU = 1e-6  # of the motion's reach
SLOWEST = 0.9  # a ladder whose differences shrink by less than this factor a level does not converge
FLOORS = {"position": 1e-9, "velocity": 1e-8, "reaction": 1e-6, "energy": 1e-8}  # of the motion's reach: round-off, accumulated
DRIFT_FACTOR = 10.0  # the drift correction leaves errors of its tolerance, and the motion carries them on
ALIKE = 1.5  # steps that differ by less than this factor (coarse steps may be taken in parts): their difference is not informative
FAR = 100.0  # tolerances: no agreement, whatever explains it
VAGUE = 0.1  # of the motion's reach; with a larger own error the steps are too coarse to converge
RISES = 1.2  # times the error with longer steps: an error that rises
FIT_ABOVE = 10.0  # times the reference's error; smaller errors do not show the order
FIT_ROUND_OFF = 1e-13  # of the motion's reach; nor do these
FIT_BELOW = 0.1  # of the motion's reach; nor do larger ones

AGREES, DISAGREES, UNRESOLVED, FAILED, REFUSED, NO_REFERENCE = (
    "agrees", "disagrees", "unresolved", "failed", "refused", "no reference",
)  # fmt: skip
KNOWN_WRONG = "known wrong"  # does not agree, or stops, as the published formula that it shows does
LOW_ORDER = "low order"  # errors shrink more slowly than the method and the integrator declare
ALARMS = (DISAGREES, LOW_ORDER, UNRESOLVED, FAILED, NO_REFERENCE)  # verdicts that make the exit code 1


@dataclass(frozen=True)
class Scale:
    """The scale of the motion and the error of the reference for one measure of one model."""

    reach: float
    floor: float
    reference: float  # estimated error of the reference


@dataclass
class Check:
    """One published value against one row."""

    time: float
    of: str
    published: float
    tolerance: float
    found: float
    own_error: float = inf

    @property
    def deviation(self) -> float:
        """From the published value, in its units."""
        return abs(self.found - self.published)


@dataclass
class Judgement:
    """The errors of a row by measure, and the verdict."""

    errors: dict[str, float] = field(default_factory=dict)
    own: dict[str, float] = field(default_factory=dict)
    verdict: str = UNRESOLVED
    reason: str = ""


def scale(measure: str, reach: float, reference: float, drift_tolerance: float) -> Scale:
    """The scale of a measure of a model."""
    drift = 0.0 if measure == "reaction" else DRIFT_FACTOR * drift_tolerance
    return Scale(reach, FLOORS[measure] * reach + drift, reference)


def own_errors(differences: Sequence[float], levels: Sequence[float], order: float, floor: float, plateau: float = 0.0) -> list[float]:
    """The estimated errors of the runs at `levels` (one more than `differences`), including the last; infinite if they do not converge.

    Differences up to `floor` are round-off; up to `plateau` they need not shrink.
    """
    if not differences or not isfinite(differences[-1]) or levels[-2] < ALIKE * levels[-1]:  # infinite: other events happen
        return [inf] * len(levels)
    last = differences[-1]
    tail = 0.0
    if last > floor:
        rate = order
        if len(differences) > 1 and differences[-2] > floor:
            rate = min(order, log(differences[-2] / last) / log(levels[-3] / levels[-2]))
        shrink = (levels[-2] / levels[-1]) ** -rate
        tail = last * shrink / (1.0 - shrink) if shrink <= SLOWEST else max(differences[-2:]) if last <= plateau else inf
    found = [tail]
    for difference in reversed(differences):
        found.append(found[-1] + difference)
    return found[::-1]


def fit_order(steps: Sequence[float], errors: Sequence[float], scale: Scale) -> tuple[float, int]:
    """Slope of log error against log step, and of how many points; NaN of fewer than two.

    The fit uses the steps from coarse to fine whose error shows the order: until it stops falling or approaches the error of the reference
    or round-off, and without errors as large as the motion. Two errors before one that rises are no order: laws that switch do that.
    """
    points = _order_points(steps, errors, scale)
    if len(points) < 2:
        return float("nan"), len(points)
    x, y = np.array(points).T
    return float(np.polyfit(x, y, 1)[0]), len(points)


def steepest(steps: Sequence[float], errors: Sequence[float], scale: Scale) -> float:
    """The largest slope between neighbours of the fit: an order that is reached anywhere on the ladder. NaN of fewer than three points."""
    points = _order_points(steps, errors, scale)
    if len(points) < 3:
        return float("nan")
    return float(max((a[1] - b[1]) / (a[0] - b[0]) for a, b in pairwise(points)))


def _order_points(steps: Sequence[float], errors: Sequence[float], scale: Scale) -> list[tuple[float, float]]:
    """Logarithms of the steps and errors that show the order."""
    low = FIT_ABOVE * scale.reference + FIT_ROUND_OFF * scale.reach
    points: list[tuple[float, float]] = []
    for step, error in zip(steps, errors, strict=True):
        if not isfinite(error) or error > FIT_BELOW * scale.reach:
            continue
        if error <= low or (points and log(error) > points[-1][1] + log(SLOWEST)):
            if len(points) == 2 and log(error) > points[-1][1] + log(RISES):
                return points[:1]
            break
        if not points or log(step) < points[-1][0]:
            points.append((log(step), log(error)))
    return points


def judge(judgement: Judgement, scales: dict[str, Scale], checks: Sequence[Check]) -> None:
    """Set the verdict of a row that ran, and its reason."""
    against: list[str] = []
    unknown: list[str] = []
    vague: dict[str, str] = {}
    for measure in JUDGED:
        error = judgement.errors.get(measure)
        if error is None:
            continue
        own, known = judgement.own.get(measure, inf), scales[measure]
        if measure == "energy" and error <= VAGUE * known.reach and own > VAGUE * known.reach:
            continue  # that of a small imbalance need not be known
        explained = SAFETY * (own + known.reference) + known.floor
        if isnan(error):
            against.append(f"{measure} error is not a number")
        elif not isfinite(own):
            unknown.append(measure)
            vague[measure] = f"{', '.join(unknown)}: the runs do not converge at these steps, so the error cannot be estimated"
            vague |= dict.fromkeys(unknown[:-1], "")  # said with the last of them
        elif max(own, known.reference) > VAGUE * known.reach and own + known.reference > known.floor:
            whose = "own" if own >= known.reference else "reference's"
            vague[measure] = f"{measure}: the {whose} error {max(own, known.reference):.1e} is of the size of the motion, {known.reach:.1e}"
        elif error > explained:
            against.append(f"{measure} error {error:.1e}, of which {explained:.1e} is explained")
    for check in checks:
        words = f"{check.of} at {check.time:g} s is {check.found:.9g}, published {check.published:.9g} ± {check.tolerance:.1e}"
        if isnan(check.found) or check.deviation > check.tolerance + SAFETY * check.own_error:
            against.append(words)
        elif check.deviation > check.tolerance and not isfinite(check.own_error):
            vague[f"published {check.of}"] = f"{words}, but the runs do not converge at these steps"
        elif check.deviation > FAR * check.tolerance:
            many = f"{check.deviation / check.tolerance:.0f} tolerances off"
            vague[f"published {check.of}"] = f"{words}, {many}: the steps are too long for it"
    # If the positions do not converge, other measures converge only by chance. Reactions may peak although the motion is well resolved.
    open_ = bool(vague) and (not against or "position" in vague)
    judgement.verdict = UNRESOLVED if open_ else DISAGREES if against else AGREES
    judgement.reason = "; ".join(filter(None, vague.values()) if open_ else against)
