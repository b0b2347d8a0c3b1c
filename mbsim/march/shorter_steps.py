"""What is said where shorter steps come to another motion than those of the run."""

from mbsim.formulations import Traits
from mbsim.march.settings import Settings
from mbsim.system.system import System


def why_shorter(system: System, settings: Settings) -> tuple[str, str]:
    """Why shorter steps may come to another row than the run, and what to do about it beside a `max_step`."""
    traits = Traits.of(system)
    if settings.explicit and (traits.has_parts or traits.has_beams):  # it is the fastest vibrations that bound explicit steps
        return "explicit steps are too long for the fastest vibrations", "take `integrator: radau`, smaller tolerances or"
    return "a law acts for less than a step, which passed over it", "give"
