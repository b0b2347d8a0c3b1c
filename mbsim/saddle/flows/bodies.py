"""What `mbsim.march.flow_blocks` calls of the linear system `BODIES`."""

from mbsim.jit import kernel
from mbsim.saddle.bodies.form import BODIES
from mbsim.saddle.flows.parts import FIND_MISS, FIND_PARTS, FIND_RIGID, miss, place_parts, place_rigid


@kernel(FIND_MISS)
def find_miss(system, arrays, table, time, q, v, a, lam, C, xi, M, h, eta, power, force, side):
    """`miss` at time[0]."""
    miss(BODIES, system, arrays, table, time[0], q, v, a, lam, C, xi, M, h, eta, power, force, side)


@kernel(FIND_RIGID)
def find_rigid(arrays, table, C, dropped, rigid):
    """`place_rigid`."""
    place_rigid(BODIES, arrays, table, C, dropped, rigid)


@kernel(FIND_PARTS)
def find_parts(
    system, arrays, table, time, frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, spare, local,
    rigid, damping, stiffness,
):  # fmt: skip
    """`place_parts` at time[0]."""
    place_parts(
        BODIES, system, arrays, table, time[0], frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, spare, local,
        rigid, damping, stiffness,
    )  # fmt: skip
