"""What changes at samples: held states of a system, with a kernel that finds their next values.

At a sample all states that are due are found from the state just before, at once: a name means the value of the earlier sample.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mbsim.contracts import SAMPLE_COLUMNS, SAMPLE_DUE, SAMPLE_FIRST, SAMPLE_PERIOD, Arrays
from mbsim.jit import Compiled
from mbsim.model.expressions.expression import Expression
from mbsim.model.sampling import Clock, Held
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import Symbols
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats

PythonSample = Callable[[float, Floats, Floats], object]  # t, q, v -> a number or several


class Called(NamedTuple):
    """A Python function that gives held states at samples."""

    clock: Clock
    function: PythonSample
    name: str  # of the forces that it gives
    places: list[int]  # of the states in q


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of a system."""

    function: Compiled  # the kernel, of contract SAMPLE
    clocks: tuple[Clock, ...]
    names: tuple[str, ...]  # of the held states

    @property
    def calls_python(self) -> bool:
        """Whether functions of the user's, or units, are called, which may remember what they were called with."""
        return isinstance(self.function, WithPython) or bool(self.native)

    @property
    def native(self) -> tuple[str, ...]:
        """The files with native code of others that is called."""
        return tuple(getattr(self.function, "files", ()))

    def table(self, start: float) -> Floats:
        """The samples of a run, a row for each clock."""
        table = np.zeros((len(self.clocks), SAMPLE_COLUMNS))
        for line, clock in zip(table, self.clocks, strict=True):
            line[SAMPLE_FIRST], line[SAMPLE_PERIOD] = start + clock.offset, clock.period
        return table


class Readable(NamedTuple):
    """What expressions at samples may read, by their names."""

    parameters: list[str]
    coordinates: list[str]  # with the states behind them
    speeds: list[str]
    relative: Mapping[str, int]

    def symbols(self) -> Symbols:
        """The symbols of generated code."""
        return Symbols(self.parameters, self.coordinates, self.speeds).with_relative(self.relative)


def samples_of(held: Mapping[str, Held], readable: Readable, measure: str) -> Samples | None:
    """The samples of held states; None where there are none.

    `measure` names the kernel of `mbsim.system.bodies` that finds relative coordinates, where one is read.
    """
    if not held:
        return None
    clocks = tuple(dict.fromkeys(state.clock for state in held.values()))
    groups = [[(name, state) for name, state in held.items() if state.clock == clock] for clock in clocks]
    told = [[(name, _key(state.next), _key(state.before)) for name, state in group] for group in groups]
    key: list[object] = ["samples", measure, told, *readable[:3], sorted(readable.relative.items())]

    def derive() -> str:
        symbols = readable.symbols()
        source = f"{HEADER}from mbsim.contracts import SAMPLE\n"
        source += f"from mbsim.system.bodies import {measure}\n" if measure else ""
        lines = [f"{measure}(arrays, q, v)"] if measure else []
        begun, due = [], []
        for k, group in enumerate(groups):
            place = {name: f"[{readable.coordinates.index(name)}]" for name, _ in group}
            first = [(f"out{place[name]}", symbols.read(state.before)) for name, state in group if state.before is not None]
            values = [(f"out{place[name]}", symbols.read(state.next)) for name, state in group if state.next is not None]
            source += function(f"before_{k}", "ENERGY", "t, q, v, out", first) + function(f"next_{k}", "ENERGY", "t, q, v, out", values)
            begun += [f"if due[{k}, SAMPLE_DUE] == SAMPLE_IS_FIRST:", f"    before_{k}(arrays, t, q, v, q)"]
            due += [f"if due[{k}, SAMPLE_DUE] != 0.0:", f"    next_{k}(arrays, t, q, v, out)"]
        source += "\n\nfrom mbsim.contracts import SAMPLE_DUE, SAMPLE_IS_FIRST\n"
        return source + function("sample", "SAMPLE", "t, q, v, due, out", [], "\n".join([*lines, *begun, *due]))

    module = cached_module(json.dumps(key), derive)
    return Samples(module.sample, clocks, tuple(held))


def _key(expression: Expression | None) -> object:
    return None if expression is None else expression.key


class WithPython:
    """Samples that call Python functions beside the compiled laws; as the kernel, of contract SAMPLE. It keeps the first exception."""

    def __init__(self, samples: Samples, called: Sequence[Called]) -> None:
        self._function = samples.function
        self._called = [(samples.clocks.index(one.clock), one) for one in called]
        self._failure: BaseException | None = None

    def __call__(self, arrays: Arrays, t: float, q: Floats, v: Floats, due: Floats, out: Floats) -> None:
        """Fill the held states that are due; NaN where a function raises or returns another number of values."""
        self._function(arrays, t, q, v, due, out)
        for k, one in self._called:
            if due[k, SAMPLE_DUE] == 0.0:
                continue
            try:
                value = np.asarray(one.function(t, q.copy(), v.copy()), float).reshape(-1)
                if value.shape != (len(one.places),):
                    raise SampleError(f"the function of the force {one.name} returned {value.size} numbers, expected {len(one.places)}")
                out[one.places] = value
            except BaseException as error:  # it ends the run, and is raised again by the driver
                error.add_note(f"raised by the function of the force {one.name!r}")
                self._failure = self._failure or error
                out[one.places] = np.nan

    def failure(self) -> BaseException | None:
        """What was raised since it was last asked for."""
        error, self._failure = self._failure, None
        return error
