"""Which options of a `simulation` block a run keeps, where a method, an integrator or a step is given over the block."""

from collections.abc import Mapping
from typing import Any

from mbsim import registry
from mbsim.march.wrong_settings import OWN

KINDS = {"methods": "method", "integrators": "integrator"}
OWN_TOLERANCES = {"rtol": 1e-4, "atol": 1e-6}  # of a method that makes its own steps, of order 2, where one of them is given


def _owns_step(method: str) -> bool:
    return registry.knows("methods", method) and bool(registry.declaration("methods", method, "OWNS_STEP", False))


def asks_for_control(
    block: Mapping[str, Any], over: Mapping[str, Any], options: Mapping[str, Any], words: Mapping[str, str], has_beams: bool
) -> bool:
    """Whether options over a block that has a step ask for an integrator which controls the error: then the step is that of the rows.

    A file that has both without an integrator is refused.
    """
    free, equal = (registry.options("integrators", registry.automatic_integrator(x, has_beams)) for x in (False, True))
    stepped = "step" in block and "step" not in over and words["integrator"] == "auto"
    return stepped and bool(options.keys() & (free.keys() - equal.keys())) and not _owns_step(words["method"])


def kept_options(
    block: Mapping[str, Any], over: Mapping[str, Any], further: Mapping[str, Any], words: Mapping[str, str], stepped: bool, has_beams: bool
) -> set[str] | None:
    """The names of options that the method and the integrator know; None where all stay, as nothing about these has changed.

    `over` and `further` are the settings and the options over the `block`, `words` the method and the integrator with them, and `stepped`
    whether there is a step. Tolerances of a block go where a method that makes its own steps replaces the block's, whose integrator they
    are of, and where a step is given with it, or chooses it: then steps of that size are asked for.
    """
    sized = "step" in over and words["integrator"] == "auto"  # which is another one with a step
    if not sized and not over.keys() & set(KINDS.values()):
        return None
    owns = _owns_step(words["method"])
    automatic = OWN if owns else registry.automatic_integrator(stepped, has_beams)
    chosen = {name: automatic if word == "auto" else word for name, word in words.items()}
    kept = {x for kind, name in KINDS.items() if registry.knows(kind, chosen[name]) for x in registry.options(kind, chosen[name])}
    before = str(block.get("method", "auto")).partition("(")[0].strip()
    replaced = before != words["method"] and str(block.get("integrator", "auto")) != "auto"
    asked = "step" in over and ("method" in over or before == "auto") and not further.keys() & OWN_TOLERANCES.keys()
    return kept - OWN_TOLERANCES.keys() if owns and (replaced or asked) else kept
