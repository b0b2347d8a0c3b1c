"""Every integrator gives the same numbers as plain Python (NUMBA_DISABLE_JIT=1)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import INTEGRATORS, METHODS, close

CODE = """
import json, sys, mbsim
from mbsim import formulations, registry
made = mbsim.assemble(mbsim.load_model(sys.argv[1]))
out = {}
for integrator in registry.names("integrators"):
    for method in registry.names("methods"):
        if integrator == "ida" or registry.misfit(method, integrator) or not formulations.fits(method, formulations.Traits(1, False, True)):
            continue
        if method != "svd" and integrator not in ("rk4", "dop853"):  # one of each kind with every method
            continue
        settings = {"method": method, "integrator": integrator, "end": 0.3, "step": 0.02, "output_step": 0.015}
        out[f"{integrator} {method}"] = mbsim.simulate(made, stop="crank.angle - 3.5", **settings)["q"].tolist()
print(json.dumps(out))
"""


def numbers(**environment: str) -> dict[str, Any]:
    model = Path(__file__).parents[2] / "models" / "four_bar.yaml"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE, str(model)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow  # tests/simulation/test_processes.py has a part of it in every run
def test_same_numbers_without_the_compiler() -> None:
    """Round-off may differ, and with it the steps of an implicit solver; a stop and rows inside steps are among what is compared."""
    compiled, plain = numbers(), numbers(NUMBA_DISABLE_JIT="1")
    assert {key.split()[0] for key in plain} == set(INTEGRATORS) - {"ida"} and {key.split()[1] for key in plain} <= set(METHODS)
    for key, q in plain.items():
        implicit = key.split()[0] in ("bdf", "radau", "lsoda")
        close(np.array(q), compiled[key], atol=1e-6 if implicit else 1e-9)
