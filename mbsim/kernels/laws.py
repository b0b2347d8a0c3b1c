"""Values of laws in kernels: rows of `Arrays.laws` are a law's value and its first and second rate; index -1: there is none."""

from mbsim.jit import helper


@helper
def law_of(laws, law, order):
    """Derivative `order` of a law, zero where there is none."""
    return laws[law, order] if law >= 0 else 0.0


@helper
def laws_of(laws, law, order):
    """The same of the three laws from `law` on."""
    if law < 0:
        return 0.0, 0.0, 0.0
    return laws[law, order], laws[law + 1, order], laws[law + 2, order]


@helper
def given(laws, law, p):
    """The three components of a load: its laws', or constant in p[3:6]."""
    return laws_of(laws, law, 0) if law >= 0 else (p[3], p[4], p[5])
