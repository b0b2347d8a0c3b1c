"""What steps of Moreau and Jean (`mbsim.march.moreau`) ask of a system, as one kernel whose arguments are passed once."""

from mbsim.contracts import ARRAYS, SYSTEM
from mbsim.jit import A1, A2, kernel, void

EVALUATE, LOOK, WAYS, MOVE, RESIDUAL, CONSTRAIN, ENERGY, RATES = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0


@kernel(void(SYSTEM, ARRAYS, SYSTEM, ARRAYS, A1, A1, A1, A1, A1, A1, A1, A2, A1, A1, A1, A2, A1, A2, A1, A2, A1, A1))
def serve(system, arrays, full, full_arrays, ask, q, v, v_dot, d, rates, none, M, h, eta, power, C, xi, W, shift, out, phi, energy):
    """Carry out the request `ask` = [request, t] at q and v.

    EVALUATE: C, xi, M, h, eta, power. LOOK: events, at v_dot and with multipliers `none`. WAYS: W, the rows of the system `full`, and
    shift, their xi. MOVE: q (+) d. RESIDUAL: phi. CONSTRAIN: C and xi. ENERGY: energies. RATES: q_dot, with the rates of states.
    """
    what, t = ask[0], ask[1]
    if what == EVALUATE:
        system.constraints(arrays, t, q, C, xi)
        system.dynamics(arrays, t, q, v, M, h, eta, power)
    elif what == LOOK:
        system.rates(arrays, t, q, v, rates)
        system.event(arrays, t, q, v, rates, v_dot, none, out)
    elif what == WAYS:
        full.constraints(full_arrays, t, q, W, shift)
    elif what == MOVE:
        system.move(arrays, q, d)
    elif what == RESIDUAL:
        system.residual(arrays, t, q, phi)
    elif what == CONSTRAIN:
        system.constraints(arrays, t, q, C, xi)
    elif what == ENERGY:
        system.energy(arrays, t, q, v, energy)
    else:
        system.rates(arrays, t, q, v, rates)
