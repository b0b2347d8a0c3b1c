"""Measures units that `mbsim export` writes: errors of model exchange, and what a step costs, for docs/export.md.

    python scripts/exported.py            # prints the tables
    python scripts/exported.py --quick    # one model, a short run

The first table has the largest error of a coordinate (m, rad) of CVODE in FMPy over the unit of a model, against `dop853` at 1e-11. The
second has the time between two rows of a run: of mbsim's march by itself, and of a library of C that steps in a loop of C and shows an
output each time. The quickest of several runs counts. Needs FMPy and a compiler of C.
"""

import ctypes
import importlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from command_line import MODELS, REFUSED, parser
from measuring import table

import mbsim
from mbsim import contracts

SPANS = {"four_bar": 1.0, "slider_crank": 0.4, "space_robot": 1.0, "rolling_disk": 1.0, "whipple_bicycle": 1.0}  # s
TOLERANCES, ROWS = (1e-6, 1e-8, 1e-10), 100
STEPS, REPEATED = 200, 25
LOOP = """#include "unit.h"
int go(unit_unit *unit, int n, double h)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        if (unit_step(unit, h) != 0) return -1;
        sum += unit_output(unit, 0);
    }
    return sum == sum ? 0 : -2;
}
"""
COMMAND = ["cc", "-std=c99", "-O2", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off", "-shared", "-o", "unit.so", "unit.c", "loop.c"]


def errors(name: str, span: float, folder: Path) -> list[float]:
    """Of CVODE at each tolerance."""
    path, output = MODELS / f"{name}.yaml", folder / f"{name}.fmu"
    mbsim.export(path, output, kind="me")
    result = mbsim.simulate(path, integrator="dop853", rtol=1e-11, atol=1e-11, end=span, output_step=span / ROWS)
    coordinates = result.labels("coordinate")
    simulate: Callable[..., Any] = importlib.import_module("fmpy").simulate_fmu
    found = []
    for tolerance in TOLERANCES:
        columns = simulate(
            str(output), fmi_type="ModelExchange", stop_time=span, output_interval=span / ROWS, relative_tolerance=tolerance,
            output=coordinates, record_events=False,
        )  # fmt: skip
        found.append(max(float(np.abs(columns[x] - result["q"][:, k]).max()) for k, x in enumerate(coordinates)))
    return found


def costs(name: str, steps: int, repeated: int, folder: Path) -> tuple[float, float]:
    """Microseconds between two rows: of a march, and of a library of C."""
    path = MODELS / f"{name}.yaml"
    (inner := folder / name).mkdir()
    mbsim.export(path, inner / "unit.c", native=True)
    (inner / "loop.c").write_text(LOOP)
    subprocess.run([*COMMAND, "-Wl,--whole-archive", "libunit_kernels.a", "-Wl,--no-whole-archive", "-lm"], cwd=inner, check=True)
    library = ctypes.CDLL(str(inner / "unit.so"))
    library.unit_create.restype = ctypes.c_void_p
    unit, stepper = ctypes.c_void_p(library.unit_create()), mbsim.Stepper(path)
    inside = stepper.inside()
    march, clock, step = inside.march.parts
    functions, work, h = inside.formulation, inside.formulation.work, inside.settings.interval
    times, rows, scratch = stepper.time + h * np.arange(steps + 1), np.zeros((steps, inside.row.shape[1])), inside.march.scratch
    blocks = functions.functions, functions.system.functions, functions.system.arrays, work
    best = [np.inf, np.inf]
    for _ in range(repeated):
        stepper.reset()
        clock[:], clock[contracts.CLOCK_TIME], work.status[contracts.STATUS_PAUSE] = 0.0, stepper.time, 2**62
        begun = time.perf_counter()
        if march(*blocks, times, step, inside.z, rows, clock, scratch) != steps:
            raise RuntimeError(f"the march of {name} did not come to its end")
        best[0] = min(best[0], time.perf_counter() - begun)
        library.unit_reset(unit)
        begun = time.perf_counter()
        if library.go(unit, steps, ctypes.c_double(h)) != 0:
            raise RuntimeError(f"the unit of {name} did not come to its end")
        best[1] = min(best[1], time.perf_counter() - begun)
    library.unit_free(unit)
    return best[0] / steps * 1e6, best[1] / steps * 1e6


def main() -> None:
    given = parser(__doc__).parse_args()
    missing = [name for name, there in (("FMPy", find_spec("fmpy")), ("a compiler of C (cc)", shutil.which("cc"))) if not there]
    if missing:
        print(f"{' and '.join(missing)} not installed: nothing is measured", file=sys.stderr)
        sys.exit(0 if given.quick else REFUSED)
    spans = {"slider_crank": 0.02} if given.quick else SPANS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = ["model", *(f"CVODE at {tolerance:.0e}" for tolerance in TOLERANCES)]
        print(table(head, [[f"`{model}`", *(f"{x:.1e}" for x in errors(model, span, folder))] for model, span in spans.items()]))
        lines = []
        for model in ["slider_crank"] if given.quick else ["pendulum", *SPANS]:
            march, unit = costs(model, 20 if given.quick else STEPS, 2 if given.quick else REPEATED, folder)
            lines.append([f"`{model}`", f"{march:.2f}", f"{unit:.2f}", f"{100 * (unit / march - 1):+.0f} %"])
        print(table(["model", "march, µs", "unit, µs", "more"], lines))


if __name__ == "__main__":
    main()
