"""Measures units that `mbsim export` writes: errors of model exchange, and what a step costs, for docs/export.md.

    python scripts/exported.py            # prints the tables
    python scripts/exported.py --quick    # one model, a short run

The first table has the largest error of a coordinate (m, rad) of CVODE in FMPy over the unit of a model, against `dop853` at 1e-11. The
second has the same of models with events, after the largest difference of a unit for co-simulation from a run. The third has the time
between two rows of a run: of mbsim's march by itself, and of a library of C that steps in a loop of C and shows an output each time. The
quickest of several runs counts. Needs FMPy and a compiler of C.
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
HEAD = "dimension: 2\ngravity: [0, -9.81]\n"
EVENTS = {  # the ball and the relay of docs/model-file/events.md, and constraint rows
    "bouncing ball": HEAD + """
bodies: {ball: {mass: 1, inertia: 0.01, position: [0, 1]}}
events: {floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -0.8*der(ball.y)}}}}
simulation: {end: 2, SETTINGS}
""",
    "relay": """dimension: 2
parameters: {F: 1}
bodies: {sat: {mass: 1, inertia: 1, position: [-0.2, 0], velocity: [0.1, 0]}}
forces: {jet: {type: force, body: sat, value: [F, 0]}}
events:
  left: {when: sat.x + 0.5*der(sat.x) + 0.05, direction: down, do: {switch: {F: 1}}}
  right: {when: sat.x + 0.5*der(sat.x) - 0.05, direction: up, do: {switch: {F: -1}}}
simulation: {end: 2, SETTINGS}
""",
    "arm against a wall": HEAD + """
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
events: {wall: {when: arm.angle + 1.2, direction: down, do: {set: {der(arm.angle): -0.7*der(arm.angle)}}}}
simulation: {end: 2, SETTINGS}
""",
    "arm between stops": HEAD + """
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints:
  pin:
    type: revolute
    bodies: [ground, arm]
    at: [0, 0]
    stops: {lower: -0.5, upper: 0.4, restitution: 0.6, closing_speed: 1.0e-3}
forces: {push: {type: joint_torque, joint: pin, value: 12*sin(4*t)}}
simulation: {end: 2, impacts: events, SETTINGS}
""",
    "disk that slides and rolls": HEAD + """
bodies: {disk: {mass: 1, inertia: 0.005, position: [0, 0.1], velocity: [2, 0], shape: {type: cylinder, radius: 0.1, length: 0.02}}}
contacts: {floor: {bodies: [disk, ground], plane: {normal: [0, 1]}, friction: 0.2, static: 0.25}}
forces: {push: {type: force, body: disk, value: [14*sin(4*t), 0]}}
simulation: {end: 2, impacts: events, SETTINGS}
""",
    "ball with spin": """dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.25], velocity: [1, 0.5, 0], angular_velocity: [3, -20, 5],
         shape: {type: sphere, radius: 0.1}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 0, 1]}, friction: 0.3, restitution: 0.5, closing_speed: 0.05}}
simulation: {end: 2, impacts: events, SETTINGS}
""",
}  # fmt: skip
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


def errors_with_events(text: str, folder: Path) -> list[float]:
    """Of a unit for co-simulation against a run, and of CVODE at the tolerances from the second on."""
    step, span = 0.01, 2.0
    outputs: dict[str, Path] = {}
    models = [text.replace("SETTINGS", f"method: lagrange, {how}") for how in ("integrator: rk4, step: 0.005", "integrator: dop853")]
    for kind, model in zip(("cs", "me"), models, strict=True):
        mbsim.export(mbsim.load_model(model), outputs.setdefault(kind, folder / f"{kind}.fmu"), kind=kind, force=True)
    runs = [mbsim.simulate(models[0], output_step=step), mbsim.simulate(models[1], output_step=step, rtol=1e-11, atol=1e-11)]
    coordinates, times = runs[0].labels("coordinate"), step * np.arange(1 + round(span / step))
    rows = [np.asarray(run["q"])[np.searchsorted(run.time, times + 1e-9) - 1] for run in runs]
    simulate: Callable[..., Any] = importlib.import_module("fmpy").simulate_fmu
    given = {"stop_time": span, "output_interval": step, "output": coordinates}
    found = [(simulate(str(outputs["cs"]), step_size=step, **given), rows[0])]
    for tolerance in TOLERANCES[1:]:
        solved = {"fmi_type": "ModelExchange", "relative_tolerance": tolerance, "record_events": False}
        found.append((simulate(str(outputs["me"]), **solved, **given), rows[1]))
    return [max(float(np.abs(columns[x] - row[:, k]).max()) for k, x in enumerate(coordinates)) for columns, row in found]


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
        head = ["model with events", "co-simulation", *(f"CVODE at {tolerance:.0e}" for tolerance in TOLERANCES[1:])]
        cases = dict(list(EVENTS.items())[:1]) if given.quick else EVENTS
        print(table(head, [[name, *(f"{x:.1e}" for x in errors_with_events(text, folder))] for name, text in cases.items()]))
        lines = []
        for model in ["slider_crank"] if given.quick else ["pendulum", *SPANS]:
            march, unit = costs(model, 20 if given.quick else STEPS, 2 if given.quick else REPEATED, folder)
            lines.append([f"`{model}`", f"{march:.2f}", f"{unit:.2f}", f"{100 * (unit / march - 1):+.0f} %"])
        print(table(["model", "march, µs", "unit, µs", "more"], lines))


if __name__ == "__main__":
    main()
