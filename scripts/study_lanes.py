"""What runs in lanes take, beside runs by themselves: a part of docs/benchmarks-studies.md."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from command_line import MODELS
from measuring import Report, ratio
from stiff_cases import beam
from study_timing import Size, alternately

from mbsim.assembly import load_model
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.run import run_study

FOUR_BAR = MODELS / "four_bar.yaml"
Limits = Callable[[int], np.ndarray | None]


def share_of_marches(made: InLanes, sets: np.ndarray, repeats: int) -> float:
    """What the marches of tiles take of runs in lanes: a run of the same tiles in which they are marched twice tells."""
    tile = made._tile
    once = tile.march

    def twice(limits_of: Limits) -> list[bool]:
        kept = tile._values.copy()
        once(limits_of)
        tile._values[:] = kept
        return once(limits_of)

    def runs_with(march: Callable[[Limits], list[bool]]) -> None:
        tile.march = march  # type: ignore[method-assign,assignment]
        made.run_many(sets)

    more, plain = alternately(partial(runs_with, twice), partial(runs_with, once), repeats)
    tile.march = once  # type: ignore[method-assign]
    return ratio(more, plain) - 1.0


def grid(size: Size, report: Report) -> None:
    """Runs of a grid of two axes, as a study has them: some of all over it, in its batches and each by itself."""
    vary = {"omega": {"from": 7.0, "to": 9.0, "count": 100}, "a": {"from": 0.98, "to": 1.02, "count": 100}}
    made = prepare(FOUR_BAR, vary, {"last": "final(crank.angle)"}, simulation={"end": 1.0})
    runner = made.runner.copy()
    runs = np.concatenate([made.plan.values(k, k + 8) for k in range(0, made.plan.runs - 8, made.plan.runs // min(size.runs, 20))])
    few = runs[::8]
    quick, plain = alternately(partial(made.batches.run, runs), partial(runner.run_many, few), size.repeats)
    rates = len(runs) / statistics.median(quick), len(few) / statistics.median(plain)
    report.figure(
        "Four-bar, a grid of 100 by 100, 1 s: runs a second of processor time", ">= 3 times as many",
        f"**{rates[0]:,.0f}**, each by itself {rates[1]:,.0f}: {rates[0] / rates[1]:.1f} times as many", rates[0] >= 3.0 * rates[1],
    )  # fmt: skip


def whole_call(size: Size, report: Report) -> None:
    """A study of double pendulums into a file by one worker: all that `mbsim study` does once it has read and compiled."""
    vary = {"initial.theta1": {"from": 1.9, "to": 2.1, "count": 2 * size.throughput}}
    made = prepare(MODELS / "double_pendulum.yaml", vary, {"last": "final(theta1)"}, simulation={"end": 1.0})
    made.batches.run(made.plan.values(0, 1))  # compiled before
    rates = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(size.turns):
            began = time.process_time()
            run_study(made, Path(folder) / f"{turn}.h5", make_pool(1))
            rates.append(made.plan.runs / (time.process_time() - began))
    report.figure(
        f"Double pendulum, a study of {made.plan.runs} runs of 1 s into a file, 1 worker", ">= 20,000 a second and core",
        f"**{max(rates):,.0f}** a second of processor time", max(rates) >= 20_000.0,
    )  # fmt: skip


IMPLICIT = {"method": "generalized_alpha"}  # 1000 steps of equal size
RODS = 8  # of the beam
CHOSEN = {"integrator": "dop853", "output_step": 0.01}  # steps by the default tolerances


def lanes(size: Size, report: Report) -> None:
    """Runs of 1 s with all rows and one number each: in lanes, and each by itself; and a study of them with two workers.

    They take 1000 steps of rk4 or of generalized_alpha, 200 of rk4 of which one in twenty is cut, or those of dop853 with 100 rows, and
    the largest reaction asks for rows between these.
    """
    beams = [beam(RODS, coordinates, 1.0, 1e-3) for coordinates in ("absolute", "joint")]
    cases: list[tuple[str, str, str, str, tuple[float, float], dict[str, Any], str]] = [
        ("Double pendulum", "double_pendulum", "initial.theta1", "final(theta1)", (1.9, 2.1), {}, ">= 20,000 a second"),
        ("Four-bar", "four_bar", "omega", "final(crank.angle)", (7.0, 9.0), {}, ">= 1,250 a second"),
        ("Four-bar, steps of 5 ms", "four_bar", "omega", "final(crank.angle)", (7.0, 9.0), {"step": 5e-3}, ">= 3 times as many"),
        ("Four-bar, a reaction", "four_bar", "omega", "max(norm(joint_force:A))", (7.0, 9.0), {}, ">= 3 times as many"),
        ("Four-bar, an energy", "four_bar", "omega", "max(energy_kinetic)", (7.0, 9.0), {}, ">= 3 times as many"),
        ("Four-bar, a point", "four_bar", "omega", "max(coupler.B.x)", (7.0, 9.0), {}, ">= 3 times as many"),
        ("Four-bar, a crossing", "four_bar", "omega", "first_time(rocker.angle > 1.5)", (7.0, 9.0), {}, ">= 3 times as many"),
        ("Double pendulum, dop853", "double_pendulum", "initial.theta1", "final(theta1)", (1.9, 2.1), CHOSEN, ">= 3 times as many"),
        ("Four-bar, dop853", "four_bar", "omega", "final(crank.angle)", (7.0, 9.0), CHOSEN, ">= 3 times as many"),
        ("Four-bar, dop853, a reaction", "four_bar", "omega", "max(norm(joint_force:A))", (7.0, 9.0), CHOSEN, ">= 3 times as many"),
        ("Double pendulum, implicit", "double_pendulum", "initial.theta1", "final(theta1)", (1.9, 2.1), IMPLICIT, ">= 3 times as many"),
        ("Four-bar, implicit", "four_bar", "omega", "final(crank.angle)", (7.0, 9.0), IMPLICIT, ">= 3 times as many"),
        ("Beam of 8 rods, implicit", beams[0], "gravity[1]", "final(r7.angle)", (-9.9, -9.7), IMPLICIT, ">= 3 times as many"),
        ("The same, joint coordinates", beams[1], "gravity[1]", "final(j7.angle)", (-9.9, -9.7), IMPLICIT, ">= 3 times as many"),
    ]
    shares: list[tuple[str, float]] = []
    for title, model, vary, output, ends, simulation, target in cases:
        source = load_model(model) if "\n" in model else MODELS / f"{model}.yaml"
        runners = [Runner(source, [vary], {"x": output}, end=1.0, simulation=simulation) for _ in range(2)]
        for runner in runners:
            runner.keeps_result = False  # as studies have them
        sets = np.linspace(*ends, 20 * size.runs)[:, None]
        few = sets[:: 20 * size.repeats]
        made = InLanes(runners[0], sets, 10**6)
        shares.append((title, share_of_marches(made, sets, size.repeats)))
        quick, plain = alternately(partial(made.run_many, sets), partial(runners[1].run_many, few), size.repeats)
        rates = len(sets) / statistics.median(quick), len(few) / statistics.median(plain)
        off = max(
            float(abs(a.values - b.values)[0] / abs(b.values)[0]) for a, b in zip(made.run_many(few), runners[1].run_many(few), strict=True)
        )
        least = {">= 20,000 a second": 20_000.0, ">= 1,250 a second": 1250.0}.get(target, 3.0 * rates[1])
        report.figure(
            f"{title}, 1 s: runs a second of processor time in lanes", target,
            f"**{rates[0]:,.0f}**, each by itself {rates[1]:,.0f}: {rates[0] / rates[1]:.1f} times as many; "
            f"numbers differ by {off:.1g} at most", rates[0] >= least,
        )  # fmt: skip
    told = ", ".join(f"{title[0].lower() + title[1:]} **{share:.2f}**" for title, share in shares)
    report.figure(
        "Marches of tiles / runs in lanes, with their starts and outputs", ">= 0.8", told, all(share >= 0.8 for _, share in shares)
    )
    grid(size, report)
    whole_call(size, report)
    report.note(f"Meanwhile {os.getloadavg()[0]:.1f} processes wanted the {os.cpu_count()} processors, these runs among them.")
    made_study = prepare(FOUR_BAR, {"omega": {"from": 7.0, "to": 9.0, "count": size.throughput}}, {"last": "final(crank.angle)"},
                         simulation={"end": 1.0})  # fmt: skip
    made_study.batches.run(made_study.plan.values(0, 1))  # compiled before
    clock, used = [], []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(size.turns):
            at = make_pool(2, "threads")
            began = time.perf_counter(), time.process_time()
            run_study(made_study, Path(folder) / f"{turn}.h5", at)
            clock.append(time.perf_counter() - began[0])
            used.append(time.process_time() - began[1])
            at.close()
    report.figure(
        f"Four-bar, a study of {size.throughput} runs of 1 s, 2 threads", "4 s of 2 processors",
        f"**{min(used):.2f} s** of processor time, {min(clock):.2f} s by the clock", min(used) <= 8.0,
    )  # fmt: skip
