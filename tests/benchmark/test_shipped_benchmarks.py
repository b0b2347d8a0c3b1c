"""Every shipped model with published values meets them at its own setting, with half of the tolerance to spare."""

import runpy
from pathlib import Path

import pytest

import mbsim
from mbsim.studies.bench.cases import MET, Case, read_case
from mbsim.studies.bench.measure import trial
from mbsim.studies.bench.search import MARGIN
from mbsim.studies.compare.worker import in_process

ROOT = Path(__file__).parents[2]
CASES = [case for path in sorted((ROOT / "models").glob("*.yaml")) if (case := read_case(path)) is not None]
RUNS = [case for case in CASES if case.wanted]  # the others have states only: tests/plain/test_published_states.py
SIZE = 12  # of the chains of rods that models/ holds
# What the box has to hold; others may be added.
PUBLISHED = {
    "andrews_squeezer", "andrews_squeezer_iftomm", "ball_on_turntable", "bistable_toggle", "bricard", "catenary", "chaplygin_sleigh",
    "chrono_revolute", "chrono_spherical", "chrono_universal", "cycloidal_pendulum", "elliptic_pendulum", "flyball_governor", "free_body",
    "hanging_chain", "heavy_top", "heavy_top_steady", "hinged_beam", "iftomm_pendulum", "n_four_bar_1", "n_four_bar_2", "n_four_bar_40",
    "pendulum_dae", "porter_governor", "quick_return_delft", "rolling_disk_steady", "rolling_disk_threshold", "rolling_hoop_threshold",
    "sleeping_top", "slider_crank_sundials", "spherical_pendulum", "sundials_pendulum", "swinging_rod", "tensegrity_prism",
    "whipple_bicycle", "whirling_rotor",
}  # fmt: skip


def test_the_benchmarks_are_there() -> None:
    assert {case.name for case in CASES} >= PUBLISHED


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_a_shipped_benchmark_is_met(case: Case) -> None:
    runner = in_process(mbsim.assemble(mbsim.load_model(case.file)))
    runner.open()
    found = trial(runner, case, case.own, 1)
    assert found.verdict == MET, found.reason
    assert found.ratio <= MARGIN, found.worst


@pytest.mark.parametrize("n", [1, 2, 40])
def test_the_four_bars_are_what_their_script_writes(n: int) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "n_four_bar.py"))
    assert (ROOT / "models" / f"n_four_bar_{n}.yaml").read_text(encoding="utf-8") == script["model"](n)


@pytest.mark.parametrize("name", ["catenary", "hanging_chain", "hinged_beam"])
def test_the_chains_of_rods_are_what_their_script_writes(name: str) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "rods.py"))
    assert (ROOT / "models" / f"{name}.yaml").read_text(encoding="utf-8") == script["MODELS"][name](SIZE)
