"""What is wrong with times, steps and words of a run's settings, and what `corners: auto` is."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from mbsim import contracts, registry
from mbsim.model.resolution import step_fault

CORNERS = ("locate", "step_over")
IMPACT_LAWS = ("newton", "poisson")  # as in `mbsim.unilateral.impacts`, which reading settings does not import
STEPS = "steps"
IMPACTS = ("auto", "events", STEPS)
OWN = "own"  # what stands for the integrator of a method that makes its own steps
DRIFT = {"none": contracts.DRIFT_NONE, "position": contracts.DRIFT_POSITION, "full": contracts.DRIFT_FULL}


def wrong_numbers(values: Mapping[str, Any]) -> list[str]:
    """What is wrong with times, steps and the drift."""
    given = {name: values[name] for name in ("start", "end", "step", "output_step", "drift_tolerance") if values.get(name) is not None}
    if wrong := {name: value for name, value in given.items() if isinstance(value, bool) or not isinstance(value, Real)}:
        return [f"{name} must be a number (got {value!r}){_or_option(name, value)}" for name, value in wrong.items()]
    start, end, steps = values["start"], values["end"], {x: values[x] for x in ("step", "output_step") if values.get(x) is not None}
    sizes = [*(["step"] if "step" in steps else []), "drift_tolerance"]
    problems = [f"{name} must be positive (got {values[name]})" for name in sizes if not values[name] > 0]
    if not end > start:
        problems.append(f"end must be after start (got start {start}, end {end})")
    if "output_step" in steps and not steps["output_step"] > 0:
        problems.append(f"output_step must be positive (got {steps['output_step']})")
    problems += too_short(steps, start, end)
    if values["corners"] not in ("auto", *CORNERS):
        problems.append(f"unknown corners {values['corners']!r}; allowed: auto, {', '.join(CORNERS)}")
    if values["impact_law"] not in IMPACT_LAWS:
        problems.append(f"unknown impact_law {values['impact_law']!r}; allowed: {', '.join(IMPACT_LAWS)}")
    if values["impacts"] not in IMPACTS:
        problems.append(f"unknown impacts {values['impacts']!r}; allowed: {', '.join(IMPACTS)}")
    if not isinstance(values["simultaneous"], bool):
        problems.append(f"simultaneous must be true or false (got {values['simultaneous']!r})")
    if values["drift"] not in ("auto", *DRIFT):
        problems.append(f"unknown drift {values['drift']!r}; allowed: auto, {', '.join(DRIFT)}")
    return problems


def _or_option(name: str, value: object) -> str:
    """What else a word may mean: the option of this name of a method."""
    owners = [word for word in registry.names("methods") if value in getattr(registry.options("methods", word).get(name), "choices", ())]
    return "".join(f"; the option '{name}' of {word} is given as method='{word}({name}={value})'" for word in owners[:1])


def too_short(steps: Mapping[str, Any], start: float, end: float) -> list[str]:
    """The steps that are too short for the time."""
    faults = {name: step_fault(value, start, end) for name, value in steps.items()}
    return [f"{name} is {fault}" for name, fault in faults.items() if fault]


def wrong_steps(values: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """What does not go with steps through contacts."""
    if values["impacts"] != STEPS:
        return []
    problems = []
    if "rtol" in options:
        word = values["method"] if values["integrator"] == OWN else values["integrator"]
        problems.append(
            f"impacts: steps takes steps of equal size, and {word} with a tolerance does not: leave it out, or `impacts: steps`"
        )
    if not values["simultaneous"]:
        problems.append("impacts: steps solves all impacts of a step together: take `impacts: events` for `simultaneous: false`")
    return problems


def corners(method: str, integrator: str, controlled: bool, asked: str) -> tuple[str, str]:
    """Whether steps end on the corners of laws, as `corners` has it, and why they cannot.

    `controlled`: whether a method that makes its own steps controls their error.
    """
    if integrator == OWN:
        able, here = controlled and bool(registry.declaration("methods", method, "LOCATES", False)), f"{method} with equal steps"
    else:
        able, here = bool(registry.declaration("integrators", integrator, "LOCATES", False)), integrator
    if asked == "auto":
        return "locate" if able else "step_over", ""
    if asked == "locate" and not able:
        words = [f"'{word}'" for word in registry.names("integrators") if registry.declaration("integrators", word, "LOCATES", False)]
        words += [f"'{word}' with rtol" for word in registry.names("methods") if registry.declaration("methods", word, "LOCATES", False)]
        return asked, f"corners: locate needs one of {', '.join(words)}, which choose their steps (here '{here}')"
    return asked, ""
