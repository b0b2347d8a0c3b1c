"""The examples of the papers with the papers' settings, their corrections and what mbsim takes instead: `mbsim compare --preset`."""

from typing import NamedTuple


class Preset(NamedTuple):
    """What a comparison takes where nothing else is given."""

    models: tuple[str, ...]  # shipped ones
    methods: tuple[str, ...]
    integrators: tuple[str, ...] = ("rk4",)


PRESETS = {
    "paper:svd": Preset(
        ("rolling_disk", "quick_return"),
        # Shui & Zhang 1996: eqs. 3.6-3.7 with a held V2; decomposed anew where [C; V2'] is singular; the criterion of mbsim; at every
        # evaluation
        ("svd(equations=paper)", "svd(renew=paper)", "svd", "svd(hold=false)", "lagrange"),
    ),
    "paper:riemann": Preset(
        ("quick_return",),
        # Shui: eq. 28 read literally; then as above
        ("riemann(equations=paper)", "riemann(renew=paper)", "riemann", "riemann(hold=false)", "svd", "lagrange"),
    ),
    "paper:broyden": Preset(
        ("pendulum_dae",),
        # Yang, Duan & Di 2006: constant multipliers, eqs. 19 and 20; with what mbsim changes; stabilised constraints; full order
        (
            "broyden(multiplier=constant, root_finder=bfs, start=paper)",
            "broyden(multiplier=constant)",
            "baumgarte",
            "broyden",
            "lagrange",
        ),
    ),
    "paper:cfa": Preset(
        ("space_robot",),
        # Liu, Hu & Zhang 2016: general and serial form, Kane's equations and the recursive method of their table 1; leaves to base
        ("cfa(elimination=dense)", "cfa(elimination=odd_even)", "kane(mass_matrix=dense)", "aba", "kane", "cfa"),
    ),
}
