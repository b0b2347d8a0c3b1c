"""The articulated body algorithm for trees with constraint rows: loops, drivers, couplings and equations. The leaf is `aba.py`.

The articulated inertias give the free motion a_0 and M^-1 = R' R (`mbsim.kernels.articulated_rows`); `trees/rows.py` has the equations of
the rows. M is not formed. docs/methods/aba.md.
"""

from mbsim.contracts import PROJECT, RHS
from mbsim.jit import Workspace, helper, kernel
from mbsim.kernels.articulated import begin, inward, outward
from mbsim.kernels.articulated_rows import roots, unweigh, weigh
from mbsim.kernels.composite import mass_diagonal
from mbsim.kernels.spatial_vectors import dot_six, six
from mbsim.kernels.tree_columns import BODY, MASS, VELOCITY, V
from mbsim.kernels.trees import momentum, sweep
from mbsim.methods._augmented import accept, expand, stage, start
from mbsim.methods.trees.rows import ROW_FACTORS, accelerate_rows, correct_rows, factor_free
from mbsim.singular.projection import project_with
from mbsim.system._trees import rotor_energy
from mbsim.system.work import NO_TABLE, Space

CROSSES = True  # singular positions: reads Work.beside


WORKSPACE = Workspace("aba_rows", ROW_FACTORS)


def plan(system, options):
    """C, but not M."""
    return Space(WORKSPACE, {}, NO_TABLE, False, True)


@helper
def to_unit(arrays, own, x):
    """x = R x."""
    weigh(arrays.tree, arrays.tree_data, arrays.tree_work, x)


@helper
def from_unit(arrays, own, y):
    """y = R' y."""
    unweigh(arrays.tree, arrays.tree_data, arrays.tree_work, y)


@helper
def inertias(arrays, work, v):
    """The articulated inertias; -1, or the speed along which there is none."""
    tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
    begin(tree, data, nodes, v)
    bad = inward(tree, data, nodes, work.h)
    return -1 if bad < 0 else tree[bad, V]


@helper
def factor(arrays, work, own):
    """R where the nodes are; velocities and loads, which have no part in it, are those of the last evaluation."""
    bad = inertias(arrays, work, work.v)
    if bad < 0:
        roots(arrays.tree, arrays.tree_work)
    return bad


@helper
def move_freely(arrays, work, own, v):
    """R, and own.free = a_0."""
    bad = inertias(arrays, work, v)
    if bad < 0:
        outward(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.gravity, own.free)
        roots(arrays.tree, arrays.tree_work)
    return bad


@helper
def factorise(arrays, work, own, v, rows, limit, kept, first):
    return factor_free(arrays, work, own, v, rows, limit, kept, first, move_freely, to_unit)


@helper
def accelerate(arrays, work, own, rank, eta, size):
    accelerate_rows(arrays, work, own, rank, eta, size, from_unit)


@helper
def correct(arrays, work, own, rows, weakest, kept):
    return correct_rows(arrays, work, own, rows, weakest, kept, factor, to_unit, from_unit)


@helper
def lengths(arrays, work, q, v, least):
    """As `projection.lengths`: v' M v from the velocities of bodies and rotors, and the diagonal of M."""
    tree, data, nodes, x = arrays.tree, arrays.tree_data, arrays.tree_work, work.displacement
    fast, far = 0.0, 0.0
    sweep(tree, data, nodes, q, v)
    for i in range(tree.shape[0]):
        if tree[i, BODY] >= 0:
            s = six(nodes[i], VELOCITY)
            fast += dot_six(s, momentum(data[i], MASS, s))
    fast += 2.0 * rotor_energy(arrays, v)
    mass_diagonal(tree, data, nodes, x)
    for j in range(x.shape[0]):
        far += x[j] * least * least
    return fast, far


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot of a tree with constraints, by sweeps for each row. Returns the status code."""
    return stage(system, arrays, work, WORKSPACE(work), t, z, dz, factorise, accelerate)


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    """Move q and v onto the constraints by sweeps for each row. Returns the status code."""
    return project_with(system, arrays, work, WORKSPACE(work), t, q, v, correct, lengths)


__all__ = ["WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start"]
