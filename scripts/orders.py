"""Measures the order and the error over the tolerance of every method with every integrator, for docs/reliability.md.

    python scripts/orders.py            # prints the table, some minutes
    python scripts/orders.py --quick    # two methods, one integrator
    python scripts/orders.py lagrange   # of these methods only

Four systems: `plain` (a double pendulum: independent rows), `redundant` (Bricard's linkage), `two-level` (a cone that rolls about its tip:
a velocity row that depends on position rows) and `rheonomic` (the double pendulum, driven). Errors are the largest of a coordinate or speed
at the end, of 1 and the largest one of that kind. The reference is `svd` with `dop853` at 1e-13, and `cfa` must agree with it.

Steps of equal size are divided by 2 (of `rk45` and `predictor_corrector` 1.4, of `dop853` 1.2) as long as the error is above what
iterations and round-off leave, rounded to whole parts of the time. The order is the slope of a line through the logarithms of the last
four. With error control the cell is the largest error over the tolerance, of two.
"""

import sys
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import yaml
from command_line import MODELS, parser
from step_methods import TWO_RODS

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.march.ending import SimulationError
from mbsim.march.orders import declared_order
from mbsim.march.settings import resolve
from mbsim.model.load import load
from mbsim.results import Result

CONE = MODELS.parent / "tests/failing/rolling_cone.yaml"
DRIVEN = "drivers: {motor: {joint: O, angle: 0.5*sin(4*t)}}\n"
SYSTEMS = ("plain", "redundant", "two-level", "rheonomic")
ENDS = {"plain": 0.8, "redundant": 0.8, "two-level": 1.0, "rheonomic": 0.8}  # s
TIGHT: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-14, "drift_tolerance": 1e-13}
VARIANTS = {"baumgarte": "baumgarte(alpha=5, beta=7)"}  # by default they are 1 / step, which costs the order
LOOSE = 1e3  # tolerances that leave the steps of an integrator with error control equal
STEPS = {"rk4": 0.02, "predictor_corrector": 0.01, "rk45": 0.05, "dop853": 0.16, "own": 0.005}  # s: the longest
PARTS = {"predictor_corrector": 1.4, "rk45": 1.4, "dop853": 1.2}  # of a step, in place of 2
MOST = {1.2: 20, 1.4: 16, 2.0: 9}  # steps, at most
FLOOR, CEILING = 3e-13, 1e-3  # errors between which the order is measured: below, they are of round-off in parts
STOPPED = 100.0  # times ITERATED: what the iterations of many steps may come to
FITTED = 4  # so many steps, the shortest
ITERATED = 1e-11  # m or rad: how far the iterations of a method's own steps are taken, where the others correct to 1e-13
TOLERANCES = (1e-6, 1e-8)


@cache
def assembled(name: str, joint: bool) -> Assembly:
    """One of the systems, in absolute or joint coordinates."""
    texts = {"plain": TWO_RODS, "rheonomic": TWO_RODS + DRIVEN}
    paths = {"redundant": MODELS / "bricard.yaml", "two-level": CONE}
    data = yaml.safe_load(texts[name] if name in texts else paths[name].read_text())
    data["simulation"] = {"end": ENDS[name]}
    data.pop("reference", None)
    if joint:
        data["coordinates"] = "joint"
    return mbsim.assemble(load(yaml.safe_dump(data, sort_keys=False), registry, file=f"{name}.yaml"))


def taken(name: str, joint: bool, method: str, given: dict[str, Any]) -> dict[str, Any]:
    """What is given, less the tolerance of a drift that the method does not correct: it would be refused."""
    made = assembled(name, joint)
    rest = {key: value for key, value in given.items() if key != "drift_tolerance"}
    chosen = resolve(made.simulation, made.system, {"method": method, **rest})
    return rest if registry.idle_tolerance(chosen.method, chosen.drift) else given


@cache
def reference(name: str, joint: bool) -> Result:
    """The tight run, from which that of another method may not differ."""
    made, end = assembled(name, joint), ENDS[name]
    found = mbsim.simulate(made, method="svd", output_step=end, **taken(name, joint, "svd", TIGHT))
    witness = "aba" if joint else "cfa"
    other = mbsim.simulate(made, method=witness, output_step=end, **taken(name, joint, witness, TIGHT))
    assert apart(found, other) < 2e-12, f"{name}: the references differ by {apart(found, other):.1e}"
    return found


def apart(found: Result, exact: Result) -> float:
    """The largest difference of a coordinate, or of a speed, at the end, of the largest one and 1."""
    return max(float(np.abs(found[x][-1] - exact[x][-1]).max() / (1.0 + np.abs(exact[x]).max())) for x in ("q", "v"))


def equal_steps(integrator: str, step: float) -> dict[str, Any]:
    """The settings of a march by steps of this size."""
    if integrator == "own":
        return {"step": step}
    if "rtol" in registry.options("integrators", integrator):
        longest = step * (1.0 + 1e-12)
        return {"integrator": integrator, "rtol": LOOSE, "atol": LOOSE, "first_step": longest, "max_step": longest}
    return {"integrator": integrator, "step": step}


def order(name: str, joint: bool, method: str, integrator: str) -> str:
    """The order measured with equal steps; why not, where a run stops or is refused."""
    tolerance, parts = ITERATED if integrator == "own" else 1e-13, PARTS.get(integrator, 2.0)
    count, counts, errors = ceil(ENDS[name] / STEPS[integrator] - 1e-9), list[int](), list[float]()
    while len(errors) < MOST[parts]:
        try:
            settings = taken(name, joint, method, {"drift_tolerance": tolerance} | equal_steps(integrator, ENDS[name] / count))
            found = mbsim.simulate(assembled(name, joint), method=method, output_step=ENDS[name], **settings)
        except (SimulationError, ValueError) as error:
            return "stops" if isinstance(error, SimulationError) else "-"
        errors.append(apart(found, reference(name, joint)))
        counts.append(count)
        if errors[-1] < FLOOR or (integrator == "own" and len(errors) > 1 and errors[-1] > errors[-2]):  # round-off of many short steps
            errors, counts = (errors[:-1], counts[:-1]) if errors[-1] >= FLOOR else (errors, counts)
            break
        count = ceil(count * parts - 1e-9)
    floor = STOPPED * ITERATED if integrator == "own" else FLOOR
    kept = [(n, e) for n, e in zip(counts, errors, strict=True) if floor < e < CEILING][-FITTED:]
    if len(kept) < 2:
        return f"{errors[-1]:.0e}"
    n, e = np.log(kept).T
    return f"{-np.polyfit(n, e, 1)[0]:.1f}"


def share(name: str, joint: bool, method: str, integrator: str) -> str:
    """The largest error over the tolerance, with error control; why not, where a run stops or is refused."""
    worst = 0.0
    for rtol in TOLERANCES:
        settings: dict[str, Any] = {"rtol": rtol, "atol": rtol} | ({} if integrator == "own" else {"integrator": integrator})
        try:
            found = mbsim.simulate(assembled(name, joint), method=method, output_step=ENDS[name], **settings)
        except (SimulationError, ValueError) as error:
            return "stops" if isinstance(error, SimulationError) else "-"
        worst = max(worst, apart(found, reference(name, joint)) / rtol)
    return f"{worst:.1g}" if worst < 9.5 else f"{worst:.0f}"


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("methods", nargs="*", help="those to measure; all when none is given")
    given = arguments.parse_args()
    chosen = given.methods or (["lagrange", "generalized_alpha"] if given.quick else registry.names("methods"))
    print(f"| method | integrator | declared | {' | '.join(SYSTEMS)} | {' | '.join(SYSTEMS)} |\n|{'---|' * (3 + 2 * len(SYSTEMS))}")
    for method in chosen:
        joint = method in ("aba", "kane")
        own = registry.declaration("methods", method, "OWNS_STEP", False)
        words = ["own"] if own else ["rk4"] if given.quick else registry.names("integrators")
        for integrator in words:
            if registry.misfit(method, integrator) and not own:
                continue
            declared = declared_order(method, integrator)
            variant = VARIANTS.get(method, method)
            cells = [order(name, joint, variant, integrator) if integrator in STEPS else "" for name in SYSTEMS]
            controls = "rtol" in (registry.options("methods", method) if own else registry.options("integrators", integrator))
            cells += [share(name, joint, variant, integrator) if controls else "" for name in SYSTEMS]
            print(f"| `{variant}` | {integrator} | {f'{declared:g}' if declared else ''} | {' | '.join(cells)} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
