"""Families of tests of which the default run takes a part, so that it stays under 15 minutes on two cores; `-m slow` runs the others.

Of a test with several parameters every third combination is taken, or every second: those whose parameters' places add up to a multiple
of that. So each value of each parameter is there. The quick ring (quick_ring.py) keeps what it names, and `KEPT` is taken in any case.
"""

from collections import defaultdict

import pytest
import quick_ring

SLOW = pytest.mark.slow
TAKEN = {  # test -> one of so many
    "methods/test_cfa_absolute.py::test_loops_equal_lagrange": 3,
    "methods/test_cfa_absolute.py::test_trees_do_not_fill_in_and_equal_lagrange": 3,
    "methods/test_tree_rows.py::test_random_trees_with_loops_and_drivers": 4,
    "plain/test_equilibrium.py::test_spring_loaded_linkages": 6,
    "plain/test_modes.py::test_the_bicycle": 5,
    "physics/test_branches.py::test_shafts_that_fold_back_on_each_other": 3,
    "integrators/test_error_control.py::test_error_follows_the_tolerance": 4,
    "integrators/test_error_control.py::test_failures_are_named_and_the_result_is_kept": 5,
    "integrators/test_error_control.py::test_output_times_do_not_change_the_motion": 4,
    "integrators/test_error_control.py::test_redundant_constraints": 3,
    "integrators/test_error_control.py::test_drift_stays_bounded_over_a_long_run": 3,
    "integrators/test_error_control.py::test_chunks_do_not_change_the_result": 4,
    "integrators/test_order.py::test_fitted_order": 3,
    "integrators/test_ida.py::test_forms": 2,
    "methods/test_accelerations.py::test_equal_the_augmented_equations": 3,
    "methods/test_step_methods.py::test_constraints_hold_at_every_step": 4,
    "methods/test_held_basis.py::test_holding_changes_the_work_and_not_the_motion": 2,
    "physics/test_branches.py::test_a_step_is_taken_in_parts_where_it_is_too_long": 2,
    "physics/test_drivers.py::test_universal_joint_driven_in_a_mechanism": 3,
    "physics/test_drivers.py::test_both_angles_of_a_universal_joint": 4,
    "physics/test_drivers.py::test_hydraulic_cylinder": 3,
    "physics/test_drivers.py::test_many_turns": 3,
    "physics/test_kinematics.py::test_grashof": 3,
    "physics/test_long_runs.py::test_drift_settings": 2,
    "physics/test_long_runs.py::test_energy_balance_and_residuals_stay_small": 5,
    "physics/test_rolling.py::test_chaplygin_sleigh": 2,
    "physics/test_singular_positions.py::test_folding_four_bar_keeps_its_branch": 2,
    "physics/test_singular_positions.py::test_windows_stay_parallel_and_on_time": 2,
    "physics/test_states.py::test_a_controlled_arm_moves_as_its_closed_form": 3,
    "simulation/test_failures.py::test_stops_keeps_the_result_and_says_where": 3,
    "simulation/test_processes.py::test_same_numbers_without_the_compiler": 2,
    "system/test_constraint_derivatives.py::test_driver": 3,
    "system/test_contact_rows.py::test_derivatives": 2,
    "system/test_couplings.py::test_angles_of_a_universal_joint": 2,
}
# Tests that notice an error of `scripts/mutations.py`.
KEPT = {
    "integrators/test_order.py::test_fitted_order[driven_pendulum-lagrange-rk4-none]",
    "methods/test_accelerations.py::test_equal_the_augmented_equations[four_bar-nullspace]",
    "methods/test_accelerations.py::test_equal_the_augmented_equations[four_bar-svd]",
}
# Of `scripts/test_quick.py::test_quick`: scripts whose quick run takes longest; each draws pictures or compiles another tree.
SCRIPTS = (
    "benchmark_trunk", "benchmark_iftomm", "benchmark_exudyn", "benchmark_loops", "figures", "quick_return_figures", "pendulum_figures",
    "benchmark_stiff", "benchmark_studies", "benchmark_trees", "space_robot_figures",
    "benchmark_dissection", "errata", "root_finding", "import_mjcf",
)  # fmt: skip

STALE = pytest.StashKey[list[str] | None]()  # names that no test has; None where not all tests were looked at
MISSED = pytest.StashKey[list[str]]()  # tests and words (of a method, a joint, a model ...) that no combination taken has


def mark(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow what the default run leaves out, and note the names that no test has."""
    unseen = {*TAKEN, *KEPT, *SCRIPTS}
    words, taken = set[tuple[str, str]](), set[tuple[str, str]]()
    places: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for item in items:
        full, callspec = item.nodeid.removeprefix("tests/"), getattr(item, "callspec", None)
        name = full.partition("[")[0]
        if callspec is None:
            continue
        script = callspec.id if name == "scripts/test_quick.py::test_quick" else ""
        unseen -= {script, name, full}
        if name in TAKEN:  # not callspec.indices: in some versions of pytest it numbers the combinations, not the values
            seen = [(places[name, parameter], str(value)) for parameter, value in callspec.params.items()]
            left_out = sum(place.setdefault(value, len(place)) for place, value in seen) % TAKEN[name] > 0 and full not in KEPT
            found = {(name, value) for value in callspec.params.values() if isinstance(value, str)}
            words |= found
            taken |= set() if left_out else found
        else:
            left_out = script in SCRIPTS
        if left_out and item.get_closest_marker("quick") is None:
            item.add_marker(SLOW)
    complete = quick_ring.asked_for_everything(config) and config.option.markexpr != "quick"
    config.stash[STALE] = sorted(unseen) if complete else None
    config.stash[MISSED] = [f"{name}: {word}" for name, word in sorted(words - taken)]
