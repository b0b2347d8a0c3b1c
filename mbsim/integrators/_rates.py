"""The rates p' of the polynomial by which a solver of a library interpolates its last step: from values of it, whatever its order."""

import numpy as np

DEGREE = 5  # the highest of such a polynomial
NODES = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))  # in (-1, 1), of Chebyshev
COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True)).T  # those of the polynomial are the values at the nodes times these
ORDERS = np.arange(1, DEGREE + 1)


class Rates:
    """p' of `interpolant`, t -> z, over a step from `start` to `end` (s). What is asked for is found at the first call."""

    def __init__(self, interpolant, start, end):
        self._interpolant, self._middle, self._half = interpolant, 0.5 * (start + end), 0.5 * (end - start)
        self._found = None

    def __call__(self, t):
        """(n_z,) at t."""
        if self._found is None:
            values = np.array([self._interpolant(self._middle + self._half * x) for x in NODES]).T
            self._found = (values @ COEFFICIENTS)[:, 1:] * (ORDERS / self._half)
        return self._found @ ((t - self._middle) / self._half) ** (ORDERS - 1)
