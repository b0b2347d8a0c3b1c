"""Samples that units give: the march stops at each, the compiled laws find the inputs, and the unit is called.

Compiled marches call `CalledSamples` as any kernel of contract SAMPLE, by the address of a function that ctypes makes. So Python is entered
once a sample, and only for the unit.
"""

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mbsim.assembly.fmu_instances import Sampled
from mbsim.contracts import SAMPLE, SAMPLE_COLUMNS, SAMPLE_DUE, SAMPLE_FIRST, SAMPLE_IS_FIRST, SAMPLE_PERIOD, Arrays
from mbsim.jit import Kernel
from mbsim.jit.signatures import machine_types
from mbsim.model.sampling import Clock, Foreign, Held
from mbsim.system.native import require_allowed
from mbsim.system.samples import Samples
from mbsim.system.system import Floats

MOST_VIEWS = 64  # arrays that are known by their address: those of a march are few


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

    def tell(self, tolerance: float | None) -> None:
        """The relative tolerance of the runs to come; None of those with equal steps."""
        for block in self._blocks:
            block.unit.tolerance = tolerance

    def called(self) -> "CalledSamples | None":
        """The same as a kernel that compiled code calls; None where the laws are not compiled."""
        return CalledSamples(self._function, self._blocks, self.files) if isinstance(self._function, Kernel) else None

    def __call__(self, arrays: Arrays, t: float, q: Floats, v: Floats, due: Floats, out: Floats) -> None:
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


_WORDS = [kind for argument in SAMPLE.arguments for kind in machine_types(argument)]
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *_WORDS)
_DATA, _LENGTH = 4, 2  # of the words of an array: the address of its numbers, and how many there are
_DUE, _OUT = 16, 25  # the first words of `due` and `out`: behind those of the block, the time, q and v


class CalledSamples(Kernel):
    """A kernel of contract SAMPLE that enters Python for the units.

    Nothing can be raised through compiled code: what a unit raises is kept, and the states that it should give are not finite, which ends
    the march. `take_error` puts them back and hands the error over.
    """

    def __init__(self, laws: Kernel, blocks: list[_Block], files: tuple[str, ...]) -> None:
        self.signature, self._laws, self._units, self._files = SAMPLE, laws, blocks, files
        self._raw: Any = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *_WORDS)(laws.address)
        self._entered = _FUNCTION(self._enter)
        self.address = ctypes.cast(self._entered, ctypes.c_void_p).value or 0
        self._error: BaseException | None = None
        self._before: tuple[Any, list[int], list[float]] | None = None
        self._views: dict[tuple[int, int], Any] = {}

    def __repr__(self) -> str:
        return f"<samples of {', '.join(self._files)}>"

    def take_error(self) -> BaseException | None:
        """What was raised in the last march, if anything; the states are then as they were before that sample."""
        error, self._error = self._error, None
        if error is not None and self._before is not None:
            out, places, values = self._before
            for place, value in zip(places, values, strict=True):
                out[place] = value
        self._before = None
        return error

    def _numbers(self, words: tuple[Any, ...], first: int) -> Any:
        key = int(words[first + _DATA]), int(words[first + _LENGTH])
        if key not in self._views:
            if len(self._views) > MOST_VIEWS:
                self._views.clear()
            self._views[key] = (ctypes.c_double * key[1]).from_address(key[0])
        return self._views[key]

    def _enter(self, returned: object, error: object, *words: object) -> int:
        failed: int = self._raw(returned, error, *words)
        if failed:
            return failed
        due, out = self._numbers(words, _DUE), self._numbers(words, _OUT)
        for block in self._units:
            line = SAMPLE_COLUMNS * block.clock
            if due[line + SAMPLE_DUE] == 0.0 or self._error is not None:
                continue
            try:
                require_allowed(self._files)
                first, period = due[line + SAMPLE_FIRST], due[line + SAMPLE_PERIOD]
                k = 0 if due[line + SAMPLE_DUE] == SAMPLE_IS_FIRST else round((words[1] - first) / period)
                found = block.unit.sample(k, first, period, [out[i] for i in block.inputs])
            except BaseException as raised:
                self._error, self._before = raised, (out, block.outputs, [out[i] for i in block.outputs])
                found = [float("nan")] * len(block.outputs)
            for place, value in zip(block.outputs, found, strict=True):
                out[place] = value
        return 0
