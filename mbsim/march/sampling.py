"""The samples that are taken at the start of a run. Those after it are taken by the march (`mbsim.integrators._sampled`)."""

from mbsim import contracts
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats


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
