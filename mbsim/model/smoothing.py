"""Noise of measured tables: how large it is, and smoothing by a cubic spline that stays as near to the points as the noise is.

The smoothing spline of Reinsch (Smoothing by spline functions, Numerische Mathematik 10, 1967) has the least integral of its squared second
derivative among all curves whose mean squared distance from the points is that of the noise.
"""

from collections.abc import Sequence

FEWEST = 20  # points from which on noise is told from motion
FOURTH, SECOND = 70.0, 6.0  # the mean square of fourth and of second differences of noise of size 1
STRAIGHT = 30.0  # e-folds between an interpolating and a nearly straight smoothing spline, and as many again

Points = Sequence[tuple[float, float]]


def noise_of(points: Points) -> tuple[float, float, float]:
    """The size of the noise, of the second derivatives that it makes, and of all second derivatives; zeros where it cannot be told.

    Fourth differences of a smooth motion are far smaller than its second differences, those of noise larger.
    """
    import numpy as np  # reading models without tables that are looked at needs none

    x, y = np.array(points).T
    steps = np.diff(x)
    if len(points) < FEWEST or steps.max() > 1.01 * steps.min():
        return 0.0, 0.0, 0.0
    noise = float(np.sqrt(np.mean(np.diff(y, 4) ** 2) / FOURTH))
    h2 = float(steps.mean()) ** 2
    return noise, float(np.sqrt(SECOND)) * noise / h2, float(np.sqrt(np.mean(np.diff(y, 2) ** 2))) / h2


def smoothed(points: Points, noise: float) -> list[tuple[float, float]]:
    """The points moved onto the smoothing spline whose root mean square distance from them is `noise`; onto a line at most."""
    import numpy as np
    from scipy.interpolate import make_smoothing_spline
    from scipy.optimize import brentq

    x, y = np.array(points).T
    unit = (x - x[0]) / (x[-1] - x[0]) * (len(x) - 1)

    def excess(power: float) -> float:
        return float(np.sqrt(np.mean((make_smoothing_spline(unit, y, lam=np.exp(power))(unit) - y) ** 2))) - noise

    low, high = -STRAIGHT, STRAIGHT
    power = low if excess(low) > 0.0 else high if excess(high) < 0.0 else brentq(excess, low, high, xtol=1e-3)
    return list(zip(x.tolist(), make_smoothing_spline(unit, y, lam=np.exp(power))(unit).tolist(), strict=True))
