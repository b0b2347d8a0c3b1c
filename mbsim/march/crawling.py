"""Steps under error control that crawl: explicit ones because the forces are stiff, implicit ones because beams ring."""

from mbsim import contracts
from mbsim.assembly import Assembly
from mbsim.march.formulation import Formulation
from mbsim.march.ringing import ringing
from mbsim.march.settings import Settings

CRAWLING, LITTLE = 1_000_000, 0.1  # evaluations, after which a run that made less than this share of its way crawls


def crawls(formulation: Formulation, settings: Settings, at: float) -> bool:
    """Whether a run has come to a time (s) only, after so many evaluations."""
    way = (at - settings.start) / (settings.end - settings.start)
    return bool(formulation.work.counts[contracts.COUNT_EVALUATIONS] > CRAWLING and way < LITTLE)


def why_slow(formulation: Formulation, settings: Settings, made: Assembly, at: float) -> str:
    """Why steps up to a time (s) are short, and what to do, in the user's names; empty where that is not known."""
    if not settings.explicit:
        return ringing(formulation, settings, at)
    from mbsim.march.failures import too_stiff

    return too_stiff(formulation.system, settings.step, (settings.start, made.q, made.v)).removeprefix("; ")
