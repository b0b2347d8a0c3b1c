"""The units and the samples at the start of a run. Samples after it are taken by the march (`mbsim.integrators._sampled`)."""

from mbsim import contracts
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats, System


def begin_units(system: System, at: float, q: Floats, v: Floats) -> Floats:
    """q (n_q,) at the start of a run, with the states of units for model exchange, which begin there. Raises Stopped where one fails."""
    if system.units is None:
        return q
    try:
        begun: Floats = system.units.begin(system, at, q, v)
    except SampleError as error:
        raise Stopped(str(error)) from error
    return begun


def take_first(formulation: Formulation, at: float, z: Floats, row: Floats) -> int:
    """Take the samples that are due at the start, and change the state z and its output row; returns OK or what is wrong.

    Raises Stopped where a unit fails.
    """
    samples = formulation.system.samples
    if samples is None:
        return contracts.OK
    from mbsim.integrators._sampled import take  # compiled where it is needed only

    system = formulation.system
    held = formulation.functions, system.functions, system.arrays, formulation.work
    try:
        code: int = take(samples.function, samples.table(at), *held, at, z, row, True)
    except SampleError as error:
        raise Stopped(str(error)) from error
    return max(code, contracts.OK)
