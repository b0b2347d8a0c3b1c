"""What a run with contacts leaves to the next run of the same assembled model: systems, work arrays and calls that are bound.

To make them takes as long as some ten events, and a short run has no more of these. A run takes them out and leaves them when it has come
to its end, so that two runs at one time never share any. All numbers are put back to what they were before a run: the next run is the same
to the bit as one that makes everything anew. What was made refers to no assembly while it waits, so that it is freed with the assembly.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.assembly import Assembly
from mbsim.march.conditioning import Other
from mbsim.march.formulation import Formulation
from mbsim.march.pieces import Interrupts
from mbsim.march.renewed import renewed
from mbsim.march.settings import Settings
from mbsim.march.stretch import Own, Stretch, Stretches
from mbsim.observe.observer import Observer
from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.march.unilateral import Modes

MOST = 2  # runs of an assembled model whose parts wait
NOTHING: Mapping[tuple[frozenset[str], bool], Own] = {}
LARGEST = 200  # speeds and rows: the parts of larger models are large, and to make them takes a small part of a run


class Parts(NamedTuple):
    """The parts of a run that has ended."""

    system: System  # of the assembly
    settings: Settings
    dense: bool
    interrupts: Interrupts
    first: Stretch
    stretches: Stretches
    modes: "Modes"
    observers: tuple[Observer, Observer]
    own: Mapping[tuple[frozenset[str], bool], Own] = NOTHING  # of the stretches, while they wait


def may_be_repeated(made: Assembly) -> bool:
    """Whether runs of an assembly may leave their parts: contacts come and go, and nothing else remembers the run before."""
    system = made.system
    if made.coming is None or made.unilaterals is None or made.whole.n_v + made.whole.n_rows > LARGEST:
        return False
    return system.units is None and system.samples is None and system.failure is None


def may_repeat(made: Assembly, settings: Settings) -> bool:
    """Whether runs of an assembly with these settings leave their parts."""
    return may_be_repeated(made) and not settings.options.get("basis") and settings.impacts != "steps"


def take(made: Assembly, settings: Settings, dense: bool) -> Parts | None:
    """The parts of an earlier run, if it was such a one, which nobody else has now."""
    if made.coming is None:
        return None
    left: list[Parts] = made.coming.left.parts
    for k, parts in enumerate(left):
        if parts.system is made.system and parts.dense == dense and parts.settings == settings:
            try:
                found = left.pop(k)
            except IndexError:  # another thread was quicker
                return None
            return found if found is parts else None
    return None


def begin(parts: Parts, made: Assembly, other: Other | None) -> None:
    """Be as before a run of this assembly, which may begin elsewhere."""
    parts.stretches.join(made, parts.own)
    parts.first.anew(made, other)
    for observer in dict.fromkeys(parts.observers):
        observer.begin()


def observers(made: Assembly, settings: Settings, of: Formulation) -> tuple[Observer, Observer]:
    """What finds the values of expressions that events set, and what looks at rows; one and the same where events set nothing."""
    looks = Observer(of.system, of.beside(settings).work, made.measures, made.whole)
    sets = made.events is not None and any(event.do.set or event.do.switch for event in made.events.events)
    return Observer(of.system, of.beside(settings).work, whole=made.whole) if sets else looks, looks


def modes_anew(parts: Parts, base: Callable[[], Formulation]) -> "Modes":
    """Those of the next run, of which nothing holds yet; `base` as before."""
    modes = renewed(parts.modes, base=base, _released=None, _largest=np.zeros(1))
    modes.begin()
    return modes


def leave(made: Assembly, parts: Parts) -> None:
    """Leave the parts of a run of this assembly that has come to its end."""
    assert made.coming is not None
    own = parts.stretches.part()
    parts.first.part()
    left = made.coming.left.parts
    left.append(parts._replace(own=own))
    while len(left) > MOST:
        del left[0]
