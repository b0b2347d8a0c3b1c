"""The ring `slow`: what the default run leaves to `-m slow`, so that it stays under ten minutes on two cores; listed here or marked.

A case is in the default run, whole, or it is here by name. Of a test whose cases are here, those that its line names stay: no more than
the models, methods or numbers that show that the test itself works, and those that notice an error of `scripts/mutations.py`.
"""

import re

import pytest
import quick_ring

# A test with all of its parameters, or with such cases (`*`: any text) -> the cases of it that stay in the default run.
LEFT: dict[str, tuple[str, ...]] = {
    # scripts and documents, which run many models
    "docs/test_documentation.py::test_python_examples_run_and_print_what_they_say[python]": (),
    "docs/test_errata.py::test_the_document_quotes_what_the_script_prints": (),
    "docs/test_plugin.py::test_an_installed_package_runs": (),
    "docs/test_tutorials.py::test_a_tutorial_prints_what_it_says": ("four_bar",),
    "mutations/test_mutations.py::test_quick": (),
    "scripts/test_quick.py::test_a_full_run_without_its_peer_is_refused": ("benchmark_exudyn",),
    "scripts/test_quick.py::test_quick": ("benchmark_methods", "n_four_bar", "rods"),
    # compilers, processes of their own and stiff structures, which take seconds each
    "attack/test_damage_results.py::test_damage_results": (),
    "attack/test_random_contacts.py::test_other_methods_find_the_same": ("lagrange-rk45",),
    "comparison/test_compare.py::test_a_model_with_beams_is_compared_by_default": (),
    "jit/test_fastload_trial.py::test_a_numba_that_has_changed_does_all_itself": ("a*",),
    "jit/test_late.py::test_derivatives_of_what_is_late_are_found_in_a_new_process": ("asked1-50.0",),
    "physics/test_curves_of_equilibria.py::test_a_truss_snaps_through": (),
    "physics/test_resting.py::test_the_command": (),
    "physics/test_snapping_beams.py::test_a_thin_strip_buckles_sideways": (),
    "plain/test_equilibrium.py::test_the_dead_point_of_a_toggle_is_said_to_be_unstable": (),
    "programs/test_derivatives_of_phases.py::test_what_is_locked_and_unlocked": ("2",),
    "programs/test_fmu.py::test_steps_between_outputs_give_the_numbers_of_a_run": (),
    "programs/test_implicit_units.py::test_the_bits_of_a_stepper": (),
    "programs/test_library.py::test_a_body_that_turns_far_is_no_singular_position": (),
    "programs/test_phases.py::test_a_unit_gives_the_numbers_of_a_run": ("plane",),
    "programs/test_stops_in_exchange.py::test_an_input_that_jumps_lets_go_what_it_pulls": ("3",),
    "programs/test_stops_in_exchange.py::test_cvode_finds_the_motion_of_a_run": ("disk-3",),
    "programs/test_stops_in_units.py::test_a_unit_gives_the_numbers_of_a_run": ("ball", "stool"),
    "programs/test_stops_that_share_phases.py::test_a_unit_gives_the_numbers_of_a_run": ("chain*",),
    "simulation/test_beam_runs.py::test_a_beam_in_space_begins_to_slip_across_and_along_a_floor": ("0.001-radau",),
    "simulation/test_solid_contacts.py::test_a_box_slides_down_beside_another_one_that_it_touches": (),
    "studies/test_direct.py::test_two_hinges_of_a_door": (),
    "studies/test_engine.py::test_processes_without_a_guard_for_the_main_module": (),
    "studies/test_lanes.py::test_shipped_models_choose_their_steps_as_by_themselves": ("double_pendulum", "four_bar", "rolling_disk"),
    # many mechanisms, or long ones
    "attack/test_modes_of_the_flow.py::test_eigenvalues_of_the_flow[0-loops]": (),
    "attack/test_random_mechanisms.py::test_mechanisms_are_right_or_said_not_to_be": ("*-0",),
    "benchmark/test_shipped_benchmarks.py::test_a_shipped_benchmark_is_met[cam_follower]": (),
    "benchmark/test_shipped_benchmarks.py::test_a_shipped_benchmark_is_met[rolling_disk_threshold]": (),
    "benchmark/test_bench_command.py::test_the_search_says_when_nothing_meets_the_values": (),
    "comparison/test_compare_command.py::test_a_preset_runs_a_papers_example_with_its_settings": (),
    "attack/test_event_sensitivities.py::test_random_models_agree_with_differences": ("0", "2"),
    "attack/test_random_contacts.py::test_random_bodies_move_as_the_oracle_does": ("271",),
    "attack/test_random_stops.py::test_random_chains_move_as_the_oracle_does": ("3002-*", "3013-*", "3021-joint"),
    "attack/test_random_spatial_contacts.py::test_random_bodies_obey_the_laws": ("9",),
    "attack/test_one_sided.py::test_chains_with_stops_and_contacts_come_to_rest_where_their_potential_is_least": (),
    "programs/test_derivatives_of_phases.py::test_what_is_closed": ("given friction",),
    "simulation/test_freed.py::test_a_run_leaves_nothing_to_search_for": ("row", "four_bar"),
    "methods/test_coupled_stages.py::test_runs_by_blocks": ("absolute-*",),
    "methods/test_cfa_absolute.py::test_loops_equal_lagrange": ("2-*", "3-2"),
    "methods/test_cfa_absolute.py::test_trees_do_not_fill_in_and_equal_lagrange": ("2-*", "3-2"),
    "methods/test_flow_blocks.py::test_solution[complex-absolute-*]": ("complex-absolute-spatial loop",),
    "methods/test_general_form.py::test_equal_the_augmented_equations[disk, V2]": (),
    "methods/test_implicit_loops.py::test_joints_of_every_kind": ("*-index 3",),
    "methods/test_tree_methods.py::test_methods_agree_and_equal_absolute_coordinates": tuple(f"{seed}-*" for seed in range(50)),
    "methods/test_tree_rows.py::test_random_trees_with_loops_and_drivers": ("0-*", "1-*", "2-*", "3-*", "4-*"),
    "model/test_positions.py::test_many_values_are_read_within_a_bound_of_memory": ("flow of numbers", "flow of empty lists"),
    "physics/test_branches.py::test_a_step_is_taken_in_parts_where_it_is_too_long": ("*-branch77",),
    "physics/test_branches.py::test_error_control_goes_through_positions_where_branches_meet": ("svd-*",),
    "physics/test_beams.py::test_a_thin_strip_falls_without_its_shear_being_followed": ("2",),
    "physics/test_branches.py::test_with_every_integrator[dop853]": (),
    "physics/test_curves_of_equilibria.py::test_a_column_buckles_about_either_axis_with_order_two": (),
    "physics/test_curves_of_equilibria.py::test_the_command": (),
    "physics/test_elastic_parts.py::test_a_free_part_keeps_energy_and_momentum": (),
    "physics/test_elastic_parts.py::test_auto_follows_all_modes_or_passes_over_them": (),
    "physics/test_modes_of_turning.py::test_a_loop_on_a_turntable_is_the_same_in_both_coordinates": (),
    "physics/test_modes_of_turning.py::test_a_rotor_that_is_not_round_is_seen_from_axes_that_turn_where_its_bearings_are_round": (),
    "physics/test_modes_of_turning.py::test_a_steady_motion_is_balanced_in_a_run": (),
    "physics/test_modes_of_turning.py::test_two_rotors_turn_about_axes_of_their_own_and_values_are_told_once": (),
    "physics/test_neutral_positions.py::test_a_weight_that_turns_on_its_hook_beside_stiff_beams": (),
    "physics/test_resting.py::test_a_table_on_four_legs_in_space": (),
    "physics/test_resting.py::test_a_tilted_box_falls_flat": ("2",),
    "physics/test_quick_return.py::test_digits_of_the_delft_mechanism": ("svd",),
    "physics/test_kinematics.py::test_grashof": ("0", "1", "2", "3", "4", "5", "6", "7"),
    "physics/test_redundant_mechanisms.py::test_planar_loops_in_space_move_in_joint_coordinates": ("*-aba", "*-svd"),
    "physics/test_redundant_mechanisms.py::test_accelerations_equal_those_of_lagrange[4]": (),
    "physics/test_redundant_mechanisms.py::test_motions_equal_those_of_lagrange[5]": (),
    "physics/test_singular_positions.py::test_a_spring_brings_it_to_rest_on_a_bifurcation_and_keeps_it_there": ("lagrange",),
    "physics/test_singular_positions.py::test_folding_four_bar_keeps_its_branch": ("*-0.001-*",),
    "physics/test_singular_positions.py::test_windows_stay_parallel_and_on_time": ("*-0.001-1",),
    "plain/test_equilibrium.py::test_spring_loaded_linkages": ("0", "6"),
    "plain/test_modes.py::test_the_bicycle": ("5", "10"),
    "plain/test_modes.py::test_weave_and_capsize_speeds_of_the_bicycle": ("weave",),
    "plain/test_static_commands.py::test_pictures": ("modes", "own"),
    "physics/test_resting.py::test_chains_rest_where_their_potential_is_least": ("0-joint", "1-*", "3-absolute"),
    "programs/test_fmu.py::test_own_steps_follow_the_tolerance_of_the_importer": ("dop853-2",),
    "programs/test_fmu.py::test_steps_between_outputs_give_the_numbers_of_a_run[four_bar-2]": (),
    "programs/test_phases.py::test_a_unit_gives_the_numbers_of_a_run[space]": (),
    "programs/test_plain.py::test_methods_are_corrected_as_in_the_library": ("lagrange", "nullspace"),
    "programs/test_platforms.py::test_a_march_becomes_an_object_file_of_each_kind": ("x86_64-windows", "aarch64-darwin", "aarch64-linux"),
    "programs/test_plain.py::test_plain_c_gives_the_numbers_of_the_library": (
        "four_bar", "slider_crank", "heavy_top",
    ),
    "simulation/test_flush_cylinders.py::test_one_falls_onto_what_is_as_wide": (
        "centred-steps", "hardly narrower-steps", "hardly wider-events", "a box-steps",
    ),
    "simulation/test_contacts_of_all_sizes.py::test_it_comes_to_rest_where_it_touches": (
        "plane-*-1e-06", "space-ball--1e-06", "*-10000000.0",
    ),
    "simulation/test_event_outputs.py::test_no_ball_falls_through_a_floor_that_throws_it_back[{'integrator': 'bdf'}-*": (
        "{'integrator': 'bdf'}-0.1", "{'integrator': 'bdf'}-0.2",
    ),
    "simulation/test_locks.py::test_sensitivities_go_through_locks": ("direct",),
    "simulation/test_solid_contacts.py::test_a_box_falls_flat_on_another_one_and_stays": ("cross", "offset", "turned"),
    "simulation/test_solid_contacts.py::test_free_solids_keep_their_momentum_and_gain_no_energy": ("0.6",),
    "simulation/test_unilateral_at_rest.py::test_a_stop_lets_go_when_the_load_turns[90-*": ("90-default", "90-radau"),
    "studies/test_cuda.py::test_rows_are_those_of_lanes": ("four_bar-*-lagrange", "double_pendulum-*"),
    "studies/test_direct_events.py::test_a_bouncing_ball": ("auto-auto", "nullspace-radau"),
    "studies/test_direct_events.py::test_speeds_of_a_mechanism_that_are_set_onto_constraints": ("auto", "nullspace"),
    "studies/test_direct_locks.py::test_a_clutch": ("auto",),
    "studies/test_direct_locks.py::test_what_is_held_moves_with_where_it_was_locked[drivers in joint coordinates]": (),
    "simulation/test_fmu_exchange_events.py::test_stops_and_friction_go_on_with_the_unit[*friction*]": (),
    "system/test_box_contact_rows.py::test_tangents[capsule on a box]": (),
    "system/test_solid_distances.py::test_solids_touch_where_their_distance_becomes_zero[box-box]": (),
    "studies/test_direct_locks.py::test_what_is_held_moves_with_where_it_was_locked[a latch]": (),
    "studies/test_direct_locks.py::test_what_is_held_moves_with_where_it_was_locked[a latch in joint coordinates]": (),
    "studies/test_lanes_outputs.py::test_derivatives_by_differences_go_in_lanes": (),
    "studies/test_lanes.py::test_shipped_models_choose_their_steps_as_by_themselves[quick_return]": (),
    "system/test_box_contact_rows.py::test_derivatives_of_edges_that_count": ("cylinder on a polyhedron",),
    "attack/test_contact_units.py::test_a_slide_that_rubs_passes_its_dead_points_in_any_unit_of_length[crank]": (),
    "attack/test_contact_units.py::test_steps_do_not_let_a_slide_stick_near_its_dead_points": (),
    "programs/test_exchange.py::test_cvode_in_fmpy_with_corrections": (),
    "programs/test_exchange.py::test_states_are_kept_and_serialised": ("3",),
    "programs/test_library.py::test_every_march_gives_the_bits_of_a_stepper[generalized_alpha]": (),
    "programs/test_stops_in_units.py::test_a_unit_gives_the_numbers_of_a_run[crank in joint coordinates]": (),
    "simulation/test_flush_boxes.py::test_one_falls_onto_another_one[3-events]": (),
    "system/test_block_tangents.py::test_runs_equal_those_with_dense_matrices": ("*-2", "redundant rows-3", "couplings in space-3"),
    "system/test_box_contact_rows.py::test_derivatives[boxes]": (),
    "studies/test_direct_locks.py::test_what_is_held_moves_with_where_it_was_locked[redundant rows in space*]": (),
    "studies/test_direct_switches.py::test_random_models": (),
    "view/test_study_page.py::test_runs_that_are_no_march": ("equilibrium-1",),
    "integrators/test_corners.py::test_random_laws_against_a_march_with_frozen_cases": tuple(str(seed) for seed in range(45)),
    "model/test_elastic_stations.py::test_frequencies_of_a_spinning_blade": ("2",),
    "physics/test_modes_of_turning.py::test_a_turning_blade_flaps_and_lags": ("12-1.0",),
    "programs/test_indicators.py::test_cvode_finds_the_motion_of_a_run": ("set-2", "with*"),
    "simulation/test_drifted_gaps.py::test_a_slide_with_play_goes_on": ("radau-*",),
    "simulation/test_drifted_gaps.py::test_solvers_of_libraries_go_on_where_what_is_watched_jumps": ("ida-0.7",),
    "simulation/test_flush_cylinders.py::test_one_falls_nearly_flat": ("2e-05",),
    "simulation/test_fmu_exchange.py::test_an_exported_controller_equals_the_one_built_in": ("3-joint",),
    "simulation/test_fmu_tangents.py::test_an_exported_controller_equals_the_one_built_in": ("3",),
    # in joint coordinates derivatives are compiled for it alone; those of trees in space are for system/test_column_groups.py
    "simulation/test_fmu_tangents.py::test_units_that_read_each_other_equal_laws": ("absolute",),
    "simulation/test_jumping_efforts.py::test_efforts_of_a_watch_are_seen_as_those_of_a_crane": ("5.5-1e-06", "8.5-1e-09"),
    "simulation/test_steps_through_contacts.py::test_a_pendulum_hits_a_stop": ("absolute-plane", "joint-space"),
    "simulation/test_steps_through_contacts.py::test_coulombs_oscillator_stops": ("absolute",),
    # the others choose their steps in lanes in the default run, by the same equations
    "studies/test_lanes.py::test_shipped_models_march_as_by_themselves": (
        "four_bar", "heavy_top", "rolling_disk", "space_robot", "cam_follower",
    ),
    "studies/test_lanes_implicit.py::test_random_trees_march_as_by_themselves": ("0-3", "2-2"),
    "studies/test_lanes_implicit.py::test_shipped_models_march_as_by_themselves": (
        "double_pendulum-0", "pendulum_dae-1", "four_bar-*", "quick_return-5", "rolling_disk-7", "planetary_gear-10",
    ),
    "studies/test_lanes_implicit.py::test_the_whole_tangent_is_taken_where_the_other_matrix_is_slow": ("0.01-*", "0.001-four-bar"),
    "studies/test_lanes_outputs.py::test_energies_are_told_as_the_method_has_them": (
        "double_pendulum", "four_bar", "slider_crank", "rolling_disk", "hanging_chain",
    ),
    "system/test_box_contact_rows.py::test_tangents[capsule on a cylinder]": (),
    "system/test_solid_distances.py::test_polyhedra_and_cylinders_touch_where_their_distance_becomes_zero": (
        "box-can", "stone-stone", "stone-capsule", "can-capsule",
    ),
    "view/test_contact_arrows.py::test_pairs_in_the_plane[box on the corner of a box-0.05]": (),
    # contacts of polyhedra, which have many pairs of edges and are compiled for each model
    "simulation/test_polyhedra.py::test_a_polyhedron_falls_flat_on_another_one_and_stays": ("0.0",),
    "simulation/test_polyhedra.py::test_a_tetrahedron_comes_to_rest_on_a_face": (),
    "simulation/test_polyhedra.py::test_free_polyhedra_keep_their_momentum": (),
    "view/test_contact_arrows.py::test_polyhedra_and_cylinders_act_where_they_touch": (
        "sphere on a polyhedron", "capsule on a polyhedron", "cylinder on a capsule", "box on the end of a cylinder",
    ),
    # by stock Numba, as the quick ring runs in .ci/run
    "jit/test_kept_kernels.py::test_stock_numba_does_all_where_the_switch_is_off": (),
    "jit/test_kept_kernels.py::test_stock_numba_keeps_what_calls_helpers": (),
    # every method with every integrator, with every model: methods/test_everything.py runs all of them in the default run
    "integrators/test_events.py::test_crossing_is_located": ("cfa-*", "lagrange-*", "svd-*"),
    "integrators/test_events.py::test_crossing_lies_on_the_expression": ("cfa-*", "lagrange-*", "svd-*"),
    "integrators/test_error_control.py::test_chunks_do_not_change_the_result": ("svd-*", "lagrange-*"),
    "integrators/test_error_control.py::test_drift_stays_bounded_over_a_long_run": ("svd-*", "lagrange-*"),
    "integrators/test_error_control.py::test_error_follows_the_tolerance": ("four_bar-*",),
    "integrators/test_error_control.py::test_failures_are_named_and_the_result_is_kept": ("svd-*",),
    "integrators/test_error_control.py::test_output_times_do_not_change_the_motion": ("svd-*", "lagrange-*"),
    "integrators/test_error_control.py::test_redundant_constraints": ("svd-*", "lagrange-*"),
    "integrators/test_error_control.py::test_stiff_motion_takes_few_steps[radau]": (),
    "integrators/test_order.py::test_fitted_order": (
        "four_bar-*", "rolling_disk-*", "driven_pendulum-cfa-*", "driven_pendulum-lagrange-*", "driven_pendulum-svd-*",
    ),
    "methods/test_accelerations.py::test_equal_the_augmented_equations": (
        "four_bar-*", "four_bar_with_a_doubled_hinge-*", "every_planar_joint-*", "every_spatial_joint-*", "rolling_disk-svd",
    ),
    "methods/test_held_basis.py::test_holding_changes_the_work_and_not_the_motion[every_spatial_joint-*]": (),
    "methods/test_step_methods.py::test_constraints_hold_at_every_step": ("four_bar-*", "rolling_disk-*"),
    "physics/test_drivers.py::test_both_angles_of_a_universal_joint": ("True-*-svd-joint", "False-*-svd-absolute"),
    "physics/test_drivers.py::test_hydraulic_cylinder": ("*-svd-absolute", "*-lagrange-joint"),
    "physics/test_drivers.py::test_many_turns": ("*-svd-absolute", "*-lagrange-joint"),
    "physics/test_drivers.py::test_universal_joint_driven_in_a_mechanism": ("*-back-cut",),
    "physics/test_long_runs.py::test_drift_settings": ("*-four_bar-0.004",),
    "physics/test_long_runs.py::test_energy_balance_and_residuals_stay_small": ("*-four_bar", "svd-*"),
    "physics/test_reactions.py::test_whole_chain_of_reactions_balances_every_body": ("cfa", "generalized_alpha", "lagrange", "svd"),
    "physics/test_reactions.py::test_parallel_hinges_move_as_one": ("*-3-3", "*-2-3"),
    "physics/test_rolling.py::test_ball_on_a_turntable": ("svd-*", "cfa-*", "generalized_alpha-*", "lagrange-*"),
    "physics/test_rolling.py::test_chaplygin_sleigh": ("plane-*", "space-svd-*"),
    "physics/test_rolling.py::test_wheel_on_a_line_that_moves": ("svd-*", "cfa-*", "generalized_alpha-*", "lagrange-*"),
    "physics/test_rolling.py::test_wheel_rolls_down_a_slope": ("svd-*", "cfa-*", "generalized_alpha-*", "lagrange-*"),
    "physics/test_states.py::test_a_controlled_arm_moves_as_its_closed_form": ("*-planar", "*-joint"),
    "simulation/test_failures.py::test_stops_keeps_the_result_and_says_where": ("svd-*", "lagrange-*", "generalized_alpha-*"),
    "system/test_constraint_derivatives.py::test_driver": ("*-two_bodies",),
    "system/test_constraint_derivatives.py::test_driver_of_a_speed": ("*-2-*",),
    "system/test_couplings.py::test_every_method": ("cfa", "svd"),
    "system/test_force_library.py::test_energy_balance_over_a_long_run_with_every_force": ("2-*", "3-joint-options0"),
}  # fmt: skip

# A test of which nothing stays -> the test of the default run that notices the same errors.
INSTEAD = {
    "attack/test_damage_results.py::test_damage_results": "results/test_results_file.py::test_a_full_disk_costs_no_flushed_row",
    "comparison/test_compare.py::test_a_model_with_beams_is_compared_by_default":
        "comparison/test_compare.py::test_a_stiff_model_without_a_step_is_compared_by_the_integrator_of_a_run",
    "physics/test_curves_of_equilibria.py::test_a_truss_snaps_through":
        "physics/test_snapping_beams.py::test_a_shallow_toggle_snaps",
    "physics/test_resting.py::test_the_command": "physics/test_resting.py::test_a_tilted_box_falls_flat",
    "physics/test_snapping_beams.py::test_a_thin_strip_buckles_sideways":
        "physics/test_curves_of_equilibria.py::test_a_strip_buckles_sideways_with_order_two",
    "plain/test_equilibrium.py::test_the_dead_point_of_a_toggle_is_said_to_be_unstable":
        "plain/test_equilibrium.py::test_no_answer_is_unstable_where_a_stable_one_is_found",
    "programs/test_fmu.py::test_steps_between_outputs_give_the_numbers_of_a_run":
        "programs/test_fmu.py::test_every_kind_of_unit_keeps_the_standard",
    "programs/test_implicit_units.py::test_the_bits_of_a_stepper":
        "programs/test_implicit_units.py::test_a_stiff_model_gets_the_steps_of_a_run",
    "programs/test_library.py::test_a_body_that_turns_far_is_no_singular_position":
        "programs/test_plain.py::test_a_run_stops_before_rows_meet",
    "simulation/test_solid_contacts.py::test_a_box_slides_down_beside_another_one_that_it_touches":
        "simulation/test_solid_contacts.py::test_a_box_slides_to_rest_on_another_one",
    "studies/test_direct.py::test_two_hinges_of_a_door": "studies/test_direct.py::test_a_load_that_the_hinges_take_has_the_derivative_zero",
    "studies/test_engine.py::test_processes_without_a_guard_for_the_main_module":
        "studies/test_engine.py::test_answers_come_in_order",
    "physics/test_curves_of_equilibria.py::test_the_command":
        "physics/test_curves_of_equilibria.py::test_the_result_is_one_of_a_run",
    "studies/test_lanes_outputs.py::test_derivatives_by_differences_go_in_lanes":
        "studies/test_lanes_outputs.py::test_runs_that_nobody_foresees_go_in_lanes_after_as_many",
    "programs/test_exchange.py::test_cvode_in_fmpy_with_corrections": "programs/test_exchange.py::test_a_solver_outside_finds_the_motion",
    "physics/test_curves_of_equilibria.py::test_a_column_buckles_about_either_axis_with_order_two":
        "physics/test_curves_of_equilibria.py::test_a_strip_buckles_sideways_with_order_two",
    "physics/test_elastic_parts.py::test_a_free_part_keeps_energy_and_momentum":
        "physics/test_elastic_stations_spin.py::test_a_free_part_with_stations_keeps_energy_and_momenta",
    "physics/test_elastic_parts.py::test_auto_follows_all_modes_or_passes_over_them":
        "physics/test_elastic_stations_spin.py::test_a_free_part_with_stations_keeps_energy_and_momenta",
    "physics/test_modes_of_turning.py::test_a_loop_on_a_turntable_is_the_same_in_both_coordinates":
        "physics/test_modes_of_turning.py::test_a_rod_in_two_hinges_with_springs_is_the_same_in_both_coordinates",
    "physics/test_modes_of_turning.py::test_a_rotor_that_is_not_round_is_seen_from_axes_that_turn_where_its_bearings_are_round":
        "physics/test_modes_of_turning.py::test_a_shaft_whirls_as_seen_beside_it_and_turns_with_what_is_not_round",
    "physics/test_neutral_positions.py::test_a_weight_that_turns_on_its_hook_beside_stiff_beams":
        "physics/test_neutral_positions.py::test_balls_in_a_trough_turn_freely",
    "physics/test_resting.py::test_a_table_on_four_legs_in_space": "physics/test_resting.py::test_a_tilted_box_falls_flat",
    "physics/test_modes_of_turning.py::test_a_steady_motion_is_balanced_in_a_run":
        "physics/test_modes_of_turning.py::test_a_run_begins_in_the_steady_motion_that_a_motor_keeps",
    "physics/test_modes_of_turning.py::test_two_rotors_turn_about_axes_of_their_own_and_values_are_told_once":
        "physics/test_modes_of_turning.py::test_a_shaft_whirls_as_seen_beside_it_and_turns_with_what_is_not_round",
    "attack/test_contact_units.py::test_steps_do_not_let_a_slide_stick_near_its_dead_points":
        "attack/test_contact_units.py::test_a_slide_that_rubs_passes_its_dead_points_in_any_unit_of_length",
    "attack/test_one_sided.py::test_chains_with_stops_and_contacts_come_to_rest_where_their_potential_is_least":
        "attack/test_one_sided.py::test_the_oracle_finds_where_a_rod_rests_on_a_stop",
    "benchmark/test_bench_command.py::test_the_search_says_when_nothing_meets_the_values":
        "benchmark/test_bench_command.py::test_the_search_finds_a_setting_that_meets_the_values_with_a_margin",
    "comparison/test_compare_command.py::test_a_preset_runs_a_papers_example_with_its_settings":
        "comparison/test_compare_command.py::test_without_a_model_the_examples_of_the_papers_run",
    "docs/test_errata.py::test_the_document_quotes_what_the_script_prints": "docs/test_errata.py::test_4_2_multipliers",
    "docs/test_plugin.py::test_an_installed_package_runs":
        "docs/test_plugin.py::test_an_installed_importer_is_found_by_the_suffix_of_the_file",
    "jit/test_kept_kernels.py::test_stock_numba_does_all_where_the_switch_is_off":
        "jit/test_fastload_trial.py::test_a_numba_that_has_changed_does_all_itself",
    "jit/test_kept_kernels.py::test_stock_numba_keeps_what_calls_helpers":
        "jit/test_fastload_trial.py::test_a_numba_that_has_changed_does_all_itself",
    "mutations/test_mutations.py::test_quick": "mutations/test_mutations.py::test_the_table_holds_every_mutation",
    "simulation/test_polyhedra.py::test_a_tetrahedron_comes_to_rest_on_a_face":
        "simulation/test_polyhedra.py::test_a_polyhedron_falls_flat_on_another_one_and_stays",
    "simulation/test_polyhedra.py::test_free_polyhedra_keep_their_momentum":
        "simulation/test_polyhedra.py::test_a_polyhedron_falls_flat_on_another_one_and_stays",
    "studies/test_direct_switches.py::test_random_models": "studies/test_direct_switches.py::test_an_end_stop",
}  # fmt: skip

STALE = pytest.StashKey[list[str] | None]()  # lines and cases that name no test; None where not all tests were looked at
LISTED = pytest.StashKey[set[str]]()  # the tests that this file lists
LOST = pytest.StashKey[list[str] | None]()  # tests of which this file leaves nothing, and stand-ins that are not in the default run


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace(r"\*", ".*"))


_LINES = {line: _pattern(line) for line in LEFT}
_STAY = {line: {case: _pattern(case) for case in cases} for line, cases in LEFT.items()}


def mark(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the lines leave out, and note those that name nothing. The quick ring (quick_ring.py) keeps what it names."""
    unseen = {*LEFT, *(f"{line}: {case}" for line, cases in LEFT.items() for case in cases)}
    by_name: dict[str, list[str]] = {}
    for line in LEFT:
        by_name.setdefault(line.partition("[")[0], []).append(line)
    listed, left = set[str](), set[str]()
    for item in items:
        full = item.nodeid.removeprefix("tests/")
        name, _, case = full.partition("[")
        for line in by_name.get(name, ()):
            if line != name and not _LINES[line].fullmatch(full):
                continue
            stays = {text for text, pattern in _STAY[line].items() if pattern.fullmatch(case.removesuffix("]"))}
            unseen -= {line, *(f"{line}: {text}" for text in stays)}
            if not stays and item.get_closest_marker("quick") is None:
                item.add_marker(pytest.mark.slow)
                listed.add(full)
        if item.get_closest_marker("slow") is None:
            left.add(name)
    gone = {full.partition("[")[0] for full in listed} - left
    complete = quick_ring.asked_for_everything(config) and config.option.markexpr != "quick"
    config.stash[STALE] = sorted(unseen) if complete else None
    config.stash[LISTED] = listed
    config.stash[LOST] = sorted((gone ^ INSTEAD.keys()) | (set(INSTEAD.values()) - left)) if complete else None
