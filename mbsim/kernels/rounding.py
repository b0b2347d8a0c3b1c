"""Whole numbers: a step of expressions, whose derivative counts as zero everywhere."""

from math import floor

from mbsim.jit import helper

WHOLE = 4503599627370496.0  # 2^52: a larger number is whole


@helper
def floored(x):
    """The largest whole number that is not greater than x; NaN and what is infinite stay as they are."""
    return 1.0 * floor(x) if abs(x) < WHOLE else x


floored.derivative = "0.0"  # for mbsim.jit.forward
