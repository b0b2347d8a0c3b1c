"""Families of tests that run as plain Python (NUMBA_DISABLE_JIT=1), because each model of theirs would compile for a second or more.

They look at numbers at single states or of a few steps. Plain Python runs the same sources of kernels, and of code that is generated from
models, as the compiler takes. That both give the same numbers is tested by simulation/test_processes.py and
integrators/test_without_compiler.py, and every kind of model that is here is also run compiled elsewhere.

The tests are collected as usual. Where tests run compiled, each is handed to a second process of pytest, which this process starts when it
needs it, and the result is reported here. `pytest --compiled` runs them compiled, like all others; with NUMBA_DISABLE_JIT=1 everything runs
as plain Python in one process, which is what a debugger needs.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import quick_ring

COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")  # as in mbsim.jit, which need not be imported for this
TESTS = Path(__file__).parent
# A line is a folder, a file, or a test of it with all of its parameters.
NAMES = (
    "docs/test_documentation.py::test_every_example_loads_and_assembles",
    "integrators/test_turning.py::test_planar_vectors_turn_with_the_bodies",
    "integrators/test_turning.py::test_vectors_turn_with_the_bodies",
    "methods/test_cfa_absolute.py::test_loops_equal_lagrange",
    "methods/test_cfa_absolute.py::test_trees_do_not_fill_in_and_equal_lagrange",
    "methods/test_constraint_force_equations.py",
    "methods/test_coupled_stages.py::test_solution_by_blocks",
    "methods/test_flow_blocks.py::test_solution",
    "methods/test_implicit_loops.py",
    "methods/test_implicit_steps.py",
    "methods/test_printed_equations.py",
    "methods/test_tree_rows.py::test_random_trees_with_loops_and_drivers",
    "methods/test_tree_rows.py::test_rows_of_every_kind",
    "model/test_ground_points.py",
    "model/test_mjcf.py",
    "model/test_shapes.py",
    "model/test_urdf_joints.py::test_rigid_limits_and_friction_bear_their_loads_at_rest",
    "model/test_urdf_visuals.py",
    "physics/test_curves_of_equilibria.py::test_a_truss_in_one_coordinate_of_ones_own",
    "physics/test_curves_of_equilibria.py::test_a_truss_snaps_through",
    "physics/test_curves_of_equilibria.py::test_it_snaps_back_the_same_way",
    "physics/test_curves_of_equilibria.py::test_the_buckled_shape_is_followed",
    "physics/test_curves_of_equilibria.py::test_the_result_is_one_of_a_run",
    "physics/test_curves_of_equilibria.py::test_two_links_buckle_twice",
    "physics/test_curves_of_equilibria.py::test_what_does_not_matter_and_what_is_wrong_is_refused",
    "physics/test_curves_of_equilibria.py::test_what_flutters_is_said",
    "physics/test_elastic_stations_spin.py::test_rows_of_stations_are_the_rates_of_their_residuals",
    "physics/test_modes_of_turning.py",
    "physics/test_neutral_positions.py",
    "physics/test_point_masses.py::test_every_method",
    "physics/test_resting.py::test_chains_rest_where_their_potential_is_least",
    "plain",
    "quality/test_moved.py",
    "simulation/test_inverse.py::test_inverse_of_forward_dynamics",
    "simulation/test_kinematics_command.py::test_refused",
    "simulation/test_locked_numbers.py",
    "simulation/test_python_forces.py::test_tangents_are_differences",
    "system/test_block_tangents.py",
    "system/test_box_contact_rows.py",
    "system/test_constraint_derivatives.py::test_driver",
    "system/test_constraint_derivatives.py::test_driver_of_a_speed",
    "system/test_constraint_derivatives.py::test_equations_between_planar_bodies",
    "system/test_constraint_derivatives.py::test_equations_between_spatial_bodies",
    "system/test_constraint_derivatives.py::test_equations_in_users_coordinates",
    "system/test_constraint_derivatives.py::test_joint",
    "system/test_constraint_derivatives.py::test_rolling_disk",
    "system/test_contact_rows.py",
    "system/test_station_tangents.py",
    "system/test_couplings.py::test_every_method",
    "system/test_force_library.py::test_contact_pushes_only",
    "system/test_force_library.py::test_internal_forces_keep_momentum",
    "system/test_force_library.py::test_laws_over_the_force_s_own_names",
    "system/test_force_library.py::test_limit_never_pulls",
    "system/test_force_library.py::test_power_is_the_work_of_the_load_and_what_it_stores",
    "system/test_force_records.py",
    "system/test_forces_and_energy.py",
    "system/test_given_surfaces.py",
    "system/test_jacobians.py",
    "system/test_resistance_rows.py",
    "system/test_rotors.py",
    "system/test_round_contact_rows.py::test_derivatives",
    "system/test_round_contact_rows.py::test_slip_in_space_is_that_of_the_material_points",
    "system/test_round_contact_rows.py::test_tangents",
    "system/test_solid_distances.py",
    "system/test_tables.py::test_equations_and_forces_of_bodies_against_differences",
    "system/test_tangents.py::test_tangents",
    "system/test_tangents.py::test_the_stiffness_of_a_potential_is_symmetric",
    "system/test_trees.py::test_rows_of_loops_and_drivers_are_derivatives",
    "system/test_tyre_speeds.py",
    "view/test_contact_arrows.py::test_pairs_in_the_plane",
    "view/test_scene.py",
)


def named(item: pytest.Item) -> str | None:
    """The line that names a test."""
    return line_of(item.nodeid.partition("[")[0].removeprefix("tests/"))


@cache
def line_of(test: str) -> str | None:
    """The line that names a test without its parameters."""
    return next((line for line in NAMES if test == line or test.startswith((f"{line}/", f"{line}::"))), None)


STALE = pytest.StashKey[list[str] | None]()  # lines that name no test; None where not all tests were looked at


def note(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note the lines that name no test."""
    complete = quick_ring.asked_for_everything(config) and config.option.markexpr != "quick"
    config.stash[STALE] = sorted(set(NAMES) - {named(item) for item in items}) if complete else None


def convert(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put a test of the second process in the place of each that a line names."""
    if COMPILES and not config.option.compiled:
        items[:] = [item if named(item) is None else PlainItem.of(item) for item in items]


class PlainItem(pytest.Item):
    """A test that runs in the second process. It has the name and the marks of the one that was collected."""

    @classmethod
    def of(cls, item: pytest.Item) -> "PlainItem":
        assert item.parent is not None
        made: PlainItem = cls.from_parent(item.parent, name=item.name)
        made.own_markers[:] = item.own_markers
        made.location_of = item.location
        return made

    def runtest(self) -> None:
        outcome, text = process(self.config).run(self)
        if outcome == "skipped":
            pytest.skip(text)
        if outcome != "passed":
            raise PlainFailure(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, PlainFailure) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        _, line, name = self.location_of
        return self.path, line, name


class PlainFailure(Exception):
    """A test failed in the second process; the text is its report."""


PROCESS = pytest.StashKey["Process"]()


def process(config: pytest.Config) -> "Process":
    """The second process, started at the first call."""
    if PROCESS not in config.stash:
        config.stash[PROCESS] = Process(config)
        config.add_cleanup(config.stash[PROCESS].close)
    return config.stash[PROCESS]


class Process:
    """A process of plain Python that collects the files of `NAMES` and runs those tests that it is told to, one at a time."""

    def __init__(self, config: pytest.Config) -> None:
        paths = os.pathsep.join([str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": paths}
        for key in [key for key in environment if key.startswith(("PYTEST_", "COV_"))]:
            del environment[key]
        words = [sys.executable, "-W", "ignore", str(Path(__file__)), config.option.markexpr]
        self._process = subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=config.invocation_params.dir
        )

    def run(self, item: pytest.Item) -> tuple[str, str]:
        """The outcome of a test, and what is said of it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(item.path), item.nodeid.partition("::")[2]]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise PlainFailure(f"the process of plain Python ended with exit code {self._process.wait()}")
        outcome, text = json.loads(answer)
        return outcome, text

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Served:
    """The second process's side: a plugin of its pytest that takes orders where pytest would run all that it collected."""

    def __init__(self) -> None:
        # Before pytest takes standard input and output for what it captures, and without what it prints.
        self._orders, self._answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        self._reports: list[pytest.TestReport] = []
        self._unread: list[str] = []  # why files could not be collected

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {(str(item.path), item.nodeid.partition("::")[2]): item for item in session.items}
        for line in self._orders:
            path, name = json.loads(line)
            item = items.get((path, name))
            if item is None:
                self._answer("failed", "\n".join([f"the process of plain Python knows no test {path}::{name}", *self._unread]))
                continue
            self._reports.clear()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            bad = next((report for report in self._reports if not report.passed), None)
            self._answer(*("passed", "") if bad is None else (bad.outcome, said(bad)))
        return True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._unread.append(report.longreprtext)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)

    def _answer(self, outcome: str, text: str) -> None:
        self._answers.write(json.dumps([outcome, text]) + "\n")
        self._answers.flush()


def said(report: pytest.TestReport) -> str:
    """The reason of a skip, or the report of a failure with what was printed."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return "\n".join([report.longreprtext, *(f"{title}\n{text}" for title, text in report.sections)])


def serve(marks: str) -> int:
    """Run as the second process, for a run of the tests with these `marks`."""
    served = Served()
    files = {TESTS / line.partition("::")[0] for line in NAMES}
    if marks == "quick":
        files &= quick_ring.FILES
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
    return pytest.main([*words, *sorted(map(str, files))], plugins=[served])


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1]))
