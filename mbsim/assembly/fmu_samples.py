"""Samples that units give: the march stops at each, the compiled laws find the inputs, and the unit is called."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mbsim.assembly.fmu_instances import Sampled
from mbsim.contracts import SAMPLE_DUE, SAMPLE_FIRST, SAMPLE_IS_FIRST, SAMPLE_PERIOD
from mbsim.model.sampling import Clock, Foreign, Held
from mbsim.system.native import require_allowed
from mbsim.system.samples import Samples
from mbsim.system.system import Floats


class _Block(NamedTuple):
    """A unit and where its numbers stand."""

    unit: Sampled
    clock: int
    inputs: list[int]  # places of its held states in q
    outputs: list[int]


class FmuSamples:
    """Samples with units beside the compiled laws; as the kernel, of contract SAMPLE."""

    def __init__(self, samples: Samples, held: Mapping[str, Held], coordinates: list[str]) -> None:
        self._function = samples.function
        outputs: dict[str, tuple[Foreign, Clock, list[int]]] = {}
        for name, state in held.items():
            if state.foreign is not None:
                foreign, _ = state.foreign
                outputs.setdefault(foreign.controller, (foreign, state.clock, []))[2].append(coordinates.index(name))
        self._blocks: list[_Block] = []
        for foreign, clock, places in outputs.values():
            first = places[0] - len(foreign.inputs)  # its states stand one behind the other, the inputs first
            inputs = list(range(first, places[0]))
            self._blocks.append(_Block(Sampled(foreign), samples.clocks.index(clock), inputs, places))

    @property
    def files(self) -> tuple[str, ...]:
        """The units."""
        return tuple(block.unit.file for block in self._blocks)

    def __call__(self, arrays: Any, t: float, q: Floats, v: Floats, due: Floats, out: Floats) -> None:
        """Fill the held states that are due. Raises SampleError where a unit fails, NativeCodeError where none may run."""
        self._function(arrays, t, q, v, due, out)
        for block in self._blocks:
            line = due[block.clock]
            if line[SAMPLE_DUE] == 0.0:
                continue
            require_allowed(self.files)
            first, period = float(line[SAMPLE_FIRST]), float(line[SAMPLE_PERIOD])
            k = 0 if line[SAMPLE_DUE] == SAMPLE_IS_FIRST else round((t - first) / period)
            out[block.outputs] = np.array(block.unit.sample(k, first, period, out[block.inputs].tolist()))
