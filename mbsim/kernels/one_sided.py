"""Forces that only push, as functions of the depth delta >= 0 and its rate: end stops and contacts. Elastic part k delta^e."""

from mbsim.jit import helper


@helper
def stop_push(delta, rate, k, e, c, depth):
    """k delta^e + c s(delta/depth) rate, s the cubic from 0 to 1: the damper comes in over `depth` (0: at once)."""
    x = delta / depth if delta < depth else 1.0
    return k * delta**e + c * x * x * (3.0 - 2.0 * x) * rate


@helper
def stop_force(delta, rate, k, e, c, depth):
    """max(0, `stop_push`): the law of Adams' IMPACT function."""
    force = stop_push(delta, rate, k, e, c, depth)
    return 0.0 if force < 0.0 else force  # not max, which would hide what is not a number


@helper
def hunt_crossley(delta, rate, k, e, c):
    """k delta^e max(0, 1 + 3/2 c rate). Hunt & Crossley 1975: the coefficient of restitution is about 1 - c v at low impact speeds v."""
    force = k * delta**e * (1.0 + 1.5 * c * rate)
    return 0.0 if force < 0.0 else force


@helper
def elastic_energy(delta, k, e):
    """Integral of k delta^e."""
    return k * delta ** (e + 1.0) / (e + 1.0)
