"""What `mbsim -v run` adds: the size of the system, the choices and their reasons, the cache of compiled code, times of the parts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbsim.assembled import Assembly
    from mbsim.results import Result

KINDS = ("body", "joint", "driver", "coordinate", "speed", "constraint")


def explained(result: "Result", made: "Assembly", prepared: float, cold: bool) -> list[str]:
    """The lines. `prepared` is the time before the run in s. `cold` means that nothing was compiled before it."""
    from mbsim import jit

    facts: dict[str, Any] = result.attributes
    sizes = [_counted(kind, len(result.labels(kind))) for kind in KINDS if result.labels(kind)]
    lines = [f"system: {', '.join(sizes)}; {len(result.time)} rows of output", *_choices(facts, made)]
    options = ", ".join(f"{name} {value}" for name, value in facts.get("options", {}).items() if value is not None)
    lines += [f"options: {options}"] if options else []
    lines.append(f"drift correction {facts['drift']}, of residuals above {facts['drift_tolerance']:g}")
    kept = "empty before this run" if cold else "added to by this run" if jit.has_compiled() else "used again"
    lines.append(f"compiled code: {jit.CACHE_FOLDER}, {kept}")
    rest = facts["wall_time"] - facts["march_time"]
    parts = f"{prepared:.3g} s to read, assemble and load, {facts['march_time']:.3g} s marching, {rest:.3g} s for rows and the rest"
    lines.append(f"times: {parts}")
    return lines


def _steps(facts: dict[str, Any]) -> str:
    if facts["integrator"] == "own":
        return "the method makes its own steps"
    return "no step is given" if "rtol" in facts.get("options", {}) else "a step is given"


def _counted(kind: str, count: int) -> str:
    return f"{count} {kind if count == 1 else 'bodies' if kind == 'body' else kind + 's'}"


def _choices(facts: dict[str, Any], made: "Assembly") -> list[str]:
    """The method and the integrator, and whether mbsim chose them."""
    from mbsim.settings import MANY_BODIES

    few = len(made.system.bodies) < MANY_BODIES
    why = (
        "a tree in joint coordinates without constraints"
        if facts["method"] == "aba"
        else f"{'fewer than' if few else 'at least'} {MANY_BODIES} bodies"
    )
    chosen = {"method": made.simulation.method == "auto", "integrator": made.simulation.integrator == "auto"}
    reasons = {"method": why, "integrator": _steps(facts)}
    return [f"{name} {facts[name]}: {f'chosen, {reasons[name]}' if chosen[name] else 'as given'}" for name in chosen]
