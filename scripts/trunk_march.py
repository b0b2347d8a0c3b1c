"""What benchmark_trunk.py runs in a process of its own, with the mbsim of one tree or another: only names that every tree has are used."""

import json
from pathlib import Path
from typing import Any


def march(tree: str, model: str, method: str, step: float, steps: int, repeats: int, compared: int) -> None:
    """Prints, as JSON, the microseconds per step of the fastest of some marches, and q after as many steps as two trees are compared over.

    The integrator is rk4. Raises RuntimeError where the mbsim that is imported is not that of `tree`.
    """
    import mbsim

    if not Path(mbsim.__file__).is_relative_to(tree):
        raise RuntimeError(f"{mbsim.__file__} is not in {tree}")
    made = mbsim.assemble(mbsim.load_model(model))
    start = made.start

    def run(count: int) -> Any:
        end = start + count * step
        return mbsim.simulate(made, method=method, integrator="rk4", step=step, end=end, output_step=end - start)

    q = run(compared)["q"][-1].tolist()  # compiles, too, before anything is timed
    found = []
    for _ in range(repeats):
        attributes = run(steps).attributes
        found.append(1e6 * float(attributes["march_time"]) / int(attributes["counts"]["steps"]))
    print(json.dumps({"us": min(found), "q": q}))
