"""What `mbsim -v run` adds: the size of the system, the choices and their reasons, the cache of compiled code, times of the parts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbsim.results import Result

KINDS = ("body", "joint", "driver", "coordinate", "speed", "state", "constraint")


def explain(result: "Result", prepared: float, cold: bool) -> list[str]:
    """The lines. `prepared` is the time before the run in s. `cold` means that nothing was compiled before it."""
    from mbsim import jit

    facts: dict[str, Any] = result.attributes
    sizes = [_count(kind, len(result.labels(kind))) for kind in KINDS if result.labels(kind)]
    lines = [f"system: {', '.join(sizes)}; {len(result.time)} rows of output", *_choices(facts)]
    options = ", ".join(f"{name} {value}" for name, value in facts.get("options", {}).items() if value is not None)
    lines += [f"options: {options}"] if options else []
    lines.append(f"drift correction {facts['drift']}, of residuals above {facts['drift_tolerance']:g}")
    kept = "empty before this run" if cold else "added to by this run" if jit.has_compiled() else "used again"
    lines.append(f"compiled code: {jit.CACHE_FOLDER}, {kept}")
    rest = facts["wall_time"] - facts["march_time"]
    parts = f"{prepared:.3g} s to read, assemble and load, {facts['march_time']:.3g} s marching, {rest:.3g} s for rows and the rest"
    lines.append(f"times: {parts}")
    return lines


def _count(kind: str, count: int) -> str:
    return f"{count} {kind if count == 1 else 'bodies' if kind == 'body' else kind + 's'}"


def _choices(facts: dict[str, Any]) -> list[str]:
    """The method, the integrator and other settings: what was chosen and why, or that it was given."""
    chosen: dict[str, str] = facts["choices"]
    lines = [f"{name} {facts[name]}: as given" for name in ("method", "integrator") if name not in chosen]
    for name, choice in chosen.items():
        value, _, reason = choice.partition(": ")
        lines.append(f"{name.replace('_', ' ')} {value}: chosen, {reason}")
    return lines
