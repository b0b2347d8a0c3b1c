"""The ring `pytest -m quick`: a little of every layer, within a minute once the kernels are compiled (docs/contributing.md).

A line is a file of tests, or a test in it, as pytest names them; `*` stands for anything. conftest.py marks what they name, and collects no
other files for `-m quick`; tests/scripts/test_rings.py fails where a line names nothing any more. Slow tests are left out.
"""

import re
from pathlib import Path

import pytest

NAMES = (
    # reading: YAML, positions of errors, expressions, blocks of a model file, derivation
    "model/test_expressions.py",
    "model/test_model_errors.py",
    "model/test_positions.py",
    "model/test_model_blocks.py",
    "model/test_symbolic.py",
    "model/test_shipped_models.py::test_a_shipped_model_loads",
    "model/test_urdf.py::test_refused",
    # machine code and the cache
    "jit/test_kernels.py",
    "jit/test_entries.py",
    # kernels: rows of constraints against central differences, tableaus, accelerations against the plain equations
    "system/test_constraint_derivatives.py::test_joint[*-ground_second]",
    "elements/test_extending.py",
    "system/test_force_library.py::test_power_is_the_work_of_the_load_and_what_it_stores",
    "system/test_force_library.py::test_internal_forces_keep_momentum",
    "system/test_force_library.py::test_contact_pushes_only",
    "system/test_force_library.py::test_limit_never_pulls",
    "system/test_forces_and_energy.py",
    "integrators/test_coefficients.py",
    "methods/test_accelerations.py::test_equal_the_augmented_equations[*four_bar*",
    "methods/test_accelerations.py::test_equal_the_augmented_equations[*rolling_disk-svd]",
    # runs: every method and every integrator in absolute coordinates, all methods of trees in joint coordinates
    "methods/test_everything.py::test_agrees_with_the_reference[*-rk4-four_bar]",
    "methods/test_everything.py::test_agrees_with_the_reference[*-auto-four_bar]",
    "methods/test_everything.py::test_agrees_with_the_reference[lagrange-*-four_bar]",
    "methods/test_tree_methods.py::test_every_integrator_marches_a_tree[rk4]",
    "methods/test_tree_methods.py::test_methods_agree_and_equal_absolute_coordinates[0-*]",
    "methods/test_tree_methods.py::test_methods_agree_and_equal_absolute_coordinates[1-2]",
    "simulation/test_start.py::test_fixed_coordinates_stay_and_the_rest_follows",
    "simulation/test_start.py::test_contradict*",
    "simulation/test_start.py::test_out_of_reach",
    "simulation/test_stop_and_output.py::test_the_run_ends_at_the_crossing*",
    "simulation/test_failures.py::test_stops_keeps_the_result_and_says_where[svd-*",
    "simulation/test_failures.py::test_settings_that_do_not_fit",
    # contact and dry friction
    "unilateral/test_contact_closed_forms.py::test_box_tips",
    "unilateral/test_contact_closed_forms.py::test_two_blocks*",
    # physics in closed form
    "physics/test_pendulum_dae.py",
    "physics/test_quick_return.py::test_digits_of_the_delft_mechanism[lagrange]",
    "physics/test_quick_return.py::test_digits_of_the_delft_mechanism[svd]",
    "physics/test_quick_return.py::test_start_of_the_delft_mechanism",
    "physics/test_closed_forms.py::test_pendulum_period[*svd]",
    "physics/test_closed_forms.py::test_torque_free_body[*",
    # results and commands
    "results/test_results_file.py",
    "results/test_result_access.py",
    "results/test_plots.py::test_overview",
    "results/test_plots.py::test_items*",
    "results/test_plots.py::test_paths",
    "results/test_commands.py",
    "simulation/test_check.py::test_assemble*",
    "simulation/test_inverse.py::test_inverse_of_forward_dynamics[0-*",
    "simulation/test_inverse.py::test_forward_kinematics",
    "comparison/test_plan.py",
    "comparison/test_verdict.py",
    "quality/test_quality.py::test_an_imbalance_is_graded_by_the_energy_that_is_there",
    "quality/test_quality.py::test_the_estimate_is_near_the_error[*",
    "quality/test_quality.py::test_strict_makes_a_warning_an_exit_code",
    # many runs of one model
    "studies/test_functionals.py",
    "studies/test_runner.py::test_equal_to_simulate",
    "studies/test_study.py::test_all_mistakes_at_once",
    # what a mechanism looks like
    "view/test_scene.py::test_shapes_are_recognised",
    "view/test_scene.py::test_pitch_circles_touch",
    "view/test_draw.py::test_symbols_lie_where_the_result_says",
    "view/test_files.py::test_gltf_holds_the_motion",
    # documents, and these rings
    "docs/test_documentation.py::test_links_lead_somewhere",
    "docs/test_documentation.py::test_every_leaf_has_a_section",
    "scripts/test_rings.py",
)

TESTS = Path(__file__).parent
# A line names a test with all of its parameters, and a file all of its tests.
PATTERNS = {name: re.compile(re.escape(name).replace(r"\*", ".*") + r"(\[.*\]|::.*)?") for name in NAMES}
FILES = {TESTS / name.partition("::")[0] for name in NAMES}
STALE = pytest.StashKey[list[str] | None]()  # lines that name no test; None where not all tests were looked at


def mark(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the lines name, and note those that name nothing."""
    unseen = set(NAMES)
    for item in items:
        if item.path not in FILES:
            continue
        name = item.path.relative_to(TESTS).as_posix() + item.nodeid[item.nodeid.index("::") :]
        found = {line for line, pattern in PATTERNS.items() if pattern.fullmatch(name)}
        if found and item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.quick)
            unseen -= found
    config.stash[STALE] = sorted(unseen) if asked_for_everything(config) else None


def asked_for_everything(config: pytest.Config) -> bool:
    """Whether no file or test is named on the command line."""
    return [(config.invocation_params.dir / argument).resolve() for argument in config.args] == [TESTS.resolve()]


def left_out(path: Path, config: pytest.Config) -> bool:
    """Whether `-m quick` need not import a file: to import them all takes as long as to run the ring."""
    return path.suffix == ".py" and path not in FILES and config.option.markexpr == "quick"
