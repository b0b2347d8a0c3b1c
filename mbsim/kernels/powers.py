"""Powers x^n of an exponent that the code does not know, as a parameter, and their derivatives, which exist at x = 0 too.

As a formula the slope of x^n is n x^n / x, which at x = 0 is no number for any n.
"""

from math import floor, inf, isnan, log, nan

from mbsim.jit import helper


@helper
def raised(x, n, k, j):
    """x^n derived k times by x and j (0 ... 3) times by n; NaN where that does not exist. 0^0 is 1.

    The j-th derivative of n (n - 1) ... (n - k + 1) x^(n - k) by n, from the series of both factors about n.
    """
    if isnan(x) or isnan(n):
        return 1.0 if k == 0 and j == 0 and (x == 1.0 or n == 0.0) else nan
    a, b, c, d = 1.0, 0.0, 0.0, 0.0  # of the product: its value, and its series in a change of n
    for i in range(k):
        a, b, c, d = a * (n - i), b * (n - i) + a, c * (n - i) + b, d * (n - i) + c
    e = n - k
    if x > 0.0 or (j == 0 and x < 0.0 and n == floor(n)):
        value = x**e
        if j == 0:
            return a * value
        s = log(x)
        if j == 1:
            return value * (b + a * s)
        if j == 2:
            return value * (2.0 * c + s * (2.0 * b + s * a))
        return value * (6.0 * d + s * (6.0 * c + s * (3.0 * b + s * a)))
    if x != 0.0:
        return nan
    if e > 0.0 or (a == 0.0 and (j == 0 or b == 0.0) and j < 2):  # x^e log(x)^j is nothing at 0, and so is a constant's slope
        return 0.0
    if j == 0:
        return a if e == 0.0 else inf
    return b if e == 0.0 and a == 0.0 and j == 1 else nan


# for mbsim.jit.forward; the derivative by an exponent that stays need not exist
raised.derivative = "(raised({0}, {1}, {2} + 1, {3})*{0d} + (raised({0}, {1}, {2}, {3} + 1)*{1d} if {1d} != 0.0 else 0.0))"
