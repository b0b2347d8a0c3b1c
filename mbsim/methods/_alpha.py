"""Options and coefficients of `generalized_alpha`, for both of its implementations."""

from mbsim.jit import choices, helper, method_settings

OPTIONS = {
    "spectral_radius": {
        "help": "spectral radius of the amplification at infinite frequency: 1 damps nothing, 0 most",
        "default": 0.9,
        "least": 0.0,
        "most": 1.0,
    },
    "index": {"help": "constraints that a step satisfies: 3 positions, 2 positions and velocities", "default": "2", "choices": ("3", "2")},
}
SPECTRAL_RADIUS, INDEX = method_settings(OPTIONS, "spectral_radius", "index")
(INDEX_3,) = choices(OPTIONS, "index", "3")
ITERATIONS = 30


@helper
def coefficients(r):
    """alpha_m, alpha_f, beta, gamma of the spectral radius r."""
    alpha_m, alpha_f = (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma
