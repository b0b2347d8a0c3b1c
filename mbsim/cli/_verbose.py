"""What `mbsim -v run` says besides: the system's size, what was chosen and why, where compiled code is kept, times of the parts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbsim.results import Result


def explained(result: "Result", prepared: float) -> list[str]:
    """Lines; `prepared` are the seconds before the run."""
    from mbsim import jit

    facts: dict[str, Any] = result.attributes
    sizes = {kind: len(result.labels(kind)) for kind in ("body", "joint", "driver", "coordinate", "speed", "constraint")}
    nouns = {"body": "bodies"}
    system = ", ".join(f"{count} {nouns.get(kind, kind + 's')}" for kind, count in sizes.items() if count)
    lines = [f"system: {system}; {len(result.time)} rows of output"]
    lines += [f"{what} {facts[what]}: {why}" for what, why in facts.get("chosen", {}).items()]
    options = ", ".join(f"{name} {value}" for name, value in facts.get("options", {}).items())
    lines += [f"options: {options}"] if options else []
    lines.append(f"drift correction {facts['drift']}, above {facts['drift_tolerance']:g}")
    lines.append(f"compiled code: {jit.CACHE_FOLDER}")
    rest = facts["wall_time"] - facts["march_time"]
    lines.append(
        f"times: {prepared:.3g} s reading and assembling, {facts['march_time']:.3g} s marching, {rest:.3g} s evaluating and writing rows"
    )
    return lines
