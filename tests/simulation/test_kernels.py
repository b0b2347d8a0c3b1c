"""What `mbsim.jit` does around kernels: functions passed from Python keep their contracts, a march leaves the processor as it was."""

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import jit
from mbsim.settings import Settings
from mbsim.simulation import Run


def test_subnormal_numbers_are_back_after_a_march() -> None:
    mbsim.simulate(mechanisms.shipped("pendulum"), end=0.01)
    small = np.array([1e-300])
    assert (small * 1e-10)[0] > 0.0


@pytest.mark.skipif(not jit.COMPILES, reason="without a compiler there are no contracts to keep")
def test_a_function_of_another_contract_is_refused_each_time() -> None:
    run = Run(mbsim.assemble(mechanisms.shipped("pendulum")), Settings(end=1.0, method="lagrange"))
    system = run.system
    z = np.zeros(system.n_v + system.n_q + 1)
    arguments = (system.arrays, run.work, 0.0, run.made.q, run.made.v, z)
    wrong = (system.functions[1], *system.functions[1:])  # dynamics where constraints belong
    for _ in range(2):
        assert run.method.start(system.functions, *arguments) == jit.OK
        with pytest.raises(TypeError):
            run.method.start(wrong, *arguments)
