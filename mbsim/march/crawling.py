"""Explicit steps under error control that crawl because the forces are stiff."""

from mbsim import contracts
from mbsim.assembly import Assembly
from mbsim.march.formulation import Formulation
from mbsim.march.settings import Settings

CRAWLING, LITTLE = 1_000_000, 0.1  # evaluations, after which a run that made less than this share of its way crawls


def crawls(formulation: Formulation, settings: Settings, at: float) -> bool:
    """Whether a run has come to a time (s) only, after so many evaluations."""
    way = (at - settings.start) / (settings.end - settings.start)
    return bool(formulation.work.counts[contracts.COUNT_EVALUATIONS] > CRAWLING and way < LITTLE)


def why_stiff(formulation: Formulation, settings: Settings, made: Assembly) -> str:
    """Why its forces are stiff, in the user's names; empty where they are not."""
    from mbsim.march.failures import too_stiff

    return too_stiff(formulation.system, settings.step, (settings.start, made.q, made.v))
