"""What `mbsim.march.flow_blocks` calls of the linear system `TREES`."""

from mbsim.jit import kernel
from mbsim.saddle.flows.parts import FIND_MISS, FIND_PARTS, FIND_RIGID, miss, place_parts, place_rigid
from mbsim.saddle.trees.form import TREES


@kernel(FIND_MISS)
def find_miss(system, arrays, table, time, q, v, a, lam, C, xi, M, h, eta, power, force, side):
    """`miss` at time[0]."""
    miss(TREES, system, arrays, table, time[0], q, v, a, lam, C, xi, M, h, eta, power, force, side)


@kernel(FIND_RIGID)
def find_rigid(arrays, table, C, dropped, rigid):
    """`place_rigid`."""
    place_rigid(TREES, arrays, table, C, dropped, rigid)


@kernel(FIND_PARTS)
def find_parts(
    system, arrays, table, time, frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, spare, local,
    rigid, damping, stiffness,
):  # fmt: skip
    """`place_parts` at time[0]."""
    place_parts(
        TREES, system, arrays, table, time[0], frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, spare, local,
        rigid, damping, stiffness,
    )  # fmt: skip
