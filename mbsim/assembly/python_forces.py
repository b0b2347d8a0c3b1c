"""Forces of a model whose `value` is a Python function."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from mbsim.assembly.assembled import Assembly, Locking
from mbsim.assembly.flowing import with_same_units
from mbsim.assembly.models import assemble
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.file.errors import did_you_mean
from mbsim.model.sampling import SHORTEST_SAMPLE, Clock
from mbsim.model.schema import Model
from mbsim.model.states import State
from mbsim.system.python_forces import Function, with_functions
from mbsim.system.samples import Called, WithPython
from mbsim.system.system import System

Names = str | tuple[str, ...]  # a force, or several whose values one function returns one behind the other


@dataclass(frozen=True)
class Sampled:
    """A Python function that is called at samples; what it returns is held between them."""

    function: Function
    clock: Clock

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns."""
        return self.function(*arguments)


def sampled(function: Function, sample: float, offset: float = 0.0) -> Sampled:
    """The function of a force f(t, q, v) that is called every `sample` s, first `offset` s after the start, and held between.

    Where a run locates events it may be called again for the same sample.
    Raises TypeError for what is no function, ValueError for times that make no sense.
    """
    if not callable(function):
        raise TypeError(f"what is sampled must be a function of t, q and v (got {type(function).__name__})")
    if not (isfinite(sample) and sample >= SHORTEST_SAMPLE):
        raise ValueError(f"sample must be {SHORTEST_SAMPLE:g} s at least, the resolution of time (got {sample!r})")
    if not (isfinite(offset) and offset >= 0.0):
        raise ValueError(f"offset must not be less than 0 (got {offset!r})")
    return Sampled(function, Clock(float(sample), float(offset)))


def assemble_with(model: Model, functions: Mapping[Any, Function]) -> Assembly:
    """The assembled model in which the `value` of these forces is what functions of (t, q, v) return: a number, or one for each component.

    A function of several forces, whose key is a tuple of their names, returns the numbers of all of them, one force behind the other.
    Raises ValueError for a force that the model does not have, that has no `value` or two functions, TypeError for what is no function;
    ModelError.
    """
    forces, parameters, states = dict(model.forces), dict(model.parameters), dict(model.states)
    places: dict[str, tuple[Function, list[int]]] = {}
    called: list[tuple[Sampled, str, list[str]]] = []
    given: set[str] = set()
    for key, function in functions.items():
        names = (key,) if isinstance(key, str) else tuple(key)
        together, held = ", ".join(names), list[str]()
        for name in names:
            if name in given:
                raise ValueError(f"the force {name!r} is given by two functions")
            given.add(name)
            new = []
            for k in range(len(_laws(model, name, function))):
                known = f"{name}_by_python_{k}"
                if isinstance(function, Sampled):
                    states[known] = State.model_construct(sample=function.clock.period, offset=function.clock.offset, next=parse(known))
                    held.append(known)
                    new.append(parse(known))
                    continue
                places.setdefault(together, (function, []))[1].append(len(parameters))
                parameters[known] = 0.0
                new.append(parse(f"{known} + 0*t"))  # t makes it a law, which is evaluated anew
            value: Any = getattr(forces[name], "value", None)
            forces[name] = forces[name].model_copy(update={"value": new if isinstance(value, list) else new[0]})
        if isinstance(function, Sampled):
            called.append((function, together, held))
    made = assemble(replace(model, forces=forces, parameters=parameters, states=states))
    coming = made.coming

    def finish(system: System) -> System:
        """The system of a stretch of a run with the functions."""
        system = with_same_units(with_functions(system, places)) if places else system
        return _with_called(system, called) if called else system

    def change(before: Assembly, event: Locking) -> Assembly:
        assert coming is not None
        after = coming.change(before, event)
        return replace(after, system=finish(after.system))

    done = replace(made, system=finish(made.system), parameters=dict(model.parameters))
    return done if coming is None else replace(done, coming=replace(coming, change=change))


def _laws(model: Model, name: str, function: Function) -> list[Expression]:
    """The laws that a function stands for. Raises ValueError, TypeError."""
    if name not in model.forces:
        raise ValueError(f"the model has no force {name!r}{did_you_mean(name, list(model.forces))}")
    if not callable(function):
        raise TypeError(f"the law of the force {name!r} must be a function of t, q and v (got {type(function).__name__})")
    law: Any = getattr(model.forces[name], "value", None)
    laws = [law] if isinstance(law, Expression) else list(law or ())
    if not laws or not all(isinstance(one, Expression) for one in laws):
        raise ValueError(f"the force {name!r} has no key `value`, which a function could stand for")
    return laws


def _with_called(system: System, called: list[tuple[Sampled, str, list[str]]]) -> System:
    """The system whose samples call these functions."""
    found = [Called(one.clock, one.function, name, [system.coordinates.index(x) for x in held]) for one, name, held in called]
    function = WithPython(system.samples, found)

    def failure() -> BaseException | None:  # it keeps that system alive, as the code of functions that are not sampled wants
        return function.failure() or (system.failure() if system.failure is not None else None)

    return replace(system, samples=replace(system.samples, function=function), failure=failure)
