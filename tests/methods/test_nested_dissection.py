"""Nested dissection in `cfa`: parts do not meet, operations are counted, accelerations and motions are those of the other order."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import DIMENSIONS, close, consistent_state, evaluate
from test_cfa_absolute import planar_chain, regular_loops, tree

import mbsim
from mbsim.methods.papers.dissection import dissect, in_parts, operations
from mbsim.saddle.order import leaves_first
from mbsim.system.structure import joint_table
from mbsim.system.system import System

WORD = "cfa(elimination=nested_dissection, parts={})"


def branching(bodies: int) -> list[tuple[int, ...]]:
    """Pairs of a binary tree of bodies on the ground."""
    return [(0,), *(((k - 1) // 2, k) for k in range(1, bodies))]


GRAPHS = {
    "chain": [(0,), *((k, k + 1) for k in range(99))],
    "ring": [*((k, k + 1) for k in range(99)), (0, 99)],
    "tree": branching(127),
    "ladder": [(k,) for k in range(40)]
    + [(k, k + 1) for k in range(39)]
    + [(40 + k, 41 + k) for k in range(39)]
    + [(k, 40 + k) for k in range(40)],
    "two mechanisms": [*branching(30), *((50 + k, 51 + k) for k in range(30))],
}


@pytest.mark.parametrize("parts", [2, 3, 8])
@pytest.mark.parametrize("name", GRAPHS)
def test_parts_share_no_body_and_are_of_about_equal_size(name: str, parts: int) -> None:
    pairs = GRAPHS[name]
    found = dissect(pairs, parts)
    assert sorted(found.order) == list(range(len(pairs)))
    assert len(found.parts) == parts
    bodies = [{body for block in part for body in pairs[block]} for part in found.parts]
    for i, one in enumerate(bodies):
        assert not any(one & other for other in bodies[:i])
    assert len(found.separators) <= 3 * (parts - 1)
    assert max(map(len, found.parts)) < 2.2 * len(pairs) / parts


def test_a_hub_with_many_short_branches_stays_whole() -> None:
    star = [(0,), *((0, k) for k in range(1, 60))]
    found = dissect(star, 4)
    assert (len(found.parts), found.separators) == (1, [])


def test_operations_of_a_chain() -> None:
    """Two parts cost what one costs; all bodies apart cost less than thrice, on a path of their logarithm."""
    system = mechanisms.system(planar_chain(60))
    whole, two, all_apart = (operations(joint_table(system, order).table) for order in (leaves_first, in_parts(2), in_parts(60)))
    pin, between = 4 + 6, 6 + 8 + 6  # a block of two rows and its right side; what it takes from the next one
    assert whole.total == 60 * pin + 59 * between == two.total
    assert abs(whole.path - 30 * (pin + between)) <= pin + between  # from the leaf and from the ground
    assert all_apart.total < 3 * whole.total
    longer = operations(joint_table(mechanisms.system(planar_chain(120)), in_parts(120)).table)
    assert longer.path - all_apart.path < 0.35 * all_apart.path < 0.35 * whole.path


def assert_like_lagrange(system: System, parts: int, t: float, q: np.ndarray, v: np.ndarray) -> None:
    a, lam = evaluate(system, WORD.format(parts), t, q, v)
    expected, multipliers = evaluate(system, "lagrange", t, q, v)
    C = system.C(t, q)
    close(a, expected, atol=1e-9 * np.abs(expected).max(initial=1.0))
    close(C.T @ lam, C.T @ multipliers, atol=1e-9 * np.abs(C.T @ multipliers).max(initial=1.0))


@pytest.mark.parametrize("loops", [0, 2])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_random_trees_and_loops_equal_lagrange(dimension: int, seed: int, loops: int) -> None:
    if loops:
        system, *state = regular_loops(dimension, seed)
    else:
        made = mbsim.assemble(mechanisms.model(tree(dimension, seed)))
        system, state = made.system, list(consistent_state(made.system, made.q, np.random.default_rng(seed), 0.3))
    assert_like_lagrange(system, 2 + seed, *state)


CHAINS = {"chain": planar_chain(40), "closed chain": planar_chain(12, closed=True), "cells": planar_chain(9, cells=True)}


@pytest.mark.parametrize("parts", [2, 5, 40])
@pytest.mark.parametrize("name", CHAINS)
def test_chains_and_cells_equal_lagrange(name: str, parts: int) -> None:
    made = mbsim.assemble(mechanisms.model(CHAINS[name]))
    assert_like_lagrange(made.system, parts, *consistent_state(made.system, made.q, np.random.default_rng(3), 0.05))


def test_redundant_rows() -> None:
    for name in ("bricard", "spatial_slider_crank"):
        made = mbsim.assemble(mechanisms.shipped(name))
        assert_like_lagrange(made.system, 2, 0.0, made.q, made.v)


def test_the_motion_is_that_from_leaf_to_root() -> None:
    model = mechanisms.model(planar_chain(40))
    settings: dict[str, Any] = {"integrator": "rk4", "step": 1e-3, "end": 0.2, "output_step": 0.1}
    in_parts, whole = (mbsim.simulate(model, method=method, **settings)["q"] for method in (WORD.format(3), "cfa"))
    close(in_parts, whole, atol=1e-9)


def test_what_does_not_go_together_is_refused() -> None:
    arm = mechanisms.shipped("space_robot")
    with pytest.raises(ValueError, match="for absolute coordinates; leave out `coordinates: joint`"):
        mbsim.simulate(arm, method="cfa(elimination=nested_dissection)", end=0.1)
    with pytest.raises(ValueError, match=r"parts: expected a whole number \(got 2.5\)"):
        mbsim.simulate(mechanisms.model(CHAINS["chain"]), method=WORD.format(2.5), end=0.1)
    with pytest.raises(ValueError, match="parts: expected a number at least 2"):
        mbsim.simulate(mechanisms.model(CHAINS["chain"]), method=WORD.format(1), end=0.1)


@pytest.mark.parametrize("joint", [False, True])
def test_parts_of_another_order_are_refused(joint: bool) -> None:
    model = f"""\
coordinates: {"joint" if joint else "absolute"}
dimension: 2
bodies: {{b: {{mass: 1, inertia: 0.1, position: [1, 0]}}}}
joints: {{r: {{type: revolute, bodies: [ground, b], at: [0, 0]}}}}
simulation: {{end: 0.01, method: cfa, parts: 3}}
"""
    with pytest.raises(ValueError, match="parts: the parts are those of nested dissection"):
        mbsim.simulate(mbsim.load_model(model))
